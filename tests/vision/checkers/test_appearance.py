"""What a calibrated board looks like."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision import boards
from vision.checkers.board import Checkers
from vision.checkers.reader import CheckersReader

RELEASED = Path(__file__).parents[2] / "data" / "releases" / "0.1.0" / "state"


def blue_board() -> CheckersReader:
    table = boards.load(RELEASED / "table.rig").table
    assert isinstance(table, CheckersReader)
    return table


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def test_a_blue_board_with_white_and_blue_checkers_is_told_as_such() -> None:
    found = blue_board().appearance()
    red, _, blue = rgb(found.field)
    assert blue > 1.5 * red
    white, dark = map(rgb, found.checkers)
    assert min(white) > 220
    assert dark[2] > 1.5 * dark[0]
    assert sum(rgb(found.points[1])) > 2 * sum(rgb(found.points[0])), "dark and light points are told apart"
    measures = blue_board().rig.measures
    assert found.bar == round(measures.bar / measures.pitch, 3)


def test_the_points_colours_follow_the_surface() -> None:
    rig = blue_board().rig
    red = np.zeros_like(rig.surface)
    red[..., 2] = 120
    found = CheckersReader(replace(rig, surface=red)).appearance()
    assert found.field == found.points[0] == found.points[1]
    assert rgb(found.field)[0] > 100
    assert rgb(found.field)[1:] == (0, 0)


def test_on_a_mirrored_board_the_odd_points_lie_where_the_even_ones_were() -> None:
    rig = blue_board().rig
    mirrored = replace(rig, orientation=replace(rig.orientation, mirrored=True))
    usual, other = (CheckersReader(each).appearance() for each in (rig, mirrored))
    assert other.points == usual.points[::-1]


def test_other_kinds_of_board_have_no_such_look() -> None:
    for name in ("table-pyramids.rig", "table-hexes.rig"):
        assert boards.load(RELEASED / name).table.appearance() is None


@pytest.mark.parametrize("known", [{"pitch": 4}, {"pitch": 4, "width": 51.2}, {"bar": 3.2, "pitch": 4}, {}])
def test_a_board_of_which_little_is_known_is_drawn_with_a_usual_bar(known: dict[str, float]) -> None:
    *_, bar = Checkers().outlines(known)
    assert bar[1][0] - bar[0][0] == pytest.approx(0.8 / 12.8)
