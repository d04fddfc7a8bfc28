"""Strands: the moves of a turn that have to do with each other, seen from above.

An *edge* is a step seen from above: a number played from one place of the player's way to another, whichever
piece made it. The edges of a play fall apart into *strands*, sets of edges that hang together by the spaces
that they touch. What is played along one strand changes nothing for another: no space is in both, the bar can
be played first, and captured pieces only lie on the enemy's bar together. (Bearing off is the exception: a
smaller piece must be off first, wherever it was. Strands that bear off are taken for one.)

This module says what a strand is and weighs it: the most that the evidence can like what its spaces show
after so many arrivals and departures. ``growth`` finds the strands, and ``play_out`` plays along them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, reduce
from itertools import accumulate
from operator import or_
from typing import NamedTuple, TypeAlias

from engine.layout import Side
from engine.rules.icegammon.board import (
    BAR,
    HAND,
    OFF,
    SIZES,
    STASH,
    WAY,
    Bag,
    IceState,
    Pile,
    layers,
    other,
    top,
)
from engine.rules.icegammon.bounds import ENTRY, IMPOSSIBLE, Bounds
from engine.rules.icegammon.steps import LAST

AWAY = -1
"""Where an edge leads that bears off."""
OFF_BOARD = 1 << (LAST + 1)
"""The bit of a strand that bears off."""


class Edge(NamedTuple):
    """A step seen from above, in steps of the player's way."""

    source: int
    number: int
    target: int


Touch: TypeAlias = tuple[int, int, Bag, int]
"""A step of the way that a strand touches: how many pieces come there, of which sizes, and how many leave."""


class Strand:
    """A set of edges that hang together, and what is known of playing along it."""

    __slots__ = ("away", "edges", "entering", "gain", "mask", "most", "touched")

    def __init__(self, edges: tuple[Edge, ...], touched: tuple[Touch, ...], mask: int, gain: float) -> None:
        self.edges, self.touched = edges, touched
        self.mask = mask & ~OFF_BOARD
        """The steps touched, as bits."""
        self.away = mask >= OFF_BOARD
        """Whether pieces are borne off."""
        self.gain = self.most = gain
        """What the spaces touched gain over being left alone, at best; ``most`` is what is known of that by
        now."""
        self.entering = sum([out for step, _, _, out in touched if step == ENTRY]) if mask & 1 else 0
        """How many pieces come in from the bar or the hand."""


