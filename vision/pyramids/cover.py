"""What pyramids' outlines cover on a map of log odds: how far its pixels speak for a piece, in nats.

Pieces are settled: moved and turned a little until what their outlines cover together speaks for them best.
Together, since a tip may lean over its neighbour: what two outlines share counts once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry.flat import Map
from vision.picture.masks import Mask
from vision.pyramids.measures import PyramidMeasures
from vision.pyramids.outlines import Hull, Outlines, Pyramid, fill

STEP = 0.09
"""Steps along and across a row, in large bases."""
CLOSE = 0.97
"""Least distance of neighbouring pieces, in the mean of their bases."""
TEMPER = 0.03
"""What a pixel's nats are multiplied by: neighbouring pixels say the same."""
PRICE = 5.0
"""Nats that a piece must earn to be believed."""


@dataclass(frozen=True)
class PieceRow:
    """Pieces in a row, and their score in nats."""

    score: float
    pieces: tuple[Pyramid, ...]


@dataclass(frozen=True)
class Cover:
    """Outlines on a part of the map. ``box``: its rows and columns; maps that are asked about have its
    shape."""

    measures: PyramidMeasures
    outlines: Outlines
    box: tuple[slice, slice]

    def under(self, outlines: Outlines) -> Cover:
        """The same part of the map under other outlines."""
        return replace(self, outlines=outlines)

    def settle(self, odds: Map, pieces: tuple[Pyramid, ...]) -> PieceRow:
        """These pieces, moved and turned a little until their outlines together cover what speaks for them
        best."""
        row = list(pieces)
        slide, turn = STEP * self.measures.bases[2], math.radians(10)
        for _ in range(3):  # in steps that are halved each time
            for index in range(len(row)):
                others = [*row[:index], *row[index + 1 :]]
                rest = self._without(odds, others)
                score = self.covered(rest, row[index])
                for dx, dy, dturn in ((slide, 0.0, 0.0), (0.0, slide, 0.0), (0.0, 0.0, turn)):
                    size, x, y, angle = row[index]
                    for sign in (1, -1):
                        trial = (size, x + sign * dx, y + sign * dy, angle + sign * dturn)
                        if not dturn and not self._apart(trial, others):
                            continue
                        if (again := self.covered(rest, trial)) > score:
                            row[index], score = trial, again
                            break
            slide, turn = slide / 2, turn / 2
        score = sum(self.covered(self._without(odds, row[:index]), piece) for index, piece in enumerate(row))
        return PieceRow(score - PRICE * len(row), tuple(row))

    def mask(self, pieces: Iterable[Pyramid], shape: tuple[int, ...]) -> Mask:
        """What these outlines cover of a map of this shape."""
        return self.outlines.mask(pieces, shape, self.box[1].start, self.box[0].start)

    def covered(self, odds: Map, piece: Pyramid) -> float:
        """What the pixels under this outline say, in nats."""
        hull = self._hull(piece)
        left, top, width, height = cv2.boundingRect(hull)
        low, high = max(top // 16, 0), (top + height) // 16 + 2
        near, far = max(left // 16, 0), (left + width) // 16 + 2
        window = odds[low:high, near:far]
        if not window.size:
            return 0.0
        mask = np.zeros(window.shape, np.uint8)
        fill(mask, hull - (16 * near, 16 * low), 1)
        return cv2.mean(window, mask)[0] * cv2.countNonZero(mask) * TEMPER

    def _apart(self, piece: Pyramid, others: Iterable[Pyramid]) -> bool:
        """Whether the others' bases leave room for this one's."""
        size, x, y, _ = piece
        side = self.measures.base(size)
        return all(
            math.hypot(a - x, b - y) >= CLOSE * (side + self.measures.base(other)) / 2
            for other, a, b, _ in others
        )

    def _without(self, odds: Map, pieces: Sequence[Pyramid]) -> Map:
        """The map in which nothing under these outlines says anything."""
        if not pieces:
            return odds
        rest = odds.copy()
        for piece in pieces:
            fill(rest, self._hull(piece), 0.0)
        return rest

    def _hull(self, piece: Pyramid) -> Hull:
        return self.outlines.hull(piece, self.box[1].start, self.box[0].start)
