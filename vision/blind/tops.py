"""The checkers' tops that the network marks, one by one: where each is, how sure, and which point or bar it
belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.blind.columns import BAR, Columns
from vision.blind.top_colours import colours
from vision.disc_finder.flat_map import FIELD, HIGH, MARGIN, WIDE
from vision.disc_finder.network import Grid, Marks, peaks
from vision.geometry.board_measures import ROW
from vision.geometry.camera import Floats
from vision.picture.frame import Image

LONG = 0.7
"""How much less (diameters) a gap says for each checker by which the row that it ends is longer than five,
up to two."""
UNLIKE, PLAINLY = 1.4, 40.0
"""How much more (diameters) it says where the checkers on either side of it are plainly unlike, by so much
(CIELAB)."""
TOUCHING = 0.2
"""The part of neighbours in a row that are told to lie nearer than those that touch each other do: a mark is
a fiftieth of a checker off, and people leave room, some of them much (docs/vision-blind.md)."""


@dataclass(frozen=True)
class PlacedTop:
    """One top: where it is (map pixels), the log-odds that it is one and that it lies on another checker, and
    the place that it stands at.

    ``column``: 0-11, or BAR. ``upper``: in the board's upper half. ``second``: the column that it would
    belong to otherwise, which is ``margin`` pitches farther away.
    """

    x: float
    y: float
    odds: float
    double: float
    column: int
    upper: bool
    second: int
    margin: float

    @property
    def seen(self) -> bool:
        """Whether it is likelier than not."""
        return self.odds > 0


def place_tops(marks: Marks, board: Columns, flat: Image) -> list[PlacedTop]:
    """Every top that is marked on this ``flat`` map with its place, the surest first."""
    places, cells = strongest(marks.top, board.pitch)
    inside = (np.abs(places - (WIDE / 2, HIGH / 2)) < np.array(FIELD) / 2 + 0.7 * board.pitch).all(axis=1)
    places, (rows, cols) = places[inside], cells[inside].T
    odds, double = marks.top[rows, cols].astype(np.float64), marks.double[rows, cols]
    shift, stretch = find_lean(board, places[:, 0], 1 / (1 + np.exp(-odds)))
    zones = np.append(board.axes, board.middle)
    zones = zones + shift + stretch * (zones - WIDE / 2)
    off = np.abs(places[:, :1] - zones) / board.pitch
    if board.bar < 0.3:
        # Hardly a bar: a checker there lies right on the line, all others belong to the points.
        off[:, BAR] += 0.25
    order = np.argsort(off, axis=1)[:, :2]
    margin = np.diff(np.take_along_axis(off, order, axis=1), axis=1)[:, 0]
    tall = usual_height(order[:, 0], places[:, 1], odds > 0, board.pitch)
    shades = colours(flat, places, order[:, 0], board.pitch)
    ends = row_ends(order[:, 0], places[:, 1], odds > 0, tall, shades)
    parts = (*places.T, odds, double, order[:, 0], places[:, 1] < ends[order[:, 0]], order[:, 1], margin)
    return [PlacedTop(*top) for top in zip(*(part.tolist() for part in parts), strict=True)]


def row_ends(
    column: NDArray[np.int64], y: Floats, seen: NDArray[np.bool_], tall: float, shades: Floats
) -> Floats:
    """Where (map rows) the upper row of each column and of the bar ends and the lower one begins: in the
    widest gap between the tops that are ``seen``, or between them and the rims, as near as that is to the
    board's middle. Rows of six and more reach beyond it on most boards. Two loose rows may meet there, and
    other gaps be as wide: then ``LONG`` and ``UNLIKE`` part them. ``tall``: a checker's height on the map;
    ``shades``: the tops' colours (N x 3, CIELAB)."""
    found = np.full(BAR + 1, HIGH / 2)
    for place in range(BAR):
        own = np.flatnonzero(seen & (column == place))
        own = own[np.argsort(y[own])]
        stops = np.array([MARGIN, *y[own], HIGH - MARGIN])
        wide = np.diff(stops) / tall
        wide[[0, -1]] += 0.5  # between a rim and a checker that touches it
        unlike = np.linalg.norm(np.diff(shades[own], axis=0), axis=1)
        wide[1:-1] += UNLIKE * np.minimum(unlike / PLAINLY, 1)
        upper = np.arange(len(wide))
        longer = np.maximum(upper, upper[::-1]) - ROW
        widest = int(np.argmax(wide - LONG * np.clip(longer, 0, 2)))
        found[place] = np.clip(HIGH / 2, stops[widest] + 1.0, stops[widest + 1])
    return found


def usual_height(column: NDArray[np.int64], y: Floats, seen: NDArray[np.bool_], pitch: float) -> float:
    """A checker's height on the map: how far apart neighbours in a row are that touch each other, or what a
    ``pitch`` makes likely."""
    sure = np.array(sorted(zip(column[seen & (column != BAR)], y[seen & (column != BAR)], strict=True)))
    if len(sure) > 1:
        along = np.diff(sure[:, 1])[np.diff(sure[:, 0]) == 0]
        steps = along[(0.6 * pitch < along) & (along < 1.3 * pitch)]
        if len(steps) >= 4:
            return float(np.quantile(steps, TOUCHING))
    return 0.95 * pitch


def strongest(top: Grid, pitch: float) -> tuple[Floats, NDArray[np.int64]]:
    """The peaks of the network's map of tops, the surest first: places (N x 2, map pixels) and cells of the
    grid (N x 2: row, column)."""
    places, cells = peaks(top, -3.0)  # log-odds: what is fainter than one in twenty is not looked at
    surest = np.argsort(-top[tuple(cells.T)], kind="stable")
    # The blind reader counts from a pixel's edge, and its networks were trained so.
    places, cells = places[surest] + 0.5, cells[surest]
    # A fainter mark that is nearer than this to another is the same top.
    near = ((places[:, None] - places) ** 2).sum(axis=2) <= (0.4 * pitch) ** 2
    kept: list[int] = []
    for index in range(len(places)):
        if not near[index, kept].any():
            kept.append(index)
    return places[kept], cells[kept]


def find_lean(board: Columns, places: Floats, weight: Floats) -> tuple[float, float]:
    """How checkers' tops are displaced from their points' axes: (shift, stretch), so that a top of the column
    at x is seen at ``x + shift + stretch * (x - WIDE / 2)``. Height moves things away from the camera's foot
    and makes them larger; nothing but the tops found tells by how much. ``places``: the tops' x; ``weight``:
    how sure each is."""
    usual = 0.02  # the stretch of a checker's height under a camera at a usual height
    if len(places) == 0:
        return 0.0, usual
    shifts = np.arange(-0.5, 0.501, 0.04) * board.pitch
    stretches = np.arange(-0.02, 0.061, 0.01)
    shift, stretch = (part.ravel() for part in np.meshgrid(shifts, stretches))
    seen = board.axes + shift[:, None] + stretch[:, None] * (board.axes - WIDE / 2)
    off = np.full((len(shift), len(places)), np.inf)
    for axis in seen.T:
        np.minimum(off, (places - axis[:, None]) ** 2, out=off)
    price = 0.04 * np.abs(shift) + 4 * np.abs(stretch - usual)
    best = int(np.argmax(np.maximum(0, 1 - off / (board.pitch / 2) ** 2) @ weight - price))
    return float(shift[best]), float(stretch[best])
