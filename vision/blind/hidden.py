"""The cells that a hand covers, and how much of each the picture shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from engine.layout import Cell, point_of
from vision.blind.chances import cell_of, diameter, stacks
from vision.blind.columns import Columns
from vision.blind.empty_board import usual
from vision.blind.even_light import EvenLight
from vision.blind.strips import ALONG, DEEP, HALF, strip_order
from vision.blind.tops import PlacedTop
from vision.disc_finder.flat_map import HIGH, MARGIN, STEP
from vision.disc_finder.network import Grid
from vision.geometry.board_measures import BARS, column
from vision.picture.masks import Mask, grow, parts
from vision.reading import COVERED

HAND, HIDDEN = 0.001, 0.015
"""The part of the map that a hand must cover to be one (a finger; measured: docs/vision-blind.md), and of a
cell (its half of a column, rim to middle) before the cell is left unsaid: a fingertip."""
MARKED = 0.1
"""The network's chance of a hand above which a place counts as a part of one (measured:
docs/vision-blind.md)."""
SPECK = 5
"""Cells of the grid up to which a part is a speck (a die's shadow, a clasp at the rim), and no part of a hand
or of a thing: a seventh of a checker's square."""
BARE = 0.25
"""Log units from the usual point within which a place shows bare board."""
SHADY, FREE = 0.4, 0.7
"""The parts of a place where nothing is seen to stand that look bare: up to the first it is in an arm's
shade, or under a part of the thing that the network misses, and from the second on it is plainly free."""


def reaches_in(hand: Grid, seen: Grid) -> bool:
    """Whether a hand comes from beyond what is ``seen`` of the map, as arms do and cups, phones and cards do
    not."""
    edge = grow(seen < 1, 3)
    edge[[0, -1]] = edge[:, [0, -1]] = True
    return any((edge & part).any() for part in parts(hand > MARKED, SPECK))


def covered(
    marked: Grid, board: Columns, tops: Sequence[PlacedTop], light: EvenLight, arm: bool
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """The cells of which an ``arm``, or things that lie on the board, cover so much that what stands there is
    not known, and those of which a row is seen whole, but not whether it goes on under them. No row has a
    gap: where a place beyond its checkers is seen to be bare, nothing stands farther in. Of an arm the
    network marks the hand and where it crosses the rim, and may miss what is between: that is covered, but
    for what is plainly free."""
    things = np.zeros_like(marked)
    for part in parts(marked > MARKED, SPECK):
        things = np.maximum(things, _hull(part))
    thing = np.maximum(things, _hull(marked > MARKED)) if arm else things
    tall = diameter(board, tops)
    rows = {place: [tops[i] for i in row if tops[i].seen] for place, row in stacks(tops).items()}
    bare = np.abs(light.strips - usual(light.strips, light.free)[:, None]).max(axis=-1) < BARE
    strips = {(place, not lower): k for k, (lower, place) in enumerate(zip(*strip_order(), strict=True))}
    hidden, ends = set(), set()
    for cell, (high, across) in _parts(board, 0.5):
        here = thing[high, across]
        if float(here.mean()) <= HIDDEN:
            continue
        number = point_of(cell)
        if number is None:
            hidden.add(cell)
            continue
        upper = number > 12
        place = column(number), upper
        from_rim = here if upper else here[::-1]
        away = [top.y - MARGIN if upper else HIGH - MARGIN - top.y for top in rows.get(place, ())]
        inner = max(away, default=-tall / 2) + tall / 2
        reach = inner + COVERED.next * tall
        asked = slice(*(round(along * ALONG / (DEEP * HALF)) for along in (inner + 0.2 * tall, reach)))
        seen = bare.reshape(24, ALONG, -1)[strips[place], asked]
        free = float(seen.mean()) if seen.size else 0.0
        if free > FREE and float(things[high, across].mean()) <= HIDDEN:
            continue
        own, reached = (from_rim[: round(far / STEP)] for far in (max(inner, tall), reach))
        if float(own.mean()) > COVERED.over or not (away or free > SHADY):
            hidden.add(cell)
        elif free <= FREE or float(reached.sum()) > HIDDEN * here.size:
            ends.add(cell)
    return frozenset(hidden), frozenset(ends)


def in_view(seen: Grid, board: Columns) -> dict[Cell, float]:
    """How much (0-1) of cells the picture shows; nothing where it shows all of them."""
    if seen.min() >= 1:
        return {}
    return {cell: float(seen[part].mean()) for cell, part in _parts(board, 0.4)}


def _hull(marked: Mask) -> Grid:
    """1 on the convex hull of what is marked, 0 elsewhere (rows x columns)."""
    hull = np.zeros(marked.shape, np.uint8)
    rows, columns = np.nonzero(marked)
    if len(rows):
        cv2.fillConvexPoly(hull, cv2.convexHull(np.stack([columns, rows], axis=1).astype(np.int32)), 1)
    return hull.astype(np.float32)


def _parts(board: Columns, wide: float) -> Iterator[tuple[Cell, tuple[slice, slice]]]:
    """Every cell's part of the grid, so far (pitches) to either side of its axis."""
    first, middle, last = MARGIN // STEP, HIGH // STEP // 2, (HIGH - MARGIN) // STEP
    for place, axis in enumerate(board.axes):
        across = _across(axis, wide * board.pitch)
        yield cell_of(place, True), (slice(first, middle), across)
        yield cell_of(place, False), (slice(middle, last), across)
    across = _across(board.middle, wide * max(board.bar, 0.8) * board.pitch)
    yield from ((cell, (slice(first, last), across)) for cell in BARS)


def _across(middle: float, far: float) -> slice:
    return slice(int((middle - far) / STEP), int((middle + far) / STEP) + 1)
