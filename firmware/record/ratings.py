"""A player's figures in a match as an engine sees it: the decisions, what each cost, what they add up to.

The *performance rating* is 500 times the equity lost for each decision that was not obvious: a play is
obvious where all legal plays end alike, a cube decision where doubling would be a big mistake and nobody did.
*Luck* is how much better the best play of each roll is than the mean over all rolls. Equities are normalised
to the cube.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from engine.layout import Side
from engine.messages import phrase
from engine.position import Json
from firmware.engines import Chances
from firmware.formats.board import SIDES

ERROR, BLUNDER = 0.02, 0.08
"""Points of equity from which a decision is an error or a blunder, as players count them."""

CHOICES = {
    "no double": phrase("no double"),
    "double": phrase("double"),
    "take": phrase("take"),
    "drop": phrase("drop"),
    "beaver": phrase("beaver"),
    "error": phrase("error"),
    "blunder": phrase("blunder"),
}
"""What can be done with the cube, and marks, for people."""


def describe_choice(word: str) -> str:
    """What was done or is best, for people: a play as it is written, or what is done with the cube."""
    return CHOICES.get(word, word)


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of a player. ``turn`` counts the plays of the game from 1 (a cube decision has that of the
    play before which it is made); ``kind`` is ``play`` or ``cube``; ``played`` and ``best`` are notation, or
    ``no double``, ``double``, ``take``, ``drop``, ``beaver``. ``loss`` is in points of equity; ``had`` and
    ``missed`` are the player's chances after what was played and after the best, where they differ."""

    game: int
    turn: int
    side: Side
    kind: str
    played: str
    best: str
    loss: float
    obvious: bool = False
    dice: tuple[int, ...] = ()
    had: Chances | None = None
    missed: Chances | None = None

    @property
    def mark(self) -> str:
        """``ok``, ``error`` or ``blunder``."""
        return "blunder" if self.loss >= BLUNDER else "error" if self.loss >= ERROR else "ok"

    def to_json(self) -> Json:
        """What it was; ``had`` and ``missed`` only where they are known."""
        chances = {
            name: {key: round(value, 4) for key, value in asdict(found).items()}
            for name, found in (("had", self.had), ("missed", self.missed))
            if found is not None
        }
        return {
            "game": self.game,
            "turn": self.turn,
            "side": self.side,
            "kind": self.kind,
            "dice": list(self.dice),
            "played": self.played,
            "best": self.best,
            "loss": round(self.loss, 4),
            "mark": self.mark,
            **chances,
        }


@dataclass(frozen=True, slots=True)
class Luck:
    """What a roll brought its player, in points of equity, and the player's chance to win before it."""

    game: int
    turn: int
    side: Side
    dice: tuple[int, ...]
    luck: float
    win: float


@dataclass(frozen=True, slots=True)
class GameReview:
    """A game as an engine sees it. ``unjudged`` counts plays that broke the rules and stood, and answers to
    beavers."""

    decisions: tuple[Decision, ...]
    rolls: tuple[Luck, ...]
    unjudged: int = 0
    engine: str = ""
    plies: int = 0


def describe_engine(review: GameReview) -> str:
    """Who reviewed, and how far it looked ahead; another program's analysis does not say in our counting."""
    return f"{review.engine} ({review.plies}-ply)" if review.plies else review.engine


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's figures. ``decisions`` are those that were not obvious, ``lost`` and ``cube_lost`` all the
    equity lost by plays and by the cube; ``plays`` and ``cubes`` what of ``decisions`` are either."""

    plays: int = 0
    cubes: int = 0
    lost: float = 0.0
    cube_lost: float = 0.0
    luck: float = 0.0
    errors: int = 0
    blunders: int = 0

    @property
    def decisions(self) -> int:
        """Plays and cube decisions that were not obvious."""
        return self.plays + self.cubes

    @property
    def pr(self) -> float:
        """The performance rating; the lower, the better (a world champion has some 3)."""
        return 500 * (self.lost + self.cube_lost) / self.decisions if self.decisions else 0.0

    @property
    def play_pr(self) -> float:
        """That of the checker plays alone."""
        return 500 * self.lost / self.plays if self.plays else 0.0

    @property
    def cube_pr(self) -> float:
        """That of the cube decisions alone."""
        return 500 * self.cube_lost / self.cubes if self.cubes else 0.0

    def to_json(self) -> Json:
        """The figures as pages show them."""
        return {
            "pr": round(self.pr, 2),
            "play_pr": round(self.play_pr, 2),
            "cube_pr": round(self.cube_pr, 2),
            "luck": round(self.luck, 3),
            "decisions": self.decisions,
            "errors": self.errors,
            "blunders": self.blunders,
        }


def ratings(reviews: Sequence[GameReview]) -> dict[Side, Rating]:
    """Each player's figures over these games, White first."""
    found = {}
    for side in SIDES:
        own = [each for review in reviews for each in review.decisions if each.side == side]
        marks = [each.mark for each in own]
        found[side] = Rating(
            sum(each.kind == "play" and not each.obvious for each in own),
            sum(each.kind == "cube" and not each.obvious for each in own),
            sum(each.loss for each in own if each.kind == "play"),
            sum(each.loss for each in own if each.kind == "cube"),
            sum(roll.luck for review in reviews for roll in review.rolls if roll.side == side),
            marks.count("error"),
            marks.count("blunder"),
        )
    return found


def worst_first(reviews: Sequence[GameReview]) -> list[Decision]:
    """All errors and blunders of these games, the most expensive first."""
    found = (each for review in reviews for each in review.decisions if each.mark != "ok")
    return sorted(found, key=lambda each: -each.loss)
