"""Border tokens, fortresses and armies on a sheet of hexes: a kind of board."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.layout import Looks, Piece, name_parts
from vision.geometry.camera import Corner
from vision.hexes.calibration import calibrate
from vision.hexes.grid import ARMY, MOST, Sheet
from vision.hexes.model import HUES, PIECES
from vision.hexes.outline import find_outline
from vision.hexes.reader import HexReader
from vision.picture.frame import Image
from vision.reading import AskedMeasure, Outline, Reading


@dataclass(frozen=True)
class Hexes:
    """A sheet of hexes."""

    name: str = "hexes"
    geometry_keys: tuple[str, ...] = ("cols", "rows", "pitch", "axial", "land")
    pieces: tuple[Piece, ...] = PIECES
    asked_measures: tuple[AskedMeasure, ...] = (
        AskedMeasure("cols", 19, True, True, ARMY, MOST),
        AskedMeasure("rows", 15, True, True, ARMY, MOST),
    )
    finds_corners: bool = True

    @property
    def set_out(self) -> Looks:
        """None: the map itself is what is learned from."""
        return {}

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """The hexes."""
        sheet = Sheet.from_geometry(geometry)
        radius = sheet.pitch / math.sqrt(3)
        turns = [math.pi / 6 + n * math.pi / 3 for n in range(6)]
        around = [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
        return [
            tuple(((x + dx) / sheet.width, (y + dy) / sheet.height) for dx, dy in around)
            for x, y in sheet.centres.tolist()
        ]

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """The sheet's outline, the sheet upright: see ``outline``."""
        found = find_outline(image, Sheet.from_geometry(geometry))
        return found.corners, found.seen

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> HexReader:
        """See ``calibration.calibrate``. ``empty`` is not needed."""
        return calibrate(image, corners, Sheet.from_geometry(geometry), looks)

    def open(self, data: Mapping[str, Any]) -> HexReader:
        """A table from its file's content. Raises some error where that is damaged."""
        return HexReader.open(data)

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What ``barpoint read`` says of a reading: border, fortresses by owner, cells covered by armies."""
        looks = sorted(reading.looks.items())
        held = {name_parts(cell)[1]: name_parts(look[0]) for cell, look in looks if look}
        return {
            "border": [name for name, (kind, _) in held.items() if kind == "border"],
            "fortresses": {name: owner for name, (kind, owner) in held.items() if kind == "fortress"},
            "armies": {
                side: [name for name, piece in held.items() if piece == ("army", side)] for side in HUES
            },
        }
