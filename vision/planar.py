"""A learned surface laid flat: what tables have in common on which no round checkers stand.

It brings pictures under the calibration's lamp, finds hands over it, and finds itself again after the camera
was moved. What stands on it, its table says.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import Cell, Piece
from vision import overlay
from vision.errors import CalibrationError
from vision.geometry import bumped_camera
from vision.geometry.camera import Camera, Floats, rectangle
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.geometry.landmarks import FAR, NEAR, Landmarks
from vision.hands import changed, find
from vision.light import colour
from vision.light.normalise import LaidFrame, lay_frame
from vision.light.surface import Surface
from vision.picture.frame import Frame, Image
from vision.picture.png_text import picture_from, picture_to
from vision.picture.sharpness import softness
from vision.reading import BLURRED, Doubt, Quality, Raw, Reading, cut_off, weakened

HALF = 2
"""Hands are looked for on every second map pixel: what is a large base or a hex wide is then as wide as a
checker is for ``hands``."""
BLUR = Doubt("blurred", lambda values: softness(np.ascontiguousarray(values[..., 0])), (0.8, 0.95), 0.25)
"""0.53-0.65 in sharp pictures (measured: docs/vision-boards.md)."""
SEEN = 0.9
"""The part of a cell that must be in view."""
MARK, MARKS = 0.9, 80
"""Radius of a landmark, in what is a checker's width elsewhere (half a large base or a hex), and how many
there are at most."""
ASTRAY, PUSHED = 1.5, 2.5
"""How far (map pixels; a tenth of a hex is 2.4) the surface may seem to have gone: reading bears it. Tokens
are pushed a little."""
CLEAR, BETTER = 0.5, 0.1
"""The part of the landmarks that must be at home for nobody to ask whether the surface was moved, and how
many more must be at home elsewhere."""
RECOGNISED, PLAIN = 0.42, 0.6
"""The part of the landmarks that must be at home where a camera is believed to be, and with which it need not
be looked for elsewhere."""


@dataclass(frozen=True)
class Guise:
    """Another look of a part of the bare surface, as another picture of it showed: ``picture`` is laid flat,
    its first pixel lies at ``row`` and ``column`` of the map."""

    row: int
    column: int
    picture: NDArray[np.uint8]

    @property
    def part(self) -> tuple[slice, slice]:
        """Where on the map it is."""
        rows, columns = self.picture.shape[:2]
        return slice(self.row, self.row + rows), slice(self.column, self.column + columns)

    def to_json(self) -> dict[str, Any]:
        """Plain, the picture as PNG."""
        return {"row": self.row, "column": self.column, "png": picture_to(self.picture)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Guise:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        return cls(int(data["row"]), int(data["column"]), picture_from(data["png"]))


@dataclass(frozen=True)
class Plane:
    """``picture`` is the surface (map ``flat``, uint8), ``size`` its width and height in cm. ``regions``:
    what must be in view for a cell to be read, on every HALFth map pixel; ``guise``: what else the bare
    surface was seen to look like; ``landmarks``: parts of it that stay where they are (N x 2: column, row of
    the map), None: what is plain to see. Raises ValueError where they do not fit."""

    flat: Flat
    size: tuple[float, float]
    picture: NDArray[np.uint8]
    regions: Mapping[Cell, NDArray[np.bool_]]
    guise: Guise | None = None
    landmarks: NDArray[np.int64] | None = None
    bare: Surface = field(init=False, repr=False)
    disguised: Surface | None = field(init=False, repr=False)
    marks: Landmarks = field(init=False, repr=False)
    _rim: NDArray[np.bool_] = field(init=False, repr=False)
    beyond: frozenset[Cell] = field(init=False, repr=False)
    """Cells of which too little is in view."""
    _unseen: NDArray[np.bool_] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.picture.shape[:2] != self.flat.shape:
            raise ValueError("the surface does not fit the board")
        seen = self.flat.in_view()[::HALF, ::HALF]
        object.__setattr__(self, "bare", Surface(colour.logs(self.picture)))
        disguised = None if self.guise is None else Surface(colour.logs(self.guise.picture))
        if self.guise is not None and self.bare.values[self.guise.part].shape != self.guise.picture.shape:
            raise ValueError("the surface's other look does not fit the board")
        object.__setattr__(self, "disguised", disguised)
        luma = np.ascontiguousarray(self.bare.values[..., 0])
        marks = self._plain(luma) if self.landmarks is None else self.landmarks
        object.__setattr__(self, "marks", Landmarks(luma, marks, round(MARK * RESOLUTION)))
        object.__setattr__(self, "_rim", self.flat.outside(*self.size)[::HALF, ::HALF])
        object.__setattr__(self, "beyond", cut_off(self.regions, seen, SEEN))
        object.__setattr__(self, "_unseen", None if seen.all() else ~seen)

    def lay_flat(self, frame: Frame) -> LaidFrame:
        """A frame laid flat under the calibration's lamp. Raises ImageError."""
        return lay_frame(frame, self.flat, self.bare.values, float(self.picture.mean()))

    def reading(
        self,
        raw: Raw,
        values: Map,
        explained: NDArray[np.bool_],
        marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]],
    ) -> Reading:
        """What a frame that was laid flat shows: ``raw`` without the cells that are hidden.
        ``explained``: where pieces stand."""
        change = changed(self.bare, values)
        if self.guise is not None and self.disguised is not None:
            change[self.guise.part] &= changed(self.disguised, values[self.guise.part])
        hand = find(
            change[::HALF, ::HALF],
            explained[::HALF, ::HALF],
            self._rim,
            np.zeros_like(self._rim),
            unseen=self._unseen,
        )
        hidden = hand.covers(self.regions) | self.beyond
        trust = BLUR.trust(values)
        evidence = Evidence.of(
            weakened({cell: scores for cell, scores in raw.items() if cell not in hidden}, trust)
        )
        looks = evidence.best()
        confidence = {cell: evidence.confidence(cell) for cell in looks}
        return Reading(evidence, hidden, hand.here, confidence, looks, marks, blurred=trust < BLURRED)

    def _plain(self, luma: Map) -> NDArray[np.int64]:
        """The corners and crossings of the surface that are the plainest to see."""
        here = np.asarray(~self.flat.outside(*self.size) & self.flat.in_view(), np.uint8)
        soft = cv2.GaussianBlur(luma, (0, 0), 1.5)
        found = cv2.goodFeaturesToTrack(soft, MARKS, 0.02, RESOLUTION, mask=here)
        return (
            np.zeros((0, 2), np.int64) if found is None else np.round(found.reshape(-1, 2)).astype(np.int64)
        )

    def displacement(self, values: Map) -> float:
        """0 where a frame that was laid flat shows the surface where it was, infinite where it does not,
        something between where much of it is hidden, or lies a hex aside."""
        far = self.marks.displacement(values)
        if self._bears < far < math.inf:
            return math.inf
        return (
            0.0 if not len(self.marks.places) or self.marks.at_home(values) > CLEAR else max(far, self._bears)
        )

    @property
    def _bears(self) -> float:
        return ASTRAY if self.landmarks is None else PUSHED

    def again(self, laid: LaidFrame, guesses: Callable[[], Iterable[Camera]] = tuple) -> Camera | None:
        """The camera where it is now, by a frame that was laid flat: ``flat``'s own where it was not
        moved, None where the surface is not found. ``guesses`` says where else the camera may be."""
        values = laid.values
        gone = self._bears < self.marks.displacement(values) < math.inf
        here = 0.0 if gone else self.marks.at_home(values)
        best, flat = here + BETTER * (not gone), self.flat
        for share, tried in self._tried(laid, guesses):
            if share > best:
                best, flat = share, tried
            if best >= PLAIN:
                break
        if (here if flat is self.flat else best) < RECOGNISED:
            return None
        corners = rectangle(*self.size)
        way = np.linalg.norm(flat.camera.project(corners) - self.flat.camera.project(corners), axis=1).max()
        ends = self.flat.camera.project([[0.0, 0.0, 0.0], [1 / self.flat.scale, 0.0, 0.0]])
        return self.flat.camera if way <= self._bears * np.linalg.norm(ends[1] - ends[0]) else flat.camera

    def _tried(
        self, laid: LaidFrame, guesses: Callable[[], Iterable[Camera]]
    ) -> Iterator[tuple[float, Flat]]:
        """Where the surface may be, and the part of the landmarks that is at home there; the best ways
        first."""
        # What all edges of a board say is finer than what its landmarks do; among armies, a map's landmarks
        # are surer.
        if self.landmarks is None:
            yield self._by_edges(laid)
        yield self._followed(self.flat, laid.values, laid.image)
        if self.landmarks is not None:
            yield self._by_edges(laid)
        for lens in guesses():
            yield self._followed(self._under(lens), None, laid.image)

    def _by_edges(self, laid: LaidFrame) -> tuple[float, Flat]:
        lens = bumped_camera.camera_now(self.flat, self.size, self.bare.values, laid.values)
        if lens is None:
            return 0.0, self.flat
        flat = self._under(lens)
        return self.marks.at_home(self._laid(flat, laid.image)), flat

    def seen_by(self, lens: Camera, image: Image) -> NDArray[np.uint8]:
        """The surface's picture for another camera: what only one of the two has in view is as ``image``
        shows it."""
        flat = self._under(lens)
        both = self.flat.in_view() & flat.in_view()
        return np.where(both[..., None], self.picture, flat.lay(image))

    def _under(self, lens: Camera) -> Flat:
        """The map under another camera."""
        flat = self.flat
        return Flat(lens, flat.scale, flat.left, flat.right, flat.low, flat.high)

    def _followed(self, flat: Flat, values: Map | None, image: Image) -> tuple[float, Flat]:
        """A map brought to where the landmarks are in a frame, and the part of them that is at home then."""
        for reach in (FAR, NEAR, NEAR):
            if values is None:
                values = self._laid(flat, image)
            way = self.marks.moved(values, reach)
            lens = None if way is None else bumped_camera.camera_after(flat, self.size, way)
            if lens is None:
                break
            flat, values = self._under(lens), None
        return self.marks.at_home(self._laid(flat, image) if values is None else values), flat

    def _laid(self, flat: Flat, image: Image) -> Map:
        return lay_frame(Frame(image), flat, self.bare.values, float(self.picture.mean())).values


