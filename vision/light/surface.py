"""The bare board as it is believed to look, how exactly each of its pixels is known, and how a picture that
was brought under its lamp compares."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.geometry.flat import Map
from vision.picture.masks import Mask

TYPICAL = np.array([0.05, 0.02, 0.02], np.float32)
"""What a bare place differs from the learned surface by: luma and chromas, log units."""
BARE = 14.0
"""Squared tolerances (``Surface.trust``), three numbers together, within which nearly every bare pixel is."""
STEP = 4
"""Every so many map pixels are compared."""
SLIP = 0.3
"""How far the camera may have moved unnoticed, in map pixels: edges of the surface are trusted less for
it."""


@dataclass(frozen=True)
class Surface:
    """``values``: the empty board as ``colour.logs`` (rows x columns x 3); ``guessed``: where it was never
    seen bare. ``trust`` is one over what a bare pixel differs by."""

    values: Map
    guessed: Mask | None = None
    trust: Map = field(init=False, repr=False)

    def __post_init__(self) -> None:
        dx = cv2.Sobel(self.values, cv2.CV_32F, 1, 0) / 8
        dy = cv2.Sobel(self.values, cv2.CV_32F, 0, 1) / 8
        trust = 1 / np.sqrt(TYPICAL**2 + (dx * dx + dy * dy) * SLIP**2)
        object.__setattr__(self, "trust", np.asarray(trust, np.float32))


def familiar(values: Map, surface: Map, other: Mask) -> float:
    """What part of the map, but for what is ``other`` than board, looks as it did (0-1)."""
    bare = ~other[::STEP, ::STEP]
    near = np.abs(values[::STEP, ::STEP] - surface[::STEP, ::STEP]) < 0.12  # log units
    return float(
        int(np.count_nonzero(near[..., 0] & near[..., 1] & near[..., 2] & bare))
        / max(int(np.count_nonzero(bare)), 1)
    )


def grain(values: Map, surface: Map) -> float:
    """A relit picture's chroma noise (one standard deviation, log units): that of its sensor, or of a coarse
    JPEG."""
    return 1.48 * float(np.median(np.abs(values[::STEP, ::STEP, 1:] - surface[::STEP, ::STEP, 1:])))
