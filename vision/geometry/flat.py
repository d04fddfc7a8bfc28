"""The board laid flat: every picture is first brought to one small map of the playing surface and its rims.

Row 0 is the top of the map; ``RESOLUTION`` map pixels are one checker's diameter, whatever the camera, so
that everything after this module is the same for a phone and for a Pi. Things above the surface are where
their rays meet it (``Camera.lean``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.messages import phrase
from vision.errors import GeometryError
from vision.geometry.camera import Camera, Floats
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.stored import MOST_PIXELS

Map: TypeAlias = NDArray[np.float32]
"""Rows x columns (x 3), float32."""
RESOLUTION = 12
"""Map pixels per checker diameter."""
RIM = 1.35
"""How much of what lies around the surface is in the map, in checker diameters: rims, and arms that come over
them."""


@dataclass(frozen=True)
class Flat:
    """The flattening for one camera and one board; built once, used for every frame.

    ``scale`` is map pixels per cm; ``left``, ``right``, ``low`` and ``high`` are the map's edges in cm.
    Raises GeometryError where no board has such a map.
    """

    camera: Camera
    scale: float
    left: float
    right: float
    low: float
    high: float
    shrink: int = field(init=False)
    _maps: tuple[Map, Map] = field(init=False, repr=False)
    _part: tuple[slice, slice] = field(init=False, repr=False)
    """The rows and columns of the picture that the map shows; ``_maps`` count from them, in steps of
    ``shrink``."""

    def __post_init__(self) -> None:
        rows, columns = self.shape
        if min(rows, columns) < 1 or rows * columns > MOST_PIXELS:
            raise GeometryError(
                phrase(
                    "these measures make a board of {columns} x {rows} checkers; check them",
                    columns=f"{columns / RESOLUTION:.0f}",
                    rows=f"{rows / RESOLUTION:.0f}",
                )
            )
        grid = np.stack([*np.meshgrid(self.x, self.y), np.zeros((rows, columns))], axis=-1).reshape(-1, 3)
        pixels = self.camera.project(grid)
        middle = self.camera.project(
            [[(self.left + self.right) / 2 + d, (self.low + self.high) / 2, 0] for d in (-1, 1)]
        )
        per_map_pixel = float(np.linalg.norm(middle[1] - middle[0])) / 2 / self.scale
        shrink = max(1, round(per_map_pixel))
        object.__setattr__(self, "shrink", shrink)
        maps, parts = [], []
        for axis, side in enumerate(self.camera.size):
            at = (pixels[:, axis] + 0.5) / shrink - 0.5
            first = int(np.clip(at.min(), 0, side // shrink - 1))
            last = int(np.clip(at.max() + 1, first, side // shrink - 1))
            maps.append(at.astype(np.float32).reshape(rows, columns) - np.float32(first))
            parts.append(slice(first * shrink, (last + 1) * shrink))
        object.__setattr__(self, "_maps", tuple(maps))
        object.__setattr__(self, "_part", tuple(reversed(parts)))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the map."""
        return round((self.high - self.low) * self.scale), round((self.right - self.left) * self.scale)

    @cached_property
    def x(self) -> Floats:
        """The x (cm) of every map column."""
        return np.asarray(self.left + (np.arange(self.shape[1]) + 0.5) / self.scale, np.float64)

    @cached_property
    def y(self) -> Floats:
        """The y (cm) of every map row."""
        return np.asarray(self.high - (np.arange(self.shape[0]) + 0.5) / self.scale, np.float64)

    def lay(self, image: Image) -> Image:
        """The picture as a map (rows x columns x 3, uint8). The picture must have the camera's size."""
        part = image[self._part]
        if self.shrink > 1:
            height, width = part.shape[:2]
            part = np.asarray(
                cv2.resize(part, (width // self.shrink, height // self.shrink), interpolation=cv2.INTER_AREA),
                np.uint8,
            )
        flat = cv2.remap(
            part, self._maps[0], self._maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(flat, np.uint8)

    def part(self, image: Image) -> Image:
        """So much of a picture of this view, of any size, as the map shows: the board, its rims, and what
        else is in that rectangle."""
        (high, wide), (width, height) = image.shape[:2], self.camera.size
        rows, columns = self._part
        return image[
            rows.start * high // height : -(-rows.stop * high // height),
            columns.start * wide // width : -(-columns.stop * wide // width),
        ]

    def in_view(self) -> Mask:
        """Which map pixels the camera sees at all."""
        width, height = self.camera.size
        u, v = (
            at * self.shrink + part.start for at, part in zip(self._maps, reversed(self._part), strict=True)
        )
        return np.asarray((u >= 0) & (v >= 0) & (u < width) & (v < height))

    def outside(self, width: float, height: float) -> Mask:
        """Which map pixels lie outside a surface of this size."""
        x, y = self.x, self.y
        return ((y < 0) | (y > height))[:, None] | ((x < 0) | (x > width))[None, :]

    def at(self, places: ArrayLike, z: float = 0.0) -> Floats:
        """Map positions (N x 2: column, row; pixel centres are whole numbers) of board places (N x 2, cm) at
        height ``z``."""
        flat = self.camera.lean(places, z)
        return np.column_stack(
            [(flat[:, 0] - self.left) * self.scale - 0.5, (self.high - flat[:, 1]) * self.scale - 0.5]
        )

    def board(self, at: ArrayLike) -> Floats:
        """The inverse of :meth:`at` for the surface itself: board places (N x 2, cm) of map positions."""
        column, row = np.asarray(at, np.float64).reshape(-1, 2).T
        return np.column_stack(
            [self.left + (column + 0.5) / self.scale, self.high - (row + 0.5) / self.scale]
        )

    def picture(self, places: ArrayLike) -> Floats:
        """Pixels of the picture (N x 2) in which map positions (N x 2) are seen."""
        board = self.board(places)
        return self.camera.project(np.column_stack([board, np.zeros(len(board))]))
