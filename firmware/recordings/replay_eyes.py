"""The eyes of a replay: they read every picture of a recording. A live table has
:class:`firmware.table.live.LiveEyes`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from engine.evidence import Evidence
from engine.layout import Looks
from firmware.jpeg import encode_jpeg
from hardware.protocols import Frame
from vision import boards
from vision.checkers.board import Checkers
from vision.dice.cube_or_die import LyingReader
from vision.geometry.camera import Corner
from vision.picture.frame import Frame as Picture
from vision.picture.frame import Image, accept
from vision.reading import Appearance, BoardReader, Reading
from vision.settle import STILL, Rest, Settler, Status, look


class ReplayEyes:
    """Reads pictures of a table that was learned, and keeps the newest one to be shown."""

    def __init__(
        self, table: BoardReader, moving: Collection[str] | None = None, board: str = "checkers"
    ) -> None:
        """``moving`` names the pictures that are known to show movement; all others then count as at rest,
        however close in time they are. None: movement is found in the pictures themselves. ``board`` is the
        kind of board."""
        self._settler = Settler(table)
        self._moving = moving or ()
        self._pause = 0.0 if moving is None else 2 * STILL
        self._t = float("-inf")
        self._newest: tuple[Image, BoardReader, Reading | None] | None = None
        self._lying = LyingReader() if board == Checkers.name else None
        self.status = Status(Rest.MOVING)
        """How the newest picture was understood; its words are for the players."""

    @classmethod
    def learn(
        cls,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None,
        board: str = "checkers",
        empty: Image | None = None,
    ) -> ReplayEyes:
        """Eyes calibrated from a picture in which the board looks like ``looks`` (None: as the picture
        shows), and perhaps one of the ``empty`` board. Raises VisionError."""
        return cls(boards.get(board).calibrate(image, corners, geometry, looks, empty), board=board)

    def look(self, frame: Frame) -> Evidence | None:
        """Keeps :class:`firmware.table.referee.Eyes`. Raises VisionError for a picture of another camera."""
        picture = accept(frame.pixels)
        if frame.name in self._moving:
            self.status = Status(Rest.MOVING)
            self._newest = (picture.image, self._settler.reader, None)
            return None
        self._t = max(frame.t, self._t + self._pause)
        self.status = self._settler.push(picture, self._t)
        seen = self._at_rest(picture, self.status)
        self._newest = (picture.image, self._settler.reader, seen or self.status.reading)
        return None if seen is None else seen.evidence

    def change(self, table: BoardReader) -> None:
        """Uses another calibration from here on."""
        self._settler = Settler(table)

    def glance(self, frame: Frame) -> Evidence | None:
        """What a single picture shows, without remembering it; None where the board is not seen at rest in
        it."""
        if frame.name in self._moving:
            return None
        picture = accept(frame.pixels)
        seen = self._at_rest(picture, look(self._settler.reader, picture).status)
        return None if seen is None else seen.evidence

    def _at_rest(self, picture: Picture, status: Status) -> Reading | None:
        """The board at rest, below whatever dice lie on it."""
        if status.rest is not Rest.AT_REST:
            return None
        if status.reading is None or self._lying is None:
            return status.reading
        return self._lying.read(self._settler.reader, picture.image, status.reading)[0]

    def appearance(self) -> Appearance | None:
        """What the board looks like; None where its kind cannot say it."""
        return self._settler.reader.appearance()

    def drawn(self) -> bytes | None:
        """The newest picture as a JPEG, with what was read in it drawn on; None before the first."""
        if self._newest is None:
            return None
        image, table, reading = self._newest
        return encode_jpeg(table.draw(image, reading))
