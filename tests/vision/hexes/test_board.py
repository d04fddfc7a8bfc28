"""Rig files of hexes, and what the command line says of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardware.painter import Painter
from tests.vision.hexes.painted_sheet import BORDER, SETUP, army
from vision import boards
from vision.errors import RigError
from vision.picture.frame import Frame
from vision.reading import BoardReader


def test_a_rig_comes_back_from_its_file_as_it_was(
    table: BoardReader, painter: Painter, tmp_path: Path
) -> None:
    boards.save(table, tmp_path / "rig", "siege-master")
    stored = boards.load(tmp_path / "rig")
    assert (stored.board, stored.rules) == ("hexes", "siege-master")
    picture = Frame(painter.paint({**SETUP, **army("red", "2,2", "3,2", "4,2", "5,2")}, 4))
    assert stored.table.read(picture).looks == table.read(picture).looks


def test_a_damaged_rig_is_refused_with_its_reason(table: BoardReader, tmp_path: Path) -> None:
    data = table.to_json()
    del data["model"]["bare"]
    (tmp_path / "rig").write_text(json.dumps(data))
    with pytest.raises(RigError, match="damaged"):
        boards.load(tmp_path / "rig")


def test_what_is_told_has_the_form_of_the_command_line(table: BoardReader, painter: Painter) -> None:
    layout = {**SETUP, **army("blue", "1,3", "2,3", "3,3", "4,3"), "hex.1,2": (("fortress.blue",),)}
    told = boards.get("hexes").describe(table.read(Frame(painter.paint(layout, 3))))
    assert told["border"] == sorted(cell.removeprefix("hex.") for cell in BORDER)
    assert told["fortresses"]["1,2"] == "blue"
    assert told["fortresses"]["6,2"] == "neutral"
    assert told["armies"] == {"red": [], "blue": ["1,3", "2,3", "3,3", "4,3"]}
