"""A player's mistakes as flashcards: a deck for Anki, made by genanki (the extra ``review``).

Each card asks what to do, on a board turned so that the player on roll moves from the top right to the bottom
right in white; its back tells what is best, what was played, and what that cost. The ids of deck and cards
follow from the match: a deck that is imported again replaces its cards, and what Anki knows of them stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from engine.layout import Layout, Side, name_parts, point_cell, point_of
from engine.record import GameState, MatchRecord, Played, Stood, replay
from firmware.engines import NoEngine
from firmware.formats.board import SIDES
from firmware.record.diagram import board, shared
from firmware.record.ratings import Decision, GameReview, worst_first
from firmware.wording import dashed

GET = "flashcards need genanki: pip install genanki"
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
    for each, state in _with_states(match, mistakes):
        key = f"{name} {each.game} {each.turn} {each.side} {each.kind} {each.played}"
        note = genanki.Note(
            model=model,
            fields=[_question(match, each, state), _answer(each)],
            guid=hashlib.sha256(key.encode(errors="replace")).hexdigest()[:20],
        )
        deck.add_note(note)
    genanki.Package(deck).write_to_file(str(file))
    return len(mistakes)


def _number(name: str) -> int:
    """A deck's id: 31 bits, the same for the same match."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="replace")).digest()[:4], "big") >> 1 | 1 << 30


def _with_states(match: MatchRecord, mistakes: Sequence[Decision]) -> Iterator[tuple[Decision, GameState]]:
    """The mistakes, each with the state that it was made in."""
    wanted = {(each.game, each.turn, each.kind, each.side, each.played): each for each in mistakes}
    for number, game in enumerate(match.games, 1):
        turn = 1
        for moment in replay(match, game):
            action = moment.action
            done = "play" if isinstance(action, Played) else "cube"
            for key in [key for key in wanted if key[:3] == (number, turn, done)]:
                cube_due = done == "cube" and moment.before.position.dice == ()
                if done == "play" or (cube_due and _decides(moment.before) == key[3]):
                    yield wanted.pop(key), moment.before
            turn += isinstance(action, Played | Stood)


def _decides(state: GameState) -> Side | None:
    """Who decides about the cube: whoever was offered it, else whoever is on roll."""
    if state.offered is None:
        return state.position.turn
    return state.position.rules.other(state.offered)


def _question(match: MatchRecord, each: Decision, state: GameState) -> str:
    at = SIDES.index(each.side)
    score = match.games[each.game - 1].score
    length = f"to {match.terms.length}" if match.terms.length else "money game"
    owner = (
        "in the middle" if state.owner is None else "yours" if state.owner == each.side else "the opponent's"
    )
    ask = f"{dashed(each.dice)} to play" if each.kind == "play" else "Double?"
    if state.offered is not None:
        ask = f"You are doubled to {2 * state.cube}. Take?"
    told = f"score {score[at]}–{score[1 - at]} {length}; cube {state.cube}, {owner}"
    layout = {**dict.fromkeys(state.position.looks(), ()), **state.position.layout()}
    drawing = board(layout if at == 0 else _turned(layout))
    return f"{shared()}{drawing}<p><b>{escape(ask)}</b><br>{escape(told)}</p>"


def _answer(each: Decision) -> str:
    told = (
        f"<p><b>{escape(each.best)}</b><br>played: {escape(each.played)}, −{each.loss:.3f} ({each.mark})</p>"
    )
    if each.had is not None and each.missed is not None:
        rows = "".join(
            f"<br>{name}: {100 * best.win:.0f} % wins, {100 * best.gammon:.0f} % gammons,"
            f" {100 * best.gammon_lost:.0f} % gammons lost"
            for name, best in (("best", each.missed), ("played", each.had))
        )
        told += f"<p>{rows}</p>"
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
