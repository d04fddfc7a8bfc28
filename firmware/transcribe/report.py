"""A transcribed match as one HTML page: for every turn the film's picture, the board as it was read, and what
was played. What is not sure is marked, with what it may have been."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from html import escape

import cv2
import numpy as np

from engine.layout import Side
from engine.messages import joined, one_of, phrase, phrase_number, sentence
from engine.names import dashed, named
from engine.record import MatchRecord
from firmware.formats.build import other
from firmware.jpeg import encode_jpeg, fit_width
from firmware.languages.choice import local
from firmware.record.diagram import board_after, shared
from firmware.record.match_line import describe_game
from firmware.record.report_html import page_head, said
from firmware.transcribe.doubles import Answer, Double, Way
from firmware.transcribe.transcript import FilmedGame, Transcript
from firmware.transcribe.turns import Kind, Turn
from firmware.transcribe.watch import clock

STYLE = """
:root{color-scheme:light dark}
body{background:Canvas;font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;
padding:0 1rem;overflow-wrap:anywhere}
.turns{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));gap:1rem}
figure{margin:0;padding:.5rem;border:1px solid #8886;border-radius:.4rem;content-visibility:auto;
contain-intrinsic-size:20rem 30rem}
figure.doubt{border:2px solid #c62828}.cube{grid-column:1/-1;margin:0}
img,svg{width:100%;height:auto}figcaption{font-size:.95rem}
.mark{color:#c62828;font-weight:600}@media(prefers-color-scheme:dark){.mark{color:#ff8a80}}
"""
WIDE = 400
"""Pixels across a picture in the report."""


def caption(turn: Turn, name: Callable[[Side], str] = named) -> str:
    """A turn in words."""
    if turn.kind is Kind.FOUND:
        return phrase("The position as it was found; what came before was not seen")
    rolled = turn.dice and (turn.kind is Kind.PLAYED or turn.dice_sure)
    played = joined(": ", (dashed(turn.dice), turn.move)) if rolled else turn.move
    return joined(" ", (name(turn.side or ""), played))


def describe_double(double: Double, way: Way, name: Callable[[Side], str] = named) -> str:
    """One answer to what was done with the cube, in words."""
    if way.answer is Answer.NOTHING:
        return phrase("the cube was only moved")
    doubled = phrase("{player} doubles to {stake}", player=name(double.side), stake=double.stake)
    taker = name(other(double.side))
    taken = way.answer is Answer.TAKEN
    answered = phrase("{player} takes", player=taker) if taken else phrase("{player} drops", player=taker)
    return joined(phrase(", "), (doubled, answered))


def pages(found: Transcript, picture: Callable[[str], bytes | None]) -> Iterator[str]:
    """The report in pieces. ``picture`` gives a kept picture (JPEG) by its name."""
    title = joined(" – ", map(named, found.match.players))
    yield f"{page_head(title, STYLE)}{shared()}<main><h1>{said(title)}</h1>"
    score = "–".join(map(str, found.match.score))
    doubts = phrase_number("{n} turn is not sure.", "{n} turns are not sure.", len(found.doubts))
    yield f"<p>{said(phrase('Score'))}: <strong>{score}</strong>. {said(doubts)}"
    if found.cubes:
        number = len(found.cubes)
        yield f" {said(phrase_number('{n} double is not sure.', '{n} doubles are not sure.', number))}"
    yield "</p>"
    for note in found.notes:
        yield f"<p>{said(note)}</p>"
    for game in found.games:
        yield from _game(found.match, game, picture)
    yield "</main></html>\n"


def _game(match: MatchRecord, game: FilmedGame, picture: Callable[[str], bytes | None]) -> Iterator[str]:
    score = "–".join(map(str, game.record.score))
    about = joined(phrase(", "), (score, phrase("Crawford game")) if game.record.crawford else (score,))
    number = phrase("Game {number}", number=game.number)
    yield f'\n<h2>{said(number)} ({said(about)})</h2><div class="turns">'
    for place, turn in enumerate(game.turns):
        yield from map(_cube, game.doubled(place))
        yield _figure(turn, picture(turn.picture))
    yield from map(_cube, game.doubled(len(game.turns)))
    unseen = phrase("the film ends before the game does") if game.last else phrase("nobody saw how it ended")
    ending = unseen if game.unknown else describe_game(match, game.record.result)
    yield f"</div><p>{said(ending)}</p>"


def _cube(double: Double) -> str:
    told = said(sentence(describe_double(double, double.ways[0])))
    mark = ""
    if not double.sure:
        others = dict.fromkeys(describe_double(double, way) for way in double.ways)
        may = one_of(list(others)[1:])
        unsure = phrase("not sure: perhaps {plays}", plays=may) if may else phrase("not sure")
        why = f"; {said(double.why)}" if double.why else ""
        mark = f' <span class="mark">{said(unsure)}{why}</span>'
    return f'<p class="cube">{clock(double.t)} {told}{mark}</p>'


def _figure(turn: Turn, picture: bytes | None) -> str:
    told = local(caption(turn))
    after = local(phrase("after {play}", play=told))
    drawing = board_after(turn.before, turn.after, after)
    marks = [phrase("not as the rules allow it")] if turn.kind is Kind.ILLEGAL else []
    if not turn.sure:
        may = one_of(list(map(str, turn.candidates[1:6])))
        marks.append(phrase("not sure: perhaps {plays}", plays=may) if may else phrase("not sure"))
    mark = "".join(f'<br><span class="mark">{said(each)}</span>' for each in marks)
    wrong = "" if turn.sure else " class=doubt"
    image = "" if picture is None else f'<img src="{data_uri(picture)}" alt="{escape(told, quote=True)}">'
    words = f"<figcaption>{clock(turn.t)} {escape(told)}{mark}</figcaption>"
    return f"<figure{wrong}>{image}{drawing}{words}</figure>"


def data_uri(jpeg: bytes) -> str:
    """A picture inside the page, no wider than :data:`WIDE`."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    small = jpeg if image is None else encode_jpeg(fit_width(np.asarray(image, np.uint8), WIDE), 60)
    return "data:image/jpeg;base64," + base64.b64encode(small).decode()
