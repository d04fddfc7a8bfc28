"""Finds the dice in a picture of a board, and reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.dice.die import Die
from vision.geometry.camera import Camera, Corner, from_corners
from vision.picture.frame import Image
from vision.reading import BoardReader

USUAL = (60.0, 48.0)
"""Width and height of a playing surface in cm, where nobody says."""


@dataclass(frozen=True)
class DiceReader:
    """Reads the dice of one table under one camera; made once, used for every picture. ``size`` is the
    playing surface's width and height in cm."""

    camera: Camera
    size: tuple[float, float] = USUAL

    @classmethod
    def at_corners(
        cls, corners: Sequence[Corner], picture: tuple[int, int], size: tuple[float, float] = USUAL
    ) -> DiceReader:
        """For a board with these corners (pixels: bottom-left, bottom-right, top-right, top-left) in pictures
        of ``picture`` (width, height) pixels. Raises CalibrationError where no board has them."""
        return cls(from_corners(corners, *size, picture)[0], size)

    @classmethod
    def of_table(cls, table: BoardReader, picture: tuple[int, int]) -> DiceReader:
        """For a calibrated table."""
        corners, measures = table.placement()
        size = float(measures.get("width", USUAL[0])), float(measures.get("height", USUAL[1]))
        return cls.at_corners([(float(x), float(y)) for x, y in corners], picture, size)

    def read(self, image: Image, checkers: Sequence[tuple[float, float, float]] = ()) -> tuple[Die, ...]:
        """The dice in a picture, from left to right. ``checkers``: where tops of checkers are seen (x, y and
        radius in pixels of the picture), where that is known: a die there lies on a checker."""
        raise NotImplementedError
