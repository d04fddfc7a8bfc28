"""A board of checkers laid out on the map: which pixels every cell has, where to look for checkers, and how
many stand there in one picture.

A point is a row of discs from the rim inward, five as a rule; further ones lie on top of the first, or go on
over the board's middle, as far as the opposite point's row leaves room. The bar is a row of its own around
the middle. Borne-off checkers stand on their rims in a tray, where only their extent
can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.layout import POINT_CELLS, Cell, Look, Piece
from vision import stock_inference
from vision.checkers import borne_off, tray
from vision.checkers.discs import REACH, Discs
from vision.checkers.rows import STACKED, Chains, Row, chains, mixed
from vision.geometry import board_measures
from vision.geometry.board_measures import BARS, OFFS, ROW, SIDES, Measures, Orientation
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.picture.masks import Mask
from vision.reading import COVERED, NEVER, Raw, Spot, cut_off, weakened
from vision.stock_inference import PRICES, Missing

BOUND = 8.0
"""Nats that one place can count for or against a checker; and by which it is known whose pieces stand in a
row, however many they are: what makes one look like the other side's, a mirrored lamp, does so to its
neighbours (measured: docs/vision-measurements.md)."""
PRICE = {"points": 2.0, "bar": 3.0}
"""Nats that a checker must earn to be believed, where the rows say nothing else: it seldom stands on the
bar."""
EVEN = {"columns": PRICE["points"] / 2, "bar": PRICE["bar"]}
"""Nats at which a checker is as likely as none."""
FAR, HESITANT = 5.0, 7.0
"""Nats behind the likeliest length of a row up to which it is looked at closely what lies upon a full one,
and whether there is another."""
NARROW, BROAD = 0.7, 1.6
"""How far beside the surface (diameters) the picture must reach all along a tray's half for what is seen
there to count a little, and in full. With less nothing is read: checkers stand in it, but behind how wide a
wall nobody says."""
ASIDE = 3
"""How far beside its row's middle a checker may stand, in map pixels: a quarter of itself."""
FIRST = 0.3
"""How near to a rim a checker's middle is looked for, in diameters."""
GAP = round(0.92 * RESOLUTION), round(1.17 * RESOLUTION)
"""How far apart neighbours of a row are, in map pixels."""
IN_VIEW = 0.975
"""The part of a cell that must be in view: one of which a quarter is beyond the picture's edge may pass for
bare board."""
HIDDEN = 0.1
"""The part of a checker's square that may be hidden for it to be told from the bare board."""
Gains = tuple[Floats, NDArray[np.int64]]
"""The gain at every step of some rows (rows x steps), at the best place aside, and which that is."""
Marks = dict[Cell, list[Spot]]
Centres = list[tuple[float, float]]


@dataclass(frozen=True)
class FoundCheckers:
    """What a plan makes of one picture.

    ``raw``: log-likelihoods of every cell in view. ``explained``: map pixels on which pieces stand in the
    likeliest reading. ``marks``: where each cell's pieces were found. ``rows``: those that want a closer
    look. ``likely``: where pieces may stand (column, row) that are too few to be believed by themselves.
    """

    raw: Raw
    explained: Mask
    marks: Mapping[Cell, Sequence[Spot]]
    rows: Sequence[Row] = ()
    likely: Mapping[Cell, Centres] = field(default_factory=dict)


def hides(hidden: Mask, u: ArrayLike, v: ArrayLike) -> Mask:
    """Whether so much of the checkers with their middles at these places (map columns and rows) lies under
    what is ``hidden`` that they cannot be told from the bare board."""
    wide = RESOLUTION + 1
    part = cv2.blur(hidden.astype(np.float32), (wide, wide))
    columns, rows = (np.asarray(each).round().astype(int) for each in (u, v))
    return np.asarray(part[rows, columns] > HIDDEN)


def _bounded(gains: NDArray[np.float32]) -> NDArray[np.float32]:
    """Gains of each side's discs (sides x places), none below -BOUND, and of every nat beyond it 0.3, so
    that where a checker stands best can still be told. How much better one side's is than the other's
    remains."""
    over = (1 - 0.3) * np.maximum(gains.max(axis=0) - BOUND, 0)
    return np.asarray(np.maximum(gains - over, -BOUND))


