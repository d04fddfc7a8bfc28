"""From marked tops to each cell's chances of checkers, and the cells that a hand covers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.blind import counts
from vision.blind.board import Columns
from vision.blind.sides import Sides
from vision.blind.tops import BAR, Top
from vision.disc_finder.flat_map import FIELD, HIGH, MARGIN, STEP
from vision.disc_finder.network import Grid

BARS = ("bar.white", "bar.black")
SLOPE, BIAS = 2.5, 0.0
"""From the network's log-odds of a top to honest ones."""
UNDECIDED = 8.0
"""Log-odds that a top belongs to its nearest place and not to the next one, for each pitch that the next one
is farther."""
ASTRAY = 3.0
"""Log-odds against a top for each diameter that it lies away from the stack or the rim that it should
touch."""
LOOSE = 0.6
"""How far apart checkers of a stack may lie without that, in diameters."""
LAYERED = {3: -5.0, 4: -2.0}
"""Log-odds added to a second layer where fewer than five tops are seen; under three it is never believed."""
MARKED = 0.1
"""The network's chance of a hand above which a place counts as a part of one (measured:
docs/vision-blind.md)."""
HIDDEN = 0.015
"""The part of a cell (its half of a column, rim to middle) that a hand must cover before the cell is left
unsaid: a fingertip."""
SEEN, WHOLE, CUT = 0.95, 0.99, 0.4
"""How much of a cell the picture must show to be read at all, and as well as others; and what counts of the
log-chances between: a checker at the rim of which a tenth is missing may pass for bare board, and corners are
clicked a few pixels off."""


def cell_of(column: int, upper: bool) -> Cell:
    """The point in a column's upper or lower half."""
    return f"p{13 + column}" if upper else f"p{12 - column}"


def chances(
    board: Columns, tops: list[Top], whose: Sides
) -> tuple[dict[Cell, list[counts.Chance]], list[counts.Chance]]:
    """Each cell's tops as chances. A top between two columns is a smaller chance in each."""
    points: dict[Cell, list[counts.Chance]] = {
        cell_of(c, upper): [] for upper in (False, True) for c in range(12)
    }
    bar: list[counts.Chance] = []
    lost = _astray(board, tops)
    heights: dict[tuple[int, bool], int] = {}
    for top in tops:
        if top.odds > 0:
            heights[top.column, top.upper] = heights.get((top.column, top.upper), 0) + 1
    for i, top in enumerate(tops):
        white = _chance(float(whose.white[i]))
        here = _chance(SLOPE * top.odds + BIAS - lost[i])
        settled = _chance(UNDECIDED * top.margin)
        seen = heights.get((top.column, top.upper), 0)
        double = 0.0 if seen < 3 or top.column == BAR else _chance(top.double + LAYERED.get(seen, 0.0))
        for column, part in ((top.column, settled), (top.second, 1 - settled)):
            if here * part < 1e-3:
                continue
            chance = counts.Chance(here * part, double, white)
            (bar if column == BAR else points[cell_of(column, top.upper)]).append(chance)
    return points, bar


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(odds, -30.0), 30.0)))


def _astray(board: Columns, tops: list[Top]) -> list[float]:
    """Log-odds against each top for lying where no checker of a stack would: away from its rim and from its
    neighbours."""
    tall = diameter(board, tops)
    out = [0.0] * len(tops)
    stacks: dict[tuple[int, bool], list[int]] = {}
    for i, top in enumerate(tops):
        if top.column != BAR:
            stacks.setdefault((top.column, top.upper), []).append(i)
    for (_, upper), members in stacks.items():
        rim = MARGIN if upper else MARGIN + FIELD[1]
        members.sort(key=lambda i: abs(tops[i].y - rim))
        edge = 0.0
        for i in members:
            depth = abs(tops[i].y - rim)
            gap = (depth - edge) / tall - 0.5
            out[i] = ASTRAY * min(max(gap - LOOSE, 0.0), 3.0)
            if tops[i].odds - out[i] > 0:
                edge = depth + tall / 2
    return out


def diameter(board: Columns, tops: Sequence[Top]) -> float:
    """A checker's height on the map: the usual distance of neighbours in a stack, or what a pitch makes
    likely."""
    sure = sorted((t.column, t.y) for t in tops if t.odds > 0 and t.column != BAR)
    steps = [
        b[1] - a[1] for a, b in pairwise(sure) if a[0] == b[0] and 0.6 < (b[1] - a[1]) / board.pitch < 1.3
    ]
    return float(np.median(steps)) if len(steps) >= 4 else 0.95 * board.pitch


def between(marked: NDArray[np.bool_]) -> Grid:
    """1 on the convex hull of what is marked, 0 elsewhere (rows x columns): of an arm the network marks the
    hand and where it crosses the rim, and may miss what is between."""
    hull = np.zeros(marked.shape, np.uint8)
    rows, columns = np.nonzero(marked)
    if len(rows):
        cv2.fillConvexPoly(hull, cv2.convexHull(np.stack([columns, rows], axis=1).astype(np.int32)), 1)
    return hull.astype(np.float32)


def occluded(hand: Grid, board: Columns) -> frozenset[Cell]:
    """The cells that a hand covers."""
    hand = np.maximum(hand, between(hand > MARKED))
    return frozenset(cell for cell, part in _parts(board, 0.5) if float(hand[part].mean()) > HIDDEN)


def in_view(seen: Grid, board: Columns) -> dict[Cell, float]:
    """What counts of the log-chances of cells that the picture cuts off: nothing where it does not show
    them."""
    shown = {cell: float(seen[part].mean()) for cell, part in _parts(board, 0.4)}
    return {cell: CUT if part >= SEEN else 0.0 for cell, part in shown.items() if part < WHOLE}


def _parts(board: Columns, wide: float) -> Iterator[tuple[Cell, tuple[slice, slice]]]:
    """Every cell's part of the grid, so far (pitches) to either side of its axis."""
    upper, lower = slice(MARGIN // STEP, HIGH // STEP // 2), slice(HIGH // STEP // 2, (HIGH - MARGIN) // STEP)
    for column in range(12):
        columns = _between(board.axes[column], wide * board.pitch)
        yield cell_of(column, True), (upper, columns)
        yield cell_of(column, False), (lower, columns)
    for cell in BARS:
        yield (
            cell,
            (
                slice(upper.start, lower.stop),
                _between(board.middle, wide * max(board.bar, 0.8) * board.pitch),
            ),
        )


def _between(middle: float, far: float) -> slice:
    return slice(int((middle - far) / STEP), int((middle + far) / STEP) + 1)
