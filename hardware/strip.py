"""Colours to bytes for the two kinds of addressable strip, within a limit of current.

Everything here is arithmetic: a *frame* is one colour per LED, in the order of the strip, and comes out as
the bytes that a bus sends. ``hardware.lights`` owns the bus.

*APA102* and its clone *SK9822* are clocked (data and clock line): any SPI speed works, and nothing depends on
timing. *WS2812* has one data line and a fixed bit time; three SPI bits make one of its bits, which needs a
bus at :data:`WS2812_HZ`.

**Current.** An LED draws an idle current and, per channel, a current proportional to its level. :func:`limit`
first caps every level; then, where the whole frame would draw more than the budget, it scales all levels by
one factor and rounds down. So no frame exceeds the budget. The figures are those of the data sheet: measure
one strip of a new make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]
"""Red, green, blue, each 0-255."""

Frame: TypeAlias = Sequence[Colour]
"""One colour per LED, in the order of the strip."""

OFF: Colour = (0, 0, 0)

WS2812_HZ = 2_400_000
"""The SPI clock for WS2812: three bits of 417 ns make one of its bits. A Pi reaches 2.40-2.41 MHz."""

WS2812_RESET_BYTES = 90
"""Zero bytes that end a WS2812 frame: 300 µs of low at 2.4 MHz. The first chips latch after 50 µs, later ones
(V5, 2020) need 280."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the strip may draw.

    ``milliamps`` is for the whole strip; ``channel`` is what one colour of one LED draws at level 255,
    ``idle`` what an LED draws when dark, both in mA. The defaults are those of an APA102 at 5 V. ``cap``
    (0-255) is the greatest level ever sent.
    """

    milliamps: float
    channel: float = 20.0
    idle: float = 1.0
    cap: int = 255

    def __post_init__(self) -> None:
        if self.channel <= 0 or self.idle < 0 or self.milliamps <= 0:
            raise ValueError("currents must be positive (idle may be 0)")
        if not 0 <= self.cap <= 255:
            raise ValueError(f"cap {self.cap}: a level is 0-255")


def current(frame: Frame, budget: Budget) -> float:
    """The current of this frame in mA, by the budget's figures."""
    return float(len(frame) * Fraction(budget.idle) + sum(map(sum, frame)) * Fraction(budget.channel) / 255)


def limit(frame: Frame, budget: Budget) -> list[Colour]:
    """The frame as it may be shown: no level above the cap, no more current than the budget, hues kept as far
    as whole levels allow.

    Raises ValueError where the strip's idle current alone exceeds the budget."""
    spare = Fraction(budget.milliamps) - len(frame) * Fraction(budget.idle)
    if spare < 0:
        drawn = f"{len(frame)} dark LEDs draw {len(frame) * budget.idle:g} mA"
        raise ValueError(f"{drawn}, more than the {budget.milliamps:g} mA allowed: shorten the strip")
    capped = [(_cap(red, budget), _cap(green, budget), _cap(blue, budget)) for red, green, blue in frame]
    asked = sum(map(sum, capped))
    allowed = int(spare * 255 / Fraction(budget.channel))
    """The budget in levels, all channels together; in fractions, so that no rounding adds one."""
    if asked <= allowed:
        return capped
    return [
        (red * allowed // asked, green * allowed // asked, blue * allowed // asked)
        for red, green, blue in capped
    ]


def _cap(level: int, budget: Budget) -> int:
    if not 0 <= level <= 255:
        raise ValueError(f"level {level}: a level is 0-255")
    return level * budget.cap // 255


def apa102(frame: Frame, brightness: int = 31) -> bytes:
    """The bytes of one frame for APA102 or SK9822.

    * Start: 32 zero bits.
    * Per LED: ``111`` and the 5-bit brightness, then blue, green, red.
    * End: 32 zero bits, which an SK9822 needs before it shows the new colours, then half a clock pulse per
      LED (each LED delays the data by half a clock), rounded up to bytes. The data sheet's end of 32 ones is
      enough for 64 LEDs only, and further LEDs would read it as white; zeros do the same and are harmless.

    Leave ``brightness`` at 31 under a camera: an APA102 makes it by switching all colours at 582 Hz, which
    shows as bands in the picture, while levels are switched at 19 kHz. Raises ValueError where a value is out
    of range.
    """
    if not 0 <= brightness <= 31:
        raise ValueError(f"brightness {brightness}: it has 5 bits, 0-31")
    head = 0b1110_0000 | brightness
    body = b"".join(bytes((head, blue, green, red)) for red, green, blue in frame)
    return bytes(4) + body + bytes(4 + (len(frame) + 15) // 16)


def _expand(level: int) -> bytes:
    """Eight data bits as 24 bus bits, highest first: 1 is ``110`` (833 ns high, 417 low), 0 is ``100``."""
    bits = 0
    for shift in range(7, -1, -1):
        bits = bits << 3 | (0b110 if level >> shift & 1 else 0b100)
    return bits.to_bytes(3, "big")


_EXPANDED = tuple(_expand(level) for level in range(256))


def ws2812(frame: Frame) -> bytes:
    """The bytes of one frame for WS2812 and its kin, to be sent at :data:`WS2812_HZ` without a pause.

    Green, red, blue, highest bit first, three bus bits for each bit. One zero byte leads, because some buses
    idle high and would stretch the first bit; :data:`WS2812_RESET_BYTES` zero bytes follow, to latch. Raises
    ValueError where a level is out of range.
    """
    for colour in frame:
        if not all(0 <= level <= 255 for level in colour):
            raise ValueError(f"colour {colour}: a level is 0-255")
    body = b"".join(_EXPANDED[green] + _EXPANDED[red] + _EXPANDED[blue] for red, green, blue in frame)
    return bytes(1) + body + bytes(WS2812_RESET_BYTES)
