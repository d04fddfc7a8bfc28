"""From marked tops to each cell's chances of checkers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.layout import Cell
from vision.blind import counts
from vision.blind.columns import BAR, Columns
from vision.blind.sides import Sides
from vision.blind.tops import PlacedTop, usual_height
from vision.disc_finder.flat_map import FIELD, MARGIN

SLOPE = 2.5
"""From the network's log-odds of a top to honest ones."""
UNDECIDED = 8.0
"""Log-odds that a top belongs to its nearest place and not to the next one, for each pitch that the next one
is farther."""
ASTRAY = 3.0
"""Log-odds against a top for each diameter that it lies away from the stack or the rim that it should
touch."""


def cell_of(column: int, upper: bool) -> Cell:
    """The point in a column's upper or lower half."""
    return f"p{13 + column}" if upper else f"p{12 - column}"


def stacks(tops: Sequence[PlacedTop]) -> dict[tuple[int, bool], list[int]]:
    """Which tops (by number) stand on each point (column, upper), from the rim inward."""
    found: dict[tuple[int, bool], list[int]] = {}
    for i in sorted(range(len(tops)), key=lambda i: tops[i].y * (1 if tops[i].upper else -1)):
        if tops[i].column != BAR:
            found.setdefault((tops[i].column, tops[i].upper), []).append(i)
    return found


def chances(board: Columns, tops: Sequence[PlacedTop], sides: Sides) -> dict[Cell, list[counts.Chance]]:
    """Each cell's tops as chances, both bars' as one cell's. A top between two columns is a smaller chance in
    each."""
    points = [cell_of(column, upper) for upper in (False, True) for column in range(12)]
    found: dict[Cell, list[counts.Chance]] = {cell: [] for cell in (*points, counts.ONE_BAR)}
    lost = _astray(board, tops)
    heights = {place: sum(tops[i].seen for i in members) for place, members in stacks(tops).items()}
    for i, top in enumerate(tops):
        white = _chance(float(sides.white[i]))
        here = _chance(SLOPE * top.odds - lost[i])
        settled = _chance(UNDECIDED * top.margin)
        high = heights.get((top.column, top.upper), 0)
        # A second layer is seldom where fewer than five tops are seen, and nowhere under three.
        double = 0.0 if high < 3 else _chance(top.double + {3: -5.0, 4: -2.0}.get(high, 0.0))
        for column, part in ((top.column, settled), (top.second, 1 - settled)):
            if here * part >= 1e-3:
                cell = counts.ONE_BAR if column == BAR else cell_of(column, top.upper)
                found[cell].append(counts.Chance(here * part, double, white))
    return found


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(odds, -30.0), 30.0)))


def _astray(board: Columns, tops: Sequence[PlacedTop]) -> list[float]:
    """Log-odds against each top for lying where no checker of a stack would: away from its rim and from its
    neighbours."""
    tall = diameter(board, tops)
    out = [0.0] * len(tops)
    for (_, upper), members in stacks(tops).items():
        rim = MARGIN if upper else MARGIN + FIELD[1]
        members.sort(key=lambda i: abs(tops[i].y - rim))
        edge = 0.0
        for i in members:
            depth = abs(tops[i].y - rim)
            gap = (depth - edge) / tall - 0.5
            out[i] = ASTRAY * min(max(gap - 0.6, 0.0), 3.0)  # nearer than 0.6 diameters is stacked loosely
            if tops[i].odds - out[i] > 0:
                edge = depth + tall / 2
    return out


def diameter(board: Columns, tops: Sequence[PlacedTop]) -> float:
    """A checker's height on the map (see :func:`usual_height`)."""
    column = np.array([top.column for top in tops], np.int64)
    seen = np.array([top.seen for top in tops], bool)
    return usual_height(column, np.array([top.y for top in tops], float), seen, board.pitch)
