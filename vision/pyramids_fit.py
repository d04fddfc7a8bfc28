"""Which pyramids stand in a row, from how every pixel speaks: outlines are laid over the map, and the best rows of every kind found.

Each size is tried at all places and turns along the row (a correlation with its outline), then rows of bases that do not
overlap are put together from the best (dynamic programming over the sizes used and the last one). The likeliest rows are scored
again by what their outlines cover together, since a tip may lean over its neighbour.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pyramids_board import Stand, outline
from vision.scene import Flat, Map

STEP = 0.09
"""Steps along and across a row, in large bases."""
ASIDE = 2
"""How far beside its row's middle a piece may stand, in steps of twice STEP."""
TURNS = tuple(np.deg2rad((0, 15, 30, 45, 60, 75)))
EACH = 5
"""Pieces of one size and side that there are."""
CLOSE = 0.97
"""Least distance of neighbouring pieces, in the mean of their bases."""
TEMPER = 0.03
"""What a pixel's nats are multiplied by: neighbouring pixels say the same."""
PRICE = 5.0
"""Nats that a piece must earn to be believed."""
CHECKED, HOPELESS = 6, 25.0
"""How many rows are scored again with their outlines together, and how many nats behind the best are not worth it."""
SETTLING = 3
"""Rounds of moving and turning pieces, in steps that are halved each time."""

Counts = tuple[int, int, int]
Piece = tuple[int, float, float, float]
"""Size, x, y (cm), turn."""


