"""From a frame to what stands where, and how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece
from vision import appearance, hands, kinds
from vision.calibrate import flatten
from vision.discs import Discs
from vision.errors import ImageError
from vision.frame import Frame
from vision.kind import Plan
from vision.rig import Rig
from vision.scene import Flat, Map


@dataclass(frozen=True)
class Reading:
    """One frame, read. ``looks`` is the likeliest position in which no piece appears from nowhere; ``confidence``
    the probability of each of its cells, 0-1. ``occluded`` cells are under a hand or out of view: they are in neither."""

    evidence: Evidence
    occluded: frozenset[Cell]
    hand: bool
    confidence: Mapping[Cell, float]
    looks: Mapping[Cell, Look]
    marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]] = field(default_factory=dict)


class Reader:
    """Reads frames of one table."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        kind = kinds.get(rig.kind)
        self.flat: Flat = flatten(kind, rig.camera, rig.measures)
        self._plan: Plan = kind.plan(rig.measures, self.flat)
        if rig.surface.shape[:2] != self.flat.shape:
            raise ImageError("the rig's surface does not fit its measures")
        in_view = self.flat.in_view()
        seen = {cell: float(in_view[region].mean()) if region.any() else 0.0 for cell, region in self._plan.regions.items()}
        self._beyond = frozenset(cell for cell, part in seen.items() if part < 0.9)
        self._rim = self.flat.outside(rig.measures.width, rig.measures.height)
        self._surface: Map = appearance.logs(rig.surface)
        self._discs = Discs(self._surface, appearance.spread(self.flat.shape, rig.paint.light), rig.paint)

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        image = frame.image
        width, height = self.rig.camera.size
        if image.shape[:2] != (height, width):
            if abs(image.shape[1] * height - image.shape[0] * width) > 0.01 * image.shape[0] * width:
                raise ImageError(
                    f"the picture is {image.shape[1]}x{image.shape[0]}, the calibration {width}x{height}: calibrate this camera"
                )
            image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        values = appearance.logs(self.flat.lay(image))
        gain, _ = appearance.relight(values, self._surface)
        values = np.asarray(values - gain, np.float32)
        found = self._plan.read(self._discs, values)
        hand = hands.find(hands.changed(self._discs, values), found.explained, self._rim, self._plan.loose)
        hidden = hand.covers(self._plan.regions) | self._beyond
        raw = {cell: looks for cell, looks in found.raw.items() if cell not in hidden}
        looks, confidence = self._plan.weigh(raw, self.rig.stock)
        return Reading(Evidence.of(raw), hidden, hand.here, confidence, looks, found.marks)
