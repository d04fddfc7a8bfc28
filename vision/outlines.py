"""Where a board of checkers may lie in a picture of any position: outlines, the likeliest first.

They come from straight edges, and from the discs that are seen, laid on the places where checkers can stand;
under the right one the network that reads boards blind sees points and rims where they should be, and the
discs stand in rows on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from vision import boards, straight_edges
from vision.blind.columns import Columns, find_columns
from vision.checkers.calibration import match
from vision.checkers.calibration.match import Fit
from vision.checkers.calibration.measures import USUAL_PITCH, usual
from vision.disc_finder.flat_map import GRID, HIGH, MARGIN, lay_flat
from vision.disc_finder.network import Grid, Marks, find_marks, peaks
from vision.disc_finder.seek import SHARES, Sighting, seek
from vision.errors import CalibrationError
from vision.geometry.board_measures import ROW, Geometry, Measures
from vision.geometry.camera import Floats, as_corners, rectangle
from vision.picture.frame import Image
from vision.picture.margins import shown


@dataclass(frozen=True)
class Effort:
    """What is tried for each size of the picture: how many outlines are ``proposed``, ``refined`` and
    ``proved`` (calibrated), with how many discs at ``least``. How well the network's marks must fit an
    outline (1 is usual) for it to be worth a calibration at once, ``seen``, or if nothing else is, ``poor``:
    tried at once, one that fits 0.95 was learned a column off."""

    least: int = 8
    proposed: int = 16
    refined: int = 6
    proved: int = 2
    seen: float = 0.97
    poor: float = 0.93


EFFORT = Effort()
SHAPES = (0.75, 0.87, 0.97)
"""Height to width of the boards that are looked for, where nothing is known."""
BARS = (0.3, 1.0)
"""Their bars, in checkers, before one is seen."""
ROWS = 0.3
"""What it is worth that all discs stand in rows on an outline, against the network's marks (1 is usual): on
142 pictures with truth the right one is ahead then of those a column off."""
COLUMNS = 12.6
"""A surface's width in columns: twelve, and a usual bar."""
NEAR = 0.45
"""How far from its place a disc may be, in checkers."""
TILTS = {0.0: SHARES, 20.0: SHARES[:3], 35.0: SHARES[:3]}
"""Degrees by which the camera may look from below the picture, as who sits at the board holds it; and how
much of the picture the board may take then. Such a picture is first turned into one from above: what is
looked for are round discs, in rows that run alongside each other."""
UNIT = rectangle(1, 1)[:, :2]
"""The corners of a surface one wide and high."""
FOCAL = 0.9
"""Focal length of a camera that nobody knows, in the longer sides of its pictures."""


@dataclass(frozen=True)
class _Places:
    """Where checkers can stand under some measures (cm)."""

    measures: Measures

    @property
    def columns(self) -> Floats:
        """The points' middles, from the left (12)."""
        number = np.arange(12)
        return (number + 0.5) * self.measures.pitch + (number >= 6) * self.measures.bar

    def rows(self, count: int) -> Floats:
        """The places of the first ``count`` checkers of each point (N x 2)."""
        deep = (np.arange(count) + 0.5) * self.measures.checker
        both = np.concatenate([deep, self.measures.height - deep])
        return np.array([(x, y) for y in both for x in self.columns])

    @property
    def outline(self) -> Floats:
        """The surface's corners (4 x 2)."""
        return rectangle(self.measures.width, self.measures.height)[:, :2]

    @property
    def share(self) -> Floats:
        """Takes its places (cm) to those of a surface one wide and high (3 x 3)."""
        return np.diag([1 / self.measures.width, 1 / self.measures.height, 1.0])


def outlines(image: Image, geometry: Geometry, progress: boards.Progress = boards.silent) -> Iterator[Floats]:
    """Outlines (4 x 2, pixels: bottom-left, bottom-right, top-right, top-left) that may be the board's: at
    each tilt of the camera those between straight edges, then those on which the discs lie, at each size of
    the picture; in the end those of all that fit poorly."""
    part, begins = shown(image)
    for outline in _outlines(part, geometry, progress):
        yield outline + begins


