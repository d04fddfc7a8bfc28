"""How sharp a picture of a board is, whatever the board and however much contrast it has.

Everything here takes the luma (log units, rows x columns) of a board laid flat.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

AGAIN = 1.5
"""Deviation, in pixels of the map, of the blur that is added."""


def softness(luma: NDArray[np.float32]) -> float:
    """How blurred it is (0-1): what of its sharpest edges' contrast another blur leaves. About half in a
    sharp picture of any board; it does not depend on how much contrast there is."""
    again = np.asarray(cv2.GaussianBlur(luma, (0, 0), AGAIN), np.float32)
    return contrast(again) / max(contrast(luma), 1e-6)


def contrast(luma: NDArray[np.float32]) -> float:
    """The contrast of the sharpest edges over one map pixel (log units)."""
    slope = cv2.magnitude(cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1))
    return float(np.percentile(slope[::2, ::2], 98)) / 8  # every edge is met by some of these
