"""Checkers on a 24-point board as one integer.

A *board* is 52 nibbles (four bits each, so a count of 0-15). Nibble ``i`` counts the checkers of the first
side on place ``i``, nibble ``26 + i`` those of the second. Places 1-24 are the points. The first side moves
down: it enters from place 25 (``ENTRY``: the bar, or a reserve) and leaves at place 0 (``EXIT``: borne off,
or locked). The second side moves up, so its entry is place 0 and its exit place 25 of its own half.

*Standing* boards have white as the first side: places are the table's point numbers. A *mover's* board has
the side on turn as the first side, so that every rule is written once, for somebody who moves down from 25 to
0. ``flip`` turns one into the other: it reverses all 52 nibbles, which swaps the sides and mirrors the points
in one stroke.

Moving a checker is then adding a constant, and a rule about places is a mask.
"""

from __future__ import annotations

PLACES = 26
ENTRY = 25
EXIT = 0
MOST = 15
"""The most checkers that a place can count: a nibble with every bit set, and so the mask of any checkers."""
HALF = 4 * PLACES
"""Bits of one side's half."""

_SWAPPED = bytes((value & 15) << 4 | value >> 4 for value in range(256))


def flip(board: int) -> int:
    """The same board seen by the other side."""
    return int.from_bytes(board.to_bytes(PLACES, "little").translate(_SWAPPED), "big")


def first(place: int) -> int:
    """One checker of the first side on ``place``."""
    return 1 << 4 * place


def second(place: int) -> int:
    """One checker of the second side on ``place``."""
    return 1 << HALF + 4 * place


def count_first(board: int, place: int) -> int:
    """How many checkers the first side has on ``place``."""
    return board >> 4 * place & 15


def count_second(board: int, place: int) -> int:
    """How many checkers the second side has on ``place``."""
    return board >> HALF + 4 * place & 15


def counts(board: int) -> tuple[list[int], list[int]]:
    """The counts of places 0-25, first side and second side."""
    nibbles = [nibble for byte in board.to_bytes(PLACES, "little") for nibble in (byte & 15, byte >> 4)]
    return nibbles[:PLACES], nibbles[PLACES:]


def pack(firsts: list[int], seconds: list[int]) -> int:
    """The inverse of :func:`counts`; every count must be 0-15."""
    return sum(number << 4 * place for place, number in enumerate((*firsts, *seconds)))
