"""A camera that was bumped: by how much, and where the board is now.

The learned surface and the frame, both laid flat with the old calibration, no longer lie on each other. Their
edges say how the one has to be moved to fit the other; the four corners moved so are the corners of a new
calibration.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Camera, Floats, as_corners, rectangle
from vision.geometry.flat import Flat, Map
from vision.picture.sharpness import edges

STILL = 0.8
"""A shift of this many map pixels (a fifteenth of a checker) is no bump yet: reading bears it."""
FITS = 0.9
"""A shift counts if edges then differ by less than this part of what they did."""
ALIKE = 0.55
"""Least correlation of edges that counts as the same board."""
TILES = (9, 6)
"""Parts of the map, across and down, of which each tells by its own edges whether the board lies there."""
EDGED = 0.03
"""How much edges must vary within a part that tells anything (one standard deviation)."""
STAYED = 0.4
"""Correlation of a part's edges from which on it has stayed where it was: pieces come and go."""
CAME = 0.15
"""Levels of edges that differ by more show that something came or went, not that it has moved a little."""
STEPS, CLOSER = 2, 8
"""Of least squares, to tell whether edges have gone, and where; one tells less than half of two map pixels,
and more than eight change nothing."""
CORNERS = np.array([[-0.8, 0.8, 0.8, -0.8], [-0.8, -0.8, 0.8, 0.8]], np.float32)
"""About the surface's, across and down on the map (-1 to 1)."""
HERE, AGAIN = 0.3, 0.6
"""The least part of a board that has stayed, for it to be there, and for it to have been found again."""


def stayed(surface: Map, values: Map) -> float:
    """The part (0-1) of the board whose edges lie in the frame where they lie on the surface. With hands and
    whatever pieces it was 0.8 and more; where the camera zoomed by 7%, at most 0.22 (docs/vision.md)."""
    return _stayed(_edges(surface), _edges(values))


def _stayed(before: Map, now: Map) -> float:
    def mean(values: Map) -> Map:
        return np.asarray(cv2.resize(values, TILES, interpolation=cv2.INTER_AREA))

    one, other = mean(before), mean(now)
    varies, also = (mean(each * each) - middle * middle for each, middle in ((before, one), (now, other)))
    together = mean(before * now) - one * other
    edged = varies > EDGED**2
    alike = together > STAYED * np.sqrt(varies * np.maximum(also, 1e-9))
    return float((alike & edged).sum() / edged.sum()) if edged.any() else 1.0


def moved_by(surface: Map, values: Map) -> float:
    """How far (map pixels; of more than two it may say less) the frame lies from the surface: 0 where nothing
    can be said, or reading bears it, infinite where hardly any of the board lies where it lay."""
    before, now = _edges(surface), _edges(values)
    if _stayed(before, now) < HERE:
        return math.inf
    far = max(_shift(before, now), float(np.linalg.norm(_drift(before, now), axis=1).max()))
    return far if far > STILL else 0.0


