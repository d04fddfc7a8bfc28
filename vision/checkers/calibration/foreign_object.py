"""Whether something lies over the board in the calibration picture: a hand, a sleeve, a score sheet. It would
be learned as part of it.

Nobody knows yet what the empty board looks like, but its pattern repeats, and so do its rims. What looks like
none of its repeats, and is larger than dice and cubes are, does not belong there, or a lamp is mirrored in
it.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.geometry.board_measures import repeats
from vision.geometry.flat import RESOLUTION, Flat, Map

UNLIKE = np.array([0.6, 0.3, 0.3], np.float32)
"""Log units of luma and of chromas by which a pixel must differ from each of its repeats."""
REPEATS = 2
"""How many of a pixel's repeats must be seen."""
LARGE = 1.2
"""Square diameters from which on it is told (measured: docs/vision.md)."""


def over(
    guess: Hypothesis, flat: Flat, values: Map, light: Map, hidden: NDArray[np.bool_]
) -> tuple[Cell, ...]:
    """The cells over which something lies. ``hidden``: what is under known pieces."""
    differs = cv2.morphologyEx(
        _unlike(guess, flat, values, light, hidden), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    )
    large = np.flatnonzero(stats[1:, cv2.CC_STAT_AREA] > LARGE * RESOLUTION**2) + 1
    if not len(large):
        return ()
    there = np.isin(labels, large)
    regions = guess.plan().regions
    return tuple(
        cell for cell, region in regions.items() if np.count_nonzero(there & region) > RESOLUTION**2 / 10
    )


def _unlike(
    guess: Hypothesis, flat: Flat, values: Map, light: Map, hidden: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """The map pixels (0, 1) that are like none of their repeats."""
    shifts, allowed = repeats(guess.loose.base, flat)
    plain = values.copy()
    plain[..., 0] -= light
    plain /= UNLIKE
    plain[cv2.dilate(hidden.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0] = np.nan
    plain[:, allowed < 0] = np.nan
    rows, columns = flat.shape
    nearest, seen, reach = (
        np.full((rows, columns), np.inf, np.float32),
        np.zeros((rows, columns), np.uint8),
        np.arange(columns),
    )
    for shift, hop in shifts:
        moved = np.array([[1, 0, -shift], [0, 1, 0]], np.float32)
        repeat = cv2.warpAffine(
            plain, moved, (columns, rows), borderMode=cv2.BORDER_CONSTANT, borderValue=(np.nan,) * 3
        )
        source = np.round(reach + shift).astype(np.int64)
        there = np.where((source >= 0) & (source < columns), allowed[np.clip(source, 0, columns - 1)], -9)
        repeat[:, there != allowed + hop] = np.nan
        apart = np.square(repeat - plain).sum(axis=-1)
        known = np.isfinite(apart)
        nearest[known] = np.minimum(nearest, apart)[known]
        seen += known
    return np.asarray((nearest > 1) & (seen >= REPEATS), np.uint8)
