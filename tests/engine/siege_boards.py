"""Boards of hexes drawn as text, for tests.

One string a row, one character a hex: ``#`` border, ``.`` empty, ``n`` ``r`` ``b`` a fortress (neutral, red,
blue). Odd rows lie half a hex to the right, as on the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.rules import get
from engine.rules.siege_master.hexmap import Hex, name
from engine.rules.siege_master.position import SiegePosition

OWNERS = {"n": "neutral", "r": "red", "b": "blue"}


def at(col: int, row: int) -> Hex:
    """The hex in a column and a row of the drawing."""
    return col - row // 2, row


def drawn(rows: Sequence[str]) -> dict[str, Any]:
    """Board, border and fortresses of a drawing, in the JSON form."""
    marks = {name(at(col, row)): mark for row, line in enumerate(rows) for col, mark in enumerate(line)}
    return {
        "board": {"cols": len(rows[0]), "rows": len(rows)},
        "border": [place for place, mark in marks.items() if mark == "#"],
        "fortresses": {place: OWNERS[mark] for place, mark in marks.items() if mark in OWNERS},
    }


def position(
    *rows: str, armies: Sequence[str] = (), turn: str | None = "red", last_capture: bool = False
) -> SiegePosition:
    """The position of a drawing, with armies like ``"red 1,1 2,1 3,1 4,1"`` in the order placed."""
    placed = [[side, places] for side, *places in map(str.split, armies)]
    data = {**drawn(rows), "armies": placed, "last_capture": last_capture} | ({"turn": turn} if turn else {})
    found = get("siege-master").read(data)
    assert isinstance(found, SiegePosition)
    return found


def start(*rows: str) -> SiegePosition:
    """The start of a game on a drawn board."""
    board = drawn(rows)
    found = get("siege-master").start(
        {**board["board"], "border": board["border"], "fortresses": board["fortresses"]}
    )
    assert isinstance(found, SiegePosition)
    return found
