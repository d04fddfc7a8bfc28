from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.stock_inference import PRICES, Missing, weigh

W, B = ("white",), ("black",)


def test_the_colours_number_decides_between_five_and_six() -> None:
    raw = {"p1": {W * 5: 0.0, W * 6: -0.5}, "p2": {W * 9: 0.0, W * 8: -9.0}, "p3": {B * 15: 0.0}}
    looks, sure = weigh(raw, {"white": 15, "black": 15})
    assert looks["p1"] == W * 6
    assert sure["p1"] > 0.95


def test_pieces_may_be_missing_where_some_places_are_out_of_view() -> None:
    unseen = dict.fromkeys(("white", "black"), PRICES.unseen)
    looks, _ = weigh({"p1": {W * 5: 0.0, W * 6: -2.0}}, {"white": 15, "black": 15}, unseen)
    assert looks["p1"] == W * 5


def test_where_none_is_likely_to_be_out_of_view_a_doubtful_row_has_one_more() -> None:
    raw = {"p1": {W * 5: 0.0, W * 6: -2.0}, "p2": {W * 9: 0.0}}
    unlikely = Missing(PRICES.unseen.some + 5.0)
    looks, _ = weigh(raw, {"white": 15, "black": 15}, {"white": unlikely, "black": PRICES.unseen})
    assert looks["p1"] == W * 6


def test_checkers_in_a_pocket_do_not_make_a_stack_the_other_sides() -> None:
    """White's three are gone; a black stack that might be white was called white, since that adds up."""
    raw = {"p1": {B * 3: 0.0, W * 3: -8.0}, "p2": {W * 12: 0.0}, "p3": {B * 12: 0.0}}
    looks, sure = weigh(raw, {"white": 15, "black": 15})
    assert looks["p1"] == B * 3
    assert sure["p1"] > 0.9


def test_one_sides_checkers_may_be_out_of_view_where_the_other_has_none() -> None:
    looks, _ = weigh({"p1": {("white",): 0.0, (): -9.0}}, {"white": 2}, {"white": Missing(0.0)})
    assert looks == {"p1": ("white",)}


def test_where_no_cell_is_seen_nothing_is_said() -> None:
    assert weigh({}, {"white": 15, "black": 15}) == ({}, {})


def test_two_doubtful_cells_share_their_doubt() -> None:
    raw = {
        "p1": {W * 5: 0.0, W * 6: 0.0},
        "p2": {W * 5: 0.0, W * 6: 0.0},
        "p3": {W * 4: 0.0},
        "p4": {B * 15: 0.0},
    }
    _, sure = weigh(raw, {"white": 15, "black": 15})
    assert sure["p1"] == pytest.approx(0.5, abs=0.02)
    assert sure["p3"] == pytest.approx(1.0)


scores = st.floats(-6, 0)


@given(st.lists(st.tuples(scores, scores, scores), min_size=3, max_size=4))
def test_probabilities_are_those_of_trying_every_position(values: list[tuple[float, float, float]]) -> None:
    stock = {"white": 3, "black": 2}
    raw = {f"p{i}": {(): one, W: two, B: three} for i, (one, two, three) in enumerate(values)}
    totals: dict[str, dict[tuple[str, ...], float]] = {
        cell: dict.fromkeys(looks, 0.0) for cell, looks in raw.items()
    }
    for choice in itertools.product(*(looks.items() for looks in raw.values())):
        value = sum(score for _, score in choice)
        for piece, count in stock.items():
            over = sum(look.count(piece) for look, _ in choice) - count
            missing = PRICES.lost.some + PRICES.lost.more * (-over - PRICES.lost.few) if over < 0 else 0
            value -= missing + PRICES.found * max(over, 0)
        for cell, (look, _) in zip(raw, choice, strict=True):
            totals[cell][look] += math.exp(value)
    looks, sure = weigh(raw, stock)
    for cell, shares in totals.items():
        assert sure[cell] == pytest.approx(max(shares.values()) / sum(shares.values()), abs=1e-6)
        assert shares[looks[cell]] == pytest.approx(max(shares.values()))
