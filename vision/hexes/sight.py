"""What a camera measures of each hex: a few numbers a cell, and how an army's bar runs from hex to hex.

The numbers of a cell are the mean luma and chromas inside a piece's outline, and how dark the ring around
that gets: a token has a rim and a shadow, bare paper has neither. Between two hexes of a row only an army
covers the paper, so its colour there tells it from two tokens side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Camera
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.hexes.grid import Sheet

UNITS = 2.0
"""Units of ``RESOLUTION`` map pixels in a hex's width."""
INSIDE, RING = 0.22, (0.24, 0.40)
"""Radii of what is compared, in hex widths."""
MIDDLE, SOFT = 0.23, 1.0
"""Radius within which relief is looked for, in hex widths, and how far noise is smoothed away before, in map
pixels."""
ASTRAY, ASIDE = (0.08, 0.15), 0.06
"""How far aside of its place a printed line may lie (so far is tried), and how far a token, in hex widths."""
BETWEEN = 0.09
"""Radius of what is looked at between two hexes."""
THICKNESS = 0.12
"""Usual height of tokens and armies, in hex widths."""
RIM = 1.0
"""How much of what lies around the sheet is in the map, in hex widths."""
BESIDE = 0.43
"""How far from an army's middle line the paper beside it is looked at, in hex widths: halfway to a parallel
army."""
COVERED = 0.5
"""The part of an army's colour that must show between two hexes for it to lie there."""
SPILL = 0.6
"""The part of an army's colour that may show beside it (another army, a blurred picture)."""

