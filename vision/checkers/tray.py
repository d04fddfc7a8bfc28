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

MOST = 15
CHANGE = 14.0
"""Squared tolerances by which a pixel of the tray has changed."""
ALONG = 5
"""Map pixels across the tray, along a checker's face, that are averaged against noise; less than half a
checker."""
FILLED = 0.55
"""How much of a row across the tray must have changed where a checker stands."""
SHADOW = 0.5
"""What their own shadow adds to an extent, in checkers."""
LEAST = 0.5
"""An extent, in checkers, that may be nothing but noise; with a checker and its shadow more, the tray is
surely not empty."""
ROUGH = 0.45
"""How exact an extent is, in checkers (one standard deviation), besides the thickness itself."""
THICK = 0.05
"""How exactly the thickness is known (a part of itself)."""
NOTHING = -4.0
"""Log-likelihood that checkers stand in a tray and none is seen (dark ones in a dark tray)."""
GAP = 3
"""Rows in which a grainy picture may not show the checkers that stand there."""
BOTTOM = 0.15
"""Height (in diameters) at which the last checker's face is widest enough to count."""


def read(
    flat: Flat, measures: Measures, beside: str, turned: bool, bare: Surface, values: Map
) -> dict[Cell, dict[Look, float]]:
    """Log-likelihoods of both players' counts in the tray ``beside`` the board (``right`` or ``left``); on a
    ``turned`` board White's are at the top.

    ``values`` is a relit frame (as of ``colour.logs``)."""
    d = measures.checker
    x, y = flat.x, flat.y
    beyond = np.flatnonzero(x > measures.width + 0.3 * d if beside == "right" else x < -0.3 * d)
    here = np.s_[:, beyond[0] : beyond[-1] + 1] if len(beyond) else np.s_[:, :0]
    strip = np.asarray((values[here] - bare.values[here]) * bare.trust[here], np.float32)
    wide = round(0.65 * RESOLUTION)
    if strip.shape[1] < wide:
        return {}
    changed = np.asarray(
        ((cv2.blur(strip, (ALONG, 1)) ** 2).sum(axis=-1) > CHANGE) & flat.in_view()[here], np.float32
    )
    filled = cv2.blur(changed, (wide, 3))[:, wide // 2 : strip.shape[1] - wide // 2]
    rows = np.asarray(filled.max(axis=1) > FILLED)
    eye = flat.camera.eye()
    true = eye[1] + (y - eye[1]) * (eye[2] - BOTTOM * d) / eye[2]
    bottom = _reach(rows[::-1], len(rows) - 1 - int(np.argmin(np.abs(y))))
    top = _reach(rows, int(np.argmin(np.abs(y - measures.height))))
    extents = (
        0.0 if bottom is None else float(true[len(rows) - 1 - bottom]) + 0.5 / flat.scale,
        0.0 if top is None else measures.height - float(true[top]) + 0.5 / flat.scale,
    )
    return {
        f"off.{side}": _counts(side, max(extent, 0.0) / measures.thickness)
        for side, extent in zip(SIDES, extents[::-1] if turned else extents, strict=True)
    }


def _reach(rows: NDArray[np.bool_], start: int) -> int | None:
    """The last of the filled rows that follow from ``start`` on with no real gap; None where there are
    none."""
    last, gap = None, 0
    for row in range(max(start - RESOLUTION // 3, 0), len(rows)):
        if rows[row]:
            last, gap = row, 0
        else:
            gap += 1
            if gap > (GAP if last is not None else 0.8 * RESOLUTION):
                break
    return last


def _counts(side: str, extent: float) -> dict[Look, float]:
    looks: dict[Look, float] = {}
    for count in range(MOST + 1):
        if count == 0:
            value = -8.0 * min(max((extent - LEAST) / (1 + SHADOW), 0.0), 1.0) ** 2
        elif extent < LEAST:
            value = NOTHING - 0.4 * min(count, 8)
        else:
            value = -0.5 * ((extent - count - SHADOW) / math.hypot(ROUGH, THICK * count)) ** 2
        looks[(side,) * count] = float(max(value, -12.0))
    return looks