def _hedged(scores: Floats) -> Floats:
    """Scores of each side's chains (sides x rows x lengths), none further than BOUND behind the other side's
    of the same length."""
    return np.where(scores > NEVER / 2, np.maximum(scores, scores.max(axis=0) - BOUND), scores)


def _apart(scores: Floats, ends: NDArray[np.int64], room: int) -> Floats:
    """Scores of each side's chains (sides x rows x lengths) where no checker is one of two points': each
    beside the likeliest on the opposite point that ends (``ends``: steps from the rim) before it, both within
    ``room``. Points 1 to 24 are in order, so that opposite ones have 25 together."""
    sides, rows, lengths = scores.shape
    value = scores.transpose(1, 0, 2).reshape(rows, -1)
    last = ends.transpose(1, 0, 2).reshape(rows, -1)
    some = np.tile(np.arange(lengths) > 0, sides)
    meet = (last[:, :, None] + last[::-1, None, :] > room) & some[:, None] & some
    other = value[::-1]
    beside = np.where(meet, NEVER, other[:, None, :]).max(axis=2) - other.max(axis=1, keepdims=True)
    return np.asarray((value + beside).reshape(rows, sides, lengths).transpose(1, 0, 2))


def _doubt(scores: Floats) -> tuple[int, int] | None:
    """Of a row's scores for 0, 1 ... pieces: how many may stand there, and how many of those surely do, where
    that is not the same; of a row that may be full, all and none. None where nothing is in doubt."""
    full = ROW + int(scores[ROW:].argmax())
    best = float(scores.max())
    if scores[full] > max(best - FAR, NEVER / 2):
        return full, 0
    likely = np.flatnonzero(scores[: ROW + 1] > best - HESITANT)
    return None if likely[0] == likely[-1] else (int(likely[-1]), int(likely[0]))


def _out_of_view(away: float) -> Missing:
    """What is against checkers having left for where nothing is seen. ``away``: see ``borne_off.against``."""
    return replace(PRICES.stuck, some=PRICES.unseen.some + away) if away else PRICES.unseen


