"""Reading blind: a board never seen before, of which nothing is known but its four corners.

The board is laid flat (``blind_map``), a small network marks the checkers' tops, the points' axes, the bar
and hands (``blind_net``), the axes give the twelve columns and the bar's width (``blind_board``), each top
goes to its point or to the bar (``blind_tops``) and to one of two sides by colour (``blind_sides``), and the
chances of all tops together, with fifteen checkers a side, are the chances of each count (``blind_counts``).

White is the lighter side. What stands in a tray is not looked at: where a person says on which side of the
board the tray is, and it is in view, the checkers that are nowhere on the board are said to be in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece
from vision.blind import counts
from vision.blind.board import POOR, Columns, columns
from vision.blind.chances import BARS, cell_of, chances, in_view, occluded
from vision.blind.light import lit
from vision.blind.sides import Sides, sides
from vision.blind.stacks import Row, closely
from vision.blind.tops import BAR, Top, place
from vision.disc_finder.flat_map import HIGH, MARGIN, WIDE, FlatMap, lay
from vision.disc_finder.network import Sight, look
from vision.errors import ImageError
from vision.geometry.board_measures import OFFS, SIDES, Geometry
from vision.geometry.camera import Corner
from vision.light import colour
from vision.picture import sharpness
from vision.picture.frame import Frame, Image
from vision.reading import Reading

GREY = 0.5
"""What the evidence of a grey picture counts: the network does not know that most of what it goes by is
missing."""
TRAY = 24.0
"""How far beside the playing surface a tray is at least, in map pixels: about a checker."""
HAND = 0.0025
"""The part of the map that a hand must cover to be one."""
SOFT, BLURRED, DOUBT = (0.72, 0.82), 0.91, 1.3
"""Blur (see ``sharpness.blur``): where doubt begins and is whole, and from where nothing is read. By whole
DOUBT what the tops say is worth one part in 1 + DOUBT: on pictures blurred by a tenth of a checker and more,
one point in ten was wrong and a third of these sure."""


def read_blind(image: Image, corners: Sequence[Corner], geometry: Geometry | None = None) -> Reading:
    """What stands on a board with these corners (pixels: bottom-left, bottom-right, top-right, top-left of
    the playing surface, up to five pixels off; a board that lies turned in the picture has them in its own
    order). ``geometry``: what a person knows of the board; only the bar's width and the tray's side are used.

    ``marks`` of the reading are in pixels of the flat map. Raises CalibrationError for corners that no board
    could have, and ImageError where the picture is blurred, or nothing between them looks like a backgammon
    board."""
    flat = lay(image, corners)
    blur = sharpness.softness(colour.luma(flat.image))
    if blur > BLURRED:
        raise ImageError("the picture is blurred, or far too small; focus the camera, or clean its lens")
    sight = look(flat.image)
    sight = replace(
        sight, hand=sight.hand * flat.seen
    )  # a hand may come from beyond the picture, but is not seen there
    board = columns(sight.axis, sight.bar, _bar_width(geometry))
    if board.sure < POOR:
        raise ImageError(
            "no points of a backgammon board are seen between these corners; check the corners and their"
            " order"
        )
    tops = place(sight, board)
    lamp = lit(flat.image, sight.hand, board, tops)
    whose = sides(flat.image, tops, board.pitch, lamp.light)
    closer = closely(image, flat, lamp, board, tops, whose)
    trust = (GREY if Frame(flat.image).grey else 1.0) / (1 + DOUBT * float(np.interp(blur, SOFT, (0, 1))))
    return weigh(
        sight,
        board,
        tops,
        whose,
        _tray_in_view(geometry, flat, image),
        trust,
        closer,
        in_view(flat.seen, board),
    )


def weigh(
    sight: Sight,
    board: Columns,
    tops: list[Top],
    whose: Sides,
    trayed: bool = False,
    trust: float = 1.0,
    closer: Mapping[Cell, Row] | None = None,
    view: Mapping[Cell, float] | None = None,
) -> Reading:
    """The reading that these tops make. ``trayed``: a tray is in view, where the checkers stand that are not
    on the board; ``trust``: what part of the log-chances counts; ``closer``: what a closer look at full rows
    said; ``view``: what counts of cells that are cut off."""
    view = view or {}
    hand = float(sight.hand.mean()) > HAND
    unseen = frozenset(cell for cell, part in view.items() if not part)
    hidden = unseen | (occluded(sight.hand, board) if hand else frozenset())
    points, bar = chances(board, tops, whose)
    rows: dict[Cell, dict[int, float]] = {
        cell: counts.point(here, *(closer or {}).get(cell, ()))
        for cell, here in points.items()
        if cell not in hidden
    }
    onbar = counts.bar(bar) if BARS[0] not in hidden else {(0, 0): 1.0}
    gone: tuple[dict[int, float], dict[int, float]] | None = None
    if not hidden:
        home = _home(rows, onbar)
        gone = counts.borne_off(rows, onbar, home) if trayed else None
        rows, onbar = counts.together(rows, onbar, home)
    raw = {cell: counts.looks(_renamed(row, whose.doubt)) for cell, row in rows.items()}
    if BARS[0] not in hidden:
        for side, cell in enumerate(BARS):
            raw[cell] = _bar_looks(onbar, side, whose.doubt)
    if gone:
        raw |= {cell: _off_looks(gone, side, whose.doubt) for side, cell in enumerate(OFFS)}
    worth = {cell: trust * view.get(cell, 1.0) for cell in raw}
    evidence = Evidence.of(
        {
            cell: {seen: worth[cell] * math.log(max(chance, 1e-9)) for seen, chance in row.items()}
            for cell, row in raw.items()
        }
    )
    looks = evidence.best()
    return Reading(
        evidence,
        hidden,
        hand,
        {cell: evidence.confidence(cell) for cell in looks},
        looks,
        _marks(board, tops, looks),
    )


def draw(image: Image, corners: Sequence[Corner], reading: Reading) -> Image:
    """A copy of the picture with every checker that was read: ringed in its side's shade, amber where the
    cell is unsure."""
    flat = lay(image, corners)
    canvas = image.copy()
    turns = np.linspace(0, 2 * np.pi, 25)
    for cell, marks in reading.marks.items():
        sure = reading.confidence.get(cell, 0.0) >= 0.9
        for piece, x, y, radius in marks:
            ring = (
                flat.picture(np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], axis=1))
                .round()
                .astype(np.int32)
            )
            for shade, width in (
                ((255, 255, 255) if piece == "white" else (30, 30, 30), 4),
                ((80, 200, 60) if sure else (0, 170, 255), 2),
            ):
                cv2.polylines(canvas, [ring], True, shade, width, cv2.LINE_AA)
    return canvas


def _bar_width(geometry: Geometry | None) -> float | None:
    """The bar's width in pitches, where it is known."""
    if geometry is None or geometry.bar is None:
        return None
    pitch = geometry.pitch or ((geometry.width - geometry.bar) / 12 if geometry.width else None)
    return geometry.bar / pitch if pitch else None


