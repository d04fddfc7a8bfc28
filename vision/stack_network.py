"""Checkers upon each other: squares of the camera's picture, and the network that says how many lie there.

What the network is shown does not know which board it is: how far every pixel is from the checkers' tint, how
far from the bare board, and which way, and how much, the camera moves a thing that is one checker higher. A
calibrated table (``checkers.stacks``) and a board never seen before (``blind.full_rows``) have weights of
their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import onnx_file
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.picture.frame import Image

SCALE = 24
"""Patch pixels to a checker's diameter."""
SIDE = 40
"""A patch's side in pixels: a checker and what shows around it."""
CHANNELS = 8
"""Numbers that the network is shown of every pixel: three off the tint, three off the board, two of the
lean."""
HEIGHTS = 4
"""Checkers on one place that the network tells apart: none, 1, 2, 3."""
LEAN = 10.0
"""What the camera's displacement of a checker one higher (diameters) is multiplied by."""


def network_input(squares: Map, bare: Map, lit: Map, tints: Map, lean: Floats) -> NDArray[np.float32]:
    """What the network is shown of places of which ``squares`` are cut out of the camera's picture and
    ``bare`` out of the empty board (see :func:`cuts`; both as ``colour.logs``), whose mean is ``lit`` (N
    x 3), where a checker is of such a tint (N x 3), and one higher is displaced so (N x 2)."""
    out = np.empty((len(lit), CHANNELS, SIDE * SIDE), np.float32)
    worth = np.array([1 / 0.3, 1 / 0.1, 1 / 0.1], np.float32)  # of luma and chromas (log units)
    for channel, (seen, empty) in enumerate(zip(_planes(squares), _planes(bare), strict=True)):
        seen += (lit[:, channel] - seen.mean(axis=1))[:, None]
        out[:, channel] = (seen - tints[:, channel, None]) * worth[channel]
        out[:, 3 + channel] = (seen - empty) * worth[channel]
    out[:, 6:8] = lean[:, :, None]
    return np.asarray(np.clip(out, -4, 4, out=out).reshape(-1, CHANNELS, SIDE, SIDE), np.float32)


def cuts(image: Image | Map, middle: Floats, right: Floats, down: Floats, fine: int) -> NDArray[Any]:
    """Squares of SIDE pixels around each ``middle`` (N x 2) whose pixels are ``right`` and ``down`` apart in
    the image, one below the other; each pixel is the mean of fine x fine."""
    side = SIDE * fine
    warps = np.stack([right / fine, down / fine, middle - (right + down) / fine * (side - 1) / 2], axis=2)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    found = np.empty((len(middle) * side, side, 3), image.dtype)
    for index, warp in enumerate(warps):
        cut = found[index * side : (index + 1) * side]
        cv2.warpAffine(image, warp, (side, side), dst=cut, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if fine == 1:
        return found
    return np.asarray(cv2.resize(found, (SIDE, len(middle) * SIDE), interpolation=cv2.INTER_AREA))


def _planes(squares: NDArray[Any]) -> NDArray[np.float32]:
    """Luma and both chromas of squares one below the other: 3 x N x all pixels of a square."""
    return np.asarray(cv2.transpose(squares.reshape(-1, 3)), np.float32).reshape(3, -1, SIDE * SIDE)


def heights(shown: NDArray[np.float32], weights: Path, temper: float) -> Floats:
    """Log-probabilities of none, 1, 2 and 3 checkers on each place (N x HEIGHTS) by the network in
    ``weights``, whose log-odds are divided by ``temper``."""
    out = onnx_file.answer(weights, shown).astype(np.float64).reshape(-1, HEIGHTS) / temper
    # No answer is surer than a thousand to one.
    return np.asarray(np.maximum(out - np.logaddexp.reduce(out, axis=1, keepdims=True), -7.0), np.float64)
