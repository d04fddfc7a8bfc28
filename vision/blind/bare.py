"""What the board looks like under its checkers: the empty board repeats itself on every second point, so what
a checker covers is to be seen two, four or more points further on, and in the other half upside down."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import numpy as np

from vision.blind.board import Columns
from vision.blind.light import ASIDE, DEEP, HALF, RIM, WIDTH, Lit, usual
from vision.geometry.flat import Map

SLIP = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP


def surface(lit: Lit, board: Columns, columns: Iterable[int]) -> Map:
    """The halved map under even light (``lit.values``), in which every point of these columns (0-11) is as
    its kind usually is."""
    empty = lit.values.copy()
    strips = [
        cv2.resize(strip, (WIDTH, DEEP), interpolation=cv2.INTER_LINEAR)
        for strip in usual(lit.strips, lit.free)
    ]
    for column in columns:
        axis, reach = float(board.axes[column]) / HALF - 0.25, board.pitch / 2 / HALF
        first, last = max(math.ceil(axis - reach), 0), min(math.floor(axis + reach), empty.shape[1] - 1)
        size, slip = (last + 1 - first, DEEP), np.array([[1, 0, first - axis + ASIDE], [0, 1, 0]])
        drawn = [
            cv2.warpAffine(strip, slip, size, flags=SLIP, borderMode=cv2.BORDER_REPLICATE) for strip in strips
        ]
        empty[RIM : RIM + DEEP, first : last + 1] = drawn[column % 2]
        empty[-1 - RIM : -1 - RIM - DEEP : -1, first : last + 1] = drawn[1 - column % 2]
    return empty
