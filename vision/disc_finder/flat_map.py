"""The board laid flat for a network that has never seen it: every picture becomes one small map of fixed
size, whatever the camera and the board.

The map is ``WIDE`` x ``HIGH`` pixels. The playing surface fills it but for ``MARGIN`` pixels on each side,
with its bottom-left corner at the bottom left, so a point is about 24 pixels wide and a checker about as much
across. Nothing is assumed about the board's proportions: checkers are ellipses where the surface is not as
wide for its height as the map. The network's answers are maps too, on a grid ``STEP`` times coarser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Corner, Floats, check
from vision.picture.frame import Image

FIELD = (312, 280)
"""Width and height of the playing surface, in map pixels: what the network was trained on."""
MARGIN = 20
"""What is shown around it, in map pixels: rims, and arms that come over them."""
WIDE = FIELD[0] + 2 * MARGIN
HIGH = FIELD[1] + 2 * MARGIN
STEP = 4
"""Map pixels to a cell of the network's grid; of that which finds dice, too."""
GRID = (HIGH // STEP, WIDE // STEP)
"""Rows and columns of the network's grid."""


@dataclass(frozen=True)
class FlatMap:
    """``image``: the map (HIGH x WIDE x 3, BGR). ``to_picture``: the homography from map pixels to the
    picture's. ``seen``: how much of every cell of the network's grid (GRID, 0-1) the picture shows; the rest
    of the map repeats its edge."""

    image: Image
    to_picture: Floats
    seen: NDArray[np.float32]

    @property
    def fine(self) -> float:
        """Pixels of the picture to a point's width of the map, in the middle, where they are fewer."""
        u, v = WIDE / 2, HIGH / 2
        places = self.picture(np.array([(u - 12, v), (u + 12, v), (u, v - 12), (u, v + 12)]))
        return float(np.linalg.norm(places[1::2] - places[::2], axis=1).min())

    def picture(self, places: Floats) -> Floats:
        """Picture pixels (N x 2) of map pixels (N x 2)."""
        if not np.size(places):
            return np.zeros((0, 2))
        there = cv2.perspectiveTransform(np.asarray(places, np.float64).reshape(-1, 1, 2), self.to_picture)
        return np.asarray(there, np.float64).reshape(-1, 2)


def lay_flat(image: Image, corners: Sequence[Corner]) -> FlatMap:
    """The map of a board whose surface has these corners (pixels; bottom-left, bottom-right, top-right,
    top-left of the board, however it lies in the picture). Raises CalibrationError where no board could have
    them."""
    check(corners, (image.shape[1], image.shape[0]))
    clicked = np.asarray(corners, np.float64)
    left, top, right, bottom = MARGIN, MARGIN, MARGIN + FIELD[0], MARGIN + FIELD[1]
    ideal = np.array([[left, bottom], [right, bottom], [right, top], [left, top]], np.float32)
    sides = np.linalg.norm(clicked - np.roll(clicked, -1, axis=0), axis=1)
    # A bilinear warp that shrinks more than about twice skips pixels: average them first.
    shrink = max(1, int(sides.min() / FIELD[0] / 1.1))
    low = np.maximum(np.floor(clicked.min(axis=0) - 0.2 * sides.max()), 0).astype(int)
    high = np.ceil(clicked.max(axis=0) + 0.2 * sides.max()).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    if shrink > 1:
        size = (max(1, part.shape[1] // shrink), max(1, part.shape[0] // shrink))
        part = np.asarray(
            cv2.resize(part[: size[1] * shrink, : size[0] * shrink], size, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    place = (clicked - low + 0.5) / shrink - 0.5
    warp = cv2.getPerspectiveTransform(place.astype(np.float32), ideal)
    flat = cv2.warpPerspective(part, warp, (WIDE, HIGH), borderMode=cv2.BORDER_REPLICATE)
    # A small sensor's grain is gone then. Where there is none, thin crescents tell of stacked checkers.
    if grain(np.asarray(flat, np.uint8)) > 2.0:  # levels of 255
        flat = cv2.GaussianBlur(flat, (0, 0), 0.7)
    whole = np.ones(part.shape[:2], np.float32)
    seen = cv2.warpPerspective(whole, warp, (WIDE, HIGH), flags=cv2.INTER_NEAREST)
    seen = cv2.resize(seen, GRID[::-1], interpolation=cv2.INTER_AREA)
    enlarge = np.array(
        [[shrink, 0, low[0] + (shrink - 1) / 2], [0, shrink, low[1] + (shrink - 1) / 2], [0, 0, 1]]
    )
    return FlatMap(np.asarray(flat, np.uint8), enlarge @ np.linalg.inv(warp), np.asarray(seen, np.float32))


def grain(flat: Image) -> float:
    """The standard deviation of a map's noise, in levels of 255; fine textures count as some."""
    # Neither a slope nor an edge answers to this (Immerkær 1996); grain of one level makes six of it.
    laplace = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    answers = cv2.filter2D(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), cv2.CV_16S, laplace)[::2, ::2]
    below = np.cumsum(np.bincount(np.abs(answers).ravel()))
    return float(np.searchsorted(below, below[-1] / 2)) / 0.6745 / 6  # the median of whole numbers
