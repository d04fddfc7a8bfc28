"""What stands still over the board, as a stream's graphics do: a sponsor's strip, the score. It passes for a
hand at first, since it is neither board nor checker; a hand does not stay. What it hides says nothing, and
the rest of the board is read."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from firmware.transcribe.rest import MOVED
from vision.picture.frame import Image
from vision.picture.masks import Mask, grow, without_gaps, without_specks

STANDS = 2.0
"""Seconds after which what looks as it did is not a hand."""
SAME = 0.7
"""The part of it that looks as it did while it stands there: names and numbers in it may change."""
LETTERS = 9
"""Map pixels (twelve make a checker) up to which a gap in it belongs to it."""
LEAST = 3
"""Map pixels that it is wide, at least."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A moment at which the board, laid flat (``shown``), was covered there (``covering``)."""

    t: float
    shown: Image
    covering: Mask


class Standing:
    """Follows one board, laid flat. It is told of every look at it, in order."""

    def __init__(self) -> None:
        self._bare: Image | None = None
        self._first: _Look | None = None
        self._known: Image | None = None
        self.mask: Mask | None = None
        """What is hidden now; None: nothing."""

    def look(self, shown: Image) -> None:
        """A look begins: what has gone hides nothing."""
        if self.mask is None or self._known is None:
            return
        if float(np.mean(~_differs(self._known, shown)[self.mask])) < SAME:
            self.mask = self._known = None

    def seen(self, shown: Image) -> None:
        """The board was seen, and no hand."""
        self._first = None
        if self.mask is None:
            self._bare = shown

    def covered(self, t: float, shown: Image, covering: Mask) -> bool:
        """Something is over the board; whether it is now known to stand there, so that the board can be read
        beside it."""
        now, first = _Look(t, shown, covering), self._first
        if first is None:
            self._first = now
            return False
        if t - first.t < STANDS:
            return False
        self._first = now
        stays = covering & first.covering & ~_differs(first.shown, shown)
        if self._bare is not None:  # the checkers beside it were there before it came
            stays &= grow(_differs(self._bare, shown), LEAST)
        stays = without_specks(without_gaps(stays, LETTERS), LEAST)
        if not stays.any():
            return False
        self.mask = stays if self.mask is None else self.mask | stays
        self._known = shown
        return True


def _differs(one: Image, other: Image) -> Mask:
    """Where two looks differ by more than noise."""
    change = cv2.absdiff(cv2.blur(one, (3, 3)), cv2.blur(other, (3, 3)))
    return np.asarray(change.max(axis=2) > MOVED)
