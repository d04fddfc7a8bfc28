"""What a calibration believes for now: a camera, the measures and the orientation that belong to it, and
where the known pieces are under them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Looks, Piece
from vision.checkers.calibration.measures import Estimates
from vision.checkers.paint import KnownDiscs
from vision.checkers.places import Place, flatten, hidden_spots, spots
from vision.checkers.plan import Plan
from vision.geometry.board_measures import SIDES, Measures, Orientation, opposite, picture_side
from vision.geometry.camera import Camera, Corner, Floats, rectangle
from vision.geometry.flat import Flat, Map


@dataclass(frozen=True)
class Hypothesis:
    """``known`` is what stands on the board; ``corners`` where somebody says that the surface's are, give or
    take ``slack`` pixels (one standard deviation). ``home_told``: somebody said on which side the home is."""

    known: Looks
    corners: Sequence[Corner]
    estimates: Estimates
    orientation: Orientation
    camera: Camera
    slack: float
    home_told: bool = False

    @property
    def measures(self) -> Measures:
        """Those known, and the estimates of the others."""
        return self.estimates.measures

    @cached_property
    def flat(self) -> Flat:
        """The map under this camera."""
        return flatten(self.camera, self.measures)

    @cached_property
    def plan(self) -> Plan:
        """The board under this camera, laid out for reading."""
        return Plan(self.measures, self.flat, self.orientation, max(self.stock.values(), default=0))

    @cached_property
    def stock(self) -> dict[Piece, int]:
        """How many of each piece there are."""
        return dict(Counter(piece for look in self.known.values() for piece in look))

    @cached_property
    def names_open(self) -> bool:
        """Whether the known position turned round is its mirror image with the colours changed, as the start
        is: then places do not say whose pieces are whose."""
        names = dict(zip(SIDES, SIDES[::-1], strict=True))
        other = {opposite(cell): tuple(names[piece] for piece in look) for cell, look in self.known.items()}
        return {cell: look for cell, look in self.known.items() if look} == {
            cell: look for cell, look in other.items() if look
        }

    @cached_property
    def spots(self) -> list[Place]:
        """Where the known pieces stand."""
        return spots(self.measures, self.known, self.orientation)

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """Which side each of those is of."""
        return np.array([SIDES.index(piece) for piece, *_ in self.spots], np.int64)

    @cached_property
    def tops(self) -> Floats:
        """Where on the map their tops are (N x 2)."""
        return self.on_map(self.spots)

    def discs_on(self, values: Map) -> KnownDiscs:
        """The known pieces as a map shows them (``values`` as ``colour.logs``)."""
        return KnownDiscs(values, self.tops, self.kinds)

    @cached_property
    def hidden(self) -> list[Place]:
        """Every place of the board that the known pieces hide."""
        return hidden_spots(self.measures, self.known, self.orientation)

    @cached_property
    def diameter(self) -> float:
        """Pixels across a checker in the middle of the board."""
        x, y = self.measures.width / 2, self.measures.height / 2
        ends = self.camera.project([[x, y, 0], [x + self.measures.checker, y, 0]])
        return float(np.linalg.norm(ends[1] - ends[0]))

    @property
    def home(self) -> str:
        """The side of the picture on which the home boards are (one of ``HOMES``)."""
        x, y = self.measures.width / 2, self.measures.height / 2
        away = x / 2 if self.orientation.home == "right" else -x / 2
        middle, home = self.camera.project([[x, y, 0], [x + away, y, 0]])
        return picture_side(home - middle)

    @property
    def corner_error(self) -> float:
        """Mean distance in pixels between the corners given and where this camera sees them."""
        seen = self.camera.project(rectangle(self.measures.width, self.measures.height))
        return float(np.mean(np.linalg.norm(seen - np.asarray(self.corners, np.float64), axis=1)))

    def cells_at(self, places: Floats) -> frozenset[Cell]:
        """The cells in whose parts of the board some places (N x 2, cm) are."""
        return frozenset(
            cell
            for column, row in np.round(self.flat.at(places)).astype(int)
            for cell, region in self.plan.regions.items()
            if region[row, column]
        )

    def on_map(self, places: Sequence[Place]) -> Floats:
        """Where on the map the tops of pieces are (N x 2)."""
        return self.flat.at([(x, y) for _, x, y, _ in places], self.measures.thickness)
