"""The known pieces laid over the discs that were found: where the board is.

Two discs and two known pieces give a similarity (the board is looked down on, so it is nearly that); the one
under which most known pieces have a disc is improved, piece by piece, to the homography that a tilted camera
makes. Colours are not asked: the calibration does that, and proves what is proposed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_finder.seek import Sighting
from vision.geometry.camera import Floats

TRIED = 60
"""Pairs of known pieces that are laid on every pair of discs, and discs that are looked at, at most: what
bounds the time."""


@dataclass(frozen=True)
class Fit:
    """``warp`` (3 x 3) takes board places (cm) to the picture; ``score`` is how many known pieces have a
    disc, less a little for what is off; ``share`` the part of them that have."""

    warp: Floats
    score: float = 0.0
    share: float = 0.0

    def at(self, places: Floats) -> Floats:
        """Pixels (N x 2) of board places (N x 2)."""
        pixels = cv2.perspectiveTransform(places.reshape(-1, 1, 2), self.warp)
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def across(self, spots: Floats, checker: float) -> float:
        """Pixels across a checker in the middle of known pieces."""
        ends = self.at(spots.mean(axis=0) + np.array([[0, 0], [checker, 0], [0, checker]]))
        return float((np.linalg.norm(ends[1] - ends[0]) + np.linalg.norm(ends[2] - ends[0])) / 2)


def seeds(spots: Floats, checker: float, sighting: Sighting, rng: np.random.Generator) -> list[Fit]:
    """The best similarities that lay known ``spots`` (M x 2, cm; discs of ``checker`` cm) on the sighting's
    discs."""
    found = sighting.places[np.argsort(-sighting.odds)[:TRIED]]
    if len(found) < 4 or len(spots) < 4:
        return []
    cell = sighting.diameter / 6
    low = found.min(axis=0) - 2 * sighting.diameter
    grid = _nearness(found, low, cell, sighting.diameter)
    i, j = (index.ravel() for index in np.indices((len(found), len(found))))
    i, j = i[i != j], j[i != j]
    z, s = found @ np.array([1, 1j]), spots @ np.array([1, -1j])  # y runs down in pictures and up on boards
    results: list[Fit] = []
    size = sighting.diameter / checker
    for a, b in _far_pairs(spots, rng):
        turn = (z[j] - z[i]) / (s[b] - s[a])
        scale = np.abs(turn)
        right = (scale > 0.62 * size) & (scale < 1.5 * size)  # discs may be smaller and larger than sighted
        if not right.any():
            continue
        turn, shift = turn[right], (z[i] - turn * s[a])[right]
        places = turn[:, None] * s + shift[:, None]
        column = np.clip((places.real - low[0]) / cell, 0, grid.shape[1] - 1).astype(np.int32)
        row = np.clip((places.imag - low[1]) / cell, 0, grid.shape[0] - 1).astype(np.int32)
        score = grid[row, column].sum(axis=1)
        for index in np.argsort(-score)[:2]:
            t, o = turn[index], shift[index]
            warp = np.array([[t.real, t.imag, o.real], [t.imag, -t.real, o.imag], [0, 0, 1]])
            results.append(Fit(warp, float(score[index])))
    return sorted(results, key=lambda fit: -fit.score)[:12]


def improved(fit: Fit, spots: Floats, checker: float, found: Floats) -> Fit:
    """The homography that lays the known pieces on their discs, found in steps: a little more freedom and a
    little less reach in each."""
    reach = 1.1
    for step in range(7):
        mine, theirs = _partners(fit.at(spots), found, reach * fit.across(spots, checker))
        if len(mine) < 6:
            break
        known, seen = spots[mine], found[theirs]
        if step < 2 or len(mine) < 9:
            flat = np.column_stack([known, np.ones(len(known))])
            fit = Fit(np.vstack([np.linalg.lstsq(flat, seen, rcond=None)[0].T, [0, 0, 1]]))
        else:
            again, _ = cv2.findHomography(known, seen, 0)
            if again is None or not np.isfinite(again).all():
                break
            fit = Fit(np.asarray(again, np.float64))
        reach = max(0.5, reach * 0.85)
    pixels, diameter = fit.at(spots), fit.across(spots, checker)
    mine, theirs = _partners(pixels, found, 0.5 * diameter)
    off = np.linalg.norm(pixels[mine] - found[theirs], axis=1) / max(diameter, 1e-6)
    inside = _inside(found, pixels, diameter)
    score = float(np.sum(1 - (off / 0.5) ** 2)) - 0.5 * max(0, inside - len(mine))
    return Fit(fit.warp, score, len(mine) / len(spots))


def shifted(fit: Fit, height: float, checker: float) -> list[Fit]:
    """The same fit with the board's lower or upper rim, or both, a checker further in or out: rows whose
    first checker was missed fit nearly as well one place along."""
    return [
        Fit(
            fit.warp
            @ np.array([[1, 0, 0], [0, 1 + (high - low) * checker / height, low * checker], [0, 0, 1]])
        )
        for low, high in product((-1, 0, 1), repeat=2)
    ]


def _inside(found: Floats, pixels: Floats, diameter: float) -> int:
    """How many discs lie within what the known pieces surround: others there speak against the fit."""
    hull = cv2.convexHull(pixels.astype(np.float32))
    return sum(cv2.pointPolygonTest(hull, (float(x), float(y)), True) > -0.3 * diameter for x, y in found)


def _partners(pixels: Floats, found: Floats, reach: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pieces and discs that are each other's nearest."""
    if not len(found):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    apart = np.linalg.norm(pixels[:, None] - found[None], axis=2)
    nearest, back = apart.argmin(axis=1), apart.argmin(axis=0)
    mine = np.flatnonzero((back[nearest] == np.arange(len(pixels))) & (apart.min(axis=1) < reach))
    return mine, nearest[mine]


def _nearness(found: Floats, low: Floats, cell: float, diameter: float) -> Floats:
    """A picture of how near the next disc is: 1 on it, 0 from three quarters of a diameter away."""
    size = np.ceil((found.max(axis=0) + 2 * diameter - low) / cell).astype(int) + 1
    bare = np.full((int(size[1]), int(size[0])), 255, np.uint8)
    at = np.clip(np.round((found - low) / cell).astype(int), 0, size - 1)
    bare[at[:, 1], at[:, 0]] = 0
    away = cv2.distanceTransform(bare, cv2.DIST_L2, 5) * cell / (0.75 * diameter)
    grid = np.maximum(0, 1 - away.astype(np.float64) ** 2)
    grid[[0, -1]] = 0
    grid[:, [0, -1]] = 0
    return np.asarray(grid, np.float64)


def _far_pairs(spots: Floats, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Some pairs of known pieces that lie far apart."""
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    one, two = np.nonzero(np.triu(apart > 0.5 * apart.max()))
    chosen = rng.permutation(len(one))[:TRIED]
    return [(int(one[index]), int(two[index])) for index in chosen]
