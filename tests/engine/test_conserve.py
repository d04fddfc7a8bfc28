"""The likeliest board on which pieces add up, against trying every board."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conserve import AWAY, MORE, MOST, conserved
from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece

PIECES = ("black", "white")
LOOKS = st.lists(st.sampled_from(PIECES), max_size=3).map(lambda pieces: tuple(sorted(pieces)))
CELLS = st.dictionaries(LOOKS, st.floats(-11, 0), min_size=1, max_size=4)
EVIDENCE = st.lists(CELLS, min_size=1, max_size=5).map(
    lambda cells: Evidence.of({f"p{place}": looks for place, looks in enumerate(cells, 1)})
)
STOCK = st.fixed_dictionaries({piece: st.integers(0, 5) for piece in PIECES})


def by_trying_all(evidence: Evidence, stock: dict[Piece, int], whole: bool) -> float | None:
    totals = []
    for looks in itertools.product(*(list(options) for options in evidence.cells.values())):
        shown = Counter(piece for look in looks for piece in look)
        away = [number - shown[piece] for piece, number in stock.items()]
        if min(away) >= 0 and (not whole or max(away) <= MOST):
            totals.append(
                sum(options[look] for options, look in zip(evidence.cells.values(), looks, strict=True))
                - (sum(AWAY + MORE * (number - 1) for number in away if number) if whole else 0)
            )
    return max(totals, default=None)


@given(EVIDENCE, STOCK, st.booleans())
def test_the_board_found_is_the_likeliest_of_all_that_add_up(
    evidence: Evidence, stock: dict[Piece, int], whole: bool
) -> None:
    expected = by_trying_all(evidence, stock, whole)
    found = conserved(evidence, stock, whole, patience=1_000_000)
    if expected is None:
        assert found is None
        return
    assert found is not None
    looks, total, most = found
    assert total == most == pytest.approx(expected)
    assert total == pytest.approx(evidence.total(looks)) or (whole and total < evidence.total(looks))
    shown = Counter(piece for look in looks.values() for piece in look)
    assert all(shown[piece] <= number for piece, number in stock.items())


@given(EVIDENCE, STOCK, st.booleans(), st.integers(0, 6))
def test_a_search_that_stops_early_says_between_which_totals_the_likeliest_lies(
    evidence: Evidence, stock: dict[Piece, int], whole: bool, patience: int
) -> None:
    expected = by_trying_all(evidence, stock, whole)
    found = conserved(evidence, stock, whole, patience)
    if found is None:
        assert expected is None
        return
    shown = Counter(piece for look in found.looks.values() for piece in look)
    if math.isinf(found.total):
        assert found.looks == evidence.best()
    else:
        assert found.total <= evidence.total(found.looks) + 1e-9
        assert all(shown[piece] <= number for piece, number in stock.items())
    assert expected is None or found.total - 1e-9 <= expected <= found.most + 1e-9


def test_a_picture_of_anything_at_all_is_not_searched_for_ever() -> None:
    """Twenty-eight cells that each may look like anything: no patience reaches the end of them."""
    rng = random.Random(5)
    looks: list[Look] = [(), *((piece,) * number for piece in PIECES for number in range(1, 6))]
    bounded = 0
    for _ in range(20):
        evidence = Evidence.of(
            {f"p{place}": {look: -10 * rng.random() for look in rng.sample(looks, 6)} for place in range(28)}
        )
        found = conserved(evidence, {"white": 15, "black": 15}, True)
        assert found is not None
        assert found.total <= found.most
        bounded += found.total < found.most
    assert bounded


def test_a_checker_too_many_is_taken_from_the_cell_that_is_least_sure_of_it() -> None:
    sure: dict[Look, float] = {("white",): 0.0, (): -9.0}
    unsure: dict[Look, float] = {("white",): 0.0, (): -1.0}
    cells: dict[Cell, dict[Look, float]] = {"p1": sure, "p2": unsure, "p3": sure}
    found = conserved(Evidence.of(cells), {"white": 2}, False)
    assert found == ({"p1": ("white",), "p2": (), "p3": ("white",)}, -1.0, -1.0)


def test_a_whole_board_shows_every_piece_that_is_not_away() -> None:
    cells: dict[Cell, dict[Look, float]] = {
        "p1": {(): 0.0, ("white",): -2.0},
        "p2": {(): 0.0, ("white",): -3.0},
    }
    assert conserved(Evidence.of(cells), {"white": 1}, False) == ({"p1": (), "p2": ()}, 0.0, 0.0)
    assert conserved(Evidence.of(cells), {"white": 1}, True) == ({"p1": ("white",), "p2": ()}, -2.0, -2.0)
    assert conserved(Evidence.of(cells), {"white": 2}, True) == (
        {"p1": ("white",), "p2": ("white",)},
        -5.0,
        -5.0,
    )
    gone = -AWAY - 2 * MORE
    assert conserved(Evidence.of(cells), {"white": 3}, True) == ({"p1": (), "p2": ()}, gone, gone)
    assert conserved(Evidence.of(cells), {"white": 3 + MOST}, True) is None


def test_pieces_that_are_away_go_together_and_turn_no_stack_into_the_others() -> None:
    """Three of black's are in a pocket: with a full price for each, three white ones were called black."""
    white: Look = ("white",) * 3
    cells: dict[Cell, dict[Look, float]] = {
        "p1": {white: 0.0, ("black",) * 3: -9.0},
        "p2": {("black",) * 4: 0.0},
    }
    found = conserved(Evidence.of(cells), {"white": 3, "black": 7}, True)
    assert found is not None
    assert found.looks["p1"] == white


def test_where_there_is_too_much_to_try_what_is_missing_is_away_at_most() -> None:
    """Of a set of twelve a side, on a board of thirty places; piece by piece on, it cost 30 nats and more."""
    kinds = {"white": 12, "black": 12}
    shown = [(side,) * count for side in kinds for count in (1, 2, 2, 3, 4)] + [()] * 20
    looks: list[Look] = [(side,) * count for side in kinds for count in range(7)]
    cells: dict[Cell, dict[Look, float]] = {
        f"p{place}": dict.fromkeys(looks, -9.0) | {look: 0.0} for place, look in enumerate(shown)
    }
    found = conserved(Evidence.of(cells), dict.fromkeys(kinds, 15), True)
    assert found is not None
    assert found.total == -2 * (AWAY + 2 * MORE)


def test_many_pieces_too_many_are_found_without_trying_every_board() -> None:
    """Sixty cells that each might hold one of twenty pieces: 2 to the power of 60 boards."""
    cells: dict[Cell, dict[Look, float]] = {
        f"hex.{place},0": {("border",): 0.0, (): -1.0 - place / 100} for place in range(60)
    }
    found = conserved(Evidence.of(cells), {"border": 20}, False)
    assert found is not None
    assert found[1] == pytest.approx(-sum(1.0 + place / 100 for place in range(40)))
