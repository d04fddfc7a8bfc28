"""Pyramids: whose they are, how large, and how many side by side, under a camera that leans."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.layout import Cell, Layout, Look
from hardware.painter import Painter
from tests.vision.pyramids.painted_board import LAYOUT, read, tops
from vision import boards
from vision.picture.frame import Frame, load
from vision.reading import BoardReader
from vision.settle import Rest, Settler

DATA = Path(os.environ.get("BARPOINT_DATA", Path(__file__).parents[4] / "shared" / "data")) / "icegammon"


def test_sizes_and_owners_are_read_on_points_and_bar(table: BoardReader, painter: Painter) -> None:
    assert read(table, painter, LAYOUT) == tops(LAYOUT)


def test_an_empty_board_is_empty(table: BoardReader, painter: Painter) -> None:
    assert read(table, painter, {}) == {}


def test_a_pinned_piece_does_not_hide_who_is_on_top(table: BoardReader, painter: Painter) -> None:
    layout: Layout = {
        "p3": (("white.2",), ("black.2",)),
        "p17": (("black.1",), ("white.3",)),
        "p22": (("white.3",), ("black.2",)),
    }
    assert read(table, painter, layout) == tops(layout)


def test_a_piece_over_its_own_colour_is_not_ruled_out(table: BoardReader, painter: Painter) -> None:
    evidence = table.read(Frame(painter.paint({"p6": (("white.3",), ("white.2",))}, 2))).evidence
    assert evidence.score("p6", ("white.2",)) > -8


def test_a_hand_hides_the_points_under_it(table: BoardReader, painter: Painter) -> None:
    picture = painter.paint(LAYOUT, 3)
    cv2.line(picture, (300, 0), (300, 330), (120, 150, 200), 130)
    reading = table.read(Frame(picture))
    assert reading.hand
    assert reading.occluded
    assert not reading.occluded & set(reading.looks)


def test_a_row_of_six_is_read_to_its_end(table: BoardReader, painter: Painter) -> None:
    layout: Layout = {"p13": (("black.3",) * 4 + ("black.2", "black.1"),), "p20": (("white.2",),)}
    assert read(table, painter, layout) == tops(layout)


def test_a_bumped_board_is_found_again(table: BoardReader, painter: Painter) -> None:
    turn = cv2.getRotationMatrix2D((640, 480), 1.0, 1.0)
    turn[:, 2] += (20, -12)
    moved = np.asarray(
        cv2.warpAffine(painter.paint(LAYOUT, 2), turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    settler = Settler(table)
    status = settler.push(Frame(moved), 0.0)
    assert (status.rest, settler.moved) == (Rest.AT_REST, 1)
    assert status.reading is not None
    assert {cell: look for cell, look in status.reading.looks.items() if look} == tops(LAYOUT)


@pytest.mark.skipif(not DATA.is_dir(), reason="the rendered boards are not here")
def test_rendered_pyramids_are_read_point_by_point() -> None:
    for folder in sorted(DATA.iterdir()):
        labels = json.loads((folder / "labels.json").read_text())
        corners = [tuple(corner) for corner in labels["empty"]["corners_px"]]
        table = boards.get("pyramids").calibrate(
            load(folder / "01.jpg").image,
            corners,
            labels["01"]["geometry_cm"],
            seen(labels["01"]),
            load(folder / "empty.jpg").image,
        )
        for name in ("02", "07"):
            looks = table.read(load(folder / f"{name}.jpg")).looks
            assert {cell: look for cell, look in looks.items() if look} == seen(labels[name])


def seen(truth: dict[str, Any]) -> dict[Cell, Look]:
    names = {1: "white", -1: "black"}
    looks = {
        f"p{point}": tuple(f"{names[owner]}.{size}" for size in sorted(held))
        for point, (owner, held) in truth["top"].items()
    }
    bars = {
        f"bar.{side}": tuple(f"{side}.{size}" for size in sorted(held))
        for side, held in zip(names.values(), truth["bar"], strict=True)
    }
    return {cell: look for cell, look in {**looks, **bars}.items() if look}


def test_pictures_darkened_like_an_evening_are_read_the_same(table: BoardReader, painter: Painter) -> None:
    picture = (painter.paint(LAYOUT, 5).astype(np.float32) * 0.8).astype(np.uint8)
    assert {cell: look for cell, look in table.read(Frame(picture)).looks.items() if look} == tops(LAYOUT)
