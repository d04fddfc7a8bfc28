from __future__ import annotations

import numpy as np

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import find_columns
from vision.blind.hidden import covered
from vision.disc_finder.flat_map import GRID, STEP


def test_an_arm_of_which_only_the_ends_are_marked_covers_what_is_between() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    hand = np.zeros(GRID, np.float32)
    column = round(true[3] / STEP)
    for row in (2, 50):  # where it crosses the upper rim, and beyond the middle
        hand[row : row + 4, column - 1 : column + 2] = 0.9
    assert covered(hand, board) == {"p16", "p9"}


def test_without_any_mark_nothing_is_covered() -> None:
    axis, barred, _ = drawn_board(0.8)
    assert not covered(np.full(GRID, 0.01, np.float32), find_columns(axis, barred))
