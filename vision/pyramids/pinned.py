"""What shows from under a top layer: pieces that it pins, whose rims look out beside it.

A stack stands a little askew, so a rim of the other colour shows, and beside that perhaps a rim of what that
one pins in turn: of the top's own colour. Without the latter in mind, one large outline explains such a stack
better than the medium piece that tops it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from vision.geometry.flat import Map
from vision.picture.masks import grow
from vision.pyramids.cover import PRICE, TEMPER, PieceRow
from vision.pyramids.outlines import Pyramid
from vision.pyramids.rows import Counts
from vision.pyramids.strip import HOPELESS, Strip

FAINT = 1.0
"""Nats that must show where a pinned piece is looked for, and that one of the top's own colour must earn
under one of the other."""


def with_rims(strip: Strip, rows: Mapping[Counts, PieceRow], own: Map, other: Map) -> dict[Counts, PieceRow]:
    """Rows of a top layer, the likeliest again once it is asked what each of them leaves to be seen of pinned
    pieces. ``own`` and ``other`` are the log odds of its side and of the other one (whole maps)."""
    best = max(rows.values(), key=lambda row: row.score)
    if not best.pieces:
        return dict(rows)
    part, rest = np.ascontiguousarray(own[strip.box]), np.ascontiguousarray(other[strip.box])
    covered = strip.cover.mask(best.pieces, part.shape)
    around = grow(covered, 9)
    hints = np.maximum(rest, 0) * TEMPER
    rims = float(hints[around & ~covered].sum())  # they may be a piece's that is pinned
    found = dict(rows)
    if float(hints[around].sum()) > PRICE:
        likely = sorted(
            (counts for counts, row in rows.items() if row.pieces), key=lambda counts: -rows[counts].score
        )[:3]
        shows = {
            counts: _pinned(strip, rows[counts], part, rest)
            for counts in likely
            if rows[counts].score > best.score - HOPELESS
        }
        least = min(shows.values())
        again = {counts: row.score + shows.get(counts, least) for counts, row in rows.items()}
        # Which side's the top layer is, is compared as it was: all rows move together.
        less = max(again.values()) - best.score
        found = {
            counts: PieceRow(again[counts] - less if row.pieces else row.score, row.pieces)
            for counts, row in rows.items()
        }
    return {counts: PieceRow(row.score + rims, row.pieces) for counts, row in found.items()}


def _pinned(strip: Strip, row: PieceRow, own: Map, other: Map) -> float:
    """What pinned pieces explain beside a row, in nats: one of the other colour, and what that one pins. None
    pins a larger one."""
    top, largest = strip.cover.mask(row.pieces, own.shape), max(size for size, *_ in row.pieces)
    below, earned = _below(strip, np.where(top, 0, other).astype(np.float32), row.pieces, largest)
    if below is None:
        return 0.0
    further = top | strip.cover.mask([below], own.shape)
    _, again = _below(strip, np.where(further, 0, own).astype(np.float32), (below, *row.pieces), below[0])
    return max(earned, 0.0) + max(again - FAINT, 0.0)


def _below(strip: Strip, odds: Map, above: Iterable[Pyramid], most: int) -> tuple[Pyramid | None, float]:
    """The piece up to the size ``most`` that is likeliest to show from under others, and what it earns
    (nats); None where nothing shows."""
    if float(np.maximum(odds, 0).sum()) * TEMPER < FAINT:
        return None, 0.0
    turns = (0.0, math.pi / 4)
    starts = [(size, x, y, turn) for _, x, y, _ in above for size in range(1, most + 1) for turn in turns]
    starts = sorted(starts, key=lambda start: -strip.cover.covered(odds, start))[:4]
    best = max((strip.cover.settle(odds, (start,)) for start in starts), key=lambda row: row.score)
    return best.pieces[0], best.score + PRICE
