"""Reading blind: a board never seen before, of which nothing is known but its four corners.

The board is laid flat (``blind_map``), a small network marks the checkers' tops, the points' axes, the bar and hands (``blind_net``),
the axes give the twelve columns and the bar's width (``blind_board``), each top goes to its point or to the bar (``blind_tops``) and to
one of two sides by colour (``blind_sides``), and the chances of all tops together, with fifteen checkers a side, are the
chances of each count (``blind_counts``).

White is the lighter side. Where borne-off checkers lie is not known of such a board, so nothing is said about them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece
from vision import blind_counts as counts
from vision.blind_board import POOR, Columns, columns
from vision.blind_light import falling
from vision.blind_map import FIELD, HIGH, MARGIN, STEP, lay
from vision.blind_net import Grid, Sight, look
from vision.blind_sides import Sides, sides
from vision.blind_tops import BAR, Top, place
from vision.board import Geometry
from vision.camera import Corner
from vision.errors import ImageError
from vision.frame import Image
from vision.read import Reading

BARS = ("bar.white", "bar.black")
SLOPE, BIAS = 2.5, 0.0
"""From the network's log-odds of a top to honest ones."""
UNDECIDED = 8.0
"""Log-odds that a top belongs to its nearest place and not to the next one, for each pitch that the next one is farther."""
ASTRAY = 3.0
"""Log-odds against a top for each diameter that it lies away from the stack or the rim that it should touch."""
LOOSE = 0.6
"""How far apart checkers of a stack may lie without that, in diameters."""
LAYERED = {3: -5.0, 4: -2.0}
"""Log-odds added to a second layer where fewer than five tops are seen; under three it is never believed."""
HIDDEN = 0.015
"""The part of a cell (its half of a column, rim to middle) that a hand must cover before the cell is left unsaid: a fingertip."""
HAND = 0.0025
"""The part of the map that a hand must cover to be one."""


def read_blind(image: Image, corners: Sequence[Corner], geometry: Geometry | None = None) -> Reading:
    """What stands on a board with these corners (pixels: bottom-left, bottom-right, top-right, top-left of the playing surface, up to
    five pixels off; a board that lies turned in the picture has them in its own order). ``geometry``: what a person knows of the board;
    only the bar's width is used.

    ``marks`` of the reading are in pixels of the flat map. Raises CalibrationError for corners that no board could have, and ImageError
    where nothing between them looks like a backgammon board."""
    flat = lay(image, corners)
    sight = look(flat.image)
    board = columns(sight.axis, sight.bar, _bar_width(geometry))
    if board.sure < POOR:
        raise ImageError("no points of a backgammon board are seen between these corners; check the corners and their order")
    tops = place(sight, board)
    whose = sides(flat.image, tops, board.pitch, falling(flat.image, sight, board, tops))
    return weigh(sight, board, tops, whose)


def weigh(sight: Sight, board: Columns, tops: list[Top], whose: Sides) -> Reading:
    """The reading that these tops make."""
    hand = float(sight.hand.mean()) > HAND
    occluded = _occluded(sight.hand, board) if hand else frozenset()
    points, bar = _chances(board, tops, whose)
    rows: dict[Cell, dict[int, float]] = {cell: counts.point(chances) for cell, chances in points.items() if cell not in occluded}
    onbar = counts.bar(bar) if BARS[0] not in occluded else {(0, 0): 1.0}
    if not occluded:
        rows, onbar = counts.together(rows, onbar, _home(rows, onbar))
    raw = {cell: counts.looks(_renamed(row, whose.doubt)) for cell, row in rows.items()}
    if BARS[0] not in occluded:
        for side, cell in enumerate(BARS):
            raw[cell] = _bar_looks(onbar, side, whose.doubt)
    evidence = Evidence.of({cell: {seen: math.log(max(chance, 1e-9)) for seen, chance in row.items()} for cell, row in raw.items()})
    looks = evidence.best()
    return Reading(evidence, occluded, hand, {cell: evidence.confidence(cell) for cell in looks}, looks, _marks(board, tops, looks))


def draw(image: Image, corners: Sequence[Corner], reading: Reading) -> Image:
    """A copy of the picture with every checker that was read: ringed in its side's shade, amber where the cell is unsure."""
    flat = lay(image, corners)
    canvas = image.copy()
    turns = np.linspace(0, 2 * np.pi, 25)
    for cell, marks in reading.marks.items():
        sure = reading.confidence.get(cell, 0.0) >= 0.9
        for piece, x, y, radius in marks:
            ring = flat.picture(np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], axis=1)).round().astype(np.int32)
            for colour, width in (
                ((255, 255, 255) if piece == "white" else (30, 30, 30), 4),
                ((80, 200, 60) if sure else (0, 170, 255), 2),
            ):
                cv2.polylines(canvas, [ring], True, colour, width, cv2.LINE_AA)
    return canvas


