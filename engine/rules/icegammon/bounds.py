"""What a picture allows to hope for, space by space: the scores that a search along the evidence reckons
with.

A space is named by its step on the player's way; step 0 is where the bar and the hand lie. All that is asked
here is: if so many of the player's pieces come to a space in this turn and so many leave it, of whatever
size, in whatever order, how well can the evidence like what is then seen? That is never less than a real play
gets, so a search that goes by it passes over nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import TypeAlias

from engine.evidence import Evidence
from engine.layout import Look, Side
from engine.rules.icegammon.board import (
    BAR,
    CELL,
    HAND,
    SEEN,
    SIZES,
    STEP,
    WAY,
    Bag,
    IceState,
    Pile,
    layers,
    look,
    other,
    pieces,
    seen,
    take,
    value,
)
from engine.rules.icegammon.steps import LAST
from engine.rules.icegammon.visible_bounds import Sight, leaving, partings, sight, within

ENTRY = 0
"""The step of the way where the bar and the hand lie."""
IMPOSSIBLE = -1e6
"""The score of a space that so many pieces cannot come to or leave. Far under any sum of scores, but it can
be added and halved."""


@lru_cache(maxsize=64)
def comers(state: IceState, side: Side, numbers: tuple[tuple[int, ...], ...]) -> Mapping[int, Bag]:
    """The sizes that one of these sets of numbers, or a part of it, can bring to each step of the way."""
    starts = {
        step: "".join(bag for colour, bag in layers(state[point]) if colour == side)
        for step, point in enumerate(WAY[side])
        if side[0] in state[point]
    }
    starts[ENTRY] = state[HAND[side]] + state[BAR[side]]
    sums: set[int] = set()
    for played in numbers:
        reached = {0}
        for number in played:
            reached |= {total + number for total in reached}
        sums |= reached
    sums.discard(0)
    found: dict[int, Bag] = {}
    for start, bag in starts.items():
        for total in sums:
            step = start + total if start + total <= LAST else start + total - LAST
            found[step] = found.get(step, "") + bag
    return found


_Liked: TypeAlias = Sequence[tuple[Sight, float]]
"""The looks that the evidence names and a play may bring about, those that it likes most first, with their
scores."""
_score = itemgetter(1)


class Bounds:
    """The best scores that one turn's evidence can give, worked out as they are asked for.

    Looks that no play can bring about are left out of it, and what even the best of a space's other looks
    loses is ``given`` up from the start: all other scores are counted from there, so that the search need not
    try to fix it.
    """

    def __init__(
        self, state: IceState, side: Side, evidence: Evidence, numbers: tuple[tuple[int, ...], ...]
    ) -> None:
        self.state, self.side, self.enemy, self.way = state, side, BAR[other(side)], WAY[side]
        self._cells, self._floor, self._moves = evidence.cells, evidence.floor, max(map(len, numbers))
        self._base: dict[int, float] = {}
        """Of the places that do not look likeliest as they are, the score of the best look that a play can
        bring about."""
        self._liked: dict[int, tuple[_Liked, float]] = {}
        """By place, the looks liked; and what any other look scores."""
        self.given = 0.0
        """What the evidence holds against every play."""
        self.wrong: dict[int, float] = {}
        """The steps of the way whose scores are under 0 if the turn leaves them alone."""
        self._entries: dict[tuple[Bag, int], float] = {}
        self._captives: dict[Bag, float] = {}
        for place, now in zip(SEEN, seen(state), strict=True):
            listed = self._cells.get(CELL[place])
            if listed is not None and (score := listed.get(now, self._floor)):
                self._settle(place, score, listed, numbers)

    def _settle(
        self, place: int, now: float, listed: Mapping[Look, float], numbers: tuple[tuple[int, ...], ...]
    ) -> None:
        """Leaves out the looks that a place cannot have after this turn, and gives up what even the best of
        the others loses."""
        content, moves = self.state[place], self._moves
        reached = comers(self.state, self.side, numbers)
        looks = [(sight(look), score) for look, score in listed.items()]
        if place <= LAST:
            step = STEP[self.side][place]
            sizes = reached.get(step, "")
            looks = [entry for entry in looks if within(content, self.side, moves, sizes, entry[0])]
        elif place == self.enemy:
            step = None
            prey = self._prey(reached)
            looks = [
                entry for entry in looks if entry[0][0] != self.side and _caught(content, entry[0][1], prey)
            ]
        else:
            step = ENTRY
            looks = [
                entry
                for entry in looks
                if entry[0][0] in (self.side, "") and _entered(content, entry[0][1], moves)
            ]
        best = self._base[place] = max(map(_score, looks), default=self._floor)
        self.given += best
        looks = [(shown, score - best) for shown, score in looks]
        looks.sort(key=_score, reverse=True)
        self._liked[place] = looks, self._floor - best
        if step is not None and now < best:
            self.wrong[step] = now - best

    def _prey(self, reached: Mapping[int, Bag]) -> list[Bag]:
        """The enemy's layers that a piece which can come there is worth enough to capture."""
        return [
            bag
            for step, sizes in reached.items()
            if sizes
            for colour, bag in layers(self.state[WAY[self.side][step]])
            if colour != self.side and value(bag) <= int(max(sizes))
        ]

    def _likes(self, place: int) -> tuple[_Liked, float]:
        """The looks liked of a place, and what any other scores: 0 where the camera says nothing."""
        known = self._liked.get(place)
        if known is None:
            listed = self._cells.get(CELL[place])
            if listed is None:
                known = (), 0.0
            else:
                looks = [(sight(look), score) for look, score in listed.items()]
                if len(looks) > 1:
                    looks.sort(key=_score, reverse=True)
                known = looks, self._floor
            self._liked[place] = known
        return known

    def score(self, place: int, look: Look) -> float:
        """The score of a place that looks so; 0 where the camera says nothing."""
        listed = self._cells.get(CELL[place])
        return 0.0 if listed is None else listed.get(look, self._floor) - self._base.get(place, 0.0)

    def hopes(self, step: int, pile: Pile, come: int, sizes: Bag) -> Sequence[float]:
        """The most that a step of the way can score when a pile stands there and so many more pieces of these
        sizes will come: by how many will leave, as far as they can; empty where they cannot come."""
        place = self.way[step]
        most = min(leaving(pile, self.side, come, sizes), self._moves)
        if most < 0:
            return ()
        liked, rest = self._likes(place)
        scores, unknown = [rest] * (most + 1), (2 << most) - 1
        for shown, score in liked:
            outs = partings(pile, self.side, come, sizes, shown) & unknown
            if outs:
                unknown ^= outs
                for out in range(most + 1):
                    if outs >> out & 1:
                        scores[out] = score
        if not come:
            scores[0] = self.score(place, look(pile))
        return scores

    def hope(self, step: int, pile: Pile, come: int, sizes: Bag, out: int) -> float:
        """The same for so many that leave; IMPOSSIBLE if they cannot."""
        place = self.way[step]
        if not come and not out:
            return self.score(place, look(pile))
        liked, rest = self._likes(place)
        for shown, score in liked:
            if partings(pile, self.side, come, sizes, shown) >> out & 1:
                return score
        return rest if out <= leaving(pile, self.side, come, sizes) else IMPOSSIBLE

    def entry(self, bar: Bag, departures: int) -> float:
        """The most that the player's bar can score when so many pieces will enter, from the hand where the
        bar is empty."""
        key = (bar, departures)
        score = self._entries.get(key)
        if score is None:
            place = BAR[self.side]
            kept = combinations(bar, max(0, len(bar) - departures))
            score = self._entries[key] = max(
                [self.score(place, pieces(self.side, "".join(bag))) for bag in kept]
            )
        return score

    def captive(self, bag: Bag) -> float:
        """The most that the enemy's bar can score once it holds these pieces: captures only add to it."""
        score = self._captives.get(bag)
        if score is None:
            liked, score = self._likes(self.enemy)
            for (owner, held), likes in liked:
                if owner != self.side and _within(bag, held):
                    score = likes
                    break
            self._captives[bag] = score
        return score

    def taken(self, bag: Bag) -> float:
        """The score of the enemy's bar when it holds just these pieces."""
        return self.score(self.enemy, pieces(other(self.side), bag))


def _entered(bar: Bag, seen: Bag, moves: int) -> bool:
    """Whether this may be left of a bar after so many moves."""
    return len(bar) - len(seen) <= moves and _within(seen, bar)


def _caught(bar: Bag, seen: Bag, prey: Sequence[Bag]) -> bool:
    """Whether a bar may come to hold this when some of these layers are captured, each whole."""
    return _within(bar, seen) and _adds_up(take(seen, bar), prey)


def _adds_up(bag: Bag, prey: Sequence[Bag]) -> bool:
    if not bag:
        return True
    return any(
        _within(layer, bag) and _adds_up(take(bag, layer), prey[place + 1 :])
        for place, layer in enumerate(prey)
    )


def _within(less: Bag, more: Bag) -> bool:
    """Whether one bag is part of another."""
    return all(less.count(size) <= more.count(size) for size in SIZES)
