"""A learned surface laid flat: what tables have in common on which no round checkers stand.

It brings pictures under the calibration's lamp, finds hands over it, and finds itself again after the camera was moved. What stands on it,
its table says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import Cell, Piece
from vision import appearance, bump, overlay
from vision.appearance import Paint
from vision.boards_file import picture_from, picture_to
from vision.camera import Camera, Floats, rectangle
from vision.discs import Discs
from vision.frame import Frame, Image
from vision.hands import changed, find
from vision.kind import Raw
from vision.learning.quality import Quality
from vision.read import Reading
from vision.reshape import relaid
from vision.scene import Flat, Map

HALF = 2
"""Hands are looked for on every second map pixel: what is a large base or a hex wide is then as wide as a checker is for ``hands``."""
SEEN = 0.9
"""The part of a cell that must be in view."""


@dataclass(frozen=True)
class Guise:
    """Another look of a part of the bare surface, as another picture of it showed: ``picture`` is laid flat, its first pixel lies at
    ``row`` and ``column`` of the map."""

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
    """``picture`` is the surface (map ``flat``, uint8), ``size`` its width and height in cm. ``regions``: what must be in view for a
    cell to be read, on every HALFth map pixel; ``guise``: what else the bare surface was seen to look like. Raises ValueError where they
    do not fit."""

    flat: Flat
    size: tuple[float, float]
    picture: NDArray[np.uint8]
    regions: Mapping[Cell, NDArray[np.bool_]]
    guise: Guise | None = None
    bare: Discs = field(init=False, repr=False)
    disguised: Discs | None = field(init=False, repr=False)
    _rim: NDArray[np.bool_] = field(init=False, repr=False)
    _beyond: frozenset[Cell] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.picture.shape[:2] != self.flat.shape:
            raise ValueError("the surface does not fit the board")
        seen = self.flat.in_view()[::HALF, ::HALF]
        beyond = frozenset(cell for cell, region in self.regions.items() if seen[region].mean() < SEEN)
        object.__setattr__(self, "bare", compared(appearance.logs(self.picture)))
        disguised = None if self.guise is None else compared(appearance.logs(self.guise.picture))
        if self.guise is not None and self.bare.surface[self.guise.part].shape != self.guise.picture.shape:
            raise ValueError("the surface's other look does not fit the board")
        object.__setattr__(self, "disguised", disguised)
        object.__setattr__(self, "_rim", self.flat.outside(*self.size)[::HALF, ::HALF])
        object.__setattr__(self, "_beyond", beyond)

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises ImageError."""
        return relaid(frame.image, self.flat.camera.size, self.flat, self.bare.surface, float(self.picture.mean()))

    def told(
        self, raw: Raw, values: Map, explained: NDArray[np.bool_], marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]]
    ) -> Reading:
        """What is told of a frame that was laid flat: ``raw`` without the cells that are hidden. ``explained``: where pieces stand."""
        change = changed(self.bare, values)
        if self.guise is not None and self.disguised is not None:
            change[self.guise.part] &= changed(self.disguised, values[self.guise.part])
        hand = find(change[::HALF, ::HALF], explained[::HALF, ::HALF], self._rim, np.zeros_like(self._rim))
        hidden = hand.covers(self.regions) | self._beyond
        evidence = Evidence.of({cell: scores for cell, scores in raw.items() if cell not in hidden})
        looks = evidence.best()
        return Reading(evidence, hidden, hand.here, {cell: evidence.confidence(cell) for cell in looks}, looks, marks)

    def again(self, values: Map) -> Camera | None:
        """The camera where it is now, by a frame that was laid flat; None where the surface is not found in it."""
        return bump.register(self.flat, self.size, self.bare.surface, values)


class LaidTable:
    """A table on such a surface."""

    camera: Camera
    laid: Laid
    corner_error: float
    wrong: tuple[Cell, ...]

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return Quality(corner_error=self.corner_error, wrong=self.wrong)

    @property
    def flat(self) -> Flat:
        """Its map."""
        return self.laid.flat

    @property
    def surface(self) -> Map:
        """The board that pictures are compared with (see ``appearance.logs``)."""
        return self.laid.bare.surface

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.weigh(self.lay(frame)[0])

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises ImageError."""
        return self.laid.lay(frame)

    def weigh(self, values: Map, frame: Frame | None = None) -> Reading:
        """Read a frame that :meth:`lay` has laid flat."""
        raise NotImplementedError

    def follow(self, values: Map, reading: Reading) -> None:
        """Nothing is learned from frames at rest: the lamp is measured anew in every one."""

    def corners(self) -> Floats:
        """Where the surface's corners are in the calibration picture."""
        return self.camera.project(rectangle(*self.laid.size))

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, self.laid.size, self.laid.regions, reading)

    def around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.around(self.flat, self.laid.regions, cells)
