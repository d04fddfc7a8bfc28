"""What a picture allows to hope for, space by space: the scores that a search along the evidence reckons with.

A space is named by its step on the player's way; step 0 is where the bar and the hand lie. All that is asked here is: if so many of the
player's pieces come to a space in this turn and so many leave it, of whatever size, in whatever order, how well can the evidence like
what is then seen? That is never less than a real play gets, so a search that goes by it passes over nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

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
    Pile,
    State,
    layers,
    lift,
    look,
    other,
    pieces,
    pile_of,
    seen,
    take,
    top,
    value,
)
from engine.rules.icegammon.steps import LAST, landings

ENTRY = 0
"""The step of the way where the bar and the hand lie."""
IMPOSSIBLE = -1e6
"""The score of a space that so many pieces cannot come to or leave. Far under any sum of scores, but it can be added and halved."""


CROWD = 3
"""More pieces than this coming to and leaving one space in one turn are not followed one by one."""


@lru_cache(maxsize=1 << 16)
def shows(pile: Pile, side: Side, arrivals: int, sizes: Bag, departures: int) -> frozenset[Look]:
    """Every look that a space can have after so many of a side's pieces, of these sizes, came and so many left, in any order; none if
    they cannot.

    A piece that comes or leaves uncovers one layer at most, so deeper ones do not matter.
    """
    stack, deep = layers(pile), arrivals + departures + 1
    if len(stack) > deep:
        pile = pile_of(stack[-deep:])
    return frozenset(map(look, _piles(pile, side, arrivals, sizes, departures)))


@lru_cache(maxsize=1 << 16)
def _piles(pile: Pile, side: Side, arrivals: int, sizes: Bag, departures: int) -> frozenset[Pile]:
    """The same as whole piles, by what came or left last."""
    if not arrivals and not departures:
        return frozenset((pile,))
    found: set[Pile] = set()
    if arrivals:
        for before in _piles(pile, side, arrivals - 1, sizes, departures):
            for size in sizes:
                for landing in landings(before, side, size):
                    found.add(landing.pile)
    if departures:
        for before in _piles(pile, side, arrivals, sizes, departures - 1):
            colour, bag = top(before)
            if colour == side:
                for size in set(bag):
                    found.add(lift(before, size))
    return frozenset(found)


def gathers(pile: Pile, side: Side, arrivals: int, sizes: Bag, seen: Look) -> bool:
    """Whether a space might show this look after two or more of a side's pieces, of these sizes, came and none left. It must where
    :func:`shows` says so; here and there it says yes too often, but at once.

    All of them joined one layer, their own on top or, after a capture, the one below; or the last few made a layer of their own, whose
    first piece was worth no less than what it pinned or captured.
    """
    owner, bag = seen[0].partition(".")[0] if seen else "", "".join([piece[-1] for piece in seen])
    if owner != side:
        return False
    colour, held = top(pile)
    if colour in (side, ""):
        base, least = held, int(held[-1:] or 0)
    else:
        below = layers(pile)[-2:-1]
        base, least = below[0][1] if below and below[0][0] == side else "", value(held)
    if len(bag) == len(base) + arrivals and all(0 <= bag.count(s) - base.count(s) <= (arrivals if s in sizes else 0) for s in SIZES):
        return True
    return len(bag) <= arrivals and int(bag[-1]) >= least and all(size in sizes for size in bag)


def within(pile: Pile, side: Side, moves: int, sizes: Iterable[str], seen: Look) -> bool:
    """Whether a space might show this look after a turn of so many moves, if a side's pieces of these sizes can come to it. It must
    where it can; here and there it says yes too often.

    An own look grows out of an own layer, or out of none, by a piece a move. An enemy look lies there already. Nothing is left where every
    own piece has left, and every enemy layer was captured by a piece that then left.
    """
    if seen == look(pile):
        return True
    owner, bag = seen[0].partition(".")[0] if seen else "", "".join([piece[-1] for piece in seen])
    stack = layers(pile)
    if owner == side:
        for base in (*(held for colour, held in stack if colour == side), ""):
            changes = {size: bag.count(size) - base.count(size) for size in SIZES}
            if sum(map(abs, changes.values())) <= moves and all(change <= 0 or size in sizes for size, change in changes.items()):
                return True
        return False
    if owner:
        return (owner, bag) in stack
    own = sum(len(held) for colour, held in stack if colour == side)
    enemy = sum(2 for colour, _ in stack if colour != side)
    return own + enemy <= moves and (bool(sizes) or not enemy)


@lru_cache(maxsize=64)
def comers(state: State, side: Side, numbers: tuple[tuple[int, ...], ...]) -> Mapping[int, Bag]:
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


class _Scores(dict[Look, float]):
    """What the looks of one place score, worked out as they are asked for: what the evidence says of them, counted from ``base``."""

    __slots__ = ("base", "listed", "unlisted")

    def __init__(self, listed: Mapping[Look, float], unlisted: float) -> None:
        self.listed, self.unlisted, self.base = listed, unlisted, 0.0

    def __missing__(self, look: Look) -> float:
        score = self[look] = self.listed.get(look, self.unlisted) - self.base
        return score


class Outlook:
    """The best scores that one turn's evidence can give, worked out as they are asked for.

    Looks that no play can bring about are left out of it, and what even the best of a space's other looks loses is ``given`` up from
    the start: all other scores are counted from there, so that the search need not try to mend it.
    """

    def __init__(self, state: State, side: Side, evidence: Evidence, numbers: tuple[tuple[int, ...], ...]) -> None:
        self.state, self.side, self.enemy, self.way = state, side, BAR[other(side)], WAY[side]
        self._floor = evidence.floor
        self._scores: dict[int, _Scores] = {}
        """By place. Where it does not look likeliest as it is, the base is the score of the best look that a play can bring about, …"""
        self._listed: dict[int, list[tuple[Look, float]]] = {}
        """… and from there, too, count the looks that the evidence names and a play may bring about."""
        self.given = 0.0
        """What the evidence holds against every play."""
        self.wrong: dict[int, float] = {}
        """The steps of the way whose scores are under 0 if the turn leaves them alone."""
        self._hopes: dict[tuple[int, Pile, int, Bag, int], float] = {}
        self._entries: dict[tuple[Bag, int], float] = {}
        self._captives: dict[Bag, float] = {}
        cells, floor = evidence.cells, evidence.floor
        for place, now in zip(SEEN, seen(state), strict=True):
            listed = cells.get(CELL[place])
            if listed is not None:
                scores = self._scores[place] = _Scores(listed, floor)
                if scores[now] != 0.0:
                    self._settle(place, now, listed, numbers)

    def _settle(self, place: int, now: Look, listed: Mapping[Look, float], numbers: tuple[tuple[int, ...], ...]) -> None:
        """Leaves out the looks that a place cannot have after this turn, and gives up what even the best of the others loses."""
        content, moves = self.state[place], max(map(len, numbers))
        reached = comers(self.state, self.side, numbers)
        if place <= LAST:
            step = STEP[self.side][place]
            sizes = reached.get(step, "")
            looks = [entry for entry in listed.items() if within(content, self.side, moves, sizes, entry[0])]
        elif place == self.enemy:
            step = None
            prey = self._prey(reached)
            looks = [entry for entry in listed.items() if _caught(content, sizes_of(other(self.side), entry[0]), prey)]
        else:
            step = ENTRY
            looks = [entry for entry in listed.items() if _entered(content, sizes_of(self.side, entry[0]), moves)]
        best = max([score for _, score in looks], default=self._floor)
        self.given += best
        scores = self._scores[place]
        scores.clear()
        scores.base = best
        self._listed[place] = [(look, score - best) for look, score in looks]
        if step is not None and (loss := scores[now]) < 0.0:
            self.wrong[step] = loss

    def _prey(self, reached: Mapping[int, Bag]) -> list[Bag]:
        """The enemy's layers that a piece which can come there is worth enough to capture."""
        return [
            bag
            for step, sizes in reached.items()
            if sizes
            for colour, bag in layers(self.state[WAY[self.side][step]])
            if colour != self.side and value(bag) <= int(max(sizes))
        ]

    def score(self, place: int, look: Look) -> float:
        """The score of a place that looks so; 0 where the camera says nothing."""
        scores = self._scores.get(place)
        return 0.0 if scores is None else scores[look]

    def hope(self, step: int, pile: Pile, arrivals: int, sizes: Bag, departures: int) -> float:
        """:meth:`point`, remembered."""
        key = (step, pile, arrivals, sizes, departures)
        score = self._hopes.get(key)
        if score is None:
            score = self._hopes[key] = self.point(*key)
        return score

    def point(self, step: int, pile: Pile, arrivals: int, sizes: Bag, departures: int) -> float:
        """The most that a step of the way can score when a pile stands there, and so many more pieces, of these sizes, will come and so
        many leave."""
        place = self.way[step]
        if not arrivals and not departures:
            return self.score(place, look(pile))
        if arrivals > 1 and not departures:
            if not any(landings(pile, self.side, size) for size in sizes):
                return IMPOSSIBLE
            return self._best(place, lambda seen: gathers(pile, self.side, arrivals, sizes, seen))
        if arrivals + departures > CROWD:
            return self._best(place, lambda seen: within(pile, self.side, arrivals + departures, sizes, seen))
        possible = shows(pile, self.side, arrivals, sizes, departures)
        if not possible:
            return IMPOSSIBLE
        scores = self._scores.get(place)
        return 0.0 if scores is None else max(map(scores.__getitem__, possible))

    def _best(self, place: int, may: Callable[[Look], bool]) -> float:
        """The best score of the looks named that a place may have; the floor where there is none."""
        scores = self._scores.get(place)
        if scores is None:
            return 0.0
        looks = self._listed.get(place) or scores.listed.items()
        return max([score for look, score in looks if may(look)], default=self._floor - scores.base)

    def entry(self, bar: Bag, departures: int) -> float:
        """The most that the player's bar can score when so many pieces will enter, from the hand where the bar is empty."""
        key = (bar, departures)
        score = self._entries.get(key)
        if score is None:
            place = BAR[self.side]
            kept = combinations(bar, max(0, len(bar) - departures))
            score = self._entries[key] = max([self.score(place, pieces(self.side, "".join(bag))) for bag in kept])
        return score

    def captive(self, bag: Bag) -> float:
        """The most that the enemy's bar can score once it holds these pieces: captures only add to it."""
        score = self._captives.get(bag)
        if score is None:
            held = pieces(other(self.side), bag)
            score = self._captives[bag] = self._best(self.enemy, lambda seen: _holds(seen, held))
        return score

    def taken(self, bag: Bag) -> float:
        """The score of the enemy's bar when it holds just these pieces."""
        return self.score(self.enemy, pieces(other(self.side), bag))


def sizes_of(side: Side, seen: Look) -> Bag | None:
    """The sizes of the pieces seen; None where one of them is not this side's."""
    if any(piece[0] != side[0] for piece in seen):
        return None
    return "".join([piece[-1] for piece in seen])


def _holds(seen: Look, least: Look) -> bool:
    return all(seen.count(piece) >= least.count(piece) for piece in set(least))


def _entered(bar: Bag, seen: Bag | None, moves: int) -> bool:
    """Whether this may be left of a bar after so many moves."""
    return seen is not None and len(bar) - len(seen) <= moves and _within(seen, bar)


def _caught(bar: Bag, seen: Bag | None, prey: Sequence[Bag]) -> bool:
    """Whether a bar may come to hold this when some of these layers are captured, each whole."""
    return seen is not None and _within(bar, seen) and _adds_up(take(seen, bar), prey)


def _adds_up(bag: Bag, prey: Sequence[Bag]) -> bool:
    if not bag:
        return True
    return any(_within(layer, bag) and _adds_up(take(bag, layer), prey[place + 1 :]) for place, layer in enumerate(prey))


def _within(less: Bag, more: Bag) -> bool:
    """Whether one bag is part of another."""
    return all(less.count(size) <= more.count(size) for size in SIZES)
