"""The interface that every game keeps, and the few plain types that cross it.

A *position* is a state machine with two moves. Where it awaits dice, ``roll`` gives the next position; where
it awaits a play, ``plays`` gives every play that the rules allow, each with the position ``after`` it.
Nothing else changes a position: it is frozen, and everything about the game that can matter later (stages of
a roll, a last roll, a swap) is in it.

    start ──roll──> to play ──play.after──> to roll ──roll──> … ──> outcome

What differs between games lives in ``engine.rules``, one module a game. Everybody else (judge, session,
camera, page) uses only what this module names, and never asks which game it is.

What makes a turn legal is the position that results, so ``plays`` gives every distinct result once. Text and
steps describe one way to get there.
"""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeAlias

from engine.evidence import Evidence
from engine.layout import Cell, Layout, Looks, Piece, Side, cell_text
from engine.names import named

Dice: TypeAlias = tuple[int, ...]
"""Faces 1-6 as rolled. For an opening, one die each in the order of ``Rules.sides``."""

Json: TypeAlias = dict[str, Any]
"""A JSON object as ``json.loads`` gives it: checked where it is read, free inside."""

POSITION_KEYS = frozenset(
    {"rules", "turn", "points", "bar", "off", "reserve", "locked", "hand", "stage", "stuck", "last_roll"}
    | {"outcome", "board", "border", "cells", "fortresses", "armies", "last_capture"}
)
"""Every key that a position of some game has in JSON; a position with another one is refused where it comes
from outside. A game that needs a new key names it here."""


class Awaits(enum.StrEnum):
    """What a position waits for."""

    OPENING = "opening"
    """One die each, to see who begins."""
    ROLL = "roll"
    """``Position.dice_due`` dice of the side on turn."""
    PLAY = "play"
    NOTHING = "nothing"
    """The game is over; ``outcome`` says how."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. ``winner`` is None for a tie; ``points`` are before the cube; ``kind`` is the game's
    own word for it."""

    winner: Side | None
    kind: str
    points: int

    def to_json(self) -> Json:
        """The stable form (docs/commands.md)."""
        return {"winner": self.winner, "kind": self.kind, "points": self.points}


@dataclass(frozen=True, slots=True)
class Step:
    """One piece moved from cell to cell. What it hits or captures follows as a Step of that piece."""

    piece: Piece
    source: Cell
    target: Cell


