"""Checkers on 24 points: a kind of board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.layout import Cell, Look, Looks, Piece, point_of
from vision.checkers.calibration import corners
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.calibration.measures import WIDTH
from vision.checkers.reader import CheckersReader
from vision.checkers.rig import Rig
from vision.checkers.two_opinions import Opinion
from vision.geometry import board_measures, camera
from vision.geometry.board_measures import HOMES, SIDES, TRAYS, Geometry, start
from vision.geometry.camera import Corner, as_corners
from vision.picture.frame import Image
from vision.picture.margins import shown
from vision.reading import AskedMeasure, Outline, Reading

USUAL_BAR, USUAL_HEIGHT = 0.8, 10.9
"""How many points wide a bar usually is, and how high a board."""


@dataclass(frozen=True)
class Checkers:
    """Checkers on 24 points. ``opinion``: who is asked, too, where a calibration was weak; ``in_own_order``:
    who says in which order the board itself has the corners that a person gave."""

    opinion: Opinion | None = None
    in_own_order: Callable[[Image, Sequence[Corner]], Sequence[Corner]] | None = None
    name: str = "checkers"
    pieces: tuple[Piece, ...] = SIDES
    geometry_keys: tuple[str, ...] = Geometry.names()
    asked_measures: tuple[AskedMeasure, ...] = (
        AskedMeasure("width"),
        AskedMeasure("height"),
        AskedMeasure("bar", least=0.0),
        AskedMeasure("pitch"),
        AskedMeasure("checker"),
        AskedMeasure("tray", choices=TRAYS),
        AskedMeasure("home", choices=HOMES),
    )
    finds_corners: bool = True

    @property
    def set_out(self) -> Looks:
        """How backgammon begins."""
        return start()

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """The 24 triangles and the bar. Raises CalibrationError for measures that make no sense."""
        usual = Geometry.from_json(geometry).usual(WIDTH / (12 + USUAL_BAR), USUAL_BAR, USUAL_HEIGHT)
        return board_measures.triangles(usual)

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """By the checkers: see ``calibration.corners``."""
        part, begins = shown(image)
        found = corners.find(part, Geometry.from_json(geometry), looks, progress=progress)
        return as_corners(found.corners + begins), found.seen

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> CheckersReader:
        """See ``calibration.calibrate``: the start is recognised in a turned or mirrored board, too."""
        measures = Geometry.from_json(geometry)
        if self.in_own_order is not None:
            camera.check(corners, (image.shape[1], image.shape[0]))
            corners = self.in_own_order(image, corners)
        learned = CheckersReader(calibrate(image, corners, measures, looks, empty), self.opinion)
        return learned.examined(image, looks or start())

    def open(self, data: Mapping[str, Any]) -> CheckersReader:
        """From a rig."""
        return CheckersReader(Rig.from_json(data), self.opinion)

    def describe(self, reading: Reading) -> dict[str, Any]:
        """Counts, white's positive. ``off`` is null where no tray is in view; a single count that a hand
        hides is null too."""
        looks = reading.looks
        counts = {
            number: len(look) if look[0] == SIDES[0] else -len(look)
            for cell, look in looks.items()
            if look and (number := point_of(cell))
        }
        tray = any(f"off.{side}" in looks or f"off.{side}" in reading.occluded for side in SIDES)
        return {
            "points": {str(number): counts[number] for number in sorted(counts)},
            "bar": _pair("bar", looks),
            "off": _pair("off", looks) if tray else None,
        }


def _pair(name: str, looks: Mapping[Cell, Look]) -> list[int | None]:
    return [len(looks[f"{name}.{side}"]) if f"{name}.{side}" in looks else None for side in SIDES]
