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

HOMES: Mapping[Side, frozenset[Cell]] = {
    "white": frozenset(f"p{number}" for number in range(1, 7)),
    "black": frozenset(f"p{number}" for number in range(19, 25)),
}
"""Each side's home board, where checkers on 24 points are borne off from."""


def differing(one: Looks, other: Looks) -> tuple[Cell, ...]:
    """The cells known to both whose looks differ, in the order of ``one``."""
    return tuple(cell for cell, look in one.items() if cell in other and other[cell] != look)


def distance(one: Looks, other: Looks) -> int:
    """How many pieces must be put down or taken up to turn ``one`` into ``other``, over the cells known to
    both."""
    return sum(apart(one[cell], other[cell]) for cell in differing(one, other))


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
