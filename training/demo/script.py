"""What is seen in the demo: gnubg's match as pictures and presses, with the fouls that people make.

``match.mat`` was played by GNU Backgammon 1.07.001 against itself: both sides with two plies for checkers and
cube, without noise, its world-class setting; ``set rng mersenne``, ``set seed 3``, ``new match 3``. The last
of it, bearing off a game that is won, is not shown: Black resigns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.layout import Cell, Piece
from engine.match import Terms
from engine.record import (
    Doubled,
    Dropped,
    GameRecord,
    GameState,
    MatchRecord,
    Moment,
    Played,
    Rolled,
    Taken,
    opening,
    replay,
)
from firmware.formats import mat_import
from training.demo.table import Checkers, Lying, cube, dice

MATCH = Path(__file__).parent / "match.mat"
PLAYERS = {"white": "Anna", "black": "Björn"}
Looks = dict[Cell, tuple[Piece, ...]]


@dataclass(frozen=True)
class Foul:
    """What a player does first instead of a play: checkers go from cell to cell."""

    moves: tuple[tuple[Cell, Cell], ...]

    def after(self, before: Mapping[Cell, tuple[Piece, ...]]) -> Looks:
        looks = {cell: list(pieces) for cell, pieces in before.items()}
        for start, end in self.moves:
            looks.setdefault(end, []).append(looks[start].pop())
        return {cell: tuple(pieces) for cell, pieces in looks.items()}


FOULS = {
    (1, 5): Foul((("bar.white", "p22"),)),
    (2, 5): Foul((("bar.black", "p2"), ("p12", "p16"))),
    (2, 15): Foul((("p16", "p21"), ("p17", "p20"))),
}
"""By game and roll: White forgets a six; Black goes four instead of five; Black moves while a checker
waits on the bar."""
END = (2, 37)
"""The game and roll after which Black resigns: the rest is bearing off."""
THINK, PRESS, NEXT, LOOK, ANSWER, BREAK = 5.0, 2.5, 4.0, 20.0, 9.0, 25.0
"""Seconds: from the dice to the play, to *done*, to the next dice; after a foul; until a double is answered;
between games."""


@dataclass
class Script:
    """The pictures by name, and the recording's timeline."""

    shots: dict[str, tuple[Lying, ...]] = field(default_factory=dict)
    timeline: list[dict[str, Any]] = field(default_factory=list)
    match: MatchRecord = field(default_factory=lambda: mat_import.read(MATCH.read_text()).record)

    @property
    def begin(self) -> dict[str, Any]:
        """The match as it was agreed on."""
        terms: Terms = self.match.terms
        return {
            "event": "begin",
            "t": 0.0,
            "rules": "backgammon",
            "players": PLAYERS,
            "terms": {"length": terms.length},
        }


def write() -> Script:
    """The whole match."""
    return _Writer().write()


class _Writer:
    def __init__(self) -> None:
        self._script = Script()
        self._rng = np.random.default_rng(18)
        self._checkers = Checkers(self._rng)
        self._now = 0.0
        self._dice: tuple[Lying, ...] = ()

    def write(self) -> Script:
        match = self._script.match
        for number, game in enumerate(match.games, 1):
            self._dice = ()
            self._picture(opening(match, game))
            self._game(number, game)
            self._now += BREAK
        return self._script

    def _game(self, number: int, game: GameRecord) -> None:
        rolls = 0
        for moment in replay(self._script.match, game):
            if (number, rolls) == END and isinstance(moment.action, Rolled):
                self._press("black", "resign", ANSWER)
                self._press("white", "take", NEXT)
                return
            match moment.action:
                case Rolled(side=side, dice=thrown):
                    rolls += 1
                    self._roll(moment, side, thrown)
                case Played(side=side, text="pass"):
                    self._picture(moment.after)
                    self._press(side, "done", NEXT)
                case Played(side=side):
                    foul = FOULS.get((number, rolls))
                    if foul is not None:
                        self._picture(moment.before, foul.after(moment.before.position.looks()))
                        self._press(side, "done", LOOK)
                    self._picture(moment.after)
                    self._press(side, "done", NEXT)
                case Doubled(side=side):
                    self._dice = ()
                    self._press(side, "double", 1.0)
                    self._picture(moment.after)
                    self._now += ANSWER
                case Taken(side=side) | Dropped(side=side):
                    self._press(
                        side, type(moment.action).__name__.removesuffix("n").removesuffix("ped").lower(), 2.0
                    )

    def _roll(self, moment: Moment, side: str | None, thrown: tuple[int, ...]) -> None:
        mover = moment.after.position.turn
        assert mover is not None
        self._dice = dice(self._rng, thrown, mover)
        self._add({"side": mover, "roll": list(thrown), "opening": side is None})
        self._now += THINK

    def _press(self, side: str, button: str, rest: float) -> None:
        self._add({"side": side, "button": button})
        self._now += rest

    def _picture(self, state: GameState, looks: Looks | None = None) -> None:
        self._checkers.show(looks or state.position.looks())
        name = f"{len(self._script.shots):03d}.webp"
        self._script.shots[name] = (
            *self._checkers.lying(),
            *self._dice,
            cube(state.cube, state.offered is not None),
        )
        self._add({"frame": name})
        self._now += PRESS

    def _add(self, moment: dict[str, Any]) -> None:
        self._script.timeline.append({"t": round(self._now, 1), **moment})


def changes(shots: Mapping[str, tuple[Lying, ...]]) -> Iterator[tuple[str, set[Lying]]]:
    """Each picture, and what lies in it and did not in the one before, or the other way round."""
    before: set[Lying] = set()
    for name, lying in shots.items():
        yield name, before ^ set(lying)
        before = set(lying)
