"""Finding the playing surface by itself: straight lines make candidates, the start position chooses.

A board is full of long straight lines (rims, bar, table edge), and most pairs of them are not the surface's. But only under the right four
corners do thirty discs of two colours appear where the start position has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Looks
from vision import appearance, camera, kinds
from vision.board import Geometry
from vision.calibrate import calibrate, flatten
from vision.camera import Corner
from vision.errors import CalibrationError
from vision.frame import Image

WORK = 800
"""Longer side of the picture in which lines are looked for."""
LINES = 13
"""Most lines of each direction that are combined."""
SLANT = 0.26
"""Steepest slant of a side against the picture's, in radians (15 degrees)."""
LEAST, MOST_SHAPE, LEAST_SHAPE = 0.25, 0.95, 0.6
"""Least part of the picture's height and width between two sides; bounds of height over width."""
STEPS = (0.03, 0.012, 0.005)
"""By how much sides are moved, in picture widths."""
TRIED, AGAIN = 8, 2
"""How many of the best candidates are calibrated in full, and how often each with the corners that it corrected itself."""


def find(image: Image, geometry: Geometry | None = None, looks: Looks | None = None, kind: str = "checkers") -> list[Corner]:
    """The corners of the surface in a picture of a known position (default: the start), in the order of ``calibrate``.

    Raises CalibrationError where no four lines make a board with the known position on it."""
    candidates = _quads(image)
    scored = []
    for quad in candidates:
        score = _score(image, quad, geometry or Geometry(), looks, kind)
        if score is not None:
            scored.append((score, quad))
    scored.sort(key=lambda pair: pair[0])
    climbed = [_climb(image, quad, score, geometry or Geometry(), looks, kind) for score, quad in scored[:TRIED]]
    climbed.sort(key=lambda pair: pair[0])
    best: tuple[float, list[Corner]] | None = None
    for _, quad in climbed:
        for _ in range(AGAIN):
            try:
                rig = calibrate(image, quad, geometry, looks, kind=kind)
            except CalibrationError:
                break
            merit = len(rig.quality.wrong) + rig.quality.reprojection + rig.quality.corner_error
            outline = rig.camera.project(camera.rectangle(rig.measures.width, rig.measures.height))
            quad = [(float(x), float(y)) for x, y in outline]
            if len(rig.quality.wrong) <= 1 and (best is None or merit < best[0]):
                best = (merit, quad)
    if best is None:
        raise CalibrationError("the board is not found by itself; give its four corners")
    return best[1]


def _climb(
    image: Image, quad: list[Corner], score: float, geometry: Geometry, looks: Looks | None, kind: str
) -> tuple[float, list[Corner]]:
    """Move one side after the other, by less and less, while that brings order to the discs."""
    for step in STEPS:
        better = True
        while better:
            better = False
            for one, two in ((0, 1), (1, 2), (2, 3), (3, 0)):
                along = np.subtract(quad[two], quad[one])
                across = np.array([along[1], -along[0]]) / max(float(np.linalg.norm(along)), 1e-9) * step * image.shape[1]
                for sign in (-1, 1):
                    moved = list(quad)
                    for corner in (one, two):
                        moved[corner] = (quad[corner][0] + sign * float(across[0]), quad[corner][1] + sign * float(across[1]))
                    now = _score(image, moved, geometry, looks, kind)
                    if now is not None and now < score - 1e-3:
                        quad, score, better = moved, now, True
    return score, quad


def _quads(image: Image) -> list[list[Corner]]:
    scale = WORK / max(image.shape[:2])
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    height, width = small.shape[:2]
    edges = cv2.Canny(cv2.GaussianBlur(small, (0, 0), 1.6), 25, 70)
    found = cv2.HoughLinesP(edges, 1, np.pi / 720, 40, minLineLength=0.08 * height, maxLineGap=8)
    segments = np.zeros((0, 4)) if found is None else np.asarray(found, np.float64).reshape(-1, 4)
    flat = _bundle(segments, width, height, upright=False)
    steep = _bundle(segments, width, height, upright=True)
    quads = []
    for (top, bottom), (left, right) in product(combinations(flat, 2), combinations(steep, 2)):
        corners = [_meet(bottom, left), _meet(bottom, right), _meet(top, right), _meet(top, left)]
        wide = np.linalg.norm(np.subtract(corners[1], corners[0])) + np.linalg.norm(np.subtract(corners[2], corners[3]))
        high = np.linalg.norm(np.subtract(corners[3], corners[0])) + np.linalg.norm(np.subtract(corners[2], corners[1]))
        if high > 2 * LEAST * height and wide > 2 * LEAST * width and LEAST_SHAPE < high / wide < MOST_SHAPE:
            quads.append([(x / scale, y / scale) for x, y in corners])
    return quads


def _bundle(segments: NDArray[np.float64], width: int, height: int, upright: bool) -> list[NDArray[np.float64]]:
    """The strongest distinct lines of one direction, as (a, b, c) with a x + b y = c, from top to bottom or left to right."""
    along = segments[:, 2:] - segments[:, :2]
    lengths = np.linalg.norm(along, axis=1)
    level = np.abs(along[:, 0 if upright else 1]) < np.sin(SLANT) * lengths
    segments, along, lengths = segments[level], along[level], lengths[level]
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(lengths[:, None], 1e-9)
    normals *= np.where(normals[:, 0 if upright else 1] < 0, -1.0, 1.0)[:, None]
    offsets = np.sum(normals * segments[:, :2], axis=1)
    # A rim is broken by whatever stands before it: all segments that lie on a line speak for it.
    ends = np.stack([np.abs(segments[:, i : i + 2] @ normals.T - offsets) for i in (0, 2)])
    support = np.where(ends.max(axis=0) < 2.5, lengths[:, None], 0.0).sum(axis=0)
    across, beside = (0, 1) if upright else (1, 0)
    middles = (offsets - normals[:, beside] * (height if upright else width) / 2) / normals[:, across]
    kept: list[int] = []
    for index in np.argsort(-support):
        if all(abs(middles[index] - middles[other]) > 4 for other in kept):
            kept.append(int(index))
        if len(kept) == LINES:
            break
    return [np.array([*normals[index], offsets[index]]) for index in sorted(kept, key=lambda entry: middles[entry])]


def _meet(one: NDArray[np.float64], other: NDArray[np.float64]) -> Corner:
    x, y = np.linalg.solve(np.stack([one[:2], other[:2]]), [one[2], other[2]])
    return float(x), float(y)


def _score(image: Image, quad: Sequence[Corner], geometry: Geometry, looks: Looks | None, kind: str) -> float | None:
    """How disorderly the known pieces' discs are under these corners; None where they cannot be a board's."""
    sort = kinds.get(kind)
    size = (image.shape[1], image.shape[0])
    known = looks if looks is not None else sort.start()
    try:
        camera.check(quad, size)
        best = None
        for loose in sort.measures(geometry, quad, size)[:: 1 if geometry.measures() else 4]:
            eye, off = camera.from_corners(quad, loose.base.width, loose.base.height, size, camera.USUAL_FOCAL * size[0])
            flat = flatten(sort, eye, loose.base)
            values = appearance.logs(flat.lay(image))
            for lie in sort.lies:
                spots = sort.spots(loose.base, known, lie)
                places = np.array([flat.at([(x, y)], z)[0] for _, x, y, z in spots])
                labels = np.array([sort.pieces.index(piece) for piece, *_ in spots])
                value = appearance.disorder(values, places, labels) + 0.02 * off
                best = value if best is None else min(best, value)
    except CalibrationError:
        return None
    return best
