"""The strip as the page draws it: a lamp for every place that the game can light."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from engine.lamp_signals import signals
from engine.layout import Cell, Side
from engine.position import Json
from engine.session import Session
from firmware.lights.led_map import by_lamp, lamps_of


@lru_cache(maxsize=4)
def dark(sides: tuple[Side, ...], cube: bool, cells: tuple[Cell, ...]) -> Mapping[str, Json]:
    """Every place that a lamp can stand for in this game, as it is drawn while dark: its cells (of
    hexes the rows and columns), the players, the cube, the dice."""
    around = [f"player.{side}" for side in sides]
    if cube:
        around += ["cube", *(f"cube.{side}" for side in sides)]
    around += [f"dice.{side}.{face}" for side in sides for face in range(1, 7)]
    around += [f"die.{number}.{spot}" for number in (1, 2) for spot in range(1, 8)]
    lamps = dict.fromkeys(lamp for cell in cells for lamp in lamps_of(cell))
    return {place: _drawn(place, "#000000", "steady") for place in (*lamps, *around)}


def draw_strip(session: Session, t: float) -> list[Json]:
    """Every lamp at table time ``t``: its place, colour, and pattern. Empty before a match has begun."""
    if session.table is None:
        return []
    wanted = by_lamp(signals(session, t))
    rules = session.table.rules
    unlit = dark(tuple(rules.sides), rules.cube, tuple(session.table.position.looks()))
    lit = {
        place: _drawn(place, "#{:02x}{:02x}{:02x}".format(*light.colour), light.pattern.value)
        for place, light in wanted.items()
        if place in unlit
    }
    return [*{**unlit, **lit}.values()]


def _drawn(place: str, colour: str, pattern: str) -> Json:
    return {"place": place, "colour": colour, "pattern": pattern}
