"""Dice: who may ask for them, and what a roll makes of the table. Transitions as in :mod:`engine.turns`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement

from engine import stakes
from engine.effects import DiceDue, DiceFell
from engine.errors import IllegalEvent
from engine.events import Button, DiceFrom, Moves, Press, Roll
from engine.evidence import Evidence
from engine.layout import Side
from engine.match_state import CANNOT_MOVE, MatchState, State, Transition
from engine.messages import phrase
from engine.position import Awaits, Position
from engine.turns import cannot_stand, ended, pass_on, stand, standing


def may_ask_dice(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not press *roll*."""
    if table.begin.dice is DiceFrom.INFERRED:
        return phrase("the players roll their own dice")
    if table.state is State.FOUL and table.begin.moves is Moves.LEGAL:
        return phrase("the illegal play must be fixed before the turn passes")
    if table.state is State.ROLL and side is not None and closed_out(table.position):
        return None
    return may_roll(table, side)


def roller(table: MatchState) -> Side | None:
    """Whose dice can fall now; None where nobody is on turn. After a foul they are the opponent's."""
    if table.state is State.FOUL and table.pending is not None:
        return table.rules.other(table.pending.side)
    return table.position.turn


def dice_due(table: MatchState) -> int:
    """How many dice can fall now."""
    return (standing(table) if table.state is State.FOUL else table.position).dice_due


def may_roll(table: MatchState, side: Side | None) -> str | None:
    """Why no dice of ``side`` can fall now. A roll of the opponent's lets a pending foul stand."""
    turn = table.position.turn
    if turn is None:
        return None
    if table.state is State.FOUL:
        return (
            phrase("{player} must fix the illegal play first", player=table.player(turn))
            if side == turn
            else cannot_stand(table)
        )
    return None if side == turn else phrase("it is {player}'s roll", player=table.player(turn))


def ask_dice(table: MatchState, event: Press) -> Transition:
    """Somebody wants dice, or the opponent of who is closed out goes on. The engine has none: they come as a
    Roll."""
    stood, effects = stand(table, condoned=True) if table.state is State.FOUL else (table, ())
    if stood.position.dice_due == 0:
        return stood, effects  # what stood ended the game, or no dice are rolled in it
    side = stood.position.turn
    passing = event.button if side is not None and event.side not in (None, side) else None
    return replace(stood, rolling=True, passing=passing), (
        *effects,
        DiceDue(side=side, count=stood.position.dice_due),
    )


def may_double(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not double, or answer a double with a beaver. Who has closed the other side out may
    double before that side's dice have fallen."""
    if side is None or side not in (table.due, doubler(table)):
        return phrase("it is {player}'s decision", player=table.player(table.due or ""))
    return stakes.may_offer(table, side)


def doubler(table: MatchState) -> Side | None:
    """Who doubles, if anybody does: the opponent of who is closed out where that is possible, else whose
    decision it is."""
    if table.state is State.ROLL and closed_out(table.position):
        other = table.rules.other(table.position.turn or "")
        if stakes.may_offer(table, other) is None:
            return other
    return table.due


def double(table: MatchState, event: Press) -> Transition:
    """A double, or a beaver, is offered. The turn of who is closed out passes first: with its dice, or, where
    players roll their own, without."""
    if event.side == table.due:
        return stakes.double(table, event)
    if table.begin.dice is not DiceFrom.INFERRED:
        return ask_dice(table, event)
    passed, played = pass_on(table)
    doubled, offered = stakes.double(passed, event)
    return doubled, (*played, *offered)


def roll(table: MatchState, event: Roll) -> Transition:
    """Dice fell."""
    stood, effects = stand(table, condoned=False) if table.state is State.FOUL else (table, ())
    if stood.result is not None:
        return stood, effects
    before = stood.position if event.opening else _named(stood.position, event)
    opening = before.awaits is Awaits.OPENING
    if event.opening and not opening:
        raise IllegalEvent(phrase("the opening roll is over"))
    dice = event.dice
    if opening and event.side is not None:
        dice = tuple(sorted(dice, reverse=event.side == stood.rules.sides[0]))
    after = before.roll(dice)
    to_play = event.dice if after.awaits is Awaits.PLAY else ()
    opened = dice if opening and not to_play else ()
    rolled = replace(
        stood,
        position=after,
        rolling=False,
        passing=None,
        back=None,
        unrolled=table if event.number is None and not table.rolling else None,
        dice=to_play,
        read=event.read,
        opened=opened,
        drawn=event.number or stood.drawn,
    )
    if after.awaits is Awaits.OPENING:
        rolled = replace(rolled, cube=stood.cube.doubled_by_dice(stood.match))
        return rolled, (*effects, DiceFell(side=None, dice=event.dice, stuck=False, stake=rolled.cube.value))
    side = after.turn if opening else before.turn
    counts = tuple(count + (name == side) for count, name in zip(stood.rolls, stood.rules.sides, strict=True))
    rolled = replace(rolled, rolls=(counts[0], counts[1]))
    fell = DiceFell(side=side, dice=event.dice, stuck=_stuck(after), stake=rolled.cube.value)
    rolled, ending = ended(rolled)
    if table.rolling and table.passing is not None and not ending:
        passed, played = pass_on(rolled)
        asked = Press(t=event.t, button=table.passing, side=passed.position.turn)
        go_on = stakes.double if table.passing is Button.DOUBLE else ask_dice
        gone_on, due = go_on(passed, asked)
        return gone_on, (*effects, fell, *played, *due)
    return rolled, (*effects, fell, *ending)


def _named(position: Position, event: Roll) -> Position:
    """The position that the dice fell in. Where the opening roll is not itself played, the players may name
    who begins instead: a side that rolls its own dice at once has been named."""
    if position.awaits is Awaits.OPENING and event.side is not None and len(event.dice) != position.dice_due:
        for throw in ((2, 1), (1, 2)):
            opened = position.roll(throw)
            if opened.turn == event.side and opened.awaits is Awaits.ROLL:
                return opened
    return position


def cannot_move(table: MatchState) -> bool:
    """Whether the side on turn can move nothing by its roll: as was told when the dice fell, or, after an
    undo or a correction, as the position has it."""
    told = {news.kind for news in table.news}
    return CANNOT_MOVE in told or ("roll" not in told and bool(table.dice) and _stuck(table.position))


@lru_cache(maxsize=8)  # the page asks with every change
def closed_out(position: Position) -> bool:
    """Whether the side that must roll can move by no roll, so that nobody needs to see it. A game in which
    who cannot move has lost knows no such turn."""
    if position.awaits is not Awaits.ROLL or position.turn is None:
        return False
    throws = combinations_with_replacement(range(1, 7), position.dice_due)
    rolled = map(position.roll, throws)
    return all(each.awaits is Awaits.PLAY and _stuck(each) for each in rolled)


def _stuck(position: Position) -> bool:
    """Whether the one play is no move (a position that stays as it is would else be explained by no play
    without steps), or the game is lost so."""
    if position.awaits is not Awaits.PLAY:
        return position.outcome is not None
    nearest = position.nearest(Evidence.certain(position.looks()), 1)
    return bool(nearest) and not nearest[0][1].steps
