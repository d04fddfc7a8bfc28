"""How well evidence explains many boards at once.

No point holds both colours, so what a cell scores is a sum: its score when empty, plus what the first side's
count changes, plus what the second's changes. The score of a board is then a sum over its nibbles, and two
nibbles, a byte of the board, are one lookup in a table that fills itself as boards need it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import lru_cache
from operator import getitem, itemgetter
from typing import NamedTuple

from engine.evidence import Evidence
from engine.layout import EMPTY, Cell, Piece
from engine.rules._packed import PLACES


class Nibble(NamedTuple):
    """What one of a board's 52 nibbles counts."""

    cell: Cell
    piece: Piece
    empty: bool
    """Whether the score of the empty cell is counted here: once a cell."""


class _Byte(dict[int, float]):
    """What one byte of a board scores, by value; worked out at the first use."""

    def __init__(self, evidence: Evidence, nibbles: Sequence[Nibble]) -> None:
        self._evidence = evidence
        self._nibbles = nibbles

    def __missing__(self, value: int) -> float:
        low, high = self._nibbles
        total = self[value] = self._score(low, value & 15) + self._score(high, value >> 4)
        return total

    def _score(self, nibble: Nibble, number: int) -> float:
        looks = self._evidence.cells.get(nibble.cell)
        if looks is None:
            return 0.0
        base = looks.get(EMPTY, self._evidence.floor)
        score = looks.get((nibble.piece,) * number, self._evidence.floor) if number else base
        return score if nibble.empty else score - base


def best(
    boards: Sequence[int], nibbles: tuple[Nibble, ...], evidence: Evidence, count: int
) -> list[tuple[float, int]]:
    """The ``count`` boards of the highest score with their scores in nats, best first, and as given among
    equals."""
    tables = _tables(evidence, nibbles)
    scored = [(sum(map(getitem, tables, board.to_bytes(PLACES, "little"))), board) for board in boards]
    return heapq.nlargest(count, scored, key=itemgetter(0))


@lru_cache(maxsize=16)  # one picture is asked about for each of the rolls that there may have been
def _tables(evidence: Evidence, nibbles: tuple[Nibble, ...]) -> list[_Byte]:
    return [_Byte(evidence, nibbles[2 * byte : 2 * byte + 2]) for byte in range(PLACES)]
