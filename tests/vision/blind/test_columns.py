from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.blind.drawn import drawn_board
from vision.blind.columns import POOR, find_columns
from vision.disc_finder.flat_map import GRID


@given(bar=st.floats(0.0, 1.5), left=st.floats(-6, 6), right=st.floats(-6, 6))
def test_columns_are_found_whatever_the_bar_and_however_the_corners_were_clicked(
    bar: float, left: float, right: float
) -> None:
    axis, barred, true = drawn_board(bar, left, right)
    found = find_columns(axis, barred)
    assert np.abs(found.axes - true).max() < 0.06 * found.pitch
    assert abs(found.bar - bar) < 0.1
    assert found.sure > 2 * POOR


def test_a_known_bar_is_kept() -> None:
    axis, barred, _ = drawn_board(0.9)
    assert find_columns(axis, barred, 0.5).bar == pytest.approx(0.5, abs=0.06)


def test_nothing_is_no_board() -> None:
    rng = np.random.default_rng(1)
    assert find_columns(rng.random(GRID, np.float32) * 0.1, np.zeros(GRID, np.float32)).sure < POOR
