"""What changed between two small pictures of one view, apart from the light.

A lamp may grow brighter or darker. One on the mains flickers a hundred times a second, and a camera that
takes its rows one after the other shows that as bands across the whole picture, which travel.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Thumb = NDArray[np.float32]
"""A small picture: rows x columns x channels, levels (0-255; of a film's dark colours also less)."""

BETWEEN = (0.5, 2.0)
"""Levels, as parts of what they were, between which it is the light: beyond, a lamp was switched."""
DARK = 1.0
"""Levels that are added to what is compared: a part of black says nothing."""
BURNT = 225.0
"""Levels from which on a place may be, in part, brighter than a camera can show (a film ends at 235)."""


def change(before: Thumb, now: Thumb) -> Thumb:
    """By how many levels each place differs, over 3 x 3 places, from what the light alone has made of it:
    each row by its median (or each column, where that leaves less: the picture may be turned)."""
    by_rows = _beside_bands(before, now)
    by_columns = _beside_bands(before.swapaxes(0, 1), now.swapaxes(0, 1)).swapaxes(0, 1)
    return min(by_rows, by_columns, key=np.max)


def _beside_bands(before: Thumb, now: Thumb) -> Thumb:
    """The same where bands lie along the rows."""
    parts = ((np.maximum(now, 0) + DARK) / (np.maximum(before, 0) + DARK)).swapaxes(1, 2)[..., ::2]
    middle = parts.shape[-1] // 2
    light = np.partition(np.ascontiguousarray(parts), middle)[:, None, :, middle]
    beyond = now - before * np.clip(light, *BETWEEN)
    beyond[np.where(beyond > 0, before, now) >= BURNT] = 0.0
    return np.abs(cv2.blur(np.ascontiguousarray(beyond), (3, 3))).reshape(beyond.shape)
