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
from vision.geometry.flat import RESOLUTION, Map
from vision.light.empty_board import repeat

UNLIKE = np.array([0.6, 0.3, 0.3], np.float32)
"""Log units of luma and of chromas by which a pixel must differ from each of its repeats."""
LARGE = 1.2 * RESOLUTION**2
"""Map pixels from which on it is told: 1.2 square diameters, more than dice and cubes have (measured:
docs/vision-measurements.md)."""


def covered(hypothesis: Hypothesis, values: Map, light: Map, hidden: NDArray[np.bool_]) -> tuple[Cell, ...]:
    """The cells over which something lies. ``hidden``: what is under known pieces."""
    unlike = _unlike(hypothesis, values, light, hidden)
    opened = cv2.morphologyEx(unlike, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    there = np.isin(labels, np.flatnonzero(stats[1:, cv2.CC_STAT_AREA] > LARGE) + 1)
    return tuple(
        cell
        for cell, region in hypothesis.plan.regions.items()
        if np.count_nonzero(there & region) > RESOLUTION**2 / 10
    )


def _unlike(hypothesis: Hypothesis, values: Map, light: Map, hidden: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The map pixels (0, 1) of which two or more repeats are seen and that are like none of them."""
    shifts, allowed = repeats(hypothesis.measures, hypothesis.flat)
    plain = values.copy()
    plain[..., 0] -= light
    plain /= UNLIKE
    plain[cv2.dilate(hidden.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0] = np.nan
    plain[:, allowed < 0] = np.nan
    nearest = np.full(hypothesis.flat.shape, np.inf, np.float32)
    seen = np.zeros(hypothesis.flat.shape, np.uint8)
    for shift, hop in shifts:
        apart = np.square(repeat(plain, shift, hop, allowed) - plain).sum(axis=-1)
        known = np.isfinite(apart)
        nearest[known] = np.minimum(nearest, apart)[known]
        seen += known
    return np.asarray((nearest > 1) & (seen >= 2), np.uint8)
