"""What a picture of a board never seen before may be believed: every reason to doubt it, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from engine.layout import Cell
from engine.messages import phrase
from vision.errors import ImageError
from vision.light import colour
from vision.picture import sharpness
from vision.picture.frame import Frame, Image
from vision.reading import Doubt, Raw, weakened


@dataclass(frozen=True)
class FlatScene:
    """What doubts are measured by: the board laid ``flat``, whether a wall throws a shade on it that is
    ``half_seen``, since something lies there, too, how many pixels the picture has to a point's width
    (``fine``), how many checkers seem to be one side's ``beyond`` those that it has, and how well the points
    that are seen ``fit`` a board's (about 1 at best)."""

    flat: Image
    half_seen: bool = False
    fine: float = 24.0
    beyond: int = 0
    fit: float = 1.0

    @cached_property
    def softness(self) -> float:
        """How blurred it is (see ``sharpness``)."""
        return sharpness.softness(colour.luma(self.flat))

    def refuse_blurred(self) -> None:
        """Raises ImageError where nothing can be read (docs/vision-blind.md, blurred pictures)."""
        if self.softness > 0.91:
            raise ImageError(
                phrase("the picture is blurred, or far too small; focus the camera, or clean its lens")
            )


PICTURE = (
    # Where a tenth of a checker and more is blurred, one point in ten was wrong, and a third of these sure
    # (docs/vision-blind.md).
    Doubt("blurred", lambda scene: scene.softness, (0.72, 0.82), 0.43),
    # The network does not know that most of what it goes by is missing (docs/vision-blind.md, grey pictures).
    Doubt("grey", lambda scene: float(Frame(scene.flat).grey), (0, 1), 0.5),
    # A die's face is then as large as a checker's was (docs/vision-blind.md, beside a cup).
    Doubt("few pixels", lambda scene: scene.fine, (15, 11), 0.5),
    # Then a lamp makes many look like the other side's, and their number says that, but not which
    # (docs/vision-blind.md, mirrored lamps).
    Doubt("more than a side has", lambda scene: float(scene.beyond), (1, 4), 0.25),
    # A lens that bends straight lines: its checkers lie between the columns that are straight
    # (docs/vision-blind.md, lenses).
    Doubt("points aside", lambda scene: scene.fit, (0.85, 0.6), 0.2),
    # An arm's own shadow lies upon the wall's (docs/vision-blind.md, hard tables).
    Doubt("a shade under a hand", lambda scene: float(scene.half_seen), (0, 1), 0.7),
)
"""Of the whole picture: by its edges, by its colours, by its size, by its points, by the shade on it."""
CUT_OFF = Doubt("cut off", lambda shown: float(shown < 0.99), (0, 1), 0.4)
"""Of a cell, by how much of it the picture shows: a checker at the rim of which a tenth is missing may pass
for bare board (docs/vision-blind.md, cut off)."""


def believe(raw: Raw, scene: FlatScene, view: Mapping[Cell, float]) -> Raw:
    """``raw`` with less belief where the picture, or how much of a cell is in ``view`` (0-1), is to be
    doubted."""
    for cell in raw.keys() & view.keys():
        raw |= weakened({cell: raw[cell]}, CUT_OFF.trust(view[cell]))
    return weakened(raw, prod(doubt.trust(scene) for doubt in PICTURE))
