from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import find_columns
from vision.blind.even_light import EvenLight
from vision.blind.hidden import covered, reaches_in
from vision.blind.strips import ALONG, ASIDE, strip_order
from vision.blind.tops import PlacedTop
from vision.disc_finder.flat_map import GRID, MARGIN, STEP
from vision.geometry.board_measures import BARS

SHAPE = (2, 12, ALONG, 2 * ASIDE + 1)
BARE = EvenLight(
    np.zeros(1), np.zeros(5), np.zeros(1), np.zeros((*SHAPE, 3)), np.ones(SHAPE), np.zeros((160, 176))
)


def test_an_arm_of_which_only_the_ends_are_marked_covers_what_is_between() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    hand = np.zeros(GRID, np.float32)
    column = round(true[3] / STEP)
    sleeve = BARE.strips.copy()
    lower, place = strip_order()
    sleeve.reshape(24, -1)[place == 3] = 1.0
    light = replace(BARE, strips=sleeve)
    for row in (2, 74):  # where it crosses the upper rim, and at the lower one
        hand[row : row + 4, column - 1 : column + 2] = 0.9
    assert covered(hand, board, [], light, arm=True)[0] == {"p16", "p9"}
    hand[70:], hand[50:54, column - 1 : column + 2] = 0, 0.9  # ends over the tip of the lower point
    sleeve.reshape(24, -1)[lower == 1] = 0.0
    assert covered(hand, board, [], light, arm=True)[0] == {"p16"}


def test_a_mark_at_the_rim_and_a_thing_far_from_it_are_no_arm_over_bare_points() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    marks = np.zeros(GRID, np.float32)
    telephone, stud = (round(true[place] / STEP) for place in (2, 10))
    marks[16:30, telephone - 2 : telephone + 3] = 0.9
    marks[0:3, stud - 2 : stud + 3] = 0.9
    hidden, ends = covered(marks, board, [], BARE, arm=True)
    assert hidden <= set(BARS)
    assert not ends


def test_without_any_mark_nothing_is_covered() -> None:
    axis, barred, _ = drawn_board(0.8)
    faint = np.full(GRID, 0.01, np.float32)
    assert covered(faint, find_columns(axis, barred), [], BARE, arm=True) == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("row", "away", "left_unsaid", "may_go_on"),
    [
        (3, 0.0, True, False),  # over the checker at the rim
        (3, 2.0, True, False),
        (3, 3.2, False, True),  # over the next place of the row
        (3, 4.6, False, False),  # beyond a place that is seen to be bare
        (0, 0.2, True, False),
        (0, 1.6, False, False),
    ],
)
def test_beside_a_cup_a_row_is_told_as_far_as_it_is_seen(
    row: int, away: float, left_unsaid: bool, may_go_on: bool
) -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    tall = 0.95 * board.pitch
    tops = [
        PlacedTop(true[3], MARGIN + (place + 0.5) * tall, 5.0, -5.0, 3, True, 4, 1.0) for place in range(row)
    ]
    cup = np.zeros(GRID, np.float32)
    first, column = round((MARGIN + away * tall) / STEP), round(true[3] / STEP)
    cup[first : first + 6, column - 2 : column + 3] = 0.9
    hidden, ends = covered(cup, board, tops, BARE, arm=False)
    assert ("p16" in hidden, "p16" in ends) == (left_unsaid, may_go_on)


def test_a_speck_at_the_rim_is_no_arm() -> None:
    marks, seen = np.zeros(GRID, np.float32), np.ones(GRID, np.float32)
    marks[30:40, 30:40] = 0.9
    marks[0, 10:13] = 0.3
    assert not reaches_in(marks, seen)
    marks[0:4, 10:13] = 0.3
    assert reaches_in(marks, seen)
