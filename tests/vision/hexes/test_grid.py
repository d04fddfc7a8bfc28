"""Where the hexes of a sheet lie."""

from __future__ import annotations

import numpy as np

from vision.hexes.grid import Sheet


def test_every_row_of_four_lies_straight() -> None:
    sheet = Sheet(6, 5)
    steps = np.diff(sheet.centres[sheet.lines], axis=1)
    assert np.allclose(steps, steps[:, :1])
    assert np.allclose(np.linalg.norm(steps, axis=2), sheet.pitch)