SOME = 1.0
"""What is said for an army at most where only two hexes hang together: nothing that lies so is legal, but it
is no fortress either."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Sight:
    """The sheet under one camera. ``flat`` is its map; everything else is where to look on it, computed
    once."""

    sheet: Sheet
    camera: Camera
    flat: Flat = field(init=False)
    _inside: tuple[Map, Map] = field(init=False, repr=False)
    _ring: tuple[Map, Map] = field(init=False, repr=False)
    _middle: tuple[Map, Map] = field(init=False, repr=False)
    _between: tuple[Map, Map] = field(init=False, repr=False)
    _beside: tuple[Map, Map] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p = self.sheet.pitch
        edges = (-RIM * p, self.sheet.width + RIM * p, -RIM * p, self.sheet.height + RIM * p)
        object.__setattr__(self, "flat", Flat(self.camera, RESOLUTION * UNITS / p, *edges))
        lines, centres = self.sheet.lines, self.sheet.centres
        middles = (centres[lines[:, :-1]] + centres[lines[:, 1:]]).reshape(-1, 2) / 2
        object.__setattr__(self, "_inside", self._places(centres, 0.0, INSIDE))
        object.__setattr__(self, "_ring", self._places(centres, *RING))
        object.__setattr__(self, "_middle", self._places(centres, 0.0, MIDDLE))
        object.__setattr__(self, "_between", self._places(middles, 0.0, BETWEEN))
        along = centres[lines[:, -1]] - centres[lines[:, 0]]
        across = (
            np.stack([-along[:, 1], along[:, 0]], axis=1)
            / np.linalg.norm(along, axis=1, keepdims=True)
            * BESIDE
            * p
        )
        steps = centres[lines[:, 0]][:, None] + np.linspace(0, 1, 7)[None, :, None] * along[:, None]
        flanks = np.concatenate([steps + across[:, None], steps - across[:, None]], axis=1).reshape(-1, 2)
        object.__setattr__(self, "_beside", self._places(flanks, 0.0, 0.04))

    def _places(self, centres: NDArray[np.float64], least: float, most: float) -> tuple[Map, Map]:
        """Map positions of all samples between two radii around the centres (two arrays N x M)."""
        p = self.sheet.pitch
        steps = np.arange(-most, most + 1e-9, 1 / (RESOLUTION * UNITS)) * p
        dx, dy = np.meshgrid(steps, steps)
        away = np.hypot(dx, dy)
        near = (away >= least * p) & (away <= most * p)
        around = np.stack([dx[near], dy[near]], axis=1)
        at = self.flat.at((centres[:, None, :] + around[None]).reshape(-1, 2), THICKNESS * p)
        u, v = (at[:, axis].reshape(len(centres), -1).astype(np.float32) for axis in (0, 1))
        return u, v

    def numbers(self, values: Map) -> Numbers:
        """For every cell: mean luma, mean chromas, and how dark its ring gets (N x 4). ``values`` as of
        ``colour.logs``."""
        inside = _sample(values, self._inside).mean(axis=1)
        return np.column_stack(
            [inside, self._darkest(np.ascontiguousarray(values[..., 0]), 0.0, 0.0)]
        ).astype(np.float64)

    def rings(self, values: Map) -> tuple[Numbers, Numbers]:
        """How dark each cell's ring gets at least and at most (two arrays of N), wherever a little aside its
        middle is taken to be: a token may lie there, and where no tokens lie a printed line may be nearer
        than the camera's geometry says."""
        luma = np.ascontiguousarray(values[..., 0])
        here = self._darkest(luma, 0.0, 0.0)
        astray = [self._darkest(luma, *off) for off in self._around(*ASTRAY)]
        aside = [self._darkest(luma, *off) for off in self._around(ASIDE)]
        return np.max([here, *astray], axis=0), np.min([here, *aside], axis=0)

    def _around(self, *parts: float) -> list[tuple[float, float]]:
        """Steps in six directions, so many hex widths far (column, row; map pixels)."""
        far = [part * self.sheet.pitch * self.flat.scale for part in parts]
        return [
            (step * math.cos(turn), step * math.sin(turn))
            for step in far
            for turn in (n * math.pi / 3 for n in range(6))
        ]

    def _darkest(self, luma: Map, u: float, v: float) -> Numbers:
        """How dark each cell's ring gets, so many map pixels aside."""
        columns, rows = self._ring
        return np.asarray(
            np.percentile(_sample(luma, (columns + np.float32(u), rows + np.float32(v))), 4, axis=1),
            np.float64,
        )

    def relief(self, values: Map) -> Numbers:
        """For every cell: how much the luma varies within it, noise left aside (N), wherever a little aside
        its middle is taken to be. Paper is flat, a token is not, whatever it mirrors."""
        soft = np.asarray(cv2.GaussianBlur(values[..., 0], (0, 0), SOFT), np.float32)
        columns, rows = self._middle
        spots = [(0.0, 0.0), *self._around(*ASTRAY)]
        each = [_sample(soft, (columns + np.float32(u), rows + np.float32(v))).std(axis=1) for u, v in spots]
        return np.asarray(np.min(each, axis=0), np.float64)

    def between(self, values: Map) -> Numbers:
        """The mean chromas between the hexes of every row of four (L x 3 x 2)."""
        chroma = _sample(np.ascontiguousarray(values[..., 1:]), self._between).mean(axis=1)
        return np.asarray(chroma, np.float64).reshape(len(self.sheet.lines), -1, 2)

    def beside(self, values: Map) -> Numbers:
        """The chromas along both flanks of every row of four (L x 14 x 2)."""
        chroma = _sample(np.ascontiguousarray(values[..., 1:]), self._beside).mean(axis=1)
        return np.asarray(chroma, np.float64).reshape(len(self.sheet.lines), -1, 2)

    def runs(self, colour: Numbers, between: Numbers, beside: Numbers) -> Numbers:
        """How far an army seems to run through each cell, from -4 (surely none) to 4, at its best row of
        four. ``colour`` (N) is how much of the army's colour each cell shows, ``between`` (L x 3) and
        ``beside`` (L x 14) how much is seen between and beside: an army is no wider than its row, a hand
        is."""
        lines = self.sheet.lines
        cells = colour[lines]
        most = np.maximum(cells.max(axis=1), 0.1)
        part = np.minimum(between.min(axis=1), cells.min(axis=1)) / most
        spill = beside.mean(axis=1) / most
        along = np.clip(np.minimum((part - COVERED) * 12, (SPILL - spill) * 12), -4, 4)
        along = along - self._rivals(along)
        best = np.full(len(colour), -4.0)
        np.maximum.at(best, lines.ravel(), np.repeat(along, lines.shape[1]))
        for end, joined in self.joined(colour, between, beside):
            np.maximum.at(best, end, np.minimum(joined, SOME))
        return np.asarray(np.maximum(best, -4.0), np.float64)

    def joined(
        self, colour: Numbers, between: Numbers, beside: Numbers
    ) -> list[tuple[NDArray[np.int64], Numbers]]:
        """How surely a hex hangs together with its neighbour in a row, from -4 to 4: for both hexes of every
        pair, as :meth:`runs`."""
        lines = self.sheet.lines
        one, other = colour[lines[:, :-1]], colour[lines[:, 1:]]
        most = np.maximum(np.maximum(one, other), 0.1)
        part = np.minimum(np.minimum(one, other), between) / most
        flank = beside.reshape(len(lines), 2, -1)
        spill = (
            np.stack(
                [flank[:, :, 2 * n : 2 * n + 3].mean(axis=(1, 2)) for n in range(lines.shape[1] - 1)], axis=1
            )
            / most
        )
        sure = np.clip(np.minimum((part - COVERED) * 12, (SPILL - spill) * 12), -4, 4)
        return [(lines[:, :-1].ravel(), sure.ravel()), (lines[:, 1:].ravel(), sure.ravel())]

    def _rivals(self, along: Numbers) -> Numbers:
        """What speaks against each row because a cell of it is needed for a likelier army: no hex holds
        two."""
        lines = self.sheet.lines
        taken = np.zeros(len(self.sheet.cells))
        rivals = np.zeros(len(along))
        for index in np.argsort(-along, kind="stable"):
            if along[index] <= 0:
                break
            rivals[index] = taken[lines[index]].max()
            if rivals[index] == 0:
                taken[lines[index]] = along[index]
        return rivals


def _sample(values: Map, places: tuple[Map, Map]) -> Map:
    return np.asarray(
        cv2.remap(values, places[0], places[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )
