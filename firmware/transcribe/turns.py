"""What happened in a film, turn by turn: plain data."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.layout import Side
from engine.names import dashed
from engine.position import Dice, Position

SURE = 0.99
"""The probability from which on nobody is asked."""


MARK = "+"
"""In a turn's key, for each turn that its picture shows before it."""
WORTH = 192
"""The points of a game, at most: a backgammon with the cube at 64."""


class Kind(enum.StrEnum):
    """How the board changed."""

    PLAYED = "played"
    ILLEGAL = "illegal"
    """By the side on turn, but not as the rules allow it."""
    FOUND = "found"
    """Nobody saw how: the film began there, or what happened between was not in it."""
    BEGUN = "begun"
    """The board was set up for a game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to *which was played?*: a roll and a play in the game's notation."""

    dice: Dice
    move: str

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"dice": list(self.dice), "move": self.move}

    def __str__(self) -> str:
        return f"{dashed(self.dice)}: {self.move}"


@dataclass(frozen=True, slots=True)
class Turn:
    """``t``: when the board was first at rest after it; ``rolls``: the rolls that explain the play, each with
    its probability (together 1), the likeliest first; none where the board was only found. ``move`` is in the
    game's notation, for an illegal play in words. ``before`` awaits the play's roll. ``picture`` shows it
    done, ``earlier`` what was seen before; ``nth``: how many turns that picture shows before this one.
    ``candidates``: what else it may have been; ``settled``: players have said."""

    t: float
    side: Side | None
    kind: Kind
    rolls: tuple[tuple[Dice, float], ...]
    move: str
    before: Position
    after: Position
    picture: str = ""
    earlier: str = ""
    nth: int = 0
    doubtful: bool = False
    settled: bool = False
    others: tuple[Choice, ...] = ()
    own: tuple[Choice, ...] = ()
    """Each of the rolls with the play as it reads by it."""

    @property
    def key(self) -> str:
        """What an answer about it is kept under: the picture, with a mark for each turn that shows in it
        before this one (two plays between which nothing was seen; a pass)."""
        return self.picture and self.picture + MARK * self.nth

    @property
    def dice(self) -> Dice:
        """The likeliest roll."""
        return self.rolls[0][0] if self.rolls else ()

    @property
    def dice_sure(self) -> bool:
        """Whether one roll alone explains it."""
        return bool(self.rolls) and self.rolls[0][1] >= SURE

    @property
    def sure(self) -> bool:
        """Whether nobody needs to be asked. What roll a foul was made with is no question."""
        return self.settled or (not self.doubtful and (self.dice_sure or self.kind is not Kind.PLAYED))

    @property
    def candidates(self) -> tuple[Choice, ...]:
        """What it may have been, the likeliest first; one only where it is sure."""
        if self.sure:
            return self.own[:1]
        return tuple(dict.fromkeys((*self.own, *self.others)))

    def same(self, other: Turn) -> bool:
        """Whether it says the same as another: what was played, not when."""
        return (self.side, self.kind, self.move, self.after, self.dice) == (
            other.side,
            other.kind,
            other.move,
            other.after,
            other.dice,
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A turn and all before it; ``number`` counts them from 1."""

    turn: Turn
    parent: Link | None = None
    number: int = 1

    def back(self) -> Iterator[Link]:
        """This link and those before it, the newest first."""
        link: Link | None = self
        while link is not None:
            yield link
            link = link.parent


@dataclass(frozen=True, slots=True)
class Answers:
    """What players have said: of a turn (by its key) what was played (None: nothing was) or what stands in
    its picture, and who is to roll; of a game (by its number) who won how many points (None: it went on after
    the film), and of a picture in which the cube was moved what became of it, with the key of the turn that
    was rolled for then ("": none was)."""

    plays: dict[str, Choice | Position | None] = field(default_factory=dict)
    results: dict[int, tuple[Side, int] | None] = field(default_factory=dict)
    cubes: dict[str, tuple[str, str]] = field(default_factory=dict)
    order: list[tuple[str, str | int]] = field(default_factory=list)
    """Of what (``plays``, ``results`` or ``cubes``) and by which key it was said, the newest last."""

    def say(self, kind: str, key: str | int, answer: Any) -> None:
        """One more answer, or another one about the same."""
        getattr(self, kind)[key] = answer
        self.order[:] = [each for each in self.order if each != (kind, key)] + [(kind, key)]

    def take_back(self) -> None:
        """Forgets the newest answer."""
        if self.order:
            kind, key = self.order.pop()
            del getattr(self, kind)[key]

    def __bool__(self) -> bool:
        """Whether anything was said."""
        return bool(self.plays or self.results or self.cubes)
