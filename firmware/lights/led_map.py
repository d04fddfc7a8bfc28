"""Which LEDs shine for which place, and how a pattern looks over time.

The engine says that ``p13`` blinks vermilion, the configuration which LEDs ``p13`` has; here both become a
frame for the strip, at one moment. A hex has no LEDs of its own: those of its row and its column shine, along
two edges of the map.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.lamp_signals import Light, Pattern
from engine.layout import Side
from engine.position import Dice
from engine.session import Session
from hardware.strip import OFF, Colour

BLINK = 0.5
"""Seconds of one blink, half of it lit: two a second; three may harm some people (WCAG 2.3.1)."""
TURN = 2 * BLINK
"""Seconds for which one of several hexes blinks: two blinks."""
PULSE = 1.6
"""Seconds of one pulse."""
LOW = 0.25
"""The least part of a pulsing light: it never goes out, as a blinking one does."""
TUMBLE = 0.8
"""Seconds for which dice tumble."""
TURNS_OVER = 6
"""Faces that a tumbling die shows one after the other."""
GAMMA = 2.2
"""Colours are given as a screen shows them (sRGB); an LED's light is proportional to its level."""

_Lamp = TypeVar("_Lamp")
_HEX = re.compile(r"hex\.(-?\d+),(-?\d+)")
_RANK = (Pattern.STEADY, Pattern.PULSE, Pattern.BLINK)
"""Where two places share an LED, the later of these wins."""


def lamps_of(place: str) -> tuple[str, ...]:
    """The lamps of a place: its own, for a hex those of its row and its column."""
    cell = _HEX.fullmatch(place)
    if cell is None:
        return (place,)
    q, r = int(cell[1]), int(cell[2])
    return f"row.{r}", f"column.{q + r // 2}"  # odd rows lie half a hex to the right


def by_lamp(wanted: Mapping[str, Light]) -> dict[str, Light]:
    """What every lamp shows; where two places share a lamp, the more urgent."""
    return _most_urgent(wanted, lamps_of)


def _most_urgent(wanted: Mapping[str, Light], lamps: Callable[[str], Iterable[_Lamp]]) -> dict[_Lamp, Light]:
    shown: dict[_Lamp, Light] = {}
    for place, light in wanted.items():
        for lamp in lamps(place):
            if lamp not in shown or _RANK.index(light.pattern) > _RANK.index(shown[lamp].pattern):
                shown[lamp] = light
    return shown


def _one_blinking_hex(lit: Mapping[str, Light], since: float) -> dict[str, Light]:
    """Of the hexes that blink, only one at a time: the rows and columns of two cross at four places."""
    turns = sorted(
        place for place, light in lit.items() if light.pattern is Pattern.BLINK and _HEX.fullmatch(place)
    )
    waiting = set(turns) - {turns[int(since / TURN) % len(turns)]} if turns else set()
    return {place: light for place, light in lit.items() if place not in waiting}


def blinking(lit: Mapping[str, Light]) -> frozenset[str]:
    """The places that blink."""
    return frozenset(place for place, light in lit.items() if light.pattern is Pattern.BLINK)


def tumbling(session: Session, since: float) -> Dice:
    """What the dice show ``since`` seconds after they fell: one face after another, slower towards
    the end; then (), for the roll itself."""
    if session.table is None or not 0 <= since < TUMBLE:
        return ()
    step = int(TURNS_OVER * math.sqrt(since / TUMBLE))
    return tuple((face + 2 * number + step * 5) % 6 + 1 for number, face in enumerate(session.table.dice))


def level(pattern: Pattern, t: float) -> float:
    """The brightness of a light with this pattern at ``t`` seconds, 0 to 1."""
    if pattern is Pattern.BLINK:
        return 1.0 if t % BLINK < BLINK / 2 else 0.0
    if pattern is Pattern.PULSE:
        return LOW + (1 - LOW) * (1 + math.cos(2 * math.pi * t / PULSE)) / 2
    return 1.0


@dataclass(frozen=True, slots=True)
class LedMap:
    """``leds``: place -> its LEDs, of ``count``."""

    leds: Mapping[str, Sequence[int]]
    count: int

    @classmethod
    def of(cls, configured: Mapping[str, Sequence[int]], count: int, sides: Sequence[Side]) -> LedMap:
        """The configured map (its sides are ``first`` and ``second``) for a game with these ``sides``."""
        names = dict(zip(("first", "second"), sides, strict=True))

        def named(place: str) -> str:
            return ".".join(names.get(part, part) for part in place.split("."))

        return cls({named(place): leds for place, leds in configured.items()}, count)

    def frame(self, lit: Mapping[str, Light], since: float) -> list[Colour]:
        """What every LED shows, of what is ``lit``, so many seconds after the pattern began: a blink begins
        lit, so that players see a foul at once."""
        shown = _most_urgent(_one_blinking_hex(lit, since), self._of)
        return [_colour(shown[led], since) if led in shown else OFF for led in range(self.count)]

    def _of(self, place: str) -> Iterator[int]:
        for lamp in lamps_of(place):
            yield from self.leds.get(lamp, ())


def _colour(light: Light, t: float) -> Colour:
    bright = level(light.pattern, t)
    red, green, blue = (round(255 * (value / 255) ** GAMMA * bright) for value in light.colour)
    return red, green, blue
