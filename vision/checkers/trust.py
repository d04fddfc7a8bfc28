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

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.flat import RESOLUTION, Map
from vision.hands import Hand
from vision.light import shadows
from vision.light.normalise import LaidFrame
from vision.light.surface import familiar, grain
from vision.picture.masks import Mask
from vision.picture.sharpness import softness
from vision.quality import Quality
from vision.reading import Doubt, Raw, weakened


@dataclass(frozen=True)
class Scene:
    """What doubts are measured by: a frame, its map in the calibration's light (``values``), the bare board
    (``surface``), the map pixels that are ``other`` than board as far as is known, the ``hand``, and how much
    more light there is where it is uneven (``patch``). ``grey``: whether the calibration's picture had no
    colours; ``mirrored``: whether a lamp is mirrored in known checkers, and nobody else is asked."""

    laid: LaidFrame
    values: Map
    surface: Map
    other: Mask
    hand: Hand
    patch: Map | None
    quality: Quality
    grey: bool
    mirrored: bool

    @cached_property
    def softness(self) -> float:
        """How blurred it is (see ``sharpness``)."""
        return softness(np.ascontiguousarray(self.values[..., 0]))

    @cached_property
    def familiar(self) -> float:
        """The part (0-1) of what is neither piece nor hand that looks as it did at the calibration; 0 where
        what was taken for a hand lies over much of the board, and what it leaves looks otherwise, too: then
        it is the light (measured: docs/vision-measurements.md)."""
        if self.laid.grey and not self.grey:
            return 0.0
        beside = familiar(self.values, self.surface, self.other | self.hand.mask)
        if not self.hand.here or beside >= 0.9:
            return beside
        whole = familiar(self.values, self.surface, self.other)
        return 0.0 if whole < min(0.68, beside - 0.1) else beside

    @property
    def light(self) -> NDArray[np.floating] | None:
        """How much the light differs (log units of luma) where it is uneven."""
        return None if self.patch is None else np.abs(self.patch[..., 0])

    @property
    def glare(self) -> NDArray[np.floating] | None:
        """Where the camera cannot show how bright things are, and at the calibration could: how much more
        light there is (log units)."""
        clipped = self.laid.clipped
        if clipped is None:
            return None
        more = self.laid.more if self.patch is None else self.laid.more + self.patch[..., 0]
        return np.where(clipped, more, 0)


# Every doubt: its measure, the ramp over which evidence comes to count less, the least that it counts then,
# and where that was measured.

BLUR = Doubt("blurred", lambda scene: scene.softness, (0.6, 0.83), 0.25)
"""About half in a sharp picture (docs/vision-measurements.md, blurred pictures)."""
FOREIGN = Doubt("not as at the calibration", lambda scene: scene.familiar, (0.6, 0.45), 0.05)
"""By the part of the board that looks as it did (docs/vision-measurements.md, the camera's tone)."""
VAGUE = (
    BLUR,
    FOREIGN,
    # A soft calibration has blurred tints and edges (docs/vision-measurements.md, blurred pictures).
    Doubt("a soft calibration", lambda scene: scene.quality.blur, (0.68, 0.8), 0.6),
)
"""Those that say the same of the whole picture: the worst counts."""
OTHERS = (
    # Chroma noise: a coarse JPEG, or a sensor in the dark (docs/vision-measurements.md).
    Doubt("grain", lambda scene: grain(scene.values, scene.surface), (0.028, 0.045), 0.6),
    # Where known checkers look like the other side's (docs/vision-measurements.md, mirrored lamps).
    Doubt("mirrored lamps", lambda scene: float(scene.mirrored), (0, 1), 0.5),
    # The networks do not know that most of what they go by is missing (docs/vision-measurements.md, grey
    # pictures).
    Doubt("grey", lambda scene: float(scene.laid.grey), (0, 1), 0.5),
)
"""Those that say something of their own of it: they multiply."""


@dataclass(frozen=True)
class PlaceDoubt:
    """A reason to believe what lies in some places by less: where ``measure`` (of every map pixel; None:
    nowhere) is more than ``above``, evidence counts ``least``, beside a hand ``beside_hand``."""

    name: str
    measure: Callable[[Scene], NDArray[np.floating] | None]
    above: float
    least: float
    beside_hand: float


PLACES = (
    # A shadow or the sun: followed where there is no hand; beside one it is not (docs/vision-measurements.md,
    # shadows).
    PlaceDoubt("shadow", lambda scene: scene.light, shadows.UNEVEN, 0.5, 0.25),
    PlaceDoubt("deep shadow", lambda scene: scene.light, 2 * shadows.UNEVEN, 0.5, 0.5),
    # What is as bright as the camera can show says little about what it would look like.
    PlaceDoubt("glare", lambda scene: scene.glare, 0.1, 0.5, 0.5),
)
"""Those that hold for a part of the board: they multiply."""


def picture_trust(scene: Scene) -> float:
    """What part (0-1) of the whole picture's evidence counts."""
    return prod(doubt.trust(scene) for doubt in OTHERS) * min(doubt.trust(scene) for doubt in VAGUE)


def doubt_places(raw: Raw, scene: Scene, regions: Mapping[Cell, Mask]) -> Raw:
    """``raw`` with less belief in cells (with their map pixels) of which half a square diameter or more lies
    in doubtful places."""
    much = 0.5 * RESOLUTION**2
    for doubt in PLACES:
        measured = doubt.measure(scene)
        if measured is None:
            continue
        where = measured > doubt.above
        if np.count_nonzero(where) <= much:
            continue
        there = {
            cell: raw[cell]
            for cell, region in regions.items()
            if cell in raw and np.count_nonzero(where & region) > much
        }
        raw = raw | weakened(there, doubt.beside_hand if scene.hand.here else doubt.least)
    return raw