def _bar_width(geometry: Geometry | None) -> float | None:
    """The bar's width in pitches, where it is known."""
    if geometry is None or geometry.bar is None:
        return None
    pitch = geometry.pitch or ((geometry.width - geometry.bar) / 12 if geometry.width else None)
    return geometry.bar / pitch if pitch else None


def cell_of(column: int, upper: bool) -> Cell:
    """The point in a column's upper or lower half."""
    return f"p{13 + column}" if upper else f"p{12 - column}"


def _chances(board: Columns, tops: list[Top], whose: Sides) -> tuple[dict[Cell, list[counts.Chance]], list[counts.Chance]]:
    """Each cell's tops as chances. A top between two columns is a smaller chance in each."""
    points: dict[Cell, list[counts.Chance]] = {cell_of(c, upper): [] for upper in (False, True) for c in range(12)}
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
    """Log-odds against each top for lying where no checker of a stack would: away from its rim and from its neighbours."""
    tall = _diameter(board, tops)
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


def _diameter(board: Columns, tops: list[Top]) -> float:
    """A checker's height on the map: the usual distance of neighbours in a stack, or what a pitch makes likely."""
    sure = sorted((t.column, t.y) for t in tops if t.odds > 0 and t.column != BAR)
    steps = [b[1] - a[1] for a, b in pairwise(sure) if a[0] == b[0] and 0.6 < (b[1] - a[1]) / board.pitch < 1.3]
    return float(np.median(steps)) if len(steps) >= 4 else 0.95 * board.pitch


def _occluded(hand: Grid, board: Columns) -> frozenset[Cell]:
    """The cells that a hand covers."""
    found: set[Cell] = set()
    rows = {True: slice(MARGIN // STEP, HIGH // STEP // 2), False: slice(HIGH // STEP // 2, (HIGH - MARGIN) // STEP)}
    for column in range(12):
        cols = slice(int((board.axes[column] - board.pitch / 2) / STEP), int((board.axes[column] + board.pitch / 2) / STEP) + 1)
        found |= {cell_of(column, upper) for upper, part in rows.items() if float(hand[part, cols].mean()) > HIDDEN}
    wide = max(board.bar, 0.8) * board.pitch / 2
    if float(hand[:, int((board.middle - wide) / STEP) : int((board.middle + wide) / STEP) + 1].mean()) > HIDDEN:
        found |= set(BARS)
    return frozenset(found)


def _home(rows: dict[Cell, dict[int, float]], onbar: dict[tuple[int, int], float]) -> tuple[bool, bool]:
    """Whether each side's checkers are all in one quarter of the board, so that some may be borne off."""
    best = {cell: max(row, key=lambda count: row[count]) for cell, row in rows.items()}
    bar = max(onbar, key=lambda pair: onbar[pair])

    def settled(sign: int, waiting: int) -> bool:
        return not waiting and len({(int(cell[1:]) - 1) // 6 for cell, count in best.items() if count * sign > 0}) <= 1

    return settled(1, bar[0]), settled(-1, bar[1])


def _renamed(row: dict[int, float], doubt: float) -> dict[int, float]:
    """The same chances where the two sides' names may be the wrong way round."""
    every = set(row) | {-count for count in row}
    return {count: (1 - doubt) * row.get(count, 0.0) + doubt * row.get(-count, 0.0) for count in every}


def _bar_looks(onbar: dict[tuple[int, int], float], side: int, doubt: float) -> dict[Look, float]:
    out: dict[Look, float] = {}
    piece = ("white", "black")[side]
    for pair, chance in onbar.items():
        for part, count in ((1 - doubt, pair[side]), (doubt, pair[1 - side])):
            seen: Look = (piece,) * count
            out[seen] = out.get(seen, 0.0) + part * chance
    return out


def _marks(board: Columns, tops: list[Top], looks: dict[Cell, Look]) -> dict[Cell, list[tuple[Piece, float, float, float]]]:
    marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
    for top in tops:
        if top.odds <= 0:
            continue
        cells = BARS if top.column == BAR else (cell_of(top.column, top.upper),)
        cell = max(cells, key=lambda name: len(looks.get(name, ())))
        if piece := looks.get(cell, ()):
            marks.setdefault(cell, []).append((piece[0], top.x, top.y, board.pitch / 2))
    return marks
