"""Where a board of checkers may lie in a picture of any position: outlines, the likeliest first.

A network that sees the whole picture proposes them. Under the right one the network that reads boards blind
sees points and rims where they should be, and it is moved to these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeVar

import cv2
import numpy as np

from vision.blind.columns import Columns, find_columns
from vision.disc_finder.flat_map import GRID, HIGH, MARGIN, WIDE, lay_flat
from vision.disc_finder.network import Grid, Marks, find_marks, peaks
from vision.errors import CalibrationError
from vision.geometry.camera import Floats, as_corners, rectangle
from vision.picture.frame import Image
from vision.surface_finder.network import Found, surfaces

PROPOSED, REFINED, PROVED = 12, 8, 4
"""How many outlines are looked at, moved to where the marks are, and proposed to be proved."""
NEARLY, OTHER = 0.4, 3.0
"""Columns between the corners of two outlines that are nearly the same, and of two boards."""
SEEN, POOR = 0.97, 0.93
"""How well the blind reader's marks must fit an outline (1 is usual) for it to be proposed first, and at all:
tried first, one that fits 0.95 was learned a column off."""
FITS, MOVED = 0.03, 0.1
"""What it is worth how well an outline fits what was seen of the whole picture, and what it costs that it was
moved, for each column. Twelve columns look like twelve others to the blind reader's network, which was shown
whole boards alone: an outline that is a column off fits nearly as well."""
BESIDE = 0.03
"""What each checker beside an outline costs."""
TRAYED, TRAYS = 3, (0.0, 0.08, 0.13)
"""Of how many outlines trays at the ends are taken off, too, and what one takes of their width: the network
may have taken them for the surface."""
WITHOUT = 2.0
"""How much worse one without a tray fits what was seen."""


@dataclass(frozen=True)
class _Fitting:
    """How well everything fits an ``outline``, and how ``sure`` the blind reader's marks are of it."""

    value: float
    sure: float
    outline: Floats
    proposed: Floats

    def ways(self) -> Iterator[Floats]:
        """The outline as it was moved, as it was proposed, and between the two: a calibration may fail by a
        hair's breadth."""
        yield self.outline
        yield self.proposed
        yield (self.outline + self.proposed) / 2


Each = TypeVar("Each", Found, _Fitting)


def outlines(image: Image) -> Iterator[Floats]:
    """Outlines (4 x 2, pixels: bottom-left, bottom-right, top-right, top-left) that may be the board's: first
    those that fit well, then those that fit poorly. Of one board only what fits best: a column off, it may be
    proved, too."""
    found = list(islice(_different(surfaces(image), NEARLY), PROPOSED))
    # Upright, and turned a quarter: which sides are a board's long ones the corners alone do not tell.
    likely = [Found(each.fits, np.roll(each.outline, turn, axis=0)) for each in found for turn in (0, 1)]
    likely += [inner for each in likely[: 2 * TRAYED] for inner in _between_trays(each)]
    best = sorted(likely, key=lambda each: -_refined(image, each.outline, 1)[0])[:REFINED]
    fitting = [each for each in (_fitting(image, proposed) for proposed in best) if each.sure >= POOR]
    ranked = sorted(fitting, key=lambda each: (each.sure < SEEN, -each.value))
    for each in islice(_different(ranked, OTHER), PROVED):
        yield from each.ways()


def _between_trays(found: Found) -> Iterator[Found]:
    """The same without what may be trays at its ends."""
    unit = rectangle(1, 1)[:, :2]
    warp = cv2.getPerspectiveTransform(unit.astype(np.float32), found.outline.astype(np.float32))
    for left, right in islice(product(TRAYS, TRAYS), 1, None):
        inner = unit * (1 - left - right, 1) + (left, 0)
        yield Found(found.fits - WITHOUT, cv2.perspectiveTransform(inner[None], warp)[0])


def _fitting(image: Image, proposed: Found) -> _Fitting:
    """An outline, moved to where the blind reader's marks are, and how well everything fits it then."""
    sure, moved = _refined(image, proposed.outline, 4)
    far = float(np.linalg.norm(moved - proposed.outline, axis=1).mean()) / _column(moved)
    return _Fitting(sure + FITS * proposed.fits - MOVED * far, sure, moved, proposed.outline)


