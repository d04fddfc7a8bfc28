"""The outline of a sheet in a picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.painter import Painter
from tests.vision.hexes.painted_sheet import COLS, ROWS, SETUP
from vision import boards
from vision.errors import CalibrationError
from vision.picture.frame import Frame


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
