"""What colour each checker's top has, for telling the two sides apart."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind.columns import BAR
from vision.blind.strips import HALF
from vision.geometry.camera import Floats
from vision.light.colour import CHANNELS, DIM
from vision.picture.frame import Image


def colours(
    flat: Image,
    places: Floats,
    column: NDArray[np.int64],
    pitch: float,
    shade: Floats | None = None,
    cast: Floats | None = None,
) -> Floats:
    """The colour (N x 3, CIELAB, L 0-100) of each top at these ``places`` (N x 2, map pixels) of its
    ``column``: the mean of its darker half, since a mirrored lamp seldom covers all of it; beside a wall,
    which may shade the rest, of the half away from it. What lies in the ``shade`` is first made as light as
    it would be beside it; a checker reaches out of it higher than the board does, so that what was none then
    passes for a mirrored lamp. ``cast``: what else each lies in (N x 3, as ``colour.logs``)."""
    radius = 0.38 * pitch  # the top without its edge
    k = int(np.ceil(radius))
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    inside = xx**2 + yy**2 <= radius**2
    dy, dx = yy[inside], xx[inside]
    middle = np.round(places).astype(int)
    rows = np.clip(middle[:, 1:] + dy, 0, flat.shape[0] - 1)
    cols = np.clip(middle[:, :1] + dx, 0, flat.shape[1] - 1)
    seen = flat[rows, cols].astype(np.float32)
    less = np.zeros((len(places), 1, 3)) if cast is None else cast[:, None]
    if shade is not None:
        less = less + shade[cols // HALF]
    if less.any():
        less = less @ CHANNELS.T  # of the logarithms of blue, green and red
        seen = np.asarray(np.maximum((seen + DIM) * np.exp(-less) - DIM, 0), np.float32)
        seen *= 255 / np.maximum(seen.max(axis=2, keepdims=True), 255)  # keeps the hue
    lab = cv2.cvtColor(seen / 255, cv2.COLOR_BGR2LAB).astype(np.float64)
    # A rim or the bar stands beside the outer columns of each half.
    wall = np.where(column == BAR, 0, 1 * (column % 6 == 5) - (column % 6 == 0))
    last = np.where(wall[:, None] * dx > 0, np.inf, lab[..., 0])
    dark = np.argsort(last, axis=1)[:, : max(3, len(dy) // 2)]
    return np.asarray(np.take_along_axis(lab, dark[..., None], axis=1).mean(axis=1), np.float64)
