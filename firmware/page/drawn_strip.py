"""The strip as the page draws it: a lamp for every place that the game can light."""

from __future__ import annotations

from engine.lamp_signals import signals
from engine.position import Json, Rules
from engine.session import Session
from firmware.lights.led_map import by_lamp, lamps_of


def lamp_places(rules: Rules, session: Session) -> tuple[str, ...]:
    """Every place that a lamp can stand for in this game: its cells (of hexes the rows and columns), the
    players, the cube, the dice."""
    assert session.position is not None
    around = [f"player.{side}" for side in rules.sides]
    if rules.cube:
        around += ["cube", *(f"cube.{side}" for side in rules.sides)]
    around += [f"dice.{side}.{face}" for side in rules.sides for face in range(1, 7)]
    around += [f"die.{number}.{spot}" for number in (1, 2) for spot in range(1, 8)]
    lamps = dict.fromkeys(lamp for cell in session.position.looks() for lamp in lamps_of(cell))
    return (*lamps, *around)


def draw_strip(session: Session, t: float) -> list[Json]:
    """Every lamp at table time ``t``: its place, colour, and pattern. Empty before a match has begun."""
    if session.table is None:
        return []
    wanted = by_lamp(signals(session, t))
    drawn = []
    for place in lamp_places(session.table.rules, session):
        light = wanted.get(place)
        colour = "#000000" if light is None else "#{:02x}{:02x}{:02x}".format(*light.colour)
        pattern = "steady" if light is None else light.pattern.value
        drawn.append({"place": place, "colour": colour, "pattern": pattern})
    return drawn
