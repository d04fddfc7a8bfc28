"""The networks that ship, as OpenCV reads them."""

from __future__ import annotations

import lzma
from pathlib import Path

import cv2
import numpy as np


def read(path: Path) -> cv2.dnn.Net:
    """The network of an ONNX file, which may be packed (``.xz``)."""
    # The engine that is new in OpenCV 5 takes half as long again for small networks.
    engine = (cv2.dnn.ENGINE_CLASSIC,) if hasattr(cv2.dnn, "ENGINE_CLASSIC") else ()
    if path.suffix != ".xz":
        return cv2.dnn.readNetFromONNX(str(path), *engine)
    return cv2.dnn.readNetFromONNX(np.frombuffer(lzma.decompress(path.read_bytes()), np.uint8), *engine)
