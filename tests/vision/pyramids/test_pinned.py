"""What shows from under a top piece."""

from __future__ import annotations

import numpy as np

from vision.pyramids.pinned import with_rims
from vision.pyramids.reader import PyramidReader
from vision.reading import BoardReader


def test_what_shows_from_under_a_top_piece_does_not_make_it_larger(table: BoardReader) -> None:
    assert isinstance(table, PyramidReader)
    strip = table._strips["p17"]
    x, y = strip.x, strip.start + strip.way * 1.6
    top, pinned, deepest = (
        (2, x - 0.45, y + 0.2, 0.2),
        (2, x + 0.1, y - 0.1, 0.5),
        (2, x + 0.45, y - 0.45, 0.9),
    )
    own, other = (np.full(strip.flat.shape, -3.0, np.float32) for _ in range(2))
    for piece, (speaks, quiet) in ((deepest, (own, other)), (pinned, (other, own)), (top, (own, other))):
        covered = strip.mask([piece])
        speaks[covered], quiet[covered] = 3.0, -1.0
    rows = strip.best_rows(own)
    seen = with_rims(strip, rows, own, other)
    assert max(seen, key=lambda counts: seen[counts].score) == (0, 1, 0)
    clearer = [found[0, 1, 0].score - found[0, 0, 1].score for found in (rows, seen)]
    assert clearer[1] > clearer[0] + 12  # nats: 15; 9 without what the pinned one pins in turn
