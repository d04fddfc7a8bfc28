"""Finds the strands of a turn, as far as a play with them may score enough: the others wait until less is
asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import attrgetter
from typing import TypeAlias

from engine.rules.icegammon.board import Bag
from engine.rules.icegammon.bounds import ENTRY, IMPOSSIBLE
from engine.rules.icegammon.steps import LAST
from engine.rules.icegammon.strands import (
    AWAY,
    OFF_BOARD,
    Edge,
    Strand,
    Touch,
    Weaver,
    edges_from,
    kinds,
    steps_behind,
)

_Stem: TypeAlias = tuple[float, float, tuple[Touch, ...], tuple[Edge, ...], int, int]
"""A strand without an end: what it weighs and gains so far; its touches, its edges and its mask; and how many
edges more it may have."""
_Shoot: TypeAlias = tuple[float, float, float, Touch, tuple[Touch, ...], tuple[Edge, ...], int, int]
"""A strand that grows: the most that a play with it can score; what it weighs and gains so far; how it
touches the step that it has come to; its touches before that, its edges and its mask; and how many edges more
it may have once so many go on as that touch says."""


class Growth:
    """The strands of one number, up to ``most`` edges: pieces leave a step, and from where they arrive so
    many go on.

    They grow as far as a play with them may score enough; the others wait until less is asked for.
    """

    def __init__(self, weaver: Weaver, number: int, most: int, beside: float | None) -> None:
        self.weaver, self.number, self.most = weaver, number, most
        self.fixes = weaver.fixing(number)
        """The most that so many edges more can fix."""
        self.beside = beside
        """The most that another number can fix, where this one may be played once beside it."""
        self.ahead = weaver.ahead(number)
        self.found: list[list[Strand]] = [[] for _ in range(most + 1)]
        """By how many edges they have, those that gain most first."""
        self.waiting: list[_Shoot] = []
        for start in weaver.starts:
            self._reach(self.waiting, start, 0, "", (0.0, 0.0, (), (), 0, most))
        if number == 6 and most == 4:
            for step in range(1, 7):
                self._ring(range(step, LAST + 1, 6))
            self.found[most].sort(key=_by_gain, reverse=True)

    def grow(self, least: float) -> float:
        """Finds the strands of all plays that score so much. Gives the most that any other play can score."""
        growing = [shoot for shoot in self.waiting if shoot[0] >= least]
        if growing:
            waiting = [shoot for shoot in self.waiting if shoot[0] < least]
            while growing:
                grown: list[_Shoot] = []
                self._go_on(grown, growing.pop())
                for shoot in grown:
                    (growing if shoot[0] >= least else waiting).append(shoot)
            self.waiting = waiting
            for found in self.found:
                if len(found) > 1:
                    found.sort(key=_by_gain, reverse=True)
        return max([shoot[0] for shoot in self.waiting], default=IMPOSSIBLE)

    def _go_on(self, grown: list[_Shoot], shoot: _Shoot) -> None:
        """The pieces go on from their step: to another, or past the end of the way and round, or off the
        board."""
        _, weight, gain, touch, before, edges, mask, left = shoot
        step, _, arrived, out = touch
        touched = (*before, touch)
        if not out:
            self.found[len(edges)].append(Strand(edges, touched, mask, gain))
            return
        weaver = self.weaver
        sizes, (on, *away) = weaver.leaves(step, arrived, out), edges_from(step, self.number)
        if not away:
            if not mask >> on.target & 1:  # else four sixes have led round
                self._reach(
                    grown, on.target, out, sizes, (weight, gain, touched, edges + (on,) * out, mask, left)
                )
            return
        for off in range(out + 1 if weaver.bears_off(sizes) else 1):
            around = out - off
            new = edges + (away[0],) * off + (on,) * around
            going = mask | OFF_BOARD if off else mask
            if not around:
                self.found[len(new)].append(Strand(new, touched, going, gain))
            elif not mask >> on.target & 1:
                stem = (weight, gain, touched, new, going, left)
                self._reach(grown, on.target, around, sizes, stem)
                if step == LAST and weaver.entering:
                    self._join(grown, on.target, around, sizes, stem)

    def _reach(self, grown: list[_Shoot], step: int, come: int, sizes: Bag, stem: _Stem) -> None:
        """So many pieces come to a step, and some go on, of the first at least one."""
        weight, gain, touched, edges, mask, left = stem
        weaver, fixes, beside, last = self.weaver, self.fixes, self.beside, self.most - 1
        weights, ahead = weaver.weights(step, come, sizes), self.ahead.get(step, 0.0)
        gain -= weaver.bounds.wrong.get(step, 0.0)
        most, least = weaver.top + weight, weaver.base + gain
        mask |= 1 << step
        for out in range(0 if come else 1, min(left + 1, len(weights))):
            more, fix = weights[out], fixes[left]
            if out and ahead + fixes[left - out] < fix:
                fix = ahead + fixes[left - out]
            if beside is not None and left - out == last:
                fix = max(fix, beside + ahead if out else beside)
            bound = more + (most if most < least + fix else least + fix)
            grown.append(
                (
                    bound,
                    weight + more,
                    gain + more,
                    (step, come, sizes, out),
                    touched,
                    edges,
                    mask,
                    left - out,
                )
            )

    def _join(self, grown: list[_Shoot], step: int, come: int, sizes: Bag, stem: _Stem) -> None:
        """Others enter where pieces have come round."""
        weight, gain, touched, edges, mask, left = stem
        weaver = self.weaver
        gain -= weaver.bounds.wrong.get(ENTRY, 0.0)
        weights = weaver.weights(ENTRY, 0, "")
        for entering in range(1, min(left + 1, len(weights))):
            more, both = weights[entering], kinds(sizes + weaver.leaves(ENTRY, "", entering))
            new = edges + edges_from(ENTRY, self.number) * entering
            joined = (
                weight + more,
                gain + more,
                (*touched, (ENTRY, 0, "", entering)),
                new,
                mask | 1,
                left - entering,
            )
            self._reach(grown, step, come + entering, both, joined)

    def _ring(self, steps: Sequence[int]) -> None:
        """Four sixes lead all the way round."""
        weaver = self.weaver
        sizes = reduce(lambda bag, step: weaver.leaves(step, bag, 1), steps, "")
        if not sizes:
            return
        touched = tuple([(step, 1, sizes, 1) for step in steps])
        weight = sum([weaver.weight(*touch) for touch in touched])
        if weight > IMPOSSIBLE / 4:
            gain = weight - sum([weaver.bounds.wrong.get(step, 0.0) for step in steps])
            edges = tuple([edges_from(step, 6)[0] for step in steps])
            self.found[len(edges)].append(Strand(edges, touched, sum([1 << step for step in steps]), gain))


class Pairs:
    """The strands of two different numbers, each played once: one leaves a step, and the other leaves it too,
    or goes on from where it leads, or leads there too."""

    def __init__(self, weaver: Weaver, one: int, other: int) -> None:
        self.weaver, self.one, self.other = weaver, one, other
        self.found: list[Strand] = []
        """Those that gain most first."""
        self.waiting: list[tuple[float, int, int, Strand | None]] = []
        """The most that a play with it can score; and the strand, or the step that one piece or two leave."""
        wrong = weaver.bounds.wrong
        for start in weaver.starts:
            first, second = self._mended(start)
            for out, weight in enumerate(weaver.weights(start, 0, "")[:3]):
                if out:
                    fixed = first if out == 1 else second
                    bound = min(weaver.top + weight, weaver.base + weight - wrong.get(start, 0.0) + fixed)
                    self.waiting.append((bound, start, out, None))

    def _mended(self, start: int) -> tuple[float, float]:
        """The most that can be fixed elsewhere when one piece leaves a step, and when two do."""
        ahead, then = self.weaver.ahead(self.one), self.weaver.ahead(self.other)
        near, far = edges_from(start, self.one)[0].target, edges_from(start, self.other)[0].target
        beside = max(
            [-self.weaver.bounds.wrong.get(behind, 0.0) for behind in steps_behind(near, self.other)]
        )
        here, there = ahead.get(start, 0.0), then.get(start, 0.0)
        return max(here + max(then.get(near, 0.0), beside), there + ahead.get(far, 0.0)), here + there

    def grow(self, least: float) -> float:
        """Finds the strands of all plays that score so much. Gives the most that any other play can score."""
        growing = [pair for pair in self.waiting if pair[0] >= least]
        if growing:
            self.waiting = [pair for pair in self.waiting if pair[0] < least]
            while growing:
                _, start, out, strand = growing.pop()
                if strand is not None:
                    self.found.append(strand)
                    continue
                for edges in self._from(start) if out == 1 else self._both_from(start):
                    pair = self._weighed(edges)
                    if pair[0] > IMPOSSIBLE / 4:
                        (growing if pair[0] >= least else self.waiting).append(pair)
            self.found.sort(key=_by_gain, reverse=True)
        return max([pair[0] for pair in self.waiting], default=IMPOSSIBLE)

    def _both_from(self, source: int) -> Iterator[tuple[Edge, Edge]]:
        for first in edges_from(source, self.one):
            for second in edges_from(source, self.other):
                yield first, second

    def _from(self, source: int) -> Iterator[tuple[Edge, Edge]]:
        for number, then in ((self.one, self.other), (self.other, self.one)):
            for first in edges_from(source, number):
                if first.target != AWAY:
                    for second in edges_from(first.target, then):
                        yield first, second
                    if number == self.one:
                        for behind in steps_behind(first.target, then):
                            if behind in self.weaver.starts:
                                yield first, Edge(behind, then, first.target)

    def _weighed(self, edges: tuple[Edge, Edge]) -> tuple[float, int, int, Strand]:
        """The strand of these edges, of which the second may go on from where the first leads, and what a
        play with it can score."""
        weaver, wrong = self.weaver, self.weaver.bounds.wrong
        touches: dict[int, Touch] = {}
        gain = 0.0
        mask = 0
        leaving = 2 if edges[0].source == edges[1].source else 1
        for edge in edges:
            source, _, target = edge
            _, come, sizes, _ = touches.get(source, (0, 0, "", 0))
            touches[source] = (source, come, sizes, leaving)
            coming = weaver.leaves(source, sizes, leaving)
            if target == AWAY:
                if not weaver.bears_off(coming):
                    return IMPOSSIBLE, 0, 0, _NOTHING
                mask |= OFF_BOARD
            else:
                _, come, sizes, out = touches.get(target, (0, 0, "", 0))
                touches[target] = (target, come + 1, kinds(sizes + coming) if come else coming, out)
        for step, touch in touches.items():
            gain += weaver.weight(*touch) - wrong.get(step, 0.0)
            mask |= 1 << step
        return weaver.base + gain, 0, 0, Strand(edges, tuple(touches.values()), mask, gain)


_NOTHING = Strand((), (), 0, IMPOSSIBLE)
_by_gain = attrgetter("gain")
