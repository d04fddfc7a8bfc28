"""One table's calibration, as one readable file: lens and pose, the board's measures, the colours learned,
the empty surface (a small PNG in base64), and how good the calibration was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from engine.messages import phrase
from vision.checkers.mirrored import Margins
from vision.checkers.paint import DISC, Divided, Paint, Tint
from vision.errors import CalibrationError, RigError
from vision.geometry.board_measures import SIDES, Measures, Orientation, opposite
from vision.geometry.camera import Camera, Floats, rectangle
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.quality import Quality
from vision.stored import bounded, numbers, picture_from, picture_to, whole

VERSION = 1
"""Changes when an older reader would misread the file."""
MOST_STOCK = 60
"""Pieces of one kind that a rig may have been learned with."""


@dataclass(frozen=True)
class Rig:
    """``surface`` is the empty board as a map (uint8); ``stock`` how many of each piece the calibration
    picture held; ``guessed`` where the surface was never seen bare; ``margins``, in the file ``told``, how
    well each side's known checkers were told from the other's (see ``mirrored``)."""

    camera: Camera
    measures: Measures
    paint: Paint
    surface: Image
    stock: Mapping[str, int]
    guessed: Mask | None = None
    orientation: Orientation = field(default_factory=Orientation)
    quality: Quality = field(default_factory=Quality)
    margins: tuple[Margins, ...] = ()

    @property
    def outline(self) -> Floats:
        """The surface's corners (4 x 2) in pixels, as ``camera.rectangle`` orders them."""
        return self.camera.project(rectangle(self.measures.width, self.measures.height))

    def exchanged(self) -> Rig:
        """The same table with White's and Black's checkers the other way round: the board turned over, as the
        start position has it. Raises CalibrationError where it was learned from a position that says whose
        are whose."""
        if self.quality.lead is None:
            raise CalibrationError(
                phrase("the position that was given says whose pieces are whose: exchange them there")
            )
        one, other = self.stock
        cells: dict[str, Any] = {
            name: tuple(map(opposite, getattr(self.quality, name)))
            for name in ("wrong", "weak", "alike", "strange", "unseen")
        }
        return replace(
            self,
            orientation=self.orientation.exchanged(),
            paint=replace(self.paint, tints=self.paint.tints[::-1], divided=self.paint.divided[::-1]),
            stock={one: self.stock[other], other: self.stock[one]},
            margins=self.margins[::-1],
            quality=replace(self.quality, lead=-self.quality.lead, **cells),
        )

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        layers = [self.surface]
        if self.guessed is not None:
            layers.append(np.where(self.guessed, 128, 255).astype(np.uint8)[..., None])
        return {
            "version": VERSION,
            "kind": "checkers",
            "camera": self.camera.to_json(),
            "measures_cm": self.measures.to_json(),
            "paint": asdict(self.paint),
            "stock": dict(self.stock),
            "turned": self.orientation.turned,
            "mirrored": self.orientation.mirrored,
            "quality": asdict(self.quality),
            "leds": {},  # release 0.1.0 asks for it
            "told": [[[round(value, 2) for value in checker] for checker in side] for side in self.margins],
            "surface_png": picture_to(np.concatenate(layers, axis=-1)),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rig:
        """The inverse of :meth:`to_json`. Raises RigError for another version, some error where it is
        damaged."""
        if data["version"] != VERSION:
            raise RigError(
                phrase(
                    "this rig is of version {version}; calibrate the table again for version {current}",
                    version=data["version"],
                    current=VERSION,
                )
            )
        surface, guessed = _surface(data["surface_png"])
        return cls(
            camera=Camera.from_json(data["camera"]),
            measures=Measures.from_json(data["measures_cm"]),
            paint=_paint(data["paint"]),
            surface=surface,
            guessed=guessed,
            stock={str(piece): whole(count, 0, MOST_STOCK) for piece, count in data["stock"].items()},
            orientation=Orientation(bool(data["turned"]), bool(data["mirrored"])),
            quality=Quality.from_json(data["quality"]),
            margins=tuple(tuple(_triple(checker) for checker in side) for side in data.get("told", ())),
        )


def _triple(values: Any) -> tuple[float, float, float]:
    a, b, c = (bounded(value) for value in values)
    return a, b, c


def _paint(data: Mapping[str, Any]) -> Paint:
    tints = tuple(_tint(tint) for tint in data["tints"])
    divided = tuple(_divided(both) for both in data.get("divided", ()))
    if len(tints) != len(SIDES) or len(divided) not in (0, len(tints)):
        raise ValueError("not a tint, or not two looks, for each side")
    return Paint(tints, tuple(bounded(term) for term in data["light"]), divided)


def _divided(both: Mapping[str, Any] | None) -> Divided | None:
    if both is None:
        return None
    known = tuple((bounded(u), bounded(v), bool(lit)) for u, v, lit in both["known"])
    return Divided(_tint(both["matte"]), _tint(both["mirrored"]), known)


def _tint(tint: Mapping[str, Any]) -> Tint:
    offset, grain = ((bounded(pair[0]), bounded(pair[1])) for pair in (tint["offset"], tint["grain"]))
    relief = numbers(tint["relief"], (DISC, DISC)).tolist()
    return Tint(_triple(tint["colour"]), offset, grain, tuple(map(tuple, relief)), bounded(tint["gloss"]))


def _surface(text: str) -> tuple[Image, Mask | None]:
    """The surface, and where it was never seen bare."""
    image = picture_from(text, cv2.IMREAD_UNCHANGED)
    if image.ndim != 3:
        raise ValueError("the surface is no colour PNG")
    return image[..., :3], np.asarray(image[..., 3] < 200) if image.shape[2] == 4 else None
