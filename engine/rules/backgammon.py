"""Backgammon as the USBGF plays it (docs/rules.md, where their text is silent too).

The steps, with forced entry and bearing off, are ``_generator.BEARING_OFF``; the obligation to play both
dice, else the higher, is ``_generator.results``. What is left is where a game begins and how it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.messages import phrase
from engine.position import Json, Rules
from engine.rules._checkers import CheckerPosition
from engine.rules._generator import BEARING_OFF, Ways
from engine.rules._notation import Words
from engine.rules._packed import ENTRY, EXIT, count_second
from engine.rules._setup import shut_out


@dataclass(frozen=True, repr=False)
class Backgammon(CheckerPosition):
    """A position of backgammon, or of a variant of it."""

    name: ClassVar[str] = "backgammon"
    ways: ClassVar[Ways] = BEARING_OFF
    words: ClassVar[Words] = Words("bar", "off", "off")
    first: ClassVar[Json] = {
        "points": {"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5},
        "bar": [0, 0],
        "off": [0, 0],
    }
    """Initial Checker Positions."""

    @classmethod
    def variant(
        cls, name: str, title: str, own: Mapping[int, int], file_names: Mapping[str, str] | None = None
    ) -> Rules:
        """The rules of a game that differs in its start: ``own`` counts a side's checkers by its own points,
        both sides alike; the game has as many checkers a side as these. ``file_names`` as in ``Rules``."""
        points = {str(point): count for point, count in own.items()}
        points |= {str(ENTRY - point): -count for point, count in own.items()}
        first = {"points": points, "bar": [0, 0], "off": [0, 0]}
        fields = {"name": name, "first": first, "checkers": sum(own.values())}
        game: type[Backgammon] = type(cls.__name__, (cls,), fields)
        return game.game(title, file_names=file_names or {})

    def _grade(self, board: int) -> tuple[str, int]:
        """Victory Types."""
        if count_second(board, ENTRY):  # the loser bears off past the winner's 24-point
            return "single", 1
        if any(count_second(board, place) for place in range(EXIT, 7)):  # on the bar or in the winner's home
            return "backgammon", 3
        return "gammon", 2

    def _faults(self, board: int) -> list[str]:
        if shut_out(board):
            return [phrase("both sides are on the bar against a closed board: neither could ever move again")]
        return []


RULES = Backgammon.game(
    "Backgammon", file_names={"mat": "Backgammon", "sgf": "", "xgid": "", "ogxm": "backgammon"}
)
