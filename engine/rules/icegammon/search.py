"""The plays that a picture likes best, found along the picture instead of through all the plays.

A doubled number has thousands of results, a picture fits a few. So the search asks first *which* moves the picture calls for and only then
how they were made:

1. An *edge* is a step seen from above: a number played from one place of the way to another, whichever piece made it. A play is a
   handful of edges. What a set of edges does to a space is so many arrivals and so many departures, and the best score that the
   evidence gives to any look which those can produce (:func:`shows`) is more than any real play with these edges can get there.
2. Sets of edges are grown one at a time, best promise first. The most unlikely space is taken up: either an edge leads into it, or one
   leads out of it, or it stays as it is and its score is final. The spaces still open count as cured as far as the edges left can
   touch them (two each): a promise that is never too low, so nothing better is passed over.
3. A complete set is unfolded into the real plays that use just these edges, in every legal order, with every size and every way to land;
   they get their exact scores.

Whatever the evidence, no play that scores higher than those returned is missed: at worst (a picture of nothing at all) the search goes
through everything that the rules allow.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, count
from typing import NamedTuple

from engine.evidence import Evidence
from engine.layout import Look, Side
from engine.rules.icegammon.board import BAR, CELL, HAND, OFF, SEEN, SIZES, STASH, WAY, Pile, State, lift, look, look_at, other, pieces, top
from engine.rules.icegammon.steps import LAST, Move, landings, make, moves_from
from engine.rules.icegammon.turn import Way, endings

WINDOW = 6.0
"""Nats. The best play and all within this of it are found exactly; what else is returned is the best that the search met."""
ENTRY = 0
"""The step of the way where the bar and the hand lie."""
AWAY = -1
"""Where an edge leads that bears off."""


class Found(NamedTuple):
    """One legal result: how well the evidence likes it, the state, the choice of numbers, and one way to get there."""

    score: float
    state: State
    way: Way
    moves: tuple[Move, ...]


class Edge(NamedTuple):
    """A step seen from above, in steps of the player's way; target -1 is off the board."""

    source: int
    number: int
    target: int


@lru_cache(maxsize=1 << 16)
def shows(pile: Pile, side: Side, arrivals: int, departures: int) -> frozenset[Look]:
    """Every look that a space can have after so many of a side's pieces, of any sizes, came and left in any order; none if they cannot."""
    if not arrivals and not departures:
        return frozenset((look(pile),))
    found: set[Look] = set()
    if arrivals:
        for size in SIZES:
            for landing in landings(pile, side, size):
                found |= shows(landing.pile, side, arrivals - 1, departures)
    if departures:
        colour, bag = top(pile)
        if colour == side:
            for size in set(bag):
                found |= shows(lift(pile, size), side, arrivals, departures - 1)
    return frozenset(found)


def nearest(state: State, side: Side, ways: Sequence[Way], evidence: Evidence, wanted: int) -> list[Found]:
    """The results that the evidence likes most, best first: at most ``wanted``, exact within :data:`WINDOW` nats of the best."""
    if len(STASH) - len(state[OFF[side]]) <= max(len(way.numbers) for way in ways):
        return _ranked(state, side, ways, evidence, wanted)  # a win may cut the play short: few pieces, few plays
    return _Search(state, side, ways, evidence).run(wanted)


def _ranked(state: State, side: Side, ways: Sequence[Way], evidence: Evidence, wanted: int) -> list[Found]:
    found: list[Found] = []
    for way in ways:
        for end, path in endings(state, side, way.numbers).items():
            found.append(Found(sum(evidence.score(CELL[place], look_at(end, place)) for place in SEEN), end, way, path))
    return sorted(found, key=lambda entry: -entry.score)[:wanted]


class _Node(NamedTuple):
    """A set of edges being grown: what is left to play, and the steps of the way that no further edge may touch."""

    way: Way
    edges: tuple[Edge, ...]
    left: tuple[int, ...]
    closed: frozenset[int]


