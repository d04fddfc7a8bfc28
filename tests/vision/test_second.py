from __future__ import annotations

import pytest

from engine.layout import Cell, Look
from tests.vision.boards import picture, rig, truth
from vision.second import HESITANT, Second

STOCK = {"white": 15, "black": 15}
Raw = dict[Cell, dict[Look, float]]


def _second(board: str) -> Second:
    of = rig(board)
    return Second(of.camera, of.measures, of.lie)


@pytest.mark.parametrize("board", ["green-felt", "cork-tan", "blue"])
def test_it_counts_the_checkers_of_every_point_up_to_a_full_row(board: str) -> None:
    expected = {cell: look for cell, look in truth(board, "start").items() if cell.startswith("p")}
    blank: Raw = {cell: {("white",) * count: 0.0 for count in range(8)} for cell in expected}
    added = _second(board).weigh(blank, picture(board, "start").image)
    counted = {cell: len(max(looks, key=lambda look, looks=looks: looks[look])) for cell, looks in added.items()}
    assert counted == {cell: len(look) for cell, look in expected.items()}


def test_it_does_not_tell_a_full_row_from_one_with_more_on_top() -> None:
    added = _second("green-felt").weigh({"p6": {("white",) * 5: 0.0, ("white",) * 9: -1.0}}, picture("green-felt", "start").image)
    looks = added["p6"]
    assert looks[("white",) * 5] - looks[("white",) * 9] == pytest.approx(1.0)


def test_it_says_nothing_about_the_bar_and_the_trays() -> None:
    raw: Raw = {"bar.white": {(): 0.0, ("white",): -1.0}, "off.black": {(): 0.0}}
    assert _second("green-felt").weigh(raw, picture("green-felt", "start").image) == raw


def test_it_is_asked_where_two_lengths_of_a_row_are_nearly_as_likely() -> None:
    second = _second("green-felt")
    assert second.wanted({"p1": {("white",): 0.0, (): 0.1 - HESITANT}}, STOCK)
    assert not second.wanted({"p1": {("white",): 0.0, (): -0.1 - HESITANT}}, STOCK)
    assert not second.wanted({"p1": {("white",) * 5: 0.0, ("white",) * 6: -0.1}}, STOCK)


def test_it_is_asked_where_there_are_more_pieces_than_exist() -> None:
    raw: Raw = {f"p{number}": {("black",) * 4: 0.0} for number in range(1, 5)}
    assert _second("green-felt").wanted(raw, STOCK)
    assert not _second("green-felt").wanted(raw, {"white": 15, "black": 16})
