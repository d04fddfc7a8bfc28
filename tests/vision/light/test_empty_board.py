"""What the board under the checkers of the calibration picture is guessed to look like."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.checkers import paint
from vision.light import colour, empty_board

SHAPE, STEP = (120, 160), 24
SHIFTS = [(float(k * STEP), 0) for k in (-2, -1, 1, 2)]


def _board() -> tuple[np.ndarray, np.ndarray]:
    """Points of two colours that repeat every STEP columns, without and with a lamp that is mirrored in those
    of one colour only."""
    rows, columns = np.mgrid[0 : SHAPE[0], 0 : SHAPE[1]]
    dark = columns % STEP < STEP // 2
    plain = np.zeros((*SHAPE, 3), np.float32)
    plain[..., 0], plain[..., 1] = np.where(dark, 4.0, 5.0), np.where(dark, 0.2, -0.1)
    shining = plain.copy()
    shining[..., 0] += 0.5 * dark * np.exp(-(((columns - 78) / 14) ** 2) - ((rows - 60) / 40) ** 2)
    return plain, shining


@pytest.mark.parametrize("hidden", [np.s_[70:110, 70:86], np.s_[10:50, 70:86]])
def test_what_shines_beside_checkers_shines_under_them(hidden: tuple[slice, slice]) -> None:
    _, true = _board()
    mask, rim = np.zeros(SHAPE, bool), np.zeros(SHAPE, bool)
    mask[hidden] = True
    rim[:4], rim[-4:] = True, True
    seen = true.copy()
    seen[hidden] = 9.0
    seen[rim] = 7.0
    allowed, light = np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, np.float32)
    as_elsewhere = empty_board.fill_in(seen, mask, light, SHIFTS, allowed)
    as_beside = empty_board.fill_in(seen, mask, light, SHIFTS, allowed, rim)
    before, after = (np.abs(guess - true)[hidden].mean() for guess in (as_elsewhere, as_beside))
    assert after < 0.7 * before
    assert np.array_equal(as_beside[~mask], seen[~mask])


def test_a_point_that_shines_alone_shows_it_by_its_tip() -> None:
    """Two points on, where the guess is from, the lamp is not mirrored; in this one it is, as far as its
    tip."""
    plain, _ = _board()
    true = plain.copy()
    true[:, 72:84, 0] += 0.4
    mask = np.zeros(SHAPE, bool)
    mask[20:60, 70:86] = True
    seen = true.copy()
    seen[mask] = 9.0
    guess = empty_board.fill_in(
        seen, mask, np.zeros(SHAPE, np.float32), SHIFTS, np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, bool)
    )
    shining = mask & (np.arange(SHAPE[1]) // 12 == 6)[None, :]
    assert np.abs(guess - true)[shining][:, 0].max() < 0.12


def test_a_board_that_repeats_is_guessed_exactly() -> None:
    plain, _ = _board()
    mask = np.zeros(SHAPE, bool)
    mask[20:60, 70:86] = True
    seen = plain.copy()
    seen[mask] = 9.0
    guess = empty_board.fill_in(
        seen, mask, np.zeros(SHAPE, np.float32), SHIFTS, np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, bool)
    )
    assert guess == pytest.approx(plain, abs=1e-3)


def test_the_shade_along_a_wall_is_told_where_the_board_was_guessed_without_it() -> None:
    plain, _ = _board()
    true = plain.copy()
    true[:, :6, 0] -= 2.0  # beside the left wall; the columns two points on are seen in the light
    hidden = np.zeros(SHAPE, bool)
    hidden[:50, :20], hidden[60:, :20] = True, True
    guess = np.where(hidden[..., None], plain, true)
    allowed, light = np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, np.float32)
    shade = empty_board.wall_shade(guess, hidden, light, SHIFTS, allowed, np.zeros(SHAPE, bool))
    assert shade[:6, 0] == pytest.approx(-2.0, abs=0.05)
    assert np.abs(shade[6:]).max() < 0.05


def test_no_wall_shades_the_middle_of_a_board() -> None:
    plain, _ = _board()
    plain[:, 60:70, 0] -= 2.0  # a dark stripe
    hidden = np.zeros(SHAPE, bool)
    hidden[:50, 60:80] = True
    allowed, light = np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, np.float32)
    shade = empty_board.wall_shade(plain, hidden, light, SHIFTS, allowed, np.zeros(SHAPE, bool))
    assert not shade.any()


def test_a_lamp_mirrored_in_the_darker_side_does_not_make_it_the_lighter() -> None:
    """Nine of fifteen checkers are as white as the window that shows in them; the others are darker than any
    of the other side's."""
    picture = np.full((*SHAPE, 3), 90, np.uint8)
    places = np.array([(12.0 + 14 * column, 12.0 + 14 * row) for row in range(3) for column in range(10)])
    kinds = np.array([0, 1] * 15)
    shades = {0: [150] * 15, 1: [60, 240, 60, 240, 240] * 3}
    for kind, shown in shades.items():
        for (u, v), shade in zip(places[kinds == kind], shown, strict=True):
            cv2.circle(picture, (int(u), int(v)), 6, (shade, shade, shade), -1)
    values = colour.logs(cv2.merge([picture[..., 0], picture[..., 1], picture[..., 2] // 2]))
    known = paint.KnownDiscs(values, places, kinds)
    learned = replace(paint.learn([known]), light=(0.0,) * 5)
    light, dark = paint.lights(known, learned)
    assert light > dark + 20
    assert paint.lights(replace(known, kinds=1 - kinds), learned) == pytest.approx((dark, light))