def _column(outline: Floats) -> float:
    """About the width of a column, in pixels."""
    return float(np.linalg.norm(outline[1] - outline[0])) / 13


def _different(found: list[Each], columns: float) -> Iterator[Each]:
    """The first of those whose corners are not so many columns apart."""
    taken: list[Floats] = []
    for each in found:
        far = columns * _column(each.outline)
        if all(np.linalg.norm(each.outline - other, axis=1).max() > far for other in taken):
            taken.append(each.outline)
            yield each


def _refined(image: Image, outline: Floats, looks: int) -> tuple[float, Floats]:
    """The outline moved to where the marks say that sides and rims are, as long as that makes it better, in
    at most so many looks: how sure they are of it, and the outline."""
    best = (0.0, outline)
    for _ in range(looks):
        try:
            flat = lay_flat(image, as_corners(outline))
        except CalibrationError:
            break
        marks = find_marks(flat.image)
        columns = find_columns(marks.axis, marks.bar)
        sure = columns.sure - BESIDE * _beside(marks)
        if sure > best[0]:
            best = (sure, outline)
        moved = flat.picture(_moved(marks, columns))
        if np.abs(moved - outline).max() < 1:
            break
        outline = moved
    return best


def _beside(marks: Marks) -> int:
    """How many checkers stand left or right of the surface, where no column should be."""
    tops, _ = peaks(marks.top)
    x, y = tops.T
    beside = (x < MARGIN) | (x > WIDE - MARGIN)
    return int((beside & (y > MARGIN) & (y < HIGH - MARGIN)).sum())


def _moved(marks: Marks, columns: Columns) -> Floats:
    """Corners (4 x 2) on the map: sides by the columns of either half, rims by where rows begin."""
    lower, upper = (_edges(marks, half) for half in (False, True))
    low, high = HIGH * 25 / 32, HIGH * 7 / 32  # the middles of what ``find_columns`` looks at
    top, bottom = _rims(marks, columns)

    def at(side: int, y: float) -> float:
        return upper[side] + (lower[side] - upper[side]) * (y - high) / (low - high)

    return np.array([(at(0, bottom), bottom), (at(1, bottom), bottom), (at(1, top), top), (at(0, top), top)])


def _edges(marks: Marks, upper: bool) -> tuple[float, float]:
    """The left and the right side by the columns of one half."""

    def twice(grid: Grid) -> Grid:
        half = grid[: GRID[0] // 2] if upper else grid[GRID[0] - GRID[0] // 2 :][::-1]
        return np.concatenate([half, half[-1:].repeat(GRID[0] % 2, axis=0), half[::-1]])

    columns = find_columns(twice(marks.axis), twice(marks.bar))
    return float(columns.axes[0] - columns.pitch / 2), float(columns.axes[11] + columns.pitch / 2)


def _rims(marks: Marks, columns: Columns) -> tuple[float, float]:
    """The y of the upper and the lower rim, where the rows' first checkers lie against them."""
    tops, _ = peaks(marks.top)
    first: tuple[list[float], list[float]] = ([], [])
    gaps: list[float] = []
    for axis, half in product(columns.axes, (0, 1)):
        on_point = tops[np.abs(tops[:, 0] - axis) < 0.35 * columns.pitch, 1]
        deep = np.sort((HIGH - on_point if half else on_point) - MARGIN)
        deep = deep[deep < HIGH / 2 - MARGIN]
        first[half].extend(deep[:1].tolist())
        gaps += [gap for gap in np.diff(deep).tolist() if 15 < gap < 36]
    gap = float(np.median(gaps)) if len(gaps) > 3 else columns.pitch
    upper, lower = (_common(np.array(each), gap) for each in first)
    return MARGIN + upper, HIGH - MARGIN - lower


def _common(first: Floats, gap: float) -> float:
    """How deep the rim lies from which most rows begin; 0 where too few say."""
    if len(first) < 3:
        return 0.0
    near = np.abs(first[:, None] - first) < 0.25 * gap
    return float(np.median(first[near[near.sum(axis=1).argmax()]])) - gap / 2
