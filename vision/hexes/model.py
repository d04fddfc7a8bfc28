"""What is learned of a sheet: how its bare cells and its tokens look, and what stood where."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.layout import Cell, Look, Piece
from vision.geometry.camera import Floats
from vision.hexes.grid import Sheet
from vision.stored import bounded, numbers

BORDER = "border"
NEUTRAL = "fortress.neutral"
HUES = {"red": math.radians(-35), "blue": math.radians(112)}
"""Where reds and blues lie in the plane of the two chromas (see ``light.colour``), from paint samples of
either colour under white light."""
PIECES: tuple[Piece, ...] = (
    BORDER,
    NEUTRAL,
    *(f"{what}.{side}" for what in ("fortress", "army") for side in HUES),
)
VIVID = 0.16
"""Least distance from grey, in chroma, of a red or a blue piece."""
BARE = np.array([0.04, 0.012, 0.012, 0.06])
"""What bare paper usually differs by from the fit of the lamp (one standard deviation of each feature)."""


@dataclass(frozen=True)
class SheetModel:
    """``bare`` (N x 4 features, see ``sampling``) is what every cell shows when empty, ``was`` (N x 4) what
    it showed in the calibration picture; ``grey`` the chroma of a grey thing; ``tokens`` what border tokens
    and neutral fortresses differ from bare paper by, and how much that varies; ``looks`` what stood where."""

    bare: Floats
    was: Floats
    grey: tuple[float, float]
    tokens: dict[Piece, tuple[Floats, Floats]]
    looks: dict[Cell, Look]

    def where(self, sheet: Sheet, *kinds: str) -> np.ndarray:
        """Which cells held a piece whose name begins so (N)."""
        return np.array(["".join(self.looks.get(cell, ())).startswith(kinds) for cell in sheet.cells])

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "bare": self.bare.round(4).tolist(),
            "was": self.was.round(4).tolist(),
            "grey": list(self.grey),
            "sorts": {
                piece: [middle.round(4).tolist(), spread.round(4).tolist()]
                for piece, (middle, spread) in self.tokens.items()
            },
            "looks": {cell: list(look) for cell, look in self.looks.items() if look},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], cells: int) -> SheetModel:
        """The inverse, of a sheet of so many cells. Raises KeyError, TypeError or ValueError on another
        shape."""
        bare, was = (numbers(data[key], (cells, 4)) for key in ("bare", "was"))
        tokens = {
            str(piece): (numbers(middle, (4,)), numbers(spread, (4,), 1e-3))
            for piece, (middle, spread) in data["sorts"].items()
        }
        looks = {str(cell): tuple(str(piece) for piece in look) for cell, look in data["looks"].items()}
        return cls(bare, was, (bounded(data["grey"][0]), bounded(data["grey"][1])), tokens, looks)


def side_colour(chromas: Floats, grey: tuple[float, float], side: str) -> Floats:
    """How much of a side's colour there is in chromas (... x 2): the distance from grey along its hue, less
    what points elsewhere."""
    away = chromas - np.array(grey)
    hue = HUES[side]
    along = away[..., 0] * math.cos(hue) + away[..., 1] * math.sin(hue)
    across = np.abs(away[..., 1] * math.cos(hue) - away[..., 0] * math.sin(hue))
    return np.asarray(along - np.maximum(across - 1.2 * np.abs(along), 0), np.float64)


def wide_tail(z: Floats, spread: Floats) -> Floats:
    """Log-density of independent features (N x M, in their ``spread``) with wide tails: Student's t with 4
    degrees of freedom. One that is far from everything (a shadow, a mirrored lamp) does not decide alone."""
    return np.asarray((-2.5 * np.log1p(z * z / 4) - np.log(spread) - 0.98).sum(axis=1), np.float64)
