"""Any picture file, as an array that the rest of the package can trust.

Cameras and people hand over everything: turned phone pictures, 16-bit scans, grey, transparent and CMYK
images, half a file. Everything that decodes comes out as 8-bit BGR of a sane size; everything else is one
clear ImageError.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from engine.messages import joined, phrase
from vision.errors import ImageError
from vision.picture.header import header, whole

Image: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, blue-green-red, 8 bits."""
LEAST = 64
"""No board can be read from fewer pixels a side."""
MOST_PIXELS = 50_000_000
"""A file that promises more is refused before it is decoded: of 16 bits and with transparency that would take
half a gigabyte of memory, and only a JPEG of a camera is as large (see ``MOST_JPEG``)."""
MOST_JPEG = 120_000_000
"""The same for a JPEG, which is decoded at a smaller size where it is large."""
MOST_BYTES = 200_000_000
"""No photograph is as long a file; nor does a pipe or a device that never ends fill the memory."""
WORKING = 2600
"""Longer sides are halved until they fit: nothing on a board needs more, and a phone's 50 megapixels would
only cost time."""

# The matrices here are small: shared out to several threads they take longer, and threads that wait spin on
# cores that the table needs.
threadpool_limits(limits=1, user_api="blas")
# C's allocator takes pictures from the system and gives them back at once, page by page: half the time of
# decoding one. Once it was given back a block as large as this (nothing touches it), it keeps some.
np.empty(31 << 20, np.uint8)
if hasattr(cv2, "setLogLevel"):
    cv2.setLogLevel(0)  # what a decoder thinks of a file is told by ImageError, in words


@dataclass(frozen=True)
class Frame:
    """One picture. ``image`` is H x W x 3, BGR, uint8; ``scale`` is its size relative to the file's (1, 1/2,
    1/4 ...). Raises ImageError for an array of another kind, of which :func:`accept` makes a frame."""

    image: Image
    scale: float = 1.0

    def __post_init__(self) -> None:
        image = np.asarray(self.image)
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
            raise ImageError(
                f"an array of shape {image.shape} and type {image.dtype} is no frame: it must be height x "
                "width x 3 (BGR) of uint8, as vision.picture.frame.accept makes it"
            )

    @property
    def grey(self) -> bool:
        """Whether it has no colours at all (a sample of its pixels has none)."""
        sample = self.image[::16, ::16]
        return bool((sample == sample[..., :1]).all())


def load(path: str | Path) -> Frame:
    """The picture in a file, turned the right way up. Raises ImageError with the reason."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise ImageError(phrase("{path} is no file", path=path))
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ImageError(
            phrase("cannot read {path}: {error}", path=path, error=error.strerror or error)
        ) from error
    try:
        return decode(data)
    except ImageError as error:
        raise ImageError(joined(": ", (str(path), str(error)))) from error


def decode(data: bytes) -> Frame:
    """The picture in ``data`` (a format of ``header``). Raises ImageError with the reason."""
    if not data:
        raise ImageError(phrase("the file is empty"))
    if len(data) > MOST_BYTES:
        raise ImageError(
            phrase("the file is longer than {most} MB; a photograph is not", most=MOST_BYTES // 1_000_000)
        )
    told = header(data)
    width, height = told.size
    jpeg = told.form == "JPEG"
    most = min(MOST_JPEG if jpeg else MOST_PIXELS, 8 * MOST_PIXELS // told.depth)
    if width * height > most:
        raise ImageError(
            phrase(
                "the picture says it is {width}x{height}; at most {most} megapixels are read: make it "
                "smaller",
                width=width,
                height=height,
                most=most // 1_000_000,
            )
        )
    if not whole(data, told.form):
        raise ImageError(
            phrase("the {form} is damaged or cut off before its end; copy the file again", form=told.form)
        )
    less = 1  # a JPEG is decoded at a part of its size in a part of the time and memory
    while jpeg and less < 8 and max(width, height) > WORKING * less:
        less *= 2
    how = {
        1: cv2.IMREAD_ANYDEPTH | cv2.IMREAD_COLOR,
        2: cv2.IMREAD_REDUCED_COLOR_2,
        4: cv2.IMREAD_REDUCED_COLOR_4,
        8: cv2.IMREAD_REDUCED_COLOR_8,
    }
    raw = None
    with suppress(cv2.error):
        raw = cv2.imdecode(np.frombuffer(data, np.uint8), how[less])
    if raw is None:
        raise ImageError(
            phrase(
                "the {form} does not decode: it is damaged, or of a kind that is not known here; save it "
                "as JPEG",
                form=told.form,
            )
        )
    frame = accept(raw)
    return Frame(frame.image, frame.scale / less)


def accept(raw: NDArray[np.generic]) -> Frame:
    """A decoded array (grey, BGR or BGRA; 8 or 16 bits or float 0-1) as a Frame. Raises ImageError."""
    raw = np.asarray(raw)
    if raw.ndim not in (2, 3) or (raw.ndim == 3 and raw.shape[2] not in (1, 3, 4)) or 0 in raw.shape:
        raise ImageError(f"an array of shape {raw.shape} is no picture; it must be height x width x 3")
    height, width = raw.shape[:2]
    if min(height, width) < LEAST:
        raise ImageError(
            phrase(
                "the picture is only {width}x{height}; at least {least} pixels a side are needed",
                width=width,
                height=height,
                least=LEAST,
            )
        )
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
        raise ImageError(
            phrase("a picture of {width}x{height} is a stripe, not a board", width=width, height=height)
        )
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
