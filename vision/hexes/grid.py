"""A sheet of hexes as a thing of paper: where its cells lie, and where four of them lie in a row.

Hexes are ``(q, r)``, axial and pointy-top: q runs right, r down and half a hex to the right. The sheet is
``cols`` x ``rows`` in offset rows, the odd ones half a hex to the right; 0,0 is at the top left. The sheet's
edge lies ``MARGIN`` hex widths from the outermost centres.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.layout import DIRECTIONS, Cell, hex_cell
from engine.messages import phrase
from vision.errors import GeometryError
from vision.geometry.camera import Floats

MARGIN = 0.7
"""From the outermost centres to the sheet's edge, in hex widths."""
MOST = 60
"""No sheet has more columns or rows."""
ARMY = 4
"""Hexes in a row that an army covers: how long these pieces are."""


@dataclass(frozen=True)
class Sheet:
    """``pitch`` is the distance of neighbouring centres in cm."""

    cols: int
    rows: int
    pitch: float = 3.0

    @classmethod
    def from_geometry(cls, geometry: Mapping[str, Any]) -> Sheet:
        """A geometry file's content. Where it does not say the pitch, 3 cm will do: only ratios matter.
        Raises GeometryError naming what is missing or wrong."""
        counts = []
        for key in ("cols", "rows"):
            value = geometry.get(key)
            if type(value) is not int or not ARMY <= value <= MOST:
                raise GeometryError(
                    phrase(
                        "the geometry's {key}, how many hexes the sheet has, is {value}; it must be a whole "
                        'number from {least} to {most} each way, like {{"cols": 19, "rows": 15}}',
                        key=key,
                        value=repr(value),
                        least=ARMY,
                        most=MOST,
                    )
                )
            counts.append(value)
        pitch = geometry.get("pitch") or 3.0
        if isinstance(pitch, bool) or not isinstance(pitch, int | float) or not 0.5 <= pitch <= 50:
            raise GeometryError(
                phrase(
                    "the geometry's pitch is {pitch}; the width of a hex in centimetres is wanted",
                    pitch=repr(pitch),
                )
            )
        return cls(counts[0], counts[1], float(pitch))

    def to_json(self) -> dict[str, Any]:
        """As a geometry file has it."""
        return asdict(self)

    @property
    def width(self) -> float:
        """Of the sheet, in cm."""
        return (self.cols - 0.5 + 2 * MARGIN) * self.pitch

    @property
    def height(self) -> float:
        """Of the sheet, in cm."""
        return ((self.rows - 1) * math.sqrt(0.75) + 2 * MARGIN) * self.pitch

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in cm."""
        return self.width, self.height

    @cached_property
    def hexes(self) -> tuple[tuple[int, int], ...]:
        """All hexes, row by row from the left."""
        return tuple((col - row // 2, row) for row in range(self.rows) for col in range(self.cols))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Their cells, in the same order."""
        return tuple(map(hex_cell, self.hexes))

    @cached_property
    def centres(self) -> Floats:
        """Where their centres lie (N x 2, cm)."""
        x = [(MARGIN + q + r // 2 + 0.5 * (r % 2)) * self.pitch for q, r in self.hexes]
        y = [self.height - (MARGIN + r * math.sqrt(0.75)) * self.pitch for _, r in self.hexes]
        return np.stack([x, y], axis=1).astype(np.float64)

    @cached_property
    def _index(self) -> dict[tuple[int, int], int]:
        """The place of each hex in their order."""
        return {hexagon: index for index, hexagon in enumerate(self.hexes)}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each hex the indices of those that share an edge with it."""
        ways = [(s * dq, s * dr) for dq, dr in DIRECTIONS for s in (1, -1)]
        return tuple(
            tuple(self._index[q + dq, r + dr] for dq, dr in ways if (q + dq, r + dr) in self._index)
            for q, r in self.hexes
        )

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """Every four hexes in a row (L x 4 indices)."""
        rows = [
            [self._index.get((q + n * dq, r + n * dr), -1) for n in range(ARMY)]
            for q, r in self.hexes
            for dq, dr in DIRECTIONS
        ]
        return np.array([row for row in rows if -1 not in row], np.int64)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every two hexes that share an edge."""
        return tuple(
            (one, other) for one, beside in enumerate(self.neighbours) for other in beside if one < other
        )
