"""Borne-off checkers: they stand on their rims in the tray, White's from the bottom, Black's from the top.

Single ones cannot be told apart there; what counts is how far the change from the empty tray reaches, in
thicknesses.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look
from vision.geometry.board_measures import SIDES, Measures
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light.surface import Surface

CHANGE = 14.0
"""Squared tolerances by which a pixel of the tray has changed."""
FILLED = 0.55
"""How much of a row across the tray must have changed where a checker stands."""
SHADOW = 0.5
"""What their own shadow adds to an extent, in checkers."""
LEAST = 0.5
"""An extent, in checkers, that may be nothing but noise; with a checker and its shadow more, the tray is
surely not empty."""
ROUGH = 0.45
"""How exact an extent is, in checkers (one standard deviation), besides the thickness itself."""


def read(
    flat: Flat, measures: Measures, beside: str, turned: bool, most: int, bare: Surface, values: Map
) -> dict[Cell, dict[Look, float]]:
    """Log-likelihoods of both players' counts, up to ``most``, in the tray ``beside`` the board (``right`` or
    ``left``); on a ``turned`` board White's are at the top.

    ``values`` is a relit frame (as of ``colour.logs``)."""
    d, x, y = measures.checker, flat.x, flat.y
    beyond = np.flatnonzero(x > measures.width + 0.3 * d if beside == "right" else x < -0.3 * d)
    here = np.s_[:, beyond[0] : beyond[-1] + 1] if len(beyond) else np.s_[:, :0]
    strip = np.asarray((values[here] - bare.values[here]) * bare.trust[here], np.float32)
    wide = round(0.65 * RESOLUTION)
    if strip.shape[1] < wide:
        return {}
    # Along a checker's face noise is averaged out, over less than half of it.
    changed = ((cv2.blur(strip, (5, 1)) ** 2).sum(axis=-1) > CHANGE) & flat.in_view()[here]
    filled = cv2.blur(changed.astype(np.float32), (wide, 3))[:, wide // 2 : strip.shape[1] - wide // 2]
    rows = np.asarray(filled.max(axis=1) > FILLED)
    eye = flat.camera.eye()
    true = eye[1] + (y - eye[1]) * (eye[2] - 0.15 * d) / eye[2]  # where the last one's face is wide enough
    last = len(rows) - 1
    bottom = _reach(rows[::-1], last - int(np.argmin(np.abs(y))))
    top = _reach(rows, int(np.argmin(np.abs(y - measures.height))))
    extents = (
        0.0 if bottom is None else float(true[last - bottom]) + 0.5 / flat.scale,
        0.0 if top is None else measures.height - float(true[top]) + 0.5 / flat.scale,
    )
    return {
        f"off.{side}": _counts(side, most, max(extent, 0.0) / measures.thickness)
        for side, extent in zip(SIDES, extents[::-1] if turned else extents, strict=True)
    }


def _reach(rows: NDArray[np.bool_], start: int) -> int | None:
    """The last of the filled rows that follow from ``start`` on with no real gap (a grainy picture leaves
    some); None where there are none."""
    last, gap = None, 0
    for row in range(max(start - RESOLUTION // 3, 0), len(rows)):
        if rows[row]:
            last, gap = row, 0
        else:
            gap += 1
            if gap > (3 if last is not None else 0.8 * RESOLUTION):
                break
    return last


def _counts(side: str, most: int, extent: float) -> dict[Look, float]:
    looks: dict[Look, float] = {}
    for count in range(most + 1):
        if count == 0:
            value = -8.0 * min(max((extent - LEAST) / (1 + SHADOW), 0.0), 1.0) ** 2
        elif extent < LEAST:  # dark ones in a dark tray
            value = -4.0 - 0.4 * min(count, 8)
        else:  # their thickness is known to a twentieth
            value = -0.5 * ((extent - count - SHADOW) / math.hypot(ROUGH, 0.05 * count)) ** 2
        looks[(side,) * count] = float(max(value, -12.0))
    return looks
