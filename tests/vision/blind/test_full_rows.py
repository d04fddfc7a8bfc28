"""How many checkers lie upon a row."""

from __future__ import annotations

import numpy as np
import pytest

from vision.blind import counts
from vision.blind.counts import Chance, FullRow
from vision.blind.full_rows import count_upon
from vision.stack_network import HEIGHTS


def heights_of(*heights: int, sure: float = 3.0) -> np.ndarray:
    """What the network says of a row whose places hold so many checkers each."""
    odds = np.zeros((len(heights), HEIGHTS))
    odds[np.arange(len(heights)), heights] = sure
    return np.asarray(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("heights", "extra"),
    [
        ((1, 1, 1, 1, 1), 0),
        ((2, 1, 1, 1, 1), 1),
        ((1, 1, 1, 1, 2), 1),
        ((2, 2, 2, 1, 1), 3),
        ((2, 2, 2, 2, 2), 5),
        ((3, 2, 2, 2, 2), 6),
    ],
)
def test_checkers_upon_a_row_are_counted_wherever_they_lie(heights: tuple[int, ...], extra: int) -> None:
    assert int(np.argmax(count_upon(heights_of(*heights, sure=6.0)))) == extra


def test_checkers_are_laid_upon_a_row_from_its_rim_inward() -> None:
    doubtful = heights_of(1, 1, 1, 1, 1, sure=1.0)
    at_rim, at_end = doubtful.copy(), doubtful.copy()
    at_rim[0], at_end[4] = heights_of(2, sure=1.5)[0], heights_of(2, sure=1.5)[0]
    assert count_upon(at_rim)[1] > count_upon(at_end)[1]


def test_a_row_of_six_has_its_own_count() -> None:
    chances = [Chance(0.99, 0.0, 0.99)] * 6
    row = counts.point(chances, FullRow(6, count_upon(heights_of(2, 1, 1, 1, 1, 1, sure=6.0))))
    assert max(row, key=lambda pair: row[pair]) == (7, 0)
