"""Where a board's points and bar are on the flat map, and how far checkers' tops are displaced by their
height.

Four clicked corners leave open how wide the bar is, and are some pixels off. The network marks the points'
axes and the bar; this module finds the twelve columns, six each side of the bar and all equally wide, that
fit the marks best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.disc_finder.flat_map import FIELD, GRID, MARGIN, STEP, WIDE
from vision.disc_finder.network import Grid

Floats = NDArray[np.float64]

WIDEST = 1.7
"""The widest bar looked for, in points."""
SLACK = 10
"""How far the outer edges may be from the clicked ones, in map pixels: corners 5 pixels off in the picture,
and a strip beside the points."""
_CENTRES = np.arange(GRID[1]) * STEP + STEP / 2.0


@dataclass(frozen=True)
class Columns:
    """The board on the map: ``axes`` (12) the columns' x from the left, ``pitch`` their distance in pixels,
    ``bar`` the bar's width in pitches, ``middle`` its x. ``sure``: how well the marks fit, about 1 at best,
    under ``POOR`` where no board is seen."""

    axes: Floats
    pitch: float
    bar: float
    middle: float
    sure: float


POOR = 0.25
"""Marks that fit less than this are no board: the corners are wrong, or it is no 24-point board."""


@cache
def _candidates() -> tuple[Floats, Floats, Grid, Grid, Floats]:
    """Every bar width and pair of edges: its parameters, axes, what to take of the axis profile and of the
    bar's, and its price."""
    grid = np.array(
        [
            (b, left, right)
            for b in np.arange(0, WIDEST, 0.05)
            for left in range(-SLACK, SLACK + 1, 2)
            for right in range(-SLACK, SLACK + 1, 2)
        ]
    )
    bar, left, right = grid.T
    start = MARGIN + left
    pitch = (FIELD[0] + right - left) / (12 + bar)
    k = np.arange(12)
    axes = start[:, None] + pitch[:, None] * (k + 0.5 + (k >= 6) * bar[:, None])
    half = pitch[:, None] / 2
    between = np.concatenate(
        [
            axes[:, [0]] - half,
            axes[:, :5] + half,
            axes[:, [5]] + half,
            axes[:, [6]] - half,
            axes[:, 6:] + half,
        ],
        axis=1,
    )
    weights = _taking(axes) - _taking(between)
    low, high = start + 6 * pitch, start + (6 + bar) * pitch
    inside = np.clip((_CENTRES - low[:, None]) / STEP + 0.5, 0, 1) * np.clip(
        (high[:, None] - _CENTRES) / STEP + 0.5, 0, 1
    )
    price = 0.0015 * (np.abs(left) + np.abs(right)) + 0.0005 * np.abs(left - right)
    # Half a million products a picture: in single precision they take half as long.
    return grid, axes, weights.astype(np.float32), inside.astype(np.float32), price


def _taking(places: Floats) -> Floats:
    """A matrix that takes the mean of a profile at these places (one row a candidate), between cells
    linearly."""
    out = np.zeros((len(places), GRID[1]))
    rows = np.arange(len(places))
    for column in range(places.shape[1]):
        at = np.clip((places[:, column] - STEP / 2) / STEP, 0, GRID[1] - 1.001)
        cell = at.astype(int)
        np.add.at(out, (rows, cell), 1 - (at - cell))
        np.add.at(out, (rows, cell + 1), at - cell)
    return np.asarray(out / places.shape[1], np.float64)


def columns(axis: Grid, bar: Grid, width: float | None = None) -> Columns:
    """The columns that fit the network's marks; ``width`` is the bar's in pitches where a person knows it."""
    grid, axes, weights, inside, price = _candidates()
    rows = GRID[0]
    profile = (
        axis[rows // 16 : rows * 3 // 8].mean(axis=0) + axis[rows * 5 // 8 : -(rows // 16)].mean(axis=0)
    ) / 2
    barred = bar[rows // 10 : -(rows // 10)].mean(axis=0)
    # Its axes' marks, less what is inside it or marked as a bar, but not both.
    score = weights @ profile - 0.02 * (inside @ (1 - 2 * barred)) - price
    if width is not None:
        score = np.where(np.abs(grid[:, 0] - min(width, WIDEST - 0.1)) <= 0.051, score, -np.inf)
    best = int(np.argmax(score))
    found = _refined(profile, axes[best], float(grid[best, 0]), width is not None)
    pitch = float((found[5] - found[0] + found[11] - found[6]) / 10)
    wide = max(float((found[6] - found[5]) / pitch) - 1, 0.0)
    return Columns(
        found, pitch, wide, float((found[5] + found[6]) / 2), float(weights[best] @ profile / 0.85)
    )


def _refined(profile: Floats, axes: Floats, bar: float, known: bool) -> Floats:
    """The axes moved to where the profile's mass is near each, still evenly spaced on each side of the
    bar."""
    reach = (axes[1] - axes[0]) / 3
    near = profile * (np.abs(_CENTRES - axes[:, None]) < reach)
    mass = near.sum(axis=1)
    seen = (near * _CENTRES).sum(axis=1) / np.maximum(mass, 1e-6)
    k = np.arange(12.0)
    beyond = (k >= 6).astype(float)
    terms = np.stack(
        [np.ones(12), k + 0.5 + (beyond * bar if known else 0.0)] + ([] if known else [beyond]), axis=1
    )
    # A marked axis counts by its mass; where none is seen (all twelve points covered) the coarse fit holds.
    terms, seen = np.vstack([terms * mass[:, None], terms * 0.1]), np.concatenate([seen * mass, axes * 0.1])
    solved = np.linalg.lstsq(terms, seen, rcond=None)[0]
    moved = terms[12:] @ solved / 0.1
    return np.asarray(moved if np.abs(moved - axes).max() < reach else axes, np.float64)


def leaning(board: Columns, places: Floats, weight: Floats) -> tuple[float, float]:
    """How checkers' tops are displaced from their points' axes: (shift, stretch), so that a top of the column
    at x is seen at ``x + shift + stretch * (x - WIDE / 2)``. Height moves things away from the camera's foot
    and makes them larger; nothing but the tops found tells by how much. ``places``: the tops' x; ``weight``:
    how sure each is."""
    shifts = np.arange(-0.5, 0.501, 0.04) * board.pitch
    stretches = np.arange(-0.02, 0.061, 0.01)
    shift, stretch = (part.ravel() for part in np.meshgrid(shifts, stretches))
    off = np.full((len(shift), len(places)), np.inf)
    price = 0.04 * np.abs(shift) + 4 * np.abs(stretch - 0.02)
    if len(places) == 0:
        return 0.0, 0.02
    for axis in board.axes:
        seen = axis + shift + stretch * (axis - WIDE / 2)
        np.minimum(off, (places - seen[:, None]) ** 2, out=off)
    gain = np.maximum(0, 1 - off / (board.pitch / 2) ** 2) @ weight - price
    best = int(np.argmax(gain))
    return float(shift[best]), float(stretch[best])
