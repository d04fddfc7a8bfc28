"""A disputed move: the pictures of a recorded session, each with what is read in it, how it is judged now,
and how it was judged then."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import cv2
import numpy as np

from engine.effects import Judged
from engine.names import dashed
from engine.position import Dice
from firmware.jpeg import encode_jpeg, fit_width
from firmware.recordings.reel import ButtonPressed, Reel
from firmware.recordings.replay_eyes import ReplayEyes
from firmware.table.news import News

WIDTH = 900
"""Pixels, of a picture in the overview; the pictures of a single turn keep their size."""

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:1.5rem auto;padding:0 1rem;
overflow-wrap:anywhere}
figure{margin:0 0 2rem}img{width:100%;height:auto;border-radius:4px}
.illegal{color:#c62828}.unsure{color:#b26a00}
@media(prefers-color-scheme:dark){.illegal{color:#ff8a80}.unsure{color:#ffcc80}}
"""


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One *done*: how it is judged now, and (``then``) what the table said, None where that was not kept.
    ``picture`` is a JPEG with the reading drawn in, None where none is left; ``frames`` are the file names of
    the pictures since the *done* before."""

    game: int
    turn: int
    side: str
    dice: Dice
    verdict: str
    words: str
    then: str | None
    picture: bytes | None
    frames: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether the table judged otherwise."""
        return self.then is not None and not self.then.startswith(self.verdict)


@dataclass
class Gallery:
    """A watcher of a replay that keeps every judgement with its pictures. Turns count from 1, as in the lines
    that a replay prints."""

    reel: Reel
    eyes: ReplayEyes | None = None
    """Given where pictures are wanted too."""
    judgements: list[JudgedTurn] = field(default_factory=list)
    _frames: list[str] = field(default_factory=list)
    _since: int = 0

    def __call__(self, news: News) -> None:
        """Keeps the news."""
        if news.frame is not None:
            self._frames.append(news.frame.name)
        for effect in news.effects:
            if isinstance(effect, Judged) and effect.by == "camera":
                self._judged(effect, news)

    def _judged(self, effect: Judged, news: News) -> None:
        pressed = (moment for moment in self.reel.timeline if isinstance(moment, ButtonPressed))
        then = next((moment for moment in pressed if moment.t == news.t and moment.verdict), None)
        said = None if then is None else " ".join(part for part in (then.verdict, then.move) if part)
        game = news.session.table.match.game if news.session.table is not None else 1
        frames = tuple(self._frames[self._since :])
        self._since = max(0, len(self._frames) - 1)
        picture = self.eyes.drawn() if self.eyes is not None and frames else None
        told = effect.move or effect.words
        self.judgements.append(
            JudgedTurn(
                game, effect.turn + 1, effect.side, effect.dice, effect.verdict, told, said, picture, frames
            )
        )

    @property
    def different(self) -> list[JudgedTurn]:
        """The judgements that differ from the table's."""
        return [each for each in self.judgements if each.differs]


def gallery_page(title: str, judgements: Iterable[JudgedTurn], folder: Path | None) -> str:
    """One HTML file; with the recording's ``folder`` also every picture that was kept. Raises OSError."""
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
        ' content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style><h1>{escape(title)}</h1>"
    ]
    for each in judgements:
        dice = f" {dashed(each.dice)}" if each.dice else ""
        said = ""
        if each.then is not None and (each.differs or folder is not None):
            said = f"<br>The table said then: {escape(each.then)}"
        parts.append(
            f'<h2 id="g{each.game}t{each.turn}">Game {each.game}, turn {each.turn}:'
            f' {escape(each.side + dice)}</h2><p><strong class="{each.verdict}">{each.verdict}</strong>:'
            f" {escape(each.words)}{said}</p>"
        )
        if each.picture is None:
            parts.append("<p>No picture of it is left.</p>")
        else:
            picture = each.picture if folder is not None else _shrink(each.picture)
            parts.append(_figure(picture, "this picture was judged; what is read is drawn on it"))
        if folder is not None:
            parts += [_figure((folder / name).read_bytes(), name) for name in each.frames]
    return "\n".join(parts) + "</html>\n"


def _figure(jpeg: bytes, caption: str) -> str:
    image = f'<img src="data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" alt="">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _shrink(jpeg: bytes) -> bytes:
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None or image.shape[1] <= WIDTH:
        return jpeg
    return encode_jpeg(fit_width(np.asarray(image, np.uint8), WIDTH), 72)