class _Search:
    """One search: the state, the evidence, and what has been worked out of them so far."""

    def __init__(self, state: State, side: Side, ways: Sequence[Way], evidence: Evidence) -> None:
        self.state, self.side, self.ways, self.evidence = state, side, ways, evidence
        self.scores: dict[tuple[int, int, int, int], float] = {}
        self.still = {place: evidence.score(CELL[place], look_at(state, place)) for place in SEEN}
        self.wrong = {step: score for step in range(1, LAST + 1) if (score := self.still[WAY[side][step]]) < 0.0}
        """The steps of the way whose looks the evidence does not believe unchanged."""
        enemy = BAR[other(side)]
        listed = evidence.cells.get(CELL[enemy])
        self.captive = max(
            (score for seen, score in (listed or {}).items() if _holds(seen, pieces(other(side), state[enemy]))),
            default=0.0 if listed is None else evidence.floor,
        )
        """The most that the enemy's bar can score: captures only add to it."""

    def run(self, wanted: int) -> list[Found]:
        """Best promise first; among equals results before sets of edges, and the fuller set first."""
        ticket = count()
        heap: list[tuple[float, int, int, Found | tuple[_Node, int | None]]] = []
        met: set[object] = set()

        def offer(node: _Node) -> None:
            key = (node.way, node.edges, node.closed if node.left else None)
            if key not in met:
                met.add(key)
                promise, worst = self.promise(node)
                if promise > -math.inf:
                    heapq.heappush(heap, (-promise, 1 + len(node.left), next(ticket), (node, worst)))

        for way in self.ways:
            offer(_Node(way, (), way.numbers, frozenset()))
        chosen: list[Found] = []
        while heap and len(chosen) < wanted:
            cost, _, _, entry = heapq.heappop(heap)
            if isinstance(entry, Found):
                chosen.append(entry)
            elif chosen and -cost < chosen[0].score - WINDOW:
                break
            elif entry[0].left:
                for node in self.grown(*entry):
                    offer(node)
            else:
                for found in self.unfolded(entry[0]):
                    if (found.state, found.way.then) not in met:
                        met.add((found.state, found.way.then))
                        heapq.heappush(heap, (-found.score, 0, next(ticket), found))
        rest = sorted((entry for *_, entry in heap if isinstance(entry, Found)), key=lambda entry: -entry.score)
        return [*chosen, *rest][:wanted]

    def best(self, step: int, arrivals: int, departures: int, moves: int) -> float:
        """The most that the evidence can give to a step of the way after so many arrivals and departures; minus infinity if
        there cannot be so many."""
        key = (step, arrivals, departures, moves)
        score = self.scores.get(key)
        if score is None:
            score = self.scores[key] = self._entered(departures, moves) if step == ENTRY else self._space(step, arrivals, departures)
        return score

    def _space(self, step: int, arrivals: int, departures: int) -> float:
        place = WAY[self.side][step]
        if not arrivals and not departures:
            return self.still[place]
        possible = shows(self.state[place], self.side, arrivals, departures)
        return self._most(place, possible) if possible else -math.inf

    def _entered(self, departures: int, moves: int) -> float:
        """The bar and the hand: the bar first (11), as many as the turn has moves for."""
        bar, hand = self.state[BAR[self.side]], self.state[HAND[self.side]]
        if departures < min(len(bar), moves) or departures > len(bar) + len(hand):
            return -math.inf
        kept = combinations(bar, max(0, len(bar) - departures))
        return self._most(BAR[self.side], frozenset(pieces(self.side, "".join(bag)) for bag in kept))

    def _most(self, place: int, possible: frozenset[Look]) -> float:
        listed = self.evidence.cells.get(CELL[place])
        if listed is None:
            return 0.0
        return max((score for seen, score in listed.items() if seen in possible), default=self.evidence.floor)

    def promise(self, node: _Node) -> tuple[float, int | None]:
        """The most that any play with these edges can score, and the open step of the way that explains the picture worst."""
        moves = len(node.way.numbers)
        touched: dict[int, list[int]] = {ENTRY: [0, 0]}
        for edge in node.edges:
            touched.setdefault(edge.source, [0, 0])[1] += 1
            if edge.target > 0:
                touched.setdefault(edge.target, [0, 0])[0] += 1
        total, losses = self.captive, []
        for step, loss in self.wrong.items():
            if step not in touched:
                if step in node.closed:
                    total += loss
                else:
                    losses.append((loss, step))
        for step, (arrivals, departures) in touched.items():
            loss = self.best(step, arrivals, departures, moves)
            if loss < 0.0:
                if step in node.closed:
                    total += loss
                else:
                    losses.append((loss, step))
        losses.sort()
        total += sum(loss for loss, _ in losses[2 * len(node.left) :])
        return total, losses[0][1] if losses else None

    def grown(self, node: _Node, worst: int | None) -> Iterator[_Node]:
        """One edge more where the picture is worst explained, or that step of the way closed; any edge where nothing is wrong."""
        if worst is not None:
            yield _Node(node.way, node.edges, node.left, node.closed | {worst})
        for place, number in enumerate(node.left):
            if number in node.left[:place]:
                continue
            if worst is None:
                edges = [edge for step in range(LAST + 1) for edge in _out(step, number)]
            else:
                edges = [*_out(worst, number), *_into(worst, number)]
            left = node.left[:place] + node.left[place + 1 :]
            for edge in edges:
                if edge.source not in node.closed and edge.target not in node.closed:
                    yield _Node(node.way, tuple(sorted((*node.edges, edge))), left, node.closed)

    def unfolded(self, node: _Node) -> Iterator[Found]:
        """Every legal result of playing just these edges."""
        level: dict[tuple[State, tuple[Edge, ...]], tuple[Move, ...]] = {(self.state, node.edges): ()}
        for _ in node.edges:
            grown: dict[tuple[State, tuple[Edge, ...]], tuple[Move, ...]] = {}
            for (here, left), path in level.items():
                for place, edge in enumerate(left):
                    if edge in left[:place]:
                        continue
                    rest = left[:place] + left[place + 1 :]
                    for move in self.along(here, edge):
                        grown.setdefault((make(here, self.side, move), rest), (*path, move))
            level = grown
        touched = {WAY[self.side][step] for edge in node.edges for step in (edge.source, edge.target) if step > 0}
        touched |= {BAR[self.side], BAR[other(self.side)]}
        rest_score = sum(score for place, score in self.still.items() if place not in touched)
        for (end, _), path in level.items():
            score = rest_score + sum(self.evidence.score(CELL[place], look_at(end, place)) for place in touched)
            yield Found(score, end, node.way, path)

    def along(self, state: State, edge: Edge) -> Iterator[Move]:
        """The steps that an edge can be from here: any size, any way to land. The bar comes first (11)."""
        bar = state[BAR[self.side]]
        if edge.source == ENTRY:
            source = BAR[self.side] if bar else HAND[self.side]
        else:
            source = WAY[self.side][edge.source]
            if bar or top(state[source])[0] != self.side:
                return
        target = OFF[self.side] if edge.target == AWAY else WAY[self.side][edge.target]
        for move in moves_from(state, self.side, source, edge.number):
            if move.target == target:
                yield move


def _out(step: int, number: int) -> list[Edge]:
    reach = step + number
    if reach <= LAST:
        return [Edge(step, number, reach)]
    return [Edge(step, number, reach - LAST), Edge(step, number, AWAY)]


def _into(step: int, number: int) -> list[Edge]:
    edges = [Edge(step - number, number, step)] if step >= number else []
    if 0 < step <= number:
        edges.append(Edge(step + LAST - number, number, step))
    return edges


def _holds(seen: Look, least: Look) -> bool:
    return all(seen.count(piece) >= least.count(piece) for piece in set(least))
