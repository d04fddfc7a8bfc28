"""A painted table, learned once."""

from __future__ import annotations

import pytest

from hardware.painter import Painter
from tests.vision.pyramids.painted_board import learned
from vision.reading import BoardReader


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter("pyramids", 3)


@pytest.fixture(scope="module")
def table(painter: Painter) -> BoardReader:
    return learned(painter, empty=True)
