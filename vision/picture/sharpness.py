"""How sharp a picture of a board is, whatever the board and however much contrast it has.

Everything here takes the luma (log units, rows x columns) of a board laid flat.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def softness(luma: NDArray[np.float32]) -> float:
    """How blurred it is (0-1): what of its sharpest edges' contrast another blur leaves. About half in a
    sharp picture of any board; it does not depend on how much contrast there is."""
    again = np.asarray(cv2.GaussianBlur(luma, (0, 0), 1.5), np.float32)
    return contrast(again) / max(contrast(luma), 1e-6)


def contrast(luma: NDArray[np.float32]) -> float:
    """The contrast of the sharpest edges over one map pixel (log units)."""
    return float(np.percentile(edges(luma)[::2, ::2], 98)) / 8  # every edge is met by some of these


def edges(luma: NDArray[np.float32]) -> NDArray[np.float32]:
    """How steep it is everywhere (log units over eight map pixels)."""
    across, down = cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.magnitude(across, down), np.float32)
