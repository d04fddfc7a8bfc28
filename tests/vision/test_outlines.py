"""Outlines that may be a board's in mid-game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from training.rendered.lens import develop, project, random_sensor, through_lens
from training.rendered.light import random_sheen
from training.rendered.relief import empty_board, ground_of, photograph, pile
from training.rendered.setting import Setting, set_up
from training.rendered.table import random_board, random_view
from vision.geometry.board_measures import Geometry
from vision.outlines import outlines
from vision.picture.frame import Image

FEW = {1: -4, 2: -1, 5: -1, 7: 4, 8: -1, 12: -1, 13: 2, 18: -4, 22: 1, 23: 1, 24: 4}


@pytest.mark.parametrize("number", [4, 12, 24])
def test_a_board_without_a_bar_is_not_found_a_column_off(number: int) -> None:
    """Twelve columns of it look like twelve others to the network, which was shown whole boards alone."""
    picture, corners = _drawn_without_bar(number)
    first = next(outlines(picture, Geometry()))
    column = float(np.linalg.norm(corners[1] - corners[0])) / 12
    turned = (np.roll(first, turn, axis=0) for turn in (0, 2))
    assert min(float(np.linalg.norm(each - corners, axis=1).max()) for each in turned) < 0.3 * column


def _drawn_without_bar(number: int) -> tuple[Image, np.ndarray]:
    """A few checkers on a drawn board, and the surface's corners (pixels)."""
    rng = np.random.default_rng([5, number])
    board = replace(random_board(rng), tray="none", bar=0.0, ridge=0.0)
    view, ground, setting = random_view(rng, board, (960, 720)), ground_of(board), Setting(points=FEW)
    set_up(rng, board, setting, bare=True)
    sheets = sorted(
        [*empty_board(rng, board, ground), *pile(rng, board, ground, setting)], key=lambda sheet: sheet.z
    )
    light = photograph(rng, sheets, ground, view, board.thick / 2, random_sheen(rng, board))
    light = through_lens(view, light)
    gain = np.full(3, 0.5 / float(np.percentile(light, 90)))
    wide, high = board.width, board.height
    corners = project(view, np.array([(0, 0, 0), (wide, 0, 0), (wide, high, 0), (0, high, 0)], np.float64))
    return develop(rng, light, gain, random_sensor(rng)), corners