class Play(Protocol):
    """One legal way to end a turn (or a stage of one). Two plays are equal when their results are."""

    @property
    def after(self) -> Position:
        """The position that results."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """One way to get there, in an order that is legal step by step; empty when the player cannot move."""

    @property
    def text(self) -> str:
        """Standard notation for the same way (``24/18 13/10*``); the game's word for no move when there are
        no steps."""


class Position(ABC):
    """A proved state of one game: frozen, hashable, compared by value, and as text one line for logs.

    A game's positions are a subclass. What is not abstract here suits most games as it is.
    """

    whole_looks: ClassVar[bool] = True
    """Whether a look shows every piece of its cell, so that the looks of all cells add up to the stock."""

    @property
    @abstractmethod
    def rules(self) -> Rules:
        """The game that this is a position of."""

    @property
    @abstractmethod
    def turn(self) -> Side | None:
        """Whose roll or play it is; None before the opening roll and after the end."""

    @property
    @abstractmethod
    def awaits(self) -> Awaits:
        """What has to happen next."""

    @property
    @abstractmethod
    def dice(self) -> Dice:
        """What was rolled and is to be played now, as rolled; empty otherwise."""

    @property
    @abstractmethod
    def dice_due(self) -> int:
        """How many dice ``roll`` wants now; 0 where it awaits none."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""

    @abstractmethod
    def roll(self, dice: Dice) -> Position:
        """The position with these dice rolled. Raises BadDice."""

    @abstractmethod
    def plays(self) -> Sequence[Play]:
        """Every distinct legal result once, in a fixed order. One play without steps when the player cannot
        move (unless the rules make that a loss: then ``roll`` already gave the end). Empty when no play is
        awaited."""

    @abstractmethod
    def nearest(
        self, evidence: Evidence, count: int = 8, enough: float = -math.inf
    ) -> Sequence[tuple[float, Play]]:
        """The ``count`` legal plays whose looks the evidence likes most, best first, each with
        ``evidence.total(after.looks())``.

        Where there may be thousands of plays, a game searches along the evidence instead of listing them all.
        The best play, and all within 6 nats of it, are always among those found; of plays farther behind,
        others may be given, or none. Where no play reaches ``enough``, a game may give none at all."""

    @abstractmethod
    def find(self, text: str) -> Play:
        """The legal play that this notation names. Raises IllegalPlay with the reason."""

    @abstractmethod
    def stand(self, looks: Looks) -> Position:
        """The position when an illegal play stands (condoned, or the opponent has rolled): the board as
        ``looks`` shows it, hidden pieces as known before, the other side to roll (or to play where there are
        no dice). Raises ImpossibleSetup."""

    @abstractmethod
    def layout(self) -> Layout:
        """What stands where, hidden pieces too."""

    @abstractmethod
    def looks(self) -> Looks:
        """What a camera could see of each cell, empty cells included; cells that no camera ever sees are left
        out."""

    @abstractmethod
    def stock(self) -> Mapping[Piece, int]:
        """How many pieces of each kind exist in this game, wherever they are. What is seen never adds up to
        more."""

    @abstractmethod
    def to_json(self) -> Json:
        """The stable form (docs/rules.md); dice are not part of it."""

    def why(self, looks: Looks, player: Callable[[Side], str] = named) -> str | None:
        """Why no play from here gives these looks: a sentence for both players that names the rule. None
        where no reason is found. ``player`` says what a side is called."""
        return None

    def called(self, cell: Cell, side: Side) -> str:
        """What ``side`` calls a cell in the text of a play."""
        return cell_text(cell)

    def owed(self) -> Dice:
        """The numbers of an earlier roll that must still be played, where no die shows them any more."""
        return ()

    def says(self, player: Callable[[Side], str] = named) -> str:
        """What is special about this moment, in half a sentence for the players: a last roll, what is owed,
        why the game is lost. Empty where nothing is. ``player`` says what a side is called."""
        return ""

    def notes(self) -> Sequence[str]:
        """What is odd, but not forbidden, about a board that the players have set up."""
        return ()


@dataclass(frozen=True, slots=True)
class Rules:
    """One game, as ``engine.rules`` lists it."""

    name: str
    """The stable name: ``backgammon``."""
    title: str
    """The name for people."""
    sides: tuple[Side, Side]
    cube: bool
    """Whether a doubling cube belongs to the game."""
    start: Callable[[Mapping[str, Any]], Position]
    """The first position of a game under these options (``options`` names them). Raises ImpossibleSetup where
    the game needs a board set up by the players and the options hold none."""
    read: Callable[[Mapping[str, Any]], Position]
    """A position from its stable JSON form, proved. Raises ImpossibleSetup with every reason."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that ``start`` takes, with their defaults."""
    grades: tuple[tuple[str, int], ...] = (("single", 1), ("gammon", 2), ("backgammon", 3))
    """What a game can be resigned at, least first: the game's own word (``Outcome.kind``) and its points
    before the cube."""
    board: str = "checkers"
    """The kind of board and pieces that it is played with, as cameras are told: checkers, pyramids, hexes."""
    set_up: Callable[[Looks], Mapping[str, Any]] | None = None
    """Where the players set the board up: the options of a game that begins on a board that looks so."""
    homes: Mapping[Side, Collection[Cell]] = field(default_factory=dict)
    """The cells where a side's pieces stand last before they leave the board. None of a side leaves while
    some stand there and others elsewhere. Empty where the game knows no such cells."""
    file_names: Mapping[str, str] = field(default_factory=dict)
    """What file formats of other programs call this game, by format (``mat``, ``sgf``, ``xgid``). A format
    that is not named cannot hold it."""

    def other(self, side: Side) -> Side:
        """The opponent of ``side``."""
        return self.sides[1] if side == self.sides[0] else self.sides[0]
