"""Where checkers stand on a board, and the map that shows all of it."""

from __future__ import annotations

from engine.layout import Looks, Piece
from vision.geometry import board_measures
from vision.geometry.board_measures import ROW, Measures, Orientation
from vision.geometry.camera import Camera
from vision.geometry.flat import RESOLUTION, RIM, Flat

TRAY = 2.5
"""How much of what lies beside the surface is in the map where a tray is (checker diameters): a checker on
its rim is 1 wide, the wall before it up to 1."""
Place = tuple[Piece, float, float, float]
"""A piece, its x and y on the board, and the height of its top (cm)."""


def flatten(camera: Camera, measures: Measures) -> Flat:
    """The map of a board under a camera: the surface, its rims, and the trays."""
    d = measures.checker
    left, right = (TRAY if measures.tray in (side, "both") else RIM for side in ("left", "right"))
    edges = -left * d, measures.width + right * d, -RIM * d, measures.height + RIM * d
    return Flat(camera, RESOLUTION / d, *edges)


def spots(measures: Measures, looks: Looks, orientation: Orientation) -> list[Place]:
    """Where the pieces of known looks stand, row by row from the rim; those that others lie on are left
    out."""
    found = []
    for number in range(1, 25):
        look, place = looks.get(f"p{number}", ()), orientation.place(number)
        x = board_measures.middle(measures, place)
        for i in range(max(len(look) - ROW, 0), min(len(look), ROW)):
            y = board_measures.inward(measures, place, measures.checker * (0.52 + 1.02 * i))
            found.append((look[i], x, y, measures.thickness))
    return found


def hidden_spots(measures: Measures, looks: Looks, orientation: Orientation) -> list[Place]:
    """All of the board that known looks hide: the same with the places where pieces lie on others."""
    return spots(measures, {cell: look[:ROW] for cell, look in looks.items()}, orientation)
