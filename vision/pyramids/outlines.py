"""Pyramids on a 24-point board as things of wood and plastic: their measures, and the outlines that a camera
sees of them.

A pyramid is a square base and a tip above its middle. Under a camera its outline is that of the base and of
the tip together, and the tip leans away from the camera's foot: ``Outlines`` are exact for any pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.geometry import board_measures
from vision.geometry.board_measures import Geometry, Measures
from vision.geometry.flat import Flat

BASES = (1.43, 1.98, 2.54)
"""Base sides of true Icehouse pieces in cm: small, medium, large."""
STEEP = 1.75
"""Their height, in base sides."""
Piece: TypeAlias = tuple[int, float, float, float]
"""A piece as it stands: size 1-3, x, y (cm), turn (radians)."""
Eye: TypeAlias = tuple[float, float, float]
"""Where the camera is, as what stands up shows it: x, y, height (cm)."""
PITCH, BAR, HEIGHT = 1.5, 1.05, 10.5
"""Usual distance of points (in large bases), width of the bar and height of the board (in points), where
nobody gives them."""


@dataclass(frozen=True)
class Stand:
    """A board and its pyramids. ``board`` has the board's measures; ``bases`` the three base sides in cm,
    small first."""

    board: Measures
    bases: tuple[float, float, float] = BASES

    @classmethod
    def of(cls, geometry: Mapping[str, Any]) -> Stand:
        """A geometry file's content: that of a checkers' board, and ``base_side``. Raises CalibrationError
        naming what is wrong."""
        bases = _bases(geometry.get("base_side"))
        known = Geometry.from_json({key: value for key, value in geometry.items() if key != "base_side"})
        pitch = known.pitch or (
            (known.width - (known.bar or 0.0)) / 12 if known.width and known.bar else PITCH * bases[2]
        )
        bar = (
            known.bar if known.bar is not None else (known.width - 12 * pitch if known.width else BAR * pitch)
        )
        width = known.width or 12 * pitch + bar
        height = known.height or HEIGHT * pitch
        full = Geometry(pitch, None, bar, width, height, "none").measures()
        if full is None or not bases[2] <= 1.2 * pitch:
            raise GeometryError(f"pyramids of {bases[2]:g} cm do not fit points {pitch:g} cm apart")
        return cls(
            Measures(full.pitch, bases[2], full.bar, full.width, full.height, "none", STEEP * bases[2]), bases
        )

    @cached_property
    def columns(self) -> dict[str, tuple[float, float, float]]:
        """Where the pieces of a cell stand in a row: x, y of the row's beginning, direction (1 upwards, -1
        downwards)."""
        found = {}
        for number in range(1, 25):
            upwards = number <= 12
            found[f"p{number}"] = (
                board_measures.middle(self.board, number),
                0.0 if upwards else self.board.height,
                1.0 if upwards else -1.0,
            )
        return found

    def base(self, size: int) -> float:
        """The base side of a size 1-3, in cm."""
        return self.bases[size - 1]


class Outlines:
    """Outlines of pyramids on one map, seen from ``eye``. They are wanted by the thousand in every picture:
    worked out number by number."""

    def __init__(self, flat: Flat, stand: Stand, eye: Eye) -> None:
        self._x, self._y = eye[0], eye[1]
        self._scale, half = flat.scale, 0.5 - 0.5 / 16
        self._left, self._high = -flat.left * flat.scale - half, flat.high * flat.scale - half
        self._reach = [stand.base(size) / 2 * flat.scale for size in (1, 2, 3)]
        self._lean = [eye[2] / (eye[2] - STEEP * stand.base(size)) for size in (1, 2, 3)]

    def hull(self, piece: Piece, column: float = 0.0, row: float = 0.0) -> NDArray[np.int32]:
        """A piece's outline (convex, N x 1 x 2: column, row, in sixteenths of a map pixel), counted from
        ``column`` and ``row``."""
        size, x, y, turn = piece
        a, b = self._reach[size - 1] * math.cos(turn), self._reach[size - 1] * math.sin(turn)
        left, high, scale, lean = self._left - column, self._high - row, self._scale, self._lean[size - 1]
        u, v = left + x * scale, high - y * scale
        tip_u, tip_v = (
            left + (self._x + (x - self._x) * lean) * scale,
            high - (self._y + (y - self._y) * lean) * scale,
        )
        places = np.array(
            [
                (int(16 * (u + a - b)), int(16 * (v - a - b))),
                (int(16 * (u - a - b)), int(16 * (v - a + b))),
                (int(16 * (u - a + b)), int(16 * (v + a + b))),
                (int(16 * (u + a + b)), int(16 * (v + a - b))),
                (int(16 * tip_u), int(16 * tip_v)),
            ],
            np.int32,
        )
        return np.asarray(cv2.convexHull(places.reshape(-1, 1, 2)), np.int32)


def _bases(given: object) -> tuple[float, float, float]:
    if given is None:
        return BASES
    try:
        if not isinstance(given, Mapping):
            raise TypeError
        small, medium, large = (float(given[key]) for key in ("1", "2", "3"))
    except (KeyError, TypeError, ValueError) as error:
        raise GeometryError(
            f'base_side is {given!r}; write {{"1": 1.43, "2": 1.98, "3": 2.54}}, in centimetres'
        ) from error
    if not 0.3 <= small < medium < large <= 20:
        raise GeometryError(f"base_side is {given!r}; three growing lengths in centimetres are wanted")
    return small, medium, large