def _outlines(image: Image, geometry: Geometry, progress: boards.Progress) -> Iterator[Floats]:
    """The same of a picture without margins."""
    poor: list[_Fitting] = []
    for count, (tilt, shares) in enumerate(TILTS.items()):
        progress(count / len(TILTS), phrase("looking for the board"))
        above, back = _from_above(image, tilt)
        sightings = {share: seek(above, share) for share in shares}
        view = _View(image, above, back, geometry, sightings)
        tried = [(view, _between_edges(view))]
        for share, sighting in sightings.items():
            if len(sighting.places) >= EFFORT.least:
                one = replace(view, sightings={share: sighting})
                tried.append((one, _under_discs(view.places(BARS), sighting)))
        for each, found in tried:
            fitting = _fitting(each, found)
            yield from _best([one for one in fitting if one.sure >= EFFORT.seen])
            poor += [one for one in fitting if EFFORT.poor <= one.sure < EFFORT.seen]
    yield from _best(poor)


@dataclass(frozen=True)
class _View:
    """A picture, and the same from ``above``, with the way ``back`` (3 x 3); what is known of the board, and
    the discs that are seen from above if it takes so much of the picture."""

    image: Image
    above: Image
    back: Floats
    geometry: Geometry
    sightings: Mapping[float, Sighting]

    def places(self, bars: Sequence[float]) -> list[_Places]:
        """Where checkers may stand, with each of these bars (in checkers) where nothing is known."""
        known = self.geometry.measures()
        return list(map(_Places, [known] if known else usual(self.geometry, SHAPES, bars)))

    def on_discs(self, every: Floats, tried: Sequence[_Places]) -> tuple[Floats, NDArray[np.int64]]:
        """For outlines (N x 4 x 2, seen from above) how well discs of the size that the board would have lie
        on each (N), and how many they are (N)."""
        scores, counts = np.zeros(len(every)), np.zeros(len(every), np.int64)
        wide = np.linalg.norm(every[:, 1] - every[:, 0], axis=1) / max(self.above.shape[:2])
        shares = list(self.sightings)
        nearest = np.abs(wide[:, None] - shares).argmin(axis=1)
        for number, share in enumerate(shares):
            discs, mine = self.sightings[share].places, np.flatnonzero(nearest == number)
            if len(discs) < EFFORT.least or not len(mine):
                continue
            warps = np.array([_warp(outline) for outline in every[mine]])
            each = [_explained(warps @ places.share, places, discs) for places in tried]
            scores[mine], counts[mine] = np.max(each, axis=0), len(discs)
        return scores, counts

    def fit(self, outline: Floats) -> _Fitting:
        """An outline (pixels of the picture as it is), moved to where the network's marks are, and how well
        marks and discs fit it then."""
        sure, moved, bar = _refined(self.image, outline)
        from_above = Fit(np.asarray(np.linalg.inv(self.back), np.float64)).at(moved)
        score, discs = self.on_discs(from_above[None], self.places((USUAL_PITCH * bar,)))
        return _Fitting(sure + ROWS * float(score[0]) / max(int(discs[0]), 1), sure, moved)


@dataclass(frozen=True)
class _Fitting:
    """How well everything fits an ``outline``, and how ``sure`` the network's marks are of it."""

    value: float
    sure: float
    outline: Floats


def _fitting(view: _View, found: Iterable[tuple[float, Floats]]) -> list[_Fitting]:
    """How the likeliest of what was ``found`` (seen from above) fit what the network marks and the discs, on
    the picture as it is."""
    likely = _different(sorted(found, key=lambda each: -each[0]))
    looked = [(_sure(view.image, outline), outline) for outline in map(Fit(view.back).at, likely)]
    best = sorted(looked, key=lambda each: -each[0])[: EFFORT.refined]
    return [_best_column(view, view.fit(outline)) for _, outline in best]


def _best(fitting: Iterable[_Fitting]) -> list[Floats]:
    """The outlines that fit best, the better first."""
    ranked = sorted(((each.value, each.outline) for each in fitting), key=lambda each: -each[0])
    return list(_different(ranked))[: EFFORT.proved]


def _best_column(view: _View, fitting: _Fitting) -> _Fitting:
    """The same or a column further left or right, whichever fits best: the marks alone tell these hardly
    apart, but discs beside the surface do."""
    if fitting.sure < EFFORT.seen:
        return fitting
    warp = Fit(_warp(fitting.outline))
    beside = (warp.at(UNIT + np.array([aside / COLUMNS, 0])) for aside in (-1, 1))
    return max(fitting, *map(view.fit, beside), key=lambda each: each.value)


