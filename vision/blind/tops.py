"""The checkers' tops that the network marks, one by one: where each is, how sure, and which point or bar it
belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blind.board import Columns, leaning
from vision.disc_finder.flat_map import FIELD, HIGH, MARGIN, STEP, WIDE
from vision.disc_finder.network import Grid, Sight

Floats = NDArray[np.float64]

FAINT = -3.0
"""Log-odds under which a mark is not looked at: one in twenty."""
APART = 0.4
"""Two tops are at least this far apart, in pitches; a fainter mark nearer than that is the same top."""
BAR = 12
"""The bar's place among the columns."""


@dataclass(frozen=True)
class Top:
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


def marks(top: Grid, pitch: float) -> Floats:
    """The peaks of the network's map of tops: rows of x, y (map pixels), log-odds, grid row, grid column; the
    surest first."""
    highest = cv2.dilate(top, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero((top >= highest) & (top > FAINT))
    surest = np.argsort(-top[rows, cols], kind="stable")
    rows, cols = rows[surest], cols[surest]
    chance = np.pad(1 / (1 + np.exp(-top.astype(np.float64))), 1)
    around = chance[rows[:, None, None] + np.arange(3)[:, None], cols[:, None, None] + np.arange(3)]
    mass = around.sum(axis=(1, 2))
    x = (cols + (around[:, :, 2] - around[:, :, 0]).sum(axis=1) / mass + 0.5) * STEP
    y = (rows + (around[:, 2] - around[:, 0]).sum(axis=1) / mass + 0.5) * STEP
    near = (x - x[:, None]) ** 2 + (y - y[:, None]) ** 2 <= (APART * pitch) ** 2
    kept: list[int] = []
    for index in range(len(x)):
        if not near[index, kept].any():
            kept.append(index)
    return np.stack(
        [x, y, top[rows, cols].astype(np.float64), rows.astype(np.float64), cols.astype(np.float64)], axis=1
    )[kept]


def place(sight: Sight, board: Columns) -> list[Top]:
    """Every top with its place, the surest first."""
    found = marks(sight.top, board.pitch)
    near = 0.7 * board.pitch
    inside = (
        (found[:, 0] > MARGIN - near)
        & (found[:, 0] < MARGIN + FIELD[0] + near)
        & (found[:, 1] > MARGIN - near)
        & (found[:, 1] < MARGIN + FIELD[1] + near)
    )
    found = found[inside]
    weight = 1 / (1 + np.exp(-found[:, 2]))
    shift, stretch = leaning(board, found[:, 0], weight)
    zones = np.append(board.axes, board.middle)
    zones = zones + shift + stretch * (zones - WIDE / 2)
    off = np.abs(found[:, :1] - zones) / board.pitch
    if (
        board.bar < 0.3
    ):  # hardly a bar: a checker there lies right on the line, all others belong to the points
        off[:, BAR] += 0.25
    order = np.argsort(off, axis=1) if len(found) else np.zeros((0, 13), np.int64)
    rows, cols = found[:, 3].astype(int), found[:, 4].astype(int)
    return [
        Top(
            x=float(found[i, 0]),
            y=float(found[i, 1]),
            odds=float(found[i, 2]),
            double=float(sight.double[rows[i], cols[i]]),
            column=int(order[i, 0]),
            upper=bool(found[i, 1] < HIGH / 2),
            second=int(order[i, 1]),
            margin=float(off[i, order[i, 1]] - off[i, order[i, 0]]),
        )
        for i in range(len(found))
    ]
