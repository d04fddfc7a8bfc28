"""Backgammon checkers on a 24-point board: the kind that ``backgammon``, ``zombie`` and ``siegegammon``
share.

A point is a row of discs from the rim inward, five at most; further ones lie on top of the first. The bar is
a row of its own around the middle. Borne-off checkers stand on their rims in a tray, where only their extent
can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Piece
from vision import stock_inference
from vision.checkers import borne_off, tray
from vision.checkers.discs import REACH, Discs
from vision.checkers.found import WHOSE, Found, Row
from vision.checkers.rows import NONE, Chains, chains, mixed
from vision.geometry import board_measures as layout
from vision.geometry.board_measures import BARS, OFFS, POINTS, ROW, SIDES, Lie, Measures
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.reading import Raw, weakened

IN_VIEW = 0.975
"""The part of a cell that must be in view: a checker of which a quarter is beyond the picture's edge may pass
for bare board."""
HEAT = 1.0
"""What log-likelihoods of discs are multiplied by, since neither pixels nor lamps are as random as the model
says (measured: docs/vision.md)."""
MOST = 8.0
"""Nats that one place can count for or against a checker."""
BEYOND = 0.3
"""What every nat beyond that counts: where a checker stands best can still be told."""
PRICE, BAR_PRICE = 2.0, 3.0
"""Nats that a checker must earn to be believed, where the rows say nothing else."""
STACKED = -1.5
"""Nats of each checker of a second layer before anybody looks for it (see ``closeup``)."""
FAR = 5.0
"""Nats by which a full row may be unlikely before nobody looks for a second layer on it."""
HESITANT = 7.0
"""Nats between the likeliest lengths of a row under which its places are looked at closely."""
BESIDE = 0.7
"""Distance (diameters) within which what seems to lie on the bar is a neighbouring point's checker."""
RIMWARD, AT_RIM = 8.0, 0.6
"""Nats that a checker on the bar must earn besides where it lies within so much (diameters) of the rim's
first place: the doubling cube is kept there, and hit checkers are put near the middle."""
UNDER = 0.0
"""Nats against any checkers being under a hand that covers cells."""
TRAY, NARROW, PARTLY = 1.6, 0.7, 0.3
"""How far beside the surface (diameters) the picture must reach all along a tray's half for what is seen
there to count, how far for it to count PARTLY: checkers stand in it, but behind how wide a wall nobody says.
With less nothing is read."""
BOARD = frozenset({*POINTS, *BARS})
ASIDE = 3
"""How far beside its row's middle a checker may stand, in map pixels."""


Gains = tuple[NDArray[np.float64], NDArray[np.int64]]


def _stack(rows: list[tuple[Map, Map]]) -> tuple[Map, Map]:
    """Rows' map columns and map rows, each as rows x steps x asides."""
    return np.stack([u for u, _ in rows]), np.stack([v for _, v in rows])


def _bounded(gains: NDArray[np.float32]) -> NDArray[np.float32]:
    """Gains of each side's discs (sides x places), none beyond MOST. Where both are, how much better one is
    than the other remains."""
    over = (1 - BEYOND) * np.maximum(gains.max(axis=0) - MOST, 0)
    return np.asarray(np.maximum(gains - over, -MOST))


