"""What is offered and answered: a double, a resignation, and a correction by hand.

A correction that the director makes, or the table itself, counts at once. Anybody else's waits until the
other player agrees (both, where it is not known who asks); meanwhile nothing else happens, and the clock
stands still where that was agreed.
"""

from __future__ import annotations

from dataclasses import replace

from engine import match_flow, stakes
from engine.announcements import describe_correction
from engine.effects import ProposalAnswered, Proposed
from engine.errors import IllegalEvent
from engine.events import DIRECTOR, Choose, Condone, Correct, Event, Pledge, Press, Roll, Seed
from engine.layout import Side
from engine.match_state import MatchState, Proposal, Transition
from engine.messages import all_of, phrase


def correct(table: MatchState, event: Correct) -> Transition:
    """Sets something by hand, or asks whoever must agree. Raises EngineError where it is impossible."""
    set_by_hand, effects = match_flow.correct(replace(table, proposal=None), event)
    if event.actor in ("", DIRECTOR):
        unchanged = not effects and table.proposal is None
        return (table, ()) if unchanged else (set_by_hand, effects)
    words = describe_correction(table, set_by_hand)
    if not words:
        return table, ()
    waits = tuple(side for side in table.rules.sides if side != event.actor)
    proposal = Proposal(event, words, waits)
    return replace(table, proposal=proposal), (Proposed(by=event.actor, words=words, waits=waits),)


def answerer(table: MatchState) -> Side | None:
    """Who is to answer."""
    return table.due if table.proposal is None else table.proposal.waits[0]


def may_take(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not take, or agree."""
    proposal = table.proposal
    if proposal is None:
        return stakes.may_answer(table, side)
    return (
        None if side in proposal.waits else phrase("{names} must agree", names=_names(table, proposal.waits))
    )


def may_drop(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not drop, or refuse. Whoever asked for a correction may withdraw it."""
    return stakes.may_answer(table, side) if table.proposal is None else None


def take(table: MatchState, event: Press) -> Transition:
    """The double is taken, the resignation accepted, the correction agreed to."""
    proposal = table.proposal
    if proposal is None:
        return stakes.take(table, event)
    decided = event.actor == DIRECTOR
    answered = ProposalAnswered(side=event.side or "", agreed=True)
    rest = () if decided else tuple(side for side in proposal.waits if side != event.side)
    if rest:
        return replace(table, proposal=replace(proposal, waits=rest)), (answered,)
    set_by_hand, effects = match_flow.correct(replace(table, proposal=None), proposal.event)
    return set_by_hand, (answered, *effects)


def drop(table: MatchState, event: Press) -> Transition:
    """The double is dropped, the resignation refused, the correction refused or withdrawn."""
    if table.proposal is None:
        return stakes.drop(table, event)
    return replace(table, proposal=None), (ProposalAnswered(side=event.side or "", agreed=False),)


def check_actor(table: MatchState, event: Event) -> None:
    """Raises IllegalEvent where a player's own phone does what is the other player's, or any phone names a
    play as one player's that is the other's."""
    actor, turn = event.actor, table.position.turn
    side = getattr(event, "side", None)
    if isinstance(event, Choose) and turn is not None:
        if actor and side not in (None, turn):
            raise _others(table, turn, side)
        side = turn
    if actor not in table.rules.sides:
        return
    if isinstance(event, (Press, Roll, Choose, Condone, Pledge, Seed)) and side not in (None, actor):
        raise _others(table, side, actor)


def _others(table: MatchState, side: Side, other: Side) -> IllegalEvent:
    player, other = table.player(side), table.player(other)
    return IllegalEvent(phrase("this is for {player} to do, and not for {other}", player=player, other=other))


def waiting(table: MatchState) -> str:
    """Who must agree to what."""
    proposal = table.proposal
    if proposal is None:
        return ""
    return phrase(
        "{names} must agree (take) or refuse (drop): {words}",
        names=_names(table, proposal.waits),
        words=proposal.words,
    )


def _names(table: MatchState, sides: tuple[Side, ...]) -> str:
    return all_of([table.player(side) for side in sides])
