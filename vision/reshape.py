"""Pictures of one camera at another size than the calibration's."""

from __future__ import annotations

import cv2
import numpy as np

from vision.errors import ImageError
from vision.frame import Image


def reshaped(image: Image, size: tuple[int, int]) -> Image:
    """The picture at ``size`` (width, height). Raises ImageError where its sides are in another proportion: another camera took it."""
    width, height = size
    if image.shape[:2] == (height, width):
        return image
    if abs(image.shape[1] * height - image.shape[0] * width) > 0.01 * image.shape[0] * width:
        raise ImageError(f"the picture is {image.shape[1]}x{image.shape[0]}, the calibration {width}x{height}: calibrate this camera")
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
