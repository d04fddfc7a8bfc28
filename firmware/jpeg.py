"""Pictures as JPEG files: for the page, reports and recordings."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np

from engine.layout import Cell
from vision.picture.frame import Image
from vision.reading import BoardReader, Reading


def encode_jpeg(image: Image, quality: int = 80) -> bytes:
    """A picture as a JPEG file. Raises OSError where OpenCV cannot write it."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise OSError("a picture cannot be written as JPEG")
    return data.tobytes()


def fit_width(image: Image, width: int) -> Image:
    """The picture, at most ``width`` pixels wide."""
    high, wide = image.shape[:2]
    if wide <= width:
        return image
    size = (width, round(high * width / wide))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def draw_closeup(
    image: Image, table: BoardReader, reading: Reading | None, cells: Collection[Cell]
) -> bytes | None:
    """The part of a picture with some cells, the reading drawn on it; None where they are not in it."""
    box = table.box_around(cells)
    if box is None:
        return None
    height, width = image.shape[:2]
    left, top, right, bottom = max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])
    if left >= right or top >= bottom:
        return None
    return encode_jpeg(table.draw(image, reading)[top:bottom, left:right])
