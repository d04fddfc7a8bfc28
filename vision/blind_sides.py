"""Whose each checker is: two groups of tops that look alike, and which group is white.

A board has checkers of two sides, so the tops are split in two by what the network says of their kinship and by their colour. Varnish
mirrors the lamp, so a top's colour is taken from its darker half: what a mirrored lamp adds is left out where there is anything left to
see."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind_tops import Top
from vision.frame import Image

Floats = NDArray[np.float64]

REACH = 0.38
"""Radius of what is looked at, in pitches: the top without its edge."""
SHADED = 0.5
"""The part of it, from the darkest up, whose mean is the top's colour."""
REDDER = 0.2
"""How much one unit of CIELAB a* (redness) counts against lightness when white is told from black. Red sets sell as the dark side
whatever their partner, and a saturated red is about as light as a saturated blue or green; against white, wood or black a fifth of the
redness changes nothing."""
DOUBT = 2.0
"""Lightness difference (CIELAB units) at which the sides' names are still in doubt: log-odds grow by one for each."""


@dataclass(frozen=True)
class Sides:
    """``white``: log-odds (N) that each top is white's. ``doubt``: the probability that the two sides' names are the wrong way round.
    ``apart``: how well the two groups are separated, in their own spreads."""

    white: Floats
    doubt: float
    apart: float


def colours(flat: Image, tops: list[Top], pitch: float) -> Floats:
    """Each top's colour (N x 3, CIELAB, L 0-100)."""
    radius = REACH * pitch
    k = int(np.ceil(radius))
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    inside = xx**2 + yy**2 <= radius**2
    dy, dx = yy[inside], xx[inside]
    rows = np.clip(np.array([round(t.y) for t in tops], int)[:, None] + dy, 0, flat.shape[0] - 1)
    cols = np.clip(np.array([round(t.x) for t in tops], int)[:, None] + dx, 0, flat.shape[1] - 1)
    lab = cv2.cvtColor(flat[rows, cols].astype(np.float32) / 255, cv2.COLOR_BGR2LAB).astype(np.float64)
    dark = np.argsort(lab[..., 0], axis=1)[:, : max(3, int(SHADED * len(dy)))]
    return np.asarray(np.take_along_axis(lab, dark[..., None], axis=1).mean(axis=1), np.float64)


def split(features: Floats, weight: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Two groups (N, 0 or 1) and their centres (2 x F): the best of all pairs of members to start from, then weighted means."""
    squares = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    costs = (np.minimum(squares[:, None, :], squares[None, :, :]) * weight).sum(axis=2)
    one, two = np.unravel_index(int(np.argmin(costs)), costs.shape)
    centres = features[[one, two]]
    group = np.zeros(len(features), np.int64)
    for _ in range(8):
        group = ((features[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.int64)
        centres = np.stack(
            [np.average(features[group == g], axis=0, weights=weight[group == g]) if (group == g).any() else centres[g] for g in (0, 1)]
        )
    return group, centres


NUANCE = 12.0
"""CIELAB units of colour that say as much about kinship as one unit of the network's numbers."""
SUREST = 8.0
"""Log-odds that no single top's side exceeds."""


def sides(flat: Image, tops: list[Top], kin: Floats, pitch: float) -> Sides:
    """Whose each top is (see :class:`Sides`). With fewer than two tops nothing can be compared: the names are in full doubt."""
    if len(tops) < 2:
        return Sides(np.full(len(tops), 0.0), 0.5, 0.0)
    shades = colours(flat, tops, pitch)
    weight = 1 / (1 + np.exp(-np.array([t.odds for t in tops])))
    features = np.concatenate([kin, shades * [0.7, 1.0, 1.0] / NUANCE], axis=1)
    group, centres = split(features, weight)
    squares = ((features[:, None] - centres[None]) ** 2).sum(axis=2)
    lightness = [_lightness(shades[group == g], weight[group == g]) for g in (0, 1)]
    light = 0 if lightness[0] >= lightness[1] else 1
    white = np.clip(squares[:, 1 - light] - squares[:, light], -SUREST, SUREST)
    gap = abs(lightness[0] - lightness[1])
    spread = float(np.sqrt(np.average(squares.min(axis=1), weights=weight)))
    apart = float(np.linalg.norm(centres[0] - centres[1])) / max(spread, 1e-3)
    return Sides(white, float(1 / (1 + np.exp(gap / DOUBT))), apart)


def _lightness(shades: Floats, weight: Floats) -> float:
    if len(shades) == 0:
        return 0.0
    order = np.argsort(value := shades[:, 0] - REDDER * shades[:, 1])
    middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    return float(value[order][min(int(middle), len(order) - 1)])
