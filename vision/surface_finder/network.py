"""The network that sees where in a picture a board's playing surface lies, and the outlines that follow.

It looks at the whole picture at once, ``SIDE`` pixels square, and marks the surface and its four corners. It
has seen nothing but drawn and painted boards among drawn things (``training/surfaces``), so what it finds is
proposed: whether a board lies there is for others to prove.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import onnx_file
from vision.disc_finder.flat_map import STEP
from vision.disc_finder.network import Grid, peaks
from vision.geometry.camera import Floats
from vision.picture.frame import Image

WEIGHTS = Path(__file__).with_name("surface_finder.onnx.xz")
SIDE = 224
"""Pixels of the square that the network sees."""
GRID = SIDE // STEP
"""Rows and columns of its answers."""
FAINT = -4.0
"""Log-odds from which a mark may be a corner."""
CORNERS = 8
"""Marks that are tried as corners."""
SURFACE = 12.0
"""What it is worth that an outline holds the marked surface and no more, against log-odds of its corners."""
PARTS, APART = 3, 0.8
"""How many surfaces are looked at, and how surely what lies between two is a part of neither, or of both."""
AROUND = 0.22
"""What is looked at around a surface, at the second look, in parts of its longer side."""
LARGE = 0.92
"""A picture of which a surface with what is around it takes this part is not looked at twice."""


@dataclass(frozen=True)
class Found:
    """An ``outline`` (4 x 2, pixels of the picture, against the clock as the picture shows it) that may be a
    surface's, and how well it fits the marks."""

    fits: float
    outline: Floats


def surfaces(image: Image) -> list[Found]:
    """The outlines that fit best what the network marks, seen from as near as they allow: the best first. Of
    several surfaces (a diagram beside a stream's board) each is looked at."""
    far = _looked(image, np.zeros(2))
    nearer = [each for part in far for each in _nearer(image, part[0].outline)]
    return sorted((each for part in [*nearer, *far] for each in part), key=lambda each: -each.fits)


def _nearer(image: Image, outline: Floats) -> list[list[Found]]:
    """What is seen where only this outline is looked at, and what is around it."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    around = AROUND * float((high - low).max())
    low = np.maximum(np.floor(low - around), 0).astype(int)
    high = np.minimum(np.ceil(high + around), image.shape[1::-1]).astype(int)
    if (high - low).max() > LARGE * max(image.shape[:2]):
        return []
    return _looked(image[low[1] : high[1], low[0] : high[0]], low)


def _looked(image: Image, begins: NDArray[np.integer | np.floating]) -> list[list[Found]]:
    """One look at a part of a picture that ``begins`` there (x, y): the outlines of each surface in it."""
    high, wide = image.shape[:2]
    scale = SIDE / max(high, wide)
    size = max(1, round(wide * scale)), max(1, round(high * scale))
    square, corner = evened(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8))
    corners, surface = onnx_file.answer(WEIGHTS, square[None]).reshape(-1, GRID, GRID)[:2]
    stretch = np.array([wide / size[0], high / size[1]])
    found = (_outlines(corners, part) for part in _parts(1 / (1 + np.exp(-surface))))
    return [
        [Found(each.fits, (each.outline - corner + 0.5) * stretch - 0.5 + begins) for each in some]
        for some in found
        if some
    ]


def evened(small: Image) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """A picture of at most ``SIDE`` pixels as the network sees it (3 x SIDE x SIDE), and where it begins in
    the square (x, y): the lamp's brightness and the lens's contrast say nothing."""
    high, wide = small.shape[:2]
    left, top = (SIDE - wide) // 2, (SIDE - high) // 2
    square = np.zeros((3, SIDE, SIDE), np.float32)
    pixels = small.astype(np.float32)
    pixels = (pixels - pixels.mean()) / (pixels.std() + 8)
    square[:, top : top + high, left : left + wide] = pixels.transpose(2, 0, 1)
    return square, np.array([left, top])


def _parts(surface: Grid) -> Iterator[Grid]:
    """The largest parts of the marked surface that do not touch, each alone."""
    count, labels, sizes, _ = cv2.connectedComponentsWithStats((surface > APART).astype(np.uint8))
    largest = sorted(range(1, count), key=lambda part: -sizes[part, cv2.CC_STAT_AREA])[:PARTS]
    for part in largest:
        around = cv2.dilate((labels == part).astype(np.uint8), np.ones((5, 5), np.uint8))
        yield surface * around


def _outlines(corners: Grid, surface: Grid) -> list[Found]:
    """The outlines (pixels of the square) between marks of corners at a surface, and between its own corners,
    where one of them is covered; the best first."""
    near = cv2.dilate((surface > 0.5).astype(np.uint8), np.ones((5, 5), np.uint8))
    places, cells = peaks(np.where(near > 0, corners, np.float32(-99.0)), FAINT)
    odds = corners[tuple(cells.T)]
    strongest = np.argsort(-odds)[:CORNERS]
    places, odds = places[strongest], odds[strongest]
    for corner in _ends(surface):
        if not len(places) or np.linalg.norm(places - corner, axis=1).min() > 3 * STEP:
            places, odds = np.vstack([places, corner]), np.append(odds, FAINT - 1)
    found = []
    for four in map(list, combinations(range(len(places)), 4)):
        outline = _in_turn(places[four])
        if cv2.isContourConvex(outline.astype(np.float32)):
            within = np.zeros_like(surface)
            on_grid = (outline + 0.5) / STEP - 0.5
            cv2.fillPoly(within, [np.round(on_grid * 16).astype(np.int32)], 1.0, shift=4)
            share = float(np.minimum(within, surface).sum() / np.maximum(within, surface).sum())
            found.append(Found(SURFACE * share + float(np.clip(odds[four], -5, 5).mean()), outline))
    return sorted(found, key=lambda each: -each.fits)


def _ends(surface: Grid) -> Iterator[Floats]:
    """The corners (x, y, pixels of the square) of a marked surface, where it has four."""
    parts, _ = cv2.findContours((surface > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(parts, key=cv2.contourArea))
    for slack in np.linspace(0.02, 0.2, 19):
        ends = cv2.approxPolyDP(hull, slack * cv2.arcLength(hull, True), True)
        if len(ends) <= 4:
            break
    if len(ends) == 4:
        yield from (ends[:, 0] + 0.5) * STEP - 0.5


def _in_turn(four: Floats) -> Floats:
    """Four corners against the clock, the lower left one first (as far as a square has one)."""
    middle = four.mean(axis=0)
    turn = np.arctan2(middle[1] - four[:, 1], four[:, 0] - middle[0])
    return np.asarray(four[np.argsort(turn)], np.float64)
