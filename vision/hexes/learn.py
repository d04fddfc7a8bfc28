"""Learning a sheet of hexes from the picture of its set-up: border tokens, fortresses, and mostly bare paper.

Where nobody says what stands where, it is found: most hexes are bare and alike under the lamp; what differs
is a piece. Coloured pieces tell themselves. Of the two sorts left, border tokens stand in chains and
fortresses stand alone, so the sort with more neighbours of its own is the border, whatever its colour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import EMPTY, Cell, Look, Looks, Piece
from vision.errors import CalibrationError
from vision.geometry.flat import Map
from vision.hexes.grid import ARMY, Sheet
from vision.hexes.sight import Numbers, Sight
from vision.light.lamp import bend

NEUTRAL = "fortress.neutral"
SIDES = ("red", "blue")
PIECES: tuple[Piece, ...] = (
    "border",
    NEUTRAL,
    *(f"{token}.{side}" for token in ("fortress", "army") for side in SIDES),
)
HUES = {"red": math.radians(-35), "blue": math.radians(112)}
"""Where reds and blues lie in the plane of the two chromas (``light.colour``), from paint samples of either
colour under white light."""
VIVID = 0.16
"""Least distance from grey, in chroma, of a red or a blue piece."""
BARE = np.array([0.04, 0.012, 0.012, 0.06])
"""What bare paper usually differs by from the fit of the lamp (one standard deviation of each number)."""
SMOOTH, ROUGHEST = 0.003, 10.0
"""The least that the relief of bare paper varies by, and how many times that counts at most."""
GAP = (10.0, 60.0)
FAR, CLEAR = 40.0, math.log(2)
"""Where the gap between bare cells and pieces is looked for (see ``_limit``); how far pieces usually are; and
how wide a gap is clear."""
USUAL = {"border": np.array([0.25, 0.03, 0.03, 0.2]), NEUTRAL: np.array([0.08, 0.015, 0.015, 0.08])}
"""How much pieces of a sort usually differ from one another."""
CHAIN, LONELY = 1.0, 4.0
"""What a neighbour of one's own sort is worth to a border token, in nats, and what it costs a fortress:
nobody sets them side by side."""
BELIEF = 6.0
"""How many pieces the usual values are worth against those seen."""


@dataclass(frozen=True)
class Model:
    """What is learned. ``bare`` (N x 4) is what every cell shows when empty, ``was`` (N x 4) what it showed
    in the calibration picture; ``grey`` the chroma of a grey thing; ``sorts`` what border tokens and neutral
    fortresses differ from bare paper by, and how much that varies; ``looks`` what stood where."""

    bare: Numbers
    was: Numbers
    grey: tuple[float, float]
    sorts: dict[Piece, tuple[NDArray[np.float64], NDArray[np.float64]]]
    looks: dict[Cell, Look]


def learn(sight: Sight, values: Map, looks: Looks | None) -> Model:
    """The model of a sheet. ``looks`` is what stands there; None: find out. Raises CalibrationError where the
    picture shows no set-up."""
    sheet = sight.sheet
    numbers = sight.numbers(values)
    bends = bend(sight.flat.shape, sight.flat.at(sheet.centres))
    taken = None if looks is None else np.array([bool(looks.get(cell)) for cell in sheet.cells])
    light, dark = sight.rings(values)
    paper, noise, empty = _paper(np.column_stack([numbers[:, :3], light]), sight.relief(values), bends, taken)
    if looks is None:
        known = _find(sight, values, numbers, dark, paper, bends, empty)
    else:
        known = {cell: tuple(looks.get(cell, EMPTY)) for cell in sheet.cells}
        strange = {piece for look in known.values() for piece in look} - set(PIECES)
        if strange:
            raise CalibrationError(
                f"{', '.join(sorted(strange))}: no such piece stands on hexes; there are {', '.join(PIECES)}"
            )
    bare = np.where(empty[:, None], numbers, paper)
    stands = {piece: np.array([known[cell] == (piece,) for cell in sheet.cells]) for piece in PIECES}
    greys = stands["border"] | stands[NEUTRAL]
    if greys.sum() < 3:
        raise CalibrationError(
            "no border and no neutral fortresses are known in this picture; show the board as it is set up"
        )
    grey = np.median(numbers[greys, 1:3], axis=0)
    sorts = {}
    for piece in ("border", NEUTRAL):
        own = (
            numbers[stands[piece]] - bare[stands[piece]]
            if stands[piece].any()
            else np.tile(_absent(numbers, bare, greys), (1, 1))
        )
        middle = np.median(own, axis=0)
        spread = np.sqrt(
            (((own - middle) ** 2).sum(axis=0) + BELIEF * USUAL[piece] ** 2) / (len(own) + BELIEF)
        )
        sorts[piece] = (middle, np.maximum(spread, noise))
    return Model(bare, numbers, (float(grey[0]), float(grey[1])), sorts, known)


def _absent(numbers: Numbers, bare: Numbers, greys: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What a sort of which none was seen is taken for: halfway between paper and the other sort."""
    return np.asarray(np.median(numbers[greys] - bare[greys], axis=0) / 2, np.float64)


