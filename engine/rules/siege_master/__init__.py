"""Siege Master, a game of territory on hexes by Phillip L. Leduc, as refereed here.

``hexmap`` is the board and the map, ``setup`` what may stand on it, ``notation`` the text of plays,
``position`` the game, ``faults`` what to tell the players of an illegal play. "PLAYER ACTIONS" and the like
name the section of the rule text that a piece of code implements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import ImpossibleSetup
from engine.layout import Looks
from engine.position import Position, Rules
from engine.rules.siege_master.faults import why
from engine.rules.siege_master.hexmap import in_order, name, parse_hex
from engine.rules.siege_master.position import SiegePosition
from engine.rules.siege_master.setup import NAME, NEUTRAL, OPTIONS, SIDES, Setup


def start(options: Mapping[str, Any]) -> SiegePosition:
    """The first position on the board that ``options`` describe (``cols``, ``rows``, ``border``,
    ``fortresses``).

    Raises ImpossibleSetup where they hold no board, or one on which no game can be played.
    """
    position = SiegePosition.of(Setup.from_options(options))
    if position.turn is None:
        raise ImpossibleSetup(("no army fits on this map: leave four empty hexes in a row somewhere",))
    return position


def read(data: Mapping[str, Any]) -> SiegePosition:
    """A position from its stable JSON form. Raises ImpossibleSetup with every reason."""
    return SiegePosition.of(Setup.from_json(data))


def notes(position: Position) -> Sequence[str]:
    """What the players may want to know of their board: fortresses close together, an even number of them
    (SET-UP)."""
    return Setup.from_json(position.to_json()).notes()


def shown(looks: Looks) -> Mapping[str, Any]:
    """The options of a game on the board that these looks show: all its hexes, the empty ones too."""
    places = {
        parse_hex(cell.removeprefix("hex.")): look for cell, look in looks.items() if cell.startswith("hex.")
    }
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
    why=why,
    whole_looks=False,
    board="hexes",
    notes=notes,
    shown=shown,
)
