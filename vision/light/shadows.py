"""A shadow, a second lamp or the sun on a part of the board.

``lamp.relight`` follows a lamp that changes over the board as a plane does. What is left of it in
places shows on the bare board around the pieces: all of it is darker or brighter there, by about as much. So
the light is measured where neither pieces nor hands are, and smoothed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Map
from vision.picture.masks import Mask


@dataclass(frozen=True)
class Smoothing:
    """How light is told from what is lit: every so many (``step``) map pixels are looked at. ``near``: how
    far around it is thought the same (standard deviation, map pixels); ``most``: log units of luma and
    chromas by which it may differ; ``tolerances``: log units that count as off from the light around, round
    by round."""

    step: int = 3
    near: float = 0.6 * RESOLUTION
    most: tuple[float, float, float] = (1.0, 0.35, 0.35)
    tolerances: tuple[float, ...] = (0.4, 0.2, 0.12)


SMOOTHING = Smoothing()
UNEVEN = 0.15
"""Log units of luma from which light is another (along walls in even light: 0.05 at most)."""


def uneven_light(values: Map, surface: Map, other: Mask) -> Map | None:
    """How much more light there is at every map pixel than under the even lamp of a relit picture (log units,
    luma and chromas), None where it is even. ``other``: what is no board."""
    # A glance first: there is rarely anything.
    if not _uneven(_light(values, surface, other, 2 * SMOOTHING.step, SMOOTHING.tolerances[:2])):
        return None
    light = _light(values, surface, other, SMOOTHING.step, SMOOTHING.tolerances)
    if not _uneven(light):
        return None
    return np.asarray(
        cv2.resize(light, (surface.shape[1], surface.shape[0]), interpolation=cv2.INTER_LINEAR), np.float32
    )


def dark_run(lumas: Map | Floats) -> tuple[int, int]:
    """Where the first dark stretch of a line of places (N, log units of luma) begins and ends; N, N where
    there is none."""
    changes = np.flatnonzero(np.diff(lumas < -UNEVEN, prepend=False, append=False)).tolist()
    begin, end, *_ = changes or [len(lumas)] * 2
    return begin, end


def _uneven(light: Map) -> bool:
    """Whether so much of it is another (2 %) as in no picture of even light without a hand."""
    return bool(np.count_nonzero(np.abs(light[..., 0]) > UNEVEN) > 0.02 * light[..., 0].size)


def _light(values: Map, surface: Map, other: Mask, step: int, tolerances: Sequence[float]) -> Map:
    """The light around every so many map pixels."""
    off = values[::step, ::step] - surface[::step, ::step]
    luma, red, blue = (off[..., k] for k in range(3))
    seen = ~other[::step, ::step] & (np.abs(off) < np.array(SMOOTHING.most, np.float32)).all(axis=-1)
    light = np.zeros_like(off)
    for tolerance in tolerances:
        apart = np.square(off - light)
        weights = np.asarray(
            seen / np.square(1 + (apart[..., 0] + apart[..., 1] + apart[..., 2]) / tolerance**2), np.float32
        )
        told = cv2.merge([luma * weights, red * weights, blue * weights, weights])
        around = cv2.GaussianBlur(told, (0, 0), SMOOTHING.near / step, borderType=cv2.BORDER_REPLICATE)
        # Where 2 % of what is around is seen, half of it is believed.
        light = np.asarray(around[..., :3] / (around[..., 3:] + 0.02), np.float32)
    return light
