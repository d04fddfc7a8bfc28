"""Discs anywhere in a picture: where checkers seem to lie, before anything is known of the board.

The blind reader's network (``blind_net``) was taught on boards laid flat, but what it says of a checker it
says of any disc of about the right size. So the picture is shown to it at several sizes, in windows that
overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_finder import network as blind_net
from vision.disc_finder.flat_map import FIELD, HIGH, STEP, WIDE
from vision.picture.frame import Image

SHARES = (0.95, 0.7, 0.5, 0.36, 0.26)
"""How much of the picture's longer side the board's width may take: neighbours are near enough for the
network."""
OVERLAP = 0.25
"""Part of a window that the next one shows again: a checker on the edge of one is whole in the other."""
DIAMETER = FIELD[0] / 12.8
"""Pixels across a checker as the network knows them."""
ODDS = 0.0
"""Log-odds above which a peak counts."""


@dataclass(frozen=True)
class Sighting:
    """What was found at one size of the picture. ``places`` (N x 2, pixels of the picture), ``odds`` (N);
    ``diameter`` is about how large discs are that are found at this size, in pixels of the picture."""

    places: NDArray[np.float64]
    odds: NDArray[np.float64]
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
            top = blind_net.look(np.ascontiguousarray(window, np.uint8)).top
            there = heat[row : row + top.shape[0], column : column + top.shape[1]]
            np.maximum(there, top, out=there)
    places, odds = peaks(heat)
    return Sighting((places + 0.5) / scale - 0.5, odds, DIAMETER / scale)


def peaks(heat: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the network's tops are strongest, in its pixels (N x 2: x, y, to a fraction of a cell), and their
    log-odds."""
    tall = (heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > ODDS)
    rows, columns = np.nonzero(tall)
    padded = cv2.copyMakeBorder(1 / (1 + np.exp(-heat)), 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    near = (
        np.stack([padded[rows + i, columns + j] for i in range(3) for j in range(3)], axis=1)
        .reshape(-1, 3, 3)
        .astype(np.float64)
    )
    total = np.maximum(near.sum(axis=(1, 2)), 1e-9)
    x = columns + (near[:, :, 2] - near[:, :, 0]).sum(axis=1) / total
    y = rows + (near[:, 2] - near[:, 0]).sum(axis=1) / total
    return np.column_stack([x, y]) * STEP + (STEP - 1) / 2, heat[rows, columns].astype(np.float64)


def _starts(length: int, window: int) -> list[int]:
    """Where windows begin that cover a length."""
    count = 1 if length <= window else 1 + int(np.ceil((length - window) / (window * (1 - OVERLAP))))
    return [round(place) for place in np.linspace(0, max(length - window, 0), count)]
