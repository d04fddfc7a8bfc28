"""Where a board may be, by the straight edges in a picture: a playing surface ends at its rims."""

from __future__ import annotations

from itertools import combinations, product

import cv2
import numpy as np

from vision.geometry.camera import Floats
from vision.picture.frame import Image

LONG = 800
"""Pixels of a picture's longer side while edges are looked for."""
SHORT = 20.0
"""Pixels that an edge has at least there."""
APART = 3.0
"""Pixels by which the pieces of one edge may be out of line."""
STEEP = 0.45
"""The slope that an edge has at most against the picture's side that it runs along."""
EDGES = 16
"""How many edges are tried that run across, and as many that run down: those of which most is seen."""
LEAST = 0.15
"""The shortest side of an outline, as a part of the picture's width."""
SHAPES = 0.7, 1.6
"""How much wider than high outlines are: boards are 1 to 1.35 times."""


def outlines(image: Image) -> list[Floats]:
    """Everything (4 x 2, pixels: bottom-left, bottom-right, top-right, top-left) that lies between two edges
    across the picture and two down and has about a board's shape: up to some thousand."""
    scale = LONG / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    high, wide = small.shape[:2]
    pieces = _pieces(np.asarray(small, np.uint8))
    across, down = _edges(pieces), _edges(pieces[:, [1, 0, 3, 2]])
    rows = [_in_order(edges, wide) for edges in combinations(across, 2)]
    columns = [_in_order(edges, high) for edges in combinations(down, 2)]
    found = []
    for (upper, lower), (left, right) in product(rows, columns):
        ends = (lower, left), (lower, right), (upper, right), (upper, left)
        outline = np.array([_crossing(row, column) for row, column in ends])
        sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
        shape = (sides[0] + sides[2]) / (sides[1] + sides[3])
        inside = (outline > -SHORT).all() and (outline < np.array([wide, high]) + SHORT).all()
        if inside and sides.min() > LEAST * wide and SHAPES[0] < shape < SHAPES[1]:
            found.append(outline / scale)
    return found


def _pieces(image: Image) -> Floats:
    """Pieces of straight edges (N x 4: x, y, x, y), in every colour channel for itself: red on green has no
    edge in grey."""
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    found = [detector.detect(channel)[0] for channel in cv2.split(image)]
    return np.concatenate([np.zeros((0, 4)), *(each.reshape(-1, 4) for each in found if each is not None)])


def _edges(pieces: Floats) -> list[tuple[float, float]]:
    """The edges that run along x: y = first + second * x. Pieces that lie in one line are one."""
    run, rise = pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1]
    slope, length = rise / np.where(run == 0, 1e-6, run), np.hypot(run, rise)
    along = (np.abs(slope) < STEEP) & (length > SHORT)
    pieces, slope, length = pieces[along], slope[along], length[along]
    found: list[tuple[float, float, float]] = []
    left = np.ones(len(pieces), bool)
    for longest in np.argsort(-length):
        if not left[longest]:
            continue
        at, by = pieces[longest, 1] - slope[longest] * pieces[longest, 0], slope[longest]
        for _ in range(2):
            off = np.abs(pieces[:, [1, 3]] - at - by * pieces[:, [0, 2]]).max(axis=1)
            own = left & (off < APART)
            own[longest] = True
            x, y = pieces[own][:, [0, 2]].ravel(), pieces[own][:, [1, 3]].ravel()
            by, at = np.polyfit(x, y, 1, w=length[own].repeat(2))
        left &= ~own
        found.append((float(length[own].sum()), float(at), float(by)))
    return [(at, by) for _, at, by in sorted(found, reverse=True)[:EDGES]]


def _in_order(
    edges: tuple[tuple[float, float], tuple[float, float]], size: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The one that is nearer to the picture's beginning, in its middle, before the other."""
    one, two = sorted(edges, key=lambda edge: edge[0] + edge[1] * size / 2)
    return one, two


def _crossing(across: tuple[float, float], down: tuple[float, float]) -> tuple[float, float]:
    """Where two edges meet (x, y)."""
    y = (across[0] + across[1] * down[0]) / (1 - across[1] * down[1])
    return down[0] + down[1] * y, y
