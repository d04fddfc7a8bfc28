"""Questions to an engine: a moment of a game, as the side sees it that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import rules as games
from engine.layout import Side
from engine.match import Terms
from engine.match_state import MatchState
from engine.messages import phrase
from engine.position import Position
from firmware.engines import BeforeRoll, Board, Roll, Spot
from firmware.formats import FormatError
from firmware.formats.board import SIDES, STANDARD, BoardCounts


def is_known(name: str) -> bool:
    """Whether engines know this game."""
    if name not in games.names():
        return False
    rules = games.get(name)
    return "mat" in rules.file_names and BoardCounts.of(rules.start(rules.options)).checkers == STANDARD


def check_known(name: str) -> None:
    """Raises FormatError where no engine knows this game."""
    rules = games.get(name)
    if not is_known(name):
        raise FormatError(
            phrase(
                "there is no engine for {game}; engines know games of backgammon's moves with {n} checkers"
                " a side",
                game=rules.title,
                n=STANDARD,
            )
        )


@dataclass(frozen=True, slots=True)
class Stakes:
    """What is played for at a moment: the terms, the score, the cube and who owns it (None: nobody), and
    whether it is the Crawford game."""

    terms: Terms
    score: tuple[int, int]
    cube: int = 1
    owner: Side | None = None
    crawford: bool = False

    @classmethod
    def at(cls, table: MatchState) -> Stakes:
        """Those of a match that is being played."""
        match, cube = table.match, table.cube
        return cls(match.terms, match.score, cube.value, cube.owner, match.crawford)

    def may_double(self, side: Side) -> bool:
        """Whether a double of ``side`` is allowed and can change anything."""
        if not self.terms.cube or self.crawford or self.owner not in (None, side):
            return False
        return not self.terms.length or self.score[SIDES.index(side)] + self.cube < self.terms.length

    def spot(self, position: Position, side: Side, dice: Sequence[int] = ()) -> Spot:
        """The question of ``side`` about ``position``, with these dice or before the roll."""
        at, length = SIDES.index(side), self.terms.length
        away = (length - self.score[at], length - self.score[1 - at]) if length else (0, 0)
        owner = 0 if self.owner is None else 1 if self.owner == side else -1
        jacoby = self.terms.jacoby and not length
        own, other = board_of(position, side)
        return Spot(own, other, high(dice) if dice else None, self.cube, owner, away, self.crawford, jacoby)


def board_of(position: Position, side: Side) -> Board:
    """The checkers of ``side`` and of the other one."""
    counts, at = BoardCounts.of(position).own, SIDES.index(side)
    return counts[at], counts[1 - at]


def high(dice: Sequence[int]) -> Roll:
    """A roll, the higher die first."""
    return max(dice), min(dice)


def answers(found: BeforeRoll) -> dict[str, float]:
    """What each answer to a double is worth to who answers. A beaver is a take at twice the stake."""
    return {"take": -found.double_take, "drop": -found.double_drop, "beaver": -2 * found.double_take}


def best_answer(found: BeforeRoll, beavers: bool) -> tuple[str, float]:
    """The best answer to a double, and what it is worth to who answers."""
    worth = answers(found)
    if not beavers:
        del worth["beaver"]
    best = max(worth, key=lambda choice: worth[choice])
    return best, worth[best]
