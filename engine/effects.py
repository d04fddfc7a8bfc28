"""What the session wants done or told, as data. The firmware writes the event that caused them to the journal
before it acts on them.

Every effect has ``to_json``; ``Judged`` and ``Ended`` give the lines that ``barpoint replay --json`` prints.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from engine.layout import Cell, Side
from engine.position import Dice, Json, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The base of all effects."""

    name: ClassVar[str] = ""

    def to_json(self) -> Json:
        """A JSON object with the effect's ``effect`` name and its fields."""
        data: Json = {"effect": self.name}
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            data[each.name] = (
                value.to_json()
                if isinstance(value, Outcome)
                else list(value)
                if isinstance(value, tuple)
                else value
            )
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Effect):
    """A game begins; ``game`` counts from 1."""

    name: ClassVar[str] = "started"
    game: int
    crawford: bool
    position: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceDue(Effect):
    """Dice were asked for: draw ``count`` and send them as a Roll (at the opening one for each side, ``side``
    None)."""

    name: ClassVar[str] = "dice-due"
    side: Side | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceFell(Effect):
    """Dice fell. ``side`` None: equal opening dice, to be rolled again. ``stuck``: no move is possible."""

    name: ClassVar[str] = "rolled"
    side: Side | None
    dice: Dice
    stuck: bool
    stake: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Effect):
    """*Done* was judged, or the players said what was played.

    ``turn`` counts from 0. ``move`` is the notation where the play is legal, else None. ``cells`` are to be
    lit: the wrong ones, or those in doubt. ``position`` is the one after a legal play, else the one before.
    ``candidates``: the plays that an unsure picture may show. ``words`` is for people.
    """

    name: ClassVar[str] = "judged"
    turn: int
    side: Side
    dice: Dice
    verdict: str
    move: str | None
    cells: tuple[Cell, ...]
    position: Json
    candidates: tuple[str, ...]
    words: str
    by: str
    """``camera`` or ``players``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intended(Effect):
    """``side`` has said what it plays; the board must show it."""

    name: ClassVar[str] = "intended"
    side: Side
    play: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relit(Effect):
    """A pending foul looks different now: light these cells; none are left when it is fixed (and *done* is
    to be pressed)."""

    name: ClassVar[str] = "relit"
    cells: tuple[Cell, ...]
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoulStood(Effect):
    """An illegal play stood: the opponent rolled, or condoned it. The game goes on from ``position``."""

    name: ClassVar[str] = "stood"
    turn: int
    side: Side
    dice: Dice
    cells: tuple[Cell, ...]
    position: Json
    words: str
    condoned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TookBack(Effect):
    """The last *done* was taken back; ``turn`` is to be played again."""

    name: ClassVar[str] = "took-back"
    turn: int
    side: Side
    position: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceTookBack(Effect):
    """Dice that the players had announced were taken back; ``side`` is whose they were, None before it was
    known who begins."""

    name: ClassVar[str] = "dice-took-back"
    side: Side | None
    dice: Dice
    position: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Effect):
    """A double: ``to`` is to answer. ``beaver`` where it answers one itself."""

    name: ClassVar[str] = "offered"
    by: Side
    to: Side
    stake: int
    beaver: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeTaken(Effect):
    """The double was taken; ``owner`` has the cube at ``stake``."""

    name: ClassVar[str] = "taken"
    side: Side
    owner: Side
    stake: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeDropped(Effect):
    """The double was dropped."""

    name: ClassVar[str] = "dropped"
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class ResignationChanged(Effect):
    """``side`` offers to lose at ``grade``; ``grade`` None: the offer is withdrawn or refused."""

    name: ClassVar[str] = "resigned"
    side: Side
    grade: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Effect):
    """A game ended. ``points`` count the cube; ``cause`` is ``played``, ``dropped``, ``resigned`` or
    ``time``."""

    name: ClassVar[str] = "ended"
    game: int
    outcome: Outcome
    points: int
    score: tuple[int, int]
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Effect):
    """The match is won."""

    name: ClassVar[str] = "match-ended"
    winner: Side
    score: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired(Effect):
    """``side`` is out of time; what it cost follows as effects of its own, but for penalty ``points``."""

    name: ClassVar[str] = "expired"
    side: Side
    penalty: str
    points: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Effect):
    """The game stands still, or goes on."""

    name: ClassVar[str] = "paused"
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed(Effect):
    """``by`` (an event's actor) asks to set something by hand, in ``words``; the sides in ``waits`` must
    agree."""

    name: ClassVar[str] = "proposed"
    by: str
    words: str
    waits: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalAnswered(Effect):
    """``side`` agreed to what was proposed; or it refused, or withdrew its own."""

    name: ClassVar[str] = "proposal-answered"
    side: Side
    agreed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetByHand(Effect):
    """The players set something by hand; ``ended``: for the next game."""

    name: ClassVar[str] = "corrected"
    position: Json
    score: tuple[int, int]
    cube: int
    owner: Side | None
    ended: bool = False
