"""Backgammon checkers on a 24-point board: the kind that ``backgammon``, ``zombie`` and ``siegegammon`` share.

A point is a row of discs from the rim inward, five at most; further ones lie on top of the first. The bar is a row of its own around
the middle. Borne-off checkers stand on their rims in a tray, where only their extent can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Looks, Piece
from vision import board
from vision.appearance import Scores
from vision.board import BARS, DEPTH, PITCH, SIDES, THICKNESS, Geometry, Measures
from vision.columns import Chain, chain, mixed
from vision.kind import Found, Raw
from vision.scene import RESOLUTION, RIM, Flat, Map

NATS = 7.0
"""How many independent pixels a disc is worth: what turns its mean score into a log-likelihood."""
PRICE = 4.0
"""Nats that a checker must earn to be believed, where the rows say nothing else."""
ROW = 5
"""Checkers in a row before they are stacked."""
ASIDE = 4
"""How far beside its row's middle a checker may stand, in map pixels."""
DISC = 0.46
"""Radius of what is compared, in diameters: a little less than the checker."""


def disc(radius: float) -> NDArray[np.float32]:
    """A round mask that sums to 1, soft at its edge (radius in pixels)."""
    k = int(np.ceil(radius))
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    mask = np.clip(radius + 0.5 - np.hypot(xx, yy), 0, 1)
    return np.asarray(mask / mask.sum(), np.float32)


@dataclass(frozen=True)
class Checkers:
    """The kind."""

    name: str = "checkers"
    pieces: tuple[Piece, ...] = SIDES

    def start(self) -> Looks:
        """Backgammon's starting position."""
        return board.start()

    def guess(self, geometry: Geometry) -> Measures:
        """Usual proportions for whatever is not given."""
        known = geometry.measures()
        if known:
            return known
        pitch = geometry.pitch
        if pitch is None:
            pitch = geometry.checker * PITCH if geometry.checker else (geometry.width or 63.0) / 13.2
        checker = geometry.checker or pitch / PITCH
        bar = geometry.bar if geometry.bar is not None else max((geometry.width or 13.2 * pitch) - 12 * pitch, 0.0)
        height = geometry.height or DEPTH * checker
        return Measures(pitch, checker, bar, 12 * pitch + bar, height, geometry.tray or "right", THICKNESS * checker)

    def edges(self, measures: Measures) -> tuple[float, float, float, float]:
        """The surface, its rims, and the trays."""
        d = measures.checker
        left = 2.5 if measures.tray in ("left",) else RIM
        right = 2.5 if measures.tray in ("right", "both") else RIM
        return -left * d, measures.width + right * d, -RIM * d, measures.height + RIM * d

    def spots(self, measures: Measures, looks: Looks) -> list[tuple[Piece, float, float, float]]:
        """Row by row from the rim; second layers left out, they hide the first."""
        found = []
        for number in range(1, 25):
            look = looks.get(f"p{number}", ())
            for i in range(min(len(look), ROW)):
                if len(look) - ROW > i:
                    continue
                y = board.inward(measures, number, measures.checker * (0.52 + 1.02 * i))
                found.append((look[i], board.middle(measures, number), y, measures.thickness))
        return found

    def repeats(self, measures: Measures, flat: Flat) -> tuple[list[tuple[float, int]], NDArray[np.int64]]:
        """The pattern repeats every two points, and across the bar."""
        p, across = measures.pitch, 6 * measures.pitch + measures.bar
        shifts = [(k * p, 0) for k in (-4, -2, 2, 4)]
        shifts += [(hop * across + k * p, hop) for hop in (-1, 1) for k in (-4, -2, 0, 2, 4)]
        x = flat.left + (np.arange(flat.shape[1]) + 0.5) / flat.scale
        half = np.full(x.shape, -1, np.int64)
        half[(x > 0) & (x < 6 * p)] = 0
        half[(x > measures.width - 6 * p) & (x < measures.width)] = 1
        return [(shift * flat.scale, hop) for shift, hop in shifts], half

    def plan(self, measures: Measures, flat: Flat) -> CheckerPlan:
        """Laid out for reading."""
        return CheckerPlan(measures, flat)


