"""When may a picture be judged? Only when it is at rest.

A :class:`Settler` is given every frame with its time and says what it saw: hands, movement, darkness, a
bumped camera, or a board at rest with its reading. It knows no clock and no camera; time is what
it is told. A board on which nothing moves is read once: further frames cost a comparison of thumbnails.
"""

from __future__ import annotations

import enum
import math
import threading
from dataclasses import dataclass, replace

import cv2
import numpy as np

from engine.layout import Looks
from engine.messages import phrase
from vision.errors import ImageError
from vision.geometry.flat import Flat
from vision.light.normalise import LaidFrame
from vision.picture.change import Thumb, change
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask
from vision.reading import BoardReader, Reading

STILL = 0.3
"""Seconds without change after which a board is at rest, where frames come faster than that."""
MOVED = 9.0
"""Levels (0-255) by which a block of the thumbnail changes when something moved; noise and flicker stay
below."""
DIM = 0.25
"""Brightness (against the calibration) under which the lamp is off."""


class Rest(enum.StrEnum):
    """What the camera makes of the table now."""

    AT_REST = "at rest"
    MOVING = "moving"
    HAND = "hand"
    DARK = "dark"
    BUMPED = "bumped"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Status:
    """``reading`` is the last frame's, at rest and with a hand; ``words`` say what is wrong and what to do,
    for people."""

    rest: Rest
    reading: Reading | None = None
    words: str = ""
    fresh: bool = True


WORDS = {
    Rest.DARK: phrase("the lamp is off, or the lens is covered"),
    Rest.BUMPED: phrase("the camera was moved and the board is not where it was: calibrate again"),
    "covered": phrase(
        "the board is covered, or the camera was moved: take away what covers the board, or calibrate again"
    ),
    "blurred": phrase(
        "the picture is blurred, so the referee is less sure: focus the camera, or clean its lens"
    ),
    "strange": phrase(
        "the light or the camera's settings have changed since the calibration: set them as they were,"
        " or calibrate again"
    ),
    "turned": phrase("the board lies the other way round now, and is read so"),
    "lying": phrase("something lies on the board, and what is under it cannot be seen: take it away"),
}


class Settler:
    """Follows one camera. ``reader`` changes when the camera is bumped and the board found again, ``moved``
    counts how often; and when the board, or the camera, is turned by half, which ``turned`` counts."""

    def __init__(self, reader: BoardReader, stood: Looks | None = None) -> None:
        """``stood``: what stood on the board when it was seen last, where that is known."""
        self.reader = reader
        self._changing = threading.Lock()
        self.moved = self.turned = 0
        self.stood: Looks = stood or {}
        self._thumb: Thumb | None = None  # the last full picture
        self._glance: Thumb | None = None  # the last small one that differed
        self._changed = 0.0
        self._last = float("-inf")
        self._status = Status(Rest.MOVING)

    def adopt(self, known: BoardReader, better: BoardReader) -> bool:
        """Goes on with ``better``, if the table is still read with ``known``; whether it was. From any
        thread."""
        with self._changing:
            if self.reader is not known:
                return False
            self.reader = better
            return True

    def forget(self) -> None:
        """Whatever the next frame shows is new: none came for a while."""
        self._thumb = self._glance = None
        self._status = Status(Rest.MOVING)

    def quiet(self, small: Image, t: float) -> bool:
        """Whether nothing has moved since the last picture was looked at, by a small picture (height x width
        x 3, uint8) taken at ``t`` of the same view. If not, or if nobody can say, push the next full picture.

        The small picture that is compared is always one from before the full one: what moves between the two
        is seen at the next."""
        thumb, self._last = _thumb(small, self.reader.flat), t
        known = self._status.rest in (Rest.AT_REST, Rest.DARK)
        if known and self._glance is not None and not _differs(self._glance, thumb):
            return True
        self._glance = thumb
        return False

    def push(self, frame: Frame, t: float) -> Status:
        """The next frame, taken at ``t`` seconds. Raises ImageError where it does not fit the rig."""
        thumb = _thumb(frame.image, self.reader.flat)
        step, self._last = t - self._last, t
        moved = self._thumb is None or _differs(self._thumb, thumb)
        if not moved and self._status.rest in (Rest.AT_REST, Rest.DARK):
            return self._keep(
                Status(self._status.rest, self._status.reading, self._status.words, fresh=False)
            )
        self._thumb = thumb
        since = step if moved else t - self._changed
        if moved:
            self._changed = t
        if since < STILL:
            return self._keep(Status(Rest.MOVING))
        return self._keep(self.look(frame))

    def _keep(self, status: Status) -> Status:
        self._status = status
        return status

    def look(self, frame: Frame, hidden: Mask | None = None) -> Status:
        """What a frame shows that is known to be at rest; ``hidden``: see :func:`look`. Raises ImageError
        where it does not fit the rig."""
        known = self.reader
        seen = look(known, frame, hidden)
        turned = self._turned(seen, frame) if hidden is None else None
        seen = turned or seen
        if seen.reader is not known:
            if self.adopt(known, seen.reader):
                self.turned += turned is not None
                self.moved += turned is None
            else:
                self.forget()  # a better one came meanwhile: the next frame is read with it
        reading = seen.status.reading
        if seen.status.rest is Rest.AT_REST and reading is not None and not reading.strange:
            self.stood = {**self.stood, **reading.looks}
            seen.reader.follow(seen.laid, reading)
        return seen.status

    def _turned(self, seen: SeenFrame, frame: Frame) -> SeenFrame | None:
        """What a frame shows of a board that lies the other way round now, where what stood there says so."""
        reading = seen.status.reading
        if reading is None or reading.strange:
            return None
        other = seen.reader.other_way_round(self.stood, reading)
        if other is None:
            return None
        again = look(other, frame)
        reading = again.status.reading
        if reading is None or other.other_way_round(self.stood, reading) is not None:
            return None
        return replace(again, status=replace(again.status, words=WORDS["turned"]))


