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
import math
from collections.abc import Iterator, Sequence
from functools import cache, reduce
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


Touched: TypeAlias = dict[int, tuple[int, int]]
"""How many edges arrive at a step of the way and how many depart from it, for the steps that a set of edges touches."""
NONE = (0, 0)


class Draft(NamedTuple):
    """A set of edges being grown."""

    way: Way
    edges: tuple[Edge, ...]
    """In order, so that equal sets are equal."""
    left: tuple[int, ...]
    """The numbers still to be played."""
    losses: dict[int, float]
    """The steps of the way whose scores these edges leave under 0, and are still open."""
    touched: Touched
    closed: frozenset[int] = frozenset()
    """The steps that no further edge may touch."""
    spent: float = 0.0
    """The scores of the closed steps, added up."""
    whole: bool = False
    """Whether to unfold it into all plays, or only into those that come near its promise."""


def nearest(state: State, side: Side, ways: Sequence[Way], evidence: Evidence, wanted: int, enough: float = -math.inf) -> list[Found]:
    """The results that the evidence likes most, best first: at most ``wanted``, exact within :data:`WINDOW` nats of the best. Where none
    reaches ``enough``, the best and whatever else the search has met by then."""
    if len(STASH) - len(state[OFF[side]]) <= max(len(way.numbers) for way in ways):
        return _ranked(state, side, ways, evidence, wanted)  # a win may cut the play short: few pieces, few plays
    return _Search(state, side, ways, evidence).run(wanted, enough)


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
        self.outlook = Outlook(state, side, evidence, [way.numbers for way in ways])
        self.enemy = BAR[other(side)]
        self.heap: list[tuple[float, int, int, Found | Draft]] = []
        self.met: set[object] = set()
        self.ticket = count()
        self.captive = self.outlook.given + self.outlook.captive(state[self.enemy])
        self.free = [step for step, point in enumerate(WAY[side]) if top(state[point])[0] == side]
        for way in ways:
            steps = (ENTRY, *self.outlook.wrong)
            losses = {step: loss for step in steps if (loss := self.outlook.best(step, 0, 0, len(way.numbers))) < 0.0}
            self.offer(Draft(way, (), way.numbers, losses, {}))

    def run(self, wanted: int, enough: float) -> list[Found]:
        """Best promise first; among equals results before drafts, and the fuller draft first. No promise in line is kept better than
        the first: under ``enough``, one result is all that is asked for."""
        chosen: list[Found] = []
        while self.heap and len(chosen) < wanted:
            cost, _, _, entry = heapq.heappop(self.heap)
            if isinstance(entry, Found):
                chosen.append(entry)
            elif chosen and (chosen[0].score < enough or -cost <= chosen[0].score - WINDOW):
                break
            elif entry.left:
                for draft in self.grown(entry):
                    self.offer(draft)
            else:
                self.unfold(entry, -cost, wanted - len(chosen) if -cost >= enough else 1)
        rest = sorted((entry for *_, entry in self.heap if isinstance(entry, Found)), key=lambda entry: -entry.score)
        return [*chosen, *rest][:wanted]

    def offer(self, draft: Draft) -> None:
        """Puts a draft in line, unless it has been before or cannot be."""
        key = (draft.way.numbers, draft.edges, draft.closed if draft.left else None)
        if key not in self.met:
            self.met.add(key)
            promise = self.promise(draft)
            if promise > IMPOSSIBLE / 4:
                heapq.heappush(self.heap, (-promise, 2 + len(draft.left), next(self.ticket), draft))

    def promise(self, draft: Draft) -> float:
        """The most that any play with these edges can score."""
        most = self.captive + draft.spent
        losses = draft.losses
        if not losses:
            return most
        total = most + sum(losses.values())
        if len(draft.left) == 1:
            edges = {edge for step in losses for edge in _at(step, draft.left[0])}
            return total + max((0.0, *(self.gain(edge, draft) for edge in edges if _free(edge, draft.closed))))
        return min(most, total + self.cure(draft)) if draft.left else total

    def gain(self, edge: Edge, draft: Draft) -> float:
        """What one edge more changes at both its ends."""
        moves, losses, touched = len(draft.way.numbers), draft.losses, draft.touched
        arrivals, departures = touched.get(edge.source, NONE)
        gain = self.outlook.best(edge.source, arrivals, departures + 1, moves) - losses.get(edge.source, 0.0)
        if edge.target != AWAY:
            arrivals, departures = touched.get(edge.target, NONE)
            gain += self.outlook.best(edge.target, arrivals + 1, departures, moves) - losses.get(edge.target, 0.0)
        return gain

    def cure(self, draft: Draft) -> float:
        """The most that two edges more, or any number, can cure. Each brings one departure and one arrival, so the best few edges bound
        them all; an edge played once more brings what it left of the losses at its ends."""
        moves, closed, total = len(draft.way.numbers), draft.closed, 0.0
        cures = [(step, self.outlook.cures(step, *draft.touched.get(step, NONE), moves)) for step in draft.losses]
        for number in set(draft.left):
            once: dict[int, float] = {}
            again: dict[int, float] = {}
            for step, (loss, by_coming, by_leaving) in cures:
                once[step] = once.get(step, 0.0) + by_leaving
                again[step] = again.get(step, 0.0) + loss - by_leaving
                for source in _behind(step, number):
                    if source not in closed:
                        once[source] = once.get(source, 0.0) + by_coming
                        again[source] = again.get(source, 0.0) + loss - by_coming
            times = draft.left.count(number)
            gains = sorted((*once.values(), *again.values()) if times > 1 else once.values(), reverse=True)
            total += sum(gains[:times])
        return total

    def grown(self, draft: Draft) -> Iterator[Draft]:
        """One edge more at the step that explains the picture worst, or that step closed. Where nothing is wrong, any edge that can be
        played as it is: of edges that wait for each other, the first can be."""
        way, edges, left, losses, touched, closed, spent, _ = draft
        worst = min(losses, key=losses.__getitem__, default=None)
        if worst is not None:
            others = {step: loss for step, loss in losses.items() if step != worst}
            yield Draft(way, edges, left, others, touched, closed | {worst}, spent + losses[worst])
        for number in dict.fromkeys(left):
            rest = list(left)
            rest.remove(number)
            for edge in _at(worst, number) if worst is not None else self.playable(draft, number):
                if _free(edge, closed):
                    yield self.with_edge(draft, edge, tuple(rest))

    def playable(self, draft: Draft, number: int) -> Iterator[Edge]:
        """The edges that lead from where a piece stands free or has arrived to where one can land."""
        arrived = {edge.target for edge in draft.edges}
        for step in {ENTRY, *self.free, *arrived} - {AWAY}:
            for edge in _out(step, number):
                if self.gain(edge, draft) > IMPOSSIBLE / 4:
                    yield edge

    def with_edge(self, draft: Draft, edge: Edge, left: tuple[int, ...]) -> Draft:
        """A draft with one edge more: what it changes at its two ends."""
        edges, losses = tuple(sorted((*draft.edges, edge))), draft.losses.copy()
        touched = _with(draft.touched, edge)
        for step in edge.source, edge.target:
            if step != AWAY:
                losses[step] = self.outlook.best(step, *touched[step], len(draft.way.numbers))
                if not losses[step]:
                    del losses[step]
        return Draft(draft.way, edges, left, losses, touched, draft.closed, draft.spent)

    def unfold(self, draft: Draft, promise: float, wanted: int) -> None:
        """Puts the legal results of playing just these edges in line: first those that come near the promise; the draft waits, to be
        unfolded as a whole should nothing better be left. Nothing in line is better than the promise, so as many results as are
        wanted that keep it are enough."""
        least = IMPOSSIBLE
        if not draft.whole:
            least = promise - WINDOW
            heapq.heappush(self.heap, (-least, 1, next(self.ticket), draft._replace(whole=True)))
        for found in self.unfolded(draft, least):
            key = (found.state, found.way.then)
            if key not in self.met:
                self.met.add(key)
                heapq.heappush(self.heap, (-found.score, 0, next(self.ticket), found))
                wanted -= found.score >= promise
                if not wanted:
                    return

    def unfolded(self, draft: Draft, least: float) -> Iterator[Found]:
        """Every legal result of playing just these edges that scores at least so much, depth first. What a play can still hope for is
        kept along the way, and the play given up when it is too little."""
        touched = {draft.edges: draft.touched}
        stack: list[tuple[State, tuple[Edge, ...], float, tuple[Move, ...]]] = [(self.state, draft.edges, self.promise(draft), ())]
        seen: set[tuple[State, tuple[Edge, ...]]] = set()
        while stack:
            here, left, hope, path = stack.pop()
            if not left:
                bar = here[self.enemy]  # all else has come to pass, but this may have hoped for more captures
                yield Found(hope - self.outlook.captive(bar) + self.outlook.taken(bar), here, draft.way, path)
            for edge in self.next(here, left, touched[left]):
                place = left.index(edge)
                rest = left[:place] + left[place + 1 :]
                if rest not in touched:
                    touched[rest] = reduce(_with, rest, {})
                others = hope - self.hope(edge, touched[left], here)
                for move in self.along(here, edge):
                    there = make(here, self.side, move)
                    if (there, rest) not in seen:
                        seen.add((there, rest))
                        new = others + self.hope(edge, touched[rest], there)
                        if new >= least:
                            stack.append((there, rest, new, (*path, move)))

    def next(self, state: State, left: tuple[Edge, ...], touched: Touched) -> Sequence[Edge]:
        """The edges of which one is to be played next: only one where its order does not matter, since no other edge touches its ends, no
        piece waits on the bar and none leaves the board."""
        if not state[BAR[self.side]]:
            for edge in left:
                if edge.target != AWAY and sum(touched[edge.source]) == 1 and sum(touched[edge.target]) == 1:
                    return (edge,)
        return tuple(dict.fromkeys(left))

    def hope(self, edge: Edge, left: Touched, state: State) -> float:
        """What both ends of an edge and the enemy's bar can score at best, from this state on, by what the edges left touch."""
        hope = self.outlook.captive(state[self.enemy])
        for step in edge.source, edge.target:
            if step == ENTRY:
                hope += self.outlook.entry(state[BAR[self.side]], left.get(ENTRY, NONE)[1])
            elif step != AWAY:
                place = WAY[self.side][step]
                hope += self.outlook.hope(place, state[place], *left.get(step, NONE))
        return hope

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


