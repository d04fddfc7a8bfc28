"""Checkers that look like the other side's: where a lamp or a window is mirrored in them, and how much colour
may then be believed.

A glossy checker under a mirrored lamp has the lamp's colour, not its own. That there is a checker can be
seen, whose it is hardly; at worst both sides' are as white as the lamp. The calibration picture says where:
every checker's side is known there, and by how many nats each is told from the other side's (negative: it is
taken for one of them). Between them the lamp's image changes slowly, so that elsewhere on the board as much
is expected as of the side's nearest checkers. Where that is little, whose a row is counts for little, however
plain it looks. What the board's total of pieces, and the rules, say of it is then for others
(``stock_inference``, the judge).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Piece
from vision.checkers.places import spots
from vision.geometry.board_measures import BARS, POINTS, ROW, SIDES, Measures, Orientation
from vision.reading import Raw

Margins: TypeAlias = tuple[tuple[float, float, float], ...]
"""A side's known checkers: x and y (cm), and by how many nats each is told from the other side's."""
WHOSE = 8.0
"""Nats by which it is known, at most, whose pieces stand in a row, however many they are: what makes one look
like the other side's, a mirrored lamp, does so to its neighbours (measured: docs/vision-measurements.md)."""
HIDDEN = 2.0
"""Nats by which one known checker is told from the other side's at most, or no checker is like the other
side's."""
PLAIN = 4.0
"""Nats of a checker from which on its neighbours are expected to show their side."""
NEAR = 1.2
"""How far (diameters) around a known checker the same is expected as of it: its neighbours in the row."""


def hides(margins: Sequence[Margins]) -> bool:
    """Whether some known checker hardly shows its side."""
    return any(nats < HIDDEN for side in margins for *_, nats in side)


def usual(margins: Sequence[Margins]) -> float:
    """By how many nats a checker shows its side, in the middle of all."""
    return float(np.median([nats for side in margins for *_, nats in side]))


def weight(squares: NDArray[np.floating]) -> NDArray[np.floating]:
    """How much a known checker says of a place, by the square of its distance (in diameters)."""
    return np.asarray(1 / (squares + NEAR**2) ** 2)


class Mirrored:
    """What is expected of every cell of one table."""

    def __init__(self, measures: Measures, orientation: Orientation, margins: Sequence[Margins]) -> None:
        self._cells: dict[Cell, NDArray[np.float64]] = {}
        self._bar = WHOSE
        if len(margins) != 2 or not all(margins) or not hides(margins):
            return

        def least(places: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
            return np.asarray(np.min([_expected(side, places, measures.checker) for side in margins], axis=0))

        for cell in POINTS:
            row = [(x, y) for _, x, y, _ in spots(measures, {cell: (SIDES[0],) * ROW}, orientation)]
            expected = least(row)
            if expected.min() < PLAIN:
                self._cells[cell] = _limit(np.cumsum(expected) / np.arange(1, ROW + 1))
        bar = least([(measures.width / 2, part * measures.height) for part in np.linspace(0.2, 0.8, 7)])
        if bar.min() < PLAIN:
            self._bar = float(_limit(bar).min())

    def weaken(self, raw: Raw) -> Raw:
        """``raw`` with less belief in whose the checkers are where known ones look like the other side's."""
        if not self._cells and self._bar >= WHOSE:
            return raw
        found = {
            cell: self._point(looks, self._cells[cell]) if cell in self._cells else looks
            for cell, looks in raw.items()
        }
        if self._bar < WHOSE:
            self._bars(found)
        return found

    def _point(self, looks: Mapping[Look, float], limit: NDArray[np.float64]) -> dict[Look, float]:
        one, other = SIDES
        found = dict(looks)
        for count in range(1, max(map(len, looks)) + 1):
            here, there = looks.get((one,) * count), looks.get((other,) * count)
            if here is None and there is None:
                continue
            best = max(value for value in (here, there) if value is not None)
            apart = (best - WHOSE if here is None else here) - (best - WHOSE if there is None else there)
            most = float(limit[min(count, ROW) - 1])
            apart = min(max(apart, -most), most)
            found[(one,) * count] = best + min(apart, 0.0)
            found[(other,) * count] = best - max(apart, 0.0)
        return found

    def _bars(self, raw: Raw) -> None:
        """What lies on the bar may be the other side's as well."""
        seen: list[tuple[Cell, Cell, Piece, Look]] = []
        if raw.keys() >= set(BARS):
            for cell, other, piece in zip(BARS, BARS[::-1], SIDES[::-1], strict=True):
                look = max((value, look) for look, value in raw[cell].items())[1]
                if look:
                    seen.append((cell, other, piece, look))
        for cell, opposite, piece, look in seen:
            turned = (piece,) * len(look)
            raw[cell] = raw[cell] | {(): max(raw[cell].get((), -99.0), raw[cell][look] - self._bar)}
            best = max(raw[opposite].values())
            raw[opposite] = raw[opposite] | {turned: max(raw[opposite].get(turned, -99.0), best - self._bar)}


def _expected(margins: Margins, places: Sequence[tuple[float, float]], checker: float) -> NDArray[np.float64]:
    """By how many nats a side's checkers would be told from the other's at the places: as its nearest known
    ones are, and where those are more than two diameters away, not as the plainest, but as the worst three of
    ten (measured: docs/vision-measurements.md, mirrored lamps)."""
    known = np.array(margins, np.float64)
    apart = np.linalg.norm(np.array(places)[:, None] - known[None, :, :2], axis=2) / checker
    near, far = weight(apart**2), float(weight(np.array(2.0**2)))
    plain = float(np.quantile(known[:, 2], 0.3))
    return np.asarray((near @ known[:, 2] + far * plain) / (near.sum(axis=1) + far), np.float64)


def _limit(expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how many nats a side is believed where its checkers are expected to be told by so many; by 0.3 where
    nothing can be told."""
    return np.asarray(np.clip(WHOSE * expected / PLAIN, 0.3, WHOSE), np.float64)
