"""Backgammon as the USBGF plays it (shared/rules/backgammon-usbgf.md, and RULINGS.md where it is silent).

The steps, with forced entry and bearing off, are ``_generator.BEARING_OFF``; the obligation to play both
dice, else the higher, is ``_generator.results``. What is left is where a game begins and how it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.position import Rules
from engine.rules._checkers import CheckerPosition
from engine.rules._generator import BEARING_OFF, Ways
from engine.rules._notation import Words
from engine.rules._packed import ENTRY, EXIT, count_second
from engine.rules._setup import SIDES, shut_out, take_options

WORDS = Words("bar", "off", "off")
START: Mapping[str, Any] = {
    "points": {"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5},
    "bar": [0, 0],
    "off": [0, 0],
}
"""Initial Checker Positions."""


@dataclass(frozen=True, repr=False)
class Backgammon(CheckerPosition):
    """A position of backgammon."""

    name: ClassVar[str] = "backgammon"
    ways: ClassVar[Ways] = BEARING_OFF
    words: ClassVar[Words] = WORDS

    @property
    def rules(self) -> Rules:
        """Backgammon."""
        return RULES

    def _grade(self, board: int) -> tuple[str, int]:
        """Victory Types."""
        if count_second(board, ENTRY):  # the loser bears off past the winner's 24-point
            return "single", 1
        if any(
            count_second(board, place) for place in range(EXIT, 7)
        ):  # on the bar or in the winner's home board
            return "backgammon", 3
        return "gammon", 2

    def _faults(self, board: int) -> list[str]:
        return (
            ["both sides are on the bar against a closed board: neither could ever move again"]
            if shut_out(board)
            else []
        )


def start(options: Mapping[str, Any]) -> Backgammon:
    """The first position of a game: the opening roll is awaited."""
    take_options(options, RULES.options)
    return Backgammon.read(START)


RULES = Rules(
    name="backgammon",
    title="Backgammon",
    sides=SIDES,
    cube=True,
    start=start,
    read=Backgammon.read,
    called=Backgammon.called,
    why=Backgammon.why,
)
