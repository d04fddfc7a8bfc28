"""The words that all kinds of board share.

A *board* is a kind of board and pieces: it learns a table from a picture, or opens one that was learned
before. A *board reader* reads pictures of one such table. Each picture becomes a :class:`Reading`: what every
cell may look like, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look, Looks, Piece
from vision.geometry.camera import Corner, Floats
from vision.geometry.flat import Flat
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask
from vision.quality import Quality

T = TypeVar("T")
Raw: TypeAlias = dict[Cell, dict[Look, float]]
"""Unshifted log-likelihoods by cell and look."""
Outline: TypeAlias = tuple[tuple[float, float], ...]
"""A polygon in parts of the surface: 0,0 is its bottom-left corner, 1,1 its top-right one."""
Spot: TypeAlias = tuple[Piece, float, float, float]
"""A piece as it was found: column, row and radius on the map (of a board read blind: in the picture)."""


@dataclass(frozen=True)
class Reading:
    """One frame, read. ``looks`` is the likeliest position in which no piece appears from nowhere;
    ``confidence`` the probability of each of its cells, 0-1. ``occluded`` cells are under a hand or out of
    view: they are in neither. ``lying``: the cells that something covers which is no hand: a cup, a
    phone; those of them that are not occluded were told by a second opinion. ``blurred``: the picture was so
    much that its evidence counts little. ``strange``: so little of the board looks as it did at the
    calibration. ``covering``: the map pixels of the hands, and of what lies there besides."""

    evidence: Evidence
    occluded: frozenset[Cell]
    hand: bool
    confidence: Mapping[Cell, float]
    looks: Mapping[Cell, Look]
    marks: Mapping[Cell, Sequence[Spot]] = field(default_factory=dict)
    explained: Mask | None = None
    blurred: bool = False
    strange: bool = False
    lying: frozenset[Cell] = frozenset()
    covering: Mask | None = None


@dataclass(frozen=True)
class Accepted:
    """A picture of which both players accepted that it shows ``looks``."""

    frame: Frame
    looks: Looks


def weakened(raw: Raw, trust: float) -> Raw:
    """``raw`` as evidence that counts ``trust`` (0-1) of what it says."""
    if trust >= 1:
        return raw
    return {cell: {look: trust * score for look, score in looks.items()} for cell, looks in raw.items()}


def without(cells: Mapping[Cell, T], gone: Collection[Cell]) -> dict[Cell, T]:
    """What is said of cells, but for those that are ``gone``: covered, or out of view."""
    return {cell: said for cell, said in cells.items() if cell not in gone}


def cut_off(regions: Mapping[Cell, Mask], view: Mask, least: float) -> frozenset[Cell]:
    """The cells (with their map pixels) of which less than ``least`` (0-1) is in ``view``: too little to
    read."""
    return frozenset(
        cell for cell, region in regions.items() if not region.any() or view[region].mean() < least
    )


@dataclass(frozen=True)
class Doubt:
    """One reason to believe a picture less. ``measure`` says how strong it is; evidence counts in full up to
    the first end of the ``ramp`` (which may fall), and only ``least`` (0-1) from its other end on."""

    name: str
    measure: Callable[[Any], float]
    ramp: tuple[float, float]
    least: float

    def trust(self, seen: Any) -> float:
        """What part of the evidence counts (``least``-1) of what the measure takes."""
        ends, shares = self.ramp, (1.0, self.least)
        if ends[0] > ends[1]:
            ends, shares = ends[::-1], shares[::-1]
        return float(np.interp(self.measure(seen), ends, shares))


@dataclass(frozen=True)
class AskedMeasure:
    """One measure: ``usual`` is what is offered, ``needed`` whether nothing can be done without it. Lengths
    are in cm; with ``whole``, it is a count. ``choices`` are words to choose from instead."""

    name: str
    usual: float | None = None
    needed: bool = False
    whole: bool = False
    least: float = 0.1
    most: float = 999.0
    choices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Every field by name."""
        return {**asdict(self), "choices": list(self.choices)}


NEVER = -1e9
"""Nats of what cannot be."""
PLAINLY = 3.0
"""Nats by which one look is ahead of others where it is plainly seen."""


@dataclass(frozen=True)
class Covered:
    """What is said of a row where something lies over the places that it would go on to. ``more``: the
    chances of none, one and more pieces there: cups are put where nothing stands. ``clear``: the chance that
    the row ends, under which it is left unsaid. ``over``: the part of its own place (a checker's at least)
    that must be covered before it is left unsaid: what is seen may then not be all of it. ``next``: how far
    (diameters) beyond the checkers that are seen the next one would reach, since people leave a little room:
    what lies farther in hides none."""

    more: tuple[float, ...] = (0.85, 0.08, 0.04, 0.02, 0.01)
    clear: float = 0.6
    over: float = 0.1
    next: float = 1.3


