"""The known position laid over the discs that are seen."""

from __future__ import annotations

import numpy as np

from vision.checkers.calibration.match import Fit, improved


def test_where_no_disc_is_seen_a_fit_stays_and_explains_nothing() -> None:
    """A drawing of hexes, laid flat as a board would lie in it, shows none."""
    spots = np.array([(x, y) for x in range(5) for y in range(3)], np.float64)
    found = improved(Fit(np.eye(3)), spots, 1.0, np.zeros((0, 2)))
    assert (found.warp == np.eye(3)).all()
    assert (found.score, found.share) == (0, 0)
