"""A checker's colour in the shade of an arm or a cup."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.blind.drawn import drawn_board
from vision.blind.cast_shade import cast_shade
from vision.blind.columns import Columns, find_columns
from vision.blind.even_light import EvenLight, even_light
from vision.blind.sides import tell_sides
from vision.blind.tops import PlacedTop
from vision.disc_finder.flat_map import GRID, HIGH, WIDE
from vision.picture.frame import Image

WHITE, BLACK = (205, 215, 220), (20, 20, 20)
SHADE = 0.4
"""What of the light a shade leaves."""


def _board() -> tuple[Image, Columns, list[PlacedTop]]:
    """White and Black by turns, one checker on each upper point."""
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    flat = np.full((HIGH, WIDE, 3), 150, np.uint8)
    for column, x in enumerate(true):
        flat[:, int(x) - 5 : int(x) + 6] = 110 if column % 2 else 190
    flat = cv2.GaussianBlur(flat, (0, 0), 2.0)
    tops = []
    for column, x in enumerate(board.axes):
        colour = WHITE if column % 2 else BLACK
        cv2.circle(flat, (round(x), 60), round(0.5 * board.pitch), colour, -1)
        tops.append(PlacedTop(float(x), 60.0, 3.0, -5.0, column, True, (column + 1) % 12, 0.8))
    return flat, board, tops


def _shaded(flat: Image, first: float, last: float) -> Image:
    dark = flat.copy()
    part = dark[:110, round(first) : round(last)]
    part[:] = (part * SHADE).round()
    return dark


def _lit(flat: Image, board: Columns, tops: list[PlacedTop]) -> EvenLight:
    return even_light(flat, np.zeros(GRID, np.float32), board, tops)


def test_the_shade_around_a_checker_is_measured_on_the_board_beside_it() -> None:
    flat, board, tops = _board()
    pitch = board.pitch
    dark = _shaded(flat, board.axes[3] - 0.9 * pitch, board.axes[3] + 0.9 * pitch)
    found = cast_shade(_lit(dark, board, tops), board, tops)
    assert abs(found[3, 0] - np.log(SHADE)) < 0.15
    assert not found[[0, 1, 5, 6, 7, 8, 9, 10, 11]].any()


def test_in_even_light_no_shade_is_found() -> None:
    flat, board, tops = _board()
    assert not cast_shade(_lit(flat, board, tops), board, tops).any()


def test_a_light_checker_in_an_arms_shade_is_no_dark_one_in_the_light() -> None:
    flat, board, tops = _board()
    dark = _shaded(flat, board.axes[3] - 0.9 * board.pitch, board.axes[3] + 0.9 * board.pitch)
    light = _lit(dark, board, tops)
    without = tell_sides(dark, tops, board.pitch, light.light, light.shade)
    assert without.white[3] < 0, "the shade makes it look dark"
    found = tell_sides(dark, tops, board.pitch, light.light, light.shade, cast_shade(light, board, tops))
    assert [odds > 0 for odds in found.white] == [bool(column % 2) for column in range(12)]
