"""Border tokens, fortresses and armies on a sheet of hexes: a kind of board."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Looks, Piece
from vision.errors import CalibrationError, RigError, VisionError
from vision.geometry import camera
from vision.geometry.camera import Camera, Corner, Floats
from vision.geometry.flat import Map
from vision.geometry.refine import Sights, refine
from vision.hexes import learn as hexes_learn
from vision.hexes import outline
from vision.hexes import weigh as hexes_weigh
from vision.hexes.grid import MOST, Sheet
from vision.hexes.learn import PIECES, SIDES, Model
from vision.hexes.sight import THICKNESS, Sight
from vision.light import colour
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image
from vision.picture.png_text import picture_from, picture_to
from vision.planar import HALF, PlanarReader, Plane
from vision.reading import AskedMeasure, Outline, Reading

ARMIES = [(f"army.{side}",) for side in SIDES]

ROUNDS = 2
"""Rounds of finding the tokens and moving the camera to where they say it is."""


ASKS = (AskedMeasure("cols", 19, True, True, 4, MOST), AskedMeasure("rows", 15, True, True, 4, MOST))


@dataclass(frozen=True)
class Hexes:
    """The kind."""

    name: str = "hexes"
    geometry_keys: tuple[str, ...] = ("cols", "rows", "pitch", "axial", "land")
    pieces: tuple[Piece, ...] = PIECES
    asked_measures: tuple[AskedMeasure, ...] = ASKS
    finds_corners: bool = True

    @property
    def set_out(self) -> Looks:
        """None: the map itself is what is learned from."""
        return {}

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """The hexes."""
        return hexagons(geometry)

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """The sheet's outline, the sheet upright: see ``outline``."""
        found = outline.find(image, Sheet.of(geometry))
        return found.corners, found.seen

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> HexReader:
        """Learn a sheet. ``geometry`` has cols and rows; ``looks`` is what stands there, None: read the
        set-up from the picture. ``empty`` is not needed. Raises CalibrationError."""
        sheet = Sheet.of(geometry)
        size = (image.shape[1], image.shape[0])
        eye, off = camera.from_corners(corners, sheet.width, sheet.height, size)
        known = looks if looks and any(looks.values()) else None
        sight = Sight(sheet, eye)
        for _ in range(ROUNDS):
            values = colour.logs(sight.flat.lay(image))
            sight = _sharpened(sight, values, hexes_learn.learn(sight, values, known), corners)
        eye, flat = sight.camera, sight.flat.lay(image)
        model = hexes_learn.learn(sight, colour.logs(flat), known)
        table = HexReader(sheet, eye, flat, model, off)
        told = table.read(Frame(image)).looks
        wrong = [cell for cell in sheet.cells if cell in told and told[cell] != model.looks.get(cell, ())]
        if len(wrong) > 3:
            raise CalibrationError(
                f"the picture does not show what is said to stand there ({', '.join(wrong[:6])} …); "
                "check the corners, cols and rows, and the position"
            )
        return HexReader(sheet, eye, flat, model, off, tuple(wrong))

    def open(self, data: Mapping[str, Any]) -> HexReader:
        """A table from its file's content. Raises RigError."""
        try:
            sheet = Sheet(
                int(data["sheet"]["cols"]), int(data["sheet"]["rows"]), float(data["sheet"]["pitch"])
            )
            numbers = {
                key: np.array(data["model"][key], np.float64).reshape(len(sheet.cells), 4)
                for key in ("bare", "was")
            }
            grey = (float(data["model"]["grey"][0]), float(data["model"]["grey"][1]))
            sorts = {
                str(piece): (
                    np.array(pair[0], np.float64).reshape(4),
                    np.array(pair[1], np.float64).reshape(4),
                )
                for piece, pair in data["model"]["sorts"].items()
            }
            looks = {
                str(cell): tuple(str(piece) for piece in look)
                for cell, look in data["model"]["looks"].items()
            }
            model = Model(numbers["bare"], numbers["was"], grey, sorts, looks)
            return HexReader(
                sheet,
                Camera.from_json(data["camera"]),
                picture_from(data["surface_png"]),
                model,
                float(data["corner_error"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, cv2.error) as error:
            raise RigError(
                f"the rig is damaged ({type(error).__name__}: {error}); calibrate the table again"
            ) from error

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What ``barpoint read`` says of a reading: border, fortresses by owner, cells covered by armies."""
        looks = reading.looks
        named = [(cell.removeprefix("hex."), look[0]) for cell, look in looks.items() if look]
        return {
            "border": sorted(name for name, piece in named if piece == "border"),
            "fortresses": {
                name: piece.partition(".")[2]
                for name, piece in sorted(named)
                if piece.startswith("fortress.")
            },
            "armies": {
                side: sorted(name for name, piece in named if piece == f"army.{side}") for side in SIDES
            },
        }


def _sharpened(sight: Sight, values: Map, model: Model, corners: Sequence[Corner]) -> Sight:
    """The sight again, its camera corrected by where the tokens really are: their middles, each as what
    differs from bare paper."""
    sheet, flat = sight.sheet, sight.flat
    tokens = [
        index
        for index, cell in enumerate(sheet.cells)
        if "".join(model.looks.get(cell, ())).startswith(("border", "fortress"))
    ]
    p = sheet.pitch * flat.scale
    reach = round(0.5 * p)
    yy, xx = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    near = np.hypot(xx, yy) <= 0.5 * p
    found, trust = [], []
    height = THICKNESS * sheet.pitch
    for index, (u, v) in zip(tokens, flat.at(sheet.centres[tokens], height), strict=True):
        patch = cv2.getRectSubPix(values, (2 * reach + 1, 2 * reach + 1), (float(u), float(v)))
        token = np.abs(patch - model.bare[index, :3]).sum(axis=-1)
        weight = np.clip(token - 0.35 * np.percentile(token[near], 70), 0, 0.3) * near
        total = max(float(weight.sum()), 1e-6)
        column, row = u + float((weight * xx).sum()) / total, v + float((weight * yy).sum()) / total
        found.append((column, row))
        trust.append(1.0 if np.hypot(column - u, row - v) < 0.25 * p else 0.1)
    places = np.column_stack([sheet.centres[tokens], np.full(len(tokens), height)])
    ends = flat.camera.project(
        [[sheet.width / 2, sheet.height / 2, 0], [sheet.width / 2 + sheet.pitch, sheet.height / 2, 0]]
    )
    sights = Sights(lambda _: places, flat.picture(found), np.array(trust))
    across = float(np.linalg.norm(ends[1] - ends[0]))
    eye, _, _ = refine(
        flat.camera, corners, lambda _: (sheet.width, sheet.height), sights, np.zeros(0), np.ones(0), across
    )
    return Sight(sheet, eye)


@dataclass(frozen=True)
class HexReader(PlanarReader):
    """One sheet under one camera, learned. ``picture`` is the calibration picture laid flat; ``wrong`` the
    cells of it that are read otherwise."""

    sheet: Sheet
    camera: Camera
    picture: NDArray[np.uint8]
    model: Model
    corner_error: float = 0.0
    wrong: tuple[Cell, ...] = ()
    kind: str = "hexes"
    sight: Sight = field(init=False, repr=False, compare=False)
    laid: Plane = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sight = Sight(self.sheet, self.camera)
        rows, columns = sight.flat.shape
        yy, xx = np.mgrid[0:rows:HALF, 0:columns:HALF]
        at = sight.flat.at(self.sheet.centres, THICKNESS * self.sheet.pitch)
        radius = 0.5 * self.sheet.pitch * sight.flat.scale
        regions = {
            cell: np.hypot(xx - u, yy - v) < radius for cell, (u, v) in zip(self.sheet.cells, at, strict=True)
        }
        tokens = [
            n
            for n, cell in enumerate(self.sheet.cells)
            if "".join(self.model.looks.get(cell, ())).startswith(("border", "fortress"))
        ]
        size = self.sheet.width, self.sheet.height
        object.__setattr__(self, "sight", sight)
        object.__setattr__(
            self,
            "plane",
            Plane(sight.flat, size, self.picture, regions, landmarks=np.round(at[tokens]).astype(np.int64)),
        )

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""
        values = laid.values
        raw = hexes_weigh.weigh(self.sight, self.model, values)
        likeliest = {cell: max(scores, key=lambda look: (scores[look], look)) for cell, scores in raw.items()}
        return self.plane.reading(raw, values, self._explained(likeliest), self._marks(likeliest))

    def _explained(self, looks: Mapping[Cell, Look]) -> NDArray[np.bool_]:
        """Map pixels on which pieces stand now, or stood when the table was learned."""
        flat, p = self.sight.flat, self.sheet.pitch * self.sight.flat.scale
        mask = np.zeros(flat.shape, np.uint8)
        at = np.round(flat.at(self.sheet.centres, THICKNESS * self.sheet.pitch)).astype(int)
        for cell, place in zip(self.sheet.cells, at, strict=True):
            if self.model.looks.get(cell):
                cv2.circle(mask, (int(place[0]), int(place[1])), round(0.42 * p), 1, -1)
        for one, other in self.sheet.pairs:
            look = looks.get(self.sheet.cells[one])
            if look in ARMIES and look == looks.get(self.sheet.cells[other]):
                cv2.line(
                    mask,
                    (int(at[one][0]), int(at[one][1])),
                    (int(at[other][0]), int(at[other][1])),
                    1,
                    round(0.8 * p),
                )
        return mask.astype(bool)

    def _marks(self, looks: Looks) -> dict[Cell, list[tuple[Piece, float, float, float]]]:
        at = self.sight.flat.at(self.sheet.centres, THICKNESS * self.sheet.pitch)
        radius = 0.35 * self.sheet.pitch * self.sight.flat.scale
        places = {cell: (float(u), float(v)) for cell, (u, v) in zip(self.sheet.cells, at, strict=True)}
        return {cell: [(look[0], *places[cell], radius)] for cell, look in looks.items() if look}

    def find_again(self, laid: LaidFrame) -> HexReader | None:
        """The same table after the camera was moved, itself where it was not; None where it is not found in
        this frame."""
        lens = self.plane.again(laid, lambda: self._outlined(laid.image))
        if lens is None or lens is self.camera:
            return None if lens is None else self
        return replace(self, camera=lens, picture=self.plane.seen_by(lens, laid.image))

    def _outlined(self, image: Image) -> list[Camera]:
        """Where the camera is by the sheet's outline, if that is plain to see."""
        try:
            found = outline.find(image, self.sheet)
            lens, _ = camera.from_corners(
                found.corners,
                self.sheet.width,
                self.sheet.height,
                self.camera.size,
                self.camera.focal,
                self.camera.k1,
            )
        except VisionError:
            return []
        return [lens]

    def placement(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and the sheet's cols, rows and pitch."""
        sheet = self.sheet
        geometry = {"cols": sheet.cols, "rows": sheet.rows, "pitch": sheet.pitch}
        return self.corners(), geometry

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        model = self.model
        return {
            "version": 1,
            "kind": self.kind,
            "camera": self.camera.to_json(),
            "sheet": {"cols": self.sheet.cols, "rows": self.sheet.rows, "pitch": self.sheet.pitch},
            "corner_error": round(self.corner_error, 3),
            "model": {
                "bare": model.bare.round(4).tolist(),
                "was": model.was.round(4).tolist(),
                "grey": list(model.grey),
                "sorts": {
                    piece: [middle.round(4).tolist(), spread.round(4).tolist()]
                    for piece, (middle, spread) in model.sorts.items()
                },
                "looks": {cell: list(look) for cell, look in model.looks.items() if look},
            },
            "surface_png": picture_to(self.picture),
        }


def hexagons(geometry: Mapping[str, Any]) -> list[Outline]:
    """The hexes of a sheet. Raises CalibrationError."""
    sheet = Sheet.of(geometry)
    radius = sheet.pitch / math.sqrt(3)
    turns = [math.pi / 6 + n * math.pi / 3 for n in range(6)]
    return [
        tuple(
            ((x + radius * math.cos(a)) / sheet.width, (y + radius * math.sin(a)) / sheet.height)
            for a in turns
        )
        for x, y in sheet.centres.tolist()
    ]
