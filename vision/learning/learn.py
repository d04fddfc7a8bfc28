"""Learning a table from a picture, for whoever asks a person: the command line and the page's setup.

Two steps, so that a person may look between them: :func:`find` proposes the four corners (or says that it
cannot), :func:`learn` makes a table from them, with a report and a picture to look at. Both take the pixels
of the picture as it came: a frame that was halved on the way in (``Frame.scale``) is nobody else's business.
Both are slow (seconds) and say how far they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.layout import Looks
from vision import boards
from vision.boards import Table
from vision.camera import Corner
from vision.frame import Frame, Image
from vision.learning.quality import Quality

Progress: TypeAlias = Callable[[float, str], None]
"""Called now and then with how much is done (0-1, never less than before) and what is being done, in
words."""


@dataclass(frozen=True)
class Outline:
    """Where the playing surface seems to be. ``corners``: bottom-left, bottom-right, top-right, top-left, in
    pixels of the picture as it came; ``sure``: 0-1, how far ahead of every other proposal; ``words``: how the
    board lies, where not the usual way."""

    corners: tuple[Corner, Corner, Corner, Corner]
    sure: float
    words: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "corners": [[round(x, 1), round(y, 1)] for x, y in self.corners],
            "sure": round(self.sure, 3),
            "words": self.words,
        }


@dataclass(frozen=True)
class Learned:
    """A learned ``table``; ``quality`` says how good it is, ``picture`` (BGR, the working size of the frame)
    shows what was read."""

    table: Table
    quality: Quality
    picture: Image


def find(
    frame: Frame,
    board: str = "checkers",
    geometry: Mapping[str, Any] | None = None,
    looks: Looks | None = None,
    progress: Progress | None = None,
) -> Outline:
    """Find the playing surface of a ``board`` (a kind: ``Rules.board``) on which ``looks`` stand (None: as
    games on it begin).

    ``geometry``: what a geometry file would hold. Raises CalibrationError where it is not sure: a person then
    gives the corners."""
    corners, sure = boards.get(board).find(frame.image, geometry or {}, looks, progress or _silent)
    bottom_left, bottom_right, top_right, top_left = ((x / frame.scale, y / frame.scale) for x, y in corners)
    return Outline((bottom_left, bottom_right, top_right, top_left), sure)


def _silent(part: float, words: str) -> None:
    """Progress that nobody asked for."""


def learn(
    frame: Frame,
    corners: Sequence[Corner],
    board: str = "checkers",
    geometry: Mapping[str, Any] | None = None,
    looks: Looks | None = None,
    empty: Frame | None = None,
    progress: Progress | None = None,
    exchange: bool = False,
) -> Learned:
    """Learn a table from a picture on which ``looks`` stand (None: as games on this kind of ``board`` begin,
    or as the picture shows), and perhaps one of it ``empty``, by the same camera in the same place.
    ``exchange``: White's pieces are not the lighter ones, or not those that were taken for them where both
    are nearly as light. Raises CalibrationError with the reason and what to change."""
    places = [(x * frame.scale, y * frame.scale) for x, y in corners]
    if progress:
        progress(0.0, "learning the board")
    table = boards.get(board).calibrate(
        frame.image, places, geometry or {}, looks, None if empty is None else empty.image
    )
    if exchange:
        table = table.exchanged()
    if progress:
        progress(0.8, "reading the picture with what was learned")
    picture = table.draw(frame.image, table.read(frame))
    if progress:
        progress(1.0, "done")
    return Learned(table, table.quality, picture)
