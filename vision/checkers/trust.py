"""What a frame of checkers may be believed: every reason to doubt it, one row each.

Reasons that hold for the whole picture make all of its evidence count less. Those that say the same of it
(``VAGUE``) count once, by the worst; the others multiply. Reasons that hold for a place make the cells count
less of which a part lies there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.flat import RESOLUTION, Map
from vision.hands import Hand
from vision.light import shadows
from vision.light.normalise import LaidFrame
from vision.light.surface import familiar, grain
from vision.picture.sharpness import softness
from vision.reading import Doubt, Quality, Raw, weakened

UNTOUCHED = 0.9
"""With so much of the board beside a hand as it was at the calibration, the hand is one."""
COVERED = 0.68
"""With less than so much of the whole board as it was..."""
MUCH = 0.1
"""... and so much less than beside it, what was taken for a hand is the light (measured: docs/vision.md)."""
UNFAMILIAR = 0.05
"""What evidence counts where too little of the board looks as it did at the calibration."""
FAR = 0.3
"""Log units of other light from which on a place counts as little again."""
MORE = 0.1
"""Log units of light more than at the calibration from which on what is as bright as the camera can show says
little about what it would look like."""
PATCH = 0.5 * RESOLUTION**2
"""Map pixels of a cell that must lie in such a place for its evidence to count less: half a square
diameter."""


@dataclass(frozen=True)
class Scene:
    """What doubts are measured by: a frame, its map in the calibration's light (``values``), the bare board
    (``surface``), the map pixels that are ``other`` than board as far as is known, the ``hand``, and how much
    more light there is where it is uneven (``patch``). ``grey``: whether the calibration's picture had no
    colours."""

    laid: LaidFrame
    values: Map
    surface: Map
    other: NDArray[np.bool_]
    hand: Hand
    patch: Map | None
    quality: Quality
    grey: bool

    @cached_property
    def softness(self) -> float:
        """How blurred it is (see ``sharpness``)."""
        return softness(np.ascontiguousarray(self.values[..., 0]))

    @cached_property
    def familiar(self) -> float:
        """The part (0-1) of what is neither piece nor hand that looks as it did at the calibration; 0 where
        what was taken for a hand lies over much of the board, and what it leaves looks otherwise, too."""
        beside = familiar(self.values, self.surface, self.other | self.hand.mask)
        if self.laid.grey and not self.grey:
            return 0.0
        whole = beside
        if self.hand.here and beside < UNTOUCHED:
            whole = familiar(self.values, self.surface, self.other)
        return 0.0 if whole < min(COVERED, beside - MUCH) else beside


BLUR = Doubt("blurred", lambda scene: scene.softness, (0.6, 0.83), 0.25)
"""About half in a sharp picture (measured: docs/vision.md, blurred pictures)."""
FOREIGN = Doubt("not as at the calibration", lambda scene: scene.familiar, (0.6, 0.45), UNFAMILIAR)
"""By the part of the board that looks as it did (docs/vision.md, the camera's tone)."""
SOFT = Doubt("a soft calibration", lambda scene: scene.quality.blur, (0.68, 0.8), 0.6)
"""It has blurred tints and edges (docs/vision.md, blurred pictures)."""
VAGUE = (BLUR, FOREIGN, SOFT)
OTHERS = (
    Doubt("grain", lambda scene: grain(scene.values, scene.surface), (0.028, 0.045), 0.6),
    # For the two looks of checkers that mirror a lamp (docs/vision.md, mirrored lamps).
    Doubt("mirrored lamps", lambda scene: float(bool(scene.quality.alike)), (0, 1), 0.6),
    # The networks do not know that most of what they go by is missing (docs/vision.md, grey pictures).
    Doubt("grey", lambda scene: float(scene.laid.grey), (0, 1), 0.5),
)
"""By chroma noise (a coarse JPEG), by the calibration's report, by colour."""


@dataclass(frozen=True)
class PlaceDoubt:
    """A reason to believe what lies ``where`` (map pixels; None: nowhere) by less: by ``least``, beside a
    hand by ``beside_hand``."""

    where: Callable[[Scene], NDArray[np.bool_] | None]
    least: float
    beside_hand: float


def _in_other_light(least: float) -> Callable[[Scene], NDArray[np.bool_] | None]:
    """Where a shadow or the sun makes the light differ by more than ``least`` (log units)."""
    return lambda scene: None if scene.patch is None else np.abs(scene.patch[..., 0]) > least


def _glaring(scene: Scene) -> NDArray[np.bool_] | None:
    """Where the camera cannot show how bright things are (two channels of a pixel), and at the calibration
    could."""
    if scene.laid.burnt is None:
        return None
    blue, green, red = cv2.split(scene.laid.burnt.astype(np.uint8))
    more = scene.laid.more if scene.patch is None else scene.laid.more + scene.patch[..., 0]
    return np.asarray((blue + green + red >= 2) & (more > MORE))


PLACES = (
    # Followed where there is no hand; beside one it is not (docs/vision.md, shadows).
    PlaceDoubt(_in_other_light(shadows.UNEVEN), 0.5, 0.25),
    PlaceDoubt(_in_other_light(FAR), 0.5, 0.5),
    PlaceDoubt(_glaring, 0.5, 0.5),
)


def picture_trust(scene: Scene) -> float:
    """What part (0-1) of the whole picture's evidence counts."""
    return prod(doubt.trust(scene) for doubt in OTHERS) * min(doubt.trust(scene) for doubt in VAGUE)


def doubt_places(raw: Raw, scene: Scene, regions: Mapping[Cell, NDArray[np.bool_]]) -> Raw:
    """``raw`` with less belief in cells (with their map pixels) that lie in doubtful places."""
    for doubt in PLACES:
        where = doubt.where(scene)
        if where is None or np.count_nonzero(where) <= PATCH:
            continue
        there = {
            cell: raw[cell]
            for cell, region in regions.items()
            if cell in raw and np.count_nonzero(where & region) > PATCH
        }
        raw = raw | weakened(there, doubt.beside_hand if scene.hand.here else doubt.least)
    return raw
