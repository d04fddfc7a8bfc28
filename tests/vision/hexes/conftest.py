"""A painted table, learned once."""

from __future__ import annotations

import pytest

from hardware.painter import Painter
from tests.vision.hexes.painted_sheet import COLS, ROWS, SETUP
from vision import boards
from vision.reading import BoardReader


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter("hexes", 5, COLS, ROWS)


@pytest.fixture(scope="module")
def table(painter: Painter) -> BoardReader:
    return boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, painter.geometry)
