"""What pyramids' outlines cover on a map whose pixels speak for them, in nats.

Pieces are settled: moved and turned a little until what their outlines cover together speaks for them best.
Together, since a tip may lean over its neighbour: what two outlines share counts once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import Map
from vision.pyramids.outlines import Outlines, Piece, Stand

STEP = 0.09
"""Steps along and across a row, in large bases."""
CLOSE = 0.97
"""Least distance of neighbouring pieces, in the mean of their bases."""
TEMPER = 0.03
"""What a pixel's nats are multiplied by: neighbouring pixels say the same."""
PRICE = 5.0
"""Nats that a piece must earn to be believed."""
SETTLING = 3
"""Rounds of moving and turning pieces, in steps that are halved each time."""


@dataclass(frozen=True)
class Row:
    """Pieces in a row, and their score in nats."""

    score: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Cover:
    """Outlines on a part of the map. ``box``: its rows and columns; maps that are asked about have its
    shape."""

    stand: Stand
    outlines: Outlines
    box: tuple[slice, slice]

    def under(self, outlines: Outlines) -> Cover:
        """The same part of the map under other outlines."""
        return replace(self, outlines=outlines)

    def settled(self, part: Map, pieces: tuple[Piece, ...]) -> Row:
        """These pieces, moved and turned a little until their outlines together cover what speaks for them
        best."""
        row = list(pieces)
        slide, turn = STEP * self.stand.bases[2], math.radians(10)
        for _ in range(SETTLING):
            for index in range(len(row)):
                others = [*row[:index], *row[index + 1 :]]
                rest = self._without(part, others)
                score = self.covered(rest, row[index])
                for dx, dy, dturn in ((slide, 0.0, 0.0), (0.0, slide, 0.0), (0.0, 0.0, turn)):
                    size, x, y, angle = row[index]
                    for sign in (1, -1):
                        trial = (size, x + sign * dx, y + sign * dy, angle + sign * dturn)
                        if (not dturn and not self._apart(trial, others)) or (
                            again := self.covered(rest, trial)
                        ) <= score:
                            continue
                        row[index], score = trial, again
                        break
            slide, turn = slide / 2, turn / 2
        score = sum(self.covered(self._without(part, row[:index]), piece) for index, piece in enumerate(row))
        return Row(score - PRICE * len(row), tuple(row))

    def hidden(self, pieces: Iterable[Piece], shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """What these outlines cover of a part of the map of this shape."""
        mask = np.zeros(shape[:2], np.uint8)
        for piece in pieces:
            cv2.fillConvexPoly(mask, self._hull(piece), 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def _apart(self, piece: Piece, others: Iterable[Piece]) -> bool:
        """Whether the others' bases leave room for this one's."""
        size, x, y, _ = piece
        side = self.stand.base(size)
        return all(
            math.hypot(a - x, b - y) >= CLOSE * (side + self.stand.base(other)) / 2
            for other, a, b, _ in others
        )

    def _without(self, part: Map, pieces: Sequence[Piece]) -> Map:
        """The part of the map in which nothing under these outlines says anything."""
        if not pieces:
            return part
        rest = part.copy()
        for piece in pieces:
            cv2.fillConvexPoly(rest, self._hull(piece), 0.0, cv2.LINE_8, 4)
        return rest

    def _hull(self, piece: Piece) -> NDArray[np.int32]:
        return self.outlines.hull(piece, self.box[1].start, self.box[0].start)

    def covered(self, part: Map, piece: Piece) -> float:
        """What the pixels under this outline say, in nats."""
        hull = self._hull(piece)
        left, top, width, height = cv2.boundingRect(hull)
        low, high = max(top // 16, 0), (top + height) // 16 + 2
        near, far = max(left // 16, 0), (left + width) // 16 + 2
        window = part[low:high, near:far]
        if not window.size:
            return 0.0
        mask = np.zeros(window.shape, np.uint8)
        cv2.fillConvexPoly(mask, hull - (16 * near, 16 * low), 1, cv2.LINE_8, 4)
        return cv2.mean(window, mask)[0] * cv2.countNonZero(mask) * TEMPER
