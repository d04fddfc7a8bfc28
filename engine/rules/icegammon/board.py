"""The board of IceGammon as plain strings: what stands where, whose way leads where, and how a win is graded.

A *bag* is a set of pieces of one colour, written as their sizes in order: ``"1123"`` is two small, a medium
and a large piece. A *pile* is what stands on a space, layer upon layer from the bottom, each layer the letter
of its colour and a bag: ``"w12b3"`` is a white layer of a small and a medium piece, pinned by a large black
one. An empty space is ``""``.

A *state* is a tuple of 31 strings: the piles of points 1-24 under their own numbers (place 0 stays empty),
then hand, bar and borne-off bag of White, then those of Black. Strings compare and hash fast and can be read
in a debugger; nothing outside this package sees them.

Each colour has its *way* (rule 6): step 1 is where a 1 enters, step 24 the last point. White's leads from 24
down to 1, Black's from 13 up to 24 and on from 1 to 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from engine.layout import POINTS, Cell, Layout, Look, Looks, Piece, Side, point_cell
from engine.position import Outcome

Bag: TypeAlias = str
Pile: TypeAlias = str
IceState: TypeAlias = tuple[str, ...]

SIDES: tuple[Side, Side] = ("white", "black")
SIZES = "123"
EACH = 5
"""Pieces of each size in a stash (rule 4)."""
STASH: Bag = "".join(size * EACH for size in SIZES)

HAND = {"white": 25, "black": 28}
BAR = {"white": 26, "black": 29}
OFF = {"white": 27, "black": 30}

WAY: dict[Side, tuple[int, ...]] = {
    "white": (0, *range(24, 0, -1)),
    "black": (0, *range(13, 25), *range(1, 13)),
}
"""The point at each step of the way; step 0, off the board, has none."""
STEP: dict[Side, dict[int, int]] = {
    side: {point: step for step, point in enumerate(way) if step} for side, way in WAY.items()
}
"""The inverse: how far along its way a piece on a point is."""
ENTRY: dict[Side, tuple[int, ...]] = {side: way[1:7] for side, way in WAY.items()}
"""The quadrant where a colour enters: its "outer board" in rules 17 and 19."""

START: IceState = ("",) * 25 + (STASH, "", "") * 2

_NAMES: dict[str, Side] = {side[0]: side for side in SIDES}
_LAYER = re.compile("([wb])([123]+)")


@lru_cache(maxsize=1 << 16)
def layers(pile: Pile) -> tuple[tuple[Side, Bag], ...]:
    """The layers of a pile, bottom to top."""
    return tuple([(_NAMES[letter], bag) for letter, bag in _LAYER.findall(pile)])


def pile_of(stack: tuple[tuple[Side, Bag], ...]) -> Pile:
    """The inverse of :func:`layers`."""
    return "".join(side[0] + bag for side, bag in stack)


@lru_cache(maxsize=1 << 16)
def top(pile: Pile) -> tuple[Side, Bag]:
    """Colour and pieces of the top layer; two empty strings where nothing stands."""
    at = max(map(pile.rfind, _NAMES))
    return (_NAMES[pile[at]], pile[at + 1 :]) if pile else ("", "")


@lru_cache(maxsize=1 << 12)
def put(bag: Bag, more: Bag) -> Bag:
    """A bag with more pieces in it."""
    return "".join(sorted(bag + more))


@lru_cache(maxsize=1 << 12)
def take(bag: Bag, less: Bag) -> Bag:
    """A bag without these pieces, all of which it holds."""
    for size in less:
        bag = bag.replace(size, "", 1)
    return bag


@lru_cache(maxsize=1 << 16)
def lift(pile: Pile, size: str) -> Pile:
    """A pile without one piece of its top layer; an emptied layer frees the one below (rule 12)."""
    bag = top(pile)[1]
    rest, under = take(bag, size), pile[: -len(bag)]
    return under + rest if rest else under[:-1]


def value(bag: Bag) -> int:
    """The pieces' points taken together (rules 4 and 10)."""
    return sum(map(int, bag))


def finished(state: IceState, side: Side) -> bool:
    """Whether this player has borne off every piece (rule 2)."""
    return len(state[OFF[side]]) == len(STASH)


def other(side: Side) -> Side:
    """The opponent."""
    return SIDES[1] if side == SIDES[0] else SIDES[0]


def grade(state: IceState, winner: Side) -> Outcome:
    """Rule 19: how much a win counts, from where the loser's pieces are. A pinned piece counts where it
    stands."""
    loser = other(winner)
    if state[OFF[loser]]:
        return Outcome(winner, "mon", 1)
    back = len(state[BAR[loser]]) + len(state[HAND[loser]])
    back += sum(len(bag) for point in ENTRY[loser] for side, bag in layers(state[point]) if side == loser)
    if back == len(STASH):
        return Outcome(winner, "mons olympus", 4)
    return Outcome(winner, "icegammon", 3) if back else Outcome(winner, "gammon", 2)


def held(state: IceState, side: Side) -> Bag:
    """Every piece of a colour, wherever it is; the stash, unless pieces are missing."""
    bag = "".join(state[place[side]] for place in (HAND, BAR, OFF))
    return put(
        "",
        bag + "".join(sizes for point in POINTS for colour, sizes in layers(state[point]) if colour == side),
    )


# What others see of a state: cells and pieces by name.

CELL: tuple[Cell, ...] = (
    "",
    *map(point_cell, POINTS),
    *(f"{place}.{side}" for side in SIDES for place in ("hand", "bar", "off")),
)
"""The name of each place of a state."""
SEEN: tuple[int, ...] = (*POINTS, BAR["white"], BAR["black"])
"""The places that a camera may see: the points and the bar. Hands and borne-off pieces lie beside the
board."""


_SEEN_CELLS = tuple(CELL[place] for place in SEEN)


@lru_cache(maxsize=1 << 12)
def pieces(side: Side, bag: Bag) -> tuple[Piece, ...]:
    """The names of a bag's pieces: ``white.1`` is White's small one."""
    return tuple(f"{side}.{size}" for size in bag)


@lru_cache(maxsize=1 << 16)
def look(pile: Pile) -> Look:
    """What a camera sees of a space: the top layer."""
    return pieces(*top(pile))


def look_at(state: IceState, place: int) -> Look:
    """What a camera sees of one place of :data:`SEEN`."""
    if place <= 24:
        return look(state[place])
    return pieces(SIDES[0] if place == BAR[SIDES[0]] else SIDES[1], state[place])


@lru_cache(maxsize=1 << 8)
def seen(state: IceState) -> tuple[Look, ...]:
    """What a camera sees of each place of :data:`SEEN`."""
    return tuple([look_at(state, place) for place in SEEN])


def looks(state: IceState) -> Looks:
    """What a camera could see, cell by cell."""
    return dict(zip(_SEEN_CELLS, seen(state), strict=True))


def layout(state: IceState) -> Layout:
    """Every piece of the state, hidden layers, hands and borne-off pieces too."""
    whole = {
        CELL[point]: tuple(pieces(*layer) for layer in layers(state[point]))
        for point in POINTS
        if state[point]
    }
    for side in SIDES:
        for place in (HAND[side], BAR[side], OFF[side]):
            if state[place]:
                whole[CELL[place]] = (pieces(side, state[place]),)
    return whole


def bags(state: IceState) -> Iterator[tuple[str, dict[Side, list[int]]]]:
    """Hand, bar and borne-off pieces in the form of JSON."""
    for name, places in (("hand", HAND), ("bar", BAR), ("off", OFF)):
        yield name, {side: [int(size) for size in state[places[side]]] for side in SIDES}
