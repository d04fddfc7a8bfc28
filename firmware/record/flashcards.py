"""A player's mistakes as flashcards: a deck for Anki, made by genanki (the extra ``review``).

Each card asks what to do, on a board turned so that the player on roll moves from the top right to the bottom
right in white; its back tells what is best, what was played, and what that cost. The ids of deck and cards
follow from the match: a deck that is imported again replaces its cards, and what Anki knows of them stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.layout import Layout, Side, name_parts, point_cell, point_of
from engine.messages import joined, phrase
from engine.names import dashed
from engine.record import GameState, MatchRecord
from firmware.engines import NoEngine
from firmware.formats.board import SIDES
from firmware.languages.choice import written
from firmware.record.diagram import board, shared, whole_layout
from firmware.record.mistakes import find_mistakes
from firmware.record.ratings import Decision, GameReview, describe_choice, worst_first
from firmware.record.report_html import said

GET = phrase("flashcards need genanki: pip install genanki")
MODEL = 1_604_177_351
"""Anki's id of our kind of card; it never changes."""

STYLE = ".card{font:18px sans-serif;text-align:center}svg{width:100%;max-width:34rem;height:auto}"


def write_deck(match: MatchRecord, reviews: Sequence[GameReview], side: Side | None, file: Path) -> int:
    """Writes the errors and blunders of ``side`` (None: of both) to an ``.apkg`` file; how many there are.
    Raises NoEngine where genanki is missing, OSError."""
    try:
        import genanki
    except ImportError:
        raise NoEngine(GET) from None
    template = {"name": "mistake", "qfmt": "{{Question}}", "afmt": "{{FrontSide}}<hr>{{Answer}}"}
    fields = [{"name": "Question"}, {"name": "Answer"}]
    model = genanki.Model(MODEL, "Barpoint mistake", fields=fields, templates=[template], css=STYLE)
    name = f"{match.players[0]} – {match.players[1]}, {match.date}"
    deck = genanki.Deck(_number(name), f"Barpoint::{name}")
    mistakes = [each for each in worst_first(reviews) if side in (None, each.side)]
    for mistake in find_mistakes(match, mistakes):
        each = mistake.decision
        key = f"{name} {each.game} {each.turn} {each.side} {each.kind} {each.played}"
        note = genanki.Note(
            model=model,
            fields=[_question(match, each, mistake.state), _answer(each)],
            guid=hashlib.sha256(key.encode(errors="replace")).hexdigest()[:20],
        )
        deck.add_note(note)
    genanki.Package(deck).write_to_file(str(file))
    return len(mistakes)


def _number(name: str) -> int:
    """A deck's id: 31 bits, the same for the same match."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="replace")).digest()[:4], "big") >> 1 | 1 << 30


def _question(match: MatchRecord, each: Decision, state: GameState) -> str:
    at = SIDES.index(each.side)
    score = match.games[each.game - 1].score
    own, theirs = score[at], score[1 - at]
    told = [phrase("score {own}–{theirs}", own=own, theirs=theirs), phrase("money session")]
    if length := match.terms.length:
        told = [phrase("score {own}–{theirs} to {length}", own=own, theirs=theirs, length=length)]
    if state.owner is None:
        told.append(phrase("cube {value}, in the middle", value=state.cube))
    elif state.owner == each.side:
        told.append(phrase("cube {value}, own", value=state.cube))
    else:
        told.append(phrase("cube {value}, the opponent's", value=state.cube))
    ask = phrase("{dice} to play", dice=dashed(each.dice)) if each.kind == "play" else phrase("Double?")
    if state.offered is not None:
        ask = phrase("You are doubled to {stake}. Take?", stake=2 * state.cube)
    layout = whole_layout(state.position)
    drawing = board(layout if at == 0 else _turned(layout))
    return f"{shared()}{drawing}<p><b>{said(ask)}</b><br>{said(joined('; ', told))}</p>"


def _answer(each: Decision) -> str:
    played = phrase(
        "played: {played}, −{loss} ({mark})",
        played=describe_choice(each.played),
        loss=written(each.loss, 3),
        mark=describe_choice(each.mark),
    )
    told = f"<p><b>{said(describe_choice(each.best))}</b><br>{said(played)}</p>"
    if each.had is not None and each.missed is not None:
        rows = [
            phrase(
                "{what}: {win} % wins, {gammon} % gammons, {backgammon} % backgammons; {gammon_lost} %"
                " gammons lost, {backgammon_lost} % backgammons lost",
                what=what,
                win=written(100 * best.win),
                gammon=written(100 * best.gammon),
                backgammon=written(100 * best.backgammon, 1),
                gammon_lost=written(100 * best.gammon_lost),
                backgammon_lost=written(100 * best.backgammon_lost, 1),
            )
            for what, best in ((phrase("best"), each.missed), (phrase("played"), each.had))
        ]
        told += f"<p>{'<br>'.join(map(said, rows))}</p>"
    return told


def _turned(layout: Layout) -> Layout:
    """The board from Black's side, Black in white."""
    other = {"white": "black", "black": "white"}
    turned = {}
    for cell, stack in layout.items():
        point, (zone, side) = point_of(cell), name_parts(cell)
        place = point_cell(25 - point) if point is not None else f"{zone}.{other[side]}"
        turned[place] = tuple(tuple(other[piece] for piece in layer) for layer in stack)
    return turned
