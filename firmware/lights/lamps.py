"""The table's strip: which LED belongs to which named place, and letting it shine.

What shines where is the engine's word (``engine.lamp_signals``); here it becomes one colour per LED.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.lamp_signals import Light, signals
from engine.position import Json, Rules
from engine.session import Session
from firmware.lights.lampmap import by_lamp, lamps_of
from hardware.protocols import Lights
from hardware.strip import OFF, Colour


def places(rules: Rules, session: Session) -> tuple[str, ...]:
    """Every place that a lamp can stand for in this game: its cells (of hexes the rows and columns), the
    players, the cube, the dice."""
    assert session.position is not None
    around = [f"player.{side}" for side in rules.sides]
    if rules.cube:
        around += ["cube", *(f"cube.{side}" for side in rules.sides)]
    around += [f"dice.{side}.{face}" for side in rules.sides for face in range(1, 7)]
    lamps = dict.fromkeys(lamp for cell in session.position.looks() for lamp in lamps_of(cell))
    return (*lamps, *around)


@dataclass(frozen=True, slots=True)
class Strip:
    """A strip and its map: ``places[n]`` is what LED n stands for."""

    device: Lights
    places: Sequence[str]

    def show(self, session: Session, t: float) -> None:
        """Lets the strip shine as the session wants it to. Raises DeviceLost."""
        wanted = by_lamp(signals(session, t))
        self.device.show([_colour(wanted.get(place)) for place in self.places])


def _colour(light: Light | None) -> Colour:
    return OFF if light is None else (light.colour.red, light.colour.green, light.colour.blue)


def shining(session: Session, t: float, leds: Sequence[Colour], named: Sequence[str]) -> list[Json]:
    """Every LED of a strip as the page draws it: its place, the colour that it has, and the pattern over
    time."""
    wanted = by_lamp(signals(session, t))
    return [
        {
            "place": place,
            "colour": "#{:02x}{:02x}{:02x}".format(*led),
            "pattern": wanted[place].pattern.value if place in wanted else "steady",
        }
        for place, led in zip(named, leds, strict=True)
    ]
