"""Ratings as backgammon clubs keep them: Elo with the length of the match in it, after the formula of the
First Internet Backgammon Server, which most clubs and servers took over.

With *D* the difference of the ratings and *N* the points of the match, the weaker player wins with the chance
``1 / (10 ** (D * sqrt(N) / 2000) + 1)``. The winner gains, and the loser loses, ``4 * K * sqrt(N)`` times the
chance that the loser had; each has a *K* of their own, ``max(1, 5 - experience / 100)``, so that a newcomer's
rating moves five times as fast. Experience is the points of all rated matches before this one. Everybody
starts at 1500 with none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

START = 1500.0


@dataclass(frozen=True, slots=True)
class Rated:
    """A match that counts: played to its end by two people. ``at`` is in seconds since 1970."""

    winner: str
    loser: str
    length: int
    at: float = 0.0
    event: str = ""
    pairing: str = ""


@dataclass(frozen=True, slots=True)
class Elo:
    """A player's rating, and experience in points."""

    value: float = START
    experience: int = 0
    matches: int = 0
    won: int = 0


@dataclass(frozen=True, slots=True)
class RatingStep:
    """One match of a player's history: what the rating was after it, and by how much it changed."""

    match: Rated
    rating: Elo
    change: float


def chance(rating: float, other: float, length: int) -> float:
    """How likely the first wins a match of ``length`` points."""
    return 1 / (10 ** ((other - rating) * sqrt(length) / 2000) + 1)


def speed(experience: int) -> float:
    """K: how fast a rating moves."""
    return max(1.0, 5.0 - experience / 100)


def histories(matches: Iterable[Rated]) -> dict[str, list[RatingStep]]:
    """Each player's history, from matches in the order in which they ended. Names are as they are written."""
    now: dict[str, Elo] = {}
    told: dict[str, list[RatingStep]] = {}
    for match in matches:
        winner, loser = now.get(match.winner, Elo()), now.get(match.loser, Elo())
        stake = 4 * sqrt(match.length) * chance(loser.value, winner.value, match.length)
        for name, old, won in ((match.winner, winner, True), (match.loser, loser, False)):
            change = stake * speed(old.experience) * (1 if won else -1)
            new = Elo(old.value + change, old.experience + match.length, old.matches + 1, old.won + won)
            now[name] = new
            told.setdefault(name, []).append(RatingStep(match, new, change))
    return told
