"""What the doubling cube on the table means for the match: a double, a take, a drop, or something to be told
(``cube = "camera"``).

Pure: a :class:`Doubling` is a value, and ``doubling.see(cube, dice, set_up, table, t)`` gives the next one,
what it asks of the table, and words for the players. Only a cube that was moved asks for anything: one that
lies where it lay means nothing new, whatever was pressed meanwhile. The page's buttons remain.

- Before the roll the cube is laid on the playing field, or at the opponent's side: a double.
- Then it is laid at the opponent's own side, or moved there, or the dice are thrown while it lies there: a
  take. A beaver is pressed; it is taken when the dice are thrown while the cube lies at the side of who
  beavered.
- Or the board is set up for the next game: a drop. A cube that goes back to the middle says too little for
  that, since a sleeve may have moved it: the players are told what ends the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from engine.events import Button
from engine.layout import Side
from engine.match_state import MatchState, State
from engine.messages import phrase
from engine.rolls import doubler, may_double
from firmware.table.throws import fresh_dice
from hardware.protocols import Pressed
from vision.dice import Die

MIDDLE, FIELD = "middle", "field"
MOVED = 1.5
"""A cube that lies farther from where it lay than so many of its edges was moved."""
Outcome: TypeAlias = tuple["Doubling", Pressed | None, str]
"""The next value, what is asked of the table, and what the players are told ("" for nothing)."""


@dataclass(frozen=True, slots=True)
class SeenCube:
    """A cube at rest: ``where`` is a side, MIDDLE, or FIELD (the playing field), ``place`` in cm, ``edge``
    its edge's length in cm."""

    where: Side | str
    place: tuple[float, float]
    edge: float

    def moved_from(self, other: SeenCube | None) -> bool:
        """Whether it lay elsewhere."""
        if other is None or self.where != other.where:
            return True
        return float(np.hypot(*np.subtract(self.place, other.place))) > MOVED * self.edge


@dataclass(frozen=True, slots=True)
class Doubling:
    """``lies``: where the cube lay when it was last looked at, None where it never was. ``home``: where it
    lay as the game began; ``away``: where it lies away from there, as a player's or on offer; ``looked``:
    whether a picture was looked at since the game began. ``offered``: where it lies for the double that is on
    the table; ``dice``: those that lay there when it was offered."""

    lies: SeenCube | None = None
    home: SeenCube | None = None
    away: SeenCube | None = None
    looked: bool = False
    offered: SeenCube | None = None
    dice: tuple[Die, ...] = ()

    def see(
        self, cube: SeenCube | None, dice: Sequence[Die], set_up: bool, table: MatchState, t: float
    ) -> Outcome:
        """What a cube seen at rest at ``t`` seconds means now; None where none is surely seen. ``dice``:
        those that lie there; ``set_up``: the checkers stand as at the start of a game, and did not before."""
        if table.state is State.OPENING:
            return self._begin(cube)
        if cube is not None:
            away = cube if self._is_away(cube, table) else None
            return replace(self, away=away)._see(cube, dice, set_up, table, t)
        return self._see(cube, dice, set_up, table, t)

    def _begin(self, cube: SeenCube | None) -> Outcome:
        """A game begins: where the cube lies is its place in the middle, unless it was left where the last
        game brought it."""
        if cube is None:
            return Doubling(None, self.home, self.away, looked=True), None, ""
        if cube.where == FIELD or not cube.moved_from(self.away):
            words = phrase("a game begins: lay the cube in the middle")
            return Doubling(cube, self.home, self.away, looked=True), None, words
        return Doubling(cube, cube, looked=True), None, ""

    def _is_away(self, cube: SeenCube, table: MatchState) -> bool:
        """Whether it lies where nobody keeps it as a game begins."""
        if cube.where == MIDDLE:
            return False
        return cube.where == table.cube.owner or (self.home is not None and cube.moved_from(self.home))

    def _see(
        self, cube: SeenCube | None, dice: Sequence[Die], set_up: bool, table: MatchState, t: float
    ) -> Outcome:
        """The same while a game goes on."""
        if table.state is State.OFFERED:
            if set_up:
                return replace(self, offered=None), Pressed(t, table.due, Button.DROP), ""
            return self._answer(cube, dice, table, t)
        if table.state is State.ROLLING and table.passing is Button.DOUBLE:
            return self, None, ""  # it is offered once the dice of who is closed out have fallen
        now = replace(self, offered=None, dice=(), looked=True, lies=cube or self.lies)
        if cube is None or table.state not in (State.ROLL, State.PLAY, State.FOUL, State.ASKED):
            return now, None, ""
        new = self.looked and cube.moved_from(self.lies)
        if new and table.state is State.ROLL and self._is_offer(cube, table):
            by = doubler(table)
            refused = may_double(table, by)
            if refused is None:
                offered = replace(now, offered=cube, dice=tuple(dice))
                return offered, Pressed(t, by, Button.DOUBLE), ""
            return now, None, refused
        return now, None, self._misplaced(cube, table)

    def _is_offer(self, cube: SeenCube, table: MatchState) -> bool:
        opponent = table.rules.other(doubler(table) or "")
        if table.cube.owner is None and not cube.moved_from(self.home):
            return False  # it is back in the middle
        return cube.where == FIELD or (cube.where == opponent and table.cube.owner != opponent)

    def _answer(self, cube: SeenCube | None, dice: Sequence[Die], table: MatchState, t: float) -> Outcome:
        """A double is on the table."""
        offer = table.cube.offer
        assert offer is not None
        offered = self.offered
        thrown = len(fresh_dice(dice, self.dice)) >= table.position.dice_due
        if offered is not None and offered.where == offer.owner and thrown:  # nobody throws after a drop
            return replace(self, offered=None), Pressed(t, offer.to, Button.TAKE), ""
        if cube is None:
            return replace(self, looked=True), None, ""
        words = self._taken_back(cube, table) if offered is not None else ""
        if not cube.moved_from(self.lies):
            return self, None, words
        now = replace(self, lies=cube, looked=True)
        if offered is None:  # it was offered with a button: now it is laid out
            laid_out = cube if cube.where in (FIELD, offer.owner) else None
            return replace(now, offered=laid_out, dice=tuple(dice)), None, ""
        if cube.where == offer.owner and not offer.beavers:  # who beavers lays it at the own side
            return replace(now, offered=None), Pressed(t, offer.to, Button.TAKE), ""
        return replace(now, offered=cube), None, words

    def _taken_back(self, cube: SeenCube, table: MatchState) -> str:
        """What is told where the cube does not lie on offer any more."""
        offer = table.cube.offer
        assert offer is not None
        at_home = table.cube.owner is None and not cube.moved_from(self.home)
        if cube.where == offer.owner or not (at_home or cube.where in (MIDDLE, offer.by)):
            return ""
        return phrase(
            "{player} has doubled: {other} takes the cube, or the board is set up for the next game (if"
            " {player} has not, set the cube right on the page)",
            player=table.player(offer.by),
            other=table.player(offer.to),
        )

    def _misplaced(self, cube: SeenCube, table: MatchState) -> str:
        """Where the cube belongs, if it was moved to where it does not."""
        owner = table.cube.owner
        if owner is None:
            if self.home is None or cube.where == MIDDLE or not cube.moved_from(self.home):
                return ""
            return phrase("nobody has doubled: the cube belongs in the middle")
        if cube.where == owner:
            return ""
        return phrase("the cube is {player}'s: it belongs at {player}'s side", player=table.player(owner))
