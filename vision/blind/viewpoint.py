"""Where the camera is, as far as four corners tell: a thing on the board is seen away from its foot, the
further the higher it is.

A homography of a plane whose proportions are known gives the focal length and the pose; seen from straight
above it does not give the focal length, and then the usual one is taken. A board's proportions are not known
either, but its checkers are round: how far apart those of a row lie on the map, against the columns'
distance, says how much the map is stretched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.disc_finder.flat_map import FlatMap
from vision.geometry.camera import FOCAL_SPREAD, USUAL_FOCAL, Floats

SQUARE, ROUND = 0.015, 0.03
"""How far from square the map's axes may be seen, for corners some pixels off (cosine), and how well a row's
distances tell its stretch (logarithm): one standard deviation."""


@dataclass(frozen=True)
class Viewpoint:
    """``x`` and ``y``: the camera's foot on the map; ``high``: how high it is in the map's pixels across.
    ``stretch``: map pixels down for one across."""

    x: float
    y: float
    high: float
    stretch: float

    def lean(self, places: Floats, higher: float, above: float) -> Floats:
        """How far (N x 2, map pixels) a thing seen at these places, ``higher`` above the board (map pixels
        across), would move on the map if it were ``above`` higher."""
        grown = (self.high - higher) / (self.high - higher - above)
        return np.asarray((places - (self.x, self.y)) * (grown - 1), np.float64)


def find_viewpoint(flat: FlatMap, size: tuple[int, int], stretch: float) -> Viewpoint:
    """The likeliest camera whose picture of this size (width, height) has this map. ``stretch``: what the
    checkers say of it."""
    width, height = size
    centred = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]]) @ flat.to_picture
    right, down, origin = centred.T
    focals = np.exp(np.linspace(np.log(0.5), np.log(3.0), 31))  # that are tried, in the picture's longer side

    def product(one: Floats, two: Floats) -> Floats:
        """Of two directions of the map, as each focal length sees them."""
        return np.asarray((one[:2] @ two[:2]) / (focals * max(size)) ** 2 + one[2] * two[2], np.float64)

    across, along = np.sqrt(product(right, right)), np.sqrt(product(down, down))
    slant = product(right, down) / (across * along)
    seen = np.log(across / along)
    cost = (
        (slant / SQUARE) ** 2
        + ((seen - np.log(stretch)) / ROUND) ** 2
        + (np.log(focals / USUAL_FOCAL) / FOCAL_SPREAD) ** 2
    )
    best = int(np.argmin(cost))
    focal = focals[best] * max(size)
    scale = np.array([1, 1, focal]) / focal
    one, two, away = right * scale / across[best], down * scale / along[best], origin * scale / across[best]
    up = np.cross(one, two)
    up /= np.linalg.norm(up)
    x, y, high = -np.stack([one, np.cross(up, one), up]) @ away
    # A row's distances are not more wrong about it than this, and no camera is lower than five points.
    stretched = float(np.clip(np.exp(seen[best]), stretch / 1.3, stretch * 1.3))
    return Viewpoint(float(x), float(y) * stretched, max(abs(float(high)), 120.0), stretched)
