from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.checkers.rows import LOOSE, LOOSE_NATS, chains, mixed


def _row(*peaks: int, length: int = 60) -> np.ndarray:
    row = np.full(length, -6.0)
    for peak in peaks:
        row[peak] = 6.0
    return row


def test_checkers_that_touch_and_checkers_with_gaps_are_one_chain() -> None:
    found = chains(_row(4, 15, 28)[None], (1, 6), (11, 14), 5)
    assert int(np.argmax(found.scores[:, 0])) == 3
    assert found.places(0, 3) == (4, 15, 28)


def test_a_row_that_is_not_pushed_together_nor_to_the_rim_is_one_chain() -> None:
    found = chains(_row(14, 36, 48)[None], (1, 6), (11, 14), 5)
    assert int(np.argmax(found.scores[:, 0])) == 3
    assert found.places(0, 3) == (14, 36, 48)


def test_a_checker_far_from_its_neighbour_does_not_belong_to_the_chain() -> None:
    found = chains(_row(4, 15, 45)[None], (1, 6), (11, 14), 5)
    assert int(np.argmax(found.scores[:, 0])) == 2


def test_an_empty_row_has_none() -> None:
    assert int(np.argmax(chains(_row()[None], (1, 6), (11, 14), 5).scores[:, 0])) == 0


@given(st.lists(st.floats(-8, 8), min_size=40, max_size=40))
def test_the_best_chain_of_two_is_what_trying_every_pair_finds(values: list[float]) -> None:
    row = np.array(values)

    def cost(i: int, j: int) -> float:
        gap = min(j - i, 14)
        return ((gap - 12.5) / 1.5) ** 2 + LOOSE_NATS * (max(i - 6, 0) + j - i - gap)

    best = max(
        row[i] + row[j] - cost(i, j)
        for i in range(1, 7 + LOOSE)
        for j in range(i + 11, min(i + 15 + LOOSE, 40))
    )
    assert np.isclose(chains(row[None], (1, 6), (11, 14), 2).scores[2, 0], best)


def test_both_colours_on_the_bar_are_counted_apart() -> None:
    found = mixed((_row(10, 40), _row(25)), 11, 4, 3.0)
    assert max(found, key=lambda counts: found[counts]) == (2, 1)


def test_two_checkers_cannot_stand_in_the_same_place() -> None:
    found = mixed((_row(20), _row(22)), 11, 4, 3.0)
    assert max(found.values()) == found[max(found, key=lambda counts: found[counts])]
    assert found[(1, 1)] < found[(1, 0)]