def _shift(before: Map, now: Map) -> float:
    """By how many pixels all edges were shifted, the same way; 0 where nothing can be said."""
    window = _window(before)
    moved, response = cv2.phaseCorrelate(before, now, window)
    if response <= 0.05:
        return 0.0
    # A few bold pieces that came to the board can turn the correlation's head: a camera that was moved moves
    # every edge.
    way = np.array([[1, 0, moved[0]], [0, 1, moved[1]]], np.float32)
    shifted = cv2.warpAffine(before, way, before.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    there = np.asarray(shifted, np.float32)
    # What differs much at one pixel (by 0.2) is something that came, and counts no more.
    apart = [float((np.minimum(np.abs(each - now), 0.2) * window).sum()) for each in (before, there)]
    return math.hypot(*moved) if apart[1] < FITS * apart[0] else 0.0


def _drift(before: Map, now: Map, steps: int = STEPS) -> NDArray[np.float32]:
    """How many pixels edges have gone near each corner (4 x 2, as ``CORNERS``), by least squares
    (Gauss-Newton) at half the resolution: a camera that sinks, turns, leans or comes nearer, too little to be
    seen as a shift. What differs much at one pixel is something that came, and does not count."""
    before, now = _halved(before), _halved(now)
    high, wide = before.shape
    rows, columns = np.mgrid[0:high, 0:wide].astype(np.float32)
    ways = _ways(2 * columns / wide - 1, 2 * rows / high - 1)
    slopes = [cv2.Sobel(before, cv2.CV_32F, *along, scale=1 / 8) for along in ((1, 0), (0, 1))]
    tells = np.einsum("wdrc,drc->wrc", ways, np.asarray(slopes)).reshape(len(ways), -1)
    gone, there = np.zeros(len(ways), np.float32), now
    for step in range(steps):
        off = (there - before).ravel()
        counts = tells * (np.abs(off) < CAME)
        gone -= np.linalg.solve(counts @ tells.T + 1e-3 * np.eye(len(ways), dtype=np.float32), counts @ off)
        if step + 1 < steps:
            x, y = np.tensordot(gone, ways, 1)
            there = _taken(now, columns + x, rows + y)
    return np.asarray(2 * np.tensordot(gone, _ways(*CORNERS), 1).T, np.float32)


def _ways(across: Map, down: Map) -> Map:
    """How places (-1 to 1) move across and down in each of the eight ways of a homography (8 x 2 x …)."""
    no, one = np.zeros_like(across), np.ones_like(across)
    plain = (one, across, down)
    leans = [(part * across, part * down) for part in (across, down)]
    return np.asarray([*((part, no) for part in plain), *((no, part) for part in plain), *leans], np.float32)


def _halved(values: Map) -> Map:
    return np.asarray(cv2.pyrDown(values), np.float32)


def _taken(values: Map, columns: Map, rows: Map) -> Map:
    taken = cv2.remap(values, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(taken, np.float32)


def camera_now(flat: Flat, size: tuple[float, float], surface: Map, values: Map) -> Camera | None:
    """The camera of ``flat`` where it is now, by a frame; None if the board (``size``: width and height in
    cm) is not recognised in it."""
    start, finish = _edges(surface), _edges(values)
    warp = _gone_a_little(start, finish)
    if warp is None:
        warp = _gone_far(start, finish)
    return None if warp is None else camera_after(flat, size, np.asarray(warp, np.float64))


def _gone_a_little(before: Map, now: Map) -> NDArray[np.float32] | None:
    """Where edges have gone (3 x 3), if hardly further than two pixels; None where they are not found so.
    Pieces that came do not turn its head."""
    if _stayed(before, now) < HERE:
        return None
    high, wide = before.shape
    corners = np.asarray((CORNERS.T + 1) / 2 * (wide, high), np.float32)
    gone = np.asarray(corners + _drift(before, now, CLOSER), np.float32)
    warp = np.asarray(cv2.getPerspectiveTransform(corners, gone), np.float32)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    back = cv2.warpPerspective(now, warp, (wide, high), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return warp if _stayed(before, np.asarray(back, np.float32)) >= AGAIN else None


def _gone_far(before: Map, now: Map) -> NDArray[np.float32] | None:
    """The same of edges that all went about the same way, however far."""
    moved, _ = cv2.phaseCorrelate(before, now, _window(before))
    guess = np.array([[1, 0, moved[0]], [0, 1, moved[1]], [0, 0, 1]], np.float32)
    everywhere = np.full(before.shape, 255, np.uint8)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-5)
    try:
        alike, warp = cv2.findTransformECC(before, now, guess, cv2.MOTION_HOMOGRAPHY, criteria, everywhere, 5)
    except cv2.error:
        return None
    return None if alike < ALIKE else np.asarray(warp, np.float32)


def camera_after(flat: Flat, size: tuple[float, float], warp: Floats) -> Camera | None:
    """The camera of ``flat`` once the board went where ``warp`` (3 x 3, of map places) brings it; None where
    no camera sees it so."""
    corners = rectangle(*size)
    on_map = flat.at(corners[:, :2]).astype(np.float32)
    now = cv2.perspectiveTransform(on_map.reshape(-1, 1, 2), np.asarray(warp, np.float32)).reshape(-1, 2)
    lens = flat.camera
    try:
        return camera.from_corners(as_corners(flat.picture(now)), *size, lens.size, lens.focal, lens.k1)[0]
    except CalibrationError:
        return None


def _edges(values: Map) -> NDArray[np.float32]:
    return np.minimum(edges(np.ascontiguousarray(values[..., 0])), 1.0)


def _window(luma: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.createHanningWindow(luma.shape[::-1], cv2.CV_32F), np.float32)
