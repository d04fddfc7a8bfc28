"""The outline of a sheet in a picture: one piece of paper on a table of another colour.

What is alike the middle of the picture and unlike its edge is the sheet. Its outline has four sides; along
each the edge is looked for again in the full picture, and lines through what is found there meet in the
corners.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Corner, Floats, as_corners
from vision.hexes.grid import Sheet
from vision.light import colour
from vision.picture.frame import Image


@dataclass(frozen=True)
class Plainness:
    """How plain to see a sheet must be. Lengths are parts of the picture's width.

    ``unlike``: how unlike the table it is at least (log units). ``gap``: hex lines and tokens up to so wide
    make no holes in the paper. ``full``: the least part of its own four-sided outline that it fills.
    ``near``: how far from the rough outline a side is looked for; ``clear``: the part of its places where the
    edge must be seen, and ``steep``: how much more alike paper the next pixel inward must be there. ``off``:
    how far off the corners of a sheet of these proportions may be."""

    unlike: float = 0.12
    gap: float = 0.05
    full: float = 0.96
    near: float = 0.012
    clear: float = 0.7
    steep: float = 0.07
    off: float = 0.015


PLAIN = Plainness()


@dataclass(frozen=True)
class FoundSheet:
    """A sheet's ``corners`` (in the order of ``camera.rectangle``), and the part of its sides that was
    ``seen`` as an edge."""

    corners: list[Corner]
    seen: float


def find_outline(image: Image, sheet: Sheet) -> FoundSheet:
    """The sheet's outline, the sheet upright. Raises CalibrationError where none is plain to see."""
    height, width = image.shape[:2]
    shrink = 480 / width  # the outline is sought in a small picture first
    small = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
    rough, like = _four_sides(_like_paper(small)) / shrink, _like_paper(image)
    found = [
        _side(like, start, end, PLAIN.near * width)
        for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True)
    ]
    sides, seen = [line for line, _ in found], [share for _, share in found]
    if min(seen) < PLAIN.clear:
        raise _not_found(
            phrase("only {seen} of a side of the sheet is plain to see", seen=f"{min(seen):.0%}")
        )
    meet = [np.cross(one, other) for one, other in zip(np.roll(sides, 1, axis=0), sides, strict=True)]
    corners = _ordered(np.array([point[:2] / point[2] for point in meet]))
    try:
        _, off = camera.from_corners(corners, *sheet.size, (width, height))
    except CalibrationError as error:
        raise _not_found(phrase("what looks like the sheet is none ({error})", error=str(error))) from error
    if off > PLAIN.off * width:
        raise CalibrationError(
            phrase(
                "what looks like the sheet has other proportions than its cols and rows; check them, or "
                "give the four corners"
            )
        )
    return FoundSheet(corners, float(min(seen)))


def _like_paper(image: Image) -> NDArray[np.float32]:
    """How alike the paper every pixel is: 0 as the picture's edge would be there under the lamp, 1 as the
    picture's middle. Raises CalibrationError where the two are alike."""
    values = colour.logs(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), np.uint8))
    rows, columns = values.shape[:2]
    yy, xx = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j].astype(np.float32)
    rim = np.maximum(np.abs(yy), np.abs(xx)) > 0.94
    design = np.column_stack([np.ones(int(rim.sum())), xx[rim], yy[rim]])
    seen, weights = values[rim].astype(np.float64), np.ones(int(rim.sum()))
    lamp = np.zeros((3, 3))
    for _ in range(6):  # the table varies by 0.15 log units beside the lamp's fall-off
        lamp = np.linalg.lstsq(design * weights[:, None], seen * weights[:, None], rcond=None)[0]
        weights = 1 / (1 + ((seen - design @ lamp) ** 2).sum(axis=1) / 0.15**2)
    table = lamp[0] + xx[..., None] * lamp[1] + yy[..., None] * lamp[2]
    off = values - table
    away = np.median(off[np.maximum(np.abs(yy), np.abs(xx)) < 0.3], axis=0)
    if np.linalg.norm(away) < PLAIN.unlike:
        raise _not_found(phrase("the middle of the picture looks like its edge: no sheet is plain to see"))
    return np.asarray(off @ away / float(away @ away), np.float32)


