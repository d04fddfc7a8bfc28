"""Outlines that may be a board's in mid-game."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.drawn_table import DrawnTable, columns_off
from vision.surface_finder.outlines import outlines

FEW = {1: -4, 2: -1, 5: -1, 7: 4, 8: -1, 12: -1, 13: 2, 18: -4, 22: 1, 23: 1, 24: 4}


@pytest.mark.parametrize(("number", "quarters"), [(4, 0), (12, 0), (24, 0), (12, 1)])
def test_a_board_without_a_bar_is_not_found_a_columncolumns_off(number: int, quarters: int) -> None:
    """Twelve columns of it look like twelve others to the network, which was shown whole boards alone."""
    table = DrawnTable(number, tray="none", bar=0.0, ridge=0.0)
    image, corners = table.picture(FEW), np.array(table.corners)
    for _ in range(quarters):
        corners = np.column_stack([corners[:, 1], image.shape[1] - 1 - corners[:, 0]])
        image = np.ascontiguousarray(np.rot90(image))
    assert columns_off(next(outlines(image)), corners) < 0.3


def test_a_board_in_a_phones_screenshot_is_found_where_it_is() -> None:
    table = DrawnTable(12, tray="none", bar=0.0, ridge=0.0)
    screen = cv2.copyMakeBorder(table.picture(FEW), 700, 700, 0, 0, cv2.BORDER_CONSTANT)
    assert columns_off(next(outlines(screen)), np.add(table.corners, (0, 700))) < 0.3
