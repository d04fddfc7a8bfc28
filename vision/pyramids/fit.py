"""Which pyramids stand in a row, from how every pixel speaks: outlines are laid over the map, and the best rows of every kind found.

Each size is tried at all places and turns along the row on a map of half the resolution (products with the outlines as masks), then rows
of bases that do not overlap are put together from the best (``pyramids_rows``). The likeliest rows are settled: moved and turned a
little, and scored by what their outlines cover together, since a tip may lean over its neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.pyramids.board import Outlines, Piece, Stand
from vision.pyramids.rows import EACH, NEVER, Counts, chains
from vision.scene import Flat, Map

STEP = 0.09
"""Steps along and across a row, in large bases."""
ASIDE = 2
"""How far beside its row's middle a piece may stand, in steps of twice STEP."""
TURNS = tuple(math.radians(turn) for turn in (0, 15, 30, 45, 60, 75))
CLOSE = 0.97
"""Least distance of neighbouring pieces, in the mean of their bases."""
TEMPER = 0.03
"""What a pixel's nats are multiplied by: neighbouring pixels say the same."""
PRICE = 5.0
"""Nats that a piece must earn to be believed."""
CHECKED, HOPELESS = 6, 20.0
"""How many rows are settled, and how many nats behind the best are not worth it."""
SETTLING = 3
"""Rounds of moving and turning pieces, in steps that are halved each time."""
COARSE = 2
"""Outlines are tried on every second map pixel."""
ZONE = 2.0
"""How far along a row tips lean alike, in large bases."""


@dataclass(frozen=True)
class Row:
    """The best row of these sizes: its score in nats and its pieces."""

    score: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class _Zone:
    """A part of a row. ``steps``: its places along the row; ``at``: where they are on the coarse map (steps x asides, row and column of
    the windows' corners); ``masks``: the outlines of every size and turn there (window pixels x 18)."""

    steps: slice
    at: tuple[NDArray[np.int64], NDArray[np.int64]]
    masks: NDArray[np.float32]