@dataclass(frozen=True)
class Row:
    """The best row of these sizes: its score in nats and its pieces."""

    score: float
    pieces: tuple[Piece, ...]


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
    _along: NDArray[np.float64] = field(init=False, repr=False)
    _across: NDArray[np.float64] = field(init=False, repr=False)
    _kernels: list[tuple[int, int, NDArray[np.float32]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        large = self.stand.bases[2]
        along = np.arange(0.4 * self.stand.bases[0], self.length, STEP * large)
        across = np.arange(-ASIDE, ASIDE + 1) * 2 * STEP * large
        object.__setattr__(self, "_along", along)
        object.__setattr__(self, "_across", across)
        ends = [(self.x + dx, self.start + self.way * d) for dx in (-large, large) for d in (-0.3 * large, self.length + 0.5 * large)]
        at = np.vstack([self.flat.at(ends), self.flat.at(ends, 1.75 * large)])
        rows, columns = self.flat.shape
        low, high = np.floor(at.min(axis=0)).astype(int), np.ceil(at.max(axis=0)).astype(int) + 1
        box = (slice(max(low[1], 0), min(high[1], rows)), slice(max(low[0], 0), min(high[0], columns)))
        object.__setattr__(self, "box", box)
        kernels = []
        for zone in range(self._zone(along[-1]) + 1):
            middle = min((zone + 0.5) * 2 * large, self.length)
            for size in (1, 2, 3):
                for turn in TURNS:
                    kernels.append((zone, size, self._kernel(self.start + self.way * middle, size, turn)))
        object.__setattr__(self, "_kernels", kernels)

    def _zone(self, along: float) -> int:
        return int(along / (2 * self.stand.bases[2]))

    def _kernel(self, y: float, size: int, turn: float) -> NDArray[np.float32]:
        """An outline as a soft mask around its base's middle."""
        shape = outline(self.flat, self.x, y, self.stand.base(size), turn) - self.flat.at([(self.x, y)])[0]
        reach = int(np.ceil(np.abs(shape).max())) + 1
        mask = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        cv2.fillConvexPoly(mask, np.round((shape + reach) * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
        return mask

    def rows(self, speaks: Map) -> dict[Counts, Row]:
        """The best row of every mixture of sizes, the empty one too. ``speaks`` is one side's map (all of it)."""
        part = np.ascontiguousarray(speaks[self.box])
        found: dict[Counts, Row] = {(0, 0, 0): Row(0.0, ())}
        if float(np.maximum(part, 0).sum()) * TEMPER < PRICE:
            return found
        gains, pieces = self._gains(part)
        ranked = sorted(self._chains(gains), key=lambda entry: -entry[0])
        for score, counts, places in ranked:
            row = Row(score, tuple(pieces[size - 1][place] for size, place in places))
            if len(found) <= CHECKED and score > ranked[0][0] - HOPELESS:
                row = self._settled(part, row.pieces)
            else:
                row = Row(min(score, min(other.score for other in found.values())), row.pieces)
            found[counts] = row
        return found

    def _settled(self, part: Map, pieces: tuple[Piece, ...]) -> Row:
        """These pieces, moved and turned a little until their outlines together cover what speaks for them best."""
        row = list(pieces)
        score = self._covered(part, row)
        slide, turn = STEP * self.stand.bases[2], np.deg2rad(10)
        for _ in range(SETTLING):
            for index in range(len(row)):
                for dx, dy, dturn in ((slide, 0, 0), (-slide, 0, 0), (0, slide, 0), (0, -slide, 0), (0, 0, turn), (0, 0, -turn)):
                    size, x, y, angle = row[index]
                    trial = [*row[:index], (size, x + dx, y + dy, angle + dturn), *row[index + 1 :]]
                    if not self._apart(trial):
                        continue
                    again = self._covered(part, trial)
                    if again > score:
                        row, score = trial, again
            slide, turn = slide / 2, turn / 2
        return Row(score - PRICE * len(row), tuple(row))

    def _apart(self, row: list[Piece]) -> bool:
        """Whether neighbours' bases leave each other room."""
        ordered = sorted(row, key=lambda piece: piece[2])
        return all(
            np.hypot(b[1] - a[1], b[2] - a[2]) >= CLOSE * (self.stand.base(a[0]) + self.stand.base(b[0])) / 2
            for a, b in itertools.pairwise(ordered)
        )

    def _covered(self, part: Map, pieces: Iterable[Piece]) -> float:
        """What the pixels under these outlines say together, in nats."""
        mask = np.zeros(part.shape, np.uint8)
        corner = np.array([self.box[1].start, self.box[0].start], np.float32)
        for size, x, y, turn in pieces:
            shape = outline(self.flat, x, y, self.stand.base(size), turn) - corner
            cv2.fillConvexPoly(mask, np.round(shape * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return cv2.mean(part, mask)[0] * cv2.countNonZero(mask) * TEMPER

    def mask(self, pieces: Iterable[Piece]) -> NDArray[np.bool_]:
        """The map pixels that these pieces cover."""
        mask = np.zeros(self.flat.shape, np.uint8)
        for size, x, y, turn in pieces:
            shape = outline(self.flat, x, y, self.stand.base(size), turn)
            cv2.fillConvexPoly(mask, np.round(shape * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def _gains(self, part: Map) -> tuple[NDArray[np.float64], list[list[Piece]]]:
        """For each size and step along the row: the best score, and the piece that has it."""
        ys = self.start + self.way * self._along
        grid = np.stack(np.meshgrid(self.x + self._across, ys), axis=-1).reshape(-1, 2)
        at = self.flat.at(grid) - np.array([self.box[1].start, self.box[0].start])
        u, v = (at[:, axis].reshape(len(ys), -1).astype(np.float32) for axis in (0, 1))
        zones = np.array([self._zone(d) for d in self._along])
        positive = np.maximum(part, 0).sum(axis=1)
        best = np.full((3, len(ys)), -1e9)
        where = np.zeros((3, len(ys), 2), np.int64)
        for index, (zone, size, kernel) in enumerate(self._kernels):
            mine = zones == zone
            reach = kernel.shape[0] // 2 + 1
            top, bottom = max(int(v[mine].min()) - reach, 0), min(int(v[mine].max()) + reach + 2, part.shape[0])
            if float(positive[top:bottom].sum()) * TEMPER < PRICE:
                continue
            answer = cv2.filter2D(part[top:bottom], cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
            scores = cv2.remap(answer, u[mine], v[mine] - top, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1e3)
            side = np.argmax(scores, axis=1)
            value = scores[np.arange(len(side)), side].astype(np.float64)
            better = value > best[size - 1, mine]
            rows = np.flatnonzero(mine)[better]
            best[size - 1, rows] = value[better]
            where[size - 1, rows, 0], where[size - 1, rows, 1] = side[better], index % len(TURNS)
        pieces = [
            [
                (size, float(self.x + self._across[where[size - 1, i, 0]]), float(ys[i]), float(TURNS[where[size - 1, i, 1]]))
                for i in range(len(ys))
            ]
            for size in (1, 2, 3)
        ]
        return best * TEMPER - PRICE, pieces

    def _chains(self, gains: NDArray[np.float64]) -> list[tuple[float, Counts, list[tuple[int, int]]]]:
        """The best row of every mixture: its score, its sizes, and (size, step) of its pieces."""
        step = STEP * self.stand.bases[2]
        gap = [[max(1, int(np.ceil(CLOSE * (a + b) / 2 / step))) for b in self.stand.bases] for a in self.stand.bases]
        length = gains.shape[1]
        table: dict[tuple[Counts, int], tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]] = {}
        nobody = np.full(length, -1, np.int64)
        found: dict[Counts, tuple[float, int]] = {}
        for counts in _mixtures(self.most):
            for last in range(3):
                if counts[last] == 0:
                    continue
                before = _less(counts, last)
                if sum(before) == 0:
                    table[counts, last] = (gains[last], nobody, nobody)
                else:
                    best, size, place = np.full(length, -1e9), nobody.copy(), nobody.copy()
                    for previous in range(3):
                        if (before, previous) not in table:
                            continue
                        reach, spots = _running(table[before, previous][0])
                        shift = gap[previous][last]
                        moved = np.full(length, -1e9)
                        moved[shift:] = reach[: length - shift]
                        better = moved > best
                        best[better], size[better] = moved[better], previous
                        place[shift:][better[shift:]] = spots[: length - shift][better[shift:]]
                    table[counts, last] = (best + gains[last], size, place)
                score = float(table[counts, last][0].max())
                if score > found.get(counts, (-1e8, 0))[0]:
                    found[counts] = (score, last)
        return [(score, counts, _trail(table, counts, last)) for counts, (score, last) in found.items()]


def _trail(
    table: dict[tuple[Counts, int], tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]], counts: Counts, last: int
) -> list[tuple[int, int]]:
    place = int(np.argmax(table[counts, last][0]))
    found = []
    while True:
        found.append((last + 1, place))
        _, sizes, places = table[counts, last]
        previous, spot = int(sizes[place]), int(places[place])
        if previous < 0:
            return found
        counts, last, place = _less(counts, last), previous, spot


def _less(counts: Counts, size: int) -> Counts:
    a, b, c = (count - (index == size) for index, count in enumerate(counts))
    return a, b, c


@cache
def _mixtures(most: int) -> tuple[Counts, ...]:
    """All numbers of small, medium and large pieces, few pieces first."""
    every = itertools.product(range(EACH + 1), repeat=3)
    return tuple(sorted(((a, b, c) for a, b, c in every if 0 < a + b + c <= most), key=sum))


def _running(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The running maximum, and where it was reached."""
    best = np.maximum.accumulate(values)
    fresh = np.concatenate([[True], values[1:] > best[:-1]])
    return best, np.maximum.accumulate(np.where(fresh, np.arange(len(values)), 0))


def sizes(counts: Sequence[int]) -> tuple[int, ...]:
    """A mixture as sizes: (1, 0, 2) is 1, 3, 3."""
    return tuple(size for size in (1, 2, 3) for _ in range(counts[size - 1]))
