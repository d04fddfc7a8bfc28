from __future__ import annotations

import cv2
import numpy as np

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import find_columns
from vision.blind.empty_board import empty_board
from vision.blind.even_light import even_light
from vision.blind.strips import HALF
from vision.blind.tops import PlacedTop
from vision.disc_finder.flat_map import GRID, HIGH, MARGIN, WIDE
from vision.light import colour

NOBODY = np.zeros(GRID, np.float32)


def points(colours: tuple[int, int], true: np.ndarray, pitch: float) -> np.ndarray:
    """A board of bare wood with two colours of points, which point inward."""
    flat = np.full((HIGH, WIDE, 3), (90, 130, 150), np.uint8)
    for lower in (False, True):
        for column, x in enumerate(true):
            foot, tip = (HIGH - MARGIN, HIGH - MARGIN - 120) if lower else (MARGIN, MARGIN + 120)
            corners = np.array([(x - pitch / 2.2, foot), (x + pitch / 2.2, foot), (x, tip)])
            cv2.fillPoly(
                flat,
                [np.int32(np.round(corners * 16))],
                tuple(colours[(column + lower) % 2] * part for part in (1.0, 0.9, 0.8)),
                cv2.LINE_AA,
                4,
            )
    return flat


def test_what_is_under_a_checker_is_seen_two_points_further_on() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    bare = points((60, 220), true, board.pitch)
    lamp = np.linspace(0.75, 1.15, WIDE)[None, :, None]
    full, tops = (bare * lamp).clip(0, 255).astype(np.uint8), []
    for column, upper in ((2, True), (7, True), (7, False), (11, False)):
        for place in range(5):
            y = MARGIN + 12 + 24 * place if upper else HIGH - MARGIN - 12 - 24 * place
            cv2.circle(full, (round(true[column]), y), 12, (30, 30, 200), -1)
            tops.append(PlacedTop(float(true[column]), float(y), 3.0, -5.0, column, upper, column - 1, 0.8))
    seen = even_light(full, NOBODY, board, tops)
    empty = empty_board(seen, board, range(12))
    true_surface = colour.logs(cv2.resize(bare, (WIDE // HALF, HIGH // HALF), interpolation=cv2.INTER_AREA))
    middles = [(int(top.y / HALF), int(top.x / HALF)) for top in tops]
    off = np.array([empty[at] - true_surface[at] for at in middles])
    off -= np.median(
        empty - true_surface, axis=(0, 1)
    )  # how bright the lamp is on the whole, nobody can know
    assert np.median(np.abs(off)) < 0.03
    assert np.abs(off).max() < 0.25  # at the tip of a point, where half a pixel matters


def test_a_board_without_one_bare_place_on_some_points_is_still_guessed() -> None:
    axis, barred, true = drawn_board(0.8)
    board = find_columns(axis, barred)
    flat = points((60, 220), true, board.pitch)
    tops = [
        PlacedTop(float(x), MARGIN + 12.0, 3.0, -5.0, column, True, 0, 0.8) for column, x in enumerate(true)
    ]
    tops += [
        PlacedTop(float(x), HIGH - MARGIN - 12.0, 3.0, -5.0, column, False, 0, 0.8)
        for column, x in enumerate(true)
    ]
    empty = empty_board(even_light(flat, NOBODY, board, tops), board, range(12))
    assert np.isfinite(empty).all()
    dark, light = (empty[(MARGIN + 14) // HALF, int(true[column] / HALF), 0] for column in (2, 3))
    assert light - dark > 0.5
