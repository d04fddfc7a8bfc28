"""What stands where on a sheet of which nothing is known but that it is set up.

Coloured pieces tell themselves. Of the two sorts left, border tokens stand in chains and fortresses stand
alone, so the sort with more neighbours of its own is the border, whatever its colour.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.layout import EMPTY, Cell, Look
from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.hexes.grid import ARMY, Sheet
from vision.hexes.model import BORDER, HUES, NEUTRAL, VIVID, side_colour, wide_tail
from vision.hexes.sampling import HexSampler

BESIDE = {BORDER: 1.0, NEUTRAL: -4.0}
"""What a neighbour of one's own sort is worth, in nats: border tokens stand in chains, and nobody sets
fortresses side by side."""


def find_pieces(
    sampler: HexSampler, values: Map, differ: Floats, bends: Floats, empty: NDArray[np.bool_]
) -> dict[Cell, Look]:
    """What stands where, by how cells ``differ`` from paper (N x 4 features), and the lamp's ``bends`` (see
    ``lamp.bend``). Raises CalibrationError where there is no border."""
    sheet = sampler.sheet
    looks: dict[Cell, Look] = dict.fromkeys(sheet.cells, EMPTY)
    pieces = [int(index) for index in np.flatnonzero(~empty)]
    if len(pieces) < 8 or len(pieces) > 0.75 * len(empty):
        raise CalibrationError(
            phrase(
                "{held} of {count} hexes seem to hold pieces: the corners, cols or rows may be wrong; or "
                "say what stands there",
                held=len(pieces),
                count=len(empty),
            )
        )
    plain = _coloured(sampler, values, pieces, looks)
    groups = _two_sorts(differ[plain], plain)
    border, towers = sorted(groups, key=lambda group: _neighbours(sheet, group), reverse=True)
    border, towers = _settled(sheet, differ, bends, border, towers)
    looks |= {sheet.cells[index]: (BORDER,) for index in border}
    looks |= {sheet.cells[index]: (NEUTRAL,) for index in towers}
    if len(border) < ARMY:
        raise CalibrationError(
            phrase("no border is seen on the sheet; set it up before calibrating, or say what stands there")
        )
    return looks


def _coloured(sampler: HexSampler, values: Map, pieces: list[int], looks: dict[Cell, Look]) -> list[int]:
    """Names the red and blue pieces in ``looks``; the pieces that are left."""
    chromas = sampler.features(values)[:, 1:3]
    usual = np.median(chromas[pieces], axis=0)
    grey, seen = (float(usual[0]), float(usual[1])), (chromas, *sampler.around(values))
    plain = list(pieces)
    for side in HUES:
        colour, between, beside = (side_colour(part, grey, side) for part in seen)
        armies = sampler.armies(colour, between, beside)
        for index in [index for index in plain if colour[index] > VIVID]:
            looks[sampler.sheet.cells[index]] = (f"army.{side}" if armies[index] > 0 else f"fortress.{side}",)
            plain.remove(index)
    return plain


def _two_sorts(differ: Floats, indices: list[int]) -> tuple[list[int], list[int]]:
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
    low_ones = [index for index, value in zip(indices, along, strict=True) if value <= cut]
    return low_ones, [index for index in indices if index not in low_ones]


def _settled(
    sheet: Sheet, differ: Floats, bends: Floats, border: list[int], towers: list[int]
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
            off = differ[both] - design @ weighted_fit(design, differ[both], own.astype(np.float64), ridge)
            spread = np.hypot(1.48 * np.median(np.abs(off[own]), axis=0), np.array([0.06, 0.01, 0.01, 0.06]))
            scores.append(wide_tail(off / spread, spread) + np.log(own.mean()))
        of_border, of_towers = set(both[is_border].tolist()), set(both[~is_border].tolist())
        beside = np.array([len(of_border.intersection(sheet.neighbours[i])) for i in both])
        alone = np.array([len(of_towers.intersection(sheet.neighbours[i])) for i in both])
        tokens, lonely = np.minimum(beside, 2), np.minimum(alone, 2)
        again = scores[0] + BESIDE[BORDER] * (tokens - 1) > scores[1] + BESIDE[NEUTRAL] * lonely
        if (again == is_border).all():
            break
        is_border = again
    return [int(i) for i in both[is_border]], [int(i) for i in both[~is_border]]


def _neighbours(sheet: Sheet, group: Sequence[int]) -> float:
    """How many neighbours of its own sort a piece has on average."""
    own = set(group)
    return sum(len(own.intersection(sheet.neighbours[index])) for index in group) / max(len(group), 1)


def weighted_fit(design: Floats, seen: Floats, weights: Floats, ridge: Floats) -> Floats:
    """The terms (columns of ``design``) that explain what was seen best, by weighted least squares with a
    ridge."""
    weighed = weights[:, None]
    return np.asarray(np.linalg.solve(design.T @ (design * weighed) + ridge, design.T @ (seen * weighed)))
