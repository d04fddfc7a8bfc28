"""Where the camera is, by how pieces lean."""

from __future__ import annotations

import numpy as np

from hardware.painter import Painter
from tests.vision.pyramids.painted_board import KNOWN
from vision import boards
from vision.pyramids.reader import PyramidReader


def test_how_pieces_lean_says_where_the_camera_is(painter: Painter) -> None:
    """The corners of a picture that was cut say little of the lens: they take the camera to hang elsewhere
    than it does."""
    cut = (
        np.ascontiguousarray(painter.paint(KNOWN)[40:], np.uint8),
        np.ascontiguousarray(painter.paint({})[40:], np.uint8),
    )
    looks = {cell: stack[-1] for cell, stack in KNOWN.items()}
    table = boards.get("pyramids").calibrate(
        cut[0], [(x, y - 40) for x, y in painter.corners], painter.geometry, looks, cut[1]
    )
    assert isinstance(table, PyramidReader)
    corners, true = table.camera.eye(), painter._eye
    assert abs(table.eye[2] - true[2]) < 0.1 * true[2]
    assert np.linalg.norm(np.array(table.eye) - true) < np.linalg.norm(corners - true)
