"""When a film's picture is worth reading: the board has come to rest, and looks other than when it was last
read.

Small pictures of the board's part of the view are compared, so names and clocks beside it, and whatever goes
on elsewhere, cost nothing and disturb nothing.
"""

from __future__ import annotations

import numpy as np

from firmware.transcribe.film import Box, Shot
from vision.picture.change import Thumb, change

STEP = 0.2
"""Seconds between two pictures that are compared."""
STILL = 0.1
"""Seconds without change after which a board is at rest: two pictures that are alike. Quick players leave it
so for half a second."""
SELDOM = 0.4
"""Seconds between pictures from which on they are too few to wait for a second one."""
MOVED = 9.0
"""Levels (0-255) by which a place of the thumb changes when something moved, as for the table's own
camera."""
CODED, MOST = 12.0, 30.0
"""How often as much as half of the places a place changes when something moved, and the levels that are
enough in any case: MPEG-4 of 0.8 Mbit/s draws noise anew all over with every keyframe, twice a second."""
MARGIN = 0.03
"""How far around the playing surface changes are looked for, in parts of its size: checkers stand up. Streams
show the players, or a clock, right beside the rim."""


def differs(before: Thumb, now: Thumb) -> bool:
    """Whether any place changed by more than noise, coding and a lamp that flickers."""
    places = change(before, now).max(axis=2)
    most = places.max()
    return bool(most > MOVED and most > min(MOST, CODED * np.median(places)))


def box_around(outline: np.ndarray, size: tuple[int, int], margin: float = MARGIN) -> Box:
    """The part of a picture of ``size`` (width, height) that shows a surface with these corners (4 x 2
    pixels), and so much around it, in parts of its size."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    around = margin * (high - low)
    left, top = np.maximum(0, low - around).astype(int)
    right, bottom = np.minimum(size, high + around + 1).astype(int)
    return int(left), int(top), max(int(left) + 8, int(right)), max(int(top) + 8, int(bottom))


class Gate:
    """Follows one view of a film. ``box``: the part that counts; None: all of it."""

    def __init__(self, size: tuple[int, int], box: Box | None = None) -> None:
        self._size, self._box = size, box
        self._last: Thumb | None = None
        self._passed: Thumb | None = None
        self._t = float("-inf")
        self._changed = float("-inf")
        self.known = False
        """Whether the last picture was at rest, and showed what was passed last."""

    def passes(self, shot: Shot) -> bool:
        """Whether to read this picture."""
        now = shot.thumb(self._box, self._size)
        if self._last is None or differs(self._last, now):
            self._changed = shot.t
        step, self._t, self._last = shot.t - self._t, shot.t, now
        still = step >= SELDOM or shot.t - self._changed >= STILL
        self.known = still and self._passed is not None and not differs(self._passed, now)
        if not still or self.known:
            return False
        self._passed = now
        return True

    def again(self) -> None:
        """Lets the next picture at rest pass, even if nothing has changed."""
        self._passed = None
