"""Checkers on top of others: what shows of the lower one.

A second layer covers the first nearly whole. It never sits exactly on it, and it is nearer to the lens, so a crescent of the lower
checker shows beside it: more pixels of its colour than one disc can explain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.discs import Discs
from vision.scene import RESOLUTION, Map

REACH = RESOLUTION
"""Half the side of the patch that is looked at, in map pixels."""
RADIUS = 0.49 * RESOLUTION
_yy, _xx = np.mgrid[-REACH : REACH + 1, -REACH : REACH + 1]
_SHIFTS = [(dx, dy) for dx in range(-3, 4) for dy in range(-3, 4) if dx * dx + dy * dy <= 12]
_MASKS: NDArray[np.float32] = np.stack([np.clip(RADIUS + 0.5 - np.hypot(_xx - dx, _yy - dy), 0, 1).ravel() for dx, dy in _SHIFTS]).astype(
    np.float32
)


def doubled(discs: Discs, values: Map, kind: int, centres: list[tuple[float, float]], index: int) -> float:
    """How much more a pair of discs explains around a centre than the best single one, in nats per pixel of a disc.

    About 0.1 for a single checker, 0.4 for two; nobody else's discs are counted."""
    u, v = centres[index]
    column, row = round(u), round(v)
    rows, columns = values.shape[:2]
    top, left = max(row - REACH, 0), max(column - REACH, 0)
    bottom, right = min(row + REACH + 1, rows), min(column + REACH + 1, columns)
    patch = np.zeros((2 * REACH + 1, 2 * REACH + 1), np.float32)
    if bottom > top and right > left:
        part = discs.likeness(values, kind, slice(top, bottom), slice(left, right))
        patch[top - row + REACH : bottom - row + REACH, left - column + REACH : right - column + REACH] = part
    for other, (a, b) in enumerate(centres):
        if other != index:
            patch[np.hypot(_xx - (a - column), _yy - (b - row)) < 0.56 * RESOLUTION] = 0
    weighed = _MASKS * patch.ravel()
    single = weighed.sum(axis=1)
    union = single[:, None] + single[None, :] - weighed @ _MASKS.T
    return float(union.max() - single.max()) / (np.pi * RADIUS**2)