def _paper(
    numbers: Numbers, relief: Numbers, bends: Numbers, taken: NDArray[np.bool_] | None
) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Bare paper at every cell under the lamp, what it varies by, and which cells show it.

    The commonest look is sought first (the densest cell among all), then a lamp of second order is fitted,
    harder and harder."""
    design = np.column_stack([np.ones(len(numbers)), bends])
    if taken is None:
        scaled = numbers / (4 * BARE)
        density = np.exp(-0.5 * ((scaled[:, None, :] - scaled[None]) ** 2).sum(axis=2)).sum(axis=1)
        weights = np.exp(-0.5 * ((scaled - scaled[int(np.argmax(density))]) ** 2).sum(axis=1) / 9)
    else:
        weights = np.where(taken, 0.0, 1.0)
        if weights.sum() < 8:
            raise CalibrationError(
                "fewer than 8 bare hexes are known in this picture: nothing to learn the paper from"
            )
    usual = float(np.median(relief))
    rough = (
        np.clip((relief - usual) / max(1.48 * float(np.median(np.abs(relief - usual))), SMOOTH), 0, ROUGHEST)
        ** 2
    )
    ridge = np.diag([1e-6, 0.1, 0.1, 0.3, 0.3, 0.3])
    fit = np.zeros((6, 4))
    for _ in range(8):
        fit = np.linalg.solve(
            design.T @ (design * weights[:, None]) + ridge, design.T @ (numbers * weights[:, None])
        )
        off = (((numbers - design @ fit) / BARE) ** 2).sum(axis=1) + rough
        if taken is None:
            weights = 1 / (1 + off / 12) ** 2
    paper = design @ fit
    empty = ~taken if taken is not None else np.asarray(off < _limit(off))
    noise = np.maximum(np.sqrt(np.mean((numbers - paper)[empty] ** 2, axis=0)), BARE / 2)
    return paper, noise, empty


def shows(numbers: Numbers, grey: tuple[float, float], side: str) -> Numbers:
    """How much of a side's colour there is in chromas (... x 2): the distance from grey along its hue, less
    what points elsewhere."""
    away = numbers - np.array(grey)
    hue = HUES[side]
    along = away[..., 0] * math.cos(hue) + away[..., 1] * math.sin(hue)
    across = np.abs(away[..., 1] * math.cos(hue) - away[..., 0] * math.sin(hue))
    return np.asarray(along - np.maximum(across - 1.2 * np.abs(along), 0), np.float64)


def _limit(off: NDArray[np.float64]) -> float:
    """How far from the paper (squared, of all numbers together) a cell is no longer bare: usually so far;
    where a clear gap shows, in it, since some pieces mirror the lamp until they are nearly as bright as the
    paper."""
    low, high = GAP
    steps = np.log(np.sort(np.concatenate([[low, high], off[(off > low) & (off < high)]])))
    widest = int(np.argmax(np.diff(steps)))
    if steps[widest + 1] - steps[widest] < CLEAR:
        return FAR
    return float(np.exp((steps[widest] + steps[widest + 1]) / 2))


def _find(
    sight: Sight,
    values: Map,
    numbers: Numbers,
    dark: Numbers,
    paper: Numbers,
    bends: Numbers,
    empty: NDArray[np.bool_],
) -> dict[Cell, Look]:
    """What stands where in a picture of which nothing is known. Raises CalibrationError where there is no
    border."""
    sheet = sight.sheet
    looks: dict[Cell, Look] = dict.fromkeys(sheet.cells, EMPTY)
    pieces = [int(index) for index in np.flatnonzero(~empty)]
    if len(pieces) < 8 or len(pieces) > 0.75 * len(empty):
        raise CalibrationError(
            f"{len(pieces)} of {len(empty)} hexes seem to hold pieces: the corners, cols or rows may be"
            " wrong; or say what stands there"
        )
    grey = np.median(numbers[pieces, 1:3], axis=0)
    middle = (float(grey[0]), float(grey[1]))
    between, beside = sight.between(values), sight.beside(values)
    plain = list(pieces)
    for side in SIDES:
        colour = shows(numbers[:, 1:3], middle, side)
        runs = sight.runs(colour, shows(between, middle, side), shows(beside, middle, side))
        for index in [index for index in plain if colour[index] > VIVID]:
            looks[sheet.cells[index]] = (f"army.{side}" if runs[index] > 0 else f"fortress.{side}",)
            plain.remove(index)
    differ = np.column_stack([numbers[:, :3], dark]) - paper
    first, second = _two_sorts(differ[plain], plain)
    chains = [_together(sheet, group) for group in (first, second)]
    border, towers = (first, second) if chains[0] >= chains[1] else (second, first)
    border, towers = _settled(sheet, differ, bends, border, towers)
    for group, piece in ((border, "border"), (towers, NEUTRAL)):
        for index in group:
            looks[sheet.cells[index]] = (piece,)
    if len(border) < ARMY:
        raise CalibrationError(
            "no border is seen on the sheet; set it up before calibrating, or say what stands there"
        )
    return looks


def _two_sorts(differ: Numbers, indices: list[int]) -> tuple[list[int], list[int]]:
    """Pieces split in two by how they differ from the paper: along the axis on which they differ most, at the
    widest gap."""
    if len(indices) < 2:
        return list(indices), []
    weighed = differ * np.array([0.2, 1.0, 1.0, 2.0])
    centred = weighed - weighed.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ axis
    order = np.sort(along)
    best, cut = -1.0, float(order[0]) - 1
    for place in range(1, len(order)):
        low, high = order[:place], order[place:]
        apart = (high.mean() - low.mean()) ** 2 * len(low) * len(high) / len(order) ** 2
        if apart > best:
            best, cut = apart, float((low[-1] + high[0]) / 2)
    return [i for i, value in zip(indices, along, strict=True) if value <= cut], [
        i for i, value in zip(indices, along, strict=True) if value > cut
    ]


def _settled(
    sheet: Sheet, differ: Numbers, bends: Numbers, border: list[int], towers: list[int]
) -> tuple[list[int], list[int]]:
    """The two sorts again, now that tokens may mirror the lamp more in one part of the sheet than in another
    (each sort has a trend of its own), and that neighbours are more often border tokens than not: nobody sets
    fortresses side by side."""
    both = np.array(sorted([*border, *towers]), np.int64)
    is_border = np.isin(both, border)
    design = np.column_stack([np.ones(len(both)), bends[both]])
    ridge = np.diag([1e-3, 1.0, 1.0, 1.0, 1.0, 1.0])
    for _ in range(20):
        scores = []
        for own in (is_border, ~is_border):
            if own.sum() < 3:
                return border, towers
            weights = own.astype(np.float64)
            fit = np.linalg.solve(
                design.T @ (design * weights[:, None]) + ridge, design.T @ (differ[both] * weights[:, None])
            )
            off = differ[both] - design @ fit
            spread = np.hypot(1.48 * np.median(np.abs(off[own]), axis=0), np.array([0.06, 0.01, 0.01, 0.06]))
            scores.append(
                (-2.5 * np.log1p((off / spread) ** 2 / 4) - np.log(spread)).sum(axis=1) + np.log(own.mean())
            )
        place = {int(index): row for row, index in enumerate(both)}
        beside = np.array(
            [sum(bool(is_border[place[n]]) for n in sheet.neighbours[i] if n in place) for i in both]
        )
        alone = np.array(
            [sum(not is_border[place[n]] for n in sheet.neighbours[i] if n in place) for i in both]
        )
        again = scores[0] + CHAIN * np.minimum(beside, 2) > scores[1] + CHAIN - LONELY * np.minimum(alone, 2)
        if (again == is_border).all():
            break
        is_border = again
    return [int(i) for i in both[is_border]], [int(i) for i in both[~is_border]]


def _together(sheet: Sheet, group: list[int]) -> float:
    """How many neighbours of its own sort a piece has on average."""
    own = set(group)
    return sum(len(own.intersection(sheet.neighbours[index])) for index in group) / max(len(group), 1)
