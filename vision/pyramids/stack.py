"""What shows from under a top layer: pieces that it pins, whose rims look out beside it.

A stack stands a little askew, so a rim of the other colour shows, and beside that perhaps a rim of what that
one pins in turn: of the top's own colour. Without the latter in mind, one large outline explains such a stack
better than the medium piece that tops it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import cv2
import numpy as np

from vision.geometry.flat import Map
from vision.pyramids.cover import PRICE, TEMPER, Row
from vision.pyramids.fit import HOPELESS, Strip
from vision.pyramids.outlines import Piece
from vision.pyramids.rows import Counts

RIMS = 0.6
"""What a pixel of the other colour is worth beside the top layer: it may be a piece that is pinned."""
AROUND = 9
"""How far around a piece rims are looked for: width of the brush, in map pixels."""
PLAIN = 4.0
"""Nats of the other colour in and around a top layer from which it is looked for what is pinned."""
FAINT, FURTHER = 1.0, 1.0
"""Nats that must show where a pinned piece is looked for, and that one of the top's own colour must earn
under one of the other."""
TURNS = tuple(math.radians(turn) for turn in (0, 45))
"""Turns of pinned pieces with which the search begins."""
CHECKED, SETTLED = 3, 4
"""Of how many rows it is asked what lies under them, and how many places of a pinned piece are settled."""


def with_rims(strip: Strip, rows: Mapping[Counts, Row], own: Map, other: Map) -> dict[Counts, Row]:
    """Rows of a top layer, the likeliest again once it is asked what each of them leaves to be seen of pinned
    pieces. ``own`` and ``other`` are what speaks for its side and for the other one (whole maps)."""
    best = max(rows.values(), key=lambda row: row.score)
    if not best.pieces:
        return dict(rows)
    part, rest = np.ascontiguousarray(own[strip.box]), np.ascontiguousarray(other[strip.box])
    covered = strip.cover.hidden(best.pieces, part.shape)
    around = cv2.dilate(covered.astype(np.uint8), np.ones((AROUND, AROUND), np.uint8)) > 0
    hints = np.maximum(rest, 0) * TEMPER
    rims = float(hints[around & ~covered].sum()) * RIMS
    found = dict(rows)
    if float(hints[around].sum()) > PLAIN:
        likely = sorted(
            (counts for counts in rows if rows[counts].pieces), key=lambda counts: -rows[counts].score
        )[:CHECKED]
        likely = [counts for counts in likely if rows[counts].score > best.score - HOPELESS]
        shows = {counts: _pinned(strip, rows[counts], part, rest) for counts in likely}
        least = min(shows.values())
        again = {counts: row.score + shows.get(counts, least) for counts, row in rows.items()}
        # Which side's the top layer is, is compared as it was: all rows move together.
        less = max(again.values()) - best.score
        found = {
            counts: Row(again[counts] - less if row.pieces else row.score, row.pieces)
            for counts, row in rows.items()
        }
    return {counts: Row(row.score + rims, row.pieces) for counts, row in found.items()}


def _pinned(strip: Strip, row: Row, own: Map, other: Map) -> float:
    """What pinned pieces explain beside a row, in nats: one of the other colour, and what that one pins. None
    pins a larger one."""
    top = strip.cover.hidden(row.pieces, own.shape)
    below, earned = _below(
        strip, np.where(top, 0, other).astype(np.float32), row.pieces, max(size for size, *_ in row.pieces)
    )
    if below is None:
        return 0.0
    further = top | strip.cover.hidden([below], own.shape)
    _, again = _below(strip, np.where(further, 0, own).astype(np.float32), (below, *row.pieces), below[0])
    return max(earned, 0.0) + max(again - FURTHER, 0.0)


def _below(strip: Strip, part: Map, above: Iterable[Piece], most: int) -> tuple[Piece | None, float]:
    """The piece up to the size ``most`` that is likeliest to show from under others, and what it earns
    (nats); None where nothing shows."""
    if float(np.maximum(part, 0).sum()) * TEMPER < FAINT:
        return None, 0.0
    starts = [(size, x, y, turn) for _, x, y, _ in above for size in range(1, most + 1) for turn in TURNS]
    starts = sorted(starts, key=lambda start: -strip.cover.covered(part, start))[:SETTLED]
    best = max((strip.cover.settled(part, (start,)) for start in starts), key=lambda row: row.score)
    return best.pieces[0], best.score + PRICE