@dataclass(frozen=True)
class CheckerPlan:
    """Rows of sample places on the map, computed once."""

    measures: Measures
    flat: Flat
    regions: Mapping[Cell, NDArray[np.bool_]] = field(init=False)
    _rows: dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]] = field(init=False, repr=False)
    _radius: float = field(init=False)

    def __post_init__(self) -> None:
        rows = {}
        for number in range(1, 25):
            rows[f"p{number}"] = self._row(board.middle(self.measures, number), self._inward(number))
        d = self.measures.checker
        along = np.arange(0.5 * d, self.measures.height - 0.5 * d, d / RESOLUTION)
        rows["bar"] = self._row(board.bar_middle(self.measures), along)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_radius", DISC * RESOLUTION)
        object.__setattr__(self, "regions", self._regions())

    def _inward(self, number: int) -> NDArray[np.float64]:
        d = self.measures.checker
        steps = np.arange(0.30 * d, self.measures.height / 2 - 0.15 * d, d / RESOLUTION)
        return steps if number <= 12 else self.measures.height - steps

    def _row(self, x: float, ys: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        aside = np.arange(-ASIDE, ASIDE + 1) * self.measures.checker / RESOLUTION
        places = np.stack(np.meshgrid(x + aside, ys), axis=-1).reshape(-1, 2)
        at = self.flat.at(places, self.measures.thickness).astype(np.float32).reshape(len(ys), len(aside), 2)
        return np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])

    def _regions(self) -> dict[Cell, NDArray[np.bool_]]:
        rows, columns = self.flat.shape
        m = self.measures
        xs = self.flat.left + (np.arange(columns) + 0.5) / self.flat.scale
        ys = self.flat.high - (np.arange(rows) + 0.5) / self.flat.scale
        found: dict[Cell, NDArray[np.bool_]] = {}
        for number in range(1, 25):
            x = board.middle(m, number)
            inside = (ys > 0) & (ys < m.height / 2) if number <= 12 else (ys > m.height / 2) & (ys < m.height)
            found[f"p{number}"] = inside[:, None] & (np.abs(xs - x) < m.pitch / 2)[None, :]
        wide = np.abs(xs - m.width / 2) < max(m.bar, m.checker) / 2
        for cell in BARS:
            found[cell] = ((ys > 0) & (ys < m.height))[:, None] & wide[None, :]
        return found

    def read(self, scores: Scores, values: Map, surface: Map) -> Found:
        """Chains of discs on every point and on the bar, extents in the tray."""
        mask = disc(self._radius)
        pooled = [np.asarray(cv2.filter2D(layer, cv2.CV_32F, mask, borderType=cv2.BORDER_REPLICATE), np.float32) for layer in scores.pieces]
        raw: Raw = {}
        explained = np.zeros(self.flat.shape, np.uint8)
        marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
        for number in range(1, 25):
            cell = f"p{number}"
            looks: dict[Look, float] = {(): 0.0}
            best: tuple[float, int, Chain, int, NDArray[np.int64]] | None = None
            for k, side in enumerate(SIDES):
                gains, aside = self._gains(cell, pooled[k])
                found = self._chain(gains)
                for count in range(1, len(found.scores)):
                    looks[(side,) * count] = found.scores[count]
                top = int(np.argmax(found.scores))
                if top and (best is None or found.scores[top] > best[0]):
                    best = (found.scores[top], k, found, top, aside)
                if len(found.scores) > ROW:
                    self._stacked(looks, side, scores.pieces[k], cell, found.places[ROW], aside, found.scores[ROW])
            raw[cell] = looks
            if best is not None and best[0] > 0:
                marks[cell] = []
                for step in best[2].places[best[3]]:
                    u, v = (float(axis[step, best[4][step]]) for axis in self._rows[cell])
                    marks[cell].append((SIDES[best[1]], u, v, RESOLUTION / 2))
                    cv2.circle(explained, (round(u), round(v)), RESOLUTION // 2 + 1, 1, -1)
        self._bar(pooled, raw)
        return Found(raw, explained.astype(bool), marks)

    def _gains(self, row: str, pooled: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        u, v = self._rows[row]
        sampled = cv2.remap(pooled, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        off = (np.arange(-ASIDE, ASIDE + 1) / ASIDE) ** 2 * 0.15
        weighed = sampled - off
        aside = np.argmax(weighed, axis=1)
        return np.asarray(weighed[np.arange(len(aside)), aside], np.float64) * NATS, aside

    def _chain(self, gains: NDArray[np.float64]) -> Chain:
        r = RESOLUTION
        return chain(gains - PRICE / 2, (round(0.08 * r), round(0.55 * r)), (round(0.94 * r), round(1.16 * r)), 7)

    def _stacked(
        self, looks: dict[Look, float], side: Piece, layer: Map, cell: Cell, places: tuple[int, ...], aside: NDArray[np.int64], base: float
    ) -> None:
        """Second layers: does a pair of discs, one above the other, explain more than one disc?"""
        score = base
        centres = [tuple(float(axis[step, aside[step]]) for axis in self._rows[cell]) for step in places]
        for extra in range(1, ROW + 1):
            score += self._double(layer, centres, extra - 1) - PRICE
            looks[(side,) * (ROW + extra)] = score
        for extra in range(ROW + 1, 11):
            looks[(side,) * (ROW + extra)] = score - 1.0 * (extra - ROW)

    def _double(self, layer: Map, centres: list[tuple[float, ...]], index: int) -> float:
        u, v = centres[index]
        half = RESOLUTION
        col, row = round(u), round(v)
        r0, c0 = max(row - half, 0), max(col - half, 0)
        patch = layer[r0 : row + half + 1, c0 : col + half + 1].copy()
        yy, xx = np.mgrid[r0 : r0 + patch.shape[0], c0 : c0 + patch.shape[1]]
        for other, (ou, ov) in enumerate(centres):
            if other != index:
                patch[np.hypot(xx - ou, yy - ov) < 0.53 * RESOLUTION] = 0
        shifts = np.arange(-4, 5, 2)
        masks = np.stack(
            [np.clip(self._radius + 0.5 - np.hypot(xx - u - dx, yy - v - dy), 0, 1).ravel() for dy in shifts for dx in shifts]
        ).astype(np.float32)
        weighted = masks * patch.ravel()
        single = weighted.sum(axis=1)
        union = single[:, None] + single[None, :] - weighted @ masks.T
        area = np.pi * self._radius**2
        return float(union.max() - single.max()) / area * NATS

    def _bar(self, pooled: list[NDArray[np.float32]], raw: Raw) -> None:
        gains = tuple(self._gains("bar", layer)[0] for layer in pooled)
        counts = mixed((gains[0], gains[1]), round(0.94 * RESOLUTION), 4, PRICE)
        for k, cell in enumerate(BARS):
            looks: dict[Look, float] = {}
            for pair, score in counts.items():
                look = (SIDES[k],) * pair[k]
                looks[look] = max(looks.get(look, -1e9), score)
            raw[cell] = looks
