"""The referee's picture: what was read, drawn on the photograph, with whatever is uncertain marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.camera import rectangle
from vision.geometry.flat import Flat
from vision.picture.frame import Image
from vision.reading import Reading

SURE = 0.9
"""Cells read with less confidence are marked."""
AROUND = 0.25
"""How much of what is around some cells a box of them shows, beside their size."""
SHADES = {"white": (255, 255, 255), "black": (30, 30, 30), "red": (60, 60, 230), "blue": (230, 120, 40)}
"""What a side's pieces are ringed with."""
GREEN, AMBER, RED, GREY = (80, 200, 60), (0, 170, 255), (60, 60, 230), (150, 150, 150)


def paint(
    image: Image,
    flat: Flat,
    size: tuple[float, float],
    regions: Mapping[Cell, NDArray[np.bool_]],
    reading: Reading | None,
) -> Image:
    """A copy of ``image`` (the calibration's size) with the surface's outline, every piece found, the count
    of every cell that is not empty, amber where the reading is unsure, and hatched grey where a hand hides
    the board. ``size`` is the surface's width and height in cm; ``regions`` may be thinner than the map by a
    whole number."""
    canvas = image.copy()
    outline = flat.camera.project(_edge(*size))
    cv2.polylines(canvas, [np.round(outline).astype(np.int32)], True, GREEN, 1, cv2.LINE_AA)
    if reading is None:
        return canvas
    for cell, region in regions.items():
        if cell in reading.occluded:
            _outline(canvas, flat, region, GREY, 2)
        elif reading.confidence.get(cell, 1.0) < SURE:
            _outline(canvas, flat, region, AMBER, 2)
    for cell, marks in reading.marks.items():
        if not reading.looks.get(cell, ("hidden",)):
            continue  # something like a piece was seen, and all cells together say that it is none
        sure = reading.confidence.get(cell, 0.0) >= SURE
        for piece, column, row, radius in marks:
            ring = _to_picture(
                flat,
                [
                    (column + radius * np.cos(a), row + radius * np.sin(a))
                    for a in np.linspace(0, 2 * np.pi, 25)
                ],
            )
            shade = next((SHADES[word] for word in piece.split(".") if word in SHADES), (160, 160, 160))
            cv2.polylines(canvas, [ring], True, shade, 3, cv2.LINE_AA)
            cv2.polylines(canvas, [ring], True, GREEN if sure else AMBER, 1, cv2.LINE_AA)
        look = reading.looks.get(cell, ())
        if marks and look:
            at = _to_picture(flat, [marks[0][1:3]])[0]
            text = str(len(look)) if sure else f"{len(look)}?"
            for colour, width in (((0, 0, 0), 3), ((255, 255, 255), 1)):
                cv2.putText(
                    canvas,
                    text,
                    (int(at[0]) - 7, int(at[1]) + 5),
                    cv2.FONT_HERSHEY_SIMPLEX,
                    0.5,
                    colour,
                    width,
                    cv2.LINE_AA,
                )
    if reading.hand:
        cv2.putText(canvas, "hand", (12, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.9, RED, 2, cv2.LINE_AA)
    return canvas


def box_around(
    flat: Flat, regions: Mapping[Cell, NDArray[np.bool_]], cells: Collection[Cell]
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
                (float(x) * step, float(y) * step)
                for x in (columns.min(), columns.max())
                for y in (rows.min(), rows.max())
            ]
    if not corners:
        return None
    places = _to_picture(flat, corners)
    (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
    margin = int(AROUND * max(right - left, bottom - top))
    return int(left) - margin, int(top) - margin, int(right) + margin, int(bottom) + margin


def _edge(width: float, height: float, parts: int = 12) -> np.ndarray:
    """The surface's outline in many short pieces: a lens bends it."""
    corners = rectangle(width, height)
    return np.vstack([np.linspace(corners[i], corners[(i + 1) % 4], parts, endpoint=False) for i in range(4)])


def _to_picture(flat: Flat, places: list[tuple[float, float]]) -> np.ndarray:
    """Map positions as picture pixels (N x 2, int32)."""
    board = [
        (flat.left + (column + 0.5) / flat.scale, flat.high - (row + 0.5) / flat.scale, 0.0)
        for column, row in places
    ]
    return np.round(flat.camera.project(board)).astype(np.int32)


def _outline(canvas: Image, flat: Flat, region: np.ndarray, colour: tuple[int, int, int], width: int) -> None:
    outlines, _ = cv2.findContours(region.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    step = flat.shape[1] / region.shape[1]
    for outline in outlines:
        points = _to_picture(flat, [(float(x) * step, float(y) * step) for x, y in outline.reshape(-1, 2)])
        cv2.polylines(canvas, [points], True, colour, width, cv2.LINE_AA)
