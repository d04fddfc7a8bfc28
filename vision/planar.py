"""A learned surface laid flat: what tables have in common on which no round checkers stand.

It brings pictures under the calibration's lamp, finds hands over it, and finds itself again after the camera
was moved. What stands on it, its reader says.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import EMPTY, Cell, Looks
from engine.messages import phrase
from vision import overlay
from vision.errors import CalibrationError
from vision.geometry import bumped_camera
from vision.geometry.camera import Camera, Floats, rectangle
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.geometry.landmarks import AGREE, FAR, NEAR, Landmarks
from vision.hands import Hand, changed, find
from vision.light import colour
from vision.light.normalise import LaidFrame, lay_frame
from vision.light.surface import Surface
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask
from vision.picture.sharpness import softness
from vision.quality import Quality
from vision.reading import BLURRED, Accepted, Doubt, Raw, Reading, Spot, cut_off, weakened, without
from vision.stored import picture_from, picture_to, whole

FINER = 2
"""How many times ``RESOLUTION`` the map pixels to a large base or a hex are. Hands, and a first look at
outlines, need no finer than checkers do: they take every so many."""
BLUR = Doubt("blurred", lambda values: softness(np.ascontiguousarray(values[..., 0])), (0.8, 0.95), 0.25)
"""0.53-0.65 in sharp pictures (measured: docs/vision-boards.md)."""
GLARE = Doubt("glare", float, (0.3, 0.5), 0.25)
"""By the part of the surface that is too bright to be shown, and was not at the calibration: none usually
(measured: docs/vision-boards.md)."""
BRIGHTER = 0.1
"""How much more light (log units of luma) than at the calibration there must be for that."""
DAZZLED = (0.2, 0.5)
"""The part of a cell that is too bright from which on it is believed less, and by how much."""


STILL = 1.5
"""How far (map pixels; a tenth of a hex is 2.4) the surface may seem to have gone: reading bears it."""


@dataclass(frozen=True)
class AtHome:
    """What the part of the landmarks says that is at home under a camera: from ``believed`` on that it may be
    there, from ``clear`` on that nobody needs to ask whether it was moved, from ``plain`` on that it need not
    be looked for elsewhere."""

    believed: float = 0.42
    clear: float = 0.5
    plain: float = 0.6


AT_HOME = AtHome()


@dataclass(frozen=True)
class OtherLook:
    """Another look of a part of the bare surface, as another picture of it showed: ``picture`` is laid flat,
    its first pixel lies at ``row`` and ``column`` of the map."""

    row: int
    column: int
    picture: Image

    @property
    def part(self) -> tuple[slice, slice]:
        """Where on the map it is."""
        rows, columns = self.picture.shape[:2]
        return slice(self.row, self.row + rows), slice(self.column, self.column + columns)

    @cached_property
    def surface(self) -> Surface:
        """The part of the surface as it looks then."""
        return Surface(colour.logs(self.picture))

    def to_json(self) -> dict[str, Any]:
        """Plain, the picture as PNG."""
        return {"row": self.row, "column": self.column, "png": picture_to(self.picture)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OtherLook:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        row, column = (whole(data[side], 0, 10_000) for side in ("row", "column"))
        return cls(row, column, picture_from(data["png"]))


class Plane:
    """``picture`` is the surface (map ``flat``, uint8), ``size`` its width and height in cm. ``regions``:
    what must be in view for a cell to be read, on every so many (``FINER``) map pixels; ``other``: what else
    the bare surface was seen to look like; ``landmarks``: parts of it that stay where they are (N x 2:
    column, row of the map), None: what is plain to see. ``beyond`` are the cells of which too little is in
    view. Raises ValueError where they do not fit."""

    def __init__(
        self,
        flat: Flat,
        size: tuple[float, float],
        picture: Image,
        regions: Mapping[Cell, Mask],
        other: OtherLook | None = None,
        landmarks: NDArray[np.int64] | None = None,
    ) -> None:
        if picture.shape[:2] != flat.shape:
            raise ValueError("the surface does not fit the board")
        if other is not None and picture[other.part].shape != other.picture.shape:
            raise ValueError("the surface's other look does not fit the board")
        self.flat, self.size, self.picture, self.regions, self.other = flat, size, picture, regions, other
        self.bare = Surface(colour.logs(picture))
        self._outside, in_view = flat.outside(*size), flat.in_view()
        seen = in_view[::FINER, ::FINER]
        self.beyond = cut_off(regions, seen, 0.9)
        self._unseen = None if seen.all() else ~seen
        self._tokens = landmarks is not None
        self._still = AGREE if self._tokens else STILL  # tokens are pushed a little, each by itself
        luma = np.ascontiguousarray(self.bare.values[..., 0])
        if landmarks is None:
            landmarks = _plain_places(luma, ~self._outside & in_view)
        # As wide as nine tenths of a checker elsewhere: half a large base, or half a hex.
        self.marks = Landmarks(luma, landmarks, round(0.9 * RESOLUTION))

    def lay_flat(self, frame: Frame, flat: Flat | None = None) -> LaidFrame:
        """A frame laid flat under the calibration's lamp, perhaps by another camera's map. Raises
        ImageError."""
        return lay_frame(frame, flat or self.flat, self.bare.values, float(self.picture.mean()))

    def reading(
        self, raw: Raw, laid: LaidFrame, explained: Mask, marks: Mapping[Cell, Sequence[Spot]]
    ) -> Reading:
        """What a frame that was laid flat shows: ``raw`` without the cells that are hidden.
        ``explained``: where pieces stand."""
        hand = self._hand(laid.values, explained)
        hidden = hand.covers(self.regions) | self.beyond
        sharp, plain, raw = BLUR.trust(laid.values), 1.0, without(raw, hidden)
        if laid.clipped is not None:
            glare = (laid.clipped & (laid.more > BRIGHTER))[::FINER, ::FINER]
            plain = GLARE.trust(glare[~self._outside[::FINER, ::FINER]].mean())
            dazzled = {cell: raw[cell] for cell in raw if glare[self.regions[cell]].mean() > DAZZLED[0]}
            raw = raw | weakened(dazzled, DAZZLED[1])
        evidence = Evidence.of(weakened(raw, sharp * plain))
        looks = evidence.best()
        confidence = {cell: evidence.confidence(cell) for cell in looks}
        return Reading(
            evidence,
            hidden,
            hand.here,
            confidence,
            looks,
            marks,
            blurred=sharp < BLURRED,
            strange=plain < BLURRED,
        )

    def _hand(self, values: Map, explained: Mask) -> Hand:
        """Hands among what has changed."""
        change = changed(self.bare, values)
        if self.other is not None:
            change[self.other.part] &= changed(self.other.surface, values[self.other.part])
        change, explained, rim = (part[::FINER, ::FINER] for part in (change, explained, self._outside))
        return find(change, explained, rim, np.zeros_like(rim), unseen=self._unseen)

    def displacement(self, values: Map) -> float:
        """0 where a frame that was laid flat shows the surface where it was, infinite where it does not,
        something between where much of it is hidden, or lies a hex aside."""
        far = self.marks.displacement(values)
        if self._still < far < math.inf:
            return math.inf
        if not len(self.marks.places) or self.marks.at_home(values) > AT_HOME.clear:
            return 0.0
        return max(far, self._still)

    def find_camera(self, laid: LaidFrame, guesses: Callable[[], Iterable[Camera]]) -> Camera | None:
        """The camera where it is now, by a frame that was laid flat: ``flat``'s own where it was not
        moved, None where the surface is not found. ``guesses`` says where else the camera may be."""
        values = laid.values
        gone = self._still < self.marks.displacement(values) < math.inf
        here = 0.0 if gone else self.marks.at_home(values)
        best, flat = here if gone else here + 0.1, self.flat  # clearly better, where it may never have moved
        for share, tried in self._candidates(laid, guesses):
            if share > best:
                best, flat = share, tried
            if best >= AT_HOME.plain:
                break
        if (here if flat is self.flat else best) < AT_HOME.believed:
            return None
        corners = rectangle(*self.size)
        way = np.linalg.norm(flat.camera.project(corners) - self.flat.camera.project(corners), axis=1).max()
        ends = self.flat.camera.project([[0.0, 0.0, 0.0], [1 / self.flat.scale, 0.0, 0.0]])
        return self.flat.camera if way <= self._still * np.linalg.norm(ends[1] - ends[0]) else flat.camera

    def _candidates(
        self, laid: LaidFrame, guesses: Callable[[], Iterable[Camera]]
    ) -> Iterator[tuple[float, Flat]]:
        """Where the surface may be, and the part of the landmarks that is at home there; the best ways
        first."""
        # What all edges of a board say is finer than what its landmarks do; among armies, a map's landmarks
        # are surer.
        if not self._tokens:
            yield self._by_edges(laid)
        yield self._followed(self.flat, laid.values, laid.image)
        if self._tokens:
            yield self._by_edges(laid)
        for lens in guesses():
            yield self._followed(replace(self.flat, camera=lens), None, laid.image)

    def _by_edges(self, laid: LaidFrame) -> tuple[float, Flat]:
        lens = bumped_camera.camera_now(self.flat, self.size, self.bare.values, laid.values)
        if lens is None:
            return 0.0, self.flat
        flat = replace(self.flat, camera=lens)
        return self.marks.at_home(self.lay_flat(Frame(laid.image), flat).values), flat

    def picture_for(self, lens: Camera, image: Image) -> Image:
        """The surface's picture for another camera: what only one of the two has in view is as ``image``
        shows it."""
        flat = replace(self.flat, camera=lens)
        both = self.flat.in_view() & flat.in_view()
        return np.where(both[..., None], self.picture, flat.lay(image))

    def _followed(self, flat: Flat, values: Map | None, image: Image) -> tuple[float, Flat]:
        """A map brought to where the landmarks are in a frame, and the part of them that is at home then."""
        for reach in (FAR, NEAR, NEAR):
            if values is None:
                values = self.lay_flat(Frame(image), flat).values
            way = self.marks.moved(values, reach)
            lens = None if way is None else bumped_camera.camera_after(flat, self.size, way)
            if lens is None:
                break
            flat, values = replace(self.flat, camera=lens), None
        return self.marks.at_home(
            self.lay_flat(Frame(image), flat).values if values is None else values
        ), flat


def _plain_places(luma: Map, here: Mask) -> NDArray[np.int64]:
    """The corners and crossings of a surface that are the plainest to see (80 at most: column, row)."""
    soft = cv2.GaussianBlur(luma, (0, 0), 1.5)
    found = cv2.goodFeaturesToTrack(soft, 80, 0.02, RESOLUTION, mask=np.asarray(here, np.uint8))
    return np.round(np.zeros((0, 2)) if found is None else found.reshape(-1, 2)).astype(np.int64)


@dataclass(frozen=True)
class PlanarReader(ABC):
    """Reads pictures of a table on such a surface. ``picture`` is the surface as it was learned, laid flat;
    ``wrong`` the cells of the calibration picture that are read otherwise."""

    kind: ClassVar[str]
    turned: ClassVar[bool | None] = None
    camera: Camera
    picture: Image
    corner_error: float
    wrong: tuple[Cell, ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def plane(self) -> Plane:
        """The surface. Raises ValueError where its parts do not fit together."""

    @abstractmethod
    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""

    @abstractmethod
    def geometry(self) -> dict[str, Any]:
        """The measures, as a geometry file has them."""

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """A rig file's content. Raises KeyError, TypeError or ValueError on another shape."""

    @classmethod
    def open(cls, data: Mapping[str, Any]) -> Self:
        """A table from its file's content. Raises some error where that is damaged."""
        reader = cls.from_json(data)
        _ = reader.plane  # raises where its parts do not fit together
        return reader

    @abstractmethod
    def model_to_json(self) -> dict[str, Any]:
        """What the file holds of the board and its pieces."""

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        beyond = tuple(sorted(self.plane.beyond))
        return Quality(corner_error=self.corner_error, wrong=self.wrong, beyond=beyond)

    @property
    def flat(self) -> Flat:
        """Its map."""
        return self.plane.flat

    def exchanged(self) -> NoReturn:
        """Its pieces are known by a given position or by their places, never by lightness. Raises
        CalibrationError."""
        raise CalibrationError(
            phrase(
                "what stands on this board says whose pieces are whose: set it up, or say it, the other "
                "way round"
            )
        )

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.read_laid(self.lay_flat(frame))

    def lay_flat(self, frame: Frame) -> LaidFrame:
        """A frame laid flat under the calibration's lamp. Raises ImageError."""
        return self.plane.lay_flat(frame)

    def displacement(self, laid: LaidFrame) -> float:
        """See ``Plane.displacement``."""
        return self.plane.displacement(laid.values)

    def find_again(self, laid: LaidFrame) -> Self | None:
        """The same table after the camera was moved a little, itself where it was not; None where it is not
        found in this frame."""
        lens = self.plane.find_camera(laid, lambda: self._guess_cameras(laid.image))
        if lens is None or lens is self.camera:
            return None if lens is None else self
        return self._moved(lens, self.plane.picture_for(lens, laid.image))

    def other_way_round(self, stood: Looks, reading: Reading) -> Self | None:
        """Not asked of such boards: what stands on them does not tell."""
        return None

    def _guess_cameras(self, image: Image) -> Iterable[Camera]:
        """Where else the camera may be, by what this kind of board has to show."""
        return ()

    def _moved(self, lens: Camera, picture: Image) -> Self:
        """The same table under another camera, which sees the surface so."""
        return replace(self, camera=lens, picture=picture)

    def checked(self, image: Image, known: Looks, most: int, advice: str) -> Self:
        """The same with the cells of its own picture that it reads otherwise than they are ``known`` to be.
        Raises CalibrationError where these are more than ``most``, with what to check."""
        looks = self.read(Frame(image)).looks
        wrong = tuple(cell for cell, look in looks.items() if look != known.get(cell, EMPTY))
        if len(wrong) > most:
            raise CalibrationError(
                phrase(
                    "the picture does not show what is said to stand there ({cells} …); check the corners, "
                    "{advice}",
                    cells=", ".join(wrong[:6]),
                    advice=advice,
                )
            )
        return replace(self, wrong=wrong)

    def follow(self, laid: LaidFrame, reading: Reading) -> None:
        """Nothing is learned from frames at rest: the lamp is measured anew in every one."""
        return

    def relearn(self, accepted: Iterable[Accepted]) -> None:
        """Looks stay as they were calibrated."""
        return

    def appearance(self) -> None:
        """It is drawn as all boards of its kind are."""
        return

    def placement(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and its measures."""
        return self.camera.project(rectangle(*self.plane.size)), self.geometry()

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, self.plane.size, self.plane.regions, reading)

    def box_around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.box_around(self.flat, self.plane.regions, cells)

    def to_json(self) -> dict[str, Any]:
        """The rig file's content."""
        return {
            "version": 1,
            "kind": self.kind,
            "camera": self.camera.to_json(),
            "corner_error": round(self.corner_error, 3),
            **self.model_to_json(),
            "surface_png": picture_to(self.picture),
        }
