"""How the light falls: a smooth gain over the map, so that a white checker in the shade is compared with what
a white one would look like there.

An empty board repeats itself: what lies between a point's axis and its edge, so far from the rim, looks the
same on every second point. In ``colour.logs`` a lamp adds, so what differs from repeat to repeat is a low
polynomial of the place in each channel: the light's. Checkers, bar and hands are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind.board import Columns
from vision.blind.tops import Top
from vision.disc_finder.flat_map import FIELD, HIGH, MARGIN, WIDE
from vision.disc_finder.network import Grid
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image

Floats = NDArray[np.float64]

BLACK = 16.0
"""CIELAB's L* plus this goes with the cube root of the light, as a* and b* do: more light multiplies all
three."""
ROOT = 0.9
"""Its logarithm, for one of ``colour.logs``."""
HALF = 2
"""Pixels of the map to one that is looked at here."""
RIM, DEEP = MARGIN // HALF, FIELD[1] // HALF // 2
"""The row of a point's foot, and the rows from there to the middle of the board."""
ALONG = DEEP // 2
"""Places along a point that are compared: what is on a board changes slowly that way."""
ASIDE = 7
"""Places on either side of its axis: half a point and a little more."""
WIDTH = 2 * ASIDE + 1
CLEAR = 0.62
"""What is nearer to a top than this, in pitches, is not the board."""
HANDS = 0.3
"""Where the network's chance of a hand is above this, it is not the board either."""
SOME = (slice(None), slice(None), slice(1, None, 2), slice(1, None, 3))
"""The places that are asked about the light."""
ENOUGH = 200
"""Places without which nothing is said of the light."""
STIFF = 40.0
"""Places' worth of evidence that the light is even."""
OUTLIER = 0.12
"""Log units from the repeat from which a place says little: dice, logos and shadows do not repeat."""
ROUNDS = 2
BESIDE = 1e-3
"""What a place's neighbours along the point say of it, where it is covered on every repeat."""
LEAST, MOST = 0.55, 1.8


@dataclass(frozen=True)
class Lit:
    """``values``: the map at half its size, as ``colour.logs`` under even light. ``light``: the
    polynomial (5 coefficients of :func:`basis`) of the logarithm of the light. ``strips``: all points as they
    are, both kinds and twelve of each (2 x 12 x ALONG x WIDTH x 3, from the rim inward), of which the
    ``free`` places are not covered."""

    values: Map
    light: Floats
    strips: NDArray[np.float32]
    free: NDArray[np.float32]


def basis(x: Floats, y: Floats) -> Floats:
    """The polynomial's terms (N x 5) at places of the map: tilt and bend, both ways."""
    u, v = (np.asarray(x) - WIDE / 2) / (WIDE / 2), (np.asarray(y) - HIGH / 2) / (HIGH / 2)
    return np.stack([u, v, u * u - 1 / 3, v * v - 1 / 3, u * v], axis=-1)


def gains(light: Floats, x: Floats, y: Floats) -> Floats:
    """How much lighter (a factor of L* + BLACK) the light makes these places of the map."""
    return np.asarray(np.clip(np.exp(basis(x, y) @ light), LEAST, MOST), np.float64)


