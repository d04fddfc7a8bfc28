"""Sheets of hexes: learned from their set-up, read cell by cell, and never guessed at."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.painter import Painter
from tests.vision.hexes.painted_sheet import FULL, SETUP, army, pushed, wrong
from vision import boards
from vision.errors import ImageError
from vision.picture.frame import Frame, load
from vision.reading import BoardReader
from vision.settle import Rest, Settler

DATA = Path(os.environ.get("BARPOINT_DATA", Path(__file__).parents[4] / "shared" / "data")) / "siege-master"


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


def test_a_removed_border_token_is_missed(table: BoardReader, painter: Painter) -> None:
    layout = {cell: stack for cell, stack in SETUP.items() if cell != "hex.3,0"}
    assert wrong(table, painter, layout) == {}


def test_a_hand_hides_what_is_under_it(table: BoardReader, painter: Painter) -> None:
    picture = painter.paint(SETUP, 2)
    cv2.line(picture, (640, 0), (640, 480), (120, 150, 200), 150)
    reading = table.read(Frame(picture))
    assert reading.hand
    assert reading.occluded
    assert not reading.occluded & set(reading.evidence.cells)


def test_a_picture_of_another_camera_is_refused(table: BoardReader) -> None:
    with pytest.raises(ImageError, match="calibrate this camera"):
        table.read(Frame(np.zeros((700, 700, 3), np.uint8)))


@pytest.mark.parametrize("light", [1.8, 2.0, 3.0])
def test_an_overexposed_sheet_is_told_and_not_misread_surely(
    table: BoardReader, painter: Painter, light: float
) -> None:
    """Paper as bright as the camera can show hides how bright it is, and so what the lamp is like."""
    picture = painter.paint(FULL)
    assert not table.read(Frame(picture)).strange
    bright = Frame(np.clip(picture * light, 0, 255).astype(np.uint8))
    reading = table.read(bright)
    assert reading.strange
    due = {cell: stack[-1] for cell, stack in FULL.items()}
    misread = [cell for cell, look in reading.looks.items() if look != due.get(cell, ())]
    assert all(reading.confidence[cell] < 0.9 for cell in misread)
    assert "light" in Settler(table).push(bright, 0.0).words


@pytest.mark.skipif(not DATA.is_dir(), reason="the rendered boards are not here")
@pytest.mark.parametrize("light", [1.8, 2.5])
def test_overexposed_renders_are_not_misread_surely(light: float) -> None:
    folder = DATA / "white-sheet"
    labels = json.loads((folder / "labels.json").read_text())
    corners = [tuple(corner) for corner in labels["start"]["corners_px"]]
    table = boards.get("hexes").calibrate(load(folder / "start.jpg").image, corners, labels["map"])
    picture = load(folder / "04.jpg")
    usual = table.read(picture).looks
    reading = table.read(Frame(np.clip(picture.image * light, 0, 255).astype(np.uint8)))
    assert reading.strange
    misread = [cell for cell, look in reading.looks.items() if look != usual.get(cell, look)]
    assert misread
    assert all(reading.confidence[cell] < 0.9 for cell in misread)


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
