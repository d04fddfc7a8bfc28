"""Which pyramids stand in a row, from how every pixel speaks: outlines are laid over the map, and the best
rows of every kind found.

Each size is tried at all places and turns along the row on a map of half the resolution (products with the
outlines as masks), then rows of bases that do not overlap are put together from the best (``rows``). The
likeliest rows are settled (``cover``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.board_measures import BARS
from vision.geometry.camera import Camera, Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.picture.masks import Mask
from vision.planar import FINER
from vision.pyramids.cover import CLOSE, PRICE, STEP, TEMPER, Cover, PieceRow
from vision.pyramids.measures import DEEP, STASH, Eye, PyramidMeasures
from vision.pyramids.outlines import Hull, Outlines, Pyramid
from vision.pyramids.rows import Counts, chains
from vision.reading import NEVER

ASIDE = 2
"""How far beside its row's middle a piece may stand, in steps of twice STEP."""
TURNS = tuple(math.radians(turn) for turn in (0, 15, 30, 45, 60, 75))
HOPELESS = 20.0
"""How many nats behind the best a row is not worth settling."""
ZONE = 2.0
"""How far along a row tips lean alike, in large bases."""


@dataclass(frozen=True)
class _Zone:
    """A part of a row. ``steps``: its places along the row; ``at``: where they are on the coarse map (steps x
    asides, row and column of the windows' corners); ``masks``: the outlines of every size and turn there
    (window pixels x 18)."""

    steps: slice
    at: tuple[NDArray[np.int64], NDArray[np.int64]]
    masks: NDArray[np.float32]


