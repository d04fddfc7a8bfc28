"""A camera that a calibration believes in for now, with the measures and the orientation that belong to it,
and where the known pieces are under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import Looks
from vision.checkers.calibration.measures import Loose
from vision.checkers.discs import Discs, Moments
from vision.checkers.places import Place, flatten, hides, spots
from vision.checkers.plan import Plan
from vision.geometry.board_measures import Orientation
from vision.geometry.camera import Camera, Corner
from vision.geometry.flat import Flat

SEARCH = 4
"""How far from its expected place a piece is looked for, in map pixels."""
Spots = Sequence[Place]


@dataclass(frozen=True)
class Hypothesis:
    """A camera with the measures and the orientation that belong to it."""

    known: Looks
    corners: Sequence[Corner]
    loose: Loose
    orientation: Orientation
    eye: Camera
    slack: float

    def flat(self) -> Flat:
        """The map under this camera."""
        return flatten(self.eye, self.loose.base)

    def diameter(self) -> float:
        """Pixels across a checker in the middle of the board."""
        base = self.loose.base
        ends = self.eye.project(
            [[base.width / 2, base.height / 2, 0], [base.width / 2 + base.checker, base.height / 2, 0]]
        )
        return float(np.linalg.norm(ends[1] - ends[0]))

    def plan(self) -> Plan:
        """The board under this camera, laid out for reading."""
        return Plan(self.loose.base, self.flat(), self.orientation)

    def hides(self) -> Spots:
        """All of the board that the known pieces hide (see ``places.hides``)."""
        return hides(self.loose.base, self.known, self.orientation)

    def spots(self) -> Spots:
        """Where the known pieces stand."""
        return spots(self.loose.base, self.known, self.orientation)


def places(flat: Flat, spots: Spots) -> NDArray[np.float64]:
    """Where on the map the tops are (N x 2)."""
    return np.array([flat.at([(x, y)], z)[0] for _, x, y, z in spots])


def peak(discs: Discs, moments: Moments, kind: int, place: NDArray[np.float64]) -> tuple[float, float, float]:
    """The best match near a place, to a fraction of a map pixel: column, row, nats."""
    around = np.arange(-SEARCH, SEARCH + 0.01, 0.5)
    u, v = np.meshgrid(place[0] + around, place[1] + around)
    gains = (
        discs.gains(moments, u.astype(np.float32), v.astype(np.float32))[kind]
        - 0.05 * np.hypot(u - place[0], v - place[1]) ** 2
    )
    weight = np.exp(np.clip(gains - gains.max(), -50, 0)) * (gains > gains.max() - 3)
    return float(np.average(u, weights=weight)), float(np.average(v, weights=weight)), float(gains.max())
