"""Boards that the players set up themselves: what the camera reads, and what players correct."""

from __future__ import annotations

from collections.abc import Mapping

from engine import rules as games
from engine.errors import EngineError
from engine.layout import Looks
from engine.messages import phrase
from engine.position import Awaits, Json, Rules
from firmware.errors import BadInput
from firmware.setup.games import looks_json
from vision import boards

MOST = 4000
"""No map has more cells."""


def settable_pieces(rules: Rules) -> list[str]:
    """The pieces that players set up: those that the game looks at."""
    assert rules.set_up is not None
    cell = "hex.0,0"
    bare = rules.set_up({cell: ()})
    return [piece for piece in boards.get(rules.board).pieces if rules.set_up({cell: (piece,)}) != bare]


def map_rules(name: object) -> Rules:
    """A game with a map. Raises BadInput or EngineError."""
    rules = games.get(str(name))
    if rules.set_up is None:
        raise BadInput(phrase("{title} has a fixed board; there is no map to confirm", title=rules.title))
    return rules


def describe_map(rules: Rules, looks: Looks) -> Json:
    """A map for the page: what stands where, the options for the game, what is unusual, and why no game can
    begin on it. Raises BadInput for unknown cells."""
    assert rules.set_up is not None
    pieces = settable_pieces(rules)
    try:
        options = dict(rules.set_up(looks))
    except ValueError as error:
        raise BadInput(str(error)) from error
    answer: Json = {"cells": looks_json(looks), "options": options, "pieces": pieces}
    answer |= {"notes": [], "reason": None, "dice": False}
    try:
        position = rules.start(options)
    except EngineError as error:
        return answer | {"reason": str(error)}
    return answer | {"notes": list(position.notes()), "dice": position.awaits is not Awaits.PLAY}


def read_cells(rules: Rules, data: object) -> Looks:
    """The looks that the page sends: cell -> its pieces. Raises BadInput."""
    if not isinstance(data, Mapping) or not data or len(data) > MOST:
        raise BadInput("cells must be an object: each cell with its pieces")
    pieces = settable_pieces(rules)
    looks: dict[str, tuple[str, ...]] = {}
    for cell, look in data.items():
        if not isinstance(look, list) or any(piece not in pieces for piece in look):
            raise BadInput(f"{cell}: must be a list of {', '.join(pieces)}")
        looks[cell] = tuple(look)
    return looks
