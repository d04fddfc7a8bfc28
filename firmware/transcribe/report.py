"""A transcribed match as one HTML page: for every turn the film's picture, the board as it was read, and what
was played. What is not sure is marked, with what it may have been."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from html import escape

import cv2
import numpy as np

from engine.layout import Layout, differing
from engine.names import dashed
from engine.position import Position
from firmware.jpeg import encode_jpeg, fit_width
from firmware.record.catalogue import describe_result
from firmware.record.diagram import board, shared
from firmware.transcribe.transcript import FilmedGame, Transcript
from firmware.transcribe.turns import Kind, Turn
from firmware.transcribe.watch import clock
from firmware.wording import counted

STYLE = """
:root{color-scheme:light dark}
body{background:Canvas;font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;
padding:0 1rem}
.turns{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:1rem}
figure{margin:0;padding:.5rem;border:1px solid #8886;border-radius:.4rem;content-visibility:auto;
contain-intrinsic-size:20rem 30rem}
figure.doubt{border:2px solid #c62828}img,svg{width:100%;height:auto}figcaption{font-size:.95rem}
.mark{color:#c62828;font-weight:600}@media(prefers-color-scheme:dark){.mark{color:#ff8a80}}
"""
WIDE = 400
"""Pixels across a picture in the report."""


def layout(position: Position) -> Layout:
    """What stands where, the empty cells too."""
    return {**dict.fromkeys(position.looks(), ()), **position.layout()}


def caption(turn: Turn) -> str:
    """A turn in words."""
    if turn.kind is Kind.FOUND:
        return "The position as it was found; what came before was not seen"
    rolled = f"{dashed(turn.dice)}: " if turn.dice and (turn.kind is Kind.PLAYED or turn.dice_sure) else ""
    return f"{turn.side} {rolled}{turn.move}"


def pages(found: Transcript, picture: Callable[[str], bytes | None]) -> Iterator[str]:
    """The report in pieces. ``picture`` gives a kept picture (JPEG) by its name."""
    title = " – ".join(found.match.players)
    yield (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>{shared()}<main><h1>{escape(title)}</h1>"
    )
    first, second = found.match.score
    doubts = counted(len(found.doubts), "turn")
    yield f"<p>Transcribed from a film. Score: <strong>{first}–{second}</strong>. Not sure: {doubts}.</p>"
    for note in found.notes:
        yield f"<p>{escape(note)}</p>"
    for game in found.games:
        yield from _game(game, picture)
    yield "</main></html>\n"


def _game(game: FilmedGame, picture: Callable[[str], bytes | None]) -> Iterator[str]:
    crawford = ", Crawford game" if game.record.crawford else ""
    score = "–".join(map(str, game.record.score))
    yield f'\n<h2>Game {game.number} ({score}{crawford})</h2><div class="turns">'
    for turn in game.turns:
        yield _figure(turn, picture(turn.picture))
    ending = "nobody saw how it ended" if game.unknown else describe_result(game.record.result)
    yield f"</div><p>{escape(ending)}</p>"


def _figure(turn: Turn, picture: bytes | None) -> str:
    told = caption(turn)
    drawing = board(layout(turn.after), differing(turn.after.looks(), turn.before.looks()), f"after {told}")
    mark = ""
    if turn.kind is Kind.ILLEGAL:
        mark = '<br><span class="mark">not as the rules allow it</span>'
    if not turn.sure:
        may = "; or ".join(map(str, turn.candidates[1:6]))
        mark += f'<br><span class="mark">not sure{": or " + escape(may) if may else ""}</span>'
    wrong = "" if turn.sure else " class=doubt"
    image = "" if picture is None else f'<img src="{data_uri(picture)}" alt="{escape(told, quote=True)}">'
    words = f"<figcaption>{clock(turn.t)} {escape(told)}{mark}</figcaption>"
    return f"<figure{wrong}>{image}{drawing}{words}</figure>"


def data_uri(jpeg: bytes) -> str:
    """A picture inside the page, no wider than :data:`WIDE`."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    small = jpeg if image is None else encode_jpeg(fit_width(np.asarray(image, np.uint8), WIDE), 60)
    return "data:image/jpeg;base64," + base64.b64encode(small).decode()
