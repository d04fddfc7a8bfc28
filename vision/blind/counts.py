"""From tops to counts: how likely each number of checkers of each side is on every point and on the bar.

Each cell's tops are independent chances; a point holds one side only. Then the whole board is asked: a side
has fifteen checkers (some games fewer, and some may be borne off), which settles many a doubt about a second
layer or a faint mark. The sum over everything that could stand elsewhere is exact (forward and backward over
the cells, one table of both sides' totals)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look
from vision.stock_inference import Shifts

Floats = NDArray[np.float64]
Choice = tuple[NDArray[np.int64], Floats]
"""How many checkers of each side a cell may hold (N x 2), and how likely each is (N)."""

MOST = 15
"""Checkers a side, usually."""
SIZE = 20
"""Totals looked at are under this."""
MISSED = 0.004
"""The chance that one more checker stands at a stack's end, unseen."""
FEWER = 4.0
"""Nats against a side that has fewer than MOST on the board although not all are in one quarter of it, so
that none can be borne off."""
HOME = 0.7
"""Nats against it where all are in one quarter."""
EVEN = 2.5
"""Nats against a game with fewer than MOST checkers a side, the same for both."""
MORE = 7.0
"""Nats for each checker above MOST."""


@dataclass(frozen=True)
class Chance:
    """One top as the counter sees it: the probability that it is a checker here, that it lies on another one,
    that it is white's."""

    here: float
    double: float
    white: float


def point(chances: Sequence[Chance], upon: Floats | None = None, full: int = 0) -> dict[int, float]:
    """The probability of each signed count (+ white, - black) on one point. ``upon``: how likely each number
    of checkers lies upon a row of ``full`` ones, where somebody looked closely; else each one tells of the
    one that lies on it."""
    found: dict[int, float] = {}
    for sign in (1, -1):
        row = np.ones(1)
        for chance in chances:
            own = chance.white if sign > 0 else 1 - chance.white
            double = chance.double if upon is None else 0.0
            one = chance.here * (1 - double) * own
            row = np.convolve(row, [1 - chance.here, one, chance.here * double * own])
        if upon is not None:
            row = np.concatenate([row[:full], np.convolve(row[full:], upon)])
        row = np.convolve(row, [1 - MISSED, MISSED]) if chances else np.array([1 - MISSED / 2, MISSED / 2])
        for count, value in enumerate(row):
            if count == 0:
                found[0] = max(found.get(0, 0.0), float(value))
            else:
                found[sign * count] = float(value)
    total = sum(found.values())
    return {count: value / total for count, value in found.items() if value / total > 1e-7}


def bar(chances: Sequence[Chance]) -> dict[tuple[int, int], float]:
    """The probability of each pair of counts (white, black) on the bar."""
    table = np.zeros((len(chances) + 1, len(chances) + 1))
    table[0, 0] = 1.0
    for chance in chances:
        after = table * (1 - chance.here)
        after[1:] += table[:-1] * chance.here * chance.white
        after[:, 1:] += table[:, :-1] * chance.here * (1 - chance.white)
        table = after
    return {(int(w), int(b)): float(table[w, b]) for w, b in np.argwhere(table > 1e-7)}


def together(
    points: Mapping[Cell, Mapping[int, float]],
    onbar: Mapping[tuple[int, int], float],
    home: tuple[bool, bool],
) -> tuple[dict[Cell, dict[int, float]], dict[tuple[int, int], float]]:
    """The same probabilities, knowing how many checkers a side has. ``home``: whether a side's checkers may
    all be in one quarter of the board."""
    cells = [*map(_signed, points.values()), _pairs(onbar)]
    shifts = Shifts((SIZE, SIZE))
    before = [_nothing()]
    for used, chance in cells[:-1]:
        before.append((chance @ shifts.of(before[-1], -used)).reshape(SIZE, SIZE))
    after = totals(home)
    sums: list[list[float]] = []
    for (used, chance), front in zip(reversed(cells), reversed(before), strict=True):
        later = shifts.of(after, used)
        sums.append((chance * (later @ front.ravel())).tolist())
        after = (chance @ later).reshape(SIZE, SIZE)
    sums.reverse()
    out: dict[Cell, dict[int, float]] = {}
    for name, row, values in zip(points, points.values(), sums, strict=False):
        whole = sum(values) or 1.0
        out[name] = {count: value / whole for count, value in zip(row, values, strict=True)}
    whole = sum(sums[-1]) or 1.0
    return out, {pair: value / whole for pair, value in zip(onbar, sums[-1], strict=True)}


def borne_off(
    points: Mapping[Cell, Mapping[int, float]],
    onbar: Mapping[tuple[int, int], float],
    home: tuple[bool, bool],
) -> tuple[dict[int, float], dict[int, float]]:
    """The probability of each number of checkers that White and Black have borne off, of MOST: those that are
    not on the board. ``points`` and ``onbar`` are the cells' own, before anything is known of totals."""
    table, shifts = _nothing(), Shifts((SIZE, SIZE))
    for used, chance in (*map(_signed, points.values()), _pairs(onbar)):
        table = (chance @ shifts.of(table, -used)).reshape(SIZE, SIZE)
    table = table[: MOST + 1, : MOST + 1] * totals(home)[: MOST + 1, : MOST + 1]
    table /= max(float(table.sum()), 1e-300)
    white, black = (
        {MOST - n: float(p) for n, p in enumerate(table.sum(axis=axis)) if p > 1e-6} for axis in (1, 0)
    )
    return white, black


def totals(home: tuple[bool, bool]) -> Floats:
    """How likely each pair of totals on the board is (SIZE x SIZE, white down, black across), not
    normalised."""
    n = np.arange(SIZE)
    sides = [
        np.where(n == MOST, 0.0, np.where(n < MOST, -(HOME if home[s] else FEWER), -MORE * (n - MOST)))
        for s in (0, 1)
    ]
    table = np.exp(sides[0][:, None] + sides[1][None, :])
    even = (n[:, None] == n[None, :]) & (n[:, None] < MOST)
    return np.asarray(np.where(even, np.maximum(table, np.exp(-EVEN)), table), np.float64)


def _nothing() -> Floats:
    """The table of totals before any cell is looked at: none of either."""
    table = np.zeros((SIZE, SIZE))
    table[0, 0] = 1.0
    return table


def _signed(row: Mapping[int, float]) -> Choice:
    return _pairs({(max(count, 0), max(-count, 0)): chance for count, chance in row.items()})


def _pairs(chances: Mapping[tuple[int, int], float]) -> Choice:
    used = np.array(list(chances), np.int64)
    fits = (used < SIZE).all(axis=1)
    return np.minimum(used, SIZE - 1), np.where(fits, list(chances.values()), 0.0)


def looks(row: Mapping[int, float]) -> dict[Look, float]:
    """Signed counts as looks."""
    return {("white" if count > 0 else "black",) * abs(count): value for count, value in row.items()}