class Weaver:
    """What is known of one turn's strands."""

    def __init__(self, state: IceState, side: Side, bounds: Bounds, moves: int) -> None:
        self.bounds, self.side = bounds, side
        self.piles: list[Pile] = [state[point] if step else "" for step, point in enumerate(WAY[side])]
        self.bar, self.hand, self.off = state[BAR[side]], state[HAND[side]], state[OFF[side]]
        self.entering = bool(self.bar or self.hand)
        self.letter = other(side)[0]
        """The letter of the enemy's layers."""
        free = [step for step, pile in enumerate(self.piles) if pile and top(pile)[0] == side]
        self.starts = (ENTRY, *free) if self.entering else tuple(free)
        """The steps that a piece can leave at once."""
        self.leaving: Bag = "".join([size for size in SIZES if STASH.index(size) < len(self.off) + moves])
        """The sizes that can be borne off in this turn, if all smaller ones are first (15)."""
        self.moves = moves
        self._mending: dict[int, Sequence[float]] = {}
        self._ahead: dict[int, Mapping[int, float]] = {}
        wrong = bounds.wrong
        self.base = bounds.given + bounds.captive(state[bounds.enemy]) + sum(wrong.values())
        """What the evidence would give if nothing were played; captures may not lower it."""
        self.top = self.base - sum(wrong.values())
        """… and if all that may be fixed were."""
        self._weights: dict[tuple[int, int, Bag], Sequence[float]] = {}
        self._together: dict[tuple[Edge, ...], Strand] = {}

    def weights(self, step: int, come: int, sizes: Bag) -> Sequence[float]:
        """The most that a step can score when so many pieces of these sizes come to it: by how many leave it,
        as far as they can."""
        key = (step, come, sizes)
        scores = self._weights.get(key)
        if scores is None:
            if step != ENTRY:
                scores = self.bounds.hopes(step, self.piles[step], come, sizes)
            else:
                scores = [
                    self.bounds.entry(self.bar, out)
                    for out in range(min(self.moves, len(self.bar) + len(self.hand)) + 1)
                ]
            self._weights[key] = scores
        return scores

    def weight(self, step: int, come: int, sizes: Bag, out: int) -> float:
        """The same for so many that leave; IMPOSSIBLE if they cannot."""
        scores = self.weights(step, come, sizes)
        return scores[out] if out < len(scores) else IMPOSSIBLE

    def leaves(self, step: int, come: Bag, out: int) -> Bag:
        """The sizes that may go on from a step where these arrive."""
        if step == ENTRY:
            return kinds(self.bar if out <= len(self.bar) else self.bar + self.hand)
        return _own(self.piles[step], self.side, come)

    def fixing(self, number: int) -> Sequence[float]:
        """The most that 0, 1, 2, … edges of this number can fix: an edge fixes the steps at its ends, and no
        step twice."""
        gains = self._mending.get(number)
        if gains is None:
            each: dict[int, float] = {}
            for step, loss in self.bounds.wrong.items():
                for source in (step, *steps_behind(step, number)):
                    each[source] = each.get(source, 0.0) - loss
            best = sorted(each.values(), reverse=True)[: self.moves]
            gains = self._mending[number] = (
                *accumulate(best, initial=0.0),
                *(sum(best),) * (self.moves - len(best)),
            )
        return gains

    def ahead(self, number: int) -> Mapping[int, float]:
        """By step: what pieces that go on from it by this number fix where they arrive."""
        known = self._ahead.get(number)
        if known is None:
            wrong = self.bounds.wrong.items()
            known = self._ahead[number] = {
                source: -loss for step, loss in wrong for source in steps_behind(step, number)
            }
        return known

    def hunts(self, strand: Strand) -> bool:
        """Whether something may be captured along a strand."""
        return any(come and self.letter in self.piles[step] for step, come, _, _ in strand.touched)

    def bears_off(self, sizes: Bag) -> bool:
        """Whether one of these may be borne off in this turn."""
        return any(size in self.leaving for size in sizes)

    def together(self, strands: Sequence[Strand]) -> Strand:
        """Several strands that bear off as one."""
        edges = tuple([edge for strand in strands for edge in strand.edges])
        both = self._together.get(edges)
        if both is None:
            touched = tuple([touch for strand in strands for touch in strand.touched])
            mask = reduce(or_, [strand.mask for strand in strands], OFF_BOARD)
            both = self._together[edges] = Strand(
                edges, touched, mask, sum([strand.gain for strand in strands])
            )
        return both


@lru_cache(maxsize=1 << 10)
def kinds(bag: Bag) -> Bag:
    """Each size in a bag once, in order."""
    return "".join(sorted(set(bag)))


@lru_cache(maxsize=1 << 16)
def _own(pile: Pile, side: Side, come: Bag) -> Bag:
    return kinds(come + "".join([bag for colour, bag in layers(pile) if colour == side]))


@cache
def edges_from(step: int, number: int) -> tuple[Edge, ...]:
    """The edges that lead out of a step: on, or past the end of the way and round to its beginning, or off
    the board."""
    reach = step + number
    if reach <= LAST:
        return (Edge(step, number, reach),)
    return (Edge(step, number, reach - LAST), Edge(step, number, AWAY))


@cache
def steps_behind(step: int, number: int) -> tuple[int, ...]:
    """The steps from which a number leads to this one: the one behind, and where a piece would come round
    again."""
    return tuple(source for source in (step - number, step + LAST - number) if 0 <= source <= LAST)
