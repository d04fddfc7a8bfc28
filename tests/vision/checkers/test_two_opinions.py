from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.evidence import Evidence
from tests.vision.boards import picture, rig, truth
from vision.checkers import two_opinions
from vision.checkers.reader import CheckersReader
from vision.errors import ImageError
from vision.geometry.board_measures import Orientation
from vision.picture.frame import Frame
from vision.quality import Quality
from vision.reading import Raw

EMPTY, WHITE, BLACK = (), ("white",) * 2, ("black",) * 2
USUAL = Orientation()


def surely(**cells: tuple[str, ...]) -> Raw:
    return {
        cell: {look: 0.0 if look == seen else -8.0 for look in (EMPTY, WHITE, BLACK)}
        for cell, seen in cells.items()
    }


def test_two_that_agree_are_sure() -> None:
    one = surely(p2=WHITE, p5=BLACK)
    found = Evidence.of(two_opinions.pooled(one, one))
    assert found.best() == {"p2": WHITE, "p5": BLACK}
    assert min(found.confidence(cell) for cell in found.cells) > 0.99


def test_of_what_they_disagree_about_they_are_less_sure() -> None:
    found = two_opinions.pooled(surely(p2=EMPTY, p5=BLACK), surely(p2=WHITE, p5=BLACK))
    evidence = Evidence.of(found)
    assert evidence.best()["p2"] == WHITE  # who knows nothing has learned nothing wrongly
    assert evidence.confidence("p2") < 0.999 < evidence.confidence("p5")


def test_a_point_that_only_one_can_see_counts_little() -> None:
    found = two_opinions.pooled(surely(p2=WHITE, p5=BLACK), surely(p5=BLACK))
    assert found["p2"][EMPTY] == pytest.approx(-8.0 * two_opinions.OWN)


def test_what_a_board_that_lies_otherwise_is_called_is_told_by_what_fits() -> None:
    seen = surely(p2=WHITE, p5=BLACK)
    around = Orientation(turned=True)
    assert two_opinions.fitted(surely(p14=WHITE, p17=BLACK), seen, around) == seen
    dark_white = surely(p2=BLACK, p5=WHITE)  # the lighter checkers are Black's here
    assert two_opinions.fitted(dark_white, seen, USUAL) == seen


@pytest.mark.parametrize(
    ("quality", "least", "asked"),
    [
        (Quality(separation=8.0), 9.0, False),
        (Quality(separation=1.5), 9.0, True),
        (Quality(separation=8.0, patchy=0.35), 9.0, True),
        (Quality(separation=8.0, weak=("p6",)), 9.0, True),
        (Quality(separation=8.0, weak=("p6",)), 0.5, False),  # it would be taken in by the lamp as well
        (Quality(), 9.0, False),
    ],
)
def test_another_is_asked_where_the_calibration_was_weak(quality: Quality, least: float, asked: bool) -> None:
    assert two_opinions.wanted(quality, [((1.0, 2.0, 9.0), (5.0, 2.0, least))]) == asked


@pytest.mark.parametrize(
    ("own", "other", "better"),
    [
        ({"p2": 0.3, "p5": 0.4}, {"p2": 0.9, "p5": 0.9}, True),
        ({"p2": 0.3, "p5": 0.4}, {"p2": 0.9, "p5": 0.5}, False),  # not by much
        ({"p2": 0.6, "p5": 0.8}, {"p2": 0.99, "p5": 0.99}, False),  # nothing is wrong with its own
        ({"p2": 0.3, "p5": 0.4}, {"p5": 0.9}, False),  # it does not see what was misread
    ],
)
def test_who_tells_the_calibration_picture_much_better_is_found(
    own: dict[str, float], other: dict[str, float], better: bool
) -> None:
    def raw(chances: dict[str, float]) -> Raw:
        return {cell: {WHITE: np.log(chance), EMPTY: np.log(1 - chance)} for cell, chance in chances.items()}

    assert two_opinions.outread(raw(own), raw(other), {"p2": WHITE, "p5": WHITE}) == better


def test_a_reader_that_is_outread_on_its_calibration_picture_asks() -> None:
    start = truth("green-felt", "start")

    def knowing(*_: object) -> Raw:
        return {cell: {look: 0.0, (): -6.0 if look else 0.0} for cell, look in start.items()}

    plain = CheckersReader(rig("green-felt"), knowing)
    good = picture("green-felt").image
    assert plain.examined(good, start) is plain
    soft = np.asarray(cv2.GaussianBlur(good, (0, 0), 5.0), np.uint8)
    asks = plain.examined(soft, start)
    assert asks.quality.outread
    assert asks.read(Frame(soft)).looks == {**plain.read(Frame(soft)).looks, **start}
    assert CheckersReader(rig("green-felt")).examined(soft, start).quality == plain.quality


def test_where_the_other_sees_no_board_its_own_opinion_counts_little() -> None:
    def nothing(*_: object) -> Raw:
        raise ImageError("no points of a backgammon board are seen")

    plain = rig("green-felt")
    weak = replace(plain, quality=replace(plain.quality, separation=1.0))
    frame = picture("green-felt", "03")
    sure, unsure = CheckersReader(plain, nothing).read(frame), CheckersReader(weak, nothing).read(frame)
    assert unsure.looks == sure.looks
    assert min(unsure.confidence.values()) < min(sure.confidence.values())


def test_what_stands_under_a_thing_is_told_by_the_other_opinion_alone() -> None:
    shot = picture("green-felt", "03")
    image = shot.image.copy()
    x, y = CheckersReader(rig("green-felt")).flat.picture([(80.0, 60.0)])[0]
    cv2.circle(image, (round(x), round(y)), 70, (200, 40, 200), -1)
    frame = Frame(image)
    plain = CheckersReader(rig("green-felt")).read(frame)
    assert plain.lying

    def two_white(*_: object) -> Raw:
        return surely(**dict.fromkeys(plain.lying, WHITE), p1=BLACK)

    told = CheckersReader(rig("green-felt"), two_white).read(frame)
    assert told.lying == plain.lying
    assert not told.lying & told.occluded
    assert {told.looks[cell] for cell in plain.lying} == {WHITE}
