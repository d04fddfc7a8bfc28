"""The shade that an arm, a cup or a row throws over checkers. Unlike a wall's (``wall_shade``) it lies
anywhere; and the checker alone does not show it: a dark one in the light may look like a light one in the
shade. So each top is told how dark the bare board around it is, and ``sides`` may take it for one that lies
in that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.blind.columns import Columns
from vision.blind.empty_board import empty_board
from vision.blind.even_light import EvenLight, bare_board
from vision.blind.strips import HALF, RIM, halved
from vision.blind.tops import PlacedTop
from vision.geometry.camera import Floats
from vision.light.shadows import UNEVEN


@dataclass(frozen=True)
class Ring:
    """Where the board around a checker is looked at, in pitches from its middle: from its ``edge`` to the
    ``next`` one's middle; and the part of that which must be ``dark``. With 0.15, where checkers' own shadows
    are, too, glossy checkers were wrong that were right before; with 0.5 a sixth of what is won in an arm's
    shade was lost (docs/vision-blind.md)."""

    edge: float = 0.56
    next: float = 0.95
    dark: float = 0.4


RING = Ring()


def cast_shade(light: EvenLight, board: Columns, tops: Sequence[PlacedTop]) -> Floats:
    """What a shade around each of the ``tops`` adds to the logarithms of its light (N x 3, as
    ``colour.logs``): 0 where there is none, or the top is not seen."""
    off = light.values - empty_board(light, board, range(12))
    asked = bare_board(light.hand, tops, 0.53 * board.pitch) > 0.5
    asked[: RIM + 1] = asked[-1 - RIM :] = False
    x = np.arange(asked.shape[1])[:, None]
    asked[:, (np.abs(x - halved(board.axes)) > board.pitch / 2 / HALF).all(axis=1)] = False
    reach = int(np.ceil(RING.next * board.pitch / HALF))
    dy, dx = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    far = np.hypot(dx, dy) * HALF / board.pitch
    around = (far >= RING.edge) & (far <= RING.next)
    dy, dx = dy[around], dx[around]
    padded, seen = (np.pad(part, [(reach, reach)] * 2 + [(0, 0)] * (part.ndim - 2)) for part in (off, asked))
    added = np.zeros((len(tops), 3))
    for index, top in enumerate(tops):
        if not top.seen:
            continue
        rows, columns = round(top.y / HALF) + reach + dy, round(top.x / HALF) + reach + dx
        places = padded[rows, columns][seen[rows, columns]]
        dark = places[places[:, 0] < -2 * UNEVEN]  # twice, since a checker's own edge is soft
        if len(dark) >= RING.dark * max(len(places), 10):  # fewer tell nothing
            added[index] = np.median(dark, axis=0)
    return added
