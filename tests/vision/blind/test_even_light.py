from __future__ import annotations

import cv2
import numpy as np

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import find_columns
from vision.blind.even_light import basis, even_light, gains
from vision.disc_finder.flat_map import GRID, HIGH, WIDE


def test_a_light_that_falls_off_is_measured_on_the_board() -> None:
    axis, barred, true = drawn_board(0.8)
    lightness = np.full((HIGH, WIDE), 55.0)
    for column, x in enumerate(true):
        lightness[:, int(x) - 5 : int(x) + 6] = 25.0 if column % 2 else 80.0
    tilt = np.array([0.3, -0.15, 0.0, 0.0, 0.0])
    yy, xx = np.mgrid[0:HIGH, 0:WIDE].astype(float)
    lab = np.zeros((HIGH, WIDE, 3), np.float32)
    lab[..., 0] = np.clip((lightness + 16) * gains(tilt, xx, yy) - 16, 0, 100)
    flat = (cv2.cvtColor(lab, cv2.COLOR_LAB2BGR) * 255).round().astype(np.uint8)
    nothing = np.zeros(GRID, np.float32)
    found = even_light(flat, nothing, find_columns(axis, barred), []).light
    corners = basis(np.array([40.0, 310, 310, 40]), np.array([40.0, 40, 280, 280]))
    assert np.abs(corners @ (found - tilt)).max() < 0.12
