"""Landmarks of a learned surface: small parts of it that stay where they are, and where a frame shows them
now.

A hand or new pieces hide some of them; a camera that was moved moves them all, and all alike. So a few that
are where they were say that nothing moved, and many that agree on another place say where the surface went.
Single ones may have been pushed a little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Floats
from vision.geometry.flat import Map

ALIKE = 0.6
"""Least correlation at which a landmark is recognised."""
NEAR = 6
"""How far around its place a landmark is looked for in every picture, in map pixels."""
FAR = 64
"""How far once the surface has gone."""
AGREE = 2.5
"""How far landmarks may lie from where the found movement takes them, in map pixels."""
ENOUGH = 0.35
"""The part of all landmarks that must be found for the surface to be recognised elsewhere."""


@dataclass(frozen=True)
class Landmarks:
    """``places`` (N x 2: column, row of the map) and ``radius`` (map pixels) of the parts of ``surface`` (its
    luma)."""

    surface: NDArray[np.float32]
    places: NDArray[np.int64]
    radius: int

    @property
    def _nowhere(self) -> NDArray[np.int64]:
        return np.zeros((len(self.places), 2), np.int64)

    def displacement(self, values: Map) -> float:
        """How far (map pixels) the surface has gone at its farthest landmark; infinite where too little of it
        is seen near where it was: then it is hidden, or far away. 0 without landmarks."""
        if not len(self.places):
            return 0.0
        off, alike = self._seen(values, self._nowhere, NEAR)
        seen = alike > ALIKE
        if seen.sum() < max(4, 0.12 * len(off)):
            return math.inf
        fit = _movement(self.places[seen], off[seen])
        if fit is None or fit[1] < max(4, 0.6 * seen.sum()):
            return math.inf
        there = cv2.perspectiveTransform(self.places[:, None].astype(np.float64), fit[0])[:, 0]
        return float(np.hypot(*(there - self.places).T).max())

    def at_home(self, values: Map) -> float:
        """The part of the landmarks that is where it was."""
        off, alike = self._seen(values, self._nowhere, 3)
        return float(np.mean((alike > ALIKE) & (np.hypot(*off.T) < AGREE))) if len(off) else 0.0

    def moved(self, values: Map, reach: int = FAR) -> Floats | None:
        """The movement (3 x 3, of map places) that brings the surface to where the frame shows it, up to
        ``reach`` map pixels away; None where too few landmarks agree."""
        if not len(self.places):
            return None
        voted = self._voted(self._responses(values, self._nowhere, reach))
        off, alike = self._seen(values, voted, int(2 * AGREE))
        seen = alike > ALIKE
        if seen.sum() < max(6, ENOUGH * len(off)):
            return None
        fit = _movement(self.places[seen], off[seen])
        return None if fit is None or fit[1] < max(6, ENOUGH * len(off)) else fit[0]

    def _voted(self, responses: NDArray[np.float32]) -> NDArray[np.int64]:
        """Where each landmark went (N x 2) by the turn and the way for which most of them speak."""
        reach = responses.shape[1] // 2
        clear = np.clip(responses - ALIKE / 2, 0, None)
        middle, best, found = self.places.mean(axis=0), -1.0, self._nowhere
        for turn in np.radians(np.arange(-6, 6.1, 1.5)):
            spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]) - np.eye(2)
            far = np.round((self.places - middle) @ spin.T).astype(np.int64)
            votes = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
            for (across, down), each in zip(far.tolist(), clear, strict=True):
                if max(abs(across), abs(down)) < reach:
                    to = tuple(slice(max(0, -step), 2 * reach + 1 - max(0, step)) for step in (down, across))
                    of = tuple(slice(max(0, step), 2 * reach + 1 - max(0, -step)) for step in (down, across))
                    votes[to] += each[of]
            votes = cv2.GaussianBlur(votes, (0, 0), 1.5)
            row, column = np.unravel_index(int(np.argmax(votes)), votes.shape)
            if votes[row, column] > best:
                best, found = float(votes[row, column]), far + np.array([column - reach, row - reach])
        return found

    def _seen(
        self, values: Map, around: NDArray[np.int64], reach: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """How far each landmark seems to be from its place (N x 2, within ``reach`` of ``around``), and how
        alike it looks there (N)."""
        side = 2 * reach + 1
        responses = self._responses(values, around, reach).reshape(len(around), side**2)
        best = responses.argmax(axis=1)
        return np.stack([best % side - reach, best // side - reach], axis=1) + around, responses.max(axis=1)

    def _responses(self, values: Map, around: NDArray[np.int64], reach: int) -> NDArray[np.float32]:
        """The correlation of each landmark with every place within ``reach`` of where it was, moved by
        ``around`` (N x rows x columns)."""
        r = self.radius
        edge = r + reach + int(np.abs(around).max(initial=0))
        wide = cv2.copyMakeBorder(
            np.ascontiguousarray(values[..., 0]), edge, edge, edge, edge, cv2.BORDER_REPLICATE
        )
        known = cv2.copyMakeBorder(self.surface, r, r, r, r, cv2.BORDER_REPLICATE)
        found = np.zeros((len(self.places), 2 * reach + 1, 2 * reach + 1), np.float32)
        for index, ((column, row), (across, down)) in enumerate(
            zip(self.places.tolist(), around.tolist(), strict=True)
        ):
            patch = known[row : row + 2 * r + 1, column : column + 2 * r + 1]
            left, top = column + across + edge - r - reach, row + down + edge - r - reach
            window = wide[top : top + 2 * (r + reach) + 1, left : left + 2 * (r + reach) + 1]
            found[index] = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
        return np.asarray(np.clip(np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0), -1, 1), np.float32)


def _movement(places: NDArray[np.int64], off: NDArray[np.int64]) -> tuple[Floats, int] | None:
    """The movement (3 x 3) on which most of these landmarks agree, and how many do."""
    start, there = places.astype(np.float64), (places + off).astype(np.float64)
    if len(start) < 10:  # too few to believe a turn
        way = np.median(off, axis=0)
        agree = int((np.hypot(*(off - way).T) < AGREE).sum())
        return np.array([[1.0, 0.0, way[0]], [0.0, 1.0, way[1]], [0.0, 0.0, 1.0]]), agree
    plain, agreed = cv2.estimateAffinePartial2D(start, there, method=cv2.RANSAC, ransacReprojThreshold=AGREE)
    own = agreed.ravel() > 0
    if not own.any():
        return None
    if own.sum() >= 24:  # enough to believe that the surface is seen from another side
        whole, _ = cv2.findHomography(start[own], there[own], 0)
        if whole is not None:
            return np.asarray(whole, np.float64), int(own.sum())
    return np.vstack([np.asarray(plain, np.float64), [0.0, 0.0, 1.0]]), int(own.sum())
