from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.blind.viewpoint import find_viewpoint
from vision.disc_finder.flat_map import FIELD, MARGIN, lay_flat
from vision.geometry.camera import Camera, rectangle

SIZE = (1600, 1200)


def camera(tilt: float, aside: float) -> Camera:
    """A usual lens over a board of 58 x 50 cm, ``tilt`` radians from upright."""
    turn = np.array([np.pi - tilt, 0.0, 0.0])
    at = np.array([29.0 + aside, 25.0 - 95 * np.sin(tilt), 95 * np.cos(tilt)])
    rotation = cv2.Rodrigues(turn)[0]
    shift = -rotation @ at
    return Camera(SIZE, 1.05 * SIZE[0], 0.0, tuple(map(float, turn)), tuple(map(float, shift)))


@pytest.mark.parametrize(("tilt", "aside"), [(0.0, 0.0), (0.1, 8.0), (0.4, -5.0), (0.7, 0.0)])
def test_the_camera_is_where_its_picture_says(tilt: float, aside: float) -> None:
    seen = camera(tilt, aside)
    corners = [(float(x), float(y)) for x, y in seen.project(rectangle(58.0, 50.0))]
    flat = lay_flat(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), corners)
    stretch = (FIELD[1] / 50) / (FIELD[0] / 58)
    found = find_viewpoint(flat, SIZE, stretch * 1.03)  # a row whose checkers do not quite touch
    assert found.stretch == pytest.approx(stretch, rel=0.04)
    across = FIELD[0] / 58
    x, y, z = seen.eye()
    assert found.high == pytest.approx(z * across, rel=0.12)
    assert found.x == pytest.approx(MARGIN + x * across, abs=8)
    assert found.y == pytest.approx(MARGIN + FIELD[1] - y * across * stretch, abs=0.1 * z * across)
    # What matters: a checker one higher, anywhere on the board, is where it is said to be.
    places = np.array([(4.0, 4.0), (54.0, 4.0), (54.0, 46.0), (29.0, 25.0)])
    low, high = (
        cv2.perspectiveTransform(
            seen.project(np.hstack([places, np.full((4, 1), z)])).reshape(-1, 1, 2),
            np.linalg.inv(flat.to_picture),
        )
        for z in (1.0, 2.0)
    )
    assert np.abs(found.lean(low.reshape(-1, 2), across, across) - (high - low).reshape(-1, 2)).max() < 0.7
