"""The referee's picture: what was read, drawn on the photograph, with whatever is uncertain marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

import cv2
import numpy as np

from engine.layout import Cell, Piece, name_parts
from vision.geometry.camera import Floats, rectangle
from vision.geometry.flat import Flat
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.reading import SURE, Reading

Colour: TypeAlias = tuple[int, int, int]
"""Blue, green, red."""
COLOURS = {
    "white": (255, 255, 255),
    "black": (30, 30, 30),
    "red": (60, 60, 230),
    "blue": (230, 120, 40),
    "sure": (80, 200, 60),
    "unsure": (0, 170, 255),
}
"""What a side's pieces are ringed with, and what is sure and what is not."""


def paint(
    image: Image,
    flat: Flat,
    size: tuple[float, float],
    regions: Mapping[Cell, Mask],
    reading: Reading | None,
) -> Image:
    """A copy of ``image`` (the calibration's size) with the surface's outline, every piece found, the count
    of every cell that is not empty, amber where the reading is unsure, and hatched grey where a hand hides
    the board. ``size`` is the surface's width and height in cm; ``regions`` may be thinner than the map by a
    whole number."""
    canvas = image.copy()
    _line(canvas, flat.camera.project(_edge(*size)), COLOURS["sure"], 1)
    if reading is None:
        return canvas
    for cell, region in regions.items():
        if cell in reading.occluded:
            _outline(canvas, flat, region, (150, 150, 150))
        elif reading.confidence.get(cell, 1.0) < SURE:
            _outline(canvas, flat, region, COLOURS["unsure"])
    for cell, marks in reading.marks.items():
        if not reading.looks.get(cell, ("hidden",)):
            continue  # something like a piece was seen, and all cells together say that it is none
        sure = reading.confidence.get(cell, 0.0) >= SURE
        for piece, column, row, radius in marks:
            angles = np.linspace(0, 2 * np.pi, 25)
            ring = flat.picture(
                np.stack([column + radius * np.cos(angles), row + radius * np.sin(angles)], 1)
            )
            _line(canvas, ring, _shade(piece), 3)
            _line(canvas, ring, COLOURS["sure"] if sure else COLOURS["unsure"], 1)
        look = reading.looks.get(cell, ())
        if marks and look:
            x, y = np.round(flat.picture([marks[0][1:3]])[0]).astype(int)
            text = str(len(look)) if sure else f"{len(look)}?"
            for colour, width in (((0, 0, 0), 3), ((255, 255, 255), 1)):
                _write(canvas, text, (int(x) - 7, int(y) + 5), 0.5, colour, width)
    over = "hand" if reading.hand else "something lies on the board" if reading.lying else ""
    _write(canvas, over, (12, 28), 0.9, COLOURS["red"], 2)
    return canvas


def box_around(
    flat: Flat, regions: Mapping[Cell, Mask], cells: Collection[Cell]
) -> tuple[int, int, int, int] | None:
    """The upright box of the picture in which these cells lie, and some of what is around them: left, top,
    right, bottom in pixels, perhaps beyond the picture's edge. None where none of them has a place on the
    map. ``regions`` as in :func:`paint`."""
    corners = []
    for cell in cells:
        rows, columns = np.nonzero(regions.get(cell, np.zeros((0, 0), np.bool_)))
        if len(rows):
            step = flat.shape[1] / regions[cell].shape[1]
            corners += [
                (x * step, y * step) for x in (columns.min(), columns.max()) for y in (rows.min(), rows.max())
            ]
    if not corners:
        return None
    places = np.round(flat.picture(corners)).astype(np.int32)
    (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
    margin = int(0.25 * max(right - left, bottom - top))
    return int(left) - margin, int(top) - margin, int(right) + margin, int(bottom) + margin


def _edge(width: float, height: float, parts: int = 12) -> Floats:
    """The surface's outline in many short pieces: a lens bends it."""
    corners = rectangle(width, height)
    return np.vstack([np.linspace(corners[i], corners[(i + 1) % 4], parts, endpoint=False) for i in range(4)])


def _shade(piece: Piece) -> Colour:
    return next((COLOURS[word] for word in name_parts(piece) if word in COLOURS), (160, 160, 160))


def _line(canvas: Image, pixels: Floats, colour: Colour, width: int) -> None:
    """A closed line through places of the picture."""
    cv2.polylines(canvas, [np.round(pixels).astype(np.int32)], True, colour, width, cv2.LINE_AA)


def _write(canvas: Image, text: str, at: tuple[int, int], size: float, colour: Colour, width: int) -> None:
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, width, cv2.LINE_AA)


def _outline(canvas: Image, flat: Flat, region: Mask, colour: Colour) -> None:
    outlines, _ = cv2.findContours(region.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    step = flat.shape[1] / region.shape[1]
    for outline in outlines:
        _line(canvas, flat.picture(outline.reshape(-1, 2) * step), colour, 2)
