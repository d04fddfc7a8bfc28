"""All cells together: no piece appears from nowhere, and none vanishes without a reason.

Each cell by itself may hesitate between five checkers and six. But the game says how many of them a
colour has, and the other cells are sure of theirs. Forward and backward sums over the cells, with the number
of pieces used so far as the state, give the likeliest whole position and the probability of every cell's look
in it, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.layout import Cell, Look, Piece
from vision.geometry.camera import Floats

Options: TypeAlias = tuple[NDArray[np.int64], Floats]
"""What a cell may hold: how many pieces of either kind (N x 2), and how likely each is (N)."""


@dataclass(frozen=True)
class Missing:
    """Nats against a kind of piece being fewer than its stock: ``some`` for any that are missing, and
    ``more`` for each beyond ``few``."""

    some: float
    more: float = 0.05
    few: int = 0


@dataclass(frozen=True)
class Prices:
    """Nats against other totals than the stock. ``lost``: pieces too few (in a hand, on the floor, in a
    pocket), since who takes one off takes more (with 5 each the total made a stack the other side's when its
    own had been taken off: docs/vision-measurements.md, a checker in a hand); ``found``: each piece too many,
    of which up to ``spare`` are thought possible. ``unseen``: pieces being out of view, where there is a
    place out of view for them and nothing else is known; ``stuck``: the same of a side that is not all in one
    quarter of the board, so that none can be borne off; ``even``: a game with fewer a side, the same for
    both."""

    lost: Missing = Missing(5.0, 1.0, 1)
    found: float = 7.0
    spare: int = 2
    unseen: Missing = Missing(0.7)
    stuck: Missing = Missing(4.0, 1.0, 3)
    even: float = 2.5


PRICES = Prices()


def against(stock: int, missing: Missing) -> Floats:
    """Nats against each number of a kind of piece, from none to those too many that are thought possible."""
    over = np.arange(stock + PRICES.spare + 1) - stock
    short = missing.some + missing.more * np.maximum(-over - missing.few, 0)
    return np.where(over < 0, short, PRICES.found * over)


def weigh(
    raw: Mapping[Cell, Mapping[Look, float]],
    stock: Mapping[Piece, int],
    unseen: Mapping[Piece, Missing] | None = None,
) -> tuple[dict[Cell, Look], dict[Cell, float]]:
    """The likeliest looks together, and the probability of each. ``unseen``: where some places are out of
    view, what is against pieces being there.

    ``raw`` are log-likelihoods; looks of cells hold pieces of ``stock`` only. At most two kinds of piece are
    counted."""
    pieces = (*stock, "", "")[:2]
    most = tuple(stock.get(piece, 0) + PRICES.spare for piece in pieces)
    options = [_options(seen, pieces, most) for seen in raw.values()]
    one, two = (against(stock.get(piece, 0), (unseen or {}).get(piece, PRICES.lost)) for piece in pieces)
    chances = share([counted for _, counted in options], np.exp(-one[:, None] - two))
    looks: dict[Cell, Look] = {}
    sure: dict[Cell, float] = {}
    for cell, (kept, _), chance in zip(raw, options, chances, strict=True):
        best = int(np.argmax(chance))
        looks[cell], sure[cell] = kept[best], float(chance[best]) / (float(chance.sum()) or 1.0)
    return looks, sure


def share(cells: Sequence[Options], end: Floats) -> list[Floats]:
    """The chances of each cell's options where all cells are taken together, not normalised. ``end``: how
    likely each pair of totals is (as large as totals can be)."""
    shifts = _Shifts(end.shape)
    after, chances = end, []
    before_each = totals(cells, end.shape)[:-1]
    for (used, shares), before in zip(reversed(cells), reversed(before_each), strict=True):
        later = shifts.of(after, used)
        chances.append((later @ before.ravel()) * shares)
        after = _scaled(shares @ later).reshape(end.shape)
    return chances[::-1]


def totals(cells: Sequence[Options], shape: tuple[int, ...]) -> list[Floats]:
    """How likely each pair of totals is, not normalised: before the first cell, and after each."""
    shifts = _Shifts(shape)
    found = [np.zeros(shape)]
    found[0][0, 0] = 1.0
    for used, shares in cells:
        found.append(_scaled(shares @ shifts.of(found[-1], -used)).reshape(shape))
    return found


def _options(
    looks: Mapping[Look, float], pieces: tuple[Piece, ...], most: tuple[int, ...]
) -> tuple[Sequence[Look], Options]:
    best = max(looks.values())
    found: list[tuple[Look, tuple[int, int], float]] = []
    for look, value in looks.items():
        if value - best > -14.0:  # nats; what is further behind is not followed
            used = (look.count(pieces[0]), look.count(pieces[1]))
            if used[0] <= most[0] and used[1] <= most[1]:
                found.append((look, used, math.exp(value - best)))
    kept, numbers, shares = zip(*(found or [((), (0, 0), 1.0)]), strict=True)
    return kept, (np.array(numbers), np.array(shares))


class _Shifts:
    """Tables as they look from other numbers of pieces used."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        a, b = shape
        self._inner = (slice(a - 1, 2 * a - 1), slice(b - 1, 2 * b - 1))
        self._padded = np.zeros((3 * a - 2, 3 * b - 2))
        self._windows = sliding_window_view(self._padded, shape)

    def of(self, table: Floats, used: NDArray[np.int64]) -> Floats:
        """N x size of the table: its entries as many pieces further on as ``used`` says (N x 2), 0 beyond its
        edges."""
        self._padded[self._inner] = table
        a, b = table.shape
        found = self._windows[used[:, 0] + a - 1, used[:, 1] + b - 1]
        return np.asarray(found, np.float64).reshape(len(used), -1)


def _scaled(table: Floats) -> Floats:
    """The same with 1 as its largest entry: products of hundreds of small numbers stay numbers."""
    return np.asarray(table / (table.max() or 1.0), np.float64)
