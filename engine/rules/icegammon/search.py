"""The plays that a picture likes best, found along the picture instead of through all the plays.

A doubled number has thousands of results, a picture fits a few. So the search asks first *which* moves the
picture calls for and only then how they were made:

1. ``growth`` finds the sets of moves that hang together, and ``strands`` weighs them by what the evidence may
   give at best for the spaces that they touch (``bounds``).
2. A play is a choice of strands that touch different spaces and use up the numbers. What it can score at best
   is the sum of what they gain; choices that stay under the score asked for are never looked at.
3. The strands of a choice are played out (``play_out``): every legal order, every size and every way to land,
  with exact scores.

The score asked for begins at what the evidence would give if everything that may be wrong were fixed, and is
lowered to what was passed over until there is a play. So whatever the evidence, no play is missed that scores
higher than those returned: at worst (a picture of nothing at all) the search goes through everything that the
rules allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from engine.evidence import Evidence
from engine.layout import Side
from engine.rules.icegammon.board import CELL, OFF, SEEN, STASH, Bag, IceState, look_at, put
from engine.rules.icegammon.bounds import IMPOSSIBLE, Bounds
from engine.rules.icegammon.growth import Growth, Pairs
from engine.rules.icegammon.play_out import Ending, Playout
from engine.rules.icegammon.steps import Move
from engine.rules.icegammon.strands import Strand, Weaver
from engine.rules.icegammon.turn import DiceChoice, endings

WINDOW = 6.0
"""Nats. The best play and all within this of it are found exactly; what else is returned is the best that the
search met."""
BATCH = 16
"""Choices of strands that are put in the order of what they promise before they are played out. Not all at
once: of a picture that says little there are thousands, and the first few will do."""
HAIR = 1e-9
"""Nats by which a play must be better than another to be worth looking for once there are enough."""


class FoundPlay(NamedTuple):
    """One legal result: how well the evidence likes it, the state, the choice of numbers, and one way to get
    there."""

    score: float
    state: IceState
    way: DiceChoice
    moves: tuple[Move, ...]


def nearest(
    state: IceState,
    side: Side,
    ways: Sequence[DiceChoice],
    evidence: Evidence,
    wanted: int,
    enough: float = -math.inf,
) -> list[FoundPlay]:
    """The results that the evidence likes most, best first: at most ``wanted``, exact within :data:`WINDOW`
    nats of the best. None need be given where none reaches ``enough``."""
    if len(STASH) - len(state[OFF[side]]) <= max(len(way.numbers) for way in ways):
        return _ranked(
            state, side, ways, evidence, wanted
        )  # a win may cut the play short: few pieces, few plays
    return _Search(state, side, ways, evidence, wanted).run(enough)


def _ranked(
    state: IceState, side: Side, ways: Sequence[DiceChoice], evidence: Evidence, wanted: int
) -> list[FoundPlay]:
    found: dict[tuple[IceState, int | None], FoundPlay] = {}
    for way in ways:
        for end, path in endings(state, side, way.numbers).items():
            score = sum(evidence.score(CELL[place], look_at(end, place)) for place in SEEN)
            key = (end, None if len(end[OFF[side]]) == len(STASH) else way.then)
            found.setdefault(key, FoundPlay(score, end, way, path))
    return sorted(found.values(), key=lambda entry: -entry.score)[:wanted]


_Hunting: TypeAlias = tuple[Strand, bool]
"""A strand, and whether something may be captured along it."""
_enters = attrgetter("entering")


class _Search:
    """One search: the results met, and the score that is asked for."""

    def __init__(
        self, state: IceState, side: Side, ways: Sequence[DiceChoice], evidence: Evidence, wanted: int
    ) -> None:
        self.state, self.ways, self.wanted = state, ways, wanted
        self.bounds = Bounds(state, side, evidence, tuple([way.numbers for way in ways]))
        most = max(len(way.numbers) for way in ways)
        weaver = self.weaver = Weaver(state, side, self.bounds, most)
        self.held = state[self.bounds.enemy]
        self.free = self.bounds.captive(self.held)
        fixes = 0.0
        for way in ways:
            if _mixed(way):
                fixes = max(fixes, sum([weaver.fixing(number)[1] for number in way.numbers]))
            else:
                fixes = max(fixes, weaver.fixing(way.numbers[0])[len(way.numbers)])
        self.hope = min(weaver.top, weaver.base + fixes)
        """The most that any play can score."""
        self.growths: dict[int, Growth] = {}
        self.pairs: dict[tuple[int, ...], Pairs] = {}
        self.playouts: dict[Strand, Playout] = {}
        self.found: dict[tuple[IceState, int | None], FoundPlay] = {}
        self.least = self.hope
        """The score asked for, …"""
        self.beyond = -math.inf
        """… and the most that anything passed over may score."""

    def run(self, enough: float) -> list[FoundPlay]:
        """Asks for less and less."""
        level = self.hope
        while level >= enough and level > -math.inf:
            if not self.growths:
                self.begin()
            level = max(level - WINDOW, enough)
            self.sweep(level)
            if self.found:
                best = max([entry.score for entry in self.found.values()])
                if len(self.found) < self.wanted and best - WINDOW < level:
                    self.sweep(best - WINDOW)
                return sorted(self.found.values(), key=lambda entry: -entry.score)[: self.wanted]
            if level == enough:
                break  # nothing less will do, whatever rounding makes of what was passed over
            level = self.beyond
        return []

    def begin(self) -> None:
        """Lays out the strands of every choice of numbers."""
        weaver = self.weaver
        for number in {number: None for way in self.ways for number in way.numbers}:
            most = max(way.numbers.count(number) for way in self.ways)
            others = [
                weaver.fixing(other)[1]
                for way in self.ways
                if _mixed(way) and number in way.numbers
                for other in way.numbers
                if other != number
            ]
            self.growths[number] = Growth(weaver, number, most, max(others, default=None))
        self.pairs = {way.numbers: Pairs(weaver, *way.numbers) for way in self.ways if _mixed(way)}

    def sweep(self, least: float) -> None:
        """Finds every play that scores at least so much, or as many as are wanted that nothing can beat."""
        self.least, self.beyond = least, -math.inf
        for growth in self.growths.values():
            self.pass_over(growth.grow(least))
        for pairs in self.pairs.values():
            self.pass_over(pairs.grow(least))
        for way in self.ways:
            if _mixed(way):
                one, other = way.numbers
                choices = self.mixed(
                    self.growths[one].found[1], self.growths[other].found[1], self.pairs[way.numbers].found
                )
            else:
                choices = self.alike(self.growths[way.numbers[0]].found, len(way.numbers))
            owed = min(len(self.weaver.bar), len(way.numbers))  # these must come in first (11)
            while batch := list(islice(choices, BATCH)):
                batch.sort(key=_promise, reverse=True)
                for strands in batch:
                    if not owed or sum([strand.entering for strand in strands]) >= owed:
                        self.play(way, strands)

    def pass_over(self, score: float) -> None:
        """Remembers the most that anything passed over may score."""
        if score > self.beyond and score > IMPOSSIBLE / 4:
            self.beyond = score

    def mixed(
        self, ones: list[Strand], others: list[Strand], both: list[Strand]
    ) -> Iterator[tuple[Strand, ...]]:
        """The choices of strands for two different numbers that may score enough."""
        for strand in both:
            bound = self.weaver.base + strand.most
            if bound < self.least:
                self.pass_over(bound)
            else:
                yield (strand,)
        if not others:
            return
        for one in ones:
            if self.weaver.base + one.gain + others[0].gain < self.least:
                self.pass_over(self.weaver.base + one.gain + others[0].gain)
                break
            for other in others:
                bound = self.weaver.base + one.gain + other.gain
                if bound < self.least:
                    self.pass_over(bound)
                    break
                if not one.mask & other.mask:
                    yield one, other

    def alike(self, strands: list[list[Strand]], moves: int) -> Iterator[tuple[Strand, ...]]:
        """The choices of strands for so many moves of one number that may score enough."""
        rest = [0.0] + [-math.inf] * moves
        """The most that so many moves can gain."""
        for number in range(1, moves + 1):
            rest[number] = max(
                [
                    found[0].gain + rest[number - size]
                    for size, found in enumerate(strands[: number + 1])
                    if found
                ],
                default=-math.inf,
            )

        def chosen(
            path: tuple[Strand, ...], left: int, most: int, start: int, mask: int, bound: float
        ) -> Iterator[tuple[Strand, ...]]:
            """The choices that begin with these strands, of those no longer and not before the last of
            them."""
            if not left:
                yield path
                return
            for size in range(min(left, most), 0, -1):
                found, others = strands[size], rest[left - size]
                for place in range(start if size == most else 0, len(found)):
                    strand = found[place]
                    gained = bound + strand.gain
                    if gained + others < self.least:
                        self.pass_over(gained + others)
                        break
                    if not strand.mask & mask:
                        yield from chosen(
                            (*path, strand), left - size, size, place + 1, mask | strand.mask, gained
                        )

        return chosen((), moves, moves, 0, 0, self.weaver.base)

    def play(self, way: DiceChoice, strands: tuple[Strand, ...]) -> None:
        """Plays out a choice of strands, the one that enters first (11), those that bear off as one (15)."""
        away = [strand for strand in strands if strand.away]
        if len(away) > 1:
            strands = (self.weaver.together(away), *(strand for strand in strands if not strand.away))
        ordered = [
            (strand, self.weaver.hunts(strand)) for strand in sorted(strands, key=_enters, reverse=True)
        ]
        bound = self.weaver.base + _promise(strands) + self.prey(self.held, ordered)
        if bound < self.least:
            self.pass_over(bound)
        else:
            self.extend(way, ordered, (), self.held, self.weaver.base)

    def extend(
        self, way: DiceChoice, strands: Sequence[_Hunting], done: tuple[Ending, ...], bar: Bag, gained: float
    ) -> None:
        """Every ending of the first strand, with every ending of the others, on top of what was gained and
        lies on the enemy's bar.

        What the enemy's bar scores is reckoned for all strands at once: two captures may cost no more than
        one.
        """
        if not strands:
            self.meet(way, done, bar, gained + self.prey(bar, ()))
            return
        (strand, hunts), *others = strands
        rest = gained + sum([other.most for other, _ in others])
        prey = self.prey(bar, strands)
        bound = rest + strand.most + prey
        if not hunts:
            rest += prey
        alone = hunts and bar == self.held and not _hunted(others)
        playout = self.playout(strand, self.least - rest, alone)
        number = 0
        while ending := playout.ending(number, self.least - rest):
            number += 1
            held = put(bar, ending.captured) if ending.captured else bar
            hope = rest + ending.score + (self.prey(held, others) if hunts else 0.0)
            if hope >= self.least:
                self.extend(way, others, (*done, ending), held, gained + ending.score)
            else:
                self.pass_over(hope)
            if bound < self.least:
                return
        if not hunts:
            strand.most = max(playout.most, playout.missed)
        self.pass_over(rest + playout.missed)

    def prey(self, bar: Bag, strands: Sequence[_Hunting]) -> float:
        """What the enemy's bar, which holds these pieces, can still gain, if these strands are still to be
        played."""
        return (self.bounds.captive(bar) if _hunted(strands) else self.bounds.taken(bar)) - self.free

    def playout(self, strand: Strand, least: float, alone: bool) -> Playout:
        """The endings of a strand that gain so much, and perhaps more of them: those kept, where they will
        do."""
        known = self.playouts.get(strand)
        if known is None or least < known.least or (known.alone and not alone):
            known = self.playouts[strand] = Playout(self.weaver, strand, least, alone)
        return known

    def meet(self, way: DiceChoice, done: tuple[Ending, ...], bar: Bag, score: float) -> None:
        """A play: kept if it scores enough and is new."""
        if score < self.least:
            self.pass_over(score)
            return
        state = list(self.state)
        for ending in done:
            for place, content in ending.places:
                state[place] = content
        state[self.bounds.enemy] = bar
        key = (tuple(state), way.then)
        if key in self.found:
            return
        self.found[key] = FoundPlay(
            score, key[0], way, tuple([Move(*move) for ending in done for move in ending.moves])
        )
        self.least = max(self.least, score - WINDOW)
        if len(self.found) >= self.wanted:
            best = sorted([entry.score for entry in self.found.values()], reverse=True)
            self.least = max(self.least, best[self.wanted - 1] + HAIR)


def _hunted(strands: Sequence[_Hunting]) -> bool:
    """Whether something may be captured along one of these strands."""
    return any(hunts for _, hunts in strands)


def _promise(strands: tuple[Strand, ...]) -> float:
    """The most that these strands are known to gain."""
    return sum([strand.most for strand in strands])


def _mixed(way: DiceChoice) -> bool:
    """Whether two different numbers are played, and not one number several times."""
    return len(set(way.numbers)) > 1
