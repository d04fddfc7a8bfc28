"""Somebody waves at the camera: does the picture change, and where?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Gray = NDArray[np.float32]

THIN = 8
"""Every so many pixels of the picture are enough to see a hand."""
MOVED = 25.0
"""Levels, of 255, by which a pixel changes where a hand comes; noise and a flickering lamp stay below."""
LEAST, MOST = 0.005, 0.7
"""Parts of the picture: less is no hand, more is the lamp or the camera itself."""


@dataclass(frozen=True, slots=True)
class WaveSeen:
    """Where the picture changed: ``across`` is ``left``, ``middle`` or ``right``, ``down`` is ``top``,
    ``middle`` or ``bottom`` of the picture; ``part`` of it changed, 0 to 1."""

    across: str
    down: str
    part: float


class Waving:
    """Compares each picture with the one before."""

    def __init__(self) -> None:
        self._before: Gray | None = None
        self.last: WaveSeen | None = None
        """Where something moved last; None: nowhere yet."""
        self.whole = False
        """Whether most of the last picture changed: the lamp, or the camera, not a hand."""

    def look(self, pixels: NDArray[np.uint8]) -> WaveSeen | None:
        """Where this picture (height x width x 3) differs from the one before; None where it does not, or
        all of it does."""
        now = pixels[::THIN, ::THIN].mean(axis=2, dtype=np.float32)
        now -= np.median(now)  # a lamp that grows brighter is no hand
        before, self._before = self._before, now
        if before is None or before.shape != now.shape:
            return None
        moved = np.abs(now - before) > MOVED
        part = float(moved.mean())
        self.whole = part > MOST
        if not LEAST <= part <= MOST:
            return None
        rows, columns = np.nonzero(moved)
        height, width = moved.shape
        self.last = WaveSeen(
            ("left", "middle", "right")[int(3 * np.median(columns) / width)],
            ("top", "middle", "bottom")[int(3 * np.median(rows) / height)],
            part,
        )
        return self.last
