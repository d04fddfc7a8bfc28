"""Backgammon engines: what they think of a position, behind one small interface.

Two are known: bgsage, in process, and GNU Backgammon, a program beside us; either may be missing
(:func:`firmware.engines.known.find`). Both think in processes of their own, at the lowest priority
(:mod:`firmware.engines.pool`): refereeing never waits for them.

A question is a :class:`Spot`: one decision as the side sees it that makes it. Equities are normalised to the
cube as all programs do it: 1 is a single game at the stake agreed, in match play as the match chances say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Counts = tuple[int, ...]
"""A side's checkers by its own numbering: index 0 borne off, 1-24 the points, 25 the bar (26 numbers)."""

Board = tuple[Counts, Counts]
"""The deciding side's and the other's, each in its own numbering."""

Roll = tuple[int, int]
"""Two dice, the higher first."""

ROLLS: Mapping[Roll, int] = {(a, b): 1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)}
"""All 21 rolls, and in how many of 36 ways each comes."""


def moved(board: Board, hops: Iterable[Sequence[int]]) -> Board:
    """The board after the first side's hops (from, to; 25 the bar, 0 or less off)."""
    own, other = list(board[0]), list(board[1])
    for start, end in hops:
        target = max(end, 0)
        own[start] -= 1
        own[target] += 1
        if target and other[25 - target]:
            other[25 - target] -= 1
            other[25] += 1
    return tuple(own), tuple(other)


class NoEngine(Exception):
    """An engine is missing or failed; the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A decision. ``own`` are the checkers of the side that decides, ``other`` the opponent's.

    ``dice`` are None before the roll. ``cube`` is the stake agreed; ``owner`` 1 where the deciding side owns
    it, -1 where the other does, 0 in the middle. ``away`` is how many points both still need (own, other),
    (0, 0) in money play. ``jacoby`` is for money play."""

    own: Counts
    other: Counts
    dice: Roll | None = None
    cube: int = 1
    owner: int = 0
    away: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the deciding side, 0-1: to win, to win a gammon or more, a backgammon, and to lose
    so."""

    win: float
    gammon: float
    backgammon: float
    gammon_lost: float
    backgammon_lost: float

    def turned(self) -> Chances:
        """The other side's."""
        return Chances(1 - self.win, self.gammon_lost, self.backgammon_lost, self.gammon, self.backgammon)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A play, as the board that it leaves (both sides in their own numbering), and what that is worth to the
    side that played it."""

    own: Counts
    other: Counts
    equity: float
    chances: Chances


@dataclass(frozen=True, slots=True)
class BeforeRoll:
    """A position before the roll: what it is worth not to double, to double and be taken, to double and have
    the other side drop; the chances; and the equity after the best play of each roll."""

    no_double: float
    double_take: float
    double_drop: float
    chances: Chances
    rolls: Mapping[Roll, float]


class Maker(Protocol):
    """What makes an engine: its class."""

    def __call__(self, plies: int, limit: float | None = None) -> Engine:
        """One that looks so many plies ahead, and after ``limit`` seconds answers with what it has found so
        far, where it can."""
        ...


class Engine(Protocol):
    """Something that knows backgammon. Both methods raise NoEngine where it fails."""

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """Every distinct result of a roll, the best first. Poor ones are looked at briefly, but ``played`` as
        thoroughly as the best."""
        ...

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        """What the cube is worth, and the rolls; without ``rolls`` these are left out, which is much
        quicker."""
        ...
