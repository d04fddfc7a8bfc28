"""What a row of pyramids may be as well: a smaller piece over a larger one of its own colour looks as large
as that one, and in a crowded row one piece may pass for the next size.

The judge is told, and then forgives: such a piece may stand there for the rest of the game.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vision.geometry.flat import Map
from vision.pyramids.cover import PieceRow
from vision.pyramids.outlines import Pyramid, fill
from vision.pyramids.rows import Counts
from vision.pyramids.strip import Strip
from vision.reading import NEVER

LIKE = {False: 5.0, True: 1.0}
"""Nats against a piece that looks like another size, in a crowded row or over a larger one of its own colour,
by whether its pips show inside that one's outline."""
PIPS = (0.45, 0.006)
"""How much darker than the piece pips are (log units), and the part of an outline's inside that is as dark
where those of a smaller piece show."""


def with_lookalikes(strip: Strip, rows: Mapping[Counts, PieceRow], values: Map) -> dict[Counts, PieceRow]:
    """Rows, and what the likeliest may be as well."""
    found = dict(rows)
    best, row = max(rows.items(), key=lambda entry: entry[1].score)
    doubts = []
    for large in (2, 3):
        pips = any(_shows_pips(strip, piece, values) for piece in row.pieces if piece[0] == large)
        doubts += [(large, small, LIKE[pips]) for small in range(1, large)]
    if len(row.pieces) >= 5:  # side by side
        doubts += [(one, other, LIKE[False]) for one, other in ((1, 2), (2, 1), (2, 3), (3, 2))]
    for shown, stands, price in doubts:
        a, b, c = (count + (size == stands) - (size == shown) for size, count in enumerate(best, 1))
        known = found[a, b, c].score if (a, b, c) in found else NEVER
        if best[shown - 1] and known < row.score - price:
            found[a, b, c] = PieceRow(row.score - price, row.pieces)
    return found


def _shows_pips(strip: Strip, piece: Pyramid, values: Map) -> bool:
    """Whether enough of a piece's inside is dark: its own pips are at its edges."""
    hull = strip.outlines.hull(piece)
    low, high = hull.min(axis=(0, 1)) // 16, hull.max(axis=(0, 1)) // 16 + 2
    left, top = np.maximum(low, 0)
    luma = values[top : high[1], left : high[0], 0]
    middle = hull.reshape(-1, 2).astype(np.float64).mean(axis=0)
    masks = []
    for part in (1.0, 0.6):
        mask = np.zeros(luma.shape, np.uint8)
        shape = np.round(middle + (hull - middle) * part - (16 * left, 16 * top)).astype(np.int32)
        if luma.size:
            fill(mask, shape, 1)
        masks.append(mask > 0)
    whole, inside = masks
    if not inside.any():
        return False
    usual = np.median(luma[whole]) if whole.any() else 0.0
    darker, part = PIPS
    return float((luma[inside] < usual - darker).mean()) > part
