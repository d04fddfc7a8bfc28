"""The words that all kinds of board share.

A *board* is a kind of board and pieces: it learns a table from a picture, or opens one that was learned
before. A *board reader* reads pictures of one such table. Each picture becomes a :class:`Reading`: what every
cell may look like, and how sure that is. How good a calibration is, :class:`Quality` says, in numbers and in
words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import Cell, Look, Looks, Piece
from engine.messages import phrase
from vision.geometry.camera import Corner, Floats
from vision.geometry.flat import Flat
from vision.geometry.stored_numbers import bounded
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image

Raw: TypeAlias = dict[Cell, dict[Look, float]]
"""Unshifted log-likelihoods by cell and look."""
Outline: TypeAlias = tuple[tuple[float, float], ...]
"""A polygon in parts of the surface: 0,0 is its bottom-left corner, 1,1 its top-right one."""
Spot: TypeAlias = tuple[Piece, float, float, float]
"""A piece as it was found: column, row and radius on the map."""


@dataclass(frozen=True)
class Reading:
    """One frame, read. ``looks`` is the likeliest position in which no piece appears from nowhere;
    ``confidence`` the probability of each of its cells, 0-1. ``occluded`` cells are under a hand or out of
    view: they are in neither. ``lying``: those of them that something covers which is no hand: a cup, a
    phone. ``blurred``: the picture was so much that its evidence counts little. ``strange``: so little of the
    board looks as it did at the calibration."""

    evidence: Evidence
    occluded: frozenset[Cell]
    hand: bool
    confidence: Mapping[Cell, float]
    looks: Mapping[Cell, Look]
    marks: Mapping[Cell, Sequence[Spot]] = field(default_factory=dict)
    explained: NDArray[np.bool_] | None = None
    blurred: bool = False
    strange: bool = False
    lying: frozenset[Cell] = frozenset()


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


def cut_off(
    regions: Mapping[Cell, NDArray[np.bool_]], view: NDArray[np.bool_], least: float
) -> frozenset[Cell]:
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


COVERED = (0.85, 0.08, 0.04, 0.02, 0.01)
"""The chances of none, one and more pieces where something lies over the places that a row would go on to:
cups are put where nothing stands."""
CLEAR = 0.6
"""The chance that a row ends where something lies over the next place, under which it is left unsaid."""
OVER_ROW = 0.1
"""The part of a row's own place (a checker's at least) that something must cover before the row is left
unsaid: what is seen may then not be all of it."""
NEXT = 1.3
"""How far (diameters) beyond the checkers that are seen the next one of a row would reach: people leave a
little room. What lies farther in hides none."""
BLURRED = 0.7
"""What part of a picture's evidence must count for nobody to be told that it is blurred, or strange."""
PLAIN = (3.0, 2.0)
"""Nats by which known pieces stand out (``Quality.separation``): from the first on an accusation costs as
usual, below the second :data:`DEARER`. Good tables have 5.9 to 10, the three deep boards under a lamp at the
side 1.6 to 1.8; tables with 3 to 4 are read as well as others."""
DEARER = 1.5
"""By how much dearer an accusation is then (docs/vision-measurements.md, false accusations)."""
HARDLY = 2.5
"""Nats of separation under which somebody is told."""
EVEN = 5.0
"""Difference of lightness (CIELAB units) under which the sides do not say how the board lies: it is taken to
lie as usual."""


