"""What the board under the checkers of the calibration picture is guessed to look like."""

from __future__ import annotations

import numpy as np
import pytest

from vision import appearance

SHAPE, STEP = (120, 160), 24
SHIFTS = [(float(k * STEP), 0) for k in (-2, -1, 1, 2)]


def _board() -> tuple[np.ndarray, np.ndarray]:
    """Points of two colours that repeat every STEP columns, without and with a lamp that is mirrored in those of one colour only."""
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
    as_elsewhere = appearance.fill_in(seen, mask, light, SHIFTS, allowed)
    as_beside = appearance.fill_in(seen, mask, light, SHIFTS, allowed, rim)
    before, after = (np.abs(guess - true)[hidden].mean() for guess in (as_elsewhere, as_beside))
    assert after < 0.7 * before
    assert np.array_equal(as_beside[~mask], seen[~mask])


def test_a_board_that_repeats_is_guessed_exactly() -> None:
    plain, _ = _board()
    mask = np.zeros(SHAPE, bool)
    mask[20:60, 70:86] = True
    seen = plain.copy()
    seen[mask] = 9.0
    guess = appearance.fill_in(seen, mask, np.zeros(SHAPE, np.float32), SHIFTS, np.zeros(SHAPE[1], np.int64), np.zeros(SHAPE, bool))
    assert guess == pytest.approx(plain, abs=1e-3)
