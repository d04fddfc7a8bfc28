from __future__ import annotations

import pytest

from engine.layout import POINT_CELLS
from vision.checkers import borne_off
from vision.geometry.board_measures import BARS
from vision.reading import PLAINLY

Raw = dict[str, dict[tuple[str, ...], float]]
W = ("white",)


def board(**standing: int) -> Raw:
    """Nothing but these of White's, by point, sure by 10 nats."""
    raw: Raw = {cell: {(): 0.0, W: -10.0} for cell in (*POINT_CELLS, *BARS)}
    return raw | {cell: {(): -10.0, W * count: 0.0} for cell, count in standing.items()}


@pytest.mark.parametrize(
    ("standing", "nats"),
    [
        ({"p1": 2, "p6": 3}, 0.0),
        ({}, 0.0),
        ({"p6": 3, "p7": 1}, borne_off.AWAY[True]),
        ({"p6": 3, "bar.white": 1}, borne_off.AWAY[True]),
        ({"p13": 3, "p20": 1}, borne_off.AWAY[False]),
    ],
)
def test_checkers_leave_a_board_when_all_are_home(standing: dict[str, int], nats: float) -> None:
    assert borne_off.against(board(**standing)) == {"white": nats, "black": 0.0}


def test_blacks_home_is_the_other_one() -> None:
    raw = board()
    raw["p24"], raw["p1"] = ({(): -10.0, ("black",): 0.0} for _ in range(2))
    assert borne_off.against(raw) == {"white": 0.0, "black": borne_off.AWAY[True]}


def test_nothing_is_concluded_from_a_checker_in_doubt() -> None:
    raw = board(p6=3)
    raw["p9"] = {(): 0.0, W: PLAINLY - 0.1}
    assert borne_off.against(raw)["white"] == 0.0
    raw["p9"] = {(): 0.0, W: 9.0, ("black",): 9.0 - PLAINLY + 0.1}
    assert borne_off.against(raw)["white"] == 0.0


def test_a_tray_in_view_is_told_and_an_empty_one_left_as_it_is() -> None:
    raw: Raw = {"off.white": {(): 0.0, W: 2.0}, "off.black": {(): 0.0, ("black",): 2.0}, "p1": {(): 0.0}}
    found = borne_off.weighed(raw, {"white": 5.0, "black": 0.0})
    assert found == raw | {"off.white": {(): 0.0, W: -3.0}}