COVERED = Covered()
SURE = 0.9
"""Confidence from which on a cell is told plainly: without a mark, or to learn a board from."""
BLURRED = 0.7
"""What part of a picture's evidence must count for nobody to be told that it is blurred, or strange."""


@dataclass(frozen=True)
class Appearance:
    """How a board of checkers looks to people. Colours as ``#rrggbb``: of the ``field``, the ``points`` with
    odd and with even numbers, the ``wood`` of bar and rim, and each side's ``checkers``. ``bar`` and
    ``height`` are lengths in widths of a point, ``checker`` is a checker's diameter in them. ``mirrored``:
    the players have their homes at their left."""

    field: str
    points: tuple[str, str]
    wood: str
    checkers: tuple[str, str]
    bar: float
    height: float
    checker: float
    mirrored: bool = False


class BoardReader(Protocol):
    """One table under one camera, learned."""

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""

    @property
    def flat(self) -> Flat:
        """How its board is laid flat, by the camera as it stands now."""

    @property
    def turned(self) -> bool | None:
        """Whether points 1 to 12, where White sits, are on the upper side of the board as it is laid flat;
        None on boards that have no points."""

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError for a picture of another camera."""

    def lay_flat(self, frame: Frame) -> LaidFrame:
        """A frame laid flat under the calibration's lamp. Raises ImageError for a picture of another
        camera."""

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""

    def follow(self, laid: LaidFrame, reading: Reading) -> None:
        """Learn from a frame at rest, slowly."""

    def displacement(self, laid: LaidFrame) -> float:
        """How far (map pixels) a frame shows the board from where it was: 0 where it lies there still,
        infinite where it surely does not, or is hidden."""

    def find_again(self, laid: LaidFrame) -> BoardReader | None:
        """The same table after the camera was moved a little, if it is found in this frame; the very same
        where it was not moved."""

    def other_way_round(self, stood: Looks, reading: Reading) -> BoardReader | None:
        """The same table with its board turned by half, where a ``reading`` plainly shows what ``stood``
        there before so, and not as the board is taken to lie; None otherwise."""

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """The picture with what was read drawn on."""

    def box_around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """Where in the picture some cells are, left, top, right and bottom in pixels (see
        ``overlay.box_around``)."""

    def placement(self) -> tuple[Floats, dict[str, Any]]:
        """Where the surface's corners are in the calibration picture (4 x 2 pixels, as ``camera.rectangle``
        orders them), and its measures as a geometry file has them."""

    def relearn(self, accepted: Iterable[Accepted]) -> BoardReader | None:
        """The same table with looks as accepted pictures show them; None where they show too little, or where
        this kind of board does not learn so. Raises ImageError for a picture of another camera."""

    def exchanged(self) -> BoardReader:
        """The same table with White's and Black's pieces the other way round, where a start position was told
        by the lighter ones alone. Raises CalibrationError where it was not."""

    def appearance(self) -> Appearance | None:
        """How the board looks to people, for whoever draws it; None where this kind of board cannot say."""

    def to_json(self) -> dict[str, Any]:
        """The rig file's content."""


class Board(Protocol):
    """One kind of board."""

    @property
    def name(self) -> str:
        """As games and rig files call it."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What may stand on it."""

    @property
    def asked_measures(self) -> tuple[AskedMeasure, ...]:
        """The measures that a person may or must give."""

    @property
    def set_out(self) -> Looks:
        """What is to be set out to learn such a board; empty where it is learned from the map that players
        set up."""

    @property
    def finds_corners(self) -> bool:
        """Whether its corners can be found in a picture, or a person has to show them."""

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """The lines of the empty board, to be laid over a picture. Raises CalibrationError for measures that
        make no sense."""

    @property
    def geometry_keys(self) -> tuple[str, ...]:
        """The keys that a geometry file may have."""

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """The surface's corners in a picture, and how sure that is (0-1). Raises CalibrationError where a
        person must give them."""

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> BoardReader:
        """Learn a table from a picture. ``looks`` is what stands there; None: as games on it begin, or as the
        picture shows. Raises CalibrationError with what to change."""

    def open(self, data: Mapping[str, Any]) -> BoardReader:
        """A table from its file's content. Raises some error where that is damaged."""

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What stands where, in this kind's plain form."""
