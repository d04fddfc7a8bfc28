"""Learning pyramids from pictures: one in which it is known what stands where, and perhaps one of the empty
board.

First from whatever has changed where pieces stand, then from under the outlines found there; in between, by
how they lean, where the camera is. Without a picture of the empty board it is put together from what shows
between the pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Looks, name_parts
from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.board_measures import BARS, SIDES, repeats
from vision.geometry.camera import Corner
from vision.geometry.flat import Flat, Map
from vision.hands import changed
from vision.light import colour, lamp
from vision.light.empty_board import check_empty, fill_in
from vision.light.surface import TYPICAL, Surface
from vision.picture.frame import Image
from vision.picture.masks import Mask, grow
from vision.planar import OtherLook
from vision.pyramids.colours import BareBoard, Beside, PieceColours
from vision.pyramids.cover import PieceRow
from vision.pyramids.eye import find_eye
from vision.pyramids.measures import STEEP, PyramidMeasures
from vision.pyramids.reader import PyramidReader
from vision.pyramids.rows import counts_of, side_of
from vision.pyramids.strip import Strip, flat_map, lay_out

SHADOW = 15
"""Map pixels across what a piece's shadow and its reflections reach around each of its own."""
RIM = 5
"""Map pixels across what may still show it around each within its outline."""
OTHERWISE = 3.5 * TYPICAL
"""From what difference on the photograph of the empty board shows something else than the picture with pieces
does between them (of luma and chromas, log units)."""


