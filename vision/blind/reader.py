"""Reading blind: a board never seen before, of which nothing is known but its four corners.

White is the lighter side. What stands in a tray is not looked at: where a person says on which side of the
board the tray is, and it is in view, the checkers that are nowhere on the board are said to be in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look
from engine.messages import phrase
from vision.blind import counts, hidden, trust
from vision.blind.cast_shade import cast_shade
from vision.blind.chances import cell_of, chances
from vision.blind.columns import BAR, PLAIN, POOR, Columns, find_columns
from vision.blind.counts import Chance, FullRow, Pairs
from vision.blind.even_light import even_light
from vision.blind.full_rows import look_closer
from vision.blind.sides import tell_sides
from vision.blind.tops import PlacedTop, place_tops
from vision.disc_finder.flat_map import HIGH, MARGIN, WIDE, FlatMap, lay_flat
from vision.disc_finder.network import Marks, find_marks
from vision.errors import ImageError
from vision.geometry.board_measures import BARS, Geometry, other_home, picture_side
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, Image
from vision.reading import COVERED, Reading, Spot, without


def read_blind(
    image: Image,
    corners: Sequence[Corner],
    geometry: Geometry | None = None,
    stock: int | None = 15,
    together: bool = True,
) -> Reading:
    """What stands on a board with these corners (pixels: bottom-left, bottom-right, top-right, top-left of
    the playing surface, up to five pixels off; a board that lies turned in the picture has them in its own
    order). ``geometry``: what a person knows of the board; only the bar's width, and where tray and home
    are, are used.
    ``stock``: the game's checkers a side; None: nothing is concluded from their number. ``together``: what
    stands elsewhere says something of each cell, too; else it only helps to tell the sides.

    ``marks`` of the reading are in pixels of the picture. Raises CalibrationError for corners that no board
    could have, and ImageError where the picture is blurred, or nothing between them looks like a backgammon
    board."""
    if geometry is None or geometry.home is None or not _mirrored(corners, geometry.home):
        return _read(image, corners, geometry, stock, together)
    reading = _read(*_in_a_mirror(image, corners, geometry), stock, together)
    last = image.shape[1] - 1
    marks = {
        cell: [(piece, last - x, y, radius) for piece, x, y, radius in spots]
        for cell, spots in reading.marks.items()
    }
    return replace(reading, marks=marks)


def _read(
    image: Image, corners: Sequence[Corner], geometry: Geometry | None, stock: int | None, together: bool
) -> Reading:
    """As :func:`read_blind`, of a board with its home on the usual side."""
    flat = lay_flat(Frame(image).image, corners)
    trust.FlatScene(flat.image).refuse_blurred()
    marks = _find_marks(flat)
    board = _find_board(marks, geometry)
    tops = place_tops(marks, board, flat.image)
    something = float(marks.hand.mean()) > hidden.HAND
    hand = something and hidden.reaches_in(marks.hand, flat.seen)
    light = even_light(flat.image, marks.hand, board, tops)
    cast = cast_shade(light, board, tops)
    sides = tell_sides(flat.image, tops, board.pitch, light.light, light.shade, cast, stock)
    rows = look_closer(image, flat, light, board, tops, sides)
    view = hidden.in_view(flat.seen, board)
    unseen = {cell for cell, part in view.items() if part < 0.95}  # corners are clicked a few pixels off
    over = ends = frozenset[Cell]()
    if something:
        over, ends = hidden.covered(marks.hand, board, tops, light, hand)
    unseen |= over
    ends -= unseen
    cells = _count(chances(board, tops, sides), rows, unseen, ends)
    if stock is not None and together:
        cells = _conserve(cells, stock, bool(unseen), _tray_in_view(geometry, flat, image))
    unclear = {cell for cell in ends if max(cells[cell].values()) < COVERED.clear}
    over, unseen = over | unclear, unseen | unclear
    cells = without(cells, unclear)
    beyond = 0 if stock is None else max(sides.seen(tops)) - stock
    scene = trust.FlatScene(flat.image, something and bool(light.shade.any()), flat.fine, beyond, board.sure)
    evidence = Evidence.of(trust.believe(counts.looks(cells, sides.doubt), scene, view))
    looks = evidence.best()
    confidence = {cell: evidence.confidence(cell) for cell in looks}
    marked = _marks(board, tops, looks, flat)
    lying = frozenset() if hand else over
    return Reading(evidence, frozenset(unseen), hand, confidence, looks, marked, lying=lying)


def _mirrored(corners: Sequence[Corner], home: str) -> bool:
    """Whether a board with its ``home`` on this side of the picture is the usual one's mirror image. Raises
    CalibrationError where no board with these corners has it there."""
    left, _, right, _ = np.asarray(corners, np.float64) + np.roll(corners, 1, axis=0)
    across = right - left
    if home not in (picture_side(across), picture_side(-across)):
        raise other_home()
    return home != picture_side(across)


def _in_a_mirror(
    image: Image, corners: Sequence[Corner], geometry: Geometry
) -> tuple[Image, Sequence[Corner], Geometry]:
    """The same board with its home on the usual side."""
    bottom_left, bottom_right, top_right, top_left = ((image.shape[1] - 1 - x, y) for x, y in corners)
    tray = {"left": "right", "right": "left"}.get(geometry.tray or "", geometry.tray)
    return (
        np.ascontiguousarray(image[:, ::-1]),
        [bottom_right, bottom_left, top_left, top_right],
        replace(geometry, tray=tray),
    )


def in_own_order(image: Image, corners: Sequence[Corner]) -> Sequence[Corner]:
    """The same corners in the board's own order: they may have been told as the picture has them, of a board
    that lies turned a quarter; its columns of points show that. Raises CalibrationError for corners that no
    board could have."""

    def sure(told: Sequence[Corner]) -> float:
        marks = find_marks(lay_flat(Frame(image).image, told).image)
        return find_columns(marks.axis, marks.bar).sure

    turned = [*corners[1:], corners[0]]
    return turned if sure(corners) < PLAIN <= sure(turned) else corners


def opinion(
    image: Image, corners: Sequence[Corner], geometry: Geometry, stock: int
) -> Mapping[Cell, Mapping[Look, float]]:
    """What every cell that is seen may hold (log-likelihoods of its looks), each by itself. Raises as
    :func:`read_blind`."""
    return read_blind(image, corners, geometry, stock, together=False).evidence.cells


def _find_marks(flat: FlatMap) -> Marks:
    """What the network marks; a hand may come from beyond the picture, but is not seen there."""
    marks = find_marks(flat.image)
    return replace(marks, hand=marks.hand * flat.seen)


def _find_board(marks: Marks, geometry: Geometry | None) -> Columns:
    """Where the points are. Raises ImageError where none are seen."""
    width = None  # the bar's, in pitches
    if geometry and geometry.bar is not None:
        pitch = geometry.pitch or ((geometry.width - geometry.bar) / 12 if geometry.width else None)
        width = geometry.bar / pitch if pitch else None
    board = find_columns(marks.axis, marks.bar, width)
    if board.sure < POOR:
        raise ImageError(
            phrase(
                "no points of a backgammon board are seen between these corners; check the corners and "
                "their order"
            )
        )
    return board


def _count(
    tops: Mapping[Cell, Sequence[Chance]],
    rows: Mapping[Cell, FullRow],
    unseen: Collection[Cell],
    ends: Collection[Cell],
) -> dict[Cell, Pairs]:
    """How many checkers stand on each cell that is seen, each by itself. ``ends``: those whose row may go on
    under something."""
    return {
        cell: counts.bar(here) if cell == counts.ONE_BAR else counts.point(here, rows.get(cell), cell in ends)
        for cell, here in tops.items()
        if (BARS[0] if cell == counts.ONE_BAR else cell) not in unseen
    }


def _conserve(cells: dict[Cell, Pairs], stock: int, hidden: bool, tray: bool) -> dict[Cell, Pairs]:
    """The same where a side has its stock on the board but for what is borne off, and where a ``tray`` is in
    view, what is. Where places are ``hidden``, no more than its stock is on the others."""
    if hidden:
        return counts.conserve(cells, counts.totals((False, False), stock, hidden))
    on_board = counts.totals(counts.all_home(cells), stock)
    gone = {"off": counts.borne_off(cells, on_board)} if tray else {}
    return counts.conserve(cells, on_board) | gone


def _tray_in_view(geometry: Geometry | None, flat: FlatMap, image: Image) -> bool:
    """Whether the geometry speaks of a tray and the picture shows the place beside the board where one is."""
    tray = geometry.tray if geometry else None
    # A tray is at least about a checker beside the playing surface.
    sides = {"left": MARGIN - 24.0, "right": WIDE - MARGIN + 24.0}
    for x in (x for side, x in sides.items() if tray in (side, "both")):
        places = flat.picture(np.array([(x, MARGIN), (x, HIGH - MARGIN)]))
        if ((places >= 0) & (places < (image.shape[1], image.shape[0]))).all():
            return True
    return False


def _marks(
    board: Columns, tops: Sequence[PlacedTop], looks: Mapping[Cell, Look], flat: FlatMap
) -> dict[Cell, list[Spot]]:
    """Where checkers are seen, in pixels of the picture."""
    marks: dict[Cell, list[Spot]] = {}
    for top in tops:
        if top.seen:
            cells = BARS if top.column == BAR else (cell_of(top.column, top.upper),)
            cell = max(cells, key=lambda name: len(looks.get(name, ())))
            if piece := looks.get(cell, ()):
                middle, edge = flat.picture(np.array([(top.x, top.y), (top.x + board.pitch / 2, top.y)]))
                radius = float(np.linalg.norm(edge - middle))
                marks.setdefault(cell, []).append((piece[0], float(middle[0]), float(middle[1]), radius))
    return marks
