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

from vision.blind.columns import Columns
from vision.blind.strips import HALF, cut_strips, off_repeats, strip_places, weights
from vision.blind.tops import PlacedTop
from vision.blind.wall_shade import wall_shade
from vision.disc_finder.flat_map import HIGH, WIDE
from vision.disc_finder.network import Grid
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image

BLACK = 16.0
"""CIELAB's L* plus this goes with the cube root of the light, as a* and b* do: more light multiplies all
three."""


@dataclass(frozen=True)
class EvenLight:
    """``values``: the map at half its size, as ``colour.logs`` under even light. ``light``: the
    polynomial (5 coefficients of :func:`basis`) of the logarithm of the light. ``shade``: what is
    added to that in the shade beside the walls (columns of ``values`` x 3, as ``colour.logs``).
    ``strips``: all points as they are, both kinds and twelve of each (2 x 12 x ALONG x width x 3, from the
    rim inward), of which the ``free`` places are not covered. ``hand``: 1 where one is seen (as
    ``values``)."""

    values: Map
    light: Floats
    shade: Floats
    strips: Map
    free: Map
    hand: Map


def basis(x: Floats, y: Floats) -> Floats:
    """The polynomial's terms (N x 5) at places of the map: tilt and bend, both ways."""
    u, v = (np.asarray(x) - WIDE / 2) / (WIDE / 2), (np.asarray(y) - HIGH / 2) / (HIGH / 2)
    return np.stack([u, v, u * u - 1 / 3, v * v - 1 / 3, u * v], axis=-1)


def gains(light: Floats, x: Floats, y: Floats) -> Floats:
    """How much lighter (a factor of L* + BLACK) the light makes these places of the map; more than nearly
    twice is no lamp's."""
    return np.asarray(np.clip(np.exp(basis(x, y) @ light), 0.55, 1.8), np.float64)


def even_light(flat: Image, hand: Grid, board: Columns, tops: Sequence[PlacedTop]) -> EvenLight:
    """How the light falls on this map, of which the network says where a ``hand`` is."""
    small = (WIDE // HALF, HIGH // HALF)
    values = colour.logs(np.asarray(cv2.resize(flat, small, interpolation=cv2.INTER_AREA), np.uint8))
    reaching = np.asarray(cv2.resize(hand, small, interpolation=cv2.INTER_NEAREST) >= 0.3, np.float32)
    # Within 0.62 pitches lies a checker, with the edge of its shadow.
    bare = bare_board(reaching, tops, 0.62 * board.pitch)
    places = strip_places(board)
    free, strips = cut_strips(bare, places, cv2.INTER_NEAREST), cut_strips(values, places)
    light, shade = np.zeros(5), np.zeros((WIDE // HALF, 3))
    some = np.s_[:, :, 1::2, 1::3]  # the places that are asked about the light
    if np.count_nonzero(free[some]) > 200:  # fewer say nothing
        terms = basis(*(part[some].astype(np.float64) * HALF for part in places))
        bend = _bend(strips[some].astype(np.float64), free[some].astype(np.float64), terms)
        four, fifth = _terms()
        values -= cv2.transform(four, bend[:4].T.astype(np.float32)) + fifth * bend[4].astype(np.float32)
        # L* + BLACK goes with the light's cube root; its logarithm, for one of ``colour.logs``, is this.
        strips, light = cut_strips(values, places), 0.9 * bend[:, 0]
        shade = wall_shade(strips.astype(np.float64), free.astype(np.float64), board)
        if shade.any():
            values -= shade.astype(np.float32)
            strips = cut_strips(values, places)
    return EvenLight(values, light, shade, strips, free, reaching)


def bare_board(hand: Map, tops: Sequence[PlacedTop], radius: float) -> Map:
    """1 where the halved map shows neither a ``hand`` nor what lies within a ``radius`` (map pixels) of a
    checker's middle, else 0."""
    bare = np.float32(1) - hand
    for top in tops:
        if top.seen:
            cv2.circle(bare, (round(top.x / HALF), round(top.y / HALF)), round(radius / HALF), 0.0, -1)
    return bare


def _bend(seen: Floats, free: Floats, terms: Floats) -> Floats:
    """The light's coefficients in each channel (5 x 3): what is left of places (kinds x repeats x ... x 3) of
    which some are ``free``, when what repeats is taken away."""
    weight = free
    for _ in range(3):
        rest, tilt = (off_repeats(part, weight).reshape(-1, part.shape[-1]) for part in (seen, terms))
        weighed = tilt * weight.reshape(-1, 1)
        # As much as 40 places say speaks for even light.
        bend = np.linalg.solve(weighed.T @ tilt + 40.0 * np.eye(5), weighed.T @ rest)
        weight = weights((rest[:, 0] - tilt @ bend[:, 0]).reshape(free.shape), free)
    return np.asarray(bend, np.float64)


@cache
def _terms() -> tuple[Map, Map]:
    """The light's terms all over the halved map: the first four, and the fifth (``cv2.transform`` takes no
    more)."""
    yy, xx = np.mgrid[0 : HIGH // HALF, 0 : WIDE // HALF]
    every = np.asarray(basis(xx * HALF + 0.5, yy * HALF + 0.5), np.float32)
    return np.ascontiguousarray(every[..., :4]), np.ascontiguousarray(every[..., 4:])
