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
from vision import appearance, bump, overlay, sharpness
from vision.appearance import Paint
from vision.boards_file import picture_from, picture_to
from vision.camera import Camera, Floats, rectangle
from vision.discs import Discs
from vision.errors import CalibrationError
from vision.frame import Frame, Image
from vision.hands import changed, find
from vision.kind import Raw, believed, beyond
from vision.landmarks import FAR, NEAR, Landmarks
from vision.learning.quality import Quality
from vision.read import Reading
from vision.reshape import relaid, reshaped
from vision.scene import RESOLUTION, Flat, Map

HALF = 2
"""Hands are looked for on every second map pixel: what is a large base or a hex wide is then as wide as a
checker is for ``hands``."""
SOFT = (0.8, 0.95)
"""Softness of a picture (see ``sharpness.trust``) from which its evidence counts less, and the least:
0.53-0.65 in sharp ones."""
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


def compared(surface: Map) -> Discs:
    """A surface to compare pictures with (see ``hands.changed``)."""
    return Discs(surface, np.zeros(surface.shape[:2], np.float32), Paint((), (0.0,) * 5))


@dataclass(frozen=True)
class Laid:
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
    bare: Discs = field(init=False, repr=False)
    disguised: Discs | None = field(init=False, repr=False)
    marks: Landmarks = field(init=False, repr=False)
    _rim: NDArray[np.bool_] = field(init=False, repr=False)
    beyond: frozenset[Cell] = field(init=False, repr=False)
    """Cells of which too little is in view."""
    _unseen: NDArray[np.bool_] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.picture.shape[:2] != self.flat.shape:
            raise ValueError("the surface does not fit the board")
        seen = self.flat.in_view()[::HALF, ::HALF]
        object.__setattr__(self, "bare", compared(appearance.logs(self.picture)))
        disguised = None if self.guise is None else compared(appearance.logs(self.guise.picture))
        if self.guise is not None and self.bare.surface[self.guise.part].shape != self.guise.picture.shape:
            raise ValueError("the surface's other look does not fit the board")
        object.__setattr__(self, "disguised", disguised)
        luma = np.ascontiguousarray(self.bare.surface[..., 0])
        marks = self._plain(luma) if self.landmarks is None else self.landmarks
        object.__setattr__(self, "marks", Landmarks(luma, marks, round(MARK * RESOLUTION)))
        object.__setattr__(self, "_rim", self.flat.outside(*self.size)[::HALF, ::HALF])
        object.__setattr__(self, "beyond", beyond(self.regions, seen, SEEN))
        object.__setattr__(self, "_unseen", None if seen.all() else ~seen)

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises
        ImageError."""
        seen = relaid(
            frame.image, self.flat.camera.size, self.flat, self.bare.surface, float(self.picture.mean())
        )
        return seen.values, seen.bright

    def told(
        self,
        raw: Raw,
        values: Map,
        explained: NDArray[np.bool_],
        marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]],
    ) -> Reading:
        """What is told of a frame that was laid flat: ``raw`` without the cells that are hidden.
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
        trust = sharpness.trust(values, SOFT)
        evidence = Evidence.of(
            believed({cell: scores for cell, scores in raw.items() if cell not in hidden}, trust)
        )
        looks = evidence.best()
        confidence = {cell: evidence.confidence(cell) for cell in looks}
        return Reading(
            evidence, hidden, hand.here, confidence, looks, marks, blurred=trust < sharpness.BLURRED
        )

    def _plain(self, luma: Map) -> NDArray[np.int64]:
        """The corners and crossings of the surface that are the plainest to see."""
        here = np.asarray(~self.flat.outside(*self.size) & self.flat.in_view(), np.uint8)
        soft = cv2.GaussianBlur(luma, (0, 0), 1.5)
        found = cv2.goodFeaturesToTrack(soft, MARKS, 0.02, RESOLUTION, mask=here)
        return (
            np.zeros((0, 2), np.int64) if found is None else np.round(found.reshape(-1, 2)).astype(np.int64)
        )

    def astray(self, values: Map) -> float:
        """0 where a frame that was laid flat shows the surface where it was, infinite where it does not,
        something between where much of it is hidden, or lies a hex aside."""
        far = self.marks.astray(values)
        if self._bears < far < math.inf:
            return math.inf
        return (
            0.0 if not len(self.marks.places) or self.marks.at_home(values) > CLEAR else max(far, self._bears)
        )

    @property
    def _bears(self) -> float:
        return ASTRAY if self.landmarks is None else PUSHED

    def again(
        self, values: Map, frame: Frame, guesses: Callable[[], Iterable[Camera]] = tuple
    ) -> Camera | None:
        """The camera where it is now, by a frame and by how it was laid flat: ``flat``'s own where it was not
        moved, None where the surface is not found. ``guesses`` says where else the camera may be."""
        gone = self._bears < self.marks.astray(values) < math.inf
        here = 0.0 if gone else self.marks.at_home(values)
        best, flat = here + BETTER * (not gone), self.flat
        for share, tried in self._tried(values, frame, guesses):
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
        self, values: Map, frame: Frame, guesses: Callable[[], Iterable[Camera]]
    ) -> Iterator[tuple[float, Flat]]:
        """Where the surface may be, and the part of the landmarks that is at home there; the best ways
        first."""
        # What all edges of a board say is finer than what its landmarks do; among armies, a map's landmarks
        # are surer.
        if self.landmarks is None:
            yield self._by_edges(values, frame)
        yield self._followed(self.flat, values, frame)
        if self.landmarks is not None:
            yield self._by_edges(values, frame)
        for lens in guesses():
            yield self._followed(self._under(lens), None, frame)

    def _by_edges(self, values: Map, frame: Frame) -> tuple[float, Flat]:
        lens = bump.register(self.flat, self.size, self.bare.surface, values)
        if lens is None:
            return 0.0, self.flat
        flat = self._under(lens)
        return self.marks.at_home(self._laid(flat, frame)), flat

    def seen_by(self, lens: Camera, frame: Frame) -> NDArray[np.uint8]:
        """The surface's picture for another camera: what only one of the two has in view is as ``frame``
        shows it."""
        flat = self._under(lens)
        both = self.flat.in_view() & flat.in_view()
        return np.where(both[..., None], self.picture, flat.lay(reshaped(frame.image, lens.size)))

    def _under(self, lens: Camera) -> Flat:
        """The map under another camera."""
        flat = self.flat
        return Flat(lens, flat.scale, flat.left, flat.right, flat.low, flat.high)

    def _followed(self, flat: Flat, values: Map | None, frame: Frame) -> tuple[float, Flat]:
        """A map brought to where the landmarks are in a frame, and the part of them that is at home then."""
        for reach in (FAR, NEAR, NEAR):
            if values is None:
                values = self._laid(flat, frame)
            way = self.marks.moved(values, reach)
            lens = None if way is None else bump.after(flat, self.size, way)
            if lens is None:
                break
            flat, values = self._under(lens), None
        return self.marks.at_home(self._laid(flat, frame) if values is None else values), flat

    def _laid(self, flat: Flat, frame: Frame) -> Map:
        return relaid(
            frame.image, flat.camera.size, flat, self.bare.surface, float(self.picture.mean())
        ).values


