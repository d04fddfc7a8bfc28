"""Rig files of pyramids, and what the command line says of them."""

from __future__ import annotations

from pathlib import Path

from hardware.painter import Painter
from tests.vision.pyramids.painted_board import LAYOUT, read, tops
from vision import boards
from vision.picture.frame import Frame
from vision.reading import BoardReader


def test_a_rig_comes_back_from_its_file_as_it_was(
    table: BoardReader, painter: Painter, tmp_path: Path
) -> None:
    boards.save(table, tmp_path / "rig", "icegammon")
    stored = boards.load(tmp_path / "rig")
    assert (stored.board, stored.rules) == ("pyramids", "icegammon")
    assert read(stored.table, painter, LAYOUT) == tops(LAYOUT)


def test_what_is_told_has_the_form_of_the_command_line(table: BoardReader, painter: Painter) -> None:
    told = boards.get("pyramids").describe(table.read(Frame(painter.paint(LAYOUT, 4))))
    assert told["points"]["4"] == ["black", [1, 3]]
    assert told["points"]["24"] == ["white", [2, 3]]
    assert told["bar"] == {"white": [3], "black": [1, 2]}
