"""What repeats on a board is part of it: rings at points' tips are no dice, and dice are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.dice.look import EDGE
from vision.dice.ornaments import repeats
from vision.geometry.camera import Floats
from vision.picture.frame import Image

HIGH, WIDE, PITCH = 376, 488, 32
TIPS = 150


def _board(seed: int = 4) -> Image:
    """A board's map with a ring at every tip, a little noise, and no die."""
    laid = np.full((HIGH, WIDE, 3), (60, 90, 50), np.uint8)
    for number in range(12):
        column = 66 + PITCH * number
        for row, foot in ((TIPS, 32), (HIGH - 1 - TIPS, HIGH - 33)):
            corners = np.array([(column - 14, foot), (column + 14, foot), (column, row)])
            cv2.fillPoly(laid, [corners], (20, 20, 30) if (number + (foot > 99)) % 2 else (150, 170, 190))
            cv2.circle(laid, (column, row), 4, (110, 190, 230), 2)
    noise = np.random.default_rng(seed).normal(0, 5, laid.shape)
    return np.clip(laid + noise, 0, 255).astype(np.uint8)


def _die(laid: Image, at: tuple[int, int], angle: float, pips: tuple[tuple[int, int], ...]) -> Floats:
    """A die thrown there; where it lies."""
    tile = np.full((36, 36, 3), (235, 240, 240), np.uint8)
    for x, y in pips:
        cv2.circle(tile, (18 + 9 * x, 18 + 9 * y), 4, (20, 20, 20), -1)
    turn = cv2.getRotationMatrix2D((17.5, 17.5), angle, 0.25)
    turn[:, 2] += np.array(at) - 17.5
    mask = cv2.warpAffine(np.full((36, 36), 255, np.uint8), turn, (WIDE, HIGH), flags=cv2.INTER_AREA)
    drawn = cv2.warpAffine(tile, turn, (WIDE, HIGH), flags=cv2.INTER_AREA)
    laid[mask > 127] = drawn[mask > 127]
    return np.array(at, np.float64)


THREE = ((-1, -1), (0, 0), (1, 1))


@pytest.mark.parametrize("row", [TIPS, HIGH - 1 - TIPS])
def test_a_ring_at_every_tip_is_part_of_the_board(row: int) -> None:
    laid = _board()
    for number in (0, 5, 11):
        assert repeats(laid, np.array([66.0 + PITCH * number, row]), EDGE)


@pytest.mark.parametrize("at", [(200, 120), (130, TIPS), (240, HIGH // 2), (82, TIPS + 1)])
def test_a_die_is_none_wherever_it_lies(at: tuple[int, int]) -> None:
    laid = _board()
    assert not repeats(laid, _die(laid, at, 30, THREE), EDGE)


@pytest.mark.parametrize("row", [110, HIGH // 2])
def test_two_dice_that_lie_alike_in_a_row_are_dice(row: int) -> None:
    laid = _board()
    two = [_die(laid, (column, row), 20, THREE) for column in (150, 340)]
    assert not any(repeats(laid, at, EDGE) for at in two)


@pytest.mark.parametrize("at", [(0.0, 0.0), (3.0, 150.0), (WIDE - 1.0, HIGH - 1.0), (-40.0, 900.0)])
def test_at_the_edge_of_the_map_nothing_is_compared(at: tuple[float, float]) -> None:
    assert not repeats(_board(), np.array(at), EDGE)
