from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import BAR, find_columns
from vision.blind.tops import find_lean, place_tops, row_ends, strongest
from vision.disc_finder.flat_map import FIELD, GRID, HIGH, MARGIN, STEP, WIDE
from vision.disc_finder.network import Marks
from vision.geometry.camera import Floats

PLAIN = np.full((HIGH, WIDE, 3), 90, np.uint8)


def mark(places: list[tuple[int, int]]) -> Marks:
    axis, barred, _ = drawn_board(0.8)
    heat = np.full(GRID, -8.0, np.float32)
    for row, col in places:
        heat[row - 1 : row + 2, col - 1 : col + 2] = 0.0
        heat[row, col] = 4.0
    nothing = np.zeros(GRID, np.float32)
    return Marks(heat, nothing - 5, axis, barred, nothing)


def test_each_mark_is_found_once() -> None:
    _, cells = strongest(mark([(8, 12), (8, 18), (40, 44)]).top, 24.0)
    assert {(int(row), int(col)) for row, col in cells} == {(8, 12), (8, 18), (40, 44)}


def test_a_mark_goes_to_its_column_and_half_and_the_bar_has_its_own() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    places = [(9, int(true[2] // STEP)), (70, int(true[11] // STEP)), (40, int(board.middle // STEP))]
    found = {(t.column, t.upper) for t in place_tops(mark(places), board, PLAIN)}
    assert (2, True) in found
    assert (11, False) in found
    assert BAR in {column for column, _ in found}


def test_the_lean_of_the_tops_is_taken_out() -> None:
    axis, barred, true = drawn_board(0.5)
    board = find_columns(axis, barred)
    seen = true + 6.0 + 0.03 * (true - WIDE / 2)
    shift, stretch = find_lean(board, seen, np.ones(12))
    assert np.abs(board.axes + shift + stretch * (board.axes - WIDE / 2) - seen).max() < 4


def ended(y: Floats, tall: float, lightness: Sequence[float]) -> float:
    """Where the upper one of a column's two rows ends."""
    shades = np.stack([lightness, 0 * y, 0 * y], axis=1)
    return float(row_ends(np.zeros(len(y), np.int64), y, np.ones(len(y), bool), tall, shades)[0])


@given(low=st.integers(0, 9), high=st.integers(0, 9))
def test_a_row_that_reaches_beyond_the_middle_stays_one_row(low: int, high: int) -> None:
    """Eleven checkers fill a column, nine of them and room for two do here."""
    high = min(high, 9 - low)
    tall = FIELD[1] / 11
    upper = MARGIN + tall * (np.arange(high) + 0.5)
    lower = HIGH - MARGIN - tall * (np.arange(low) + 0.5)
    y = np.concatenate([upper, lower])
    end = ended(y, tall, [60.0] * len(y))
    assert (upper < end).all()
    assert (lower >= end).all()
    if max(low, high) <= 5:
        assert end == HIGH / 2


@given(st.data())
def test_loose_rows_that_meet_are_parted_by_their_number_or_colour(
    data: st.DataObject,
) -> None:
    """Eleven checkers fill a column; ten lie on it, and the room between them is anywhere."""
    many, alike = data.draw(st.sampled_from([(5, True), (4, False), (5, False), (6, False)]), "upper")
    tall = FIELD[1] / 11
    room = np.array(data.draw(st.lists(st.floats(0.0, 1.0), min_size=11, max_size=11), "room"))
    room *= tall / max(room.sum(), 1.0)
    room = np.minimum(room, 0.6 * tall)
    y = MARGIN + tall * (np.arange(10) + 0.5) + np.cumsum(room)[:10]
    end = ended(y, tall, [60.0] * 10 if alike else [80.0] * many + [30.0] * (10 - many))
    assert np.count_nonzero(y < end) == many
