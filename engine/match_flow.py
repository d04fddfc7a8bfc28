"""The course of a match: its games, its time, and what the players set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine import fair_dice, rules
from engine.clock import Clock, Penalty
from engine.cube import HIGHEST, Cube
from engine.effects import Expired, MatchEnded, Paused, SetByHand, Started
from engine.errors import IllegalEvent
from engine.events import Begin, Correct, Event, Key, Next, Press, Sign
from engine.match import Match
from engine.match_state import MatchState, Transition
from engine.messages import phrase
from engine.outside import shown
from engine.position import Awaits, Position, Rules
from engine.stakes import forfeit


def begin(event: Begin) -> Transition:
    """A match begins with its first game. Raises EngineError where what was agreed on is impossible."""
    game = rules.get(event.rules)
    strangers = [side for side in event.players if side not in game.sides]
    if strangers:
        raise IllegalEvent(
            f"{game.title} has no side {strangers[0]!r}; the sides are {' and '.join(game.sides)}"
        )
    position = (
        game.start(_options(game, event.options)) if event.position is None else _read(game, event.position)
    )
    clock = Clock.set(event.clock, game.sides, event.terms.length, event.terms.score)
    table = MatchState(
        begin=event, rules=game, position=position, match=Match.begin(event.terms, game.sides), clock=clock
    )
    return table, (_started(table),)


def next_game(table: MatchState, event: Event) -> Transition:
    """The next game of the match begins."""
    given = event.options if isinstance(event, Next) else None
    options = dict(table.begin.options if given is None else given)
    match = table.match.next(tie=table.result is not None and table.result.outcome.winner is None)
    fresh = MatchState(
        begin=replace(table.begin, options=options),
        rules=table.rules,
        position=table.rules.start(_options(table.rules, options)),
        match=match,
        clock=table.clock,
        cube=Cube(),
        **fair_dice.kept(table),
        key=table.key,
    )
    return fresh, (_started(fresh),)


def pause(table: MatchState, event: Press) -> Transition:
    """The game stands still, or goes on."""
    clock = table.clock
    if clock.paused:
        return replace(table, clock=clock.resume(event.t)), (Paused(paused=False),)
    return replace(table, clock=clock.pause(event.t)), (Paused(paused=True),)


def expire(table: MatchState, t: float) -> Transition:
    """What time alone has done to the table by ``t``."""
    side = table.clock.expired(t)
    if side is None:
        return table, ()
    control, match, other = table.clock.control, table.match, table.rules.other(side)
    points = control.points if control.penalty is Penalty.POINTS else 0
    match = match.award(other, points)
    table = replace(table, clock=table.clock.settled(t))
    expired = Expired(side=side, penalty=control.penalty.value, points=points, score=match.score)
    if control.penalty is Penalty.NONE:
        clock = replace(table.clock, flagged=(*table.clock.flagged, side))
        return replace(table, clock=clock), (expired,)
    if control.penalty is Penalty.POINTS:
        table = replace(table, match=match, clock=table.clock.credited(side, control.refill))
        table = replace(table, back=None, unrolled=None)
        if match.winner is None:
            return table, (expired,)
        table = replace(table, cube=replace(table.cube, offer=None), rolling=False)
        return table, (expired, MatchEnded(winner=match.winner, score=match.score))
    if control.penalty is Penalty.MATCH and match.terms.length:
        table = replace(table, match=replace(match, forfeited=side))
    elif control.refills:
        table = replace(table, clock=table.clock.credited(side, control.refill))
    ended, effects = forfeit(table, side, "time")
    return ended, (expired, *effects)


def correct(table: MatchState, event: Correct) -> Transition:
    """The players set the position, the score or the cube by hand. Raises EngineError where that is
    impossible."""
    if event.position is None and event.score is None and event.cube is None:
        return table, ()
    ended = event.ended and table.result is not None
    if event.position is not None:
        if table.result is not None:
            raise IllegalEvent(phrase("the game is over; take the last play back first"))
        position = _read(table.rules, {**table.position.to_json(), **event.position})
        if position.outcome is not None:
            raise IllegalEvent(phrase("a game cannot be set to its end; play it, or resign"))
        kept = (
            table.position.awaits is Awaits.PLAY
            and position.awaits is Awaits.ROLL
            and position.turn == table.position.turn
        )
        if kept:
            position = position.roll(table.position.dice)
        dice = table.dice if kept else ()
        cube = replace(table.cube, offer=None)
        table = replace(table, position=position, dice=dice, opened=(), cube=cube, intended="")
        table = replace(table, pending=None, seen=None, rolling=False, resignation=None)
    if event.score is not None:
        length = table.match.terms.length
        if length and max(event.score) >= length:
            text = phrase("a match to {n} cannot be set to its end; play it, or resign", n=length)
            raise IllegalEvent(text)
        match = table.match.corrected(event.score, ended)
        table = replace(table, match=match, cube=replace(table.cube, offer=None))
    if event.cube is not None:
        sides = (None, *table.rules.sides)
        if not 1 <= event.cube <= HIGHEST or event.cube & (event.cube - 1) or event.owner not in sides:
            raise IllegalEvent(
                f"a cube at {shown(event.cube)} owned by {shown(event.owner)} does not exist: 1, 2, 4, …,"
                f" up to {HIGHEST}, and a side or nobody"
            )
        table = replace(table, cube=replace(table.cube, value=event.cube, owner=event.owner, offer=None))
    table, cube = replace(table, back=None, unrolled=None), table.cube
    told = SetByHand(
        position=table.position.to_json(),
        score=table.match.score,
        cube=cube.value,
        owner=cube.owner,
        ended=ended,
    )
    return table, (told,)


def keep_under(table: MatchState, event: Key) -> Transition:
    """The log is kept under a key from here on."""
    return replace(table, key=event.key), ()


def sign(table: MatchState, event: Sign) -> Transition:
    """The match is signed as it stands."""
    if not table.key:
        raise IllegalEvent("no key was named that could have signed this match")
    if table.signed:
        raise IllegalEvent("the match is signed already")
    return replace(table, signed=True), ()


def nothing(table: MatchState, event: Event) -> Transition:
    """Time went by."""
    return table, ()


def _options(game: Rules, given: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = [key for key in given if key not in game.options]
    if unknown:
        raise IllegalEvent(
            f"{game.title} has no option {unknown[0]!r}; it has {', '.join(game.options) or 'none'}"
        )
    return {**game.options, **given}


def _read(game: Rules, data: Mapping[str, Any]) -> Position:
    if data.get("rules", game.name) != game.name:
        raise IllegalEvent(f"this is a game of {game.name}, and the position is of {data['rules']}")
    return game.read({**data, "rules": game.name})


def _started(table: MatchState) -> Started:
    return Started(game=table.match.game, crawford=table.match.crawford, position=table.position.to_json())
