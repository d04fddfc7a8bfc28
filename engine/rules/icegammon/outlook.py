"""What a picture allows to hope for, space by space: the scores that a search along the evidence reckons with.

A space is named by its step on the player's way; step 0 is where the bar and the hand lie. All that is asked here is: if so many of the
player's pieces come to a space in this turn and so many leave it, of whatever size, in whatever order, how well can the evidence like
what is then seen? That is never less than a real play gets, so a search that goes by it passes over nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    top,
    value,
)
from engine.rules.icegammon.steps import LAST, landings

ENTRY = 0
"""The step of the way where the bar and the hand lie."""
IMPOSSIBLE = -1e6
"""The score of a space that so many pieces cannot come to or leave. Far under any sum of scores, but it can be added and halved."""


CROWD = 3
"""More pieces than this coming to or leaving one space in one turn are not followed: they may show anything."""


@lru_cache(maxsize=1 << 16)
def shows(pile: Pile, side: Side, arrivals: int, departures: int) -> frozenset[Look]:
    """Every look that a space can have after so many of a side's pieces, of any sizes, came and left in any order; none if they cannot.

    A piece that comes or leaves uncovers one layer at most, so deeper ones do not matter.
    """
    stack = layers(pile)[-(arrivals + departures + 1) :]
    return frozenset(map(look, _piles(pile_of(stack), side, arrivals, departures)))


@lru_cache(maxsize=1 << 16)
def _piles(pile: Pile, side: Side, arrivals: int, departures: int) -> frozenset[Pile]:
    """The same as whole piles, by what came or left last."""
    if not arrivals and not departures:
        return frozenset((pile,))
    found: set[Pile] = set()
    if arrivals:
        for before in _piles(pile, side, arrivals - 1, departures):
            for size in SIZES:
                found.update(landing.pile for landing in landings(before, side, size))
    if departures:
        for before in _piles(pile, side, arrivals, departures - 1):
            colour, bag = top(before)
            if colour == side:
                found.update(lift(before, size) for size in set(bag))
    return frozenset(found)


def gathers(pile: Pile, side: Side, arrivals: int, seen: Look) -> bool:
    """Whether a space might show this look after two or more of a side's pieces came and none left. It must where :func:`shows` says so;
    here and there it says yes too often, but at once.

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
    joined = len(bag) == len(base) + arrivals and all(bag.count(size) >= base.count(size) for size in SIZES)
    return joined or (len(bag) <= arrivals and int(bag[-1]) >= least)


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


def comers(state: State, side: Side, numbers: Iterable[tuple[int, ...]]) -> dict[int, Bag]:
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