def _four_sides(like: NDArray[np.float32]) -> Floats:
    """The outline of what is alike paper around the middle (4 x 2 pixels). Raises CalibrationError where it
    has not four sides."""
    rows, columns = like.shape
    levels = np.clip(like * 128 + 64, 0, 255).astype(np.uint8)
    _, paper = cv2.threshold(levels, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    wide = round(PLAIN.gap * columns) | 1
    padded = cv2.copyMakeBorder(paper, wide, wide, wide, wide, cv2.BORDER_CONSTANT, value=0.0)
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((wide, wide), np.uint8))
    # What is thinner, and unlike what is around, is dirt.
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))[wide:-wide, wide:-wide]
    contours, _ = cv2.findContours(np.ascontiguousarray(opened), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    around = [
        contour for contour in contours if cv2.pointPolygonTest(contour, (columns / 2, rows / 2), False) >= 0
    ]
    if not around or cv2.contourArea(around[0]) < 0.1 * rows * columns:
        raise _not_found(phrase("no sheet is plain to see around the middle of the picture"))
    hull = cv2.convexHull(around[0])
    for part in np.linspace(0.01, 0.1, 19):
        sides = cv2.approxPolyDP(hull, float(part) * cv2.arcLength(hull, True), True)
        if len(sides) <= 4:
            break
    full = cv2.contourArea(hull) / cv2.contourArea(sides)
    if len(sides) != 4 or not PLAIN.full < full < 1 / PLAIN.full:
        raise _not_found(phrase("what looks like the sheet has not four straight sides"))
    return np.asarray(sides.reshape(4, 2), np.float64)


def _side(like: NDArray[np.float32], start: Floats, end: Floats, near: float) -> tuple[Floats, float]:
    """The line of one side (homogeneous), and the part of its places where an edge was found on it."""
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    middles = start + np.linspace(0.04, 0.96, 80)[:, None] * (end - start)
    steps = np.arange(-near, near + 1)
    places = (middles[:, None, :] + steps[None, :, None] * across).astype(np.float32)
    u, v = places[..., 0], places[..., 1]
    profile = cv2.remap(like, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(cv2.GaussianBlur(profile, (0, 0), sigmaX=1.5, sigmaY=0.1), np.float64)
    slope = np.abs(np.gradient(profile, axis=1))
    # The edge is where like becomes unlike, the outermost such place: what lies within is lines and tokens.
    rising = bool(profile[:, -5:].mean() > profile[:, :5].mean())
    outward = slope if rising else slope[:, ::-1]
    first = np.argmax(outward > 0.5 * outward.max(axis=1, keepdims=True), axis=1)
    best = np.array(
        [first[n] + int(np.argmax(outward[n, first[n] : first[n] + 4])) for n in range(len(first))]
    )
    at = steps[best] if rising else steps[::-1][best]
    found = middles + at[:, None] * across
    weights = np.ones(len(found))
    normal, offset = across, 0.0
    for _ in range(12):
        middle = np.average(found, axis=0, weights=weights)
        _, _, axes = np.linalg.svd((found - middle) * np.sqrt(weights)[:, None], full_matrices=False)
        normal = np.array([-axes[0][1], axes[0][0]])
        offset = float(normal @ middle)
        weights = 1 / (1 + ((found @ normal - offset) / 1.5) ** 2) ** 2
    steep = outward[np.arange(len(best)), best] > PLAIN.steep
    share = float(((np.abs(found @ normal - offset) < 2.5) & steep).mean())
    return np.array([normal[0], normal[1], -offset]), share


def _not_found(why: str) -> CalibrationError:
    return CalibrationError(phrase("{why}; give its four corners", why=why))


def _ordered(points: Floats) -> list[Corner]:
    """Corners as ``camera.rectangle`` has them, of a sheet that lies about upright."""
    top, bottom = (sorted(half.tolist()) for half in np.split(points[np.argsort(points[:, 1])], 2))
    return as_corners([bottom[0], bottom[1], top[1], top[0]])
