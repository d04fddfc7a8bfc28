"""The lamp over a painted table, and the shade of what stands up into its light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.materials import Canvas, times

Place = tuple[float, float, float]
"""A place over the board: x, y, z in pitches."""


@dataclass(frozen=True)
class Lamp:
    """``light``: the way to the lamp on the canvas (x to the right, y down; of length 1). ``slope``: how far
    a shade falls from what casts it, for each pitch of height. ``soft``: how wide its edge is, in pixels of
    the canvas for each pitch of height; ``dark``: the part of the light that is missing in it; ``tint``: of
    which colours more is missing."""

    light: tuple[float, float]
    slope: float
    soft: float
    dark: float
    tint: NDArray[np.float32]

    def cast(self, place: Place, onto: float = 0.0) -> Place:
        """Where the shade of a place falls, at the height ``onto``."""
        far = self.slope * max(place[2] - onto, 0.0)
        return place[0] - self.light[0] * far, place[1] + self.light[1] * far, onto

    def darken(self, canvas: Canvas, shade: NDArray[np.uint8], high: float, part: float = 1.0) -> None:
        """Take light away where this shade (0-255) of something so ``high`` falls."""
        rows, columns = np.flatnonzero(shade.any(axis=1)), np.flatnonzero(shade.any(axis=0))
        if len(rows) == 0:
            return
        blur = 0.6 + self.soft * high
        wide = int(3 * blur) + 2
        up, left = max(0, rows[0] - wide), max(0, columns[0] - wide)
        box = np.s_[up : rows[-1] + wide, left : columns[-1] + wide]
        here = shade[box]
        if blur > 3:  # soft shades need no fine pixels
            small = cv2.resize(here, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
            small = cv2.GaussianBlur(small, (0, 0), blur / 4)
            here = cv2.resize(small, (here.shape[1], here.shape[0]), interpolation=cv2.INTER_LINEAR)
        else:
            here = cv2.GaussianBlur(here, (0, 0), blur)
        gone = self.tint * np.float32(self.dark * part / 255)
        canvas.bgr[box] *= 1 - times(gone, here.astype(np.float32))


def random_lamp(rng: np.random.Generator) -> Lamp:
    """A lamp overhead, or (a third) one at the side, whose shades are long and dark."""
    angle = rng.uniform(0, 2 * np.pi)
    aside = rng.random() < 0.35
    slope = rng.uniform(0.5, 1.9) if aside else rng.uniform(0.0, 0.8)
    soft = rng.choice([rng.uniform(0.2, 2.0), rng.uniform(2.0, 12.0)])
    dark = rng.uniform(0.3, 0.75) if aside else rng.uniform(0.1, 0.65)
    tint = np.float32(rng.normal(1, 0.04, 3).clip(0.88, 1.12))
    return Lamp((float(np.cos(angle)), float(np.sin(angle))), float(slope), float(soft), float(dark), tint)
