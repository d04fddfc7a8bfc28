"""The networks that ship, as OpenCV reads and runs them."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray


def level(picture: NDArray[np.uint8]) -> tuple[float, float]:
    """A picture's mean and standard deviation, of all channels together: what a lamp's brightness and a
    lens's contrast make of it, which says nothing to a network."""
    means, deviations = cv2.meanStdDev(picture)
    mean = float(means.mean())
    return mean, float(np.sqrt((deviations**2 + means**2).mean() - mean**2))


def answer(path: Path, shown: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the network of an ONNX file says of what it is shown (N x channels x rows x columns). From any
    thread."""
    network, turn = _opened(path)
    with turn:  # a cv2 network holds its own buffers: one caller at a time
        network.setInput(shown)
        return np.array(network.forward(), np.float32)


@cache
def _opened(path: Path) -> tuple[cv2.dnn.Net, Lock]:
    return read(path), Lock()


def read(path: Path) -> cv2.dnn.Net:
    """The network of an ONNX file, which may be packed (``.xz``)."""
    # The engine that is new in OpenCV 5 takes half as long again for small networks.
    engine = (cv2.dnn.ENGINE_CLASSIC,) if hasattr(cv2.dnn, "ENGINE_CLASSIC") else ()
    if path.suffix != ".xz":
        return cv2.dnn.readNetFromONNX(str(path), *engine)
    return cv2.dnn.readNetFromONNX(np.frombuffer(lzma.decompress(path.read_bytes()), np.uint8), *engine)
