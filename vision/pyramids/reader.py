"""From a frame to which pyramids stand where, and how sure.

Only the top layer of a point is told; what it pins may show as a rim of the other colour beside it, and is
allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from engine.evidence import FLOOR
from engine.layout import EMPTY, Cell, Looks
from vision.geometry.board_measures import BARS, SIDES, Measures
from vision.geometry.camera import Camera
from vision.geometry.flat import Flat, Map
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask, grow
from vision.planar import FINER, OtherLook, PlanarReader, Plane
from vision.pyramids.colours import BareBoard, Beside, PieceColours
from vision.pyramids.cover import PieceRow
from vision.pyramids.lookalikes import with_lookalikes
from vision.pyramids.measures import DEEP, STEEP, Eye, PyramidMeasures
from vision.pyramids.pinned import with_rims
from vision.pyramids.rows import Counts, look_of
from vision.pyramids.strip import Strip, flat_map, lay_out
from vision.reading import Raw, Reading, Spot, weakened
from vision.stored import bounded, picture_from

WALL = 0.3
"""What a pixel beyond the playing surface is worth beside one on it: its walls mirror the pieces."""
TRUSTS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12)
"""How far a table's readings may be trusted."""


@dataclass(frozen=True)
class PyramidReader(PlanarReader):
    """One board under one camera, learned. ``eye`` is where the camera is by what stands up; ``picture`` the
    empty board laid flat, ``beside`` how it looks beside pieces, ``other`` what else it was seen to look
    like; ``trust``: how much of what its pixels say counts (0-1)."""

    measures: PyramidMeasures
    eye: Eye
    colours: PieceColours
    beside: Beside = field(default_factory=Beside)
    other: OtherLook | None = None
    trust: float = 1.0
    kind = "pyramids"
    turned = False

    @cached_property
    def plane(self) -> Plane:
        """The board, by its points and the bar."""
        board, flat = self.measures.board, flat_map(self.camera, self.measures)
        return Plane(
            flat, (board.width, board.height), self.picture, _regions(flat, self.measures), self.other
        )

    @cached_property
    def _strips(self) -> dict[Cell, Strip]:
        return lay_out(self.flat, self.measures, self.eye)

    @cached_property
    def _bare(self) -> BareBoard:
        return BareBoard(self.plane.bare, self.beside, self.other)

    @cached_property
    def _weight(self) -> Map:
        return np.where(self.flat.outside(*self.plane.size), WALL, 1.0).astype(np.float32)

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat: how far every pixel speaks for either side, the rows of pieces
        that explain this best, and what these may be as well."""
        values = laid.values
        odds = [side * self._weight for side in self.colours.odds(values, self._bare)]
        raw: Raw = {}
        likeliest: dict[Cell, tuple[int, PieceRow]] = {}
        for cell, strip in self._strips.items():
            raw[cell], likeliest[cell] = {EMPTY: 0.0}, (0, PieceRow(0.0, ()))
            for side in (0, 1) if cell not in BARS else (BARS.index(cell),):
                for counts, row in self._rows(cell, strip, side, odds, values).items():
                    raw[cell][look_of(side, counts)] = row.score
                    likeliest[cell] = max(likeliest[cell], (side, row), key=lambda found: found[1].score)
        stands = {cell: found for cell, found in likeliest.items() if found[1].pieces}
        if self.trust < 1:  # then nothing is out of the question
            single = {(f"{side}.{size}",): FLOOR for side in SIDES for size in (1, 2, 3)}
            raw = weakened({cell: single | looks for cell, looks in raw.items()}, self.trust)
        return self.plane.reading(raw, laid, self._explained(stands), self._marks(stands))

    def humbled(self, image: Image, known: Looks) -> Self:
        """The same, as sure of what it reads as it is right: trusted so far that its reading of a picture in
        which cells look as ``known`` makes this likeliest. Where pieces look like the board, it is wrong
        there, and surely."""
        cells = self.read(Frame(image)).evidence.cells

        def likelihood(trust: float) -> float:
            tempered = {cell: {look: trust * score for look, score in cells[cell].items()} for cell in cells}
            return sum(
                tempered[cell].get(known.get(cell, EMPTY), trust * FLOOR)
                - math.log(sum(math.exp(score) for score in tempered[cell].values()))
                for cell in cells
            )

        return replace(self, trust=max(TRUSTS, key=likelihood))

    def _rows(
        self, cell: Cell, strip: Strip, side: int, odds: list[Map], values: Map
    ) -> dict[Counts, PieceRow]:
        """The rows of one side that may stand in a cell. On the bar, both sides stand beside one another."""
        rows = strip.best_rows(odds[side])
        if cell not in BARS:
            rows = with_rims(strip, rows, odds[side], odds[1 - side])
        return {counts: row for counts, row in with_lookalikes(strip, rows, values).items() if any(counts)}

    def _explained(self, stands: Mapping[Cell, tuple[int, PieceRow]]) -> Mask:
        """The map pixels on which pieces stand, and a little around them."""
        mask = np.zeros(self.flat.shape, bool)
        for cell, (_, row) in stands.items():
            mask |= self._strips[cell].mask(row.pieces)
        return grow(mask, 7)

    def _marks(self, stands: Mapping[Cell, tuple[int, PieceRow]]) -> dict[Cell, list[Spot]]:
        marks: dict[Cell, list[Spot]] = {cell: [] for cell in stands}
        for cell, (side, row) in stands.items():
            at = self.flat.at([(x, y) for _, x, y, _ in row.pieces])
            for (size, *_), (column, line) in zip(row.pieces, at.tolist(), strict=True):
                radius = self.measures.base(size) / 2 * self.flat.scale
                marks[cell].append((f"{SIDES[side]}.{size}", column, line, radius))
        return marks

    def _moved(self, lens: Camera, picture: Image) -> Self:
        x, y, height = (float(value) for value in self.eye + lens.eye() - self.camera.eye())
        return replace(self, camera=lens, eye=(x, y, height), picture=picture)

    def geometry(self) -> dict[str, Any]:
        """The measures of board and pieces."""
        sides = {str(size): base for size, base in enumerate(self.measures.bases, 1)}
        return {**self.measures.board.to_json(), "base_side": sides}

    def model_to_json(self) -> dict[str, Any]:
        """Measures, colours, and where the camera is."""
        return {
            "eye_cm": [round(value, 2) for value in self.eye],
            "measures_cm": self.measures.board.to_json(),
            "bases_cm": list(self.measures.bases),
            "beside": self.beside.to_json(),
            "dyes": self.colours.to_json(),
            "trust": self.trust,
            "guise": None if self.other is None else self.other.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PyramidReader:
        """A rig file's content. Raises KeyError, TypeError or ValueError on another shape."""
        small, medium, large = (bounded(base, 0.1, 100.0) for base in data["bases_cm"])
        lens = Camera.from_json(data["camera"])
        x, y, height = (bounded(value) for value in data.get("eye_cm", lens.eye().tolist()))
        if not (height > 2 * STEEP * large and max(abs(x), abs(y)) < 20 * height):
            raise ValueError("a camera among the pieces, or that hardly looks down on them")
        return cls(
            lens,
            picture_from(data["surface_png"]),
            bounded(data["corner_error"]),
            PyramidMeasures(Measures.from_json(data["measures_cm"]), (small, medium, large)),
            (x, y, height),
            PieceColours.from_json(data["dyes"]),
            Beside.from_json(data["beside"]) if "beside" in data else Beside(),
            OtherLook.from_json(data["guise"]) if data.get("guise") else None,
            bounded(data.get("trust", 1.0), 0.0, 1.0),
        )


def _regions(flat: Flat, measures: PyramidMeasures) -> dict[Cell, Mask]:
    """What must be in view for a cell to be read, on every so many (``FINER``) map pixels."""
    x, y, board, large = flat.x[::FINER], flat.y[::FINER], measures.board, measures.bases[2]
    found: dict[Cell, Mask] = {}
    for cell, (middle, start, way) in measures.columns.items():
        inward = (y - start) * way
        deep = (inward > 0) & (inward < DEEP * large)
        found[cell] = deep[:, None] & (np.abs(x - middle) < board.pitch / 2)
    wide = np.abs(x - board.width / 2) < max(board.bar, large) / 2
    bar = ((y > 0) & (y < board.height))[:, None] & wide
    return {**found, **dict.fromkeys(BARS, bar)}
