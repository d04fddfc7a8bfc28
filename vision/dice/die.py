"""What lies on a board besides checkers, as a picture shows it: dice, and the doubling cube."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

SURE = 0.99
"""From this confidence on a value is said; below it nobody guesses, and the players are asked."""
SAME = 0.8
"""A die that has not moved farther than so many of its edges lies where it lay."""
SMALLEST = 0.8
"""A die's edge in cm, at least, where it was measured too small."""
Checkers: TypeAlias = Sequence[tuple[float, float, float]]
"""Where checkers' tops are seen: x, y and radius of each, in pixels of the picture."""


class Lies(enum.StrEnum):
    """How a die lies."""

    FLAT = "flat"
    """On the field, the bar or the floor of a tray."""
    ON_CHECKER = "on checker"
    COCKED = "cocked"
    """Tilted: it leans against something."""
    OUTSIDE = "outside"
    """Beyond the playing surface."""
    COVERED = "covered"
    """It lay there, and something lies over it now (:mod:`vision.dice.covered`)."""


@dataclass(frozen=True)
class Die:
    """``value`` is what its top face shows (1-6), None where that is not sure (below :data:`SURE`); ``at``
    the middle of that face, in pixels of the picture; ``confidence`` (0-1) how sure its likeliest value is;
    ``colour`` its body's, in a word; ``place`` the same middle on the board, in cm from the surface's
    bottom-left corner; ``size`` its edge's length in cm, about; ``chances`` how probable each value from 1 to
    6 is, for who knows more of the roll."""

    value: int | None
    at: tuple[float, float]
    confidence: float
    colour: str
    lies: Lies
    place: tuple[float, float] = (0.0, 0.0)
    size: float = 0.0
    chances: tuple[float, ...] = ()

    def apart(self, other: Die) -> float:
        """How far the middle of another die is from its own, in cm."""
        return math.dist(self.place, other.place)

    def stays(self, other: Die) -> bool:
        """Whether another die, of a later picture, lies where it lies."""
        return self.apart(other) < SAME * max(self.size, SMALLEST)

    def to_json(self) -> dict[str, Any]:
        """As ``barpoint read --json`` prints it."""
        return {
            "value": self.value,
            "at": [round(self.at[0], 1), round(self.at[1], 1)],
            "confidence": round(self.confidence, 4),
            "colour": self.colour,
            "lies": str(self.lies),
        }


@dataclass(frozen=True)
class DoublingCube:
    """``value`` is what its top face shows (2 to 64), None where that is not sure (below
    :data:`SURE`); the rest as in :class:`Die`."""

    value: int | None
    at: tuple[float, float]
    confidence: float
    place: tuple[float, float]
    size: float

    def to_json(self) -> dict[str, Any]:
        """As ``barpoint read --json`` prints it."""
        x, y = self.at
        return {
            "value": self.value,
            "at": [round(x, 1), round(y, 1)],
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True)
class Lying:
    """The dice of a picture, from left to right, and the doubling cube where it is surely seen."""

    dice: tuple[Die, ...] = ()
    cube: DoublingCube | None = None
