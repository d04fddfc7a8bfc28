"""Where a board's twelve columns of points and its bar are on the flat map.

Four clicked corners leave open how wide the bar is, and are some pixels off. The network marks the points'
axes and the bar; this module finds the twelve columns, six each side of the bar and all equally wide, that
fit the marks best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from vision.disc_finder.flat_map import FIELD, GRID, MARGIN, STEP
from vision.disc_finder.network import Grid
from vision.geometry.camera import Floats

BAR = 12
"""The bar's place among the columns."""
WIDEST = 1.7
"""The widest bar looked for, in pitches (distances of neighbouring columns)."""
SLACK = 10
"""How far the outer edges may be from the clicked ones, in map pixels: corners 5 pixels off in the picture,
and a strip beside the points."""
POOR = 0.25
"""Marks that fit less than this are no board: the corners are wrong, or it is no 24-point board."""
PLAIN = 0.8
"""From this on they are a board's for certain: in 43 shared pictures they fit 0.96 and more with corners in
the board's own order, 0.64 at most a quarter turn off."""


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


def find_columns(axis: Grid, bar: Grid, width: float | None = None) -> Columns:
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
    sure = float(weights[best] @ profile / 0.85)  # what a board's axes that are seen well reach
    return Columns(found, pitch, wide, float((found[5] + found[6]) / 2), sure)


@cache
def _candidates() -> tuple[Floats, Floats, Grid, Grid, Floats]:
    """Every bar width and pair of edges: its parameters, axes, what to take of the axis profile and of the
    bar's, and its price."""
    edges = np.arange(-SLACK, SLACK + 1, 2)
    grid = np.stack(np.meshgrid(np.arange(0, WIDEST, 0.05), edges, edges, indexing="ij"), axis=-1).reshape(
        -1, 3
    )
    bar, left, right = grid.T
    start = MARGIN + left
    pitch = (FIELD[0] + right - left) / (12 + bar)
    k = np.arange(12)
    axes = start[:, None] + pitch[:, None] * (k + 0.5 + (k >= 6) * bar[:, None])
    half = pitch[:, None] / 2
    weights = _taking(axes) - _taking(np.hstack([axes[:, [0, 6]] - half, axes + half]))
    low, high = (
        (edge[:, None] - _centres()) / STEP for edge in (start + 6 * pitch, start + (6 + bar) * pitch)
    )
    inside = np.clip(0.5 - low, 0, 1) * np.clip(0.5 + high, 0, 1)
    price = 0.0015 * (np.abs(left) + np.abs(right)) + 0.0005 * np.abs(left - right)
    # Half a million products a picture: in single precision they take half as long.
    return grid, axes, weights.astype(np.float32), inside.astype(np.float32), price


def _centres() -> Floats:
    """The x of the grid's columns, in map pixels."""
    return np.arange(float(GRID[1])) * STEP + STEP / 2


def _taking(places: Floats) -> Floats:
    """A matrix that takes the mean of a profile at these places (one row a candidate), between cells
    linearly."""
    at = np.clip((places - STEP / 2) / STEP, 0, GRID[1] - 1.001)
    shares = (np.maximum(1 - np.abs(column[:, None] - np.arange(GRID[1])), 0) for column in at.T)
    return np.asarray(sum(shares) / places.shape[1], np.float64)


def _refined(profile: Floats, axes: Floats, bar: float, known: bool) -> Floats:
    """The axes moved to where the profile's mass is near each, still evenly spaced on each side of the
    bar."""
    reach = (axes[1] - axes[0]) / 3
    near = profile * (np.abs(_centres() - axes[:, None]) < reach)
    mass = near.sum(axis=1)
    seen = (near * _centres()).sum(axis=1) / np.maximum(mass, 1e-6)
    k = np.arange(12.0)
    beyond = (k >= 6).astype(float)
    unknown = [np.ones(12), k + 0.5 + beyond * bar] if known else [np.ones(12), k + 0.5, beyond]
    terms = np.stack(unknown, axis=1)
    # A marked axis counts by its mass; where none is seen (all twelve points covered) the coarse fit holds.
    weighed, there = (
        np.vstack([terms * mass[:, None], terms * 0.1]),
        np.concatenate([seen * mass, axes * 0.1]),
    )
    moved = terms @ np.linalg.lstsq(weighed, there, rcond=None)[0]
    return np.asarray(moved if np.abs(moved - axes).max() < reach else axes, np.float64)