@dataclass(frozen=True, slots=True)
class SeenFrame:
    """What one picture shows, how it was laid flat, and the reader that it was read with: another one where
    the camera was moved."""

    status: Status
    laid: LaidFrame
    reader: BoardReader


def look(reader: BoardReader, frame: Frame, hidden: Mask | None = None) -> SeenFrame:
    """What a frame shows that is known to be at rest, and of which nothing else is known but the map pixels
    that are ``hidden``. Raises ImageError where it does not fit the rig."""
    laid = replace(reader.lay_flat(frame), hidden=hidden)
    if laid.bright < DIM:
        return SeenFrame(Status(Rest.DARK, words=WORDS[Rest.DARK]), laid, reader)
    reading = reader.read_laid(laid)
    words = _weakness(reading)
    off = reader.displacement(laid)
    if off:
        again = reader.find_again(laid)
        if again is None and (off == math.inf or not (reading.hand or reading.lying)):
            gone = WORDS["covered" if reading.hand else Rest.BUMPED]
            return SeenFrame(Status(Rest.BUMPED, words=gone), laid, reader)
        if again is not None and again is not reader:
            reader, laid = again, again.lay_flat(frame)
            reading = reader.read_laid(laid)
            words = phrase("the camera was moved; the board was found again")
    if reading.hand:
        return SeenFrame(Status(Rest.HAND, reading, words), laid, reader)
    if not reading.looks:  # what covers all of it is no cup
        return SeenFrame(Status(Rest.BUMPED, words=WORDS["covered"]), laid, reader)
    return SeenFrame(Status(Rest.AT_REST, reading, words), laid, reader)


def read_still(reader: BoardReader, frame: Frame) -> tuple[Reading, BoardReader, str]:
    """A single picture of a table, in which a hand may be: its reading, the reader that found the board (see
    :class:`SeenFrame`), and what is weak, for people. Raises ImageError where it is too dark, or shows the
    board in another place."""
    seen = look(reader, frame)
    if seen.status.reading is None:
        raise ImageError(seen.status.words)
    return seen.status.reading, seen.reader, seen.status.words


def _weakness(reading: Reading) -> str:
    """Why less is seen than could be, and what to do; nothing where all is well."""
    hidden = bool(reading.lying & reading.occluded)
    said = (("blurred", reading.blurred), ("strange", reading.strange), ("lying", hidden))
    return next((WORDS[name] for name, so in said if so), "")


def _thumb(image: Image, flat: Flat) -> Thumb:
    """What is compared: the board's part of the picture, since people sit and clocks run beside it, where the
    whole is 160 wide."""
    part = flat.part(image)
    high, wide = (max(1, round(side * 160 / image.shape[1])) for side in part.shape[:2])
    return np.asarray(cv2.resize(part, (wide, high), interpolation=cv2.INTER_AREA), np.float32)


def _differs(before: Thumb, now: Thumb) -> bool:
    """Whether any place changed in any channel by more than noise and the lamp's flicker; a board that is now
    looked for elsewhere has."""
    return before.shape != now.shape or bool(change(before, now).max() > MOVED)
