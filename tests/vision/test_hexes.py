"""Sheets of hexes: learned from their set-up, read cell by cell, and never guessed at."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.layout import Layout
from hardware.painter import Painter
from vision import boards
from vision.errors import CalibrationError, ImageError, RigError
from vision.hexes.board import HexReader
from vision.hexes.grid import Sheet
from vision.picture.frame import Frame, Image, load
from vision.reading import BoardReader
from vision.settle import Rest, Settler

COLS, ROWS = 12, 10
BORDER = [
    f"hex.{c - r // 2},{r}"
    for r in range(ROWS)
    for c in range(COLS)
    if c in (0, COLS - 1) or r in (0, ROWS - 1)
]
FORTRESSES = ["hex.1,2", "hex.6,2", "hex.2,5", "hex.6,6"]
SETUP: Layout = {
    **dict.fromkeys(BORDER, (("border",),)),
    **dict.fromkeys(FORTRESSES, (("fortress.neutral",),)),
}
DATA = Path(os.environ.get("BARPOINT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "siege-master"


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter("hexes", 5, COLS, ROWS)


@pytest.fixture(scope="module")
def table(painter: Painter) -> BoardReader:
    return boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, painter.geometry)


def army(side: str, *cells: str) -> Layout:
    return {f"hex.{cell}": ((f"army.{side}",),) for cell in cells}


def wrong(table: BoardReader, painter: Painter, layout: Layout, shot: int = 1) -> dict[str, Any]:
    looks = table.read(Frame(painter.paint(layout, shot))).looks
    due = {cell: stack[-1] for cell, stack in layout.items()}
    return {cell: look for cell, look in looks.items() if look != due.get(cell, ())}


def test_a_set_up_that_nobody_described_is_found(table: BoardReader, painter: Painter) -> None:
    assert table.wrong == ()
    assert wrong(table, painter, SETUP) == {}


def test_armies_are_told_from_captured_fortresses_beside_them(table: BoardReader, painter: Painter) -> None:
    layout = {
        **SETUP,
        **army("red", "2,2", "3,2", "4,2", "5,2"),
        **army("blue", "1,3", "2,3", "3,3", "4,3"),
        **army("red", "5,3", "5,4", "5,5", "5,6"),
        "hex.1,2": (("fortress.blue",),),
        "hex.6,2": (("fortress.red",),),
    }
    assert wrong(table, painter, layout) == {}


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_the_outline_of_a_sheet_is_found_by_itself(seed: int) -> None:
    painted = Painter("hexes", seed, COLS, ROWS)
    found = boards.find(Frame(painted.paint(SETUP)), "hexes", painted.geometry)
    assert np.linalg.norm(np.array(found.corners) - np.array(painted.corners), axis=1).max() < 2.5
    assert found.sure > 0.8


def test_an_outline_of_other_proportions_is_refused(painter: Painter) -> None:
    with pytest.raises(CalibrationError, match="proportions"):
        boards.find(Frame(painter.paint(SETUP)), "hexes", {"cols": 8, "rows": 16})


@pytest.mark.parametrize("what", ["nothing", "noise", "disc"])
def test_where_there_is_no_sheet_none_is_found(what: str) -> None:
    picture = np.full((480, 640, 3), 90, np.uint8)
    if what == "noise":
        picture = np.random.default_rng(1).integers(0, 255, picture.shape).astype(np.uint8)
    if what == "disc":
        cv2.circle(picture, (320, 240), 150, (220, 230, 230), -1)
    with pytest.raises(CalibrationError, match="four corners"):
        boards.find(Frame(picture), "hexes", {"cols": 12, "rows": 10})


def test_a_bumped_sheet_is_found_again(table: BoardReader, painter: Painter) -> None:
    layout = {**SETUP, **army("red", "2,2", "3,2", "4,2", "5,2")}
    turn = cv2.getRotationMatrix2D((640, 480), 1.0, 1.0)
    turn[:, 2] += (20, -12)
    moved = np.asarray(
        cv2.warpAffine(painter.paint(layout), turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    settler = Settler(table)
    status = settler.push(Frame(moved), 0.0)
    assert (status.rest, settler.moved) == (Rest.AT_REST, 1)
    assert status.reading is not None
    assert {cell: look for cell, look in status.reading.looks.items() if look} == {
        cell: stack[-1] for cell, stack in layout.items()
    }


FULL: Layout = {
    **SETUP,
    **army("red", "2,1", "3,1", "4,1", "5,1"),
    **army("blue", "4,2", "4,3", "4,4", "4,5"),
    **army("red", "7,1", "7,2", "7,3", "7,4"),
    **army("blue", "0,6", "1,6", "2,6", "3,6"),
    **army("red", "-1,7", "0,7", "1,7", "2,7"),
    **army("blue", "5,3", "5,4", "5,5", "5,6"),
}
"""A map on which little is as it was when it was learned."""


def pushed(picture: Image, degrees: float, right: float, down: float) -> Image:
    turn = cv2.getRotationMatrix2D((640, 480), degrees, 1.0)
    turn[:, 2] += (right, down)
    return np.asarray(cv2.warpAffine(picture, turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("way", [(0.0, 9.0, -7.0), (1.0, 25.0, -15.0), (-2.0, -30.0, 25.0), (0.0, 75.0, 0.0)])
def test_a_bumped_map_full_of_armies_is_found_again(
    table: BoardReader, painter: Painter, way: tuple[float, float, float]
) -> None:
    settler = Settler(table)
    status = settler.push(Frame(pushed(painter.paint(FULL), *way)), 0.0)
    assert (status.rest, settler.moved) == (Rest.AT_REST, 1)
    assert "moved" in status.words
    assert status.reading is not None
    assert {cell: look for cell, look in status.reading.looks.items() if look} == {
        cell: stack[-1] for cell, stack in FULL.items()
    }
    assert settler.push(Frame(pushed(painter.paint(SETUP, 2), *way)), 1.0).rest is Rest.AT_REST
    assert settler.moved == 1


def test_a_map_full_of_armies_that_was_not_moved_is_at_home(table: BoardReader, painter: Painter) -> None:
    laid = table.lay_flat(Frame(painter.paint(FULL)))
    assert table.displacement(laid) == 0


def test_a_map_that_is_not_where_it_was_and_not_found_is_told(table: BoardReader, painter: Painter) -> None:
    settler = Settler(table)
    patches = np.random.default_rng(0).integers(60, 200, (96, 128, 3)).astype(np.uint8)
    elsewhere = np.asarray(cv2.resize(patches, (1280, 960)), np.uint8)
    for t, picture in enumerate((pushed(painter.paint(FULL), 40.0, 200.0, 0.0), elsewhere)):
        status = settler.push(Frame(picture), float(t))
        assert (status.rest, settler.moved) == (Rest.BUMPED, 0)
        assert "moved" in status.words
        assert "calibrate" in status.words


def test_a_fortress_that_mirrors_the_lamp_stands_out_from_flat_paper(painter: Painter) -> None:
    picture = painter.paint(SETUP).astype(np.float64)
    (u, v), (yy, xx) = painter._seen([(*painter._hex("hex.6,2"), 0.4)])[0], np.mgrid[0:960, 0:1280]
    picture += 110 * np.exp(-((xx - u) ** 2 + (yy - v) ** 2) / (2 * 8.0**2))[..., None]
    table = boards.get("hexes").calibrate(
        np.clip(picture, 0, 255).astype(np.uint8), painter.corners, painter.geometry
    )
    assert isinstance(table, HexReader)
    assert {cell: look for cell, look in table.model.looks.items() if look} == {
        cell: stack[-1] for cell, stack in SETUP.items()
    }
    relief = dict(zip(table.sheet.cells, table.sight.relief(table.plane.bare.values), strict=True))
    paper = [relief[cell] for cell in table.sheet.cells if cell not in SETUP]
    assert relief["hex.6,2"] > 5 * max(paper)


def test_a_ring_is_as_dark_as_it_gets_anywhere_near(table: BoardReader) -> None:
    assert isinstance(table, HexReader)
    here = table.sight.numbers(table.plane.bare.values)[:, 3]
    light, dark = table.sight.rings(table.plane.bare.values)
    assert (light >= here).all()
    assert (dark <= here).all()
    assert (light > dark).any()


def test_a_removed_border_token_is_missed(table: BoardReader, painter: Painter) -> None:
    layout = {cell: stack for cell, stack in SETUP.items() if cell != "hex.3,0"}
    assert wrong(table, painter, layout) == {}


def test_a_known_position_may_be_given(painter: Painter) -> None:
    looks = {cell: stack[-1] for cell, stack in SETUP.items()}
    table = boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, painter.geometry, looks)
    assert wrong(table, painter, SETUP) == {}


def test_a_hand_hides_what_is_under_it(table: BoardReader, painter: Painter) -> None:
    picture = painter.paint(SETUP, 2)
    cv2.line(picture, (640, 0), (640, 480), (120, 150, 200), 150)
    reading = table.read(Frame(picture))
    assert reading.hand
    assert reading.occluded
    assert not reading.occluded & set(reading.evidence.cells)


def test_clicks_a_few_pixels_off_do_no_harm(painter: Painter) -> None:
    off = np.random.default_rng(3).uniform(-3, 3, (4, 2))
    corners = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(painter.corners, off, strict=True)]
    table = boards.get("hexes").calibrate(painter.paint(SETUP), corners, painter.geometry)
    assert wrong(table, painter, SETUP) == {}


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


def test_a_sheet_without_pieces_is_refused(painter: Painter) -> None:
    with pytest.raises(CalibrationError, match="hexes seem to hold pieces"):
        boards.get("hexes").calibrate(painter.paint({}), painter.corners, painter.geometry)


@pytest.mark.parametrize(
    "geometry",
    [
        {},
        {"cols": 12},
        {"cols": 12, "rows": "ten"},
        {"cols": 3, "rows": 9},
        {"cols": 12, "rows": 9, "pitch": -1},
    ],
)
def test_a_geometry_that_makes_no_sheet_is_refused(painter: Painter, geometry: dict[str, Any]) -> None:
    with pytest.raises(CalibrationError):
        boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, geometry)


def test_a_picture_of_another_camera_is_refused(table: BoardReader) -> None:
    with pytest.raises(ImageError, match="calibrate this camera"):
        table.read(Frame(np.zeros((700, 700, 3), np.uint8)))


def test_every_row_of_four_lies_straight() -> None:
    sheet = Sheet(6, 5)
    steps = np.diff(sheet.centres[sheet.lines], axis=1)
    assert np.allclose(steps, steps[:, :1])
    assert np.allclose(np.linalg.norm(steps, axis=2), sheet.pitch)


@pytest.mark.skipif(not DATA.is_dir(), reason="the rendered boards are not here")
def test_rendered_sheets_are_read_cell_by_cell() -> None:
    for folder in sorted(DATA.iterdir()):
        labels = json.loads((folder / "labels.json").read_text())
        corners = [tuple(corner) for corner in labels["start"]["corners_px"]]
        table = boards.get("hexes").calibrate(load(folder / "start.jpg").image, corners, labels["map"])
        for name in ("04", "08"):
            due = {f"hex.{c}": ("border",) for c in labels[name]["border"]}
            due |= {f"hex.{c}": (f"fortress.{owner}",) for c, owner in labels[name]["fortresses"].items()}
            due |= {f"hex.{c}": (f"army.{side}",) for side, cells in labels[name]["armies"] for c in cells}
            looks = table.read(load(folder / f"{name}.jpg")).looks
            assert {cell: look for cell, look in looks.items() if look} == due
