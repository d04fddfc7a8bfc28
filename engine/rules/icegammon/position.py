"""A position of IceGammon: whose turn it is, what is owed, what the dice allow, and how the game ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.evidence import Evidence
from engine.layout import Layout, Looks, Piece, Side
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Dice, Json, Outcome, Position, Rules, Step
from engine.rules import get
from engine.rules.icegammon import board, faults, notation, search, setup
from engine.rules.icegammon.board import EACH, SIDES, SIZES, IceState
from engine.rules.icegammon.setup import IceSetup, Stage
from engine.rules.icegammon.steps import Move
from engine.rules.icegammon.turn import DOUBLED, DiceChoice, endings, playable, ways

DICE = 3
"""Dice of a roll (7)."""


@dataclass(frozen=True, slots=True)
class IcePosition(Position):
    """A proved state. Build one with ``RULES.start`` or ``RULES.read``; everything else follows from ``roll``
    and ``plays``.

    With ``_dice`` or a ``_stage`` a play is awaited; with neither, a roll. ``_stuck`` is the player who lost
    because no full play was left (2); without it, the game is over when a player has borne off everything.
    Without ``_turn`` it has not begun, or is over.
    """

    _state: IceState
    _turn: Side | None = None
    _dice: Dice = ()
    _stage: Stage | None = None
    _stuck: Side | None = None

    whole_looks: ClassVar[bool] = False

    @classmethod
    def of(cls, setup: IceSetup) -> IcePosition:
        """The position of a setup: over where a player has finished, lost where the stage owed cannot be
        played in full."""
        if setup.stuck or any(board.finished(setup.state, side) for side in SIDES):
            return cls(setup.state, _stuck=setup.stuck)
        if setup.stage and setup.turn and not playable(setup.state, setup.turn, setup.stage.numbers):
            return cls(setup.state, _stuck=setup.turn)
        return cls(setup.state, setup.turn, (), setup.stage)

    @property
    def rules(self) -> Rules:
        """IceGammon."""
        return get(setup.NAME)

    @property
    def turn(self) -> Side | None:
        """Whose roll or play it is."""
        return self._turn

    @property
    def awaits(self) -> Awaits:
        """What has to happen next."""
        if self._turn is None:
            return Awaits.OPENING if self.outcome is None else Awaits.NOTHING
        return Awaits.PLAY if self._dice or self._stage else Awaits.ROLL

    @property
    def dice(self) -> Dice:
        """The three dice as rolled; empty in a stage of doubles that is owed from before."""
        return self._dice

    @property
    def dice_due(self) -> int:
        """Two for the opening (one die each, 3), three for a roll (7)."""
        return {Awaits.OPENING: len(SIDES), Awaits.ROLL: DICE}.get(self.awaits, 0)

    @property
    def outcome(self) -> Outcome | None:
        """Rules 2 and 19."""
        if self._stuck:
            return board.grade(self._state, board.other(self._stuck))
        winner = next((side for side in SIDES if board.finished(self._state, side)), None)
        return board.grade(self._state, winner) if winner else None

    def roll(self, dice: Dice) -> IcePosition:
        """Three dice to be played, or lost where no two of them can be played in full (2, 7); for the opening
        one die each, and the same position again when they are equal. Raises BadDice."""
        due, asked = self.dice_due, self.awaits
        if not due:
            raise BadDice(
                "the game is over: no roll is due"
                if self.outcome
                else f"no dice are rolled now: the position awaits {asked}"
            )
        if len(dice) != due or any(type(face) is not int or not 1 <= face <= 6 for face in dice):
            raise BadDice(f"{due} dice with faces 1-6 are due, not {list(dice)}")
        if self._turn is None:
            first, second = dice
            return (
                self
                if first == second
                else IcePosition(self._state, SIDES[0] if first > second else SIDES[1])
            )
        if not any(playable(self._state, self._turn, way.numbers) for way in ways(dice)):
            return IcePosition(self._state, _stuck=self._turn)
        return IcePosition(self._state, self._turn, tuple(dice))

    @property
    def ways(self) -> tuple[DiceChoice, ...]:
        """The choices of numbers that the player has now: of two dice out of three, or the one of the stage
        owed."""
        return (DiceChoice(self._stage.numbers, self._stage.then),) if self._stage else ways(self._dice)

    def plays(self) -> Sequence[IcePlay]:
        """Every distinct result once, the choices in the order of their numbers, doubles first. Empty when no
        play is awaited."""
        if self._turn is None:
            return ()
        found: dict[IcePlay, None] = {}
        for way in self.ways:
            for end, moves in endings(self._state, self._turn, way.numbers).items():
                found.setdefault(self._play(end, way, moves))
        return tuple(found)

    def nearest(
        self, evidence: Evidence, count: int = 8, enough: float = -math.inf
    ) -> Sequence[tuple[float, IcePlay]]:
        """The plays that the evidence likes most, best first, by a search along the evidence (``search``):
        the best and all that come within ``search.WINDOW`` nats of it, as far as ``count`` goes. None where
        it is sure that none reaches ``enough``."""
        if self._turn is None:
            return ()
        found = search.nearest(self._state, self._turn, self.ways, evidence, count, enough)
        return [(entry.score, self._play(entry.state, entry.way, entry.moves)) for entry in found]

    def _play(self, end: IceState, way: DiceChoice, moves: tuple[Move, ...]) -> IcePlay:
        """What comes after: the end (2), the stage of the opposite number, another roll after doubles (9), or
        the opponent's."""
        side = self._turn or ""
        if board.finished(end, side):
            return IcePlay(self._state, side, moves, IceSetup(end))
        stage = Stage(way.then, DOUBLED, None) if way.then else None
        return IcePlay(
            self._state,
            side,
            moves,
            IceSetup(end, side if stage or self._stage else board.other(side), stage),
        )

    def find(self, text: str) -> IcePlay:
        """The play that ``notation`` reads from this text. Raises IllegalPlay with the reason."""
        if self._turn is None or self.awaits is not Awaits.PLAY:
            raise IllegalPlay(f"no play is awaited now: the position awaits {self.awaits}")
        way, moves, end = notation.parse(text, self._state, self._turn, self.ways)
        return self._play(end, way, moves)

    def stand(self, looks: Looks) -> IcePosition:
        """The board as it is seen, hidden layers as known before, and the opponent to roll. Raises
        ImpossibleSetup."""
        if self._turn is None:
            raise ImpossibleSetup(("nobody is on turn, so no play can stand",))
        return IcePosition.of(IceSetup(setup.seen(self._state, looks, self._turn), board.other(self._turn)))

    def layout(self) -> Layout:
        """What stands where, hidden layers, hands and borne-off pieces too."""
        return board.layout(self._state)

    def looks(self) -> Looks:
        """The top layer of each space, and the bar. Hands and borne-off pieces lie out of view."""
        return board.looks(self._state)

    def stock(self) -> Mapping[Piece, int]:
        """Five of each size and colour (4)."""
        return {f"{side}.{size}": EACH for side in SIDES for size in SIZES}

    def owed(self) -> Dice:
        """The numbers of a second stage of doubles (9): no die shows them."""
        return self._stage.numbers if self._stage else ()

    def why(self, looks: Looks, player: Callable[[Side], str] = named) -> str | None:
        """The rule that a board breaks, where that is sure (see ``faults``)."""
        if self._turn is None:
            return None
        longest = max(
            (len(way.numbers) for way in self.ways), default=DOUBLED
        )  # no dice: any may have fallen
        return faults.why(self._state, self._turn, looks, longest, player)

    def says(self, player: Callable[[Side], str] = named) -> str:
        """A stage that is owed, and the loss of who cannot play in full."""
        if self._stuck:
            return phrase(
                "{player} has lost: no choice of the dice can be played in full (2)",
                player=player(self._stuck),
            )
        if self._stage:
            return phrase(
                "{left} moves of {number} must still be played (9)",
                left=self._stage.left,
                number=self._stage.number,
            )
        return ""

    def to_json(self) -> Json:
        """The stable form; one key more, ``stuck``, says who could not move where that ended the game."""
        return setup.to_json(IceSetup(self._state, self._turn, self._stage, self._stuck))

    def __str__(self) -> str:
        return notation.line(self._state, self._turn, self._dice, self._stage, self.outcome)


@dataclass(frozen=True)
class IcePlay:
    """One legal turn, or one stage of it. Compared by its result."""

    _before: IceState = field(compare=False)
    _side: Side = field(compare=False)
    _moves: tuple[Move, ...] = field(compare=False)
    _end: IceSetup

    @cached_property
    def after(self) -> IcePosition:
        """The position that results: lost already where the stage that it owes cannot be played in full."""
        return IcePosition.of(self._end)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Each piece moved, followed by those that it captured."""
        return tuple(notation.steps(self._before, self._side, self._moves))

    @property
    def text(self) -> str:
        """The moves in the notation of this game."""
        return notation.text(self._moves)


def start(options: Mapping[str, Any]) -> IcePosition:
    """All pieces in hand (5). ``first`` names the player to begin, by any means acceptable to both (3);
    without it, one die each decides. Raises ImpossibleSetup on another name."""
    return IcePosition(board.START, setup.first(options))


def read(data: Mapping[str, Any]) -> IcePosition:
    """A position from JSON, proved. Raises ImpossibleSetup with every reason."""
    return IcePosition.of(setup.read(data))
