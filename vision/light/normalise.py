"""A picture brought to what the calibration knows: its size, its flat map, its lamp, its camera's tone."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from vision.errors import ImageError
from vision.geometry.flat import Flat, Map
from vision.light import colour, tone_curve
from vision.light.lamp import relight
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask

BURNT = 250
"""The level (0-255) from which on a pixel may have been brighter than the camera can show."""


def reshaped(image: Image, size: tuple[int, int]) -> Image:
    """The picture at ``size`` (width, height). Raises ImageError where its sides are in another proportion:
    another camera took it."""
    width, height = size
    if image.shape[:2] == (height, width):
        return image
    if abs(image.shape[1] * height - image.shape[0] * width) > 0.01 * image.shape[0] * width:
        raise ImageError(
            phrase(
                "the picture is {width0}x{height0}, the calibration {width}x{height}: calibrate this camera",
                width0=image.shape[1],
                height0=image.shape[0],
                width=width,
                height=height,
            )
        )
    smooth = cv2.INTER_AREA if width < image.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=smooth), np.uint8)


@dataclass(frozen=True)
class LaidFrame:
    """A picture laid flat under the calibration's lamp. ``image``: the picture at the calibration's size;
    ``grey``: whether it has no colours; ``values``: the map, as of ``colour.logs``; ``bright``: how bright it
    was (1: as then); ``tone``: what every level was then, if its camera shows light otherwise (see
    ``tone_curve.changed``); ``burnt``: which channels of which map pixels are as bright as it can show, if
    some are; ``more``: how much more light there is than then (log units of luma); ``hidden``: the map pixels
    that are known to show something else than the board, if some are: a stream's graphics."""

    image: Image
    grey: bool
    values: Map
    bright: float
    tone: NDArray[np.float32] | None
    burnt: Mask | None
    more: Map
    hidden: Mask | None = None

    @property
    def clipped(self) -> Mask | None:
        """The map pixels of which the camera cannot show how bright they are (two channels), if there are
        any."""
        return None if self.burnt is None else np.count_nonzero(self.burnt, axis=2) >= 2

    @property
    def levels(self) -> NDArray[np.float32]:
        """Every level's logarithm, as the calibration's camera would have shown it."""
        return colour.PLAIN if self.tone is None else self.tone


def lay_frame(frame: Frame, flat: Flat, surface: Map, brightness: float) -> LaidFrame:
    """A camera's picture laid flat under the lamp of ``surface`` (as of ``colour.logs``). ``brightness``: the
    calibration's mean level. Raises ImageError as :func:`reshaped`."""
    image = reshaped(frame.image, flat.camera.size)
    laid = flat.lay(image)
    shown = colour.logs(laid)
    values = relight(shown, surface)
    changed = tone_curve.changed(laid, values, surface)
    if changed is not None:
        values = relight(colour.logs(laid, changed), surface)
    burnt = laid >= BURNT
    return LaidFrame(
        image,
        frame.grey,
        values,
        float(np.mean(cv2.mean(laid)[:3]) / max(brightness, 1.0)),
        changed,
        burnt if np.count_nonzero(burnt) > 0.005 * burnt.size else None,
        np.asarray(shown[..., 0] - values[..., 0], np.float32),
    )