def _between_edges(view: _View) -> Iterator[tuple[float, Floats]]:
    """Outlines between straight edges, upright and turned a quarter, each with its score by the discs that
    are found at about its size."""
    upright = np.array(list(straight_edges.outlines(view.above))).reshape(-1, 4, 2)
    found = np.concatenate([upright, np.roll(upright, 1, axis=1)])
    for score, discs, outline in zip(*view.on_discs(found, view.places(BARS)), found, strict=True):
        if discs:
            yield float(score), outline


def _warp(outline: Floats) -> Floats:
    """Takes places of a surface one wide and high to the picture (3 x 3)."""
    warp = cv2.getPerspectiveTransform(UNIT.astype(np.float32), outline.astype(np.float32))
    return np.asarray(warp, np.float64)


def _under_discs(tried: Sequence[_Places], sighting: Sighting) -> Iterator[tuple[float, Floats]]:
    """Outlines on whose places the discs lie, each with its score."""
    for places in tried:
        every, checker = places.rows(ROW), places.measures.checker
        rng = np.random.default_rng(0)
        seeds = [
            *match.seeds(places.rows(1), checker, sighting, rng)[:2],
            *match.seeds(every, checker, sighting, rng)[:2],
        ]
        for seed in seeds:
            yield from _shifted(
                match.improved(seed, every, checker, sighting.places), places, sighting.places
            )


