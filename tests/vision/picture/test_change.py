from __future__ import annotations

import numpy as np
import pytest

from vision.picture.change import Thumb, change

MOVED = 9.0
"""Levels."""


def board(seed: int = 1) -> Thumb:
    """Places of all levels."""
    rng = np.random.default_rng(seed)
    return np.repeat(np.repeat(rng.uniform(20, 200, (30, 40, 3)), 4, 0), 4, 1).astype(np.float32)


def banded(thumb: Thumb, at: float, swing: float = 0.15) -> Thumb:
    """Rows darker and brighter."""
    rows = 1 + swing * np.sin(np.linspace(at, at + 12, len(thumb)))
    return np.asarray(thumb * rows[:, None, None], np.float32)


def test_light_is_no_change() -> None:
    for other in (board() * 0.6, board() * 1.2, board() * np.array([0.8, 1.0, 1.2], np.float32)):
        assert change(board(), other.astype(np.float32)).max() < MOVED / 3


@pytest.mark.parametrize("turned", [False, True])
def test_bands_that_travel_are_no_change_and_a_die_among_them_is(turned: bool) -> None:
    before, now = banded(board(), 0.0), banded(board(), 2.0)
    with_die = now.copy()
    with_die[50:54, 60:64] += 40
    if turned:
        before, now, with_die = (each.swapaxes(0, 1) for each in (before, now, with_die))
    assert np.abs(now - before).max() > 3 * MOVED
    assert change(before, now).max() < MOVED / 3
    seen = change(before, with_die)
    down, across = np.unravel_index(seen.max(axis=2).argmax(), seen.shape[:2])
    assert {int(down) // 10, int(across) // 10} == {5, 6}
    assert seen.max() > 2 * MOVED


@pytest.mark.filterwarnings("error")
def test_black_says_nothing_of_the_light_and_breaks_nothing() -> None:
    """A film's levels of blue and red are below those of black where it is of the other colour."""
    for level in (-30, -1, 0):
        dark = board()
        dark[..., 1] = level
        assert change(dark, dark).max() == 0.0
        with_die = dark.copy()
        with_die[50:54, 60:64] += 40
        assert change(dark, with_die).max() > 2 * MOVED


def test_an_arm_over_most_of_the_board_is_a_change() -> None:
    arm = board()
    arm[:, 10:130] = (90, 120, 180)
    assert np.mean(change(board(), arm).max(axis=2) > MOVED) > 0.5


def test_a_lamp_that_is_switched_off_is_a_change() -> None:
    assert change(board(), np.asarray(board() * 0.1, np.float32)).max() > MOVED


def test_what_was_too_bright_to_be_shown_has_not_changed_with_the_light() -> None:
    bright = board()
    bright[40:60, 50:80] = 320
    dimmer = np.clip(bright * 0.75, 0, 255)
    assert change(np.clip(bright, 0, 255), dimmer).max() < MOVED / 3
    assert change(dimmer, np.clip(bright, 0, 255)).max() < MOVED / 3
    gone = dimmer.copy()
    gone[40:60, 50:80] = 100
    assert change(np.clip(bright, 0, 255), gone).max() > MOVED
