"""The words of a tournament. What a director did is stored here; what follows from it (who has won, who meets
whom next) is worked out in :mod:`firmware.hub.tournament.pairings`, and never stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["elimination", "round-robin", "imported"]
"""How the matches are found: single elimination, everybody against everybody, or pairings from elsewhere."""
How: TypeAlias = Literal["played", "decided", "forfeit", "bye"]
"""How a match ended: over the board, by the director, by one who did not play or was out of time, or without
an opponent."""

KINDS: tuple[Kind, ...] = ("elimination", "round-robin", "imported")
BYE = 0
"""The opponent of who has a bye. Entries are numbered from 1."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player in this tournament, by a number that nobody else ever gets. ``seed`` is the place by which a
    director seeds, 1 the strongest; ``out`` says why the player has left, and ``matches`` how many the draw
    had for the player then; ``late`` is true for who entered after the draw."""

    number: int
    name: str
    club: str = ""
    rating: float | None = None
    seed: int | None = None
    late: bool = False
    out: str = ""
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. ``score`` is in the order of the pairing. ``match`` and ``digest`` name the table's
    journal that says so, where one does, and ``signed`` is the fingerprint of the table's key."""

    winner: int
    score: tuple[int, int] | None = None
    how: How = "played"
    match: str = ""
    digest: str = ""
    signed: str = ""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match. ``first`` and ``second`` are entries, :data:`BYE`, or None while it is open who they are.
    ``score`` is what they start with: penalty points are the opponent's. ``ready`` says that it may be
    played now."""

    id: str
    round: int
    place: int
    first: int | None
    second: int | None
    length: int
    table: str = ""
    score: tuple[int, int] = (0, 0)
    result: Result | None = None
    ready: bool = False

    @property
    def sides(self) -> tuple[int | None, int | None]:
        """Both players."""
        return self.first, self.second

    def loser(self) -> int | None:
        """Who lost; None where nobody has, or nobody was there."""
        if self.result is None or self.result.winner not in self.sides:
            return None
        other = self.second if self.result.winner == self.first else self.first
        return None if other == BYE else other


@dataclass(frozen=True, slots=True)
class Penalty:
    """Points against an entry: its opponent starts ``pairing`` with them, or, where that is "", they count
    against it in the standings of a round robin."""

    entry: int
    points: int
    pairing: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw as it was made: ``slots`` of an elimination's first round, two and two; ``rounds`` of pairs
    for the other kinds. ``seed`` is the lot's, and is published."""

    method: str
    seed: str = ""
    slots: tuple[int, ...] = ()
    rounds: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Tournament:
    """What the director has set and done. ``lengths`` are the match lengths of the rounds, the last one for
    all further rounds; ``opened`` rounds may be played; ``clock`` and ``rules`` are in the words of a table's
    own configuration."""

    name: str = ""
    kind: Kind = "elimination"
    lengths: tuple[int, ...] = (7,)
    rules: str = "backgammon"
    clock: str = "delay"
    rated: bool = True
    entries: tuple[Entrant, ...] = ()
    draw: Draw | None = None
    opened: int = 0
    results: Mapping[str, Result] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    penalties: tuple[Penalty, ...] = ()
    closed: bool = False

    def entry(self, number: int) -> Entrant | None:
        """The entry of this number."""
        return next((each for each in self.entries if each.number == number), None)

    def name_of(self, number: int | None) -> str:
        """What to call a side of a pairing."""
        found = None if number is None else self.entry(number)
        return found.name if found else "bye" if number == BYE else "?"

    def length_of(self, round_number: int) -> int:
        """The points to which a round's matches are played."""
        return self.lengths[min(round_number, len(self.lengths)) - 1]
