"""From a frame to what stands in which hex, and how sure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from engine.layout import Cell, Looks, name_parts
from vision.errors import VisionError
from vision.geometry import camera
from vision.geometry.camera import Camera
from vision.hexes.grid import Sheet
from vision.hexes.likelihood import likelihoods
from vision.hexes.model import SheetModel
from vision.hexes.outline import find_outline
from vision.hexes.sampling import HexSampler
from vision.light.normalise import LaidFrame
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.planar import FINER, PlanarReader, Plane
from vision.reading import Reading, Spot
from vision.stored import bounded, picture_from


@dataclass(frozen=True)
class HexReader(PlanarReader):
    """One sheet under one camera, learned. ``picture`` is the calibration picture laid flat."""

    sheet: Sheet
    model: SheetModel
    kind = "hexes"

    @cached_property
    def sampler(self) -> HexSampler:
        """Where on the map to look for each hex."""
        return HexSampler(self.sheet, self.camera)

    @cached_property
    def plane(self) -> Plane:
        """The sheet, by its hexes; its tokens stay where they are."""
        flat, tops = self.sampler.flat, self.sampler.tops
        yy, xx = np.mgrid[0 : flat.shape[0] : FINER, 0 : flat.shape[1] : FINER]
        regions = {
            cell: np.hypot(xx - u, yy - v) < 0.5 * self.sampler.pitch
            for cell, (u, v) in zip(self.sheet.cells, tops, strict=True)
        }
        tokens = tops[self.model.where(self.sheet, "border", "fortress")]
        landmarks = np.round(tokens).astype(np.int64)
        return Plane(flat, self.sheet.size, self.picture, regions, landmarks=landmarks)

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""
        raw = likelihoods(self.sampler, self.model, laid.values)
        likeliest = {cell: max(scores, key=lambda look: (scores[look], look)) for cell, scores in raw.items()}
        return self.plane.reading(raw, laid, self._explained(likeliest), self._marks(likeliest))

    def _explained(self, looks: Looks) -> Mask:
        """Map pixels on which pieces stand now, or stood when the table was learned."""
        p, cells = self.sampler.pitch, self.sheet.cells
        mask = np.zeros(self.sampler.flat.shape, np.uint8)
        at = [(int(u), int(v)) for u, v in np.round(self.sampler.tops)]
        for cell, middle in zip(cells, at, strict=True):
            if self.model.looks.get(cell):
                cv2.circle(mask, middle, round(0.42 * p), 1, -1)
        for one, other in self.sheet.pairs:
            look = looks.get(cells[one], ())
            if look and name_parts(look[0])[0] == "army" and look == looks.get(cells[other]):
                cv2.line(mask, at[one], at[other], 1, round(0.8 * p))
        return mask.astype(bool)

    def _marks(self, looks: Looks) -> dict[Cell, list[Spot]]:
        radius = 0.35 * self.sheet.pitch * self.sampler.flat.scale
        places = {
            cell: (float(u), float(v))
            for cell, (u, v) in zip(self.sheet.cells, self.sampler.tops, strict=True)
        }
        return {cell: [(look[0], *places[cell], radius)] for cell, look in looks.items() if look}

    def _guess_cameras(self, image: Image) -> Iterable[Camera]:
        """By the sheet's outline, if that is plain to see."""
        lens = self.camera
        try:
            corners = find_outline(image, self.sheet).corners
            return [camera.from_corners(corners, *self.sheet.size, lens.size, lens.focal, lens.k1)[0]]
        except VisionError:
            return []

    def geometry(self) -> dict[str, Any]:
        """Cols, rows and pitch."""
        return self.sheet.to_json()

    def model_to_json(self) -> dict[str, Any]:
        """The sheet, and what is learned of its cells and pieces."""
        return {"sheet": self.sheet.to_json(), "model": self.model.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> HexReader:
        """A rig file's content. Raises KeyError, TypeError or ValueError on another shape."""
        sheet = Sheet.from_geometry(data["sheet"])
        return cls(
            Camera.from_json(data["camera"]),
            picture_from(data["surface_png"]),
            bounded(data["corner_error"]),
            sheet,
            SheetModel.from_json(data["model"], len(sheet.cells)),
        )
