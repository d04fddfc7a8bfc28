"""What rig files hold, each within what a table can have: numbers, and pictures as text (PNG in base64).

A file may have been damaged or made to harm: an infinite width, or a board a thousand kilometres wide, would
stop the program or fill the memory long after the file was opened.
"""

from __future__ import annotations

import base64
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.picture import header

MOST_PIXELS = 2_000_000
"""Pixels of a map, and so of a learned surface: the largest sheet of hexes has a fifth of it."""


def bounded(value: object, least: float = -1e6, most: float = 1e6) -> float:
    """A number of a rig: none (pixels, cm, nats) is more than a million. Raises TypeError where it is none,
    ValueError where no table has it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    if not (math.isfinite(value) and least <= value <= most):
        raise ValueError(f"{value!r} is not between {least:g} and {most:g}")
    return float(value)


def whole(value: object, least: int, most: int) -> int:
    """The same of a whole number."""
    found = bounded(value, least, most)
    if found != int(found):
        raise ValueError(f"{value!r} is no whole number")
    return int(found)


def numbers(
    values: object, shape: tuple[int, ...], least: float = -1e6, most: float = 1e6
) -> NDArray[np.float64]:
    """The same of a table of numbers of this shape."""
    found = np.array(values, np.float64)
    if found.shape != shape or not ((found >= least) & (found <= most)).all():
        raise ValueError(f"not {' x '.join(map(str, shape))} numbers between {least:g} and {most:g}")
    return found


def picture_to(picture: NDArray[np.uint8]) -> str:
    """A picture as text."""
    done, png = cv2.imencode(".png", picture)
    if not done:
        raise ValueError("the surface does not encode as PNG")
    return base64.b64encode(png.tobytes()).decode("ascii")


def picture_from(text: str, how: int = cv2.IMREAD_COLOR) -> NDArray[np.uint8]:
    """The inverse; ``how`` is OpenCV's. What the PNG says of itself is looked at before it is decoded. Raises
    ValueError."""
    if len(text) > 5 * MOST_PIXELS:  # three bytes a pixel are four letters, and there is a header
        raise ValueError("the surface is too long a text")
    data = base64.b64decode(text, validate=True)
    told = header.header(data)
    width, height = told.size
    if told.form != "PNG" or not header.whole(data, told.form):
        raise ValueError("the surface is no whole PNG")
    if width * height > MOST_PIXELS:
        raise ValueError(f"the surface says it is {width}x{height}; no board is learned so large")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    if image is None or image.dtype != np.uint8:
        raise ValueError("the surface is no PNG of 8 bits")
    return np.asarray(image, np.uint8)
