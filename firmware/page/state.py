"""What the page shows, as one JSON object: made anew for every change, never patched.

The engine's view holds the facts. Here they are arranged for readers: every cell with its pieces, the strip,
the last judgement as a heading and a sentence, the moves so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.announcements import match_won
from engine.events import DiceFrom
from engine.fair_dice import proof_of
from engine.layout import POINTS, Side, name_parts, point_cell, point_of
from engine.match_flow import correct
from engine.match_state import MatchState, State
from engine.messages import joined, phrase, sentence
from engine.named_roll import asked_about
from engine.names import dashed
from engine.position import Json, Position
from engine.rolls import cannot_move, closed_out
from engine.session import Session
from engine.view import view
from engine.words import LEGAL, NO_MOVE, TIE, UNKNOWN, made_of, scored
from firmware.dice.proof_words import describe_proof, describe_wait
from firmware.setup.games import layout_json

HEADINGS = {
    "legal": phrase("Legal"),
    "illegal": phrase("Not legal"),
    "unsure": phrase("Unsure"),
    "stood": phrase("The foul stands"),
}
FOR_PLAYERS = ("actions", "candidates", "position", "number")
"""What only players need."""


def page_state(
    session: Session,
    t: float,
    leds: Sequence[Json],
    refused: str | None = None,
    number: int = 0,
    strip: bool = True,
    seen: Json | None = None,
    hands_free: bool = False,
    moving: bool = False,
) -> Json:
    """The state at table time ``t``. ``leds`` are drawn, the dark ones too where the table has a ``strip``;
    ``refused`` says why the last button did nothing; ``number`` is the state's: an act that names it is
    refused once there is another. ``seen`` is the engine's view at ``t``, where it was made already;
    ``hands_free``: who picks the own dice up has ended the turn; ``moving``: the board is not seen at
    rest."""
    seen = seen or view(session, t)
    if "position" not in seen:
        idle = sentence(seen["waiting"])
        if not refused or sentence(refused) == idle:
            return {"phase": idle}
        return {"phase": joined(". ", (idle, sentence(refused))), "refused": refused}
    assert session.table is not None
    assert session.position is not None
    judged = seen["judged"]
    picked_up = hands_free and session.table.begin.dice is DiceFrom.INFERRED
    return {
        "title": seen["title"],
        "phase": sentence(_phase(seen, session.table, picked_up)),
        "sides": seen["sides"],
        "players": seen["players"],
        "called": seen["called"],
        "state": seen["state"],
        "waits": _waits(session.table, picked_up),
        "due": seen["due"],
        "turn": seen["side"],
        "dice": seen["dice"],
        "cells": {
            cell: seen["layout"].get(cell, [])
            for cell in [*seen["looks"], *(set(seen["layout"]) - set(seen["looks"]))]
        },
        "position": seen["position"],
        "armies": seen["position"].get("armies"),  # a cell does not tell which hexes are one army's
        "cube": _cube(seen["cube"]),
        "labels": labels_json(session.position),
        "counts": judged["side"] if judged else seen["side"],
        "ghosts": _ghosts(seen["looks"], seen["seen"] if session.table.settled.fouled else _said(session)),
        "intended": seen["intended"],
        "touched": seen["touched"] if seen["result"] is None or judged else [],
        "match": {name: seen["match"][name] for name in ("length", "game", "crawford")},
        "score": seen["match"]["score"],
        "pips": _pips(seen["looks"], seen["layout"], seen["sides"]),
        "clock": seen["clock"],
        "actions": seen["actions"],
        "candidates": _candidates(session),
        "proposal": seen["proposal"] and _proposal_json(seen["proposal"], session),
        "leds": list(leds),
        "strip": strip,
        "judgement": judged and _judgement_json(judged, seen["called"]),
        "news": [{name: each[name] for name in ("kind", "words")} for each in seen["news"] if each["words"]],
        "story": seen["story"],
        "refused": refused,
        "moving": moving,
        "number": number,
        "proof": _proof_json(session),
        "revealed": session.table.bound > 0 and session.table.commitment is None,
        "moves": [_move_json(move) for move in seen["moves"]],
    }


def for_spectators(state: Json) -> Json:
    """The part of a state for those who only look."""
    return {name: value for name, value in state.items() if name not in FOR_PLAYERS}


def _phase(seen: Json, table: MatchState, picked_up: bool) -> str:
    waiting: str = seen["waiting"]
    if table.state is State.PROPOSED:  # also after a game's end
        return waiting
    if match := match_won(table):  # also where points were lost by time: then no game has ended
        return match
    result = seen["result"]
    if result is None:
        plays = picked_up and seen["state"] == State.PLAY and not seen["intended"]
        return _picks_up(seen, cannot_move(table)) if plays else waiting
    winner: Side | None = result["outcome"]["winner"]
    if winner is None:
        return TIE
    points = scored(result["outcome"]["kind"], result["points"])
    words = phrase("{player} wins: {points}", player=seen["called"][winner], points=points)
    if not seen["remark"] or result["cause"] != "played":
        return words
    return phrase("{words}; {more}", words=words, more=seen["remark"])


def _waits(table: MatchState, picked_up: bool) -> str:
    """What the table waits for, for a program that words it: the state, or what its words tell apart."""
    match table.state:
        case State.ROLL if closed_out(table.position):
            return "closed out"
        case State.PLAY if not table.intended:
            stuck, done = ("stuck" if cannot_move(table) else "play"), " by dice" if picked_up else ""
            return stuck + done
    return table.state.value


def _picks_up(seen: Json, stuck: bool) -> str:
    """What a table without buttons waits for while a roll is played."""
    player = seen["called"][seen["side"]]
    if stuck:
        words = phrase("{player} cannot move, and must pick the dice up", player=player)
    else:
        words = phrase("{player} must play and pick the dice up", player=player)
    return phrase("{words}; {more}", words=words, more=seen["remark"]) if seen["remark"] else words


def _proof_json(session: Session) -> Json | None:
    """What proves the dice of this game, and in words to whom; None where they are bound to nothing."""
    table = session.table
    proof = None if table is None else proof_of(table)
    if table is None or proof is None or proof.form == 1:
        return None
    players = {side: table.player(side) for side in table.rules.sides}
    over = table.drawn > 0
    return {
        "commitment": proof.commitment,
        "match": proof.match,
        "game": proof.game,
        "pledges": {each.side: each.pledge for each in proof.given if each.pledge},
        "told": {each.side: each.words for each in proof.given if each.pledge and each.words},
        "spoken": {each.side: each.words for each in proof.given if not each.pledge},
        "closed": table.closed or over,
        "over": over,
        "proved": bool(proof.proved_to or (proof.beacon and not proof.withheld)),
        "round": proof.round,
        "words": sentence((describe_proof if over else describe_wait)(proof, players)),
    }


def _cube(cube: Json) -> Json | None:
    """The cube; None where none is used."""
    if not cube["used"]:
        return None
    offer = cube["offer"] and {"to": cube["offer"]["to"], "value": cube["offer"]["taken"]}
    return {"value": cube["value"], "owner": cube["owner"], "offer": offer}


@lru_cache(maxsize=4)  # every state has them
def labels_json(position: Position) -> Json | None:
    """What each side calls the points, from the first to the last; None where there are no such points."""
    if point_cell(POINTS[0]) not in position.looks():
        return None
    return {side: [position.called(point_cell(n), side) for n in POINTS] for side in position.rules.sides}


def _said(session: Session) -> Json | None:
    """The board after the play that was said, while its pieces must be moved; None where none was."""
    table = session.table
    if table is None or table.state is not State.PLAY or table.intention is None:
        return None
    return {cell: list(look) for cell, look in table.intention.after.looks().items()}


def _ghosts(looks: Json, seen: Json | None) -> Json:
    """The cells that a pending foul left otherwise than they were, or where a play that was said changes
    them: the pieces that are there then."""
    return {cell: look for cell, look in (seen or {}).items() if cell in looks and looks[cell] != look}


def _judgement_json(judgement: Json, players: Json) -> Json:
    thrown, words = _known_dice(judgement), judgement["words"]
    dice = dashed(thrown)
    text = judgement["move"] if made_of(words, LEGAL) else words  # begins with a play, as it is written
    if judgement["verdict"] != "legal" or _stuck(judgement):
        text = sentence(words)
    told = {"verdict": HEADINGS[judgement["verdict"]], "player": players[judgement["side"]]}
    return {
        "verdict": judgement["verdict"],
        "title": phrase("{verdict}: {player}, {dice}", dice=dice, **told)
        if dice
        else phrase("{verdict}: {player}", **told),
        "text": text,
        "side": judgement["side"],
        "dice": thrown,
        "cells": judgement["cells"],
    }


def _known_dice(judgement: Json) -> list[int]:
    """What was thrown; none where nobody knows, and a judgement has any that would do."""
    return [] if made_of(judgement["words"], UNKNOWN) else judgement["dice"]


def _stuck(judgement: Json) -> bool:
    """Whether no move was possible."""
    return made_of(judgement["words"], NO_MOVE) or made_of(judgement["words"], UNKNOWN)


def _proposal_json(proposal: Json, session: Session) -> Json:
    """A correction that waits; with the board as it would be, where that changes."""
    table = session.table
    assert table is not None
    assert table.proposal is not None
    cells = layout_json(correct(table, table.proposal.event)[0].position)
    changed = cells != layout_json(table.position)
    return {"waits": proposal["waits"], "words": proposal["words"], "cells": cells if changed else None}


def _candidates(session: Session) -> list[Json]:
    """The plays that an unsure judgement asks about, with the board after each."""
    table = session.table
    if table is None or table.state is not State.ASKED or table.pending is None:
        return []
    side, plays = table.pending.side, table.pending.candidates
    found = []
    for text in plays:
        _, position, play = asked_about(table, side, text)
        found.append({"play": text, "side": side, "cells": _after(position, play)})
    return found


@lru_cache(maxsize=64)  # an open question is shown again with every picture
def _after(position: Position, play: str) -> Json:
    return layout_json(position.find(play).after)


def _pips(looks: Json, layout: Json, sides: Sequence[Side]) -> Json | None:
    """Each side's pips, on boards with a bar and a place for borne-off checkers; else None."""
    if not {f"{place}.{side}" for place in ("bar", "off") for side in sides} <= set(looks):
        return None
    counts = dict.fromkeys(sides, 0)
    for cell, layers in layout.items():
        at = 25 if name_parts(cell)[0] == "bar" else point_of(cell)
        if at is None:
            continue
        for piece in (piece for layer in layers for piece in layer):
            if piece in counts:
                counts[piece] += at if piece == sides[0] or at == 25 else 25 - at
    return counts


def _move_json(move: Json) -> Json:
    text = phrase("cannot move") if _stuck(move) else move["move"] or move["words"]
    told = {name: move[name] for name in ("turn", "side", "verdict")}
    return told | {"dice": _known_dice(move), "text": text}
