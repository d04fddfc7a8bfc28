"""One step: one piece, one number, one way to land. Rules 5, 8 and 10-17, each where it acts.

A die moves one piece of the top layer of a space, or brings one in from the bar or the hand; it may carry a
piece past the end of its way, off the board or round to where it entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from engine.layout import POINTS, Side
from engine.rules.icegammon.board import (
    BAR,
    HAND,
    OFF,
    STASH,
    STEP,
    WAY,
    Bag,
    IceState,
    Pile,
    lift,
    other,
    put,
    take,
    top,
)
from engine.rules.icegammon.board import value as worth

CAPTURE = "*"
PIN = "^"
LAST = 24
"""The last step of every way; a die that reaches past it bears off or re-enters."""


class Move(NamedTuple):
    """One step. Places are those of a state: a point, or the player's hand, bar or borne-off pieces."""

    size: str
    source: int
    target: int
    mark: str
    """``*`` captures, ``^`` pins, empty stands on a free space, joins its own layer or leaves the board."""


class Landing(NamedTuple):
    """One way to land on a space."""

    mark: str
    pile: Pile
    captured: Bag


@lru_cache(maxsize=1 << 16)
def landings(pile: Pile, side: Side, size: str) -> tuple[Landing, ...]:
    """Every way for a piece to land on a space; none where it is blocked.

    * A free space takes any piece.
    * An own top layer (13) is joined, or pinned by a piece worth at least each of its pieces.
    * An enemy top layer (10, 14) must be worth no more, taken together, than the piece. It is captured whole
      (11), and the piece then joins an own layer below or pins an enemy one, whatever its size; or it is
      pinned (12) where it stands.
    """
    colour, bag = top(pile)
    pinned = pile + side[0] + size
    if not colour:
        return (Landing("", pinned, ""),)
    if colour == side:
        joined = Landing("", _joined(pile, size), "")
        return (joined, Landing(PIN, pinned, "")) if size >= bag[-1] else (joined,)
    if int(size) < worth(bag):
        return ()
    below = pile[: -len(bag) - 1]
    taken = _joined(below, size) if top(below)[0] == side else below + side[0] + size
    return (Landing(CAPTURE, taken, bag), Landing(PIN, pinned, ""))


def _joined(pile: Pile, size: str) -> Pile:
    bag = top(pile)[1]
    return pile[: -len(bag)] + put(bag, size)


def sources(state: IceState, side: Side) -> Iterator[int]:
    """The places from which a piece can start now: the bar alone while it holds any (11), else the hand (5)
    and free layers (12)."""
    if state[BAR[side]]:
        yield BAR[side]
        return
    if state[HAND[side]]:
        yield HAND[side]
    for point in POINTS:
        if state[point] and top(state[point])[0] == side:
            yield point


def moves_from(state: IceState, side: Side, source: int, number: int) -> Iterator[Move]:
    """Every step from one place by one number, whether or not the bar comes first."""
    on_board = source <= LAST
    bag = top(state[source])[1] if on_board else state[source]
    reach = (STEP[side][source] if on_board else 0) + number
    target = WAY[side][reach if reach <= LAST else reach - LAST]
    for size in dict.fromkeys(bag):
        if reach > LAST and may_leave(state, side, size):
            yield Move(size, source, OFF[side], "")
        for landing in landings(state[target], side, size):
            yield Move(size, source, target, landing.mark)


def may_leave(state: IceState, side: Side, size: str) -> bool:
    """Rule 15: no smaller piece is left anywhere, so every smaller one is off. The throw need not be exact
    (16)."""
    smaller = STASH.index(size)
    return state[OFF[side]][:smaller] == STASH[:smaller]


def moves(state: IceState, side: Side, number: int) -> Iterator[Move]:
    """Every step by one number."""
    for source in sources(state, side):
        yield from moves_from(state, side, source, number)


def make(state: IceState, side: Side, move: Move) -> IceState:
    """The state after a step. A re-entering piece (17) lands like any other."""
    size, source, target, mark = move
    new = list(state)
    new[source] = lift(state[source], size) if source <= LAST else take(state[source], size)
    if target > LAST:
        new[target] = put(state[target], size)
        return tuple(new)
    for landing in landings(new[target], side, size):
        if landing.mark == mark:
            new[target] = landing.pile
            if landing.captured:
                enemy = BAR[other(side)]
                new[enemy] = put(state[enemy], landing.captured)
            return tuple(new)
    raise ValueError(f"no such landing: {move}")
