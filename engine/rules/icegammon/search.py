"""The plays that a picture likes best, found along the picture instead of through all the plays.

A doubled number has thousands of results, a picture fits a few. So the search asks first *which* moves the picture calls for and only then
how they were made:

1. An *edge* is a step seen from above: a number played from one place of the way to another, whichever piece made it. A play is a
   handful of edges. What a set of edges does to a space is so many arrivals and so many departures; ``outlook`` says what the
   evidence can give for those at best.
2. Sets of edges are grown one at a time, best promise first. The space that explains the picture worst is taken up: an edge leads into
   it, or one leads out of it, or it stays as it is and its score is final. Spaces still open count as cured as far as the edges
   left can cure them: a promise that is never too low, so nothing better is passed over.
3. A complete set is unfolded into the real plays that use just these edges, in every legal order, with every size and every way to land;
   they get their exact scores.

Whatever the evidence, no play is missed that scores higher than those returned: at worst (a picture of nothing at all) the search goes
through everything that the rules allow.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple, TypeAlias

from engine.evidence import Evidence
from engine.layout import Side
from engine.rules.icegammon.board import BAR, CELL, HAND, OFF, SEEN, STASH, WAY, State, look_at, other, top
from engine.rules.icegammon.outlook import ENTRY, IMPOSSIBLE, Outlook
from engine.rules.icegammon.steps import LAST, Move, make, moves_from
from engine.rules.icegammon.turn import Way, endings

WINDOW = 6.0
"""Nats. The best play and all within this of it are found exactly; what else is returned is the best that the search met."""
AWAY = -1
"""Where an edge leads that bears off."""


Touched: TypeAlias = dict[int, tuple[int, int]]
"""Arrivals and departures at the steps of the way that a set of edges touches."""
NONE = (0, 0)


class Found(NamedTuple):
    """One legal result: how well the evidence likes it, the state, the choice of numbers, and one way to get there."""

    score: float
    state: State
    way: Way
    moves: tuple[Move, ...]


class Edge(NamedTuple):
    """A step seen from above, in steps of the player's way."""

    source: int
    number: int
    target: int


class Draft(NamedTuple):
    """A set of edges being grown: what is left to play, and the steps of the way that no further edge may touch."""

    way: Way
    edges: tuple[Edge, ...]
    left: tuple[int, ...]
    closed: frozenset[int]
    worst: int | None = None
    """The open step that explains the picture worst; None where nothing is wrong."""
    whole: bool = False
    """Whether to unfold it into all plays, or only into those that come near its promise."""


def nearest(state: State, side: Side, ways: Sequence[Way], evidence: Evidence, wanted: int) -> list[Found]:
    """The results that the evidence likes most, best first: at most ``wanted``, exact within :data:`WINDOW` nats of the best."""
    if len(STASH) - len(state[OFF[side]]) <= max(len(way.numbers) for way in ways):
        return _ranked(state, side, ways, evidence, wanted)  # a win may cut the play short: few pieces, few plays
    return _Search(state, side, ways, evidence).run(wanted)


def _ranked(state: State, side: Side, ways: Sequence[Way], evidence: Evidence, wanted: int) -> list[Found]:
    found: dict[tuple[State, int | None], Found] = {}
    for way in ways:
        for end, path in endings(state, side, way.numbers).items():
            score = sum(evidence.score(CELL[place], look_at(end, place)) for place in SEEN)
            key = (end, None if len(end[OFF[side]]) == len(STASH) else way.then)
            found.setdefault(key, Found(score, end, way, path))
    return sorted(found.values(), key=lambda entry: -entry.score)[:wanted]


