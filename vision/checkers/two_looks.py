"""Sides of two looks: checkers of the lacquer's colour, and checkers in which a lamp is mirrored.

One tint for both would be a colour that none of them has. Where the calibration picture shows a side so
(``paint.divide``), every place is asked about twice: is there a disc of the lacquer's tint, or one of
the mirrored lamp's? The lamp's image changes slowly over the board, so the nearest known checkers of the side
say beforehand which of the two to expect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.checkers.discs import Discs, Moments
from vision.checkers.paint import Divided, Paint
from vision.geometry.flat import RESOLUTION, Map
from vision.light.lamp import spread
from vision.light.surface import Surface

NEAR = 1.2
"""How far (diameters) around a known checker the same is expected as of it: its neighbours in the row."""
SELDOM = -4.0
"""Log-probability under which neither look goes, however surely the other is expected."""


@dataclass(frozen=True)
class Both(Moments):
    """The same frame's numbers for either look, and the map column and row that places count from."""

    bright: Moments
    origin: tuple[int, int]


@dataclass(frozen=True)
class TwoLooks(Discs):
    """Discs of the lacquers' tints; ``bright`` knows the mirrored lamp's instead. ``divided``: what each
    side's known checkers looked like."""

    bright: Discs
    divided: tuple[Divided | None, ...]

    def on(self, bare: Surface) -> TwoLooks:
        """See ``Discs``."""
        return replace(self, bare=bare, bright=self.bright.on(bare))

    def moments(self, values: Map, part: tuple[slice, slice] = np.s_[:, :]) -> Both:
        """See ``Discs``."""
        plain = super().moments(values, part)
        origin = part[1].start or 0, part[0].start or 0
        return Both(plain.layers, plain.noise, self.bright.moments(values, part), origin)

    def gains(self, moments: Moments, u: Map, v: Map) -> list[NDArray[np.float32]]:
        """See ``Discs``: the likelier of either look."""
        assert isinstance(moments, Both)
        plain, bright = super().gains(moments, u, v), self.bright.gains(moments.bright, u, v)
        found = []
        for divided, one, other in zip(self.divided, plain, bright, strict=True):
            if divided is None:
                found.append(one)
                continue
            lamp = _lamp(divided, u + moments.origin[0], v + moments.origin[1])
            matte, mirrored = (
                np.maximum(np.log(np.maximum(chance, 1e-9)), SELDOM) for chance in (1 - lamp, lamp)
            )
            found.append(np.asarray(np.maximum(one + matte, other + mirrored), np.float32))
        return found


def make_discs(bare: Surface, paint: Paint) -> Discs:
    """The discs of a paint on a bare board, however many looks its sides have."""
    light = spread(bare.values.shape[:2], paint.light)
    if not any(paint.divided):
        return Discs(bare, light, paint)

    def of(look: str) -> Paint:
        pairs = zip(paint.divided, paint.tints, strict=True)
        return replace(paint, tints=tuple(getattr(both, look) if both else tint for both, tint in pairs))

    return TwoLooks(bare, light, of("matte"), Discs(bare, light, of("mirrored")), paint.divided)


def _lamp(divided: Divided, u: Map, v: Map) -> Map:
    """How likely a lamp is mirrored in a checker at the places: as in the side's nearest known ones."""
    total, lit = np.zeros(u.shape, np.float32), np.zeros(u.shape, np.float32)
    for column, row, mirrors in divided.known:
        near = _weight(((u - column) ** 2 + (v - row) ** 2) / RESOLUTION**2)
        total += near
        lit += mirrors * near
    return np.asarray(lit / total, np.float32)


def _weight(squares: NDArray[np.floating]) -> NDArray[np.floating]:
    """How much a known checker says of a place, by the square of its distance (in diameters)."""
    return np.asarray(1 / (squares + NEAR**2) ** 2)
