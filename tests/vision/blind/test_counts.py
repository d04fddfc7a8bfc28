from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.blind import counts
from vision.blind.counts import Chance, FullRow, Pairs

CHANCES = st.lists(st.tuples(st.floats(0.01, 0.99), st.floats(0.0, 0.9), st.floats(0.01, 0.99)), max_size=4)


def signed(row: dict[int, float]) -> Pairs:
    """Counts of White's (+) or Black's (-) as pairs."""
    return {pair(count): chance for count, chance in row.items()}


def pair(count: int) -> tuple[int, int]:
    return max(count, 0), max(-count, 0)


def test_sure_tops_are_counted() -> None:
    row = counts.point([counts.Chance(0.999, 0.0, 0.99)] * 3)
    assert max(row, key=lambda pair: row[pair]) == (3, 0)


def test_a_second_layer_counts_twice() -> None:
    row = counts.point([counts.Chance(0.999, 0.0, 0.01)] * 4 + [counts.Chance(0.999, 0.95, 0.01)])
    assert max(row, key=lambda pair: row[pair]) == (0, 6)


def test_the_checkers_of_a_point_are_asked_together_whose_they_are() -> None:
    row = counts.point([counts.Chance(0.999, 0.0, 0.8)] * 5)
    assert row[5, 0] == pytest.approx(0.8, abs=0.02)  # five witnesses of one lamp, not five lamps


@given(CHANCES)
def test_the_chances_of_a_point_add_up_to_one(chances: list[tuple[float, float, float]]) -> None:
    assert sum(counts.point([counts.Chance(*chance) for chance in chances]).values()) == pytest.approx(
        1, abs=1e-4
    )


@given(CHANCES)
def test_the_chances_of_the_bar_add_up_to_one(chances: list[tuple[float, float, float]]) -> None:
    assert sum(counts.bar([counts.Chance(*chance) for chance in chances]).values()) == pytest.approx(
        1, abs=1e-4
    )


@given(
    st.lists(
        st.dictionaries(st.integers(-9, 9), st.floats(0.05, 1), min_size=1, max_size=3),
        min_size=2,
        max_size=4,
    )
)
def test_what_the_totals_say_is_what_counting_every_position_says(rows: list[dict[int, float]]) -> None:
    cells = {f"p{i + 1}": signed(row) for i, row in enumerate(rows)}
    bar = {(0, 0): 0.7, (1, 0): 0.2, (0, 1): 0.1}
    prior = counts.totals((False, True), 15)
    found = counts.conserve({**cells, counts.ONE_BAR: bar}, prior)
    every = [((0, 0), 1.0, [])]
    for row in rows:
        every = [
            ((w + max(n, 0), b + max(-n, 0)), p * q, [*path, n])
            for (w, b), p, path in every
            for n, q in row.items()
        ]
    full = [
        ((w + x, b + y), p * q, [*path, (x, y)]) for (w, b), p, path in every for (x, y), q in bar.items()
    ]
    weighed = [(p * prior[w, b] if max(w, b) < len(prior) else 0.0, path) for (w, b), p, path in full]
    whole = sum(p for p, _ in weighed)
    if whole < 1e-12:
        return
    for i, cell in enumerate(cells):
        for count in rows[i]:
            assert found[cell][pair(count)] == pytest.approx(
                sum(p for p, path in weighed if path[i] == count) / whole, abs=1e-6
            )
    for both in bar:
        assert found[counts.ONE_BAR][both] == pytest.approx(
            sum(p for p, path in weighed if path[-1] == both) / whole, abs=1e-6
        )


def test_fifteen_a_side_settles_a_doubtful_layer() -> None:
    rows = {"p6": {5: 1.0}, "p13": {5: 1.0}, "p8": {3: 1.0}, "p24": {1: 0.6, 2: 0.4}, "p1": {-15: 1.0}}
    cells = {cell: signed(row) for cell, row in rows.items()}
    found = counts.conserve(cells, counts.totals((False, False), 15))
    assert found["p24"][2, 0] > 0.9


def test_a_side_that_is_all_at_home_may_have_borne_off() -> None:
    cells = {"p1": signed({4: 0.6, 5: 0.4}), "p24": signed({-15: 1.0})}
    assert counts.conserve(cells, counts.totals((True, True), 15))["p1"][4, 0] > 0.5


@pytest.mark.parametrize("stock", [3, 12, 15])
def test_the_game_says_how_many_checkers_a_side_has(stock: int) -> None:
    """Of one that may stand in a gap the total tells, and what is missing at home was borne off."""
    cells = {"p6": signed({stock - 1: 1.0}), "p13": signed({0: 0.6, 1: 0.4}), "p24": signed({-stock: 1.0})}
    on_board = counts.totals((False, False), stock)
    assert counts.conserve(cells, on_board)["p13"][1, 0] > 0.9
    home = {"p6": signed({stock - 1: 1.0}), "p24": signed({-stock: 1.0})}
    assert counts.borne_off(home, counts.totals(counts.all_home(home), stock)) == {(1, 0): pytest.approx(1.0)}


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6))
def test_where_places_are_hidden_the_others_hold_no_more_than_the_stock(rows: list[int]) -> None:
    """A row that may go on under something, or bear a second layer, does so only as far as there are
    checkers; and nothing makes it go on."""
    taken = sum(rows)
    cells = {f"p{n + 1}": signed({count: 1.0}) for n, count in enumerate(rows)}
    cells["p24"] = signed({1: 0.4, 2: 0.6})
    found = counts.conserve(cells, counts.totals((False, False), taken + 1, hidden=True))["p24"]
    assert found[1, 0] > 0.99
    found = counts.conserve(cells, counts.totals((False, False), taken + 8, hidden=True))["p24"]
    assert found[2, 0] == pytest.approx(0.6)


def test_a_row_that_may_go_on_under_a_cup_is_believed_by_less() -> None:
    sure = [Chance(1.0, 0.0, 1.0)] * 3
    assert counts.point(sure)[3, 0] > 0.99
    assert 0.7 < counts.point(sure, covered=True)[3, 0] < 0.9


def test_what_lies_upon_a_row_counts_only_where_the_row_is_full() -> None:
    doubtful = [Chance(0.99, 0.0, 1.0)] * 4 + [Chance(0.3, 0.0, 1.0)]
    row = counts.point(doubtful, FullRow(5, np.array([0.1, 0.9])))
    assert max(row, key=lambda pair: row[pair]) == (4, 0)
    assert row[6, 0] == pytest.approx(0.9 * 0.3 * 0.99**4, abs=0.01)