@dataclass(frozen=True)
class Strip:
    """A row of places on the map, with the outlines laid out once. ``x``, ``start``, ``way`` and ``length`` say where it runs (cm),
    ``most`` how many pieces it may hold."""

    flat: Flat
    stand: Stand
    x: float
    start: float
    way: float
    length: float
    most: int = EACH
    box: tuple[slice, slice] = field(init=False)
    outlines: Outlines = field(init=False, repr=False)
    _along: NDArray[np.float64] = field(init=False, repr=False)
    _across: NDArray[np.float64] = field(init=False, repr=False)
    _gap: list[list[int]] = field(init=False, repr=False)
    _window: int = field(init=False, repr=False)
    _zones: list[_Zone] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        large = self.stand.bases[2]
        along = np.arange(0.4 * self.stand.bases[0], self.length, STEP * large)
        ends = [(self.x + dx, self.start + self.way * d) for dx in (-large, large) for d in (-0.3 * large, self.length + 0.5 * large)]
        at = np.vstack([self.flat.at(ends), self.flat.at(ends, 1.75 * large)])
        rows, columns = self.flat.shape
        low, high = np.floor(at.min(axis=0)).astype(int), np.ceil(at.max(axis=0)).astype(int) + 1
        box = (slice(max(low[1], 0), min(high[1], rows)), slice(max(low[0], 0), min(high[0], columns)))
        step = STEP * large
        gap = [[max(1, math.ceil(CLOSE * (a + b) / 2 / step)) for b in self.stand.bases] for a in self.stand.bases]
        object.__setattr__(self, "box", box)
        object.__setattr__(self, "outlines", Outlines(self.flat, self.stand))
        object.__setattr__(self, "_along", along)
        object.__setattr__(self, "_across", np.arange(-ASIDE, ASIDE + 1) * 2 * step)
        object.__setattr__(self, "_gap", gap)
        zones = np.asarray(along / (ZONE * large), np.int64)
        shapes = [self._shapes(min((zone + 0.5) * ZONE * large, self.length)) for zone in range(zones[-1] + 1)]
        reach = math.ceil(max(float(np.abs(shape).max()) for zone in shapes for shape in zone) / 16 / COARSE) + 1
        object.__setattr__(self, "_window", reach)
        places = [slice(*np.searchsorted(zones, (zone, zone + 1)).tolist()) for zone in range(len(shapes))]
        object.__setattr__(self, "_zones", [self._zone(steps, zone, reach) for steps, zone in zip(places, shapes, strict=True)])

    def _shapes(self, along: float) -> list[NDArray[np.int32]]:
        """The outlines of every size and turn so far along the row, around the middles of their bases."""
        y = self.start + self.way * along
        column, row = self.flat.at([(self.x, y)])[0]
        return [self.outlines.hull((size, self.x, y, turn), column, row) for size in (1, 2, 3) for turn in TURNS]

    def _zone(self, steps: slice, shapes: Sequence[NDArray[np.int32]], reach: int) -> _Zone:
        """A zone on the coarse map, which has ``reach`` pixels of nothing around it."""
        grid = np.stack(np.meshgrid(self.x + self._across, self.start + self.way * self._along[steps]), axis=-1)
        at = self.flat.at(grid.reshape(-1, 2)).reshape(*grid.shape[:2], 2) - np.array([self.box[1].start, self.box[0].start])
        rows, columns = (-(-(part.stop - part.start) // COARSE) for part in self.box)
        coarse = np.round((at + 0.5) / COARSE - 0.5).astype(np.int64)
        places = np.clip(coarse[..., 1], 0, rows - 1), np.clip(coarse[..., 0], 0, columns - 1)
        side = COARSE * (2 * reach + 1)
        masks = []
        for shape in shapes:
            mask = np.zeros((side, side), np.float32)
            middle = 16 * (COARSE * reach + (COARSE - 1) / 2)
            cv2.fillConvexPoly(mask, np.round(shape + middle).astype(np.int32), 1.0, cv2.LINE_AA, 4)
            masks.append(cv2.resize(mask, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA).ravel())
        return _Zone(steps, places, np.ascontiguousarray(np.stack(masks, axis=1)))

    def rows(self, speaks: Map) -> dict[Counts, Row]:
        """The best row of every mixture of sizes, the empty one too. ``speaks`` is one side's map (all of it)."""
        part = np.ascontiguousarray(speaks[self.box])
        found: dict[Counts, Row] = {(0, 0, 0): Row(0.0, ())}
        if float(np.maximum(part, 0).sum()) * TEMPER < PRICE:
            return found
        gains, which = self._gains(part)
        ranked = chains(gains, self._gap, self.most, HOPELESS)
        best = least = 0.0
        for score, counts, places in ranked:
            row = Row(score, tuple(self._piece(size, place, int(which[size - 1, place])) for size, place in places))
            if len(found) <= CHECKED and score > best - HOPELESS:
                row = self._settled(part, row.pieces)
                best = max(best, row.score)
            else:
                row = Row(min(score, least), row.pieces)
            least = min(least, row.score)
            found[counts] = row
        return found

    def _settled(self, part: Map, pieces: tuple[Piece, ...]) -> Row:
        """These pieces, moved and turned a little until their outlines together cover what speaks for them best."""
        row = list(pieces)
        slide, turn = STEP * self.stand.bases[2], math.radians(10)
        for _ in range(SETTLING):
            for index in range(len(row)):
                others = [*row[:index], *row[index + 1 :]]
                rest = self._without(part, others)
                score = self._covered(rest, row[index])
                for dx, dy, dturn in ((slide, 0.0, 0.0), (0.0, slide, 0.0), (0.0, 0.0, turn)):
                    size, x, y, angle = row[index]
                    for sign in (1, -1):
                        trial = (size, x + sign * dx, y + sign * dy, angle + sign * dturn)
                        if (not dturn and not self._apart(trial, others)) or (again := self._covered(rest, trial)) <= score:
                            continue
                        row[index], score = trial, again
                        break
            slide, turn = slide / 2, turn / 2
        score = sum(self._covered(self._without(part, row[:index]), piece) for index, piece in enumerate(row))
        return Row(score - PRICE * len(row), tuple(row))

    def _apart(self, piece: Piece, others: Iterable[Piece]) -> bool:
        """Whether the others' bases leave room for this one's."""
        size, x, y, _ = piece
        side = self.stand.base(size)
        return all(math.hypot(a - x, b - y) >= CLOSE * (side + self.stand.base(other)) / 2 for other, a, b, _ in others)

    def _without(self, part: Map, pieces: Sequence[Piece]) -> Map:
        """The part of the map in which nothing under these outlines says anything."""
        if not pieces:
            return part
        rest = part.copy()
        for piece in pieces:
            cv2.fillConvexPoly(rest, self._hull(piece), 0.0, cv2.LINE_8, 4)
        return rest

    def _hull(self, piece: Piece) -> NDArray[np.int32]:
        return self.outlines.hull(piece, self.box[1].start, self.box[0].start)

    def _covered(self, part: Map, piece: Piece) -> float:
        """What the pixels under this outline say, in nats."""
        hull = self._hull(piece)
        left, top, width, height = cv2.boundingRect(hull)
        low, high = max(top // 16, 0), (top + height) // 16 + 2
        near, far = max(left // 16, 0), (left + width) // 16 + 2
        window = part[low:high, near:far]
        if not window.size:
            return 0.0
        mask = np.zeros(window.shape, np.uint8)
        cv2.fillConvexPoly(mask, hull - (16 * near, 16 * low), 1, cv2.LINE_8, 4)
        return cv2.mean(window, mask)[0] * cv2.countNonZero(mask) * TEMPER

    def mask(self, pieces: Iterable[Piece]) -> NDArray[np.bool_]:
        """The map pixels that these pieces cover."""
        mask = np.zeros(self.flat.shape, np.uint8)
        for piece in pieces:
            cv2.fillConvexPoly(mask, self.outlines.hull(piece), 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def _gains(self, part: Map) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each size and step along the row: the best score, and the number of the place aside and the turn that have it."""
        rows, columns = part.shape
        even = cv2.copyMakeBorder(part, 0, -rows % COARSE, 0, -columns % COARSE, cv2.BORDER_CONSTANT, value=0.0)
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
            every = scores.reshape(seen.shape[0], seen.shape[1], 3, len(TURNS)).transpose(2, 0, 1, 3).reshape(3, seen.shape[0], -1)
            which[:, zone.steps] = every.argmax(axis=2)
            best[:, zone.steps] = every.max(axis=2)
        return np.where(best > NEVER, best * TEMPER - PRICE, NEVER), which

    def _piece(self, size: int, place: int, which: int) -> Piece:
        """A piece of ``_gains``."""
        aside, turn = divmod(which, len(TURNS))
        return size, self.x + float(self._across[aside]), self.start + self.way * float(self._along[place]), TURNS[turn]
