"""What of a picture shows something: films in other proportions and screenshots of a phone have plain
margins, beside which a board is only small."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.picture.frame import LEAST, Image

PLAIN = 12
"""Levels by which the pixels of a plain line differ at most: a JPEG makes some of one colour."""


def shown(image: Image) -> tuple[Image, NDArray[np.int64]]:
    """The part between plain margins, and where in the picture it begins (x, y); all of it where the part is
    more than half: a margin shows that no column of the board is there. What is less than half as
    long as the longest part between plain lines, a clock or a row of buttons, belongs to them."""
    rows = _between(image)
    columns = _between(np.swapaxes(image[rows], 0, 1))
    part = image[rows, columns]
    if part.size > image.size / 2:
        return image, np.zeros(2, np.int64)
    return np.ascontiguousarray(part), np.array([columns.start, rows.start])


def _between(lines: NDArray[np.uint8]) -> slice:
    """The lines (of an array lines x pixels x channels) that are not plain, from the first long part to the
    last."""
    plain = (np.ptp(lines, axis=1) <= PLAIN).all(axis=1)
    change = np.flatnonzero(np.diff(plain, prepend=True, append=True)).reshape(-1, 2)
    long = change[np.ptp(change, axis=1) >= max(LEAST, np.ptp(change, axis=1).max(initial=0) / 2)]
    return slice(int(long[0, 0]), int(long[-1, 1])) if len(long) else slice(0, len(lines))
