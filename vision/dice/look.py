"""How dice are looked at: the whole table laid flat to find them, and one square of it to read each.

The map is so coarse that a usual die (a quarter of a point's width) has nine pixels; where large ones lie
(usual dice on a small board), there is another one on which they have about as many. A square shows twice a
die's edge; in it, up is away from the camera, so that the face on top is always the upper one of those that
are seen, however the board lies in the picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision import onnx_file
from vision.geometry.camera import Camera, Floats
from vision.geometry.flat import Flat
from vision.picture.frame import Image

POINTS = 13.2
"""Widths of a point in a playing surface, the bar among them, about."""
FINE, COARSE = 32.0, 0.625
"""Map pixels to a point's width; and how much smaller the map for large dice is."""
BESIDE, BEYOND = 2.0, 1.0
"""How much of what lies left and right, below and above the surface is in the map, in points' widths: trays,
rims."""
EDGE = 9.0
"""Map pixels to a usual die's edge."""
SIDE = 48
"""Pixels to the side of a square."""
SHOWN = 2.0
"""How many edges of the die it shows."""
CORNERS = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32) - np.float32(0.5)
"""Its corners in its own pixels."""


def map_of(camera: Camera, size: tuple[float, float]) -> Flat:
    """The map of a table whose surface is so wide and high (cm); its sides are multiples of eight pixels."""
    unit = size[0] / POINTS
    scale = FINE / unit
    columns, rows = (
        int(np.ceil((length + 2 * around * unit) * scale / 8)) * 8
        for length, around in zip(size, (BESIDE, BEYOND), strict=True)
    )
    left, low = size[0] / 2 - columns / scale / 2, size[1] / 2 - rows / scale / 2
    return Flat(camera, scale, left, left + columns / scale, low, low + rows / scale)


def smaller(laid: Image) -> Image:
    """The map for large dice; its sides are multiples of eight pixels, too."""
    rows, columns = (8 * round(COARSE * side / 8) for side in laid.shape[:2])
    return np.asarray(cv2.resize(laid, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)


def corners_of(camera: Camera, places: ArrayLike, edges: ArrayLike, spin: float = 0.0) -> Floats:
    """The corners (N x 4 x 2, pixels) of the squares around places of the surface (N x 2, cm) for dice of
    these edges (N, cm), turned by ``spin`` (radians); in the order of CORNERS."""
    middles = np.asarray(places, np.float64).reshape(-1, 2)
    away = middles - camera.eye()[:2]
    angles = np.where(np.hypot(*away.T) > 1e-6, np.arctan2(away[:, 1], away[:, 0]) + spin, np.pi / 2)
    up = np.column_stack([np.cos(angles), np.sin(angles)])[:, None]
    right = up[..., ::-1] * (1, -1)
    side = SHOWN * np.asarray(edges, np.float64)[:, None, None]
    rightward, down = np.split((CORNERS + 0.5) / SIDE - 0.5, 2, axis=1)
    ends = middles[:, None] + side * (rightward * right - down * up)
    pixels = camera.project(np.concatenate([ends, np.zeros((*ends.shape[:2], 1))], axis=2))
    return np.asarray(pixels.reshape(-1, 4, 2), np.float64)


def squares(
    image: Image, camera: Camera, places: ArrayLike, edges: ArrayLike, spin: float = 0.0
) -> list[Image]:
    """The squares (SIDE x SIDE) with the corners that :func:`corners_of` gives."""
    pixels = corners_of(camera, places, edges, spin)
    sides = np.linalg.norm(pixels - np.roll(pixels, 1, axis=1), axis=2).min(axis=1)
    shrinks = np.clip(sides / SIDE, 1, 64).astype(int)
    lows = np.floor(np.clip(pixels.min(axis=1) - 2 * shrinks[:, None], 0, None)).astype(int)
    highs = np.ceil(pixels.max(axis=1) + 2 * shrinks[:, None]).astype(int)
    at = ((pixels - lows[:, None] + 0.5) / shrinks[:, None, None] - 0.5).astype(np.float32)
    return [
        _cut(image[low[1] : high[1], low[0] : high[0]], corners, int(less))
        for low, high, corners, less in zip(lows, highs, at, shrinks, strict=True)
    ]


def _cut(part: Image, corners: NDArray[np.float32], less: int) -> Image:
    """A square out of a part of a picture, shrunk by ``less``; its corners are in pixels after that."""
    if min(part.shape[:2]) < less:
        return np.zeros((SIDE, SIDE, 3), np.uint8)
    if less > 1:  # a bilinear warp that shrinks more than about twice skips pixels: average them first
        part = np.asarray(
            cv2.resize(part, (part.shape[1] // less, part.shape[0] // less), interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    warp = cv2.getPerspectiveTransform(corners, CORNERS)
    return np.asarray(
        cv2.warpPerspective(part, warp, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def even(pixels: Image) -> NDArray[np.float32]:
    """A picture as networks take it (1 x 3 x rows x columns)."""
    mean, spread = onnx_file.level(pixels)
    return np.asarray(cv2.dnn.blobFromImage(pixels, 1 / (spread + 6), mean=(mean,) * 3), np.float32)
