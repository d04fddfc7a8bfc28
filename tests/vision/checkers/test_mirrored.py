"""Checkers in which a lamp is mirrored: how much their side is believed, and their two looks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.vision.boards import corners, geometry, glared, picture, rig
from vision.checkers import trust
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.mirrored import PLAIN, Margins, Mirrored
from vision.checkers.places import spots
from vision.checkers.reader import CheckersReader
from vision.checkers.rig import Rig
from vision.checkers.two_looks import TwoLooks
from vision.geometry.board_measures import SIDES, Orientation, start
from vision.geometry.flat import RESOLUTION
from vision.picture.frame import Frame
from vision.reading import Quality, Raw

FIVE = {side: (side,) * 5 for side in SIDES}


def _mirrored(**nats: float) -> Mirrored:
    """What is expected where some cells' checkers of the start position are told by other than ten nats."""
    measures = rig("green-felt").measures
    told: dict[str, list[tuple[float, float, float]]] = {side: [] for side in SIDES}
    for cell, look in start().items():
        for piece, x, y, _ in spots(measures, {cell: look}, Orientation()):
            told[piece].append((x, y, nats.get(cell, 10.0)))
    sides: list[Margins] = [tuple(told[side]) for side in SIDES]
    return Mirrored(measures, Orientation(), sides)


def _raw(cell: str) -> Raw:
    return {cell: {(): -30.0, **{("white",) * n: -6.0 * (5 - n) for n in range(1, 6)}, FIVE["black"]: -8.0}}


def test_where_every_checker_shows_its_side_nothing_changes() -> None:
    raw = _raw("p19")
    assert _mirrored().weaken(raw) is raw


@pytest.mark.parametrize(
    ("cell", "least", "most"), [("p19", 0.0, 1.0), ("p20", 0.0, 5.0), ("p6", 2.0, 8.0), ("p13", 7.5, 8.0)]
)
def test_what_looked_like_the_other_sides_is_doubted_there_and_nearby(
    cell: str, least: float, most: float
) -> None:
    raw = _mirrored(p19=-1.5).weaken(_raw(cell))[cell]
    assert least <= raw[FIVE["white"]] - raw[FIVE["black"]] <= most
    assert raw[()] == -30.0  # that something stands there is as sure as it was
    assert raw[FIVE["white"]] == 0.0


def test_far_from_known_checkers_a_side_is_not_expected_to_be_as_plain_as_the_plainest() -> None:
    doubted = _mirrored(p17=0.0, p1=1.0)  # a third of Black's
    beside, between = (doubted.weaken(_raw(cell))[cell] for cell in ("p12", "p4"))
    assert beside[FIVE["white"]] - beside[FIVE["black"]] == 8.0
    assert 5.0 < between[FIVE["white"]] - between[FIVE["black"]] < 7.5


def test_a_checker_on_the_bar_may_be_the_others_too() -> None:
    raw: Raw = {"bar.white": {(): -8.0, ("white",): 0.0}, "bar.black": {(): 0.0, ("black",): -9.0}}
    doubted = _mirrored(**dict.fromkeys(start(), 0.5 * PLAIN - 0.5)).weaken(raw)
    assert doubted["bar.black"][("black",)] > -5.0
    assert doubted["bar.white"][()] > -5.0


def _by_cell(known: Sequence[tuple[float, float, bool]]) -> list[Sequence[tuple[float, float, bool]]]:
    """Black's checkers of the start position, as it lists them."""
    return [known[:2], known[2:7], known[7:10], known[10:]]


def test_two_looks_of_a_side_are_learned_and_kept() -> None:
    table = calibrate(glared(("p19",), 0.93), corners("green-felt"), geometry("green-felt"))
    assert table.quality.alike == ("p19",)
    white, black = table.paint.divided
    assert white is None
    assert black is not None
    assert black.mirrored.colour[0] > black.matte.colour[0] + 0.3
    lit = {
        cell: [one for _, _, one in part]
        for cell, part in zip(("p1", "p12", "p17", "p19"), _by_cell(black.known), strict=True)
    }
    assert all(lit["p19"])
    assert not any(lit["p12"][:3])
    again = Rig.from_json(json.loads(json.dumps(table.to_json())))
    assert again.paint == table.paint
    assert again.margins == tuple(
        tuple(
            (pytest.approx(x, abs=0.01), pytest.approx(y, abs=0.01), pytest.approx(n, abs=0.01))
            for x, y, n in side
        )
        for side in table.margins
    )
    reading = CheckersReader(again).read(Frame(glared(("p19",), 0.93)))
    assert {cell: look for cell, look in reading.looks.items() if look} == {
        cell: look for cell, look in start().items() if look
    }


def test_either_look_counts_where_it_was_seen() -> None:
    table = calibrate(glared(("p19",), 0.93), corners("green-felt"), geometry("green-felt"))
    reader = CheckersReader(table)
    both = reader._discs
    assert isinstance(both, TwoLooks)
    plain = replace(both, bright=None)
    values = reader.lay_flat(Frame(glared(("p19",), 0.93))).values
    known = spots(table.measures, {"p19": FIVE["black"]}, table.orientation)
    at = np.array([reader.flat.at([(x, y)], z)[0] for _, x, y, z in known], np.float32)
    whole = both.gains(both.moments(values), at[:, 0], at[:, 1])[1]
    assert whole.mean() > plain.gains(plain.moments(values), at[:, 0], at[:, 1])[1].mean() + 1.0
    low = np.maximum(at.min(axis=0).astype(int) - 2 * RESOLUTION, 0)  # a part of the map says the same
    high = at.max(axis=0).astype(int) + 2 * RESOLUTION
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    near = both.gains(both.moments(values, part), *np.asarray(at - low, np.float32).T)[1]
    assert near == pytest.approx(whole, abs=0.01)


def test_a_soft_or_mirrored_calibration_believes_less_of_what_it_sees() -> None:
    soft = next(doubt for doubt in trust.VAGUE if doubt.name == "a soft calibration")
    mirrored = next(doubt for doubt in trust.OTHERS if doubt.name == "mirrored lamps")

    def scene(**quality: Any) -> SimpleNamespace:
        return SimpleNamespace(quality=Quality(**quality))

    assert soft.trust(scene(blur=0.55)) == 1.0
    assert 0.6 < soft.trust(scene(blur=0.74)) < 0.95
    assert soft.trust(scene(blur=0.85)) == pytest.approx(0.6)
    assert mirrored.trust(scene(alike=("p1",))) < 1.0
    table = rig("green-felt")
    doubting = replace(table, quality=replace(table.quality, blur=0.85))
    sharp, soft = (
        CheckersReader(one).read(picture("green-felt", "03")).evidence.cells for one in (table, doubting)
    )
    doubts = {
        cell: (sorted(sharp[cell].values())[-2], sorted(soft[cell].values())[-2])
        for cell in sharp
        if len(sharp[cell]) > 1
    }
    assert doubts
    for was, now in doubts.values():  # how far the second likeliest look is behind
        assert now == pytest.approx(0.6 * was, abs=0.1) or was < -11.9
