"""All cells together: no piece appears from nowhere, and none vanishes without a reason.

Each cell by itself may hesitate between five checkers and six. But a colour has fifteen of them, and the
other cells are sure of theirs. Forward and backward sums over the cells, with the number of pieces used so
far as the state, give the likeliest whole position and the probability of every cell's look in it, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.layout import Cell, Look, Piece

SPARE = 2
"""Pieces beyond the stock that are thought possible (somebody brought another checker)."""
LOST, FOUND = 5.0, 7.0
"""Nats against each piece too few and too many."""
UNSEEN = 0.7
"""Nats against pieces being out of view, where there is a place out of view for them and nothing else is
known."""
WEAK = -14.0
"""Looks further behind a cell's best are not followed."""
TINY = 1e-300


@dataclass(frozen=True)
class _Options:
    """What a cell may show: ``looks``, how many pieces each uses (``used``: N x 2), and its likelihood
    (``shares``: N)."""

    looks: Sequence[Look]
    used: NDArray[np.int64]
    shares: NDArray[np.float64]


def weigh(
    raw: Mapping[Cell, Mapping[Look, float]],
    stock: Mapping[Piece, int],
    unseen: Mapping[Piece, float] | None = None,
) -> tuple[dict[Cell, Look], dict[Cell, float]]:
    """The likeliest looks together, and the probability of each. ``unseen``: where some places are out of
    view, the nats against any of a piece being there.

    ``raw`` are log-likelihoods; looks of cells hold pieces of ``stock`` only. At most two kinds of piece are
    counted."""
    pieces = tuple(stock)[:2] if len(stock) >= 2 else (*stock, "")[:2]
    most = tuple(stock.get(piece, 0) + SPARE for piece in pieces)
    options = [_options(looks, pieces, most) for looks in raw.values()]
    shape = (most[0] + 1, most[1] + 1)
    shifts = Shifts(shape)
    forward = [_start(shape)]
    for choice in options:
        forward.append(_scaled(choice.shares @ shifts.of(forward[-1], -choice.used)).reshape(shape))
    after = _end(stock, pieces, shape, unseen)
    chances: list[NDArray[np.float64]] = []
    for choice, before in zip(reversed(options), reversed(forward[:-1]), strict=True):
        later = shifts.of(after, choice.used)
        chances.append((later @ before.ravel()) * choice.shares)
        after = _scaled(choice.shares @ later).reshape(shape)
    looks: dict[Cell, Look] = {}
    sure: dict[Cell, float] = {}
    for cell, choice, chance in zip(raw, options, reversed(chances), strict=True):
        best = int(np.argmax(chance))
        looks[cell], sure[cell] = choice.looks[best], float(chance[best]) / max(float(chance.sum()), TINY)
    return looks, sure


def _options(looks: Mapping[Look, float], pieces: tuple[Piece, ...], most: tuple[int, ...]) -> _Options:
    best = max(looks.values())
    found: list[tuple[Look, tuple[int, int], float]] = []
    for look, value in looks.items():
        if value - best > WEAK:
            used = (look.count(pieces[0]), look.count(pieces[1]))
            if used[0] <= most[0] and used[1] <= most[1]:
                found.append((look, used, math.exp(value - best)))
    kept, numbers, shares = zip(*(found or [((), (0, 0), 1.0)]), strict=True)
    return _Options(kept, np.array(numbers), np.array(shares))


class Shifts:
    """Tables as they look from other numbers of pieces used."""

    def __init__(self, shape: tuple[int, int]) -> None:
        a, b = shape
        self._inner = (slice(a - 1, 2 * a - 1), slice(b - 1, 2 * b - 1))
        self._padded = np.zeros((3 * a - 2, 3 * b - 2))
        self._windows = sliding_window_view(self._padded, shape)

    def of(self, table: NDArray[np.float64], used: NDArray[np.int64]) -> NDArray[np.float64]:
        """N x size of the table: its entries as many pieces further on as ``used`` says (N x 2), 0 beyond its
        edges."""
        self._padded[self._inner] = table
        a, b = table.shape
        return np.asarray(self._windows[used[:, 0] + a - 1, used[:, 1] + b - 1], np.float64).reshape(
            len(used), -1
        )


def _start(shape: tuple[int, int]) -> NDArray[np.float64]:
    table = np.zeros(shape)
    table[0, 0] = 1.0
    return table


def _end(
    stock: Mapping[Piece, int],
    pieces: tuple[Piece, ...],
    shape: tuple[int, int],
    unseen: Mapping[Piece, float] | None,
) -> NDArray[np.float64]:
    costs = []
    for piece, length in zip(pieces, shape, strict=True):
        over = np.arange(length) - stock.get(piece, 0)
        short = np.where(
            over < 0, -LOST * over if unseen is None else unseen.get(piece, UNSEEN) - 0.05 * over, 0.0
        )
        costs.append(-(short + FOUND * np.maximum(over, 0)))
    return np.asarray(np.exp(costs[0][:, None] + costs[1][None, :]), np.float64)


def _scaled(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same with 1 as its largest entry: products of hundreds of small numbers stay numbers."""
    return np.asarray(table / max(float(table.max()), TINY), np.float64)
