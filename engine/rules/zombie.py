"""Backgammon as the Zombie club plays it (docs/rules.md).

As standard, with a fourth grade, and with the *Last Roll* by choice: who did not win the opening roll is
promised the last roll of the game. Here F is who won the opening roll, and L the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from engine.layout import Side
from engine.messages import phrase
from engine.names import named
from engine.position import Dice, Json, Outcome
from engine.rules._packed import ENTRY, EXIT, count_first, count_second, flip
from engine.rules._setup import SIDES, finished, take_options
from engine.rules.backgammon import Backgammon

TIE = Outcome(None, "tie", 0)


@dataclass(frozen=True, slots=True)
class LastRoll:
    """The option's state."""

    first: Side | None = None
    """F; None before the opening roll."""
    final: bool = False
    """F has borne off all, and L has or had the last roll."""


@dataclass(frozen=True, repr=False)
class Zombie(Backgammon):
    """A position of Zombie."""

    _last_roll: LastRoll | None = None

    name: ClassVar[str] = "zombie"

    @classmethod
    def start(cls, options: Mapping[str, Any]) -> Self:
        """The first position of a game: the opening roll is awaited."""
        chosen = take_options(options, RULES.options)
        last = {"first": None, "final": False} if chosen["last_roll"] else None
        return cls.read({**cls.first, "last_roll": last})

    def _grade(self, board: int) -> tuple[str, int]:
        """As standard, but a checker of the loser on the bar makes it a double backgammon."""
        kind, points = super()._grade(board)
        return ("double backgammon", 4) if points == 3 and count_second(board, EXIT) else (kind, points)

    def _opened(self, winner: Side, dice: Dice) -> Self:
        opened = super()._opened(winner, dice)
        return replace(opened, _last_roll=LastRoll(winner)) if self._last_roll else opened

    def _settled(self, board: int) -> Self:
        last = self._last_roll
        if last and last.final:
            outcome = self._after_last_roll(board)
            return replace(self, _board=self._seat(board), turn=None, dice=(), outcome=outcome)
        after = super()._settled(board)
        if last and last.first == self.turn and after.outcome and not self._steals():
            turn = self._opponent()
            return replace(after, turn=turn, outcome=None, _last_roll=replace(last, final=True))
        return after

    def _steals(self) -> bool:
        """Whether F, who bears off the last checker with this roll, takes the last roll away: doubles, three
        checkers or fewer, and not all four of them needed. With doubles every checker needs its distance in
        dice of that number, rounded up."""
        board = self._seat(self._board)
        left = [place for place in range(1, ENTRY + 1) for _ in range(count_first(board, place))]
        one, two = self.dice
        return one == two and len(left) <= 3 and sum(-(-place // one) for place in left) < 4

    def _after_last_roll(self, board: int) -> Outcome:
        """What L's last roll, which left this mover's board, makes of the game."""
        assert self._last_roll is not None
        left = self.checkers - count_first(self._seat(self._board), EXIT)
        doubles = self.dice[0] == self.dice[1]
        if count_first(board, EXIT) == self.checkers:
            if doubles and left <= 3:
                return Outcome(self.turn, "single", 1)
            if left <= 2 or (doubles and left == 4):
                return TIE
        return Outcome(self._last_roll.first, *self._grade(flip(board)))

    def to_json(self) -> Json:
        """As backgammon's, with ``last_roll`` where the option is on. Where both have borne off all, the
        board does not tell a tie from a win by the last roll: ``outcome`` does."""
        data = super().to_json()
        if self._last_roll:
            data["last_roll"] = {"first": self._last_roll.first, "final": self._last_roll.final}
            if self.outcome and len(finished(self._board, self.checkers)) > 1:
                data["outcome"] = self.outcome.to_json()
        return data

    def says(self, player: Callable[[Side], str] = named) -> str:
        """Whose roll is the last one, and why there was none."""
        last = self._last_roll
        if last and last.first and not last.final and self.outcome and self.outcome.winner == last.first:
            return phrase(
                "{player} has stolen the last roll: doubles, with three checkers or fewer",
                player=player(last.first),
            )
        if last and last.final and self.turn:
            return phrase("this is {player}'s last roll", player=player(self.turn))
        return ""

    def _state(self) -> str:
        last = self._last_roll
        if last is None or last.first is None or self.outcome:
            return super()._state()
        return (
            f"{super()._state()}, {'at' if last.final else 'with'} the last roll of {RULES.other(last.first)}"
        )

    @classmethod
    def _read_more(cls, data: Mapping[str, Any], reasons: list[str]) -> dict[str, Any]:
        last = data.get("last_roll")
        if last is None:
            return {}
        if (
            isinstance(last, Mapping)
            and last.get("first", "") in (None, *SIDES)
            and isinstance(last.get("final"), bool)
        ):
            return {"_last_roll": LastRoll(last["first"], last["final"])}
        reasons.append(
            'last_roll must be {"first": "white", "black", or null before the opening roll, "final": true or'
            " false}"
        )
        return {}

    def _concluded(self, data: Mapping[str, Any], reasons: list[str]) -> Self:
        last, done = self._last_roll, finished(self._board, self.checkers)
        if last is None:
            return super()._concluded(data, reasons)
        if bool(last.first) != bool(self.turn or done):
            reasons.append(
                "last_roll.first is who won the opening roll: null before it, 'white' or 'black' after it"
            )
        if not last.final or last.first is None:
            return super()._concluded(data, reasons)
        if last.first not in done:
            reasons.append(f"last_roll.final, but {last.first} has not borne off all")
        if self.turn:
            if self.turn == last.first or len(done) > 1:
                reasons.append(f"last_roll.final, so it cannot be {self.turn}'s turn")
            return self
        if len(done) < 2:
            return replace(self, outcome=self._won_by(last.first))
        for outcome in (TIE, Outcome(RULES.other(last.first), "single", 1)):
            if data.get("outcome") == outcome.to_json():
                return replace(self, outcome=outcome)
        reasons.append(
            "both have borne off all: outcome must say whether that was a tie or a win by the last roll"
        )
        return self


RULES = Zombie.game(
    "Zombie backgammon",
    options={"last_roll": False},
    grades=(("single", 1), ("gammon", 2), ("backgammon", 3), ("double backgammon", 4)),
)
