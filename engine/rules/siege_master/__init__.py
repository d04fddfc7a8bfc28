"""Siege Master, a game of territory on hexes by Phillip L. Leduc, as refereed here.

``hexmap`` is the board and the map, ``setup`` what may stand on it, ``notation`` the text of plays,
``position`` the game, ``faults`` what to tell the players of an illegal play. "PLAYER ACTIONS" and the like
name the section of the rule text that a piece of code implements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import ImpossibleSetup
from engine.layout import Looks, name_parts
from engine.messages import phrase
from engine.position import Rules
from engine.rules.siege_master.hexmap import in_order, name, parse_hex
from engine.rules.siege_master.position import SiegePosition
from engine.rules.siege_master.setup import NAME, NEUTRAL, OPTIONS, SIDES, SiegeSetup


def start(options: Mapping[str, Any]) -> SiegePosition:
    """The first position on the board that ``options`` describe (``cols``, ``rows``, ``border``,
    ``fortresses``).

    Raises ImpossibleSetup where they hold no board, or one on which no game can be played.
    """
    position = SiegePosition.of(SiegeSetup.from_options(options))
    if position.turn is None:
        raise ImpossibleSetup(
            (phrase("no army fits on this map: leave four empty hexes in a row somewhere"),)
        )
    return position


def read(data: Mapping[str, Any]) -> SiegePosition:
    """A position from its stable JSON form. Raises ImpossibleSetup with every reason."""
    return SiegePosition.of(SiegeSetup.from_json(data))


def set_up(looks: Looks) -> Mapping[str, Any]:
    """The options of a game on the board that these looks show: all its hexes, the empty ones too."""
    named = ((name_parts(cell), look) for cell, look in looks.items())
    places = {parse_hex(numbers): look for (kind, numbers), look in named if kind == "hex"}
    return {
        "cols": sum(r == 0 for _, r in places),
        "rows": len({r for _, r in places}),
        "border": [name(place) for place in in_order(places) if places[place] == ("border",)],
        "fortresses": [
            name(place) for place in in_order(places) if places[place] == (f"fortress.{NEUTRAL}",)
        ],
    }


RULES = Rules(
    name=NAME,
    title="Siege Master",
    sides=SIDES,
    cube=False,
    start=start,
    read=read,
    options=dict.fromkeys(OPTIONS),
    grades=(("win", 1),),
    board="hexes",
    set_up=set_up,
)