def _with(touched: Touched, edge: Edge) -> Touched:
    """What a set of edges touches when it has one more."""
    arrivals, departures = touched.get(edge.source, NONE)
    new = {**touched, edge.source: (arrivals, departures + 1)}
    if edge.target != AWAY:
        arrivals, departures = touched.get(edge.target, NONE)
        new[edge.target] = (arrivals + 1, departures)
    return new


def _free(edge: Edge, closed: frozenset[int]) -> bool:
    return not closed or (edge.source not in closed and edge.target not in closed)


@cache
def _out(step: int, number: int) -> tuple[Edge, ...]:
    """The edges that lead out of a step: on, or past the end of the way and round to its beginning, or off the board."""
    reach = step + number
    if reach <= LAST:
        return (Edge(step, number, reach),)
    return (Edge(step, number, reach - LAST), Edge(step, number, AWAY))


@cache
def _behind(step: int, number: int) -> tuple[int, ...]:
    """The steps from which a number leads to this one: the one behind, and where a piece would come round again."""
    return tuple(source for source in (step - number, step + LAST - number) if step and 0 <= source <= LAST)


@cache
def _at(step: int, number: int) -> tuple[Edge, ...]:
    """The edges that touch a step at either end."""
    return (*_out(step, number), *(Edge(source, number, step) for source in _behind(step, number)))
