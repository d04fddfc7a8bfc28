"""Where checkers stand on a board, and the map that shows all of it."""

from __future__ import annotations

from engine.layout import Looks, Piece
from vision.geometry import board_measures
from vision.geometry.board_measures import ROW, Measures, Orientation
from vision.geometry.camera import Camera
from vision.geometry.flat import RESOLUTION, RIM, Flat

TRAY = 2.5
"""How much of what lies beside the surface is in the map where a tray is, in checker diameters."""

Place = tuple[Piece, float, float, float]
"""A piece, its x and y on the board, and the height of its top (cm)."""


def flatten(camera: Camera, measures: Measures) -> Flat:
    """The map of a board under a camera: the surface, its rims, and the trays."""
    d = measures.checker
    left, right = (TRAY if measures.tray in (side, "both") else RIM for side in ("left", "right"))
    edges = -left * d, measures.width + right * d, -RIM * d, measures.height + RIM * d
    return Flat(camera, RESOLUTION / d, *edges)


def spots(measures: Measures, looks: Looks, orientation: Orientation) -> list[Place]:
    """Where the pieces of known looks stand, row by row from the rim; second layers left out, they hide the
    first."""
    found = []
    for number in range(1, 25):
        look = looks.get(f"p{number}", ())
        for i in range(min(len(look), ROW)):
            if len(look) - ROW > i:
                continue
            place = orientation.place(number)
            y = board_measures.inward(measures, place, measures.checker * (0.52 + 1.02 * i))
            found.append((look[i], board_measures.middle(measures, place), y, measures.thickness))
    return found


def hides(measures: Measures, looks: Looks, orientation: Orientation) -> list[Place]:
    """The same with the places where pieces lie on others: all of the board that known looks hide."""
    return spots(measures, {cell: look[:ROW] for cell, look in looks.items()}, orientation)
