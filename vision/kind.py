"""What a *kind of board* is: the part of reading that knows what stands on it.

Everything else (lens, lamp, rest, hands, rig file, overlay) is shared and knows only this. To add a kind,
write a class with the members of :class:`Kind` and list it in ``vision.kinds``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Looks, Piece
from vision.board import Geometry, Lie, Measures
from vision.camera import Corner
from vision.discs import Discs
from vision.learning.measure import Loose
from vision.scene import Flat, Map

WHOSE = 8.0
"""Nats by which it is known, at most, whose pieces stand in a row, however many they are: what makes one look
like the other side's, a mirrored lamp, does so to its neighbours (measured: docs/vision.md)."""

SEEN = 0.975
"""The part of a cell that must be in view: a checker of which a quarter is beyond the picture's edge may pass
for bare board."""

Raw = dict[Cell, dict[Look, float]]
"""Unshifted log-likelihoods by cell and look."""


def believed(raw: Raw, trust: float) -> Raw:
    """``raw`` as evidence that counts ``trust`` (0-1) of what it says."""
    return (
        raw
        if trust >= 1
        else {cell: {look: trust * score for look, score in looks.items()} for cell, looks in raw.items()}
    )


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
    marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]]
    rows: Sequence[Row] = ()
    likely: Mapping[Cell, Sequence[tuple[float, float]]] = field(default_factory=dict)


class Plan(Protocol):
    """One kind on one board under one camera: everything that does not change from frame to frame, computed
    once."""

    @property
    def regions(self) -> Mapping[Cell, NDArray[np.bool_]]:
        """The map pixels that a cell's pieces can cover: what must be in view for the cell to be read."""

    @property
    def loose(self) -> NDArray[np.bool_]:
        """The map pixels where things may lie that are no hands: trays."""

    @property
    def spare(self) -> NDArray[np.bool_]:
        """The map pixels where whatever lies as a whole is no hand: a tray that nobody bears off to."""

    def read(self, discs: Discs, values: Map) -> Found:
        """What stands in every cell. ``values`` is a relit map of ``appearance.logs``."""

    def weigh(self, raw: Raw, stock: Mapping[Piece, int]) -> tuple[dict[Cell, Look], dict[Cell, float]]:
        """The likeliest looks of the cells in ``raw`` taken together, and the probability of each. ``stock``:
        how many of each piece there are."""


def beyond(
    regions: Mapping[Cell, NDArray[np.bool_]], view: NDArray[np.bool_], least: float = SEEN
) -> frozenset[Cell]:
    """The cells (with their map pixels) of which too little is in ``view`` to be read."""
    return frozenset(
        cell for cell, region in regions.items() if not region.any() or view[region].mean() < least
    )


class Kind(Protocol):
    """One kind of board and of pieces."""

    @property
    def name(self) -> str:
        """As in the rig file."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces whose colours are learned, in the order of ``Paint.tints``."""

    def start(self) -> Looks:
        """The looks that a calibration picture shows when nobody says otherwise."""

    def measures(self, geometry: Geometry, corners: Sequence[Corner], size: tuple[int, int]) -> list[Loose]:
        """The measures that the board may have; one entry where the geometry settles them. Raises
        CalibrationError."""

    def edges(self, measures: Measures) -> tuple[float, float, float, float]:
        """The map's edges in cm: left, right, low, high."""

    def spots(self, measures: Measures, looks: Looks, lie: Lie) -> list[tuple[Piece, float, float, float]]:
        """Where the pieces of known looks stand: piece, x, y, height of its top (cm)."""

    def hides(self, measures: Measures, looks: Looks, lie: Lie) -> list[tuple[Piece, float, float, float]]:
        """The same, with the places where pieces lie on others: all of the board that known looks hide, where
        that can be said."""

    def lead(self, lights: Sequence[float]) -> float:
        """How plainly pieces in the start position are each side's own (CIELAB units), by how light each kind
        of them is. Well below 0 what stands there is the other side's: the board is turned round, and what
        was taken for its mirror image is not, or the other way about."""

    @property
    def lies(self) -> tuple[Lie, ...]:
        """The ways it may lie that the places of the start position tell apart."""

    def repeats(self, measures: Measures, flat: Flat) -> tuple[list[tuple[float, int]], NDArray[np.int64]]:
        """Where the empty board's pattern repeats: see ``appearance.fill_in``."""

    def plan(self, measures: Measures, flat: Flat, lie: Lie) -> Plan:
        """This kind laid out for reading."""