def _home(rows: dict[Cell, dict[int, float]], onbar: dict[tuple[int, int], float]) -> tuple[bool, bool]:
    """Whether each side's checkers are all in one quarter of the board, so that some may be borne off."""
    best = {cell: max(row, key=lambda count: row[count]) for cell, row in rows.items()}
    bar = max(onbar, key=lambda pair: onbar[pair])

    def settled(sign: int, waiting: int) -> bool:
        return (
            not waiting
            and len({(int(cell[1:]) - 1) // 6 for cell, count in best.items() if count * sign > 0}) <= 1
        )

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


def _off_looks(gone: tuple[dict[int, float], dict[int, float]], side: int, doubt: float) -> dict[Look, float]:
    out: dict[Look, float] = {}
    for part, own in ((1 - doubt, gone[side]), (doubt, gone[1 - side])):
        for count, chance in own.items():
            seen: Look = (SIDES[side],) * count
            out[seen] = out.get(seen, 0.0) + part * chance
    return out


def _tray_in_view(geometry: Geometry | None, flat: FlatMap, image: Image) -> bool:
    """Whether the geometry speaks of a tray and the picture shows the place beside the board where one is."""
    if geometry is None or geometry.tray not in ("right", "left", "both"):
        return False
    sides = {
        "right": (WIDE - MARGIN + TRAY,),
        "left": (MARGIN - TRAY,),
        "both": (MARGIN - TRAY, WIDE - MARGIN + TRAY),
    }[geometry.tray]
    places = flat.picture(np.array([(x, y) for x in sides for y in (MARGIN, HIGH - MARGIN)], np.float64))
    return bool(
        ((places >= 0) & (places < (image.shape[1], image.shape[0])))
        .all(axis=1)
        .reshape(len(sides), 2)
        .all(axis=1)
        .any()
    )


def _marks(
    board: Columns, tops: list[Top], looks: dict[Cell, Look]
) -> dict[Cell, list[tuple[Piece, float, float, float]]]:
    marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
    for top in tops:
        if top.odds <= 0:
            continue
        cells = BARS if top.column == BAR else (cell_of(top.column, top.upper),)
        cell = max(cells, key=lambda name: len(looks.get(name, ())))
        if piece := looks.get(cell, ()):
            marks.setdefault(cell, []).append((piece[0], top.x, top.y, board.pitch / 2))
    return marks
