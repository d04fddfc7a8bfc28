"""Outlines that may be a board's in mid-game."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.drawn_table import DrawnTable
from vision.geometry.board_measures import Geometry
from vision.outlines import outlines

FEW = {1: -4, 2: -1, 5: -1, 7: 4, 8: -1, 12: -1, 13: 2, 18: -4, 22: 1, 23: 1, 24: 4}


@pytest.mark.parametrize("number", [4, 12, 24])
def test_a_board_without_a_bar_is_not_found_a_column_off(number: int) -> None:
    """Twelve columns of it look like twelve others to the network, which was shown whole boards alone."""
    table = DrawnTable(number, tray="none", bar=0.0, ridge=0.0)
    first = next(outlines(table.picture(FEW), Geometry()))
    corners = np.array(table.corners)
    column = float(np.linalg.norm(corners[1] - corners[0])) / 12
    turned = (np.roll(first, turn, axis=0) for turn in (0, 2))
    assert min(float(np.linalg.norm(each - corners, axis=1).max()) for each in turned) < 0.3 * column
