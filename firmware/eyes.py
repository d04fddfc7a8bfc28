"""The referee's eyes: one table's rig, put to every picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2

from engine.evidence import Evidence
from engine.layout import Looks
from hardware.protocols import Frame
from vision.board import Geometry
from vision.calibrate import calibrate
from vision.camera import Corner
from vision.frame import Image, accept
from vision.overlay import draw
from vision.read import Reader, Reading
from vision.rig import Rig


class RigEyes:
    """Reads pictures of the table that ``rig`` was calibrated for, and remembers the newest one for those who want to see it."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self._reader = Reader(rig)
        self._newest: tuple[Image, Reading] | None = None

    @classmethod
    def learn(cls, image: Image, corners: Sequence[Corner], geometry: Mapping[str, Any], looks: Looks) -> RigEyes:
        """Eyes calibrated from one picture in which the board looks like ``looks``. Raises VisionError."""
        return cls(calibrate(image, corners, Geometry.from_json(geometry), looks))

    def look(self, frame: Frame) -> Evidence | None:
        """Keeps :class:`firmware.referee.Eyes`. Raises VisionError for a picture of another camera."""
        picture = accept(frame.pixels)
        reading = self._reader.read(picture)
        self._newest = (picture.image, reading)
        return _at_rest(reading)

    def glance(self, frame: Frame) -> Evidence | None:
        """Like :meth:`look`, for a picture out of turn: nothing is remembered."""
        return _at_rest(self._reader.read(accept(frame.pixels)))

    def drawn(self) -> bytes | None:
        """The newest picture as a JPEG, with what was read in it drawn on; None before the first."""
        newest = self._newest
        if newest is None:
            return None
        done, data = cv2.imencode(".jpg", draw(newest[0], self.rig, newest[1]), [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None


def _at_rest(reading: Reading) -> Evidence | None:
    return None if reading.hand else reading.evidence
