"""What the checker games share: a position of checkers on 24 points, and the plays from it.

A game is a subclass that adds its table of steps, its words for the places off the points, and how a game
ends. It never takes anything back: every method here holds for all of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.evidence import Evidence
from engine.layout import POINTS, Cell, Layout, Look, Looks, Piece, Side, name_parts, point_cell, point_of
from engine.messages import phrase
from engine.names import dashed, named
from engine.position import Awaits, Dice, Json, Outcome, Position, Rules, Step
from engine.rules import _notation, _reasons, _scoring, get
from engine.rules._generator import Ways, results, steps
from engine.rules._notation import Words
from engine.rules._packed import ENTRY, EXIT, MOST, PLACES, count_first, counts, flip
from engine.rules._setup import (
    SIDES,
    finished,
    read_board,
    read_turn,
    seen_board,
    take_options,
    write_board,
)

WHITE, BLACK = SIDES
_WHITES: tuple[Look, ...] = tuple((WHITE,) * number for number in range(MOST + 1))
_BLACKS: tuple[Look, ...] = tuple((BLACK,) * number for number in range(MOST + 1))
_HOMES = {WHITE: frozenset(map(point_cell, range(1, 7))), BLACK: frozenset(map(point_cell, range(19, 25)))}


@lru_cache(maxsize=64)  # what is shown asks several times for the same board
def _looks(board: int, entry: str, exit: str) -> Looks:
    white, black = counts(board)
    looks: dict[Cell, Look] = {
        point_cell(point): _WHITES[white[point]] or _BLACKS[black[point]] for point in POINTS
    }
    looks[f"{entry}.white"], looks[f"{entry}.black"] = _WHITES[white[25]], _BLACKS[black[0]]
    looks[f"{exit}.white"], looks[f"{exit}.black"] = _WHITES[white[0]], _BLACKS[black[25]]
    return looks


def _cell(place: int, side: Side, mover: Side, words: Words) -> Cell:
    """The name of a place of the mover's board, of ``side``'s half."""
    if 0 < place < PLACES - 1:
        return point_cell(PLACES - 1 - place if mover == BLACK else place)
    entering = (place == ENTRY) == (side == mover)
    return f"{words.entry if entering else words.exit}.{side}"


@lru_cache(maxsize=16)
def _nibbles(mover: Side, words: Words) -> tuple[_scoring.Nibble, ...]:
    """What the mover's board counts, nibble by nibble."""
    enemy = BLACK if mover == WHITE else WHITE
    own = [_scoring.Nibble(_cell(place, mover, mover, words), mover, True) for place in range(PLACES)]
    their = [
        _scoring.Nibble(_cell(place, enemy, mover, words), enemy, not 0 < place < ENTRY)
        for place in range(PLACES)
    ]
    return (*own, *their)


class CheckerPlay:
    """One result of a turn. Text and steps are worked out when somebody asks."""

    __slots__ = ("_before", "_board")

    def __init__(self, before: CheckerPosition, board: int) -> None:
        self._before = before
        self._board = board

    @property
    def after(self) -> CheckerPosition:
        """The position that results."""
        return self._before._settled(self._board)

    @property
    def steps(self) -> tuple[Step, ...]:
        """One way there, the checker farthest from home first: legal step by step, each hit after the step
        that makes it."""
        return self._before._steps(self._board)

    @property
    def text(self) -> str:
        """The same in notation; ``pass`` where nothing can move."""
        return self._before._text(self._board)

    def __eq__(self, other: object) -> bool:
        return self.after == other.after if isinstance(other, CheckerPlay) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.after)

    def __repr__(self) -> str:
        return f"<play {self.text}>"


