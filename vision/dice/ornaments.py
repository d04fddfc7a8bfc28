"""What is let into a board or painted on it repeats: a ring at a point's tip is there on every second point,
in both halves, and upside down on the other side. A die does not, whatever it looks like."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.camera import Floats
from vision.picture.frame import Image

SHOWN = 1.2
"""How many edges of the die are compared: of more, what is around it counts more than the die."""
SLACK = 4
"""Map pixels by which a repeat may be nearer to the rim, or farther."""
APART = 3.0
"""Edges of the die from it, from which on something is a repeat."""
ALIKE = 0.85
"""How alike repeats are (normalised correlation): of 238 path-traced dice the second best place reaches 0.81
at the most, of 22 ornaments 0.93 at the least."""
PLAIN = 2.0
"""Levels by which something at least differs from what is around it."""
REPEATS = 2
"""Places elsewhere that must look so: another die may show the same, and lie as this one does."""


def repeats(laid: Image, at: Floats, edge: float) -> bool:
    """Whether a place of the map (column, row; ``edge`` of a die there, in its pixels) is one of several that
    look the same: along its row, or its row's across the board, turned by half."""
    reach = round(SHOWN * edge / 2)
    column, row = (round(float(value)) for value in at)
    high, wide = laid.shape[:2]
    if not (reach + SLACK <= row < high - reach - SLACK and reach <= column < wide - reach):
        return False
    low, end = row - reach - SLACK, row + reach + SLACK + 1
    strips = [laid[low:end]]
    if abs(high - 1 - 2 * row) > 2 * reach + SLACK:  # else it is the same row, with the same dice
        strips.append(np.ascontiguousarray(laid[high - end : high - low][::-1, ::-1]))
    apart = round(APART * edge)
    grey = [np.asarray(cv2.cvtColor(strip, cv2.COLOR_BGR2GRAY), np.uint8) for strip in strips]
    return all(_repeats(each, column, reach, apart) for each in (grey, strips))  # grey takes a quarter of it


def _repeats(strips: Sequence[Image], column: int, reach: int, apart: int) -> bool:
    """Whether what lies there in the middle of the first strip is found so often in all of them."""
    here, found = strips[0][SLACK:-SLACK, column - reach : column + reach + 1], 0
    if here.std() < PLAIN:
        return False
    for number, strip in enumerate(strips):
        alike = cv2.matchTemplate(strip, here, cv2.TM_CCOEFF_NORMED).max(axis=0)
        if number == 0:
            alike[max(0, column - reach - apart) : column - reach + apart + 1] = 0
        while found < REPEATS and float(alike.max()) > ALIKE:
            best = int(alike.argmax())
            alike[max(0, best - apart) : best + apart + 1] = 0
            found += 1
    return found >= REPEATS