class Outlook:
    """The best scores that one turn's evidence can give, worked out as they are asked for.

    Looks that no play can bring about are left out of it, and what even the best of a space's other looks loses is ``given`` up from
    the start: the search need not try to mend it.
    """

    def __init__(self, state: State, side: Side, evidence: Evidence, numbers: Sequence[tuple[int, ...]]) -> None:
        self.state, self.side = state, side
        self.listed: dict[int, Mapping[Look, float]] = {
            place: listed for place in SEEN if (listed := evidence.cells.get(CELL[place])) is not None
        }
        self.floors = dict.fromkeys(self.listed, evidence.floor)
        self.given = 0.0
        """What the evidence holds against every play."""
        self.wrong: dict[int, float] = {}
        """The steps of the way that the evidence does not believe unchanged."""
        reached, moves = comers(state, side, numbers), max(map(len, numbers))
        for step in range(1, LAST + 1):
            place = WAY[side][step]
            if self.score(place, look(state[place])) < 0.0:
                self._settle(place, moves, reached.get(step, ""))
                loss = self.score(place, look(state[place]))
                if loss < 0.0:
                    self.wrong[step] = loss
        self._best: dict[tuple[int, int, int, int], float] = {}
        self._hopes: dict[tuple[int, Pile, int, int], float] = {}
        self._cures: dict[tuple[int, int, int, int], tuple[float, float, float]] = {}
        self._entries: dict[tuple[Bag, int], float] = {}
        self._captives: dict[Bag, float] = {}

    def _settle(self, place: int, moves: int, reached: Bag) -> None:
        """Leaves out the looks that a space cannot have, and counts from the best that it can."""
        pile = self.state[place]
        possible = {seen: score for seen, score in self.listed[place].items() if within(pile, self.side, moves, reached, seen)}
        best = max(possible.values(), default=self.floors[place])
        self.given += best
        self.listed[place] = {seen: score - best for seen, score in possible.items()}
        self.floors[place] -= best

    def score(self, place: int, seen: Look) -> float:
        """The score of a place that looks so; 0 where the camera says nothing."""
        listed = self.listed.get(place)
        return 0.0 if listed is None else listed.get(seen, self.floors[place])

    def best(self, step: int, arrivals: int, departures: int, moves: int) -> float:
        """The most that a step can score after so many arrivals and departures, in a turn of so many moves."""
        key = (step, arrivals, departures, moves)
        score = self._best.get(key)
        if score is None:
            if step == ENTRY:
                bar, hand = self.state[BAR[self.side]], self.state[HAND[self.side]]
                owed = min(len(bar), moves)  # the bar goes first (11)
                score = self.entry(bar, departures) if owed <= departures <= len(bar) + len(hand) else IMPOSSIBLE
            else:
                place = WAY[self.side][step]
                score = self.hope(place, self.state[place], arrivals, departures)
            self._best[key] = score
        return score

    def hope(self, place: int, pile: Pile, arrivals: int, departures: int) -> float:
        """The most that a point can score when a pile stands there, and so many more pieces will come and leave."""
        key = (place, pile, arrivals, departures)
        score = self._hopes.get(key)
        if score is None:
            score = self._hopes[key] = self._point(place, pile, arrivals, departures)
        return score

    def _point(self, place: int, pile: Pile, arrivals: int, departures: int) -> float:
        if arrivals > 1 and not departures:
            if not any(landings(pile, self.side, size) for size in SIZES):
                return IMPOSSIBLE
            listed = self.listed.get(place)
            if listed is None:
                return 0.0
            return max((score for seen, score in listed.items() if gathers(pile, self.side, arrivals, seen)), default=self.floors[place])
        if arrivals + departures > CROWD:
            return 0.0
        possible = shows(pile, self.side, arrivals, departures)
        return self._most(place, possible) if possible else IMPOSSIBLE

    def entry(self, bar: Bag, departures: int) -> float:
        """The most that the player's bar can score when so many pieces will enter, from the hand where the bar is empty."""
        key = (bar, departures)
        score = self._entries.get(key)
        if score is None:
            kept = combinations(bar, max(0, len(bar) - departures))
            score = self._entries[key] = self._most(BAR[self.side], frozenset(pieces(self.side, "".join(bag)) for bag in kept))
        return score

    def _most(self, place: int, possible: frozenset[Look]) -> float:
        listed = self.listed.get(place)
        if listed is None:
            return 0.0
        return max((score for seen, score in listed.items() if seen in possible), default=self.floors[place])

    def cures(self, step: int, arrivals: int, departures: int, moves: int) -> tuple[float, float, float]:
        """A step's loss, and how much of it one arrival and one departure makes good where more may follow: any two of them may
        together make good all of it, so each is credited with half at least."""
        key = (step, arrivals, departures, moves)
        gains = self._cures.get(key)
        if gains is None:
            loss = -self.best(step, arrivals, departures, moves)
            by_leaving = max(loss / 2, loss + self.best(step, arrivals, departures + 1, moves))
            by_coming = max(loss / 2, loss + self.best(step, arrivals + 1, departures, moves)) if step != ENTRY else 0.0
            gains = self._cures[key] = (loss, by_coming, by_leaving)
        return gains

    def captive(self, bag: Bag) -> float:
        """The most that the enemy's bar can score once it holds these pieces: captures only add to it."""
        score = self._captives.get(bag)
        if score is None:
            enemy = other(self.side)
            place, least = BAR[enemy], pieces(enemy, bag)
            listed = self.listed.get(place)
            score = 0.0 if listed is None else max((s for seen, s in listed.items() if _holds(seen, least)), default=self.floors[place])
            self._captives[bag] = score
        return score

    def taken(self, bag: Bag) -> float:
        """The score of the enemy's bar when it holds just these pieces."""
        enemy = other(self.side)
        return self.score(BAR[enemy], pieces(enemy, bag))


def _holds(seen: Look, least: Look) -> bool:
    return all(seen.count(piece) >= least.count(piece) for piece in set(least))
