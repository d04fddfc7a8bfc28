"""Rows of pyramids put together from single ones: which sizes stand where along a line, so that no two bases
overlap.

Dynamic programming over how many of each size stand up to a place and which stands last. All mixtures of as
many pieces are worked out at once, one row of a table each.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.layout import Look, name_parts
from vision.geometry.board_measures import SIDES
from vision.geometry.camera import Floats
from vision.pyramids.measures import STASH
from vision.reading import NEVER

Counts: TypeAlias = tuple[int, int, int]
"""How many small, medium and large pieces."""
Chain: TypeAlias = tuple[float, Counts, list[tuple[int, int]]]
"""A row's score in nats, its sizes, and size and place of each piece, from the last to the first."""
_Scores: TypeAlias = tuple[Floats, NDArray[np.int64], NDArray[np.int64]]
"""Of every row of a level (rows x place of the last piece): its score, and the row of one piece less that it
continues and where that one's last piece stands (-1: none)."""


@dataclass(frozen=True)
class _Level:
    """Rows of so many pieces. ``ends`` are their sizes and the size of the last piece; ``joins`` which of
    them (rows of a table) continue which rows of one piece less, by the last and the previous piece's
    size."""

    ends: tuple[tuple[Counts, int], ...]
    joins: tuple[tuple[int, int, NDArray[np.int64], NDArray[np.int64]], ...]


@cache
def _levels(most: int) -> tuple[_Level, ...]:
    found: list[_Level] = []
    before: dict[tuple[Counts, int], int] = {}
    for number in range(1, most + 1):
        mixtures = [
            counts for counts in itertools.product(range(STASH + 1), repeat=3) if sum(counts) == number
        ]
        ends = tuple(((a, b, c), last) for a, b, c in mixtures for last in range(3) if (a, b, c)[last])
        joins = []
        for last, previous in itertools.product(range(3), repeat=2):
            fewer = [
                (row, (_less(counts, last), previous))
                for row, (counts, end) in enumerate(ends)
                if end == last
            ]
            pairs = [(row, before[other]) for row, other in fewer if other in before]
            if pairs:
                to, source = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
                joins.append((last, previous, to, source))
        found.append(_Level(ends, tuple(joins)))
        before = {end: row for row, end in enumerate(ends)}
    return tuple(found)


def chains(gains: Floats, gap: Sequence[Sequence[int]], most: int, hopeless: float) -> list[Chain]:
    """The best row of every mixture of up to ``most`` pieces, the best first.

    ``gains`` (3 x places): what a piece of each size is worth at each place; ``gap[a][b]``: how many places
    further a piece of size b stands at least than one of size a. Longer rows are not looked at once all are
    twice ``hopeless`` nats behind the best.
    """
    length = gains.shape[1]
    levels, table = _levels(most), list[_Scores]()
    found: dict[Counts, tuple[float, int, int]] = {}
    best = NEVER
    for number, level in enumerate(levels):
        scores = np.full((len(level.ends), length), NEVER)
        came = np.full(scores.shape, -1, np.int64)
        place = np.full(scores.shape, -1, np.int64)
        if number == 0:
            scores[:] = gains[[last for _, last in level.ends]]
        else:
            reach, spots = _running(table[-1][0])
            for last, previous, to, source in level.joins:
                shift = gap[previous][last]
                if shift >= length:
                    continue
                moved = reach[source, : length - shift] + gains[last, shift:]
                better = moved > scores[to, shift:]
                scores[to, shift:] = np.where(better, moved, scores[to, shift:])
                came[to, shift:] = np.where(better, source[:, None], came[to, shift:])
                place[to, shift:] = np.where(better, spots[source, : length - shift], place[to, shift:])
        table.append((scores, came, place))
        tops = scores.max(axis=1)
        for row, ((counts, _), top) in enumerate(zip(level.ends, tops.tolist(), strict=True)):
            if top > found.get(counts, (NEVER, 0, 0))[0]:
                found[counts] = (top, number, row)
        best = max(best, float(tops.max()))
        if tops.max() < best - 2 * hopeless:
            break
    ranked = sorted(
        ((score, counts, number, row) for counts, (score, number, row) in found.items()), reverse=True
    )
    return [
        (score, counts, _trail(table, levels, number, row))
        for score, counts, number, row in ranked
        if score > best - 2 * hopeless
    ]


def _trail(
    table: Sequence[_Scores], levels: Sequence[_Level], number: int, row: int
) -> list[tuple[int, int]]:
    """Size and place of each piece of a row of a table, from the last to the first."""
    at = int(np.argmax(table[number][0][row]))
    found = []
    while True:
        found.append((levels[number].ends[row][1] + 1, at))
        _, came, place = table[number]
        if number == 0:
            return found
        number, row, at = number - 1, int(came[row, at]), int(place[row, at])


def _less(counts: Counts, size: int) -> Counts:
    a, b, c = (count - (index == size) for index, count in enumerate(counts))
    return a, b, c


def _running(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The running maximum along the rows, and where it was reached."""
    best = np.maximum.accumulate(values, axis=1)
    fresh = np.ones(values.shape, bool)
    fresh[:, 1:] = values[:, 1:] > best[:, :-1]
    return best, np.maximum.accumulate(np.where(fresh, np.arange(values.shape[1]), 0), axis=1)


def look_of(side: int, counts: Counts) -> Look:
    """How a mixture of one side's pieces (0 or 1, as in ``SIDES``) looks."""
    return tuple(f"{SIDES[side]}.{size}" for size, count in enumerate(counts, 1) for _ in range(count))


def side_of(look: Look) -> int:
    """Whose a look is: 0 or 1, as in ``SIDES``."""
    return SIDES.index(name_parts(look[0])[0])


def sizes_of(look: Look) -> list[int]:
    """The sizes in a look, small ones first."""
    return sorted(int(name_parts(piece)[1]) for piece in look)


def counts_of(look: Look) -> Counts:
    """The mixture in a look."""
    found = sizes_of(look)
    return found.count(1), found.count(2), found.count(3)
