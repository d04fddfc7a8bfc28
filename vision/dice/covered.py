"""Whether a die that is not found where it lay was picked up, or something lies over it.

Its place looks as it did before the die fell there, or it does not: a cup, a card, a lamp's reflection. What
is not known to lie bare again accuses nobody of having ended a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.die import Die
from vision.dice.look import SHOWN, SIDE, squares
from vision.geometry.camera import Camera
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image

LUMA, CHROMA, GRAIN = 0.2, 0.05, 0.07
"""Log units by which a bare place may differ from how it looked before, the whole picture's change of light
taken away: in the middle, in hue, and from pixel to pixel. In a path-traced game 18 dice were picked up, and
their places differed by 0.02, 0.011 and 0.02 at most; under a cup, a card and a reflection by 0.29, 0.048 and
0.08 at least, each by one of them plainly."""
OVER = 1.2
"""How far from a checker's middle it hides the board, in its radii."""


@dataclass(frozen=True)
class Ground:
    """How the board looked where a die lies (``values``) before it fell there, and the whole picture (its
    median ``level``; both in log units)."""

    values: Map
    level: NDArray[np.float32]


def ground(image: Image, camera: Camera, die: Die) -> Ground:
    """The place of a die in a picture in which it does not lie there."""
    [square] = squares(image, camera, [die.place], [die.size])
    inner = round(SIDE * (1 - 1 / SHOWN) / 2)
    values = colour.logs(np.ascontiguousarray(square[inner:-inner, inner:-inner]))
    small = cv2.resize(image, (32, 24), interpolation=cv2.INTER_AREA)
    level = np.median(colour.logs(np.asarray(small, np.uint8)).reshape(-1, 3), axis=0)
    return Ground(values, np.asarray(level, np.float32))


def is_bare(before: Ground, now: Ground) -> bool:
    """Whether a place looks as it did before."""
    off = now.values - before.values - (now.level - before.level)
    luma, red, blue = np.median(off.reshape(-1, 3), axis=0)
    grain = float(np.abs(off[..., 0] - luma).mean())
    return bool(abs(luma) < LUMA and np.hypot(red, blue) < CHROMA and grain < GRAIN)


def under_checker(die: Die, checkers: Sequence[tuple[float, float, float]]) -> bool:
    """Whether a checker (x, y, radius in pixels) stands where a die lay: no die lies under one."""
    return any(np.hypot(die.at[0] - x, die.at[1] - y) < OVER * radius for x, y, radius in checkers)
