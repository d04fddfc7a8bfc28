"""What the table's own player does: it asks an engine what each choice is worth, and takes the best, after
some noise where it must not play its best.

A mind is asked with the table as it stands, and answers with the event that its player causes, or with none
where it need do nothing. It remembers nothing that a restart would miss but a resignation that was refused.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from engine.events import Button, Choose, DiceFrom, Event, Intend, Press, Roll
from engine.layout import Side
from engine.match_state import MatchState, State
from engine.position import Awaits
from engine.session import Session
from firmware.engines import Chances, Engine, NoEngine
from firmware.levels import level_of
from firmware.record.spots import Stakes, board_of

CERTAIN = 0.001
"""A chance that is less is none: a game that is lost so surely is resigned."""

Choice = TypeVar("Choice")


def own_players(table: MatchState) -> dict[Side, str]:
    """The level of each side that the table plays itself."""
    levels = {side: level_of(table.begin.players.get(side, "")) for side in table.rules.sides}
    return {side: level for side, level in levels.items() if level is not None}


def must_act(table: MatchState) -> Side | None:
    """The own player that has something to do now; None where it is people's turn to act."""
    own = own_players(table)
    if table.state is State.PROPOSED:
        assert table.proposal is not None
        return next((side for side in table.proposal.waits if side in own), None)
    if table.state is State.OPENING and len(own) == 2 and table.begin.dice is DiceFrom.ROLLED:
        return table.rules.sides[0]
    asked = table.state in (State.ROLL, State.OFFERED, State.RESIGNED)
    if not asked and (table.state is not State.PLAY or table.intended):
        return None
    return table.due if table.due in own else None


@dataclass
class Mind:
    """Decides for one side. ``noise`` as in :data:`firmware.levels.LEVELS`."""

    engine: Engine
    noise: float = 0.0
    source: random.Random = field(default_factory=secrets.SystemRandom)
    _kept_on: tuple[int, int] | None = None
    """The game and turn in which the opponent would not have its resignation."""

    def act(self, table: MatchState, side: Side) -> Event | None:
        """What ``side`` does now; None where there is nothing to do. Raises NoEngine."""
        if table.state is State.OPENING:
            return Press(t=0, button=Button.ROLL, side=side)
        if table.state is State.PROPOSED:  # people know what stands on the board
            return Press(t=0, button=Button.TAKE, side=side)
        if table.due != side:
            return None
        match table.state:
            case State.ROLL:
                return self._begin_turn(table, side)
            case State.PLAY if not table.intended:
                return self._play(table, side)
            case State.OFFERED:
                return Press(t=0, button=self._answer(table, side), side=side)
            case State.RESIGNED:
                fair = self._is_enough(table, side)
                return Press(t=0, button=Button.TAKE if fair else Button.DROP, side=side)
        return None

    def _begin_turn(self, table: MatchState, side: Side) -> Event:
        """Resigns, doubles or rolls."""
        before = self.engine.before_roll(Stakes.at(table).spot(table.position, side), rolls=False)
        now, grade = (table.match.game, table.turn), _lost_at(table, side, before.chances)
        if grade is not None and now != self._kept_on:
            self._kept_on = now
            return Press(t=0, button=Button.RESIGN, side=side, grade=grade)
        double = Press(t=0, button=Button.DOUBLE, side=side)
        if Session(table).refusal(double) is None:
            doubled = min(before.double_take, before.double_drop)
            if self._best({True: doubled, False: before.no_double}):
                return double
        if table.begin.dice is DiceFrom.ROLLED:
            return Press(t=0, button=Button.ROLL, side=side)
        dice = tuple(1 + secrets.randbelow(6) for _ in range(table.position.dice_due))
        return Roll(t=0, dice=dice, side=side)  # it names its roll, and people set the dice so

    def _play(self, table: MatchState, side: Side) -> Event:
        position = table.position
        plays = {board_of(play.after, side): play for play in position.plays()}
        if len(plays) == 1:
            (play,) = plays.values()
            if not play.steps:
                return Choose(t=0, play=play.text, side=side)
            return Intend(t=0, play=play.text, side=side)
        ranked = self.engine.plays(Stakes.at(table).spot(position, side, position.dice))
        worth = {(each.own, each.other): each.equity for each in ranked if (each.own, each.other) in plays}
        if not worth:
            raise NoEngine(f"the engine knows no legal play of {position}")
        return Intend(t=0, play=plays[self._best(worth)].text, side=side)

    def _answer(self, table: MatchState, side: Side) -> Button:
        """What to do about the double on the table."""
        offer, position, stake = table.cube.offer, table.position, table.cube.value
        assert offer is not None
        assert position.turn is not None
        before = self.engine.before_roll(Stakes.at(table).spot(position, position.turn), rolls=False)
        take = (1 if position.turn == side else -1) * before.double_take * offer.taken / (2 * stake)
        drop = -offer.dropped / stake if offer.beavers else -before.double_drop
        worth = {Button.TAKE: take, Button.DROP: drop}
        if Session(table).refusal(Press(t=table.clock.since, button=Button.DOUBLE, side=side)) is None:
            worth[Button.DOUBLE] = 2 * take
        return self._best(worth)

    def _is_enough(self, table: MatchState, side: Side) -> bool:
        """Whether the resignation on the table is worth what playing on would bring."""
        assert table.resignation is not None
        points = table.rules.grades[table.resignation.grade][1]
        if _wins_match(table, side, points) or table.position.turn is None:
            return True
        chances = self._chances(table, side)
        expected = 2 * chances.win - 1
        if not table.match.terms.jacoby or table.cube.doubled:
            expected += chances.gammon + chances.backgammon - chances.gammon_lost - chances.backgammon_lost
        return points >= expected - 2 * CERTAIN

    def _chances(self, table: MatchState, side: Side) -> Chances:
        """Those of ``side``, whoever is on turn."""
        position, stakes = table.position, Stakes.at(table)
        plays = position.plays() if position.awaits is Awaits.PLAY else ()
        mover = position.turn
        if len(plays) == 1:
            position = plays[0].after
            mover = position.turn
        assert mover is not None
        if len(plays) > 1:
            chances = self.engine.plays(stakes.spot(position, mover, position.dice))[0].chances
        else:
            chances = self.engine.before_roll(stakes.spot(position, mover), rolls=False).chances
        return chances if mover == side else chances.turned()

    def _best(self, worth: Mapping[Choice, float]) -> Choice:
        noise = self.noise
        return max(worth, key=lambda each: worth[each] + (self.source.gauss(0, noise) if noise else 0.0))


def _wins_match(table: MatchState, side: Side, points: int) -> bool:
    """Whether a game of so many points, times the cube, wins ``side`` the match."""
    away = table.match.away(side)
    return away is not None and table.cube.value * points >= away


def _lost_at(table: MatchState, side: Side, chances: Chances) -> str | None:
    """The grade at which ``side`` surely loses the game, or with it the match; None while it does not, or
    not surely at one grade."""
    grades = [name for name, _ in table.rules.grades]
    if chances.win > CERTAIN:
        return None
    ends = _wins_match(table, table.rules.other(side), table.rules.grades[0][1])  # whatever the grade
    if ends or chances.gammon_lost < CERTAIN or (table.match.terms.jacoby and not table.cube.doubled):
        return grades[0]
    if chances.gammon_lost > 1 - CERTAIN:
        if chances.backgammon_lost < CERTAIN:
            return grades[1]
        if chances.backgammon_lost > 1 - CERTAIN:
            return grades[2]
    return None
