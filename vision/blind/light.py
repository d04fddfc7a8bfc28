"""How the light falls: a smooth gain over the map, so that a white checker in the shade is compared with what a white one would look
like there.

An empty board repeats itself: what lies between a point's axis and its edge, so far from the rim, looks the same on every second point.
So the logarithm of the lightness is what repeats plus a low polynomial of the place, and the polynomial is the light's. Checkers, bar
and hands are left out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind.board import Columns
from vision.blind.map import FIELD, GRID, HIGH, MARGIN, STEP, WIDE
from vision.blind.net import Sight
from vision.blind.tops import Top
from vision.frame import Image

Floats = NDArray[np.float64]

BLACK = 16.0
"""CIELAB's L* plus this goes with the cube root of the light, as a* and b* do: more light multiplies all three."""
ACROSS, ALONG = 4, 9
"""How finely the repeating pattern is divided, across a point and along it."""
ROUNDS = 3
STIFF = 40.0
"""Cells' worth of evidence that the light is even."""
LEAST, MOST = 0.55, 1.8
CLEAR = 0.62
"""What is nearer to a top than this, in pitches, is not the board."""


def basis(x: Floats, y: Floats) -> Floats:
    """The polynomial's terms (N x 5) at places of the map: tilt and bend, both ways."""
    u, v = (np.asarray(x) - WIDE / 2) / (WIDE / 2), (np.asarray(y) - HIGH / 2) / (HIGH / 2)
    return np.stack([u, v, u * u - 1 / 3, v * v - 1 / 3, u * v], axis=-1)


def falling(flat: Image, sight: Sight, board: Columns, tops: list[Top]) -> Floats:
    """The light's polynomial (5 coefficients of :func:`basis`, logarithms)."""
    small = cv2.resize(flat, (GRID[1], GRID[0]), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    bright = np.log(cv2.cvtColor(small, cv2.COLOR_BGR2LAB)[..., 0].astype(np.float64) + BLACK)
    across, down = (np.arange(count) * STEP + STEP / 2.0 for count in (GRID[1], GRID[0]))
    near = np.abs(across[:, None] - board.axes)
    x, y = np.meshgrid(across, down)
    column, aside = (np.broadcast_to(each, GRID) for each in (near.argmin(axis=1), near.min(axis=1) / board.pitch))
    depth = np.minimum(y - MARGIN, MARGIN + FIELD[1] - y) / (FIELD[1] / 2)
    use = (aside < 0.5) & (depth > 0.02) & (sight.hand < 0.3) & (sight.bar < 0.3)
    seen = np.array([(top.x, top.y) for top in tops if top.odds > 0]).reshape(-1, 2)
    for column_off, row_off in zip((across - seen[:, :1]) ** 2, (down - seen[:, 1:]) ** 2, strict=True):
        use &= row_off[:, None] + column_off > (CLEAR * board.pitch) ** 2
    if use.sum() < 200:
        return np.zeros(5)
    kind = (column + (y < HIGH / 2)) % 2
    spot = (kind * ACROSS + np.minimum(aside * 2 * ACROSS, ACROSS - 1).astype(int)) * ALONG + np.clip(depth * ALONG, 0, ALONG - 1).astype(
        int
    )
    spot, value, terms = spot[use], bright[use], basis(x[use], y[use])
    many = np.bincount(spot, minlength=2 * ACROSS * ALONG) + 1e-9
    light = np.zeros(5)
    trust = np.ones(len(value))
    for _ in range(ROUNDS):
        mass = np.bincount(spot, trust, minlength=len(many)) + 1e-9
        rest = value - (np.bincount(spot, trust * value, minlength=len(many)) / mass)[spot]
        flatter = terms - np.stack([np.bincount(spot, trust * terms[:, i], minlength=len(many)) / mass for i in range(5)], axis=1)[spot]
        weighted = flatter * trust[:, None]
        light = np.linalg.solve(weighted.T @ flatter + STIFF * np.eye(5) * 0.3, weighted.T @ rest)
        off = rest - flatter @ light
        trust = 1 / (1 + (off / 0.1) ** 2)  # dice, logos and shadows of checkers do not repeat
    return np.asarray(light, np.float64)


def gains(light: Floats, x: Floats, y: Floats) -> Floats:
    """How much lighter (a factor of L* + BLACK) the light makes these places of the map."""
    return np.asarray(np.clip(np.exp(basis(x, y) @ light), LEAST, MOST), np.float64)