class Strip:
    """A row of places on the map, with the outlines laid out once. ``x``, ``start``, ``way`` and ``length``
    say where it runs (cm), ``most`` how many pieces it may hold; ``box`` are its rows and columns of the
    map."""

    def __init__(
        self,
        flat: Flat,
        measures: PyramidMeasures,
        eye: Eye,
        run: tuple[float, float, float],
        length: float,
        most: int,
    ) -> None:
        self.flat, self.measures, self.length, self.most = flat, measures, length, most
        self.x, self.start, self.way = run
        self.outlines = Outlines(flat, measures, eye)
        small, _, large = measures.bases
        ends = [(3, x, y, 0.0) for x, y in self.corners(large / 2, 0.2 * large, length)]
        at = np.vstack([self.outlines.hull(end).reshape(-1, 2) / 16 for end in ends])
        rows, columns = flat.shape
        low, high = np.floor(at.min(axis=0)).astype(int), np.ceil(at.max(axis=0)).astype(int) + 1
        self.box = slice(max(low[1], 0), min(high[1], rows)), slice(max(low[0], 0), min(high[0], columns))
        self.cover = Cover(measures, self.outlines, self.box)
        step = STEP * large
        self._along = np.arange(0.4 * small, length, step)
        self._across = np.arange(-ASIDE, ASIDE + 1) * 2 * step
        self._gap = [
            [max(1, math.ceil(CLOSE * (a + b) / 2 / step)) for b in measures.bases] for a in measures.bases
        ]
        zones = np.asarray(self._along / (ZONE * large), np.int64)
        shapes = [self._shapes(min((zone + 0.5) * ZONE * large, length)) for zone in range(zones[-1] + 1)]
        widest = max(float(np.abs(shape).max()) for zone in shapes for shape in zone)
        self._reach = math.ceil(widest / 16 / FINER) + 1
        self._zones = [
            self._zone(slice(*np.searchsorted(zones, (zone, zone + 1)).tolist()), around)
            for zone, around in enumerate(shapes)
        ]

    def corners(self, aside: float, near: float, far: float) -> list[tuple[float, float]]:
        """The corners (cm) of the part of it from ``near`` to ``far`` along it, so far to either side."""
        return [(self.x + dx, self.start + self.way * d) for dx in (-aside, aside) for d in (near, far)]

    def _shapes(self, along: float) -> list[Hull]:
        """The outlines of every size and turn so far along the row, around the middles of their bases."""
        y = self.start + self.way * along
        column, row = self.flat.at([(self.x, y)])[0]
        return [
            self.outlines.hull((size, self.x, y, turn), column, row) for size in (1, 2, 3) for turn in TURNS
        ]

    def _zone(self, steps: slice, shapes: Sequence[Hull]) -> _Zone:
        """A zone on the coarse map, which has ``_reach`` pixels of nothing around it."""
        y = self.start + self.way * self._along[steps]
        grid = np.stack(np.meshgrid(self.x + self._across, y), axis=-1)
        at = self.flat.at(grid.reshape(-1, 2)).reshape(grid.shape) - (self.box[1].start, self.box[0].start)
        rows, columns = (-(-(part.stop - part.start) // FINER) for part in self.box)
        coarse = np.round((at + 0.5) / FINER - 0.5).astype(np.int64)
        places = np.clip(coarse[..., 1], 0, rows - 1), np.clip(coarse[..., 0], 0, columns - 1)
        side = FINER * (2 * self._reach + 1)
        middle = 16 * (FINER * self._reach + (FINER - 1) / 2)
        masks = []
        for shape in shapes:
            mask = np.zeros((side, side), np.float32)
            cv2.fillConvexPoly(mask, np.round(shape + middle).astype(np.int32), 1.0, cv2.LINE_AA, 4)
            part = 1 / FINER
            masks.append(cv2.resize(mask, None, fx=part, fy=part, interpolation=cv2.INTER_AREA).ravel())
        return _Zone(steps, places, np.ascontiguousarray(np.stack(masks, axis=1)))

    def best_rows(self, odds: Map) -> dict[Counts, PieceRow]:
        """The best row of every mixture of sizes, the empty one too. ``odds`` is one side's map (all of
        it)."""
        part = np.ascontiguousarray(odds[self.box])
        found: dict[Counts, PieceRow] = {(0, 0, 0): PieceRow(0.0, ())}
        if not _may_show(part):
            return found
        gains, which = self._gains(part)
        best = least = 0.0
        for score, counts, places in chains(gains, self._gap, self.most, HOPELESS):
            pieces = tuple(self._piece(size, at, int(which[size - 1, at])) for size, at in places)
            if len(found) <= 6 and score > best - HOPELESS:
                row = self.cover.settle(part, pieces)
                best = max(best, row.score)
            else:
                row = PieceRow(min(score, least), pieces)
            least = min(least, row.score)
            found[counts] = row
        return found

    def known_row(self, odds: Map, counts: Counts) -> PieceRow | None:
        """Where pieces of these sizes are likeliest to stand, however little speaks for them; None where
        there is no room for them. ``odds`` is one side's map (all of it)."""
        part = np.ascontiguousarray(odds[self.box])
        gains, which = self._gains(part, -math.inf)
        for score, found, places in chains(gains, self._gap, sum(counts), math.inf):
            if found == counts and score > NEVER / 2:
                pieces = tuple(self._piece(size, at, int(which[size - 1, at])) for size, at in places)
                return self.cover.settle(part, pieces)
        return None

    def mask(self, pieces: Iterable[Pyramid]) -> Mask:
        """The map pixels that these pieces cover."""
        return self.outlines.mask(pieces, self.flat.shape)

    def _gains(self, part: Map, least: float = PRICE) -> tuple[Floats, NDArray[np.int64]]:
        """For each size and step along the row: the best score, and the number of the place aside and the
        turn that have it. Where less than ``least`` nats may show, nothing is looked for."""
        rows, columns = part.shape
        even = cv2.copyMakeBorder(part, 0, -rows % FINER, 0, -columns % FINER, cv2.BORDER_CONSTANT, value=0.0)
        reach = self._reach
        size = (even.shape[1] // FINER, even.shape[0] // FINER)
        coarse = np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), np.float32) * FINER**2
        padded = np.pad(coarse, reach)
        windows = sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))
        steps = len(self._along)
        best = np.full((3, steps), NEVER)
        which = np.zeros((3, steps), np.int64)
        for zone in self._zones:
            top, bottom = int(zone.at[0].min()), int(zone.at[0].max())
            if not _may_show(padded[top : bottom + 2 * reach + 1], least):
                continue
            seen = windows[zone.at]
            scores = seen.reshape(-1, zone.masks.shape[0]) @ zone.masks
            every = scores.reshape(*seen.shape[:2], 3, len(TURNS)).transpose(2, 0, 1, 3)
            every = every.reshape(3, len(seen), -1)
            which[:, zone.steps] = every.argmax(axis=2)
            best[:, zone.steps] = every.max(axis=2)
        return np.where(best > NEVER, best * TEMPER - PRICE, NEVER), which

    def _piece(self, size: int, place: int, which: int) -> Pyramid:
        """A piece of ``_gains``."""
        aside, turn = divmod(which, len(TURNS))
        y = self.start + self.way * float(self._along[place])
        return size, self.x + float(self._across[aside]), y, TURNS[turn]


def _may_show(odds: Map, least: float = PRICE) -> bool:
    """Whether all that speaks for pieces would make up for the price of one."""
    return float(np.maximum(odds, 0).sum()) * TEMPER >= least


def flat_map(camera: Camera, measures: PyramidMeasures) -> Flat:
    """The map of a board, by large bases, and some of what lies around the surface, since tips lean over the
    rim."""
    large, board = measures.bases[2], measures.board
    edge = 1.2 * large
    return Flat(camera, FINER * RESOLUTION / large, -edge, board.width + edge, -edge, board.height + edge)


def lay_out(flat: Flat, measures: PyramidMeasures, eye: Eye) -> dict[Cell, Strip]:
    """Where the pieces of each cell may stand: up to eight side by side on a point. Both sides share the
    bar."""
    board = measures.board
    deep = min(DEEP * measures.bases[2], board.height / 2)
    found = {cell: Strip(flat, measures, eye, run, deep, 8) for cell, run in measures.columns.items()}
    bar = Strip(flat, measures, eye, (board.width / 2, 0.0, 1.0), board.height, 3 * STASH)
    return {**found, **dict.fromkeys(BARS, bar)}