@dataclass(frozen=True)
class Plan:
    """One table's board on the map. ``most``: how many checkers a side has."""

    measures: Measures
    flat: Flat
    orientation: Orientation
    most: int

    @cached_property
    def regions(self) -> dict[Cell, Mask]:
        """The map pixels of every cell, trays only where enough of them is in view."""
        m, x, y = self.measures, self.flat.x, self.flat.y
        within = (y > 0) & (y < m.height)
        lower, upper = within & (y < m.height / 2), within & (y > m.height / 2)
        found: dict[Cell, Mask] = {}
        for number, cell in enumerate(POINT_CELLS, 1):
            place = self.orientation.place(number)
            column = np.abs(x - board_measures.middle(m, place)) < m.pitch / 2
            found[cell] = (lower if place <= 12 else upper)[:, None] & column
        if self._tray != "none":
            seen = self.flat.in_view() & self._beside(self._tray, 0.3)
            reach = 0.3 + np.count_nonzero(seen, axis=1) / RESOLUTION
            lower = within & ~upper
            for cell, half in zip(
                OFFS, (upper, lower) if self.orientation.turned else (lower, upper), strict=True
            ):
                if reach[half].min() >= NARROW:
                    found[cell] = seen & half[:, None]
        wide = np.abs(x - m.width / 2) < max(m.bar, m.checker) / 2
        stands = (y > m.checker / 2) & (y < m.height - m.checker / 2)  # the cube's places are at its ends
        return found | dict.fromkeys(BARS, stands[:, None] & wide)

    def cut_off(self, view: Mask) -> frozenset[Cell]:
        """The cells of which too little is in ``view``."""
        return cut_off(self.regions, view, IN_VIEW)

    @cached_property
    def upper(self) -> frozenset[Cell]:
        """The points on the upper side of the map."""
        return frozenset(f"p{number}" for number in range(1, 25) if self.orientation.place(number) > 12)

    def reached(self, marks: Mapping[Cell, Sequence[Spot]], beyond: float = COVERED.next) -> dict[Cell, Mask]:
        """The map pixels of every cell as far as its row (a checker's place at least) and so many diameters
        ``beyond`` it reach. Few rows have wide gaps, so that nothing stands beyond the next place where that
        is seen to be free."""
        y, height, d = self.flat.y, self.measures.height, self.measures.checker
        found = dict(self.regions)
        for cell in POINT_CELLS:
            upper = cell in self.upper
            away = height - y if upper else y
            inner = self.flat.board([(u, v) for _, u, v, _ in marks.get(cell, ())])[:, 1:]
            last = float(np.max(height - inner if upper else inner, initial=-d / 2))
            found[cell] = found[cell] & (away < max(last + d / 2 + beyond * d, d))[:, None]
        return found

    @cached_property
    def loose(self) -> Mask:
        """Map pixels where other things than the board's may lie: the tray that is borne off to."""
        return np.broadcast_to(self._beside(self._tray, 0.35), self.flat.shape)

    @property
    def _tray(self) -> str:
        """Where borne-off checkers stand: ``right``, ``left`` or ``none``."""
        return self.orientation.home if self.measures.tray == "both" else self.measures.tray

    def _beside(self, side: str, diameters: float) -> NDArray[np.bool_]:
        """The map columns that are so far or further beside a side of the surface."""
        x, away = self.flat.x, diameters * self.measures.checker
        return {"right": x > self.measures.width + away, "left": x < -away}.get(side, np.zeros_like(x, bool))

    @cached_property
    def _tray_trust(self) -> dict[Cell, float]:
        """What counts of what is seen in a tray's half, by how much of it is in view."""
        reach = {cell: np.count_nonzero(self.regions[cell], axis=1) for cell in OFFS if cell in self.regions}
        enough = (BROAD - 0.3) * RESOLUTION
        return {cell: 1.0 if wide[wide > 0].min() >= enough else 0.3 for cell, wide in reach.items()}

    @cached_property
    def _asked(self) -> dict[str, tuple[Map, Map]]:
        """Where checkers are looked for, in all columns from rim to rim and on the bar: map columns and map
        rows, each as rows x steps x asides."""
        m, d = self.measures, self.measures.checker
        far = m.height - 2 * FIRST * d
        steps = np.linspace(0, far, round(far / d * RESOLUTION) + 1) + FIRST * d
        columns = [self._row(board_measures.middle(m, place), steps) for place in range(1, 13)]
        along = np.arange(0.5 * d, m.height - 0.5 * d, d / RESOLUTION)
        bar = self._row(m.width / 2, along)
        return {
            "columns": (np.stack([u for u, _ in columns]), np.stack([v for _, v in columns])),
            "bar": (bar[0][None], bar[1][None]),
        }

    @cached_property
    def _of_points(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which column every point is in, and which of its steps are the point's own, from the rim (points x
        steps): as far as a row of ``ROW`` and two more may reach."""
        places = np.array([self.orientation.place(number) for number in range(1, 25)])
        long = self._asked["columns"][0].shape[1]
        steps = np.arange(min(long, round((ROW + 2.2 - FIRST) * RESOLUTION)))
        lower = places[:, None] <= 12
        return np.where(lower, places[:, None], 25 - places[:, None]) - 1, np.where(
            lower, steps, long - 1 - steps
        )

    @cached_property
    def _rows(self) -> dict[str, tuple[Map, Map]]:
        """The same for every point, and for the bar."""
        u, v = self._asked["columns"]
        return {"points": (u[self._of_points], v[self._of_points]), "bar": self._asked["bar"]}

    def _row(self, x: float, y: Floats) -> tuple[Map, Map]:
        aside = np.arange(-ASIDE, ASIDE + 1) * self.measures.checker / RESOLUTION
        places = np.stack(np.meshgrid(x + aside, y), axis=-1).reshape(-1, 2)
        at = self.flat.at(places, self.measures.thickness).astype(np.float32).reshape(len(y), len(aside), 2)
        return np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])

    @cached_property
    def _places(self) -> tuple[tuple[slice, slice], Map, Map]:
        """The map rows and columns around all places, and all rows' columns and rows, asides x places, which
        count from there: asked about at once, the wider the faster."""
        parts, places = [], []
        for axis in (0, 1):
            every = np.concatenate([row[axis].reshape(-1, 2 * ASIDE + 1) for row in self._asked.values()])
            first = max(int(every.min()) - REACH, 0)
            parts.append(slice(first, int(every.max()) + REACH + 1))
            places.append(np.ascontiguousarray(every.T) - first)
        return (parts[1], parts[0]), places[0], places[1]

    def read(self, discs: Discs, values: Map, hidden: Mask | None = None) -> FoundCheckers:
        """Chains of discs on every point and on the bar, extents in the tray. ``hidden``: the map pixels that
        say nothing of the board."""
        gains = self._gains(discs, values, hidden)
        raw, marks, doubtful = self._points(gains["points"])
        likely = self._bar(gains["bar"], raw, marks)
        explained = np.zeros(self.flat.shape, np.uint8)
        for spots in marks.values():
            for _, u, v, radius in spots:
                cv2.circle(explained, (round(u), round(v)), round(radius) + 1, 1, -1)
        if self._tray != "none":
            turned = self.orientation.turned
            off = tray.read(self.flat, self.measures, self._tray, turned, self.most, discs.bare, values)
            for cell, trust in self._tray_trust.items():
                if cell in off:
                    raw |= weakened({cell: off[cell]}, trust)
        return FoundCheckers(raw, explained.astype(bool), marks, doubtful, likely)

    def conserve(self, raw: Raw, stock: Mapping[Piece, int]) -> tuple[dict[Cell, Look], dict[Cell, float]]:
        """The likeliest looks of the cells in ``raw`` taken together, and the probability of each, where no
        piece appears from nowhere (``stock``: how many of each there are): checkers out of view are under a
        hand, or have left the board."""
        nats = borne_off.against(raw)
        board = {*POINT_CELLS, *BARS}
        if raw.keys() >= board | set(OFFS):
            unseen = None
        elif raw.keys() >= board:
            unseen = {side: _out_of_view(nats[side]) for side in SIDES}
        else:
            unseen = dict.fromkeys(SIDES, Missing(0.0))
        return stock_inference.weigh(borne_off.weighed(raw, nats), stock, unseen)

    def _gains(self, discs: Discs, values: Map, hidden: Mask | None = None) -> dict[str, list[Gains]]:
        """For the rows of each name, both colours' gains: where a checker would be hidden, those by which it
        is as likely there as not."""
        part, u, v = self._places
        unseen = None if hidden is None else hides(hidden[part], u[ASIDE], v[ASIDE])
        off = (np.arange(-ASIDE, ASIDE + 1, dtype=np.float32) / ASIDE)[:, None] ** 2
        found: dict[str, list[Gains]] = {name: [] for name in self._asked}
        for gains in _bounded(np.stack(discs.gains(discs.moments(values, part), u, v))):
            weighed = gains - off
            aside, best, begin = weighed.argmax(axis=0), weighed.max(axis=0).astype(np.float64), 0
            for name, (columns, _) in self._asked.items():
                shape = columns.shape[:2]
                here = slice(begin, begin + shape[0] * shape[1])
                if unseen is not None:
                    best[here][unseen[here]] = EVEN[name]
                found[name].append((best[here].reshape(shape), aside[here].reshape(shape)))
                begin = here.stop
        own = self._of_points
        return {
            "points": [(gains[own], asides[own]) for gains, asides in found["columns"]],
            "bar": found["bar"],
        }

    def _points(self, rows: list[Gains]) -> tuple[Raw, Marks, list[Row]]:
        """What stands on every point, where its checkers were found, and the rows that want a closer look."""
        raw, marks, doubtful = Raw(), Marks(), list[Row]()
        found = self._chains(np.concatenate([gains for gains, _ in rows]))
        shape = len(SIDES), len(POINT_CELLS), -1
        scores = _apart(
            _hedged(found.scores.T.reshape(shape)),
            found.ends.T.reshape(shape),
            self._asked["columns"][0].shape[1] - 1 - GAP[0],
        )
        fits = np.count_nonzero(scores > NEVER / 2, axis=2)
        for index, cell in enumerate(POINT_CELLS):
            looks: dict[Look, float] = {(): 0.0}
            for k, side in enumerate(SIDES):
                nats = scores[k, index, : fits[k, index]].tolist()
                looks.update({(side,) * count: nats[count] for count in range(1, len(nats))})
                full = max(range(ROW, len(nats)), key=nats.__getitem__, default=0)
                if full and nats[full] > max(nats) - FAR:
                    more = range(1, self.most - full + 1)
                    looks.update({(side,) * (full + extra): nats[full] + STACKED * extra for extra in more})
            raw[cell] = looks
            doubt = _doubt(scores[:, index].max(axis=0))
            if doubt:
                k = int(scores[:, index, doubt[0]].argmax())
                steps = found.places(len(POINT_CELLS) * k + index, doubt[0])
                gains, asides = rows[k]
                doubtful.append(
                    Row(cell, k, self._middles(index, steps, gains[index], asides[index]), doubt[1])
                )
            k, count = divmod(int(scores[:, index].argmax()), scores.shape[2])
            if count:
                steps = found.places(len(POINT_CELLS) * k + index, count)
                centres = self._centres("points", index, steps, rows[k][1][index])
                marks[cell] = [(SIDES[k], u, v, RESOLUTION / 2) for u, v in centres]
        return raw, marks, doubtful

    def _chains(self, gains: Floats) -> Chains:
        first = round(0.08 * RESOLUTION), round(0.55 * RESOLUTION)
        return chains(gains - EVEN["columns"], first, GAP, ROW + 2)

    def _centres(self, name: str, row: int, places: Sequence[int], aside: NDArray[np.int64]) -> Centres:
        u, v = self._rows[name]
        steps = np.array(places, np.int64)
        beside = aside[steps]
        return list(zip(u[row, steps, beside].tolist(), v[row, steps, beside].tolist(), strict=True))

    def _middles(self, row: int, places: Sequence[int], gains: Floats, aside: NDArray[np.int64]) -> Centres:
        """Where the checkers of a point's chain stand, finer than in steps: the mean of the places that are
        nearly as good."""
        steps = np.array(places, np.int64)[:, None]
        near = np.clip(steps + np.arange(-2, 3), 0, len(gains) - 1)
        worth = np.exp(np.minimum(gains[near] - gains[steps], 0))
        worth /= worth.sum(axis=1, keepdims=True)
        u, v = ((part[row, near, aside[near]] * worth).sum(axis=1) for part in self._rows["points"])
        return list(zip(u.tolist(), v.tolist(), strict=True))

    def _bar(self, rows: list[Gains], raw: Raw, marks: Marks) -> dict[Cell, Centres]:
        """Both sides' checkers on the bar, into ``raw`` and ``marks``; and where they may stand, if nothing
        else is likelier than they."""
        taken = np.array([(u, v) for spots in marks.values() for _, u, v, _ in spots]).reshape(-1, 2)
        end = round(0.6 * RESOLUTION)
        for gains, aside in rows:
            here = np.array(self._centres("bar", 0, range(gains.shape[1]), aside[0]))
            near = np.linalg.norm(here[:, None, :] - taken[None, :, :], axis=2) < 0.7 * RESOLUTION
            # A point's checker, seen from a bar narrower than itself.
            gains[0, near.any(axis=1)] = -PRICE["points"]
            gains[0, :end] -= 8.0  # the doubling cube is kept there; hit checkers are put near the middle
            gains[0, -end:] -= 8.0
        counts = mixed((rows[0][0][0], rows[1][0][0]), round(0.94 * RESOLUTION), 5, PRICE["bar"])
        likely: dict[Cell, Centres] = {}
        for k, cell in enumerate(BARS):
            looks: dict[Look, float] = {}
            for pair, score in counts.items():
                look = (SIDES[k],) * pair[k]
                looks[look] = max(looks.get(look, NEVER), score)
            raw[cell] = looks
            best = max((score, look) for look, score in looks.items())[1]
            most = max((score + PRICE["bar"] * len(look), look) for look, score in looks.items())[1]
            gains, aside = rows[k][0][0].copy(), rows[k][1][0]
            for number in range(len(most)):
                step = int(np.argmax(gains))
                u, v = self._centres("bar", 0, (step,), aside)[0]
                likely.setdefault(cell, []).append((u, v))
                if number < len(best):
                    marks.setdefault(cell, []).append((SIDES[k], u, v, RESOLUTION / 2))
                gains[max(step - RESOLUTION + 2, 0) : step + RESOLUTION - 1] = -99
        return likely
