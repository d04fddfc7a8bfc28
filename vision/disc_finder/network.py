"""The network that finds checkers, points, the bar and hands on the flat map, run by OpenCV.

It has seen nothing but painted boards (``tests/bench/training``), of colours, materials and lamps drawn at
random, so it knows no board and no colour: a checker is what is round, as large as a point is wide, and
stands where checkers stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_finder.flat_map import GRID
from vision.picture.frame import Image

WEIGHTS = Path(__file__).with_name("disc_finder.onnx")
Grid = NDArray[np.float32]
_turn = Lock()


@dataclass(frozen=True)
class Sight:
    """What the network sees, on its grid (rows x columns).

    ``top``: how sure it is that a checker's top has its centre there (log-odds), and ``double`` that the
    checker lies on another one; ``axis``, ``bar`` and ``hand``: the probability of a point's axis, of the
    bar, of a hand or sleeve.
    """

    top: Grid
    double: Grid
    axis: Grid
    bar: Grid
    hand: Grid


@cache
def _network() -> cv2.dnn.Net:
    if hasattr(
        cv2.dnn, "ENGINE_CLASSIC"
    ):  # the engine that is new in OpenCV 5 takes half as long again for this network
        return cv2.dnn.readNetFromONNX(str(WEIGHTS), cv2.dnn.ENGINE_CLASSIC)
    return cv2.dnn.readNetFromONNX(str(WEIGHTS))


def look(flat: Image) -> Sight:
    """Run the network over one map (see ``blind_map``). About 7 ms on one core of a laptop."""
    means, deviations = cv2.meanStdDev(flat)
    mean = float(means.mean())
    spread = float(np.sqrt((deviations**2 + means**2).mean() - mean**2))
    pixels = (flat.transpose(2, 0, 1).astype(np.float32) - mean) / (
        spread + 4
    )  # the lamp's brightness and the lens's contrast say nothing
    with _turn:  # a cv2 network holds its own buffers: one caller at a time
        network = _network()
        network.setInput(np.ascontiguousarray(pixels[None]))
        out = np.array(network.forward(), np.float32).reshape(5, *GRID)
    axis, bar, hand = 1 / (1 + np.exp(-np.clip(out[2:5], -30, 30)))
    return Sight(out[0], out[1], axis, bar, hand)