@dataclass(frozen=True, repr=False)
class CheckerPosition(Position, ABC):
    """A position of any checker game. Build one with ``RULES.start`` or ``RULES.read``.

    ``_board`` is a standing board (see ``_packed``). There are dice exactly where a play is awaited.
    """

    _board: int
    turn: Side | None = None
    dice: Dice = ()
    outcome: Outcome | None = None

    name: ClassVar[str]
    """The game's stable name."""
    ways: ClassVar[Ways]
    """The game's steps."""
    words: ClassVar[Words]
    """The game's words for where checkers come from and go to."""
    first: ClassVar[Json]
    """The board that a game begins on, as JSON."""
    checkers: ClassVar[int] = 15
    """Checkers a side."""

    @classmethod
    def game(cls, title: str, **more: Any) -> Rules:
        """The rules whose positions these are; ``more`` are fields of ``Rules``."""
        return Rules(cls.name, title, SIDES, True, cls.start, cls.read, homes=_HOMES, **more)

    @classmethod
    def start(cls, options: Mapping[str, Any]) -> Self:
        """The first position of a game: the opening roll is awaited."""
        take_options(options, get(cls.name).options)
        return cls.read(cls.first)

    @property
    def rules(self) -> Rules:
        """The game that this is a position of."""
        return get(self.name)

    @abstractmethod
    def _grade(self, board: int) -> tuple[str, int]:
        """The kind of a win and its points before the cube, on this board seen by the winner."""

    def _settled(self, board: int) -> Self:
        """The position after a turn that ended on this mover's board."""
        if count_first(board, EXIT) == self.checkers:
            return replace(
                self,
                _board=self._seat(board),
                turn=None,
                dice=(),
                outcome=Outcome(self.turn, *self._grade(board)),
            )
        return replace(self, _board=self._seat(board), turn=self._opponent(), dice=())

    def _opened(self, winner: Side, dice: Dice) -> Self:
        """The position after ``winner`` has won the opening roll, and plays both dice."""
        return replace(self, turn=winner, dice=dice)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """A position from its JSON (see ``_setup``), proved. Raises ImpossibleSetup with every reason."""
        reasons: list[str] = []
        turn = read_turn(data, cls.name, reasons)
        board = read_board(data, cls.words.entry, cls.words.exit, cls.checkers, reasons)
        position = cls(board, turn, **cls._read_more(data, reasons))
        if not reasons:
            reasons += position._faults(board)
            position = position._concluded(data, reasons)
        if reasons:
            raise ImpossibleSetup(tuple(reasons))
        return position

    @classmethod
    def _read_more(cls, data: Mapping[str, Any], reasons: list[str]) -> dict[str, Any]:
        """The fields that a game has beyond these."""
        return {}

    def _faults(self, board: int) -> list[str]:
        """What this game says against a standing board whose pieces add up."""
        return []

    def _concluded(self, data: Mapping[str, Any], reasons: list[str]) -> Self:
        """This position as read, with its outcome where a side has finished. Adds to ``reasons`` what does
        not go together."""
        done = finished(self._board, self.checkers)
        if not done:
            return self
        if len(done) > 1:
            reasons.append(phrase("both sides have finished; only one can"))
        elif self.turn:
            reasons.append(
                phrase("{side} has finished: the game is over and nobody is on turn", side=named(done[0]))
            )
        return replace(self, turn=None, outcome=self._won_by(done[0]))

    def _won_by(self, winner: Side) -> Outcome:
        """The outcome where ``winner`` has won on this position's board."""
        return Outcome(winner, *self._grade(flip(self._board) if winner == BLACK else self._board))

    def called(self, cell: Cell, side: Side) -> str:
        """What ``side`` calls a cell in notation: points by its own numbers, and its own places off them by
        name alone."""
        point = point_of(cell)
        if point is not None:
            return self.words.name(ENTRY - point if side == BLACK else point)
        place, owner = name_parts(cell)
        return place if owner == side else f"{owner}'s {place}"

    def why(self, looks: Looks, player: Callable[[Side], str] = named) -> str | None:
        """Why no play gives these looks, where a plain reason fits (see ``_reasons``)."""
        if self.turn is None:
            return None
        before = self.looks()
        own, their = (
            tuple(
                tuple(shown[self._cell(place, side)].count(side) for place in range(PLACES))
                for shown in (before, {**before, **looks})
            )
            for side in (self.turn, self._opponent())
        )
        had = _reasons.pips(own[0])
        legal = {
            had - sum(place * count_first(board, place) for place in range(PLACES))
            for board in self._results()
        }
        step = self.ways[1][ENTRY - 1]
        forced = step is not None and bool(step.guard)  # steps from a point wait for what must still enter
        players = player(self.turn), player(self._opponent())
        boards = (own[0], own[1]), (their[0], their[1])
        return _reasons.reason(*boards, self.dice, legal, self.words, forced, players)

    # What has to happen, and what can

    @property
    def awaits(self) -> Awaits:
        """What has to happen next."""
        if self.outcome is not None:
            return Awaits.NOTHING
        if self.turn is None:
            return Awaits.OPENING
        return Awaits.PLAY if self.dice else Awaits.ROLL

    @property
    def dice_due(self) -> int:
        """Two where dice are awaited: at the opening one of each side."""
        return 2 if self.awaits in (Awaits.OPENING, Awaits.ROLL) else 0

    def roll(self, dice: Dice) -> Self:
        """The position with these dice rolled. Raises BadDice.

        Determining First Player (SiegeGammon 6): of one die each, the higher begins and plays both; equal
        ones change nothing, roll again.
        """
        awaits = self.awaits
        if awaits is Awaits.PLAY:
            raise BadDice(f"{self.turn} has rolled {dashed(self.dice)}, which must be played first")
        if awaits is Awaits.NOTHING:
            raise BadDice("the game is over: no roll is due")
        dice = tuple(dice)
        if len(dice) != 2 or any(type(die) is not int or not 1 <= die <= 6 for die in dice):
            raise BadDice(f"two dice with faces 1 to 6 are due, not {list(dice)}")
        if awaits is Awaits.ROLL:
            return replace(self, dice=dice)
        if dice[0] == dice[1]:
            return self
        return self._opened(self.rules.sides[0 if dice[0] > dice[1] else 1], dice)

    def plays(self) -> Sequence[CheckerPlay]:
        """Every distinct legal result once; one play without steps when the player cannot move; none where no
        play is awaited."""
        return [CheckerPlay(self, board) for board in self._results()]

    def nearest(
        self, evidence: Evidence, count: int = 8, enough: float = -math.inf
    ) -> Sequence[tuple[float, CheckerPlay]]:
        """The ``count`` legal plays whose looks the evidence likes most, best first, with their scores in
        nats."""
        if not self.dice:
            return []
        assert self.turn is not None
        ranked = _scoring.best(self._results(), _nibbles(self.turn, self.words), evidence, count)
        return [(score, CheckerPlay(self, board)) for score, board in ranked]

    def find(self, text: str) -> CheckerPlay:
        """The legal play that this notation names. Raises IllegalPlay with the reason."""
        if not self.dice:
            raise IllegalPlay(f"no play is awaited here, but {self.awaits}")
        board = _notation.find(
            text, self._seat(self._board), self._results(), self.dice, self.ways, self.words
        )
        return CheckerPlay(self, board)

    def _opponent(self) -> Side:
        return BLACK if self.turn == WHITE else WHITE

    def _seat(self, board: int) -> int:
        """From a standing board to the mover's, and back."""
        return flip(board) if self.turn == BLACK else board

    def _results(self) -> list[int]:
        """The mover's boards that a full turn can lead to."""
        return results(self._seat(self._board), self.dice, self.ways) if self.dice else []

    def _text(self, board: int) -> str:
        return _notation.write(self._seat(self._board), board, self.dice, self.ways, self.words)

    def _cell(self, place: int, side: Side) -> Cell:
        assert self.turn is not None
        return _cell(place, side, self.turn, self.words)

    def _steps(self, board: int) -> tuple[Step, ...]:
        assert self.turn is not None
        state = self._seat(self._board)
        mover, enemy = self.turn, self._opponent()
        done: list[Step] = []
        for way in steps(state, board, self.dice, self.ways):
            done.append(Step(mover, self._cell(way.source, mover), self._cell(way.target, mover)))
            if state & way.blot:
                done.append(Step(enemy, self._cell(way.landing, enemy), self._cell(EXIT, enemy)))
                state += way.hit
        return tuple(done)

    # What stands where

    def looks(self) -> Looks:
        """Every point, and for each side where its checkers wait and where they end."""
        return _looks(self._board, self.words.entry, self.words.exit)

    def layout(self) -> Layout:
        """What stands where: every stack is one layer."""
        return {cell: (look,) for cell, look in self.looks().items() if look}

    def stock(self) -> dict[Piece, int]:
        """As many checkers a side as the game has."""
        return {WHITE: self.checkers, BLACK: self.checkers}

    def to_json(self) -> Json:
        """The stable form; ``turn`` is null before the opening roll and left out after the end."""
        turn: Json = {} if self.outcome else {"turn": self.turn}
        return {"rules": self.name, **turn, **write_board(self._board, self.words.entry, self.words.exit)}

    def __str__(self) -> str:
        data = write_board(self._board, self.words.entry, self.words.exit)
        points = " ".join(
            f"{point}:{'w' if number > 0 else 'b'}{abs(number)}" for point, number in data["points"].items()
        )
        off = " ".join(f"{key} {data[key][0]}/{data[key][1]}" for key in (self.words.entry, self.words.exit))
        return f"{self.name} {self._state()} | {points} | {off}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _state(self) -> str:
        if self.outcome:
            return f"over, {self.outcome.winner or 'nobody'} wins ({self.outcome.kind})"
        if self.turn is None:
            return "opening"
        return f"{self.turn} plays {self.dice[0]}-{self.dice[1]}" if self.dice else f"{self.turn} rolls"

    def stand(self, looks: Looks) -> Self:
        """The position when an illegal play stands: the board as ``looks`` shows it, the turn over. Raises
        ImpossibleSetup."""
        if not self.dice or self.turn is None:
            raise ImpossibleSetup((f"no play is awaited here but {self.awaits}, so none can stand",))
        reasons: list[str] = []
        board = seen_board(self._board, looks, self.turn, self.words.entry, self.words.exit, reasons)
        if not reasons:
            reasons += self._faults(board)
            fresh = set(finished(board, self.checkers)) - set(finished(self._board, self.checkers))
            if self._opponent() in fresh:
                other, turn = named(self._opponent()), named(self.turn)
                reasons.append(
                    phrase("{side} has finished, though it was {other}'s turn", side=other, other=turn)
                )
        if reasons:
            raise ImpossibleSetup(tuple(reasons))
        return self._settled(self._seat(board))
