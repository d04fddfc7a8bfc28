"""Which pyramids stand in a row, from how every pixel speaks: outlines are laid over the map, and the best
rows of every kind found.

Each size is tried at all places and turns along the row on a map of half the resolution (products with the
outlines as masks), then rows of bases that do not overlap are put together from the best (``rows``). The
likeliest rows are settled (``cover``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.geometry.flat import Flat, Map
from vision.pyramids.cover import CLOSE, PRICE, STEP, TEMPER, Cover, Row
from vision.pyramids.outlines import Eye, Outlines, Piece, Stand
from vision.pyramids.rows import EACH, NEVER, Counts, chains

ASIDE = 2
"""How far beside its row's middle a piece may stand, in steps of twice STEP."""
TURNS = tuple(math.radians(turn) for turn in (0, 15, 30, 45, 60, 75))
CHECKED, HOPELESS = 6, 20.0
"""How many rows are settled, and how many nats behind the best are not worth it."""
COARSE = 2
"""Outlines are tried on every second map pixel."""
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


@dataclass(frozen=True)
class Strip:
    """A row of places on the map, with the outlines laid out once. ``x``, ``start``, ``way`` and ``length``
    say where it runs (cm), ``most`` how many pieces it may hold."""

    flat: Flat
    stand: Stand
    eye: Eye
    x: float
    start: float
    way: float
    length: float
    most: int = EACH
    box: tuple[slice, slice] = field(init=False)
    outlines: Outlines = field(init=False, repr=False)
    cover: Cover = field(init=False, repr=False)
    _along: NDArray[np.float64] = field(init=False, repr=False)
    _across: NDArray[np.float64] = field(init=False, repr=False)
    _gap: list[list[int]] = field(init=False, repr=False)
    _window: int = field(init=False, repr=False)
    _zones: list[_Zone] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        large = self.stand.bases[2]
        along = np.arange(0.4 * self.stand.bases[0], self.length, STEP * large)
        outlines = Outlines(self.flat, self.stand, self.eye)
        ends = [
            (self.x + dx, self.start + self.way * d)
            for dx in (-large / 2, large / 2)
            for d in (0.2 * large, self.length)
        ]
        at = np.vstack([outlines.hull((3, x, y, 0.0)).reshape(-1, 2) / 16 for x, y in ends])
        rows, columns = self.flat.shape
        low, high = np.floor(at.min(axis=0)).astype(int), np.ceil(at.max(axis=0)).astype(int) + 1
        box = (slice(max(low[1], 0), min(high[1], rows)), slice(max(low[0], 0), min(high[0], columns)))
        step = STEP * large
        gap = [
            [max(1, math.ceil(CLOSE * (a + b) / 2 / step)) for b in self.stand.bases]
            for a in self.stand.bases
        ]
        object.__setattr__(self, "box", box)
        object.__setattr__(self, "outlines", outlines)
        object.__setattr__(self, "cover", Cover(self.stand, outlines, box))
        object.__setattr__(self, "_along", along)
        object.__setattr__(self, "_across", np.arange(-ASIDE, ASIDE + 1) * 2 * step)
        object.__setattr__(self, "_gap", gap)
        zones = np.asarray(along / (ZONE * large), np.int64)
        shapes = [
            self._shapes(min((zone + 0.5) * ZONE * large, self.length)) for zone in range(zones[-1] + 1)
        ]
        reach = (
            math.ceil(max(float(np.abs(shape).max()) for zone in shapes for shape in zone) / 16 / COARSE) + 1
        )
        object.__setattr__(self, "_window", reach)
        places = [slice(*np.searchsorted(zones, (zone, zone + 1)).tolist()) for zone in range(len(shapes))]
        object.__setattr__(
            self,
            "_zones",
            [self._zone(steps, zone, reach) for steps, zone in zip(places, shapes, strict=True)],
        )

    def _shapes(self, along: float) -> list[NDArray[np.int32]]:
        """The outlines of every size and turn so far along the row, around the middles of their bases."""
        y = self.start + self.way * along
        column, row = self.flat.at([(self.x, y)])[0]
        return [
            self.outlines.hull((size, self.x, y, turn), column, row) for size in (1, 2, 3) for turn in TURNS
        ]

    def _zone(self, steps: slice, shapes: Sequence[NDArray[np.int32]], reach: int) -> _Zone:
        """A zone on the coarse map, which has ``reach`` pixels of nothing around it."""
        grid = np.stack(
            np.meshgrid(self.x + self._across, self.start + self.way * self._along[steps]), axis=-1
        )
        at = self.flat.at(grid.reshape(-1, 2)).reshape(*grid.shape[:2], 2) - np.array(
            [self.box[1].start, self.box[0].start]
        )
        rows, columns = (-(-(part.stop - part.start) // COARSE) for part in self.box)
        coarse = np.round((at + 0.5) / COARSE - 0.5).astype(np.int64)
        places = np.clip(coarse[..., 1], 0, rows - 1), np.clip(coarse[..., 0], 0, columns - 1)
        side = COARSE * (2 * reach + 1)
        masks = []
        for shape in shapes:
            mask = np.zeros((side, side), np.float32)
            middle = 16 * (COARSE * reach + (COARSE - 1) / 2)
            cv2.fillConvexPoly(mask, np.round(shape + middle).astype(np.int32), 1.0, cv2.LINE_AA, 4)
            masks.append(
                cv2.resize(mask, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA).ravel()
            )
        return _Zone(steps, places, np.ascontiguousarray(np.stack(masks, axis=1)))

    def rows(self, speaks: Map) -> dict[Counts, Row]:
        """The best row of every mixture of sizes, the empty one too. ``speaks`` is one side's map (all of
        it)."""
        part = np.ascontiguousarray(speaks[self.box])
        found: dict[Counts, Row] = {(0, 0, 0): Row(0.0, ())}
        if float(np.maximum(part, 0).sum()) * TEMPER < PRICE:
            return found
        gains, which = self._gains(part)
        ranked = chains(gains, self._gap, self.most, HOPELESS)
        best = least = 0.0
        for score, counts, places in ranked:
            row = Row(
                score, tuple(self._piece(size, place, int(which[size - 1, place])) for size, place in places)
            )
            if len(found) <= CHECKED and score > best - HOPELESS:
                row = self.cover.settled(part, row.pieces)
                best = max(best, row.score)
            else:
                row = Row(min(score, least), row.pieces)
            least = min(least, row.score)
            found[counts] = row
        return found

    def mask(self, pieces: Iterable[Piece]) -> NDArray[np.bool_]:
        """The map pixels that these pieces cover."""
        mask = np.zeros(self.flat.shape, np.uint8)
        for piece in pieces:
            cv2.fillConvexPoly(mask, self.outlines.hull(piece), 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def _gains(self, part: Map) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each size and step along the row: the best score, and the number of the place aside and the
        turn that have it."""
        rows, columns = part.shape
        even = cv2.copyMakeBorder(
            part, 0, -rows % COARSE, 0, -columns % COARSE, cv2.BORDER_CONSTANT, value=0.0
        )
        reach = self._window
        size = (even.shape[1] // COARSE, even.shape[0] // COARSE)
        coarse = np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), np.float32) * COARSE**2
        padded = np.pad(coarse, reach)
        windows = sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))
        steps = len(self._along)
        best = np.full((3, steps), NEVER)
        which = np.zeros((3, steps), np.int64)
        for zone in self._zones:
            top, bottom = int(zone.at[0].min()), int(zone.at[0].max())
            if float(np.maximum(padded[top : bottom + 2 * reach + 1], 0).sum()) * TEMPER < PRICE:
                continue
            seen = windows[zone.at]
            scores = seen.reshape(-1, zone.masks.shape[0]) @ zone.masks
            every = (
                scores.reshape(seen.shape[0], seen.shape[1], 3, len(TURNS))
                .transpose(2, 0, 1, 3)
                .reshape(3, seen.shape[0], -1)
            )
            which[:, zone.steps] = every.argmax(axis=2)
            best[:, zone.steps] = every.max(axis=2)
        return np.where(best > NEVER, best * TEMPER - PRICE, NEVER), which

    def _piece(self, size: int, place: int, which: int) -> Piece:
        """A piece of ``_gains``."""
        aside, turn = divmod(which, len(TURNS))
        return (
            size,
            self.x + float(self._across[aside]),
            self.start + self.way * float(self._along[place]),
            TURNS[turn],
        )
