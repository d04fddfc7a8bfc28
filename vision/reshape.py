"""A picture brought to what the calibration knows: its size, its flat map, its lamp, its camera's tone."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import appearance, tone
from vision.errors import ImageError
from vision.frame import Image
from vision.scene import Flat, Map

BURNT = 250
"""The level (0-255) from which on a pixel may have been brighter than the camera can show."""
FEW = 0.005
"""The part of a picture that may be so before anybody cares."""


def reshaped(image: Image, size: tuple[int, int]) -> Image:
    """The picture at ``size`` (width, height). Raises ImageError where its sides are in another proportion:
    another camera took it."""
    width, height = size
    if image.shape[:2] == (height, width):
        return image
    if abs(image.shape[1] * height - image.shape[0] * width) > 0.01 * image.shape[0] * width:
        raise ImageError(
            f"the picture is {image.shape[1]}x{image.shape[0]}, the calibration {width}x{height}: calibrate"
            " this camera"
        )
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True)
class Relaid:
    """A picture laid flat under the calibration's lamp: ``values`` as of ``appearance.logs``; ``bright``: how
    bright it was (1: as then); ``tone``: what every level was then, if its camera shows light otherwise (see
    ``tone.changed``); ``burnt``: which channels of which pixels are as bright as it can show, if some are;
    ``more``: how much more light there is than then (log units of luma)."""

    values: Map
    bright: float
    tone: NDArray[np.float32] | None
    burnt: NDArray[np.bool_] | None
    more: Map


def relaid(image: Image, size: tuple[int, int], flat: Flat, surface: Map, brightness: float) -> Relaid:
    """A camera picture (``size``) laid flat under the lamp of ``surface`` (as of ``appearance.logs``).
    ``brightness``: the calibration's mean level. Raises ImageError as :func:`reshaped`."""
    laid = flat.lay(reshaped(image, size))
    shown = appearance.logs(laid)
    values = np.asarray(shown - appearance.relight(shown, surface)[0], np.float32)
    changed = tone.changed(laid, values, surface)
    if changed is not None:
        values = appearance.logs(laid, changed)
        values = np.asarray(values - appearance.relight(values, surface)[0], np.float32)
    burnt = laid >= BURNT
    more = np.asarray(shown[..., 0] - values[..., 0], np.float32)
    return Relaid(
        values,
        float(np.mean(cv2.mean(laid)[:3]) / max(brightness, 1.0)),
        changed,
        burnt if np.count_nonzero(burnt) > FEW * burnt.size else None,
        more,
    )
