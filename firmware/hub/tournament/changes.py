"""All that a director can do to a tournament, as data (:mod:`firmware.hub.tournament.apply` does it). A
tournament is what its changes make of an empty one (:mod:`firmware.hub.tournament.trail`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from firmware.hub.tournament.model import (
    How,
    Kind,
)

MOST_ENTRIES = 1024
LONGEST_NAME = 80
"""Letters of a name, a club, a table."""
LONGEST_MATCH = 99
"""Points of a match."""
METHODS = ("seeded", "lot")


@dataclass(frozen=True, slots=True)
class Set:
    """Sets what is played. The kind can be changed before the draw only."""

    name: str
    kind: Kind = "elimination"
    lengths: tuple[int, ...] = (7,)
    rules: str = "backgammon"
    clock: str = "delay"
    rated: bool = True


@dataclass(frozen=True, slots=True)
class Enter:
    """A player enters; after the draw, late. ``number`` was never another's, even if that entry is undone; 0
    asks the desk for one."""

    number: int
    player: str
    club: str = ""
    rating: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """A name, club, rating or seed is written down anew."""

    entry: int
    player: str
    club: str = ""
    rating: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves: before the draw, or out of the event."""

    entry: int


@dataclass(frozen=True, slots=True)
class MakeDraw:
    """The draw is made, by strength ("seeded") or by "lot"; ``seed`` is the lot's."""

    method: str
    seed: str


@dataclass(frozen=True, slots=True)
class AddRound:
    """A round of pairings from elsewhere; ``pairs`` are entries."""

    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class OpenRound:
    """The matches of a round may be played: all rounds before it are open, too."""

    round: int


@dataclass(frozen=True, slots=True)
class Seat:
    """Matches get their tables, "" for none: pairs of match and table."""

    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A match has ended. ``first`` and ``second`` say between whom, so that it can mean no other match."""

    pairing: str
    first: int
    second: int
    winner: int
    score: tuple[int, int] | None = None
    how: How = "played"
    match: str = ""
    digest: str = ""
    signed: str = ""


@dataclass(frozen=True, slots=True)
class CorrectResult(Report):
    """A result that was wrong is replaced."""


@dataclass(frozen=True, slots=True)
class Penalise:
    """Penalty points against a player: the opponent starts the match with them; without one they count in the
    standings of a round robin."""

    entry: int
    points: int
    pairing: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """The tournament is over."""


Change: TypeAlias = (
    Set
    | Enter
    | Rename
    | Leave
    | MakeDraw
    | AddRound
    | OpenRound
    | Seat
    | Report
    | CorrectResult
    | Penalise
    | Close
)
