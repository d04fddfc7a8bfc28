"""The cube, resignations, and what a finished game is worth."""

from __future__ import annotations

from dataclasses import replace

from engine.effects import CubeDropped, CubeTaken, Effect, Ended, MatchEnded, Offered, ResignationChanged
from engine.errors import IllegalEvent
from engine.events import Press
from engine.layout import Side
from engine.match_state import GameEnd, MatchState, Resignation, State, Transition
from engine.messages import phrase
from engine.position import Outcome


def may_offer(table: MatchState, side: Side) -> str | None:
    """Why ``side`` may not double now, were it its decision."""
    if table.cube.offer is not None:
        return table.cube.beaver_refusal(table.match)
    if not table.rules.cube:
        return phrase("{title} is played without a cube", title=table.rules.title)
    return table.cube.refusal(table.match, side, table.rolls, table.player)


def double(table: MatchState, event: Press) -> Transition:
    """A double, or a beaver, is offered."""
    side = table.due or ""
    beaver = table.cube.offer is not None
    cube = table.cube.beavered() if beaver else table.cube.offered(side, table.rules.other(side))
    assert cube.offer is not None
    offered = Offered(by=side, to=cube.offer.to, stake=cube.offer.taken, beaver=beaver)
    return replace(table, cube=cube, back=None, unrolled=None), (offered,)


def may_answer(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not take or drop."""
    return (
        None if side == table.due else phrase("{player} is to answer", player=table.player(table.due or ""))
    )


def take(table: MatchState, event: Press) -> Transition:
    """The double is taken, or the resignation accepted."""
    if table.resignation is not None:
        side, (kind, points) = table.resignation.side, table.rules.grades[table.resignation.grade]
        return finish(table, Outcome(table.rules.other(side), kind, points), "resigned")
    taker = table.due or ""
    cube = table.cube.taken()
    return replace(table, cube=cube), (CubeTaken(side=taker, owner=cube.owner or "", stake=cube.value),)


def drop(table: MatchState, event: Press) -> Transition:
    """The double is dropped, or the resignation refused."""
    if table.resignation is not None:
        return _playing_on(table, event.t), (ResignationChanged(side=table.resignation.side, grade=None),)
    dropper = table.due or ""
    ended, effects = forfeit(table, dropper, "dropped")
    return ended, (CubeDropped(side=dropper), *effects)


def resigner(table: MatchState) -> Side | None:
    """Whose resignation a shared button means: the one on the table, else that of the side that is to act."""
    return table.due if table.resignation is None else table.resignation.side


def may_resign(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not offer to lose."""
    if side is None:
        return phrase("who resigns? press your own button")
    if table.resignation is not None and side != table.resignation.side:
        answers, offers = table.player(side), table.player(table.resignation.side)
        return phrase(
            "{answers} is to accept or refuse {offers}'s resignation", answers=answers, offers=offers
        )
    return None


def resign(table: MatchState, event: Press) -> Transition:
    """An offer to lose: the grade named, else the least, else one more than offered; past the last it is
    withdrawn."""
    grades = table.rules.grades
    offered = table.resignation
    side = event.side or ""
    if event.grade is not None:
        places = [place for place, (kind, _) in enumerate(grades) if kind == event.grade]
        if not places:
            raise IllegalEvent(
                phrase(
                    "nobody can resign a {grade!r}; there are {names}",
                    grade=event.grade,
                    names=", ".join(kind for kind, _ in grades),
                )
            )
        place = places[0]
    else:
        place = 0 if offered is None else offered.grade + 1
    if place >= len(grades):
        return _playing_on(table, event.t), (ResignationChanged(side=side, grade=None),)
    delay = (
        offered.delay
        if offered is not None
        else table.clock.delay_left(event.t)
        if side == table.due
        else None
    )
    return replace(table, resignation=Resignation(side, place, delay)), (
        ResignationChanged(side=side, grade=grades[place][0]),
    )


def _playing_on(table: MatchState, t: float) -> MatchState:
    """No resignation is on the table any more: the time of whoever was to act goes on where it was, with what
    was left of its delay."""
    offered = table.resignation
    clock = table.clock
    if offered is not None and offered.delay is not None and clock.running is not None:
        clock = replace(clock.run(offered.side, t, fresh=False), delay=offered.delay)
    return replace(table, resignation=None, clock=clock)


def forfeit(table: MatchState, side: Side, cause: str) -> Transition:
    """``side`` loses the game as it stands: singly, at the stake that a drop would lose."""
    offer = table.cube.offer
    stake = offer.dropped if offer is not None and offer.to == side else table.cube.value
    kind, _ = table.rules.grades[0]
    return finish(table, Outcome(table.rules.other(side), kind, 1), cause, stake)


def finish(table: MatchState, outcome: Outcome, cause: str, points: int | None = None) -> Transition:
    """The game is over: it is scored, by the cube unless ``points`` are given."""
    worth = table.cube.points(table.match, outcome.points) if points is None else points
    won = 0 if outcome.winner is None else worth
    match = table.match.award(outcome.winner, won)
    cube = replace(table.cube, offer=None)
    ended = replace(
        table,
        match=match,
        cube=cube,
        result=GameEnd(outcome, won, cause),
        resignation=None,
        proposal=None,
        rolling=False,
        pending=None,
        seen=None,
        back=table.back if cause == "played" else None,
        unrolled=table.unrolled if cause == "played" else None,
    )
    effects: tuple[Effect, ...] = (
        Ended(game=match.game, outcome=outcome, points=won, score=match.score, cause=cause),
    )
    if match.winner is not None:
        effects = (*effects, MatchEnded(winner=match.winner, score=match.score))
    assert ended.state in (State.OVER, State.ENDED)
    return ended, effects