class _Search:
    """One search: a heap of drafts by promise and of results by score."""

    def __init__(self, state: State, side: Side, ways: Sequence[Way], evidence: Evidence) -> None:
        self.state, self.side, self.evidence = state, side, evidence
        self.outlook = Outlook(state, side, evidence)
        self.enemy = BAR[other(side)]
        self.heap: list[tuple[float, int, int, Found | Draft]] = []
        self.met: set[object] = set()
        self.ticket = count()
        for way in ways:
            self.offer(Draft(way, (), way.numbers, frozenset()))

    def run(self, wanted: int) -> list[Found]:
        """Best promise first; among equals results before drafts, and the fuller draft first."""
        chosen: list[Found] = []
        while self.heap and len(chosen) < wanted:
            cost, _, _, entry = heapq.heappop(self.heap)
            if isinstance(entry, Found):
                chosen.append(entry)
            elif chosen and -cost <= chosen[0].score - WINDOW:
                break
            elif entry.left:
                for draft in self.grown(entry):
                    self.offer(draft)
            else:
                self.unfold(entry, -cost)
        rest = sorted((entry for *_, entry in self.heap if isinstance(entry, Found)), key=lambda entry: -entry.score)
        return [*chosen, *rest][:wanted]

    def offer(self, draft: Draft) -> None:
        """Puts a draft in line, unless it has been before or cannot be."""
        key = (draft.way, draft.edges, draft.closed if draft.left else None)
        if key in self.met:
            return
        self.met.add(key)
        promise, worst = self.promise(draft)
        if promise > IMPOSSIBLE / 4:
            heapq.heappush(self.heap, (-promise, 2 + len(draft.left), next(self.ticket), draft._replace(worst=worst)))

    def promise(self, draft: Draft) -> tuple[float, int | None]:
        """The most that any play with these edges can score, and the open step of the way that explains the picture worst."""
        moves, left = len(draft.way.numbers), len(draft.left)
        touched = _touched(draft.edges)
        total = most = self.outlook.captive(self.state[self.enemy])
        losses: dict[int, float] = {}
        for step in {ENTRY, *touched, *self.outlook.wrong}:
            loss = self.outlook.best(step, *touched.get(step, NONE), moves)
            if loss < 0.0:
                total += loss
                if step in draft.closed:
                    most += loss
                else:
                    losses[step] = loss
        if losses and left == 1:
            last = {edge for step in losses for edge in _at(step, draft.left[0]) if _open(edge, draft)}
            total += max((0.0, *(self.gain(edge, touched, moves) for edge in last)))
        elif losses and left:
            cures = {step: self.outlook.cures(step, *touched.get(step, NONE), moves) for step in losses}
            total += _gains(cures, draft)
        return min(total, most), min(losses, key=lambda step: losses[step]) if losses else None

    def gain(self, edge: Edge, touched: Touched, moves: int) -> float:
        """What one edge more changes at both its ends."""
        arrivals, departures = touched.get(edge.source, NONE)
        best = self.outlook.best
        gain = best(edge.source, arrivals, departures + 1, moves) - best(edge.source, arrivals, departures, moves)
        if edge.target != AWAY:
            arrivals, departures = touched.get(edge.target, NONE)
            gain += best(edge.target, arrivals + 1, departures, moves) - best(edge.target, arrivals, departures, moves)
        return gain

    def grown(self, draft: Draft) -> Iterator[Draft]:
        """One edge more where the picture is worst explained, or that step of the way closed. Where nothing is wrong, any edge that can be
        played as it is: of edges that wait for each other, the first can be."""
        way, edges, left, closed, worst, _ = draft
        if worst is not None:
            yield Draft(way, edges, left, closed | {worst})
        touched = _touched(edges)
        for place, number in enumerate(left):
            if number in left[:place]:
                continue
            for edge in _at(worst, number) if worst is not None else (edge for step in range(LAST + 1) for edge in _out(step, number)):
                if _open(edge, draft) and (worst is not None or self.gain(edge, touched, len(way.numbers)) > IMPOSSIBLE / 4):
                    yield Draft(way, tuple(sorted((*edges, edge))), left[:place] + left[place + 1 :], closed)

    def unfold(self, draft: Draft, promise: float) -> None:
        """Puts the legal results of playing just these edges in line: first those that come near the promise; the draft waits, to
        be unfolded as a whole should nothing better be left."""
        least = IMPOSSIBLE
        if not draft.whole:
            least = promise - WINDOW
            heapq.heappush(self.heap, (-least, 1, next(self.ticket), draft._replace(whole=True)))
        for found in self.unfolded(draft, least):
            key = (found.state, found.way.then)
            if key not in self.met:
                self.met.add(key)
                heapq.heappush(self.heap, (-found.score, 0, next(self.ticket), found))

    def unfolded(self, draft: Draft, least: float) -> Iterator[Found]:
        """Every legal result of playing just these edges that scores at least so much. A space that no edge left touches is settled and
        scored; a play is given up once the settled spaces cost too much."""
        steps = {step for edge in draft.edges for step in (edge.source, edge.target) if step != AWAY}
        places = {step: WAY[self.side][step] if step != ENTRY else BAR[self.side] for step in {*steps, ENTRY}}
        base = sum(score for place, score in self.outlook.still.items() if place != self.enemy and place not in places.values())
        if ENTRY not in steps:
            base += self.outlook.still[BAR[self.side]]
        level: dict[tuple[State, tuple[Edge, ...]], tuple[float, tuple[Move, ...]]] = {(self.state, draft.edges): (base, ())}
        for _ in draft.edges:
            grown: dict[tuple[State, tuple[Edge, ...]], tuple[float, tuple[Move, ...]]] = {}
            for (here, left), (settled, path) in level.items():
                for place, edge in enumerate(left):
                    if edge in left[:place]:
                        continue
                    rest = left[:place] + left[place + 1 :]
                    open_steps = {step for other_edge in rest for step in (other_edge.source, other_edge.target)}
                    done = [places[step] for step in (edge.source, edge.target) if step != AWAY and step not in open_steps]
                    for move in self.along(here, edge):
                        there = make(here, self.side, move)
                        if (there, rest) in grown:
                            continue
                        score = settled + sum(self.evidence.score(CELL[at], look_at(there, at)) for at in done)
                        if score + self.outlook.captive(there[self.enemy]) >= least:
                            grown[there, rest] = (score, (*path, move))
            level = grown
        for (end, _), (settled, path) in level.items():
            yield Found(settled + self.evidence.score(CELL[self.enemy], look_at(end, self.enemy)), end, draft.way, path)

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


