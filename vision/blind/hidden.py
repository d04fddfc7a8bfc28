"""The cells that a hand covers, and how much of each the picture shows."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.blind.chances import cell_of
from vision.blind.columns import Columns
from vision.disc_finder.flat_map import HIGH, MARGIN, STEP
from vision.disc_finder.network import Grid
from vision.geometry.board_measures import BARS

HAND = 0.0025
"""The part of the map that a hand must cover to be one: some fingers."""
MARKED = 0.1
"""The network's chance of a hand above which a place counts as a part of one (measured:
docs/vision-blind.md)."""
HIDDEN = 0.015
"""The part of a cell (its half of a column, rim to middle) that a hand must cover before the cell is left
unsaid: a fingertip."""


def covered(hand: Grid, board: Columns) -> frozenset[Cell]:
    """The cells that a hand covers."""
    hand = np.maximum(hand, _hull(hand > MARKED))
    return frozenset(cell for cell, part in _parts(board, 0.5) if float(hand[part].mean()) > HIDDEN)


def in_view(seen: Grid, board: Columns) -> dict[Cell, float]:
    """How much (0-1) of cells the picture shows; nothing where it shows all of them."""
    if seen.min() >= 1:
        return {}
    return {cell: float(seen[part].mean()) for cell, part in _parts(board, 0.4)}


def _hull(marked: NDArray[np.bool_]) -> Grid:
    """1 on the convex hull of what is marked, 0 elsewhere (rows x columns): of an arm the network marks the
    hand and where it crosses the rim, and may miss what is between."""
    hull = np.zeros(marked.shape, np.uint8)
    rows, columns = np.nonzero(marked)
    if len(rows):
        cv2.fillConvexPoly(hull, cv2.convexHull(np.stack([columns, rows], axis=1).astype(np.int32)), 1)
    return hull.astype(np.float32)


def _parts(board: Columns, wide: float) -> Iterator[tuple[Cell, tuple[slice, slice]]]:
    """Every cell's part of the grid, so far (pitches) to either side of its axis."""
    first, middle, last = MARGIN // STEP, HIGH // STEP // 2, (HIGH - MARGIN) // STEP
    for column, axis in enumerate(board.axes):
        across = _across(axis, wide * board.pitch)
        yield cell_of(column, True), (slice(first, middle), across)
        yield cell_of(column, False), (slice(middle, last), across)
    across = _across(board.middle, wide * max(board.bar, 0.8) * board.pitch)
    yield from ((cell, (slice(first, last), across)) for cell in BARS)


def _across(middle: float, far: float) -> slice:
    return slice(int((middle - far) / STEP), int((middle + far) / STEP) + 1)
