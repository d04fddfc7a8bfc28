"""All cells together: no piece appears from nowhere, and none vanishes without a reason.

Each cell by itself may hesitate between five checkers and six. But a colour has fifteen of them, and the other cells are sure of
theirs. Forward and backward sums over the cells, with the number of pieces used so far as the state, give the likeliest whole
position and the probability of every cell's look in it, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Piece

SPARE = 2
"""Pieces beyond the stock that are thought possible (somebody brought another checker)."""
LOST, FOUND = 5.0, 7.0
"""Nats against each piece too few and too many."""
UNSEEN = 0.7
"""Nats against pieces being out of view, where there is a place out of view for them."""
WEAK = -14.0
"""Looks further behind a cell's best are not followed."""
TINY = 1e-300
Option: TypeAlias = tuple[Look, tuple[int, int], float]
"""A look, how many of each piece it uses, and its likelihood."""


def weigh(raw: Mapping[Cell, Mapping[Look, float]], stock: Mapping[Piece, int], hidden: bool) -> tuple[dict[Cell, Look], dict[Cell, float]]:
    """The likeliest looks together, and the probability of each. ``hidden``: whether some places are out of view.

    ``raw`` are log-likelihoods; looks of cells hold pieces of ``stock`` only. At most two kinds of piece are counted."""
    cells = list(raw)
    pieces = tuple(stock)[:2] if len(stock) >= 2 else (*stock, "")[:2]
    most = tuple(stock.get(piece, 0) + SPARE for piece in pieces)
    options = [_options(raw[cell], pieces, most) for cell in cells]
    shape = (most[0] + 1, most[1] + 1)
    forward = [_start(shape)]
    for choice in options:
        forward.append(_step(forward[-1], choice))
    backward = [_end(stock, pieces, shape, hidden)]
    for choice in reversed(options):
        backward.append(_step_back(backward[-1], choice))
    backward.reverse()
    looks: dict[Cell, Look] = {}
    sure: dict[Cell, float] = {}
    for index, cell in enumerate(cells):
        choice = options[index]
        shares = np.array([_joined(forward[index], backward[index + 1], used) * share for _, used, share in choice])
        shares = shares / max(float(shares.sum()), TINY)
        best = int(np.argmax(shares))
        looks[cell], sure[cell] = choice[best][0], float(shares[best])
    return looks, sure


def _options(looks: Mapping[Look, float], pieces: tuple[Piece, ...], most: tuple[int, ...]) -> list[Option]:
    best = max(looks.values())
    found = []
    for look, value in looks.items():
        used = (look.count(pieces[0]), look.count(pieces[1]))
        if value - best > WEAK and used[0] <= most[0] and used[1] <= most[1]:
            found.append((look, used, math.exp(value - best)))
    return found or [((), (0, 0), 1.0)]


def _start(shape: tuple[int, int]) -> NDArray[np.float64]:
    table = np.zeros(shape)
    table[0, 0] = 1.0
    return table


def _end(stock: Mapping[Piece, int], pieces: tuple[Piece, ...], shape: tuple[int, int], hidden: bool) -> NDArray[np.float64]:
    costs = []
    for piece, length in zip(pieces, shape, strict=True):
        over = np.arange(length) - stock.get(piece, 0)
        short = np.where(over < 0, UNSEEN - 0.05 * over if hidden else -LOST * over, 0.0)
        costs.append(-(short + FOUND * np.maximum(over, 0)))
    return np.asarray(np.exp(costs[0][:, None] + costs[1][None, :]), np.float64)


def _step(table: NDArray[np.float64], options: list[Option]) -> NDArray[np.float64]:
    total = np.zeros(table.shape)
    for _, (a, b), share in options:
        total[a:, b:] += table[: table.shape[0] - a, : table.shape[1] - b] * share
    return np.asarray(total / max(float(total.max()), TINY), np.float64)


def _step_back(table: NDArray[np.float64], options: list[Option]) -> NDArray[np.float64]:
    total = np.zeros(table.shape)
    for _, (a, b), share in options:
        total[: table.shape[0] - a, : table.shape[1] - b] += table[a:, b:] * share
    return np.asarray(total / max(float(total.max()), TINY), np.float64)


def _joined(before: NDArray[np.float64], after: NDArray[np.float64], used: tuple[int, int]) -> float:
    a, b = used
    return float(np.sum(before[: before.shape[0] - a, : before.shape[1] - b] * after[a:, b:]))
