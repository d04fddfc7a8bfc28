"""Discs anywhere in a picture: where checkers seem to lie, before anything is known of the board.

The network (``disc_finder.network``) was trained on boards laid flat, but what it says of a checker it
says of any disc of about the right size. So the picture is shown to it at several sizes, in windows that
overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.disc_finder.flat_map import FIELD, HIGH, STEP, WIDE
from vision.disc_finder.network import find_marks, peaks
from vision.geometry.camera import Floats
from vision.picture.frame import Image

SHARES = (0.95, 0.7, 0.5, 0.36, 0.26)
"""How much of the picture's longer side the board's width may take: neighbours are near enough for the
network."""


@dataclass(frozen=True)
class Sighting:
    """What was found at one size of the picture. ``places`` (N x 2, pixels of the picture), ``odds`` (N);
    ``diameter`` is about how large discs are that are found at this size, in pixels of the picture."""

    places: Floats
    odds: Floats
    diameter: float


def seek(image: Image, share: float) -> Sighting:
    """Discs of a board that takes ``share`` of the picture's longer side. About 10 ms a window; a share of
    1/2 has four or six."""
    scale = FIELD[0] / (share * max(image.shape[:2]))
    small = cv2.resize(
        image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    )
    down, right = max(0, HIGH - small.shape[0]), max(0, WIDE - small.shape[1])
    small = cv2.copyMakeBorder(small, 0, down, 0, right, cv2.BORDER_REPLICATE)
    rows, columns = small.shape[0] // STEP, small.shape[1] // STEP
    heat = np.full((rows, columns), -99.0, np.float32)
    for row in _starts(rows, HIGH // STEP):
        for column in _starts(columns, WIDE // STEP):
            window = small[row * STEP : row * STEP + HIGH, column * STEP : column * STEP + WIDE]
            top = find_marks(np.ascontiguousarray(window, np.uint8)).top
            there = heat[row : row + top.shape[0], column : column + top.shape[1]]
            np.maximum(there, top, out=there)
    places, cells = peaks(heat)
    # As the network knows them, checkers are a thirteenth of the surface across.
    return Sighting(
        (places + 0.5) / scale - 0.5, heat[tuple(cells.T)].astype(np.float64), FIELD[0] / 12.8 / scale
    )


def _starts(length: int, window: int) -> list[int]:
    """Where windows begin that cover a length. Each shows a quarter of the one before again: a checker on the
    edge of one is whole in the other."""
    count = 1 if length <= window else 1 + int(np.ceil((length - window) / (window * 0.75)))
    return [round(place) for place in np.linspace(0, max(length - window, 0), count)]