def lit(flat: Image, hand: Grid, board: Columns, tops: Sequence[Top]) -> Lit:
    """How the light falls on this map, of which the network says where a ``hand`` is."""
    values = colour.logs(
        np.asarray(cv2.resize(flat, (WIDE // HALF, HIGH // HALF), interpolation=cv2.INTER_AREA), np.uint8)
    )
    open_ = cv2.resize(hand, (WIDE // HALF, HIGH // HALF), interpolation=cv2.INTER_NEAREST)
    open_ = np.asarray(open_ < HANDS, np.float32)
    for top in tops:
        if top.odds > 0:
            cv2.circle(
                open_, (round(top.x / HALF), round(top.y / HALF)), round(CLEAR * board.pitch / HALF), 0.0, -1
            )
    u, v = _places(board)
    free = np.asarray(cv2.remap(open_, u, v, cv2.INTER_NEAREST), np.float32).reshape(2, 12, ALONG, WIDTH)
    seen = _sampled(values, u, v)
    light = np.zeros(5)
    if np.count_nonzero(free[SOME]) > ENOUGH:
        x, y = (np.asarray(each.reshape(free.shape)[SOME], np.float64) * HALF for each in (u, v))
        bend = _bend(seen[SOME].astype(np.float64), free[SOME].astype(np.float64), basis(x, y))
        values -= cv2.transform(_terms()[0], bend[:4].T.astype(np.float32)) + _terms()[1] * bend[4].astype(
            np.float32
        )
        seen, light = _sampled(values, u, v), ROOT * bend[:, 0]
    return Lit(values, light, seen, free)


def _bend(seen: Floats, free: Floats, terms: Floats) -> Floats:
    """The light's coefficients in each channel (5 x 3): what is left of places (kinds x repeats x ... x 3) of
    which some are ``free``, when what repeats is taken away."""
    weight = free
    for _ in range(ROUNDS + 1):
        mass = weight.sum(axis=1, keepdims=True)[..., None] + 1e-9
        rest, flat = (
            part - (weight[..., None] * part).sum(axis=1, keepdims=True) / mass for part in (seen, terms)
        )
        flat, rest = flat.reshape(-1, 5), rest.reshape(-1, 3)
        weighed = flat * weight.reshape(-1, 1)
        bend = np.linalg.solve(weighed.T @ flat + STIFF * np.eye(5), weighed.T @ rest)
        weight = free / (1 + ((rest[:, 0] - flat @ bend[:, 0]) / OUTLIER) ** 2).reshape(free.shape)
    return np.asarray(bend, np.float64)


def usual(seen: NDArray[np.float32], free: NDArray[np.float32]) -> NDArray[np.float32]:
    """What most repeats show (2 x depth x width x 3), of those where nothing stands."""
    weight = free
    tall = (3, seen.shape[2] // 2 | 1)
    for turn in range(ROUNDS + 1):
        mass, total = weight.sum(axis=1), np.einsum("krdw,krdwc->kdwc", weight, seen)
        for kind in (0, 1):  # along the point: its middle looks much like its foot
            mass[kind] += BESIDE * cv2.blur(mass[kind], tall)
            total[kind] += BESIDE * cv2.blur(total[kind], tall)
        mean = total / (mass + 1e-9)[..., None]
        if turn < ROUNDS:
            off = (seen[..., 0] - mean[:, None, ..., 0]) / OUTLIER
            weight = free / (1 + off * off)
    return np.asarray(mean, np.float32)


def _sampled(values: Map, u: Map, v: Map) -> NDArray[np.float32]:
    return np.asarray(cv2.remap(values, u, v, cv2.INTER_LINEAR), np.float32).reshape(2, 12, ALONG, WIDTH, 3)


def _places(board: Columns) -> tuple[Map, Map]:
    """Where all points' strips are on the halved map: columns and rows."""
    across = (board.axes / HALF - 0.25)[:, None] + np.arange(-ASIDE, ASIDE + 1)
    u = np.broadcast_to(np.concatenate([across[_order() % 12]])[:, None], (24, ALONG, WIDTH))
    return np.ascontiguousarray(u, np.float32).reshape(-1, WIDTH), _rows()


@cache
def _order() -> NDArray[np.int64]:
    """The points, first of one kind, then of the other: column, and 12 more in the lower half."""
    return np.array(
        [
            column + 12 * lower
            for kind in (0, 1)
            for lower in (0, 1)
            for column in range(12)
            if (column + lower) % 2 == kind
        ]
    )


@cache
def _rows() -> Map:
    depth = RIM + (np.arange(ALONG) + 0.5) * DEEP / ALONG - 0.5
    down = np.array([depth, HIGH // HALF - 1 - depth])[_order() // 12]
    return np.ascontiguousarray(np.broadcast_to(down[..., None], (24, ALONG, WIDTH)), np.float32).reshape(
        -1, WIDTH
    )


@cache
def _terms() -> tuple[Map, Map]:
    """The light's terms all over the halved map: the first four, and the fifth."""
    yy, xx = np.mgrid[0 : HIGH // HALF, 0 : WIDE // HALF]
    every = np.asarray(basis(xx * HALF + 0.5, yy * HALF + 0.5), np.float32)
    return np.ascontiguousarray(every[..., :4]), np.ascontiguousarray(every[..., 4:])
