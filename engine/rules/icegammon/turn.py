"""A turn: which numbers may be played, every ending that a full play reaches, and whether there is any. Rules
7-9."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from engine.layout import Side
from engine.position import Dice
from engine.rules.icegammon.board import IceState, finished
from engine.rules.icegammon.steps import Move, make, moves

DOUBLED = 4
"""Moves that a doubled number, and then its opposite, must make (9)."""


def opposite(number: int) -> int:
    """The number on the other side of the die (9)."""
    return 7 - number


@dataclass(frozen=True, slots=True)
class DiceChoice:
    """One choice that the player has: numbers to be played in any order, all of them, and the number of the
    stage after it."""

    numbers: tuple[int, ...]
    then: int | None


@lru_cache(maxsize=256)
def ways(dice: Dice) -> tuple[DiceChoice, ...]:
    """The choices of two dice out of those rolled (7). A pair is one choice however many dice show it (9)."""
    faces = sorted(set(dice), reverse=True)
    doubles = [DiceChoice((face,) * DOUBLED, opposite(face)) for face in faces if dice.count(face) > 1]
    singles = [
        DiceChoice((high, low), None) for place, high in enumerate(faces) for low in faces[place + 1 :]
    ]
    return (*doubles, *singles)


def orders(numbers: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The orders in which these numbers can be played, each once."""
    return tuple(dict.fromkeys(permutations(numbers)))


def endings(state: IceState, side: Side, numbers: tuple[int, ...]) -> dict[IceState, tuple[Move, ...]]:
    """Every state that a full play of these numbers reaches, with one way to get there.

    Bearing off the last piece ends the play at once and counts as a full one. States are merged
    after every step: however many orders lead to one, it is followed once.
    """
    found: dict[IceState, tuple[Move, ...]] = {}
    for order in orders(numbers):
        level: dict[IceState, tuple[Move, ...]] = {state: ()}
        for number in order:
            grown: dict[IceState, tuple[Move, ...]] = {}
            for here, path in level.items():
                for move in moves(here, side, number):
                    there = make(here, side, move)
                    if there not in grown:
                        grown[there] = (*path, move)
            level = {}
            for here, path in grown.items():
                (found if finished(here, side) else level)[here] = path
        for here, path in level.items():
            found.setdefault(here, path)
    return found


def playable(state: IceState, side: Side, numbers: tuple[int, ...]) -> bool:
    """Whether these numbers can be played in full, in any order."""
    return any(_completes(state, side, order, set()) for order in orders(numbers))


def _completes(state: IceState, side: Side, order: tuple[int, ...], dead: set[tuple[IceState, int]]) -> bool:
    """Depth first, remembering states from which nothing was found."""
    if not order or finished(state, side):
        return True
    if (state, len(order)) in dead:
        return False
    if any(_completes(there, side, order[1:], dead) for there in _next(state, side, order[0])):
        return True
    dead.add((state, len(order)))
    return False


def _next(state: IceState, side: Side, number: int) -> Iterator[IceState]:
    return (make(state, side, move) for move in moves(state, side, number))
