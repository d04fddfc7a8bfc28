"""What the build guide reckons with: lenses, the board it assumes, and the strip's current."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, ceil, degrees, radians, tan

from firmware.settings.config import Config
from hardware.strip import current, limit

WIDE, HIGH = 75.0, 60.0
"""What the camera has to see, in cm: a large board with its trays and frame, 70 x 55, and a hand's breadth of
table."""
CHECKER, THICK = 4.5, 1.1
"""A checker's diameter and height, in cm."""
VOLTS = 5.0
COPPER = 0.0172
"""Ohm for a metre of copper of one square millimetre."""


@dataclass(frozen=True)
class Lens:
    """A camera: its field of view in degrees and its picture as it is read, in pixels."""

    name: str
    wide: float
    high: float
    width: int
    height: int

    @property
    def above(self) -> int:
        """How high above the board it has to hang to see WIDE x HIGH, in whole cm."""
        return ceil(max(WIDE / 2 / tan(radians(self.wide / 2)), HIGH / 2 / tan(radians(self.high / 2))))

    @property
    def pixel(self) -> float:
        """Millimetres of the board that a pixel shows from there."""
        return 20 * self.above * tan(radians(self.wide / 2)) / self.width

    @property
    def lean(self) -> float:
        """Millimetres by which the top of a checker at the board's edge seems moved outwards."""
        return 10 * THICK * (WIDE / 2) / (self.above - THICK)


def _angle(sensor: float, focal: float) -> float:
    return degrees(2 * atan(sensor / 2 / focal))


LENSES = (
    Lens("Camera Module 3", 66.0, 41.0, 2304, 1296),
    Lens("Camera Module 3 Wide", 102.0, 67.0, 2304, 1296),
    Lens("Camera Module 2", 62.2, 48.8, 1640, 1232),
    Lens("HQ camera, 6 mm lens", _angle(6.287, 6.0), _angle(4.712, 6.0), 2028, 1520),
)
"""Fields of view from Raspberry Pi's camera documentation; the HQ camera's by its sensor, 6.287 x 4.712
mm."""
MAIN = LENSES[0]
"""The one that the drawings show."""


def lamp_aside(camera: float, lamp: float) -> float:
    """How far from the board's middle a lamp has to hang, in cm, so that its mirror image in a glossy board
    lies beside what is seen.

    ``camera`` and ``lamp`` are heights above the board. The image of a lamp ``d`` aside is seen ``d * camera
    / (camera + lamp)`` aside."""
    return WIDE / 2 * (camera + lamp) / camera


@dataclass(frozen=True)
class Power:
    """The strip's current in mA, by the configured figures: all white with neither cap nor budget, with the
    cap, and as it is ever sent."""

    bare: float
    capped: float
    sent: float


def power(config: Config) -> Power:
    """The arithmetic of :mod:`hardware.strip`, for the brightest frame that there is."""
    strip, white = config.strip, [(255, 255, 255)] * config.strip.count
    capped = [(strip.cap, strip.cap, strip.cap)] * strip.count
    return Power(*(current(frame, strip.budget) for frame in (white, capped, limit(white, strip.budget))))


def drop(milliamps: float, metres: float, area: float) -> float:
    """Volts lost in a supply wire of ``metres`` there and back again, of ``area`` square millimetres."""
    return milliamps / 1000 * 2 * metres * COPPER / area
