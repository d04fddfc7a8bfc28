"""What is to be shown, as plain JSON-ready data: the page, the strip and a terminal draw it, and know nothing
else."""

from __future__ import annotations

import dataclasses

from engine.actions import legal_actions
from engine.fair_dice import proof_of
from engine.layout import Layout, Looks
from engine.match_state import Announcement, Judgement, MatchState
from engine.position import Json
from engine.session import Session


def view(session: Session, t: float | None = None) -> Json:
    """The session at time ``t`` (None: when its clock last started).

    Always: ``state``, ``waiting`` (in words), ``due`` (who has to act). Once a match has begun:
    ``rules``, ``title``, ``sides``, ``players`` (by name, or else by colour), ``called`` (the same, for
    people); ``position`` (stable JSON), ``layout`` (cell -> layers of pieces, bottom to top), ``looks``
    (cell -> pieces to be seen); ``turn`` (its number), ``side`` (on turn), ``awaits``, ``dice``,
    ``dice_due``, ``remark`` (the game's), ``intended`` (what that side has said that it plays);
    ``judgement`` (the last), ``wrong`` (cells to light), ``seen`` (looks of a pending foul), ``judged``
    (the judgement while it is news), ``moves``, ``touched`` (cells that the last play changed); ``news``
    (what the newest event told) and ``story`` (what happened beside the plays); ``cube``, ``match``,
    ``result``, ``resignation``, ``proposal`` (a correction that waits: by whom, and who must agree),
    ``clock`` (seconds), ``actions`` (by side), ``commitment``, ``seeds``; what proves the dice, in
    ``proof`` (with ``closed``: nobody can pledge any more).
    """
    table = session.table and session.table.settled
    data: Json = {"state": session.state.value, "waiting": session.waiting, "due": session.due}
    if table is None:
        return data
    position = table.position
    last = table.pending or (table.moves[-1] if table.moves else None)
    return (
        data
        | {
            "rules": table.rules.name,
            "title": table.rules.title,
            "sides": list(table.rules.sides),
            "players": {side: table.begin.players.get(side, side) for side in table.rules.sides},
            "called": {side: table.player(side) for side in table.rules.sides},
            "position": position.to_json(),
            "layout": _layout(position.layout()),
            "looks": _looks(position.looks()),
            "turn": table.turn,
            "side": position.turn,
            "awaits": position.awaits.value,
            "dice": list(table.dice),
            "dice_due": position.dice_due,
            "intended": table.intended,
            "remark": position.says(table.player),
            "judgement": last and _judgement(last),
            "wrong": list(table.pending.cells) if table.pending is not None else [],
            "seen": None if table.seen is None else _looks(table.seen),
            "judged": table.judged and _judgement(table.judged),
            "moves": [_judgement(move) for move in table.moves],
            "touched": list(table.touched),
            "news": [_announcement(each) for each in table.news],
            "story": [_announcement(each) for each in table.story],
            "clock": _clock(table, t),
            "actions": {
                side: [action.to_json() for action in legal_actions(session, side)]
                for side in table.rules.sides
            },
            "commitment": table.commitment,
            "seeds": [list(seed) for seed in table.seeds],
            "proof": _proof(table),
        }
        | _stakes(table)
    )


def _stakes(table: MatchState) -> Json:
    """What the match is about: cube, match, result, and what one player asks of the other."""
    rules, result, proposal, resigned = table.rules, table.result, table.proposal, table.resignation
    used = rules.cube and table.match.terms.cube and not table.match.crawford
    return {
        "cube": table.cube.to_json() | {"used": used},
        "match": _match(table),
        "result": result
        and {"outcome": result.outcome.to_json(), "points": result.points, "cause": result.cause},
        "proposal": proposal
        and {"by": proposal.event.actor, "words": proposal.words, "waits": list(proposal.waits)},
        "resignation": resigned and {"side": resigned.side, "grade": rules.grades[resigned.grade][0]},
    }


def _layout(layout: Layout) -> Json:
    return {cell: [list(layer) for layer in stack] for cell, stack in layout.items()}


def _looks(looks: Looks) -> Json:
    return {cell: list(look) for cell, look in looks.items()}


def _judgement(judgement: Judgement) -> Json:
    told = {name: getattr(judgement, name) for name in judgement.__slots__}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}


def _announcement(each: Announcement) -> Json:
    return {name: getattr(each, name) for name in each.__slots__}


def _match(table: MatchState) -> Json:
    match, sides = table.match, table.rules.sides
    return {
        "length": match.terms.length,
        "game": match.game,
        "score": dict(zip(sides, match.score, strict=True)),
        "away": {side: match.away(side) for side in sides},
        "crawford": match.crawford,
        "winner": match.winner,
    }


def _proof(table: MatchState) -> Json | None:
    proof = proof_of(table)
    return None if proof is None else dataclasses.asdict(proof) | {"closed": table.closed or table.drawn > 0}


def _clock(table: MatchState, t: float | None) -> Json:
    clock = table.clock
    at = clock.since if t is None else t
    return {
        "kind": clock.control.kind.value,
        "reserve": {side: clock.left(side, at) for side in table.rules.sides},
        "running": clock.running,
        "delay": clock.delay_left(at),
        "since": clock.since,
        "paused": clock.paused,
        "held": clock.held,
    }
