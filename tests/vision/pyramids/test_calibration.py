"""Learning pyramids: with and without a picture of the empty board."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from engine.layout import Layout
from hardware.painter import Painter
from tests.vision.pyramids.painted_board import KNOWN, LAYOUT, learned, read, tops
from vision import boards
from vision.errors import CalibrationError
from vision.picture.frame import Frame
from vision.pyramids.reader import PyramidReader
from vision.reading import BoardReader


def test_without_a_picture_of_the_empty_board_it_is_put_together(painter: Painter) -> None:
    layout: Layout = {"p1": (("white.1",),), "p13": (("black.3",),), "p24": (("white.3", "white.2"),)}
    assert read(learned(painter, empty=False), painter, layout) == tops(layout)


@pytest.mark.parametrize("looks", [None, {}, {"p1": ("white.1",)}])
def test_both_colours_must_be_shown_to_be_learned(painter: Painter, looks: dict[str, Any] | None) -> None:
    with pytest.raises(CalibrationError, match="both colours"):
        boards.get("pyramids").calibrate(painter.paint({}), painter.corners, painter.geometry, looks)


def test_a_bar_that_looked_otherwise_in_the_empty_photograph_is_empty_in_both_looks(painter: Painter) -> None:
    empty = painter.paint({}).copy()
    bar = np.zeros(empty.shape[:2], np.uint8)
    left, right = (6 * 3.8 / painter.width, (6 * 3.8 + 4.0) / painter.width)
    a, b, c, d = (np.array(corner) for corner in painter.corners)
    outline = [a + left * (b - a), a + right * (b - a), d + right * (c - d), d + left * (c - d)]
    cv2.fillConvexPoly(bar, np.round(outline).astype(np.int32), 1)
    empty[bar > 0] = np.clip(empty[bar > 0].astype(int) + np.array([30, 10, 60]), 0, 255).astype(np.uint8)
    table = boards.get("pyramids").calibrate(
        painter.paint(KNOWN),
        painter.corners,
        painter.geometry,
        {cell: stack[-1] for cell, stack in KNOWN.items()},
        empty,
    )
    reading = table.read(Frame(empty))
    assert not reading.hand
    assert {cell: look for cell, look in reading.looks.items() if look} == {}
    assert read(table, painter, LAYOUT) == tops(LAYOUT)


def test_a_table_that_sees_nothing_where_pieces_stand_is_not_sure_that_nothing_stands(
    painter: Painter, table: BoardReader
) -> None:
    assert isinstance(table, PyramidReader)
    looks = {cell: stack[-1] for cell, stack in KNOWN.items()}
    assert table.trust == table.humbled(painter.paint(KNOWN), looks).trust == 1
    humble = PyramidReader.open(table.humbled(painter.paint({}), looks).to_json())
    assert humble.trust < 0.3
    assert max(humble.read(Frame(painter.paint({}))).confidence.values()) < 0.9
    assert table.read(Frame(painter.paint({}))).confidence["p1"] > 0.99
