"""Pictures inside rig files: PNG in base64."""

from __future__ import annotations

import base64

import cv2
import numpy as np
from numpy.typing import NDArray


def picture_to(picture: NDArray[np.uint8]) -> str:
    """A picture as text."""
    done, png = cv2.imencode(".png", picture)
    if not done:
        raise ValueError("the surface does not encode as PNG")
    return base64.b64encode(png.tobytes()).decode("ascii")


def picture_from(text: str) -> NDArray[np.uint8]:
    """The inverse. Raises ValueError."""
    image = cv2.imdecode(np.frombuffer(base64.b64decode(text, validate=True), np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError("the surface is no PNG")
    return np.asarray(image, np.uint8)
