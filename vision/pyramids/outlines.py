"""The outlines that a camera sees of pyramids.

A pyramid is a square base and a tip above its middle. Under a camera its outline is that of the base and of
the tip together, and the tip leans away from the camera's foot: ``Outlines`` are exact for any pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import Flat
from vision.picture.masks import Mask
from vision.pyramids.measures import STEEP, Eye, PyramidMeasures

Pyramid: TypeAlias = tuple[int, float, float, float]
"""A piece as it stands: size 1-3, x, y (cm), turn (radians)."""
Hull: TypeAlias = NDArray[np.int32]
"""A convex outline (N x 1 x 2: column, row, in sixteenths of a map pixel)."""


class Outlines:
    """Outlines of pyramids on one map, seen from ``eye``. They are wanted by the thousand in every picture:
    worked out number by number."""

    def __init__(self, flat: Flat, measures: PyramidMeasures, eye: Eye) -> None:
        self._x, self._y = eye[0], eye[1]
        self._scale, half = flat.scale, 0.5 - 0.5 / 16
        self._left, self._high = -flat.left * flat.scale - half, flat.high * flat.scale - half
        self._reach = [base / 2 * flat.scale for base in measures.bases]
        self._lean = [eye[2] / (eye[2] - STEEP * base) for base in measures.bases]

    def hull(self, piece: Pyramid, column: float = 0.0, row: float = 0.0) -> Hull:
        """A piece's outline, counted from ``column`` and ``row``."""
        size, x, y, turn = piece
        a, b = self._reach[size - 1] * math.cos(turn), self._reach[size - 1] * math.sin(turn)
        left, high, scale, lean = self._left - column, self._high - row, self._scale, self._lean[size - 1]
        u, v = left + x * scale, high - y * scale
        tip_u = left + (self._x + (x - self._x) * lean) * scale
        tip_v = high - (self._y + (y - self._y) * lean) * scale
        places = (
            (int(16 * (u + a - b)), int(16 * (v - a - b))),
            (int(16 * (u - a - b)), int(16 * (v - a + b))),
            (int(16 * (u - a + b)), int(16 * (v + a + b))),
            (int(16 * (u + a + b)), int(16 * (v + a - b))),
            (int(16 * tip_u), int(16 * tip_v)),
        )
        return np.asarray(cv2.convexHull(np.array(places, np.int32).reshape(5, 1, 2)), np.int32)

    def mask(
        self, pieces: Iterable[Pyramid], shape: tuple[int, ...], column: float = 0.0, row: float = 0.0
    ) -> Mask:
        """The pixels that these pieces cover of a part of the map (rows x columns) that begins at ``column``
        and ``row``."""
        mask = np.zeros(shape[:2], np.uint8)
        for piece in pieces:
            fill(mask, self.hull(piece, column, row), 1)
        return mask.astype(bool)


def fill(target: NDArray[np.uint8] | NDArray[np.float32], hull: Hull, value: float) -> None:
    """Set all that an outline covers of a map, in place."""
    cv2.fillConvexPoly(target, hull, value, cv2.LINE_8, 4)
