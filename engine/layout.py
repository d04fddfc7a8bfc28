"""What stands where, in words that every game shares.

A *cell* is a named place: ``p1`` … ``p24``, ``bar.white``, ``off.black``, ``reserve.white``,
``locked.black``, ``hand.white``, ``hex.3,-1``. A *piece* is a kind of thing that can stand there: ``white``
(a checker), ``white.3`` (a large pyramid), ``border``, ``fortress.neutral``, ``army.red``. Cells and pieces
are plain strings, so that a layout can be written to a log and read by eyes and programs alike.

A *stack* is what stands in one cell: layers from bottom to top, each layer the pieces that stand side by
side. Five checkers on a point are one layer of five; a pyramid that pins another is a second layer. No layer
holds two colours.

A *look* is what a camera can make out of one cell: the pieces that it sees, sorted. Checkers show all of
themselves; pyramids only their top layer. Each game says so itself (``Position.looks``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

Side: TypeAlias = str
"""A player by colour: ``white`` / ``black``, or ``red`` / ``blue``."""

Cell: TypeAlias = str
Piece: TypeAlias = str

Layer: TypeAlias = tuple[Piece, ...]
"""Pieces of one colour, side by side."""

Stack: TypeAlias = tuple[Layer, ...]
"""Layers, bottom to top."""

Layout: TypeAlias = Mapping[Cell, Stack]
"""Occupied cells only, whether a camera could see them or not."""

Look: TypeAlias = tuple[Piece, ...]
"""The pieces that can be seen in a cell, sorted; ``()`` is an empty cell."""

Looks: TypeAlias = Mapping[Cell, Look]
"""A look for every cell that this game has and a camera might see, the empty ones too."""

EMPTY: Look = ()

Hex: TypeAlias = tuple[int, int]
"""Axial coordinates ``(q, r)``, pointy-top."""

DIRECTIONS: tuple[Hex, Hex, Hex] = ((1, 0), (0, 1), (-1, 1))
"""The three directions in which hexes lie in a row; with their opposites, the six neighbours."""

POINTS = range(1, 25)
"""The points of a 24-point board, numbered from White's side."""
POINT_CELLS: tuple[Cell, ...] = tuple(f"p{number}" for number in POINTS)
"""Their cells."""
_NUMBERS: Mapping[Cell, int] = dict(zip(POINT_CELLS, POINTS, strict=True))
_HEX = re.compile(r"hex\.(-?\d+),(-?\d+)")


def point_cell(number: int) -> Cell:
    """The cell of a point, 1-24: ``p13``."""
    return POINT_CELLS[number - 1]


def point_of(cell: Cell) -> int | None:
    """The number of a point's cell; None for any other cell."""
    return _NUMBERS.get(cell)


def hex_cell(place: Hex) -> Cell:
    """The cell of a hex: ``hex.3,-1``."""
    return f"hex.{place[0]},{place[1]}"


def hex_of(cell: Cell) -> Hex | None:
    """The hex of its cell; None for any other cell."""
    found = _HEX.fullmatch(cell)
    return (int(found[1]), int(found[2])) if found else None


def name_parts(name: Cell | Piece) -> tuple[str, str]:
    """A name before and after its dot: ``bar.white`` is ``bar`` and ``white``, ``white.3`` is ``white`` and
    ``3``; after it nothing where there is no dot."""
    before, _, after = name.partition(".")
    return before, after


def cell_text(cell: Cell) -> str:
    """A cell for people: ``13`` for ``p13``, ``white's bar`` for ``bar.white``, ``hex 3,-1``."""
    number = point_of(cell)
    if number is not None:
        return str(number)
    place, rest = name_parts(cell)
    return (f"{place} {rest}" if hex_of(cell) else f"{rest}'s {place}") if rest else place


def differing(one: Looks, other: Looks) -> tuple[Cell, ...]:
    """The cells known to both whose looks differ, in the order of ``one``."""
    return tuple(cell for cell, look in one.items() if cell in other and other[cell] != look)


@lru_cache(maxsize=1 << 16)
def apart(one: Look, other: Look) -> int:
    """How many pieces must be put down or taken up to turn one look into another."""
    rest = list(other)
    missing = 0
    for piece in one:
        if piece in rest:
            rest.remove(piece)
        else:
            missing += 1
    return missing + len(rest)
