"""Any picture file, as an array that the rest of the package can trust.

Cameras and people hand over everything: turned phone pictures, 16-bit scans, grey, transparent and CMYK images, half a
file. Everything that decodes comes out as 8-bit BGR of a sane size; everything else is one clear ImageError.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import ImageError

Image: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, blue-green-red, 8 bits."""

LEAST = 64
"""No board can be read from fewer pixels a side."""
MOST_PIXELS = 120_000_000
"""More than any camera gives; a file that promises more is refused before it is decoded."""
WORKING = 2600
"""Longer sides are halved until they fit: nothing on a board needs more, and a phone's 50 megapixels would only cost time."""


@dataclass(frozen=True)
class Frame:
    """One picture. ``image`` is H x W x 3, BGR, uint8; ``scale`` is its size relative to the file's (1, 1/2, 1/4 ...)."""

    image: Image
    scale: float = 1.0


def load(path: str | Path) -> Frame:
    """The picture in a file, turned the right way up. Raises ImageError with the reason."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ImageError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        return decode(data)
    except ImageError as error:
        raise ImageError(f"{path}: {error}") from error


def decode(data: bytes) -> Frame:
    """The picture in ``data`` (any format that OpenCV knows). Raises ImageError with the reason."""
    if not data:
        raise ImageError("the file is empty")
    _refuse_giants(data)
    if data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-4096:]:
        raise ImageError("the JPEG is cut off before its end; copy the file again")
    try:
        raw = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_ANYDEPTH | cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ImageError(f"the picture does not decode ({error.err})") from error
    if raw is None:
        raise ImageError("not a picture in a format known here (JPEG, PNG, WebP, TIFF, BMP)")
    return accept(np.asarray(raw))


def accept(raw: NDArray[np.generic]) -> Frame:
    """A decoded array (grey, BGR or BGRA; 8 or 16 bits or float 0-1) as a Frame. Raises ImageError."""
    if raw.ndim not in (2, 3) or (raw.ndim == 3 and raw.shape[2] not in (1, 3, 4)) or 0 in raw.shape:
        raise ImageError(f"an array of shape {raw.shape} is no picture; height x width x 3 is wanted")
    height, width = raw.shape[:2]
    if min(height, width) < LEAST:
        raise ImageError(f"the picture is only {width}x{height}; at least {LEAST} pixels a side are needed")
    image = _eight_bits(raw)
    if image.ndim == 2 or image.shape[2] == 1:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    elif image.shape[2] == 4:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), np.uint8)
    scale = 1.0
    while max(image.shape[:2]) > WORKING:
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        scale /= 2
    if min(image.shape[:2]) < LEAST:
        raise ImageError(f"a picture of {width}x{height} is a stripe, not a board")
    return Frame(np.ascontiguousarray(image), scale)


def _eight_bits(raw: NDArray[np.generic]) -> Image:
    if raw.dtype == np.uint8:
        return raw.astype(np.uint8, copy=False)
    if raw.dtype == np.uint16:
        return (raw.astype(np.uint16, copy=False) >> 8).astype(np.uint8)
    if np.issubdtype(raw.dtype, np.floating):
        values = np.nan_to_num(raw.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
        return (np.clip(values, 0, 1) * 255).astype(np.uint8)
    raise ImageError(f"pixels of type {raw.dtype} are not understood; 8 or 16 bits are")


def _refuse_giants(data: bytes) -> None:
    """Read the promised size from the header, for the formats that can promise gigabytes in a few bytes."""
    size: tuple[int, int] | None = None
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        size = (width, height)
    elif data[:2] == b"BM" and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        size = (abs(width), abs(height))
    elif data[:2] == b"\xff\xd8":
        size = _jpeg_size(data)
    if size and size[0] * size[1] > MOST_PIXELS:
        raise ImageError(f"the picture says it is {size[0]}x{size[1]}; at most {MOST_PIXELS // 1_000_000} megapixels are read")


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            at += 1
            continue
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        if marker == 0xFF or 0xD0 <= marker <= 0xD9 or marker == 0x01:
            at += 1 if marker == 0xFF else 2
            continue
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None
