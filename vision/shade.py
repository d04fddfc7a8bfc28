"""How light a colour is, as White is told from Black."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

REDDER = 0.25
"""How much one unit of CIELAB a* (redness) counts against lightness when white is told from black. Red sets
sell as the dark side whatever their partner, and a saturated red is about as light as a saturated blue or
green; against white, wood or black a fifth of the redness changes nothing."""


def lightness(bgr: ArrayLike) -> NDArray[np.float64]:
    """How light colours (N x 3, 0-255) are (N CIELAB units), as white is told from black: to the eye, so that
    a bright yellow is lighter than a dark blue whose channels have a greater mean."""
    shown = np.asarray(bgr, np.float32).reshape(1, -1, 3) / 255
    light, red, _ = np.moveaxis(cv2.cvtColor(np.asarray(shown, np.float32), cv2.COLOR_BGR2LAB)[0], 1, 0)
    return np.asarray(light - REDDER * red, np.float64)