@dataclass(frozen=True)
class Quality:
    """``reprojection``: mean distance in pixels between known pieces and where they were found;
    ``corner_error``: mean distance in pixels between the corners given and the board's; ``separation``: how
    far the known pieces stand out from the bare board, the other side's and anything else, in nats (the worst
    tenth of them); ``wrong``: cells of the calibration picture that are read otherwise; ``weak``: those read
    rightly with a confidence under 0.9; ``diameter``: pixels across a checker; ``either_way``: the position
    looks the same in a mirror, so that nothing said on which side the home is; ``blur``: what another blur
    leaves of the sharpest edges (0-1, about 0.5 in a sharp picture); ``lead``: how much lighter White's
    checkers are (CIELAB units), where that told how the board lies; ``alike``: cells whose checkers look like
    the other side's, since a lamp is mirrored in them; ``strange``: cells over which something lies that is
    not the board (a hand); ``beyond``: those of which too little is in the picture to be read; ``home``:
    on which side of the picture the home boards are (right, left, top, bottom); ``uneven``: how many pieces
    each side has in the known position (``14 white``), where one has more. None, 0 or "" where this kind of
    board does not measure it."""

    reprojection: float = 0.0
    corner_error: float = 0.0
    separation: float | None = None
    wrong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    diameter: float = 0.0
    either_way: bool = False
    blur: float = 0.0
    lead: float | None = None
    alike: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    home: str = ""
    uneven: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Nothing to say against it."""
        return not self.words()

    @property
    def caution(self) -> float:
        """By how much dearer an accusation is by pictures of this table (see :class:`Evidence`)."""
        if self.separation is None:
            return 1.0
        return float(np.interp(self.separation, PLAIN[::-1], (DEARER, 1.0)))

    def words(self) -> list[str]:
        """What is weak, and how to fix it: one line each, none for a good calibration."""
        return [*self._about_the_picture(), *self._about_the_pieces()]

    def _about_the_picture(self) -> Iterator[str]:
        if self.blur > 0.74:  # sharp: 0.5
            yield phrase("the picture is soft: focus the camera, or clean its lens")
        if self.lead is not None and abs(self.lead) < EVEN:
            yield phrase(
                "both sides are nearly as light, so it is a guess which checkers are White's: look at"
                " the overlay; if the sides are the wrong way round, exchange them (--exchange; on "
                "the page: Exchange sides)"
            )
        if self.either_way:
            yield phrase(
                "this position looks the same in a mirror, so the home is taken to be at the {home} "
                "of the picture: if it is not, say where it is (--home; on the page: Home boards)",
                home=phrase(self.home or "right"),
            )
        if self.uneven:
            white, black = (each.split()[0] for each in self.uneven)
            yield phrase(
                "the known position has {white} white and {black} black checkers: if one was "
                "forgotten, or is borne off, say so and calibrate again",
                white=white,
                black=black,
            )
        if self.beyond:
            yield phrase(
                "{cells}: not completely in the picture, so nothing is read there; move the camera "
                "until the whole board is in view",
                cells=", ".join(self.beyond),
            )
        if self.strange:
            yield phrase(
                "{cells}: something covered this part (a hand, or the mirror image of a lamp) and was"
                " learned as the board; take it away and calibrate again",
                cells=", ".join(self.strange),
            )

    def _about_the_pieces(self) -> Iterator[str]:
        wide = self.diameter
        if self.alike:
            yield phrase(
                "{cells}: a lamp or a window is mirrored in the checkers, and they look like the "
                "other side's; dim the light, or move it or the camera",
                cells=", ".join(self.alike),
            )
        if self.wrong:
            yield phrase(
                "{cells}: read wrongly in the calibration photo itself; add a photo of the empty "
                "board, or more light",
                cells=", ".join(self.wrong),
            )
        if self.weak:
            yield phrase(
                "{cells}: read with doubt in the calibration photo itself; a photo of the empty board helps",
                cells=", ".join(self.weak),
            )
        if self.separation is not None and self.separation < HARDLY:
            yield phrase(
                "some checkers hardly stand out ({nats} nats), so nobody is soon accused: avoid "
                "glare, and light the board evenly",
                nats=f"{self.separation:.1f}",
            )
        if 0 < wide < 15:
            yield phrase("a checker is only {wide} pixels wide: bring the camera closer", wide=f"{wide:.0f}")
        if self.reprojection > 0.12 * wide > 0:
            yield phrase(
                "checkers lie {pixels} pixels from their places: set them up neatly, against the rims",
                pixels=f"{self.reprojection:.1f}",
            )
        if self.corner_error > 0.15 * wide > 0:
            yield phrase(
                "the given corners are {pixels} pixels from where the checkers show them: look at the "
                "overlay",
                pixels=f"{self.corner_error:.1f}",
            )

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, and the words."""
        plain = {
            key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()
        }
        return {**plain, "good": self.good, "words": self.words()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quality:
        """The inverse of ``asdict``; older files have fewer numbers. Raises KeyError, TypeError or ValueError
        on another shape."""
        given = {known.name: data.get(known.name, known.default) for known in fields(cls)}
        given |= {name: data[name] for name in ("reprojection", "corner_error", "separation", "wrong")}
        for known in fields(cls):
            value = given[known.name]
            if isinstance(known.default, tuple):
                given[known.name] = tuple(str(cell) for cell in value)
            elif isinstance(known.default, bool):
                given[known.name] = bool(value)
            elif isinstance(known.default, str):
                given[known.name] = str(value)
            elif known.default is not None or value is not None:
                given[known.name] = bounded(value)
        return cls(**given)


@dataclass(frozen=True)
class Appearance:
    """How a board of checkers looks to people. Colours as ``#rrggbb``: of the ``field``, the ``points`` with
    odd and with even numbers, the ``wood`` of bar and rim, and each side's ``checkers``. ``bar`` and
    ``height`` are lengths in widths of a point, ``checker`` is a checker's diameter in them."""

    field: str
    points: tuple[str, str]
    wood: str
    checkers: tuple[str, str]
    bar: float
    height: float
    checker: float


class BoardReader(Protocol):
    """One table under one camera, learned."""

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""

    @property
    def flat(self) -> Flat:
        """How its board is laid flat, by the camera as it stands now."""

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
        """A table from its file's content. Raises RigError."""

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What stands where, in this kind's plain form."""
