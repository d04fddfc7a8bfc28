"""How sharp a picture is, whatever the board and however much contrast it has."""

from __future__ import annotations

import cv2
import numpy as np

from vision import appearance
from vision.frame import Image
from vision.scene import Map

AGAIN = 1.5
"""Deviation, in pixels of the map, of the blur that is added."""


LEAST = 0.25
"""What part of its evidence a picture that is blurred altogether counts for."""
BLURRED = 0.7
"""What part of a picture's evidence must count for nobody to be told that it is blurred."""


def trust(values: Map, soft: tuple[float, float]) -> float:
    """What part of a picture's evidence counts (LEAST-1). ``values`` were laid flat as logarithms
    (``appearance.logs``); ``soft``: the softness from which it counts less, and that from which the LEAST."""
    return float(np.interp(softness(np.ascontiguousarray(values[..., 0])), soft, (1, LEAST)))


def blur(laid: Image) -> float:
    """How blurred a board laid flat is (0-1): what of its sharpest edges' contrast another blur leaves. About
    half in a sharp picture of any board. It does not depend on how much contrast there is."""
    return softness(appearance.luma(laid))


def softness(luma: Map) -> float:
    """:func:`blur` of what was laid flat as logarithms already (``appearance.logs``; the first of the
    three)."""
    return _steepest(np.asarray(cv2.GaussianBlur(luma, (0, 0), AGAIN), np.float32)) / max(
        _steepest(luma), 1e-6
    )


def contrast(laid: Image) -> float:
    """The contrast of the sharpest edges over one map pixel (log units)."""
    return _steepest(appearance.luma(laid))


def _steepest(luma: Map) -> float:
    slope = cv2.magnitude(cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1))
    return float(np.percentile(slope[::2, ::2], 98)) / 8  # every edge is met by some of these
