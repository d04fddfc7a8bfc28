"""A picture brought to what the calibration knows: its size, its flat map, its lamp."""

from __future__ import annotations

import cv2
import numpy as np

from vision import appearance
from vision.errors import ImageError
from vision.frame import Image
from vision.scene import Flat, Map


def reshaped(image: Image, size: tuple[int, int]) -> Image:
    """The picture at ``size`` (width, height). Raises ImageError where its sides are in another proportion: another camera took it."""
    width, height = size
    if image.shape[:2] == (height, width):
        return image
    if abs(image.shape[1] * height - image.shape[0] * width) > 0.01 * image.shape[0] * width:
        raise ImageError(f"the picture is {image.shape[1]}x{image.shape[0]}, the calibration {width}x{height}: calibrate this camera")
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def relaid(image: Image, size: tuple[int, int], flat: Flat, surface: Map, brightness: float) -> tuple[Map, float]:
    """A camera picture (``size``) laid flat under the lamp of ``surface`` (as of ``appearance.logs``), and how bright it was beside
    ``brightness``, the calibration's mean level. Raises ImageError as :func:`reshaped`."""
    laid = flat.lay(reshaped(image, size))
    values = appearance.logs(laid)
    gain, _ = appearance.relight(values, surface)
    return np.asarray(values - gain, np.float32), float(np.mean(cv2.mean(laid)[:3]) / max(brightness, 1.0))
