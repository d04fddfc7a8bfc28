"""A 24-point board and its pyramids as things of wood and plastic: their measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from engine.messages import phrase
from vision.errors import GeometryError
from vision.geometry import board_measures
from vision.geometry.board_measures import Geometry, Measures

BASES = (1.43, 1.98, 2.54)
"""Base sides of true Icehouse pieces in cm: small, medium, large."""
STEEP = 1.75
"""Height of an Icehouse piece, in base sides."""
STASH = 5
"""Pieces of one size in an Icehouse stash, as it is sold: a side has no more to put in a row."""
DEEP = 7.5
"""How far in from the rim pieces may stand, in large bases: both halves of a usual board, almost."""
Eye: TypeAlias = tuple[float, float, float]
"""Where the camera is, as what stands up shows it: x, y, height (cm)."""


@dataclass(frozen=True)
class PyramidMeasures:
    """``board`` has the board's measures; ``bases`` the three base sides in cm, small first."""

    board: Measures
    bases: tuple[float, float, float] = BASES

    @classmethod
    def from_geometry(cls, geometry: Mapping[str, Any]) -> PyramidMeasures:
        """A geometry file's content: that of a checkers' board, and ``base_side``. What it does not say is
        as usual. Raises GeometryError naming what is wrong."""
        bases = _bases(geometry.get("base_side"))
        board = Geometry.from_json(geometry).usual(1.5 * bases[2], 1.05, 10.5)
        if bases[2] > 1.2 * board.pitch:
            raise GeometryError(
                phrase(
                    "pyramids of {base} cm do not fit points {pitch} cm apart",
                    base=f"{bases[2]:g}",
                    pitch=f"{board.pitch:g}",
                )
            )
        return cls(replace(board, checker=bases[2], thickness=STEEP * bases[2], tray="none"), bases)

    @cached_property
    def columns(self) -> dict[str, tuple[float, float, float]]:
        """Where the pieces of a point stand in a row: x, y of the row's beginning, direction (1 upwards, -1
        downwards)."""
        return {
            f"p{number}": (
                board_measures.middle(self.board, number),
                board_measures.inward(self.board, number, 0.0),
                1.0 if number <= 12 else -1.0,
            )
            for number in range(1, 25)
        }

    def base(self, size: int) -> float:
        """The base side of a size 1-3, in cm."""
        return self.bases[size - 1]


def _bases(given: object) -> tuple[float, float, float]:
    if given is None:
        return BASES
    try:
        if not isinstance(given, Mapping):
            raise TypeError
        small, medium, large = (float(given[key]) for key in ("1", "2", "3"))
    except (KeyError, TypeError, ValueError) as error:
        raise GeometryError(
            f'base_side is {given!r}; write {{"1": 1.43, "2": 1.98, "3": 2.54}}, in centimetres'
        ) from error
    if not 0.3 <= small < medium < large <= 20:
        raise GeometryError(f"base_side is {given!r}; three growing lengths in centimetres are wanted")
    return small, medium, large