def _from_above(image: Image, tilt: float) -> tuple[Image, Floats]:
    """The picture as a camera would take it that looks straight down, and the way back (3 x 3)."""
    if not tilt:
        return image, np.eye(3)
    high, wide = image.shape[:2]
    focal, turn = FOCAL * max(wide, high), np.radians(tilt)
    lens = np.array([[focal, 0, wide / 2], [0, focal, high / 2], [0, 0, 1]])
    rise = np.array([[1, 0, 0], [0, np.cos(turn), -np.sin(turn)], [0, np.sin(turn), np.cos(turn)]])
    warp = lens @ rise @ np.linalg.inv(lens)
    ends = Fit(warp).at(np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float64))
    low, size = ends.min(axis=0), np.ptp(ends, axis=0)
    less = max(wide, high) / float(size.max())
    warp = np.array([[less, 0, -less * low[0]], [0, less, -less * low[1]], [0, 0, 1]]) @ warp
    columns, rows = np.ceil(less * size).astype(int)
    above = cv2.warpPerspective(image, warp, (int(columns), int(rows)), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(above, np.uint8), np.asarray(np.linalg.inv(warp), np.float64)


def _shifted(fit: Fit, places: _Places, discs: Floats) -> Iterator[tuple[float, Floats]]:
    """The fit, and the same some columns along or with a rim a row further in or out, each with its score:
    one looks much like the other where few checkers stand."""
    measures = places.measures
    slid = (
        match.slid(fit, measures.height, measures.checker, low, high, aside * measures.pitch)
        for aside, low, high in product(range(-6, 7), (-1, 0, 1), (-1, 0, 1))
    )
    moved = [each for each in slid if abs(np.linalg.det(each.warp)) > 1e-9]
    if moved:
        scores = _explained(np.array([each.warp for each in moved]), places, discs)
        for score, each in zip(scores, moved, strict=True):
            yield float(score), each.at(places.outline)


def _explained(warps: Floats, places: _Places, discs: Floats) -> Floats:
    """For each way from the board to the picture (N x 3 x 3) how many discs stand in rows that begin at the
    rim, less what speaks against that (N)."""
    measures = places.measures
    there = np.column_stack([discs, np.ones(len(discs))]) @ np.linalg.inv(warps).transpose(0, 2, 1)
    x, y = (there[..., axis] / np.where(there[..., 2], there[..., 2], np.inf) for axis in (0, 1))
    reach = 0.3 * measures.checker
    inside = (x > -reach) & (x < measures.width + reach) & (y > -reach) & (y < measures.height + reach)
    aside = np.abs(x[..., None] - places.columns)
    column = aside.argmin(axis=-1)
    upper = y > measures.height / 2
    deep = np.where(upper, measures.height - y, y) / measures.checker - 0.5
    row = np.round(deep)
    off = np.hypot(aside.min(axis=-1) / measures.checker, deep - row)
    good = inside & (off < NEAR) & (row >= 0) & (row <= ROW)
    stood = np.zeros((len(warps), 12, 2, ROW + 1), np.int64)
    which = np.nonzero(good)[0], column[good], upper[good].astype(int), row[good].astype(int)
    stood[which] = 1
    below = np.cumsum(stood, axis=-1) - stood
    holes = (stood * (np.arange(ROW + 1) - below)).sum(axis=(1, 2, 3))
    strays = 0.4 * (inside & ~good).sum(axis=1) + 0.15 * (~inside).sum(axis=1)
    score = np.where(good, 1 - (off / NEAR) ** 2, 0.0).sum(axis=1) - strays - 0.7 * holes
    return np.where(inside.any(axis=1), score, 0.0)


def _different(found: Sequence[tuple[float, Floats]]) -> Iterator[Floats]:
    """The first of those that are nearly the same."""
    taken: list[Floats] = []
    for _, outline in found:
        wide = float(np.linalg.norm(outline[1] - outline[0])) / 13
        if all(np.linalg.norm(outline - other, axis=1).max() > 0.4 * wide for other in taken):
            taken.append(outline)
            yield outline
        if len(taken) == EFFORT.proposed:
            return


def _sure(image: Image, outline: Floats) -> float:
    """How well the network's marks fit an outline."""
    try:
        marks = find_marks(lay_flat(image, as_corners(outline)).image)
    except CalibrationError:
        return 0.0
    return find_columns(marks.axis, marks.bar).sure


def _refined(image: Image, outline: Floats) -> tuple[float, Floats, float]:
    """The outline moved to where the marks say that sides and rims are, as long as that makes it better: how
    sure they are of it, the outline, and the bar's width in pitches."""
    best = (0.0, outline, 0.0)
    for _ in range(4):
        try:
            flat = lay_flat(image, as_corners(outline))
        except CalibrationError:
            break
        marks = find_marks(flat.image)
        columns = find_columns(marks.axis, marks.bar)
        if columns.sure > best[0]:
            best = (columns.sure, outline, columns.bar)
        moved = flat.picture(_moved(marks, columns))
        if np.abs(moved - outline).max() < 1:
            break
        outline = moved
    return best


def _moved(marks: Marks, columns: Columns) -> Floats:
    """Corners (4 x 2) on the map: sides by the columns of either half, rims by where rows begin."""
    lower, upper = (_edges(marks, half) for half in (False, True))
    low, high = HIGH * 25 / 32, HIGH * 7 / 32  # the middles of what ``find_columns`` looks at
    top, bottom = _rims(marks, columns)

    def at(side: int, y: float) -> float:
        return upper[side] + (lower[side] - upper[side]) * (y - high) / (low - high)

    return np.array([(at(0, bottom), bottom), (at(1, bottom), bottom), (at(1, top), top), (at(0, top), top)])


def _edges(marks: Marks, upper: bool) -> tuple[float, float]:
    """The left and the right side by the columns of one half."""

    def twice(grid: Grid) -> Grid:
        half = grid[: GRID[0] // 2] if upper else grid[GRID[0] - GRID[0] // 2 :][::-1]
        return np.concatenate([half, half[-1:].repeat(GRID[0] % 2, axis=0), half[::-1]])

    columns = find_columns(twice(marks.axis), twice(marks.bar))
    return float(columns.axes[0] - columns.pitch / 2), float(columns.axes[11] + columns.pitch / 2)


def _rims(marks: Marks, columns: Columns) -> tuple[float, float]:
    """The y of the upper and the lower rim, where the rows' first checkers lie against them."""
    tops, _ = peaks(marks.top)
    first: tuple[list[float], list[float]] = ([], [])
    gaps: list[float] = []
    for axis, half in product(columns.axes, (0, 1)):
        on_point = tops[np.abs(tops[:, 0] - axis) < 0.35 * columns.pitch, 1]
        deep = np.sort((HIGH - on_point if half else on_point) - MARGIN)
        deep = deep[deep < HIGH / 2 - MARGIN]
        first[half].extend(deep[:1].tolist())
        gaps += [gap for gap in np.diff(deep).tolist() if 15 < gap < 36]
    gap = float(np.median(gaps)) if len(gaps) > 3 else columns.pitch
    upper, lower = (_common(np.array(each), gap) for each in first)
    return MARGIN + upper, HIGH - MARGIN - lower


def _common(first: NDArray[np.float64], gap: float) -> float:
    """How deep the rim lies from which most rows begin; 0 where too few say."""
    if len(first) < 3:
        return 0.0
    near = np.abs(first[:, None] - first) < 0.25 * gap
    return float(np.median(first[near[near.sum(axis=1).argmax()]])) - gap / 2
