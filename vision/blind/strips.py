"""The points of a map seen from above, each cut out as a strip: an empty board repeats itself on every second
one, so what differs from strip to strip of a kind is the light, or what lies there."""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind.columns import Columns
from vision.disc_finder.flat_map import FIELD, HIGH, MARGIN
from vision.geometry.camera import Floats
from vision.geometry.flat import Map

HALF = 2
"""Pixels of the map to one that is looked at here."""
RIM = MARGIN // HALF
"""The row of a point's foot."""
DEEP = FIELD[1] // HALF // 2
"""The rows from there to the middle of the board."""
ALONG = DEEP // 2
"""Places along a point that are compared: what is on a board changes slowly that way."""
ASIDE = 7
"""Places on either side of its axis: half a point and a little more."""
OUTLIER = 0.12
"""Log units from the repeat from which a place says little: dice, logos and shadows do not repeat."""


def halved(places: Floats) -> Floats:
    """Where places of the map are on the halved one."""
    return places / HALF - 0.25


def weights(off: Floats | Map, free: Floats | Map) -> Any:
    """What places that are so far ``off`` their repeats (log units) say."""
    return free / (1 + (off / OUTLIER) ** 2)


def off_repeats(seen: Floats, weight: Floats) -> Floats:
    """What places (kinds x repeats x ... x N) differ by from the mean of their repeats, which count by their
    ``weight`` (kinds x repeats x ...)."""
    mass = weight.sum(axis=1, keepdims=True)[..., None] + 1e-9
    return np.asarray(seen - (weight[..., None] * seen).sum(axis=1, keepdims=True) / mass, np.float64)


@cache
def strip_order() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Whether in the lower half, and the column, of all points: first those of one kind, then of the other,
    of each the upper half's before the lower one's."""
    lower, column = np.indices((2, 12)).reshape(2, 24)
    order = np.argsort((column + lower) % 2, kind="stable")
    return lower[order], column[order]


def strip_places(board: Columns) -> tuple[Map, Map]:
    """Where all points' strips are on the halved map: columns and rows (2 kinds x 12 x ALONG x width)."""
    across = halved(board.axes)[:, None] + np.arange(-ASIDE, ASIDE + 1)
    depth = RIM + (np.arange(ALONG) + 0.5) * DEEP / ALONG - 0.5
    down = np.array([depth, HIGH // HALF - 1 - depth])
    lower, column = strip_order()
    shape = (24, ALONG, across.shape[1])
    wide = np.broadcast_to(across[column, None], shape).astype(np.float32)
    high = np.broadcast_to(down[lower, :, None], shape).astype(np.float32)
    return wide.reshape(2, 12, *shape[1:]), high.reshape(2, 12, *shape[1:])


def cut_strips(values: Map, places: tuple[Map, Map], how: int = cv2.INTER_LINEAR) -> Map:
    """The points' strips out of a halved map."""
    u, v = (part.reshape(-1, part.shape[-1]) for part in places)
    found = np.asarray(cv2.remap(values, u, v, how), np.float32)
    return found.reshape(*places[0].shape, *values.shape[2:])
