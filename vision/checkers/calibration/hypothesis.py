"""What a calibration believes for now: a camera, the measures and the orientation that belong to it, and
where the known pieces are under them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Looks, Piece
from vision.checkers.calibration.measures import Estimates
from vision.checkers.paint import KnownDiscs
from vision.checkers.places import Place, flatten, hidden_spots, spots
from vision.checkers.plan import Plan
from vision.geometry.board_measures import (
    ROW,
    SIDES,
    Measures,
    Orientation,
    middle,
    opposite,
    picture_side,
)
from vision.geometry.camera import Camera, Corner, Floats, rectangle
from vision.geometry.flat import Flat, Map

LOOSE, TOO_LOOSE = 0.25, 0.85
"""How far from its drawn place a piece is seen (diameters) that its row counts as loose; and the first of a
row that the corners are more likely wrong."""


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
    discs: Floats | None = None
    """Where somebody who knows nothing sees the tops of pieces (N x 2, pixels), if he was asked."""

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
        drawn = spots(self.measures, self.known, self.orientation)
        return [
            (each[0], x, y, each[3]) if loose else each
            for each, (x, y), loose in zip(drawn, self.loose.tolist(), self.is_loose, strict=True)
        ]

    @property
    def is_loose(self) -> NDArray[np.bool_]:
        """Which of those are of loose rows."""
        return np.asarray(~np.isnan(self.loose[:, 0]))

    @cached_property
    def loose(self) -> Floats:
        """Where each of those stands (N x 2, cm) whose row nobody pushed to the rim, or together, if on every
        point as many ``discs`` are seen as the position has. NaN for the others, which stand where the
        position has them, or nearly, or so far off that the corners are wrong."""
        m, found = self.measures, list[Floats]()
        discs = np.zeros((0, 2)) if self.discs is None else self.camera.place(self.discs, m.thickness)
        for number in range(1, 25):
            place, look = self.orientation.place(number), self.known.get(f"p{number}", ())
            row = spots(m, {f"p{number}": look}, self.orientation)
            drawn = np.array([(x, y) for _, x, y, _ in row]).reshape(-1, 2)
            half = (discs[:, 1] > m.height / 2) == (place > 12)
            here = discs[half & (np.abs(discs[:, 0] - middle(m, place)) < m.pitch / 2)]
            if len(here) != len(look):
                return np.full((len(spots(m, self.known, self.orientation)), 2), np.nan)
            here = here[np.argsort(-here[:, 1] if place > 12 else here[:, 1])][: len(drawn)]
            apart = np.linalg.norm(here - drawn, axis=1) / m.checker
            loose = len(look) <= ROW and (apart > LOOSE).any() and apart[:1].max(initial=0.0) < TOO_LOOSE
            found.append(here if loose else np.full_like(drawn, np.nan))
        return np.concatenate(found)

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
        drawn = hidden_spots(self.measures, self.known, self.orientation)
        return [*drawn, *compress(self.spots, self.is_loose)]

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
