"""The likeliest board on which no piece comes from nowhere.

A camera says of each cell by itself what it may look like. The likeliest looks of all cells together can show
sixteen white checkers. Then some cell is not what it seems most to be, and the question is which change costs
least. Where they show fourteen, one may have been misread, or be in somebody's hand.

The search begins at the likeliest looks and fixes one piece's count at a time: whatever the right board is,
it differs from the likeliest looks in some cell that brings this count nearer to what exists. Partial
corrections are taken up in the order of their cost and the least that must still be paid (A*), so the first
whole one found is the likeliest board.

Pictures that show anything at all could be fixed in too many ways to try. The search then stops, and says
between which totals the likeliest board's lies: who asks can be unsure, but is never told a wrong total.
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

AWAY = 6.0
"""Nats against a piece being in a hand, on the floor or in a pocket, where every cell is in view (1 in
400)."""
MORE = 1.0
"""Nats against each further one of its kind: who takes one off takes more."""
MOST = 5
"""Pieces of a kind that may be away."""
PATIENCE = 150
"""Changes tried before the search stops: about a millisecond. Pictures that a judge can use need some dozens
at most."""

Counts = dict[Piece, int]


class Conserved(NamedTuple):
    """The likeliest board found, and how likely the likeliest can be, in nats: ``total`` at least, ``most``
    at most.

    They differ where the search stopped early. Where it had found no board by then, ``total`` is minus
    infinity, and the looks are the likeliest of each cell by itself.
    """

    looks: Mapping[Cell, Look]
    total: float
    most: float


class Change(NamedTuple):
    """Another look for a cell: what it costs in nats, and how many more of each piece it shows."""

    cost: float
    cell: Cell
    look: Look
    more: Counts


class Correction(NamedTuple):
    """Changes made so far: the least that the whole can cost, a tie-breaker, the cost so far, the changes,
    and the pieces too many."""

    promise: float
    number: int
    cost: float
    looks: Mapping[Cell, Look]
    surplus: Counts


def conserved(
    evidence: Evidence, stock: Mapping[Piece, int], whole: bool, patience: int = PATIENCE
) -> Conserved | None:
    """The likeliest looks of the cells seen in which no piece is shown more often than it exists.

    ``whole``: all cells are seen, so that a piece that is shown less often than it exists is away, at a
    price. None where no choice among the looks that the evidence lists adds up: the camera is then wrong
    somewhere.
    """
    best = evidence.best()
    surplus = Counter(piece for look in best.values() for piece in look)
    surplus.subtract(stock)
    if not _amiss(surplus, whole):
        return Conserved(best, 0.0, 0.0)
    away = _gone(stock) if whole and evidence.caution else ()
    changes = [*_changes(evidence, best), *away]
    found, least = _Table(changes, whole).search(dict(surplus), patience)
    if found is not None:
        return Conserved(
            {cell: found.looks.get(cell, look) for cell, look in best.items()}, -found.cost, -least
        )
    return None if math.isinf(least) else Conserved(best, -math.inf, -least)


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
                    yield Change(
                        looks[top] - value,
                        cell,
                        look,
                        {piece: number for piece, number in more.items() if number},
                    )


def _gone(stock: Mapping[Piece, int]) -> Iterator[Change]:
    """Pieces that are not on the board: each kind of them is in a place of its own."""
    for piece, there in stock.items():
        for number in range(1, min(there, MOST) + 1):
            away = (piece,) * number
            yield Change(AWAY + MORE * (number - 1), f"away.{piece}", away, {piece: number})


class _Table:
    """The changes, sorted by what they fix."""

    def __init__(self, changes: list[Change], whole: bool) -> None:
        self.whole = whole
        self.fixing: dict[tuple[Piece, bool], list[Change]] = {}
        for change in sorted(changes, key=lambda change: (change.cost, change.cell, change.look)):
            for piece, number in change.more.items():
                if whole or number < 0:
                    self.fixing.setdefault((piece, number < 0), []).append(change)
        self.prices = {key: self._prices(key[0], listed) for key, listed in self.fixing.items()}

    def _prices(self, piece: Piece, changes: list[Change]) -> list[float]:
        """The least that it costs to fix 0, 1, 2, … of a piece by these changes, each cell fixing all that
        it can at its best price.

        A change that fixes other counts too is charged to each in proportion, so that prices of several
        pieces may be added.
        """
        price: dict[Cell, float] = {}
        units: Counter[Cell] = Counter()
        for change in changes:
            fixed = sum(abs(number) for number in change.more.values() if self.whole or number < 0)
            price[change.cell] = min(price.get(change.cell, math.inf), change.cost / fixed)
            units[change.cell] = max(units[change.cell], abs(change.more[piece]))
        return list(accumulate(sorted(price[cell] for cell in units.elements()), initial=0.0))

    def least(self, piece: Piece, number: int) -> float:
        """The least that it can cost to fix the count of one piece, ``number`` too many (or too few, below
        0)."""
        prices = self.prices.get((piece, number > 0), [0.0])
        return prices[abs(number)] if abs(number) < len(prices) else math.inf

    def search(self, surplus: Counts, patience: int) -> tuple[Correction | None, float]:
        """The cheapest correction found, and what the cheapest there is costs at least (infinite where there
        is none).

        Two quick corrections come first: they are often the cheapest already, and bound what is worth looking
        at.
        """
        numbers = count()
        start = Correction(self._left(surplus), next(numbers), 0.0, {}, surplus)
        quick = [each for each in (self._hurried(start, numbers), self._each_alone(start, numbers)) if each]
        found = min(quick, key=lambda each: each.cost, default=None)
        heap = [] if math.isinf(start.promise) else [start]
        known: set[frozenset[tuple[Cell, Look]]] = set()
        stop = next(numbers) + patience
        while heap and (found is None or heap[0].promise < found.cost):
            if next(numbers) > stop:
                return found, heap[0].promise
            for grown in self._grown(heapq.heappop(heap), numbers, math.inf if found is None else found.cost):
                key = frozenset(grown.looks.items())
                if key in known or (found is not None and grown.promise >= found.cost):
                    continue
                known.add(key)
                if not _amiss(grown.surplus, self.whole):
                    found = grown
                else:
                    heapq.heappush(heap, grown)
        return found, math.inf if found is None else found.cost

    def _hurried(self, here: Correction | None, numbers: Iterator[int]) -> Correction | None:
        """Straight on, by the most promising step each time."""
        while here is not None and _amiss(here.surplus, self.whole):
            here = min(self._grown(here, numbers, math.inf), default=None)
        return here

    def _each_alone(self, here: Correction, numbers: Iterator[int]) -> Correction | None:
        """Each count by the cheapest change that fixes it and no other: so many pieces are away."""
        for piece in _amiss(here.surplus, self.whole):
            number = here.surplus[piece]
            alone = (
                change
                for change in self.fixing.get((piece, number > 0), ())
                if change.more == {piece: -number} and change.cell not in here.looks
            )
            change = next(alone, None)
            if change is None:
                return None
            here = self._with(here, change, next(numbers))
        return here

    def _left(self, surplus: Mapping[Piece, int]) -> float:
        """The least that it can cost to fix all counts."""
        return sum(self.least(piece, surplus[piece]) for piece in _amiss(surplus, self.whole))

    def _grown(self, correction: Correction, numbers: Iterator[int], limit: float) -> Iterator[Correction]:
        """One change more, of all that help the count that is dearest to fix, cheapest first; none that must
        reach ``limit``."""
        worst = max(
            _amiss(correction.surplus, self.whole),
            key=lambda piece: (self.least(piece, correction.surplus[piece]), piece),
        )
        for change in self.fixing.get((worst, correction.surplus[worst] > 0), ()):
            cost = correction.cost + change.cost
            if cost >= limit:
                return
            if change.cell in correction.looks:
                continue
            grown = self._with(correction, change, next(numbers))  # whether or not it is any good: the work
            if grown.promise < limit:
                yield grown

    def _with(self, correction: Correction, change: Change, number: int) -> Correction:
        """A correction with one change more."""
        surplus = dict(correction.surplus)
        for piece, more in change.more.items():
            surplus[piece] = surplus.get(piece, 0) + more
        cost = correction.cost + change.cost
        looks = {**correction.looks, change.cell: change.look}
        return Correction(cost + self._left(surplus), number, cost, looks, surplus)
