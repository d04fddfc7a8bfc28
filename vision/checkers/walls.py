"""The shade that a deep board's walls throw on what stands beside them, as far as a calibration can tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry.board_measures import Measures, repeats
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light.empty_board import wall_shade
from vision.light.lamp import spread
from vision.light.surface import Surface


def shade_beside(bare: Surface, light: Sequence[float], measures: Measures, flat: Flat) -> Map:
    """What the walls may shade of a board, for each map column (see ``empty_board.wall_shade``); nothing
    where none of it was guessed: then it is as dark as it is."""
    if bare.guessed is None:
        return np.zeros((flat.shape[1], 3), np.float32)
    rim = flat.outside(measures.width, measures.height)
    shifts, allowed = repeats(measures, flat)
    return wall_shade(bare.values, bare.guessed, spread(flat.shape, light), shifts, allowed, rim)


def shaded(shade: Map, columns: Floats) -> NDArray[np.bool_]:
    """Which of the checkers in these ``columns`` of the map (N) lie in the shade, if only in part."""
    most = np.arange(-RESOLUTION // 3, RESOLUTION // 3 + 1)  # of a checker, across
    across = np.clip(np.round(columns).astype(int)[:, None] + most, 0, len(shade) - 1)
    return np.asarray((shade[across, 0] < 0).any(axis=1), np.bool_)
