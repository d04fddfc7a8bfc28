"""The board of hexes and the map on it (siege-master: COMPONENTS, SET-UP, Map-grid).

A *hex* is ``(q, r)`` in axial coordinates, pointy-top: ``q`` grows to the right, ``r`` downwards and half a
hex to the right. A board of ``cols`` x ``rows`` hexes is laid out in offset rows, the odd ones shifted right
by half a hex, with 0,0 at the top left.

Sets of the map's hexes are bit sets: Python integers with one bit a hex, numbered row by row in a rectangle
of axial coordinates that is one column wider than the map. The spare column stays empty, so that a shift by
1, by ``width`` or by ``width - 1`` goes to the next hex in one of the three directions and never wraps into
another row. Whole regions are then grown, and whole rows of four found, in a few operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from engine.layout import DIRECTIONS, EMPTY, Cell, Hex, Look, hex_cell

Board: TypeAlias = tuple[int, int]
"""Columns and rows of the whole board."""

LIMIT = 99
"""No coordinate is farther from 0 than this: real boards have some twenty columns, and a typing error must
not ask for gigabytes."""

_HEX = re.compile(r"(-?\d{1,2}),(-?\d{1,2})")


def parse_hex(text: object) -> Hex:
    """``"3,-1"`` as a hex. Raises ValueError where it is none."""
    found = _HEX.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{text!r} is not a hex: write column and row like '3,-1', at most {LIMIT}")
    return int(found[1]), int(found[2])


def name(place: Hex) -> str:
    """A hex as text: ``3,-1``."""
    return f"{place[0]},{place[1]}"


def in_order(places: Iterable[Hex]) -> list[Hex]:
    """Hexes row by row, from the left."""
    return sorted(places, key=lambda place: (place[1], place[0]))


def neighbours(place: Hex) -> tuple[Hex, ...]:
    """The six hexes that share an edge with this one, on the board or not."""
    q, r = place
    return tuple((q + sign * dq, r + sign * dr) for dq, dr in DIRECTIONS for sign in (1, -1))


def apart(one: Hex, other: Hex) -> int:
    """The number of steps from hex to hex between two hexes."""
    dq, dr = one[0] - other[0], one[1] - other[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def on_board(board: Board) -> frozenset[Hex]:
    """Every hex of a board."""
    cols, rows = board
    return frozenset((col - row // 2, row) for row in range(rows) for col in range(cols))


def at_edge(place: Hex, board: Board) -> bool:
    """Whether a hex of the board lies in its outermost ring."""
    cols, rows = board
    col, row = place[0] + place[1] // 2, place[1]
    return col in (0, cols - 1) or row in (0, rows - 1)


def enclosed(board: Board, border: frozenset[Hex], fortresses: frozenset[Hex]) -> frozenset[Hex]:
    """The hexes of the map that border tokens and fortresses outline on a board (Map-grid).

    A connected region without border tokens belongs to the map if no hex of it is at the board's edge, or if
    it holds a fortress.
    """
    cells: set[Hex] = set()
    unseen = set(on_board(board) - border)
    while unseen:
        region = {unseen.pop()}
        growing = list(region)
        while growing:
            fresh = unseen.intersection(neighbours(growing.pop()))
            unseen -= fresh
            region |= fresh
            growing.extend(fresh)
        if region & fortresses or not any(at_edge(place, board) for place in region):
            cells |= region
    return frozenset(cells)


@dataclass(frozen=True)
class HexMap:
    """One map: what does not change while a game is played on it. Build it with :meth:`of`, which shares the
    tables of equal maps.

    ``cells`` are the map's hexes, those under fortresses too; ``board`` is None where only border and map are
    known.
    """

    board: Board | None
    border: frozenset[Hex]
    cells: frozenset[Hex]

    @staticmethod
    @lru_cache(maxsize=64)
    def of(board: Board | None, border: frozenset[Hex], cells: frozenset[Hex]) -> HexMap:
        """The map of these hexes. ``cells`` must not be empty."""
        return HexMap(board, border, cells)

    @cached_property
    def _frame(self) -> tuple[int, int, int]:
        """The first column, the first row and the width of the rectangle that the bits number."""
        columns = [q for q, _ in self.cells]
        return min(columns), min(r for _, r in self.cells), max(columns) - min(columns) + 2

    def bit(self, place: Hex) -> int:
        """The set that holds one hex of the map."""
        first_q, first_r, width = self._frame
        return 1 << ((place[1] - first_r) * width + place[0] - first_q)

    def mask(self, places: Iterable[Hex]) -> int:
        """The set that holds these hexes of the map."""
        return sum(map(self.bit, set(places)))

    def hexes(self, mask: int) -> tuple[Hex, ...]:
        """The hexes of a set, row by row from the left."""
        first_q, first_r, width = self._frame
        places: list[Hex] = []
        while mask:
            low = mask & -mask
            row, column = divmod(low.bit_length() - 1, width)
            places.append((first_q + column, first_r + row))
            mask ^= low
        return tuple(places)

    @cached_property
    def all(self) -> int:
        """The set of the map's hexes."""
        return self.mask(self.cells)

    @cached_property
    def _shifts(self) -> tuple[int, int, int]:
        """How far each of DIRECTIONS is in bits."""
        width = self._frame[2]
        return 1, width, width - 1

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Every four hexes in a row on the map (COMPONENTS: an army covers a straight 1x4), direction by
        direction."""
        found = []
        for step in self._shifts:
            starts = self._starts(self.all, step)
            while starts:
                low = starts & -starts
                found.append(low | low << step | low << 2 * step | low << 3 * step)
                starts ^= low
        return tuple(found)

    @cached_property
    def line_cells(self) -> dict[int, tuple[Cell, ...]]:
        """The cells of each line."""
        return {line: tuple(map(hex_cell, self.hexes(line))) for line in self.lines}

    @cached_property
    def bare(self) -> dict[Cell, Look]:
        """Every hex of the board, or of border and map where the board is not known, row by row, with nothing
        on it but the border."""
        places = on_board(self.board) if self.board is not None else self.border | self.cells
        return {hex_cell(place): ("border",) if place in self.border else EMPTY for place in in_order(places)}

    @staticmethod
    def _starts(mask: int, step: int) -> int:
        """The first hexes of all rows of four inside ``mask`` in one direction."""
        pairs = mask & mask >> step
        return pairs & pairs >> 2 * step

    def room(self, empty: int) -> int:
        """The hexes of every row of four inside ``empty``: wherever an army fits, the hexes that it would
        cover."""
        covered = 0
        for step in self._shifts:
            starts = self._starts(empty, step)
            pairs = starts | starts << step
            covered |= pairs | pairs << 2 * step
        return covered

    def around(self, mask: int) -> int:
        """``mask`` and the map's hexes that share an edge with it."""
        one, width, slant = self._shifts
        return (
            mask | mask << one | mask >> one | mask << width | mask >> width | mask << slant | mask >> slant
        ) & self.all

    def besieged(self, targets: int, free: int, empty: int) -> int:
        """Those of ``targets`` that lie in siege areas (IMPORTANT CONCEPTS).

        ``free`` are the hexes without an army, ``empty`` those of them without a fortress, ``targets`` some
        of ``free``. A region of free hexes is a siege area when no army fits into it, so a target is besieged
        when no room for an army is connected to it.
        """
        reached = self.room(empty)
        while targets := targets & ~reached:
            grown = self.around(reached) & free
            if grown == reached:
                break
            reached = grown
        return targets
