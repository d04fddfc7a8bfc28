"""Whether a die that is not found where it lay was picked up, or something lies over it.

What lies over a die - a cup, a card, a hand, a lamp's reflection - lies over the board around it, too. So it
is asked whether the board around it looks as it did when the die was seen last. What is not known to lie bare
again accuses nobody of having ended a turn."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.die import Checkers, Die
from vision.dice.look import CORNERS, SHOWN, SIDE, corners_of, squares
from vision.geometry.camera import Camera, Floats
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image
from vision.picture.masks import Mask

FROM, TO = 1.2, 2.0
"""How far from a die's middle the board around it begins, and ends, in its edges."""
BRIGHTER, DARKER, HUE = 0.2, 0.5, 0.08
"""Log units by which a place has changed, the whole picture's change of light taken away: what is darker in
its own hue may lie in a shadow."""
MOST = 0.5
"""How much of the board around a die that is picked up changes, at most: another die beside it goes, too."""
GRAIN, KEPT = 0.03, 0.3
"""Where the board around a die has a pattern (of so many log units), it lies bare, in whatever light, if the
pattern has changed by no more than this part of it: what lies over it has another, a reflection dims it."""
OVER = 1.2
"""How far from a checker's middle it hides the board, in its radii."""


@dataclass(frozen=True)
class Around:
    """The board around a die: its ``values``, where it is ``bare`` of checkers, and the whole picture's
    median ``level`` (log units)."""

    values: Map
    bare: Mask
    level: NDArray[np.float32]


def level_of(image: Image) -> NDArray[np.float32]:
    """A picture's median luma and chromas (log units)."""
    small = np.asarray(cv2.resize(image, (32, 24), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(np.median(colour.logs(small).reshape(-1, 3), axis=0), np.float32)


def around(image: Image, level: NDArray[np.float32], camera: Camera, die: Die, checkers: Checkers) -> Around:
    """The board around a place where a die lies, or lay; ``level`` is the picture's."""
    [square] = squares(image, camera, [die.place], [TO * die.size])
    y, x = (np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2) * SHOWN * TO / SIDE
    far = np.hypot(x, y)
    bare = (
        (far > FROM) & (far < TO) & ~_standing(corners_of(camera, [die.place], [TO * die.size])[0], checkers)
    )
    values = colour.logs(np.asarray(cv2.blur(square, (3, 3)), np.uint8))
    return Around(values, bare, level)


def _standing(corners: Floats, checkers: Checkers) -> Mask:
    """Where checkers stand in a square with these corners."""
    mask = np.zeros((SIDE, SIDE), np.uint8)
    warp = cv2.getPerspectiveTransform(corners.astype(np.float32), CORNERS)
    for x, y, radius in checkers:
        ends = np.array([[(x, y), (x + radius, y)]], np.float32)
        middle, edge = cv2.perspectiveTransform(ends, warp)[0].astype(np.float64)
        wide = OVER * float(np.hypot(*(edge - middle)))
        if np.abs(middle - SIDE / 2).max() < SIDE + wide:
            cv2.circle(mask, (round(middle[0]), round(middle[1])), round(wide), 1, -1)
    return mask > 0


def is_bare(before: Around, now: Around) -> bool:
    """Whether the board around a place looks as it did before, as far as it is seen between checkers."""
    bare = before.bare & now.bare
    if not bare.any():
        return False
    luma, red, blue = ((now.values - now.level) - (before.values - before.level))[bare].T
    pattern = before.values[..., 0][bare].std()
    if pattern > GRAIN and luma.std() < KEPT * pattern:
        return True
    changed = (luma > BRIGHTER) | (luma < -DARKER) | (np.hypot(red, blue) > HUE)
    return bool(changed.mean() < MOST)


def under_checker(die: Die, checkers: Checkers) -> bool:
    """Whether a checker stands where a die lies, which is on it, or lay: no die lies under one."""
    return any(np.hypot(die.at[0] - x, die.at[1] - y) < OVER * radius for x, y, radius in checkers)