def _hedged(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of each side's chains (sides x rows x lengths), none further than WHOSE behind the other side's
    of the same length."""
    return np.where(scores > NONE / 2, np.maximum(scores, scores.max(axis=0) - WHOSE), scores)


def _doubt(scores: NDArray[np.float64]) -> tuple[int, int] | None:
    """Of a row's scores for 0, 1 ... pieces: how many may stand there, and how many of those surely do, where
    that is not the same; of a row that may be full, all and none. None where nothing is in doubt."""
    best = float(scores.max())
    if scores[ROW] > max(best - FAR, NONE / 2):
        return ROW, 0
    likely = np.flatnonzero(scores[: ROW + 1] > best - HESITANT)
    return None if likely[0] == likely[-1] else (int(likely[-1]), int(likely[0]))


@dataclass(frozen=True)
class Plan:
    """Rows of sample places on the map, computed once."""

    measures: Measures
    flat: Flat
    lie: Lie
    regions: Mapping[Cell, NDArray[np.bool_]] = field(init=False)
    loose: NDArray[np.bool_] = field(init=False)
    spare: NDArray[np.bool_] = field(init=False)
    _trays: Mapping[Cell, float] = field(init=False, repr=False)
    """What counts of what is seen in a tray's half, by how much of it is in view."""
    _rows: dict[str, tuple[Map, Map]] = field(init=False, repr=False)
    _places: tuple[Map, Map] = field(init=False, repr=False)
    """All rows' map columns and map rows, asides x places: asked about at once, the wider the faster. They
    count from ``_part``'s."""
    _part: tuple[slice, slice] = field(init=False, repr=False)
    """The map rows and columns around all places."""

    def __post_init__(self) -> None:
        places = [self.lie.place(number) for number in range(1, 25)]
        points = [self._row(layout.middle(self.measures, place), self._inward(place)) for place in places]
        d = self.measures.checker
        along = np.arange(0.5 * d, self.measures.height - 0.5 * d, d / RESOLUTION)
        bar = self._row(layout.bar_middle(self.measures), along)
        rows = {"points": _stack(points), "bar": _stack([bar])}
        object.__setattr__(self, "_rows", rows)
        every = [
            np.concatenate([row[axis].reshape(-1, 2 * ASIDE + 1) for row in rows.values()]) for axis in (0, 1)
        ]
        first = [max(int(places.min()) - REACH, 0) for places in every]
        last = [int(places.max()) + REACH + 1 for places in every]
        object.__setattr__(
            self,
            "_places",
            tuple(np.ascontiguousarray(places.T) - low for places, low in zip(every, first, strict=True)),
        )
        object.__setattr__(self, "_part", (slice(first[1], last[1]), slice(first[0], last[0])))
        object.__setattr__(self, "regions", self._regions())
        reach = {cell: np.count_nonzero(self.regions[cell], axis=1) for cell in OFFS if cell in self.regions}
        enough = (TRAY - 0.3) * RESOLUTION
        object.__setattr__(
            self,
            "_trays",
            {cell: 1.0 if wide[wide > 0].min() >= enough else PARTLY for cell, wide in reach.items()},
        )
        x, y = self.flat.x, self.flat.y
        beyond = {"right": x > self.measures.width + 0.35 * d, "left": x < -0.35 * d}
        nowhere = np.zeros_like(x, bool)
        object.__setattr__(self, "loose", np.broadcast_to(beyond.get(self._tray, nowhere), self.flat.shape))
        other = (
            beyond["left" if self._tray == "right" else "right"] if self.measures.tray == "both" else nowhere
        )
        object.__setattr__(self, "spare", other[None, :] & ((y > 0) & (y < self.measures.height))[:, None])

    @property
    def _tray(self) -> str:
        """Where borne-off checkers stand: ``right``, ``left`` or ``none``."""
        return self.lie.home if self.measures.tray == "both" else self.measures.tray

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
        m = self.measures
        xs, ys = self.flat.x, self.flat.y
        found: dict[Cell, NDArray[np.bool_]] = {}
        for number in range(1, 25):
            place = self.lie.place(number)
            x = layout.middle(m, place)
            inside = (ys > 0) & (ys < m.height / 2) if place <= 12 else (ys > m.height / 2) & (ys < m.height)
            found[f"p{number}"] = inside[:, None] & (np.abs(xs - x) < m.pitch / 2)[None, :]
        beside = (xs > m.width + 0.3 * m.checker) if self._tray == "right" else (xs < -0.3 * m.checker)
        if self._tray != "none":
            seen = self.flat.in_view() & beside[None, :]
            reach = 0.3 + np.count_nonzero(seen, axis=1) / RESOLUTION
            for cell, upper in zip(OFFS, (self.lie.turned, not self.lie.turned), strict=True):
                half = (ys > 0) & (ys < m.height) & ((ys > m.height / 2) == upper)
                if reach[half].min() >= NARROW:
                    found[cell] = seen & half[:, None]
        wide = np.abs(xs - m.width / 2) < max(m.bar, m.checker) / 2
        stands = (ys > m.checker / 2) & (ys < m.height - m.checker / 2)  # the cube's places are at its ends
        for cell in BARS:
            found[cell] = stands[:, None] & wide[None, :]
        return found

    def read(self, discs: Discs, values: Map) -> Found:
        """Chains of discs on every point and on the bar, extents in the tray."""
        raw: Raw = {}
        explained = np.zeros(self.flat.shape, np.uint8)
        marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
        closer: list[Row] = []
        gains = self._gains(discs, values)
        rows = gains["points"]
        found = self._chains(np.concatenate([points for points, _ in rows]))
        scores = _hedged(found.scores.T.reshape(len(SIDES), 24, -1))
        fits = np.count_nonzero(scores > NONE / 2, axis=2)
        for index in range(24):
            cell = f"p{index + 1}"
            looks: dict[Look, float] = {(): 0.0}
            best: tuple[float, int, int] = (0.0, 0, 0)
            for k, side in enumerate(SIDES):
                nats = scores[k, index].tolist()
                most = max(nats)
                looks.update({(side,) * count: nats[count] for count in range(1, fits[k, index])})
                if fits[k, index] > ROW and nats[ROW] > most - FAR:
                    looks.update(
                        {(side,) * (ROW + extra): nats[ROW] + STACKED * extra for extra in range(1, 11)}
                    )
                if most > best[0]:
                    best = (most, k, nats.index(most))
            raw[cell] = looks
            doubt = _doubt(scores[:, index].max(axis=0))
            if doubt:
                longest, sure = doubt
                k = int(scores[:, index, longest].argmax())
                middles = self._middles(
                    index, found.places(24 * k + index, longest), rows[k][0][index], rows[k][1][index]
                )
                closer.append(Row(cell, k, middles, sure))
            if best[2]:
                k = best[1]
                centres = self._centres(
                    "points", index, found.places(24 * k + index, best[2]), rows[k][1][index]
                )
                marks[cell] = [(SIDES[k], u, v, RESOLUTION / 2) for u, v in centres]
        likely = self._bar(gains["bar"], raw, marks)
        for found_marks in marks.values():
            for _, u, v, radius in found_marks:
                cv2.circle(explained, (round(u), round(v)), round(radius) + 1, 1, -1)
        if self._tray != "none":
            borne_off = tray.read(self.flat, self.measures, self._tray, self.lie.turned, discs.bare, values)
            for cell in self._trays.keys() & borne_off.keys():
                raw |= weakened({cell: borne_off[cell]}, self._trays[cell])
        return Found(raw, explained.astype(bool), marks, closer, likely)

    def conserve(self, raw: Raw, stock: Mapping[Piece, int]) -> tuple[dict[Cell, Look], dict[Cell, float]]:
        """The likeliest looks of the cells in ``raw`` taken together, and the probability of each, where no
        piece appears from nowhere (``stock``: how many of each there are): checkers out of view are under a
        hand, or have left the board."""
        nats = borne_off.against(raw)
        covered = not raw.keys() >= BOARD
        unseen = {side: UNDER if covered else stock_inference.UNSEEN + nats[side] for side in SIDES}
        everything = BOARD | set(OFFS) <= raw.keys()
        return stock_inference.weigh(borne_off.weighed(raw, nats), stock, None if everything else unseen)

    def _centres(
        self, name: str, row: int, places: Sequence[int], aside: NDArray[np.int64]
    ) -> list[tuple[float, float]]:
        u, v = self._rows[name]
        steps = np.array(places, np.int64)
        beside = aside[steps]
        return list(zip(u[row, steps, beside].tolist(), v[row, steps, beside].tolist(), strict=True))

    def _middles(
        self, row: int, places: Sequence[int], gains: NDArray[np.float64], aside: NDArray[np.int64]
    ) -> list[tuple[float, float]]:
        """Where the checkers of a point's chain stand, finer than in steps: the mean of the places that are
        nearly as good."""
        steps = np.array(places, np.int64)[:, None]
        near = np.clip(steps + np.arange(-2, 3), 0, len(gains) - 1)
        worth = np.exp(np.minimum(gains[near] - gains[steps], 0))
        worth /= worth.sum(axis=1, keepdims=True)
        u, v = ((part[row, near, aside[near]] * worth).sum(axis=1) for part in self._rows["points"])
        return list(zip(u.tolist(), v.tolist(), strict=True))

    def _gains(self, discs: Discs, values: Map) -> dict[str, list[Gains]]:
        """For the rows of each name and each colour: the gain at every step of every row (rows x steps), at
        the best place aside, and which that is."""
        off = (np.arange(-ASIDE, ASIDE + 1, dtype=np.float32) / ASIDE)[:, None] ** 2
        found: dict[str, list[Gains]] = {name: [] for name in self._rows}
        for gains in _bounded(np.stack(discs.gains(discs.moments(values, self._part), *self._places))):
            weighed = gains * HEAT - off
            aside, best, begin = weighed.argmax(axis=0), weighed.max(axis=0).astype(np.float64), 0
            for name, (u, _) in self._rows.items():
                rows, steps = u.shape[:2]
                part = slice(begin, begin + rows * steps)
                found[name].append((best[part].reshape(rows, steps), aside[part].reshape(rows, steps)))
                begin = part.stop
        return found

    def _chains(self, gains: NDArray[np.float64]) -> Chains:
        r = RESOLUTION
        return chains(
            gains - PRICE / 2, (round(0.08 * r), round(0.55 * r)), (round(0.92 * r), round(1.17 * r)), ROW + 2
        )

    def _bar(
        self, rows: list[Gains], raw: Raw, marks: dict[Cell, list[tuple[Piece, float, float, float]]]
    ) -> dict[Cell, list[tuple[float, float]]]:
        """Both sides' checkers on the bar, into ``raw`` and ``marks``; and where they may stand, if nothing
        else is likelier than they."""
        taken = np.array([(u, v) for found in marks.values() for _, u, v, _ in found], np.float64).reshape(
            -1, 2
        )
        for gains, aside in rows:
            here = np.array(self._centres("bar", 0, range(gains.shape[1]), aside[0]))
            near = np.linalg.norm(here[:, None, :] - taken[None, :, :], axis=2) < BESIDE * RESOLUTION
            gains[
                0, near.any(axis=1)
            ] = -PRICE  # that is a point's checker, seen from a bar narrower than itself
            end = round(AT_RIM * RESOLUTION)
            gains[0, :end] -= RIMWARD
            gains[0, -end:] -= RIMWARD
        counts = mixed((rows[0][0][0], rows[1][0][0]), round(0.94 * RESOLUTION), 5, BAR_PRICE)
        likely: dict[Cell, list[tuple[float, float]]] = {}
        for k, cell in enumerate(BARS):
            looks: dict[Look, float] = {}
            for pair, score in counts.items():
                look = (SIDES[k],) * pair[k]
                looks[look] = max(looks.get(look, -1e9), score)
            raw[cell] = looks
            best = max((score, look) for look, score in looks.items())[1]
            most = max((score + BAR_PRICE * len(look), look) for look, score in looks.items())[1]
            gains, aside = rows[k][0][0].copy(), rows[k][1][0]
            for number in range(len(most)):
                step = int(np.argmax(gains))
                u, v = self._centres("bar", 0, (step,), aside)[0]
                likely.setdefault(cell, []).append((u, v))
                if number < len(best):
                    marks.setdefault(cell, []).append((SIDES[k], u, v, RESOLUTION / 2))
                gains[max(step - RESOLUTION + 2, 0) : step + RESOLUTION - 1] = -99
        return likely