def _touched(edges: tuple[Edge, ...]) -> Touched:
    touched: Touched = {}
    for edge in edges:
        arrivals, departures = touched.get(edge.source, NONE)
        touched[edge.source] = (arrivals, departures + 1)
        if edge.target != AWAY:
            arrivals, departures = touched.get(edge.target, NONE)
            touched[edge.target] = (arrivals + 1, departures)
    return touched


def _open(edge: Edge, draft: Draft) -> bool:
    return edge.source not in draft.closed and edge.target not in draft.closed


def _gains(cures: dict[int, tuple[float, float, float]], draft: Draft) -> float:
    """The most that the edges left can cure. Each brings one departure and one arrival, so the best few of them bound them all; an edge
    played once more brings what it left of the losses at its ends."""
    total = 0.0
    for number in set(draft.left):
        once: dict[int, float] = {}
        again: dict[int, float] = {}
        for step, (loss, by_coming, by_leaving) in cures.items():
            for edge in _at(step, number):
                if edge.target != AWAY and _open(edge, draft):
                    cure = by_leaving if edge.source == step else by_coming
                    once[edge.source] = once.get(edge.source, 0.0) + cure
                    again[edge.source] = again.get(edge.source, 0.0) + loss - cure
        times = draft.left.count(number)
        gains = sorted((*once.values(), *again.values()) if times > 1 else once.values(), reverse=True)
        total += sum(gains[:times])
    return total


@cache
def _out(step: int, number: int) -> tuple[Edge, ...]:
    """The edges that lead out of a step: on, or past the end of the way and round to its beginning, or off the board."""
    reach = step + number
    if reach <= LAST:
        return (Edge(step, number, reach),)
    return (Edge(step, number, reach - LAST), Edge(step, number, AWAY))


@cache
def _at(step: int, number: int) -> tuple[Edge, ...]:
    """The edges that touch a step at either end."""
    into = [Edge(step - number, number, step)] if step >= number else []
    if 0 < step <= number:
        into.append(Edge(step + LAST - number, number, step))
    return (*_out(step, number), *into)
