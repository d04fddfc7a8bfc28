"""Where a doubling cube lies, as players understand it: in the middle, at a player's side, or offered.

Who owns the cube is told by where it lies, not by the number on it: off the field (on the bar, on a rim, in a
tray, beside the board), and there nearer to one player, to the other, or between them. On the field nobody
keeps it: there it is offered.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

PARTLY = 0.4
"""How far over the bar or a rim the middle of a cube may be for it still to lie on that, in checker
diameters: half a cube and a little (cubes of the shared renders have 0.55 to 0.84 of a checker)."""


class CubeZone(enum.StrEnum):
    """A part of the table. ``NEAR`` is the side of y = 0, the lower one of a picture."""

    MIDDLE = "middle"
    NEAR = "near"
    FAR = "far"
    FIELD = "field"


def zone_of(place: tuple[float, float], measures: Mapping[str, Any]) -> CubeZone:
    """The zone of a cube whose middle is at ``place``: x and y in cm from the surface's bottom-left corner,
    as ``DoublingCube.place``. ``measures``: as ``BoardReader.placement`` gives them; of these ``width``,
    ``height``, ``bar`` and ``checker`` in cm count. Off the field, thirds of the height tell middle, near and
    far. Raises KeyError without one of them."""
    x, y = place
    width, height, bar, checker = (float(measures[name]) for name in ("width", "height", "bar", "checker"))
    over = PARTLY * checker
    on_bar = abs(x - width / 2) <= bar / 2 + over
    inside = over < x < width - over and over < y < height - over
    if inside and not on_bar:
        return CubeZone.FIELD
    if y < height / 3:
        return CubeZone.NEAR
    return CubeZone.FAR if y > 2 * height / 3 else CubeZone.MIDDLE
