"""Rows of pyramids put together from single ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vision.pyramids.rows import chains
from vision.reading import NEVER


def test_rows_are_the_best_of_all_in_which_no_two_bases_overlap() -> None:
    rng = np.random.default_rng(5)
    gains, gap = rng.normal(0, 10, (3, 9)), [[1, 2, 2], [2, 2, 3], [2, 3, 3]]
    best: dict[tuple[int, ...], float] = {}
    stood = [(size, place) for size in range(3) for place in range(9)]
    for count in (1, 2, 3):
        for row in itertools.permutations(stood, count):
            if all(b[1] - a[1] >= gap[a[0]][b[0]] for a, b in itertools.pairwise(row)):
                counts = tuple(sum(size == which for size, _ in row) for which in range(3))
                best[counts] = max(
                    best.get(counts, NEVER), sum(float(gains[size, place]) for size, place in row)
                )
    found = chains(gains, gap, 3, 1000.0)
    assert {counts: round(score, 6) for score, counts, _ in found} == {
        counts: round(score, 6) for counts, score in best.items()
    }
    for score, counts, places in found:
        stand = [size for size, _ in places]
        assert tuple(map(stand.count, (1, 2, 3))) == counts
        assert sum(float(gains[size - 1, place]) for size, place in places) == pytest.approx(score)


def test_a_row_far_too_long_is_not_looked_at() -> None:
    gains = np.full((3, 20), -30.0)
    gains[1, 3] = 40.0
    assert {counts for _, counts, _ in chains(gains, [[1] * 3] * 3, 5, 20.0)} == {
        (0, 1, 0),
        (1, 1, 0),
        (0, 2, 0),
        (0, 1, 1),
    }
