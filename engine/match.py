"""Points, games and matches: what a game is worth and who has won.

A *match* is played to ``length`` points; *money play* (length 0) has no end. The Crawford rule: the first
time that a side is one point from winning, the cube is out of play for one game, and in play again after it.

A game is worth its outcome's own points times the cube. The Jacoby rule (money play): gammons count as single
games unless a double was offered and taken in that game; an automatic double is nobody's offer. The score is
not capped: a side that needs 1 point and wins 4 has 4 more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import EngineError
from engine.layout import Side
from engine.outside import LARGEST, shown
from engine.position import Json

LONGEST = 100_000
"""Points of the longest match."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played for."""

    length: int = 0
    """Points to win the match; 0 is money play."""
    cube: bool = True
    """Whether the doubling cube is used, in games that have one."""
    crawford: bool = True
    """Crawford rule; match play only."""
    holland: bool = False
    """After the Crawford game nobody may double before both sides have rolled twice; match play only."""
    jacoby: bool = False
    """Jacoby rule; money play only."""
    beavers: int = 0
    """How often in a row a double may be answered by an immediate redouble (1: beavers, 2: raccoons too);
    money play only."""
    automatic: int = 0
    """How often a game's stake doubles because of equal opening dice; money play only."""
    score: tuple[int, int] = (0, 0)
    """The score to begin with, in the order of ``Rules.sides``."""
    crawford_over: bool = False
    """Whether the Crawford game has been played already, for a match that is taken up in the middle."""

    def __post_init__(self) -> None:
        for name in ("length", "beavers", "automatic"):
            if not 0 <= getattr(self, name) <= LONGEST:
                given = shown(getattr(self, name))
                raise EngineError(f"terms: {name} is a number of 0 to {LONGEST}, not {given}")
        if len(self.score) != 2 or min(self.score) < 0 or max(self.score) >= (self.length or LARGEST):
            raise EngineError(f"terms: nobody can begin a match to {self.length} at {shown(self.score)}")
        money = [name for name in ("jacoby", "beavers", "automatic") if getattr(self, name)]
        if self.length and money:
            raise EngineError(f"terms: {money[0]} is for money play; take it out, or set length to 0")
        if not self.length and self.holland:
            raise EngineError("terms: holland is for match play; take it out, or set a length")

    def to_json(self) -> Json:
        """Every field by name."""
        return {**dataclasses.asdict(self), "score": list(self.score)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Terms:
        """The inverse; missing fields take their default. Raises EngineError that names the field at
        fault."""
        kinds = {each.name: type(each.default) for each in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in kinds:
                raise EngineError(f"terms: unknown field {shown(key)}; they have {', '.join(kinds)}")
            read = tuple(value) if isinstance(value, list) else value
            whole = all(type(part) is int for part in read) if isinstance(read, tuple) else True
            if type(read) is not kinds[key] or not whole:
                raise EngineError(f"terms: {key} cannot be {shown(value)}")
            values[key] = read
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Match:
    """The score so far. ``crawford`` is True in the Crawford game itself, ``crawford_over`` after it."""

    terms: Terms
    sides: tuple[Side, Side]
    score: tuple[int, int] = (0, 0)
    game: int = 1
    """The number of the present game, from 1."""
    crawford: bool = False
    crawford_over: bool = False
    forfeited: Side | None = None
    """Who lost the match on time."""

    @classmethod
    def begin(cls, terms: Terms, sides: tuple[Side, Side]) -> Match:
        """The first game under these terms."""
        match = cls(terms, sides, terms.score, 1, False, terms.crawford_over)
        return replace(match, crawford=match._crawford_due())

    @property
    def winner(self) -> Side | None:
        """Who has won the match, None while it goes on."""
        if self.forfeited is not None:
            return self.sides[1] if self.forfeited == self.sides[0] else self.sides[0]
        if not self.terms.length:
            return None
        for side, points in zip(self.sides, self.score, strict=True):
            if points >= self.terms.length:
                return side
        return None

    def away(self, side: Side) -> int | None:
        """Points that ``side`` still needs; None in money play."""
        return max(0, self.terms.length - self.points(side)) if self.terms.length else None

    def points(self, side: Side) -> int:
        """What ``side`` has scored."""
        return self.score[self.sides.index(side)]

    def award(self, side: Side | None, points: int) -> Match:
        """The match after ``side`` won ``points``; None is a tie, which scores nothing."""
        if side is None:
            return self
        first, second = self.score
        return replace(
            self, score=(first + points, second) if side == self.sides[0] else (first, second + points)
        )

    def corrected(self, score: tuple[int, int], ended: bool = False) -> Match:
        """The match with the score set by hand: then it is the Crawford game if that is due by this score;
        one that has ``ended`` is none that was played with the cube. Raises EngineError."""
        replace(self.terms, score=score)  # checks it
        match = replace(self, score=score)
        return replace(match, crawford=match._crawford_due() and (self.crawford or not ended))

    def next(self, tie: bool) -> Match:
        """The next game; after a tie the Crawford state is as before."""
        over = self.crawford_over or (self.crawford and not tie)
        match = replace(self, game=self.game + 1, crawford_over=over, crawford=False)
        return replace(match, crawford=match._crawford_due())

    def _crawford_due(self) -> bool:
        return bool(
            self.terms.length
            and self.terms.crawford
            and not self.crawford_over
            and max(self.score) == self.terms.length - 1
        )
