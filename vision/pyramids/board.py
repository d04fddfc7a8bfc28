"""Pyramids of three sizes and two colours on a 24-point board: a kind of board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.layout import Looks, Piece, name_parts, point_of
from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry import board_measures
from vision.geometry.board_measures import SIDES, Geometry
from vision.geometry.camera import Corner
from vision.picture.frame import Image
from vision.pyramids.calibration import calibrate
from vision.pyramids.measures import PyramidMeasures
from vision.pyramids.reader import PyramidReader
from vision.pyramids.rows import sizes_of
from vision.reading import AskedMeasure, Outline, Reading


@dataclass(frozen=True)
class Pyramids:
    """Pyramids on 24 points."""

    name: str = "pyramids"
    geometry_keys: tuple[str, ...] = (*Geometry.names(), "base_side")
    pieces: tuple[Piece, ...] = tuple(f"{side}.{size}" for side in SIDES for size in (1, 2, 3))
    asked_measures: tuple[AskedMeasure, ...] = (
        AskedMeasure("width"),
        AskedMeasure("height"),
        AskedMeasure("bar", least=0.0),
        AskedMeasure("pitch"),
    )
    finds_corners: bool = False

    @property
    def set_out(self) -> Looks:
        """Two pyramids of each size and colour, well apart and all over the board."""
        places = {"white": (1, 3, 5, 8, 14, 20), "black": (2, 6, 10, 16, 19, 23)}
        return {
            f"p{point}": (f"{side}.{n % 3 + 1}",)
            for side, own in places.items()
            for n, point in enumerate(own)
        }

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """Points and bar."""
        return board_measures.triangles(PyramidMeasures.from_geometry(geometry).board)

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """Raises CalibrationError: nothing about a board of pyramids is alike enough on all boards to be
        found."""
        raise CalibrationError(
            phrase(
                "the corners of pyramids' boards are not found by themselves: show all four, by --corners"
                " or the page's handles"
            )
        )

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> PyramidReader:
        """See ``calibration.calibrate``."""
        return calibrate(image, corners, PyramidMeasures.from_geometry(geometry), looks or {}, empty)

    def open(self, data: Mapping[str, Any]) -> PyramidReader:
        """A table from its file's content. Raises some error where that is damaged."""
        return PyramidReader.open(data)

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What ``barpoint read`` says of a reading: owner and sizes of each point's top layer, and the sizes
        on the bar."""
        looks = reading.looks
        held = {number: look for cell, look in looks.items() if look and (number := point_of(cell))}
        return {
            "points": {str(n): [name_parts(held[n][0])[0], sizes_of(held[n])] for n in sorted(held)},
            "bar": {
                side: sizes_of(looks[f"bar.{side}"]) if f"bar.{side}" in looks else None for side in SIDES
            },
        }
