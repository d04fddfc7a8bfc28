"""How dice are looked at: the whole table laid flat to find them, and one square of it to read each.

The map is so coarse that a usual die (a quarter of a point's width) has nine pixels. A square shows twice a
die's edge; in it, up is away from the camera, so that the face on top is always the upper one of those that
are seen, however the board lies in the picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry.camera import Camera, Floats
from vision.geometry.flat import Flat
from vision.picture.frame import Image

POINTS = 13.2
"""Widths of a point in a playing surface, the bar among them, about."""
FINE = 32.0
"""Map pixels to a point's width."""
BESIDE, BEYOND = 2.0, 1.0
"""How much of what lies left and right, below and above the surface is in the map, in points' widths: trays,
rims."""
STEP = 4
"""Map pixels to a cell of the finder's grid."""
USUAL = 9.0
"""Map pixels to a usual die's edge."""
SIDE = 48
"""Pixels to the side of a square."""
SHOWN = 2.0
"""How many edges of the die it shows."""


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


def square(image: Image, camera: Camera, place: Floats, edge: float, spin: float = 0.0) -> Image:
    """The square (SIDE x SIDE) around a place of the surface (cm) for a die of this edge (cm), turned by
    ``spin`` (radians)."""
    away = np.asarray(place, np.float64) - camera.eye()[:2]
    angle = float(np.arctan2(away[1], away[0])) + spin if np.hypot(*away) > 1e-6 else np.pi / 2
    up = np.array([np.cos(angle), np.sin(angle)])
    right = np.array([up[1], -up[0]])
    half = SHOWN * edge / 2
    ends = [place + half * (a * right + b * up) for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
    pixels = camera.project(np.column_stack([ends, np.zeros(4)]))
    sides = np.linalg.norm(pixels - np.roll(pixels, 1, axis=0), axis=1)
    less = int(np.clip(sides.min() / SIDE, 1, 64))
    low = np.floor(np.clip(pixels.min(axis=0) - 2 * less, 0, None)).astype(int)
    high = np.ceil(pixels.max(axis=0) + 2 * less).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < less:
        return np.zeros((SIDE, SIDE, 3), np.uint8)
    if less > 1:  # a bilinear warp that shrinks more than about twice skips pixels: average them first
        part = np.asarray(
            cv2.resize(part, (part.shape[1] // less, part.shape[0] // less), interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    at = ((pixels - low + 0.5) / less - 0.5).astype(np.float32)
    corners = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(at, corners)
    return np.asarray(
        cv2.warpPerspective(part, warp, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def even(pixels: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """A picture as networks take it (1 x 3 x rows x columns): the lamp's brightness and the lens's contrast
    say nothing."""
    means, deviations = cv2.meanStdDev(pixels)
    mean = float(means.mean())
    spread = float(np.sqrt((deviations**2 + means**2).mean() - mean**2))
    return np.asarray(cv2.dnn.blobFromImage(pixels, 1 / (spread + 6), mean=(mean,) * 3), np.float32)
