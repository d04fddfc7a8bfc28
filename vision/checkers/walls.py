"""What a calibration can tell of light that lies unevenly on the board: the shade that a deep board's walls
throw on what stands beside them, and patches of sun or shade."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry.board_measures import Measures, repeats
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light.empty_board import patchy, wall_shade
from vision.light.lamp import spread
from vision.light.surface import Surface
from vision.picture.masks import Mask


def shade_beside(bare: Surface, light: Sequence[float], measures: Measures, flat: Flat) -> Map:
    """What the walls may shade of a board, for each map column (see ``empty_board.wall_shade``); nothing
    where none of it was guessed: then it is as dark as it is."""
    if bare.guessed is None:
        return np.zeros((flat.shape[1], 3), np.float32)
    return wall_shade(bare.values, bare.guessed, *_pattern(light, measures, flat))


def patches(bare: Surface, light: Sequence[float], measures: Measures, flat: Flat) -> float:
    """Over how much (0-1) of a board sun or shade lies in patches (see ``empty_board.patchy``)."""
    guessed = np.zeros(flat.shape, bool) if bare.guessed is None else bare.guessed
    return patchy(bare.values, guessed, *_pattern(light, measures, flat))


def _pattern(
    light: Sequence[float], measures: Measures, flat: Flat
) -> tuple[Map, list[tuple[float, int]], NDArray[np.int64], Mask]:
    """The light, where the pattern repeats, and the rim, as ``empty_board`` has them."""
    return spread(flat.shape, light), *repeats(measures, flat), flat.outside(measures.width, measures.height)


def shaded(shade: Map, columns: Floats) -> NDArray[np.bool_]:
    """Which of the checkers in these ``columns`` of the map (N) lie in the shade, if only in part."""
    most = np.arange(-RESOLUTION // 3, RESOLUTION // 3 + 1)  # of a checker, across
    across = np.clip(np.round(columns).astype(int)[:, None] + most, 0, len(shade) - 1)
    return np.asarray((shade[across, 0] < 0).any(axis=1), np.bool_)