class PlanarReader(ABC):
    """Reads pictures of a table on such a surface."""

    camera: Camera
    plane: Plane
    corner_error: float
    wrong: tuple[Cell, ...]

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return Quality(
            corner_error=self.corner_error, wrong=self.wrong, beyond=tuple(sorted(self.plane.beyond))
        )

    @property
    def flat(self) -> Flat:
        """Its map."""
        return self.plane.flat

    def exchanged(self) -> NoReturn:
        """Its pieces are known by a given position or by their places, never by lightness. Raises
        CalibrationError."""
        raise CalibrationError(
            "what stands on this board says whose pieces are whose: set it up, or say it, the other way round"
        )

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.read_laid(self.lay_flat(frame))

    def lay_flat(self, frame: Frame) -> LaidFrame:
        """A frame laid flat under the calibration's lamp. Raises ImageError."""
        return self.plane.lay_flat(frame)

    @abstractmethod
    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""

    def displacement(self, laid: LaidFrame) -> float:
        """See ``Plane.displacement``."""
        return self.plane.displacement(laid.values)

    def follow(self, laid: LaidFrame, reading: Reading) -> None:
        """Nothing is learned from frames at rest: the lamp is measured anew in every one."""
        return

    def corners(self) -> Floats:
        """Where the surface's corners are in the calibration picture."""
        return self.camera.project(rectangle(*self.plane.size))

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, self.plane.size, self.plane.regions, reading)

    def box_around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.box_around(self.flat, self.plane.regions, cells)
