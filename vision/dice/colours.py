"""A die's colour, in a word that people use."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.picture.frame import Image

HUES = (
    (12, "red"),
    (25, "orange"),
    (38, "yellow"),
    (85, "green"),
    (130, "blue"),
    (165, "purple"),
    (181, "red"),
)
"""Ends of hues, in OpenCV's half degrees."""


def colour_of(square: Image) -> str:
    """The colour of the body in the middle of a square: light, dark, grey, or a hue."""
    side = square.shape[0]
    middle = square[side * 3 // 8 : side * 5 // 8 + 1, side * 3 // 8 : side * 5 // 8 + 1].reshape(-1, 3)
    # The body covers more of a face than its pips: the half of the pixels that are nearest the median.
    off = np.abs(middle.astype(np.int16) - _median(middle)).sum(axis=1)
    body = _median(middle[off <= _median(off)]).astype(np.uint8)
    hue, much, value = (int(part) for part in cv2.cvtColor(body[None, None], cv2.COLOR_BGR2HSV)[0, 0])
    if value < 60:
        return "dark"
    if much > 90:
        return next(name for end, name in HUES if hue < end)
    return "light" if value > 140 else "grey" if value > 85 else "dark"


def _median(values: NDArray[Any]) -> NDArray[Any]:
    """The middle ones along the first axis (the upper of two): numpy's own takes ten times as long."""
    return np.asarray(np.sort(values, axis=0)[len(values) // 2])