class LaidTable(ABC):
    """A table on such a surface."""

    camera: Camera
    laid: Laid
    corner_error: float
    wrong: tuple[Cell, ...]

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return Quality(
            corner_error=self.corner_error, wrong=self.wrong, beyond=tuple(sorted(self.laid.beyond))
        )

    @property
    def flat(self) -> Flat:
        """Its map."""
        return self.laid.flat

    @property
    def surface(self) -> Map:
        """The board that pictures are compared with (see ``appearance.logs``)."""
        return self.laid.bare.surface

    def exchanged(self) -> NoReturn:
        """Its pieces are known by a given position or by their places, never by lightness. Raises
        CalibrationError."""
        raise CalibrationError(
            "what stands on this board says whose pieces are whose: set it up, or say it, the other way round"
        )

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.weigh(self.lay(frame)[0])

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises
        ImageError."""
        return self.laid.lay(frame)

    @abstractmethod
    def weigh(self, values: Map, frame: Frame | None = None) -> Reading:
        """Read a frame that :meth:`lay` has laid flat."""

    def astray(self, values: Map) -> float:
        """See ``Laid.astray``."""
        return self.laid.astray(values)

    def follow(self, values: Map, reading: Reading) -> None:
        """Nothing is learned from frames at rest: the lamp is measured anew in every one."""
        return

    def corners(self) -> Floats:
        """Where the surface's corners are in the calibration picture."""
        return self.camera.project(rectangle(*self.laid.size))

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, self.laid.size, self.laid.regions, reading)

    def around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.around(self.flat, self.laid.regions, cells)
