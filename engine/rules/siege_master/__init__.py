"""Siege Master, a game of territory on hexes by Phillip L. Leduc, as refereed here.

``hexmap`` is the board and the map, ``setup`` what may stand on it, ``notation`` the text of plays, ``position`` the game, ``faults`` what
to tell the players of an illegal play. "PLAYER ACTIONS" and the like name the section of the rule text that a piece of code implements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import ImpossibleSetup
from engine.position import Position, Rules
from engine.rules.siege_master.faults import why
from engine.rules.siege_master.position import SiegePosition
from engine.rules.siege_master.setup import NAME, OPTIONS, SIDES, Setup


def start(options: Mapping[str, Any]) -> SiegePosition:
    """The first position on the board that ``options`` describe (``cols``, ``rows``, ``border``, ``fortresses``).

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
    """What the players may want to know of their board: fortresses close together, an even number of them (SET-UP)."""
    return Setup.from_json(position.to_json()).notes()


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
)
