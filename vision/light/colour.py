"""Colours as this package compares them, and how light a colour is.

Colours are log intensities (``log(value + DIM)``), where a lamp's strength and tint are additive, in three
channels: luma (their mean) and two orthogonal chromas.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.picture.frame import Image

DIM = 12.0
"""Levels (of 255) that are added before the logarithm is taken: noise of dark pixels counts for less."""
PLAIN = np.log(np.arange(256) + DIM).astype(np.float32)
"""The logarithm of every level."""
OPPONENT = np.array(
    [
        [1 / 3, 1 / 3, 1 / 3],
        [0, -np.sqrt(0.5), np.sqrt(0.5)],
        [np.sqrt(2 / 3), -np.sqrt(1 / 6), -np.sqrt(1 / 6)],
    ]
)
"""Luma and chromas of the logarithms of blue, green and red."""
CHANNELS = np.linalg.inv(OPPONENT)
"""The way back."""
CHROMA_NOISE = 0.012
"""Chroma noise of a usual camera (one standard deviation, log units)."""
MIDDLE = 4.6
"""The luma in the middle of usual pictures (log units)."""
REDDER = 0.25
"""How much one unit of CIELAB a* (redness) counts against lightness when white is told from black. Red sets
sell as the dark side whatever their partner, and a saturated red is about as light as a saturated blue or
green; against white, wood or black a fifth of the redness changes nothing."""


def logs(flat: Image, table: NDArray[np.float32] = PLAIN) -> Map:
    """Luma and chromas (rows x columns x 3, float32) of a map of intensities. ``table``: every level's
    logarithm (256, or 256 x 1 x channels)."""
    if np.array_equal(flat[..., 0], flat[..., 1]) and np.array_equal(flat[..., 1], flat[..., 2]):
        return _grey(flat[..., 0], table if table.ndim < 3 else np.ascontiguousarray(table[..., 0]))
    return np.asarray(cv2.transform(cv2.LUT(flat, table), OPPONENT.astype(np.float32)), np.float32)


def luma(flat: Image) -> Map:
    """The first of :func:`logs` alone."""
    return np.asarray(cv2.transform(cv2.LUT(flat, PLAIN), OPPONENT[:1].astype(np.float32)), np.float32)


def _grey(flat: NDArray[np.uint8], table: NDArray[np.float32]) -> Map:
    """The same of a grey picture, in false colours: what is darker is of another hue too, with a little
    noise. A picture without any hues is like nothing that the network (``discs``) ever saw."""
    luma = np.asarray(cv2.LUT(flat, table), np.float32)
    noise = np.random.default_rng(0).normal(0, CHROMA_NOISE, (*flat.shape, 2)).astype(np.float32)
    noise[..., 0] += _false_hue(luma)
    return np.asarray(np.dstack([luma, noise]), np.float32)


def _false_hue(luma: Map) -> Map:
    """The chroma that a grey picture is given: 0.35 for each log unit of its luma (measured:
    docs/vision-measurements.md), and none in the middle."""
    return np.asarray(0.35 * (luma - MIDDLE), np.float32)


def colourless(picture: Image) -> bool:
    """Whether a surface (levels) was learned from a grey picture, in its false colours."""
    values = logs(picture)
    values[..., 1] -= _false_hue(values[..., 0])
    return bool(np.percentile(np.abs(values[..., 1:]), 90) < 4 * CHROMA_NOISE)


def levels(values: Map) -> Image:
    """The inverse of :func:`logs`."""
    back = cv2.transform(np.asarray(values, np.float32), CHANNELS.astype(np.float32))
    return np.asarray(np.clip(np.exp(back) - DIM + 0.5, 0, 255), np.uint8)


def lightness(bgr: ArrayLike) -> Floats:
    """How light colours (N x 3, 0-255) are (N CIELAB units), as white is told from black: to the eye, so that
    a bright yellow is lighter than a dark blue whose channels have a greater mean."""
    shown = np.asarray(bgr, np.float32).reshape(1, -1, 3) / 255
    light, red, _ = np.moveaxis(cv2.cvtColor(np.asarray(shown, np.float32), cv2.COLOR_BGR2LAB)[0], 1, 0)
    return np.asarray(light - REDDER * red, np.float64)
