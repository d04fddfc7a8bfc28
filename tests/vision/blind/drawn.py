"""A board as the network would mark it."""

from __future__ import annotations

import numpy as np

from vision.disc_finder.flat_map import FIELD, GRID, MARGIN, STEP


def drawn_board(
    bar: float, left: float = 0.0, right: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The network's answer for a board with such a bar whose edges lie so far from the clicked ones: axes,
    bar, and the axes' true x."""
    pitch = (FIELD[0] + right - left) / (12 + bar)
    k = np.arange(12)
    true = MARGIN + left + pitch * (k + 0.5 + (k >= 6) * bar)
    x = np.arange(GRID[1]) * STEP + STEP / 2
    axis = np.zeros(GRID, np.float32)
    profile = np.exp(-((x - true[:, None]) ** 2) / 18).max(axis=0)
    axis[5:36] = axis[44:75] = profile
    barred = np.zeros(GRID, np.float32)
    barred[5:75] = (x > true[5] + pitch / 2) & (x < true[6] - pitch / 2)
    return axis, barred, true
