"""The likeliest board on which no piece comes from nowhere.

A camera says of each cell by itself what it may look like. The likeliest looks of all cells together can show sixteen white checkers.
Then some cell is not what it seems most to be, and the question is which change costs least.

The search begins at the likeliest looks and mends one piece's count at a time: whatever the right board is, it differs from the
likeliest looks in some cell that brings this count nearer to what exists. Partial mendings are taken up in the order of their
cost and the least that must still be paid (A*), so the first whole one found is the likeliest board.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate, count
from typing import NamedTuple

from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece

PATIENCE = 4000
"""Partial mendings looked at before the search settles for the best board found, though a likelier one may exist."""
DESPAIR = 100_000
"""… and before it gives up where none has been found at all."""

Counts = dict[Piece, int]


class Change(NamedTuple):
    """Another look for a cell: what it costs in nats, and how many more of each piece it shows."""

    cost: float
    cell: Cell
    look: Look
    more: Counts


class Mending(NamedTuple):
    """Changes made so far: the least that the whole can cost, a tie-breaker, the cost so far, the changes, and the pieces too many."""

    promise: float
    number: int
    cost: float
    looks: Mapping[Cell, Look]
    surplus: Counts


def conserved(evidence: Evidence, stock: Mapping[Piece, int], whole: bool) -> tuple[Mapping[Cell, Look], float] | None:
    """The likeliest looks of the cells seen in which no piece is shown more often than it exists, and their total in nats.

    ``whole``: each piece must be shown exactly as often as it exists. None where no choice among the looks that the evidence lists adds
    up: the camera is then wrong somewhere.
    """
    best = evidence.best()
    surplus = Counter(piece for look in best.values() for piece in look)
    surplus.subtract(stock)
    amiss = _amiss(surplus, whole)
    if not amiss:
        return best, 0.0
    changes = list(_changes(evidence, best))
    table = _Table(changes, whole)
    found = table.search(dict(surplus))
    return None if found is None else ({**best, **found.looks}, -found.cost)


def _amiss(surplus: Mapping[Piece, int], whole: bool) -> list[Piece]:
    """The pieces shown too often (or, of a whole board, too seldom)."""
    return [piece for piece, number in surplus.items() if number > 0 or (whole and number)]


def _changes(evidence: Evidence, best: Mapping[Cell, Look]) -> Iterator[Change]:
    """Every look but the likeliest of every cell."""
    for cell, looks in evidence.cells.items():
        top = best[cell]
        if len(looks) > 1:
            for look, value in looks.items():
                if look != top:
                    more = Counter(look)
                    more.subtract(Counter(top))
                    yield Change(looks[top] - value, cell, look, {piece: number for piece, number in more.items() if number})


class _Table:
    """The changes, sorted by what they mend."""

    def __init__(self, changes: list[Change], whole: bool) -> None:
        self.whole = whole
        self.mending: dict[tuple[Piece, bool], list[Change]] = {}
        for change in sorted(changes, key=lambda change: (change.cost, change.cell, change.look)):
            for piece, number in change.more.items():
                if whole or number < 0:
                    self.mending.setdefault((piece, number < 0), []).append(change)
        self.prices = {key: self._prices(key[0], listed) for key, listed in self.mending.items()}

    def _prices(self, piece: Piece, changes: list[Change]) -> list[float]:
        """The least that it costs to mend 0, 1, 2, … of a piece by these changes, each cell mending all that it can at its best price.

        A change that mends other counts too is charged to each in proportion, so that prices of several pieces may be added.
        """
        price: dict[Cell, float] = {}
        units: Counter[Cell] = Counter()
        for change in changes:
            mended = sum(abs(number) for number in change.more.values() if self.whole or number < 0)
            price[change.cell] = min(price.get(change.cell, math.inf), change.cost / mended)
            units[change.cell] = max(units[change.cell], abs(change.more[piece]))
        return list(accumulate(sorted(price[cell] for cell in units.elements()), initial=0.0))

    def least(self, piece: Piece, number: int) -> float:
        """The least that it can cost to mend the count of one piece, ``number`` too many (or too few, below 0)."""
        prices = self.prices.get((piece, number > 0), [0.0])
        return prices[abs(number)] if abs(number) < len(prices) else math.inf

    def search(self, surplus: Counts) -> Mending | None:
        """The cheapest mending; None where there is none.

        A greedy mending comes first: it is often the cheapest already, and always bounds what is worth looking at.
        """
        numbers = count()
        start = Mending(self._left(surplus), next(numbers), 0.0, {}, surplus)
        found = self._hurried(start, numbers)
        heap = [start]
        known: set[frozenset[tuple[Cell, Look]]] = set()
        while heap and (looked_at := next(numbers)) < DESPAIR:
            limit = math.inf if found is None else found.cost
            if heap[0].promise >= limit or (found is not None and looked_at > PATIENCE):
                break
            for grown in self._grown(heapq.heappop(heap), numbers, limit):
                key = frozenset(grown.looks.items())
                if grown.promise >= limit or key in known:
                    continue
                known.add(key)
                if not _amiss(grown.surplus, self.whole):
                    found, limit = grown, grown.cost
                else:
                    heapq.heappush(heap, grown)
        return found

    def _hurried(self, here: Mending | None, numbers: Iterator[int]) -> Mending | None:
        """Straight on, by the most promising step each time."""
        while here is not None and _amiss(here.surplus, self.whole):
            here = min((step for step in self._grown(here, numbers, math.inf) if not math.isinf(step.promise)), default=None)
        return here

    def _left(self, surplus: Mapping[Piece, int]) -> float:
        """The least that it can cost to mend all counts."""
        return sum(self.least(piece, surplus[piece]) for piece in _amiss(surplus, self.whole))

    def _grown(self, mending: Mending, numbers: Iterator[int], limit: float) -> Iterator[Mending]:
        """One change more, of all that help the count that is dearest to mend; cheapest first, none that alone reaches ``limit``."""
        worst = max(_amiss(mending.surplus, self.whole), key=lambda piece: (self.least(piece, mending.surplus[piece]), piece))
        for change in self.mending.get((worst, mending.surplus[worst] > 0), ()):
            cost = mending.cost + change.cost
            if cost >= limit:
                return
            if change.cell in mending.looks:
                continue
            surplus = dict(mending.surplus)
            for piece, number in change.more.items():
                surplus[piece] = surplus.get(piece, 0) + number
            yield Mending(cost + self._left(surplus), next(numbers), cost, {**mending.looks, change.cell: change.look}, surplus)
