"""What a person has to know and to do before a kind of board can be learned: the measures to give, the pieces
to set out, the lines to lay over the picture.

Outlines are in parts of the surface: 0,0 is its bottom-left corner, 1,1 its top-right one, as the corners of
a calibration are named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from engine.layout import Looks
from vision import board
from vision.board import TRAYS, Geometry, Measures
from vision.hexes.grid import MOST, Sheet
from vision.learning.measure import WIDTH
from vision.pyramids.board import Stand

Outline: TypeAlias = tuple[tuple[float, float], ...]
"""A polygon in parts of the surface."""

REACH = 0.42
"""How far a point's triangle usually reaches in, in heights of the board."""
PLAIN_BAR = 0.8
"""Width of a usual bar, in points."""


@dataclass(frozen=True)
class Ask:
    """One measure: ``usual`` is what is offered, ``needed`` whether nothing can be done without it. Lengths
    are in cm; with ``whole``, it is a count. ``choices`` are words to choose from instead."""

    name: str
    usual: float | None = None
    needed: bool = False
    whole: bool = False
    least: float = 0.1
    most: float = 999.0
    choices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Every field by name."""
        return {**asdict(self), "choices": list(self.choices)}


CHECKERS = (
    Ask("width"),
    Ask("height"),
    Ask("bar", least=0.0),
    Ask("pitch"),
    Ask("checker"),
    Ask("tray", choices=TRAYS),
)
PYRAMIDS = (Ask("width"), Ask("height"), Ask("bar", least=0.0), Ask("pitch"))
HEXES = (Ask("cols", 19, True, True, 4, MOST), Ask("rows", 15, True, True, 4, MOST))

PYRAMIDS_SET_OUT: Looks = {
    **{f"p{point}": (f"white.{n % 3 + 1}",) for n, point in enumerate((1, 3, 5, 8, 14, 20))},
    **{f"p{point}": (f"black.{n % 3 + 1}",) for n, point in enumerate((2, 6, 10, 16, 19, 23))},
}
"""Two pyramids of each size and colour, well apart and all over the board."""


def points(geometry: Mapping[str, Any]) -> list[Outline]:
    """The 24 triangles and the bar of a checkers' board. Raises CalibrationError for measures that make no
    sense."""
    known = Geometry.from_json(geometry)
    width = known.width or (12 * known.pitch + (known.bar or 0.0) if known.pitch else WIDTH)
    bar = (
        known.bar
        if known.bar is not None
        else width - 12 * known.pitch
        if known.pitch
        else width * PLAIN_BAR / (12 + PLAIN_BAR)
    )
    full = Geometry(None, None, bar, width, known.height or 0.85 * width, "none").measures()
    assert full is not None  # bar, width and height settle the rest
    return _triangles(full)


def stands(geometry: Mapping[str, Any]) -> list[Outline]:
    """The same of a board for pyramids. Raises CalibrationError."""
    return _triangles(Stand.of(geometry).board)


def _triangles(measures: Measures) -> list[Outline]:
    width, height, half = measures.width, measures.height, measures.pitch / 2
    found: list[Outline] = []
    for number in range(1, 25):
        middle = board.middle(measures, number)
        foot, tip = (board.inward(measures, number, away) / height for away in (0.0, REACH * height))
        found.append(
            (((middle - half) / width, foot), ((middle + half) / width, foot), (middle / width, tip))
        )
    left, right = 6 * measures.pitch / width, 1 - 6 * measures.pitch / width
    return [*found, ((left, 0.0), (right, 0.0), (right, 1.0), (left, 1.0))]


def hexagons(geometry: Mapping[str, Any]) -> list[Outline]:
    """The hexes of a sheet. Raises CalibrationError."""
    sheet = Sheet.of(geometry)
    radius = sheet.pitch / math.sqrt(3)
    turns = [math.pi / 6 + n * math.pi / 3 for n in range(6)]
    return [
        tuple(
            ((x + radius * math.cos(a)) / sheet.width, (y + radius * math.sin(a)) / sheet.height)
            for a in turns
        )
        for x, y in sheet.centres.tolist()
    ]
