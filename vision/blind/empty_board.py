"""What the board looks like under its checkers: the empty board repeats itself on every second point, so what
a checker covers is to be seen two, four or more points further on, and in the other half upside down."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import numpy as np

from vision.blind.columns import Columns
from vision.blind.even_light import EvenLight
from vision.blind.strips import ASIDE, DEEP, HALF, RIM, halved, weights
from vision.geometry.flat import Map


def empty_board(light: EvenLight, board: Columns, columns: Iterable[int]) -> Map:
    """The halved map under even light (``light.values``), in which every point of these columns (0-11) is as
    its kind usually is."""
    empty = light.values.copy()
    strips = [cv2.resize(strip, (2 * ASIDE + 1, DEEP)) for strip in usual(light.strips, light.free)]
    for column in columns:
        axis, reach = float(halved(board.axes)[column]), board.pitch / 2 / HALF
        first, last = max(math.ceil(axis - reach), 0), min(math.floor(axis + reach), empty.shape[1] - 1)
        size, slip = (last + 1 - first, DEEP), np.array([[1, 0, first - axis + ASIDE], [0, 1, 0]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        upper, lower = (
            cv2.warpAffine(strip, slip, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            for strip in (strips[column % 2], strips[1 - column % 2])
        )
        empty[RIM : RIM + DEEP, first : last + 1] = upper
        empty[-1 - RIM : -1 - RIM - DEEP : -1, first : last + 1] = lower
    return empty


def usual(seen: Map, free: Map) -> Map:
    """What most repeats show (2 x depth x width x 3), of those where nothing stands."""
    weight = free
    tall = (3, seen.shape[2] // 2 | 1)
    for _ in range(3):
        mass, total = weight.sum(axis=1), np.einsum("krdw,krdwc->kdwc", weight, seen)
        for kind in (0, 1):
            # Where a place is covered on every repeat, its neighbours along the point say a little: a point's
            # middle looks much like its foot.
            mass[kind] += 1e-3 * cv2.blur(mass[kind], tall)
            total[kind] += 1e-3 * cv2.blur(total[kind], tall)
        mean = total / (mass + 1e-9)[..., None]
        weight = weights(seen[..., 0] - mean[:, None, ..., 0], free)
    return np.asarray(mean, np.float32)
