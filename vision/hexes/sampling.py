"""What a camera measures of each hex: a few features a cell, and how an army's bar runs from hex to hex.

The features of a cell are the mean luma and chromas inside a piece's outline, and how dark the ring around
that gets: a token has a rim and a shadow, bare paper has neither. Between two hexes of a row only an army
covers the paper, so its colour there tells it from two tokens side by side.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.geometry.camera import Camera, Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.hexes.grid import Sheet
from vision.planar import FINER

THICKNESS = 0.12
"""Usual height of tokens and armies, in hex widths."""
RING = (0.24, 0.40)
"""Radii of the ring around it."""
ASIDE = (0.08, 0.15)
"""How far aside of its place a token may lie, and a printed line (so far is tried), in hex widths."""
COVERED = 0.5
"""The part of an army's colour that must show between two hexes for it to lie there, and that may show beside
it (another army, a blurred picture)."""


class HexSampler:
    """The sheet under one camera. ``flat`` is its map, ``pitch`` a hex's width on it; ``tops`` (N x 2) where
    on it the middles of pieces are seen. Where else to look is computed once, too."""

    def __init__(self, sheet: Sheet, camera: Camera) -> None:
        self.sheet = sheet
        p, (width, height) = sheet.pitch, sheet.size
        self.flat = Flat(camera, FINER * RESOLUTION / p, -p, width + p, -p, height + p)
        self.pitch = p * self.flat.scale
        lines, centres = sheet.lines, sheet.centres
        self.tops = self.flat.at(centres, THICKNESS * p)
        self._inside = self._places(centres, 0.0, 0.22)  # paper within a token's outline
        self._ring = self._places(centres, *RING)
        middles = (centres[lines[:, :-1]] + centres[lines[:, 1:]]).reshape(-1, 2) / 2
        self._between = self._places(middles, 0.0, 0.09)
        along = centres[lines[:, -1]] - centres[lines[:, 0]]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        across = across * 0.43 * p  # halfway to a parallel army
        steps = centres[lines[:, 0]][:, None] + np.linspace(0, 1, 7)[None, :, None] * along[:, None]
        flanks = np.concatenate([steps + across[:, None], steps - across[:, None]], axis=1).reshape(-1, 2)
        self._beside = self._places(flanks, 0.0, 0.04)

    def _places(self, centres: Floats, least: float, most: float) -> tuple[Map, Map]:
        """Map positions of all samples between two radii around the centres (two arrays N x M)."""
        p = self.sheet.pitch
        steps = np.arange(-most, most + 1e-9, 1 / (FINER * RESOLUTION)) * p
        dx, dy = np.meshgrid(steps, steps)
        away = np.hypot(dx, dy)
        near = (away >= least * p) & (away <= most * p)
        around = np.stack([dx[near], dy[near]], axis=1)
        at = self.flat.at((centres[:, None, :] + around[None]).reshape(-1, 2), THICKNESS * p)
        u, v = (at[:, axis].reshape(len(centres), -1).astype(np.float32) for axis in (0, 1))
        return u, v

    def features(self, values: Map) -> Floats:
        """For every cell: mean luma, mean chromas, and how dark its ring gets (N x 4). ``values`` as of
        ``colour.logs``."""
        inside = _sample(values, self._inside).mean(axis=1)
        ring = self._darkest(np.ascontiguousarray(values[..., 0]), 0.0, 0.0)
        return np.column_stack([inside, ring]).astype(np.float64)

    def rings(self, values: Map) -> tuple[Floats, Floats]:
        """How dark each cell's ring gets at least and at most (two arrays of N), wherever a little aside its
        middle is taken to be: a token may lie there, and where no tokens lie a printed line may be nearer
        than the camera's geometry says."""
        luma = np.ascontiguousarray(values[..., 0])
        here = self._darkest(luma, 0.0, 0.0)
        token, line = ([self._darkest(luma, *off) for off in self._aside(far)] for far in ASIDE)
        return np.max([here, *token, *line], axis=0), np.min([here, *token], axis=0)

    def _aside(self, far: float) -> list[tuple[float, float]]:
        """Steps in six directions, so many hex widths far (column, row; map pixels)."""
        step, turns = far * self.sheet.pitch * self.flat.scale, [n * math.pi / 3 for n in range(6)]
        return [(step * math.cos(turn), step * math.sin(turn)) for turn in turns]

    def _darkest(self, luma: Map, u: float, v: float) -> Floats:
        """How dark each cell's ring gets, so many map pixels aside."""
        return np.asarray(np.percentile(_sample(luma, self._ring, u, v), 4, axis=1), np.float64)

    def relief(self, values: Map) -> Floats:
        """For every cell: how much the luma varies within it, noise left aside (N), wherever a little aside
        its middle is taken to be. Paper is flat, a token is not, whatever it mirrors."""
        soft = np.asarray(cv2.GaussianBlur(values[..., 0], (0, 0), 1.0), np.float32)
        spots = [(0.0, 0.0), *(spot for far in ASIDE for spot in self._aside(far))]
        each = [_sample(soft, self._inside, *spot).std(axis=1) for spot in spots]
        return np.asarray(np.min(each, axis=0), np.float64)

    def around(self, values: Map) -> tuple[Floats, Floats]:
        """The mean chromas between the hexes of every row of four (L x 3 x 2), and along both of its flanks
        (L x 14 x 2)."""
        chroma, rows = np.ascontiguousarray(values[..., 1:]), len(self.sheet.lines)
        between, beside = (_sample(chroma, part).mean(axis=1) for part in (self._between, self._beside))
        return between.astype(np.float64).reshape(rows, -1, 2), beside.astype(np.float64).reshape(rows, -1, 2)

    def armies(self, colour: Floats, between: Floats, beside: Floats) -> Floats:
        """How far an army seems to run through each cell, from -4 (surely none) to 4, at its best row of
        four. ``colour`` (N) is how much of the army's colour each cell shows, ``between`` (L x 3) and
        ``beside`` (L x 14) how much is seen between and beside: an army is no wider than its row, a hand
        is."""
        lines = self.sheet.lines
        cells = colour[lines]
        most = np.maximum(cells.max(axis=1), 0.1)
        part = np.minimum(between.min(axis=1), cells.min(axis=1)) / most
        along = _runs(part, beside.mean(axis=1) / most)
        along = along - self._rivals(along)
        best = np.full(len(colour), -4.0)
        np.maximum.at(best, lines.ravel(), np.repeat(along, lines.shape[1]))
        # Where only two hexes hang together, nothing that lies so is legal, but it is no fortress either.
        joined = np.minimum(self._joined(colour, between, beside), 0.0).ravel()
        for ends in (lines[:, :-1], lines[:, 1:]):
            np.maximum.at(best, ends.ravel(), joined)
        return best

    def _joined(self, colour: Floats, between: Floats, beside: Floats) -> Floats:
        """How surely the neighbours in every row hang together, from -4 to 4 (L x 3): as :meth:`armies`."""
        lines = self.sheet.lines
        one, other = colour[lines[:, :-1]], colour[lines[:, 1:]]
        most = np.maximum(np.maximum(one, other), 0.1)
        flank = beside.reshape(len(lines), 2, -1)
        near = [flank[:, :, 2 * n : 2 * n + 3].mean(axis=(1, 2)) for n in range(lines.shape[1] - 1)]
        part = np.minimum(np.minimum(one, other), between) / most
        return _runs(part, np.stack(near, axis=1) / most)

    def _rivals(self, along: Floats) -> Floats:
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


def _runs(part: Floats, spill: Floats) -> Floats:
    """How surely an army lies where such parts of its colour show along and beside it, from -4 to 4."""
    return np.asarray(np.clip(12 * np.minimum(part - COVERED, COVERED - spill), -4, 4), np.float64)


def _sample(values: Map, places: tuple[Map, Map], u: float = 0.0, v: float = 0.0) -> Map:
    """The map's values at places that lie so many pixels aside."""
    columns, rows = places[0] + np.float32(u), places[1] + np.float32(v)
    sampled = cv2.remap(values, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sampled, np.float32)
