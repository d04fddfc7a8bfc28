"""A second opinion of what a die shows: its pips, counted one by one.

It knows nothing of networks: a pip is a small round spot of another colour than the body around it. Where
pips run into each other, or a glint is taken for one, it is wrong; but not where the network is wrong. How
often it counts what, for each thing that a square may show, was measured on drawn dice (:data:`COUNTED`)."""

from __future__ import annotations

import cv2
import numpy as np

from vision.dice.look import SHOWN, SIDE
from vision.geometry.camera import Floats
from vision.picture.frame import Image

FINE = 3
"""How many times larger spots are looked at."""
FACE = 0.5
"""How far from its middle the face on top surely reaches, in edges."""
AREA = (0.004, 0.075)
"""The area of a pip, in squares of the edge."""
LONG = 2.0
"""How many times longer than wide a spot may be."""
FAINT = 14.0
"""Levels (0-255) by which a pip differs from the body at least."""
DISPUTED = 0.97
"""How sure a value can be where count and network differ: less than is said."""
MOST = 7
"""So many spots, or more, are no pips."""


def count_pips(square: Image) -> int:
    """How many pips the face in the middle of a square (see ``look``) seems to have: 0 to MOST."""
    wide = SIDE * FINE
    edge = wide / SHOWN
    big = cv2.resize(square, (wide, wide), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    rows, columns = np.mgrid[0:wide, 0:wide] - (wide - 1) / 2
    face = np.hypot(rows, columns) < FACE * edge
    body = np.median(big[face], axis=0)
    off = np.abs(big - body).max(axis=2)
    levels = np.clip(off[face], 0, 255).astype(np.uint8)
    least, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    spots = ((off > max(least, FAINT)) & face).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(spots, connectivity=4)
    count = 0
    for _, _, width, height, area in stats[1:]:
        long = max(width, height) / max(min(width, height), 1)
        count += AREA[0] <= area / edge**2 <= AREA[1] and long <= LONG
    return min(count, MOST)


def weigh(chances: Floats, square: Image) -> Floats:
    """The probabilities of what a square shows, after its pips were counted. Where the count says otherwise
    than the network, no value is sure."""
    count = count_pips(square)
    both = chances * COUNTED[:, count]
    both = both / both.sum()
    if 1 <= both.argmax() <= 6 and both.argmax() != count:
        both = np.minimum(both, DISPUTED)
    return np.asarray(both, np.float64)


_MEASURED = (
    (745, 269, 115, 61, 30, 13, 8, 5),
    (8, 34, 7, 11, 5, 3, 0, 2),
    (9, 11, 30, 11, 4, 4, 3, 2),
    (12, 9, 12, 34, 6, 6, 3, 2),
    (2, 2, 4, 7, 35, 11, 5, 5),
    (8, 3, 2, 6, 5, 30, 4, 20),
    (12, 9, 7, 4, 2, 8, 14, 19),
    (38, 8, 12, 2, 0, 1, 1, 0),
)
"""How often so many pips (columns) were counted on squares that show nothing, 1 to 6, a doubling cube (rows):
1,775 squares that the finder asks about on drawn tables (``training.dice.gather --found``), dice of 9 to 60
pixels."""
COUNTED: Floats = (np.array(_MEASURED) + 1.0) / (np.array(_MEASURED) + 1.0).sum(axis=1, keepdims=True)
