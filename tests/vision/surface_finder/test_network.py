"""Where in a picture the network sees a board's surface."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.drawn_table import DrawnTable, columns_off
from training.rendered.setting import start
from vision.surface_finder.network import surfaces


@pytest.mark.parametrize("number", [3, 8, 21])
def test_a_boards_surface_is_among_what_is_seen(number: int) -> None:
    table = DrawnTable(number)
    found = surfaces(table.picture(start()))
    assert min(columns_off(each.outline, np.array(table.corners)) for each in found[:4]) < 0.5


def test_a_board_in_a_corner_of_a_large_picture_is_looked_at_again_from_near() -> None:
    table = DrawnTable(8, size=(480, 360))
    view = np.full((1080, 1920, 3), 70, np.uint8)
    view[600:960, 1300:1780] = table.picture(start())
    found = surfaces(view)
    assert min(columns_off(each.outline, np.add(table.corners, (1300, 600))) for each in found[:4]) < 0.5


def test_outlines_go_round_against_the_clock_as_the_picture_shows_them() -> None:
    outline = surfaces(DrawnTable(8).picture(start()))[0].outline
    assert cv2.contourArea(outline.astype(np.float32), oriented=True) < 0
    low_left, low_right, high_right, high_left = outline
    assert low_left[0] < low_right[0]
    assert high_left[0] < high_right[0]
    assert low_left[1] > high_left[1]


@pytest.mark.parametrize("shape", [(24, 400), (400, 24), (300, 300)])
def test_a_plain_picture_is_no_fault(shape: tuple[int, int]) -> None:
    assert all(np.isfinite(each.outline).all() for each in surfaces(np.full((*shape, 3), 90, np.uint8)))