def calibrate(
    image: Image, corners: Sequence[Corner], measures: PyramidMeasures, looks: Looks, empty: Image | None
) -> PyramidReader:
    """Learn a board from a picture in which it looks like ``looks``; with ``empty``, the same board with
    nothing on it, it is learned better. Raises CalibrationError."""
    known = {cell: look for cell, look in looks.items() if look}
    if {name_parts(piece)[0] for look in known.values() for piece in look} != set(SIDES):
        raise CalibrationError(
            phrase(
                "pyramids of both colours must stand on the board that is learned: set some up, and say "
                "what stands where"
            )
        )
    check_empty(image, empty)
    size = image.shape[1], image.shape[0]
    lens, off = camera.from_corners(corners, measures.board.width, measures.board.height, size)
    flat = flat_map(lens, measures)
    values = colour.logs(flat.lay(image))
    x, y, height = (float(value) for value in lens.eye())
    eye = guess = (x, y, height)
    strips = lay_out(flat, measures, eye)
    if empty is None:
        bare = _under_pieces(values, flat, strips, known)
    else:
        bare = lamp.relight(colour.logs(flat.lay(empty)), values)
    colours, covered = _learn_colours(values, bare, strips, known)
    for _ in range(2):
        odds = colours.odds(values, BareBoard(Surface(bare)))
        rows = _known_rows(odds, strips, known).items()
        seen = [(strips[cell], odds[side_of(known[cell])][strips[cell].box], row) for cell, row in rows]
        eye = find_eye(guess, [(strip, np.ascontiguousarray(part), row) for strip, part, row in seen])
        strips = lay_out(flat, measures, eye)
        colours, covered = _learn_colours(values, bare, strips, known)
    photograph, beside = bare, Beside()
    for _ in range(2):
        around = grow(covered, SHADOW) & ~grow(covered, RIM)
        beside = Beside.seen(values, Surface(photograph), around)
        if empty is not None:
            bare = _refreshed(values, photograph, covered)
        colours, covered = _learn_colours(values, bare, strips, known, beside)
    other = None if empty is None else _other_look(photograph, bare)
    reader = PyramidReader(lens, colour.levels(bare), off, measures, eye, colours, beside, other)
    reader = reader.checked(image, known, max(3, len(known) // 2), phrase("the measures and the position"))
    return reader.humbled(image, known) if len(reader.wrong) > 1 else reader


def _learn_colours(
    values: Map,
    bare: Map,
    strips: Mapping[Cell, Strip],
    known: Looks,
    beside: Beside | None = None,
) -> tuple[PieceColours, Mask]:
    """Both sides' colours: first from whatever has changed where their pieces stand, then from under the
    outlines found there; and the map pixels under those outlines."""
    covered = np.zeros(values.shape[:2], bool)
    surface = Surface(bare)
    board = BareBoard(surface, beside)
    on_points = {cell: look for cell, look in known.items() if cell not in BARS}
    both = {side_of(look) for look in on_points.values()} == {0, 1}
    sampled = on_points if both else dict(known)  # on the wide bar it is less clear where a piece stands
    change = changed(surface, values)
    samples: list[list[NDArray[np.float32]]] = [[], []]
    for cell, look in sampled.items():
        near = _near(strips[cell], cell, len(look))
        samples[side_of(look)].append(values[near & change])
    colours = PieceColours.learn([np.concatenate(side) for side in samples])
    for _ in range(3):
        odds = colours.odds(values, board)
        samples, covered[:] = [[], []], False
        for cell, row in _known_rows(odds, strips, known).items():
            side, mask = side_of(known[cell]), strips[cell].mask(row.pieces)
            covered |= mask
            mask = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
            if cell in sampled:
                samples[side].append(values[mask & (odds[1 - side] < 1)])
        if all(sum(map(len, side)) > 200 for side in samples):
            colours = PieceColours.learn([np.concatenate(side) for side in samples])
    return colours, covered


def _known_rows(odds: Sequence[Map], strips: Mapping[Cell, Strip], known: Looks) -> dict[Cell, PieceRow]:
    """The known pieces as they are likeliest to stand. ``odds``: of either side."""
    rows = {
        cell: strips[cell].known_row(odds[side_of(look)], counts_of(look)) for cell, look in known.items()
    }
    return {cell: row for cell, row in rows.items() if row is not None}


def _refreshed(values: Map, empty: Map, covered: Mask) -> Map:
    """The empty board as it looks under the lamp of the picture with pieces: what shows there between the
    pieces is taken as it is, and under them the photograph of the empty board, corrected by what changed
    around."""
    near = grow(covered, SHADOW)
    free = np.asarray(~near, np.float32)
    weight = cv2.GaussianBlur(free, (0, 0), SHADOW) + 1e-3
    off = cv2.GaussianBlur((values - empty) * free[..., None], (0, 0), SHADOW) / weight[..., None]
    return np.asarray(np.where(near[..., None], empty + off, values), np.float32)


def _other_look(photograph: Map, surface: Map) -> OtherLook | None:
    """What the photograph of the empty board shows otherwise than it looks between pieces, if that is
    much."""
    off = np.abs(cv2.GaussianBlur(photograph - surface, (0, 0), 2)) > OTHERWISE
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(off.any(axis=-1), np.uint8))
    wide = [index for index in range(1, count) if stats[index, cv2.CC_STAT_AREA] >= 500]
    if not wide:
        return None
    rows, columns = np.nonzero(np.isin(labels, wide))
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    return OtherLook(int(rows.min()), int(columns.min()), colour.levels(photograph[part]))


def _near(strip: Strip, cell: Cell, count: int) -> Mask:
    """Map pixels where the pieces of a known cell must be: the first places of its row, the whole of the
    bar."""
    large = strip.measures.bases[2]
    length = strip.length if cell in BARS else min((0.6 + count) * large, strip.length)
    at = strip.flat.at(strip.corners(0.6 * large, 0.0, length))
    mask = np.zeros(strip.flat.shape, bool)
    low, high = np.maximum(at.min(axis=0).astype(int), 0), at.max(axis=0).astype(int) + 1
    mask[low[1] : high[1], low[0] : high[0]] = True
    return mask


def _under_pieces(values: Map, flat: Flat, strips: Mapping[Cell, Strip], known: Looks) -> Map:
    """The empty board put together from what shows between the pieces: the points' pattern repeats."""
    hidden = np.zeros(flat.shape, bool)
    measures = next(iter(strips.values())).measures
    lean = round(STEEP * 0.12 * measures.bases[2] * flat.scale) + 6
    for cell, look in known.items():
        hidden |= grow(_near(strips[cell], cell, len(look)), 2 * lean + 1)
    shifts, allowed = repeats(measures.board, flat)
    return fill_in(values, hidden, np.zeros(flat.shape, np.float32), shifts, allowed)
