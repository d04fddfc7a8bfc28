"""What the files of all calibrated tables share: the camera, and pictures as PNG in base64."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera


def camera_to(camera: Camera) -> dict[str, Any]:
    """A camera as plain numbers."""
    return asdict(camera)


def camera_from(data: Mapping[str, Any]) -> Camera:
    """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
    width, height = (int(value) for value in data["size"])
    turn, shift = ((float(a), float(b), float(c)) for a, b, c in (data["turn"], data["shift"]))
    return Camera((width, height), float(data["focal"]), float(data["k1"]), turn, shift)


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
