"""What the flat map says of a board of checkers: the words between its modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.reading import Raw, Spot

WHOSE = 8.0
"""Nats by which it is known, at most, whose pieces stand in a row, however many they are: what makes one look
like the other side's, a mirrored lamp, does so to its neighbours (measured: docs/vision.md)."""


@dataclass(frozen=True)
class Row:
    """A row that wants a closer look than the map allows: its cell, which kind of piece it holds, the centres
    of as many pieces as may stand in it, from the rim inward (column, row; map pixels), and how many of those
    are not in doubt. In a full one no more pieces fit, so that further ones lie upon it: there all are."""

    cell: Cell
    kind: int
    centres: Sequence[tuple[float, float]]
    sure: int


@dataclass(frozen=True)
class Found:
    """What a plan makes of one picture.

    ``raw``: log-likelihoods of every cell in view. ``explained``: map pixels on which pieces stand in the
    likeliest reading. ``marks``: where each cell's pieces were found (piece, column, row, radius; map
    pixels), for the overlay. ``rows``: those that want a closer look. ``likely``: where pieces may stand
    (column, row) that are too few to be believed by themselves.
    """

    raw: Raw
    explained: NDArray[np.bool_]
    marks: Mapping[Cell, Sequence[Spot]]
    rows: Sequence[Row] = ()
    likely: Mapping[Cell, Sequence[tuple[float, float]]] = field(default_factory=dict)
