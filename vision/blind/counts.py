"""From tops to counts: how likely each number of checkers of each side is on every point and on the bar.

Each cell's tops are independent chances; a point holds one side only. Then the whole board is asked: the game
says how many checkers a side has (and some may be borne off), which settles many a doubt about a second layer
or a faint mark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from engine.layout import Cell, Look, point_of
from vision import stock_inference
from vision.geometry.board_measures import SIDES
from vision.geometry.camera import Floats
from vision.reading import COVERED, Raw
from vision.stock_inference import PRICES, Missing, Options

Pairs: TypeAlias = dict[tuple[int, int], float]
"""The probability of each pair of counts (White's, Black's)."""
ONE_BAR = "bar"
"""Both sides' bars as one cell."""
MISSED = 0.004
"""The chance that one more checker stands at a stack's end, unseen."""


@dataclass(frozen=True)
class Chance:
    """One top as the counter sees it: the probability that it is a checker here, that it lies on another one,
    that it is white's."""

    here: float
    double: float
    white: float


@dataclass(frozen=True)
class FullRow:
    """A row of ``length`` checkers that somebody looked at closely: how likely each number lies ``upon`` it,
    from none."""

    length: int
    upon: Floats


def point(chances: Sequence[Chance], full: FullRow | None = None, covered: bool = False) -> Pairs:
    """What stands on one point. Without a closer look at it each top tells of the one that it lies on.
    ``covered``: the row may go on under something."""
    row, heres = np.ones(1), sum(chance.here for chance in chances)
    for chance in chances:
        double = 0.0 if full else chance.double
        row = np.convolve(row, [1 - chance.here, chance.here * (1 - double), chance.here * double])
    if full:
        row = np.concatenate([row[: full.length], np.convolve(row[full.length :], full.upon)])
    row = np.convolve(row, [1 - MISSED, MISSED])
    if covered:
        row = np.convolve(row, COVERED.more)
    # The checkers of a point are one side's, and lit alike: they are asked together whose they are.
    white = sum(chance.here * chance.white for chance in chances) / heres if heres else 0.5
    found = {(0, 0): float(row[0])}
    for count, value in enumerate(row[1:].tolist(), 1):
        found |= {(count, 0): white * value, (0, count): (1 - white) * value}
    return {pair: value for pair, value in found.items() if value > 1e-7}


def bar(chances: Sequence[Chance]) -> Pairs:
    """What stands on the bar."""
    table = np.zeros((len(chances) + 1, len(chances) + 1))
    table[0, 0] = 1.0
    for chance in chances:
        after = table * (1 - chance.here)
        after[1:] += table[:-1] * chance.here * chance.white
        after[:, 1:] += table[:, :-1] * chance.here * (1 - chance.white)
        table = after
    return {(int(w), int(b)): float(table[w, b]) for w, b in np.argwhere(table > 1e-7)}


def conserve(cells: Mapping[Cell, Pairs], on_board: Floats) -> dict[Cell, Pairs]:
    """The same probabilities, knowing how many checkers a side has on the board (see :func:`totals`)."""
    chances = stock_inference.share([_options(pairs, len(on_board)) for pairs in cells.values()], on_board)
    out: dict[Cell, Pairs] = {}
    for (cell, pairs), values in zip(cells.items(), chances, strict=True):
        whole = float(values.sum()) or 1.0
        out[cell] = dict(zip(pairs, (values / whole).tolist(), strict=True))
    return out


def borne_off(cells: Mapping[Cell, Pairs], on_board: Floats) -> Pairs:
    """What both sides have borne off, each by itself: what of its stock is not on the board. ``cells`` are as
    they are before anything is known of totals."""
    stock = len(on_board) - 1 - PRICES.spare
    options = [_options(pairs, len(on_board)) for pairs in cells.values()]
    table = stock_inference.totals(options, on_board.shape)[-1] * on_board
    table = table[: stock + 1, : stock + 1] / max(float(table[: stock + 1, : stock + 1].sum()), 1e-300)
    white, black = (
        [(stock - count, float(part)) for count, part in enumerate(table.sum(axis=axis)) if part > 1e-6]
        for axis in (1, 0)
    )
    return {(one, two): part * other for one, part in white for two, other in black}


def all_home(cells: Mapping[Cell, Pairs]) -> tuple[bool, bool]:
    """Whether each side's checkers are all in one quarter of the board, so that some may be borne off."""
    likely = {cell: max(pairs, key=pairs.__getitem__) for cell, pairs in cells.items()}

    def home(side: int) -> bool:
        taken = {point_of(cell) for cell, pair in likely.items() if pair[side]}
        return None not in taken and len({(number - 1) // 6 for number in taken if number}) <= 1

    return home(0), home(1)


def totals(home: tuple[bool, bool], stock: int, hidden: bool = False) -> Floats:
    """How likely each pair of totals on the board is (white down, black across), not normalised. ``home`` is
    :func:`all_home`'s; where places are ``hidden``, any number up to the stock may be on the others."""
    if hidden:
        one = np.exp(-stock_inference.against(stock, Missing(0.0, 0.0)))
        return np.asarray(one[:, None] * one, np.float64)
    white, black = (stock_inference.against(stock, PRICES.unseen if near else PRICES.stuck) for near in home)
    table = np.exp(-white[:, None] - black)
    n = np.arange(len(table))
    even = (n[:, None] == n) & (n < stock)
    return np.asarray(np.where(even, np.maximum(table, np.exp(-PRICES.even)), table), np.float64)


def _options(pairs: Pairs, size: int) -> Options:
    used = np.array(list(pairs), np.int64)
    fits = (used < size).all(axis=1)
    return np.minimum(used, size - 1), np.where(fits, list(pairs.values()), 0.0)


def looks(cells: Mapping[Cell, Pairs], doubt: float) -> Raw:
    """The log-likelihoods of looks, where the two sides' names may be the wrong way round (``doubt``, 0-1).
    On the bar and where they are borne off each side has a cell of its own."""
    raw: Raw = {}
    for cell, pairs in cells.items():
        if point_of(cell) is None:
            raw |= {f"{cell}.{side}": _looks(pairs, doubt, (side,)) for side in SIDES}
        else:
            raw[cell] = _looks(pairs, doubt, SIDES)
    return raw


def _looks(pairs: Pairs, doubt: float, sides: tuple[str, ...]) -> dict[Look, float]:
    found: dict[Look, float] = {}
    white, black = ((side,) if side in sides else () for side in SIDES)
    for (one, two), chance in pairs.items():
        for part, look in ((1 - doubt, white * one + black * two), (doubt, white * two + black * one)):
            found[look] = found.get(look, 0.0) + part * chance
    return {look: math.log(max(chance, 1e-9)) for look, chance in found.items()}
