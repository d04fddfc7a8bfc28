"""The shade that a high rim or bar throws along itself under a lamp at the side: with an edge, so that no
smooth light follows it, but as dark all along the wall. It is what the columns beside a wall differ by from
the usual point, in the middle of all places that show bare board."""

from __future__ import annotations

import numpy as np

from vision.blind.columns import Columns
from vision.blind.strips import ALONG, ASIDE, HALF, halved, off_repeats, strip_order, weights
from vision.disc_finder.flat_map import WIDE
from vision.geometry.camera import Floats
from vision.light.shadows import dark_run


def wall_shade(seen: Floats, free: Floats, board: Columns) -> Floats:
    """What each column of the halved map differs by from the repeats (kinds x repeats x ALONG x width x 3)
    where it lies in the shade of a wall: from the wall on, as far as that reaches."""
    weight = free
    for _ in range(3):
        off = off_repeats(seen, weight)
        weight = weights(off[..., 0], free)
    off = np.where(free[..., None] > 0.5, off, np.nan).reshape(24, ALONG, -1, 3)
    shade = np.zeros((WIDE // HALF, 3))
    x, half = np.arange(WIDE // HALF), board.pitch / HALF / 2
    _, column = strip_order()
    for at, axis in enumerate(halved(board.axes)):
        places = off[column == at].reshape(-1, *off.shape[2:])
        finite = np.count_nonzero(np.isfinite(places[..., 0]), axis=0)
        asked = finite >= 4
        own = np.abs(x - axis) <= half
        if asked.any():
            aside = np.arange(-ASIDE, ASIDE + 1)[asked]
            ordered, many = np.sort(places[:, asked], axis=0), finite[asked]  # what is not seen comes last
            each = np.arange(len(many))
            middle = (ordered[(many - 1) // 2, each] + ordered[many // 2, each]) / 2
            for channel, told in enumerate(middle.T):
                shade[own, channel] = np.interp(x[own] - axis, aside, told)
    kept = np.zeros_like(shade)
    for first, last in ((0, 5), (6, 11)):
        ends = halved(board.axes[[first, last]]) + np.array([-half, half])
        inside = np.flatnonzero((x >= ends[0]) & (x <= ends[1]))
        for way in (inside, inside[::-1]):
            first_dark, last = dark_run(shade[way, 0])
            # From aside a wall hides its foot; a shade of less than half a point lies beside the checkers.
            if first_dark < half and last - first_dark >= half:
                kept[way[first_dark:last]] = shade[way[first_dark:last]]
                step = way[0] - way[1]  # tops lean so far over a wall's foot
                over = way[0] + step * np.arange(1, round(half / 2) + 1)
                kept[np.append(over, way[:first_dark])] = shade[way[first_dark]]
    return kept
