"""Borne-off checkers: they stand on their rims in the tray, White's from the bottom, Black's from the top.

Single ones cannot be told apart there; what counts is how far their rims reach, in thicknesses. Beyond the
rims comes the last one's face: lit, it looks as they do, down to its foot; with the lamp behind the row it is
in its own shade, and casts one into the tray. A camera behind the row sees no face: it ends with the last
rim's upper edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look
from vision.geometry.board_measures import SIDES, Measures
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light.surface import BARE, Surface

FILLED = 0.55
"""How much of a row across the tray must have changed where a checker stands."""
GRAIN = 3.0
"""How many times its usual grain, in squares, does not pass for a change (0.1% does)."""
PLAIN, SHADE = 4.0, 2.5
"""Tolerances by which rims differ from every shade of the tray where their end can be told from a shade, and
by which a face in its own shade is darker than the empty tray (with 4, too, a checker of a recorded game that
was borne off was not seen, and its turn was written down wrongly, and surely)."""
ENDS = {True: (0.05, 0.3), False: (0.5, 0.45)}
"""By how much a row reaches too far, and one standard deviation of it besides the thickness itself, both in
checkers: where the rims' end was seen, and where it may be a shade's."""
LEAST = 0.5
"""An extent, in checkers, that may be nothing but noise or a shade; with a checker more, the tray is surely
not empty."""
RIM = RESOLUTION // 2
"""Map rows from the wall on of which at least one checker's rim takes most."""
OTHERWISE = -2.0
"""Nats against the last face's being lit where the tray beyond it is dark or the camera is behind it, or in
its own shade where neither is: a pale face is seen in its shade, under a lamp that is wide the tray is dark
beyond a lit one, and of a far camera it is known only about where it is. The total of a side's checkers
decides."""
FEET = 0.15
"""How high a face is wide enough to be seen, in checkers' diameters; its rim's upper edge, as wide, is at
the rest of it."""


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
    if strip.shape[1] <= wide:
        return {}
    # Along a checker's face noise is averaged out, over less than half of it.
    along = np.asarray(cv2.blur(strip, (5, 1)), np.float32)
    changed = ((along**2).sum(axis=-1) > BARE + GRAIN * _grain(along)) & flat.in_view()[here]
    filled = cv2.blur(changed.astype(np.float32), (wide, 3))[:, wide // 2 : strip.shape[1] - wide // 2]
    eye = flat.camera.eye()
    last = len(filled) - 1
    bottom = _row(filled[::-1], strip[::-1], last - int(np.argmin(np.abs(y))))
    top = _row(filled, strip, int(np.argmin(np.abs(y - measures.height))))
    found: dict[Cell, dict[Look, float]] = {}
    for side, row, down in zip(
        SIDES, (top, bottom) if turned else (bottom, top), (not turned, turned), strict=True
    ):
        if row is None:
            found[f"off.{side}"] = _counts(side, most, [(0.0, 0.0)], seen=False)
            continue
        at = y[0] + (y[-1] - y[0]) * ((last - row.end if down else row.end) / last)
        hides_face = at > eye[1] if down else at < eye[1]  # the camera looks along the row
        lit = not row.shaded and not hides_face
        extents = []
        for foot in (True, False):
            high = d * (FEET if foot else 1 - FEET)
            true = eye[1] + (at - eye[1]) * (eye[2] - high) / eye[2]
            extent = max(true if down else measures.height - true, 0.0) / measures.thickness
            extents.append((extent, 0.0 if foot == lit else OTHERWISE))
        found[f"off.{side}"] = _counts(side, most, extents, row.seen)
    return found


class _Row(NamedTuple):
    """Where a row of rims ends, in map rows from the wall on; whether that was seen, and whether a face in
    its own shade follows."""

    end: float
    seen: bool
    shaded: bool


def _row(filled: Map, strip: Map, start: int) -> _Row | None:
    """The row of rims from map row ``start`` on, None where there is none.

    ``filled`` (rows x places across the tray) is how much of a face there has changed, ``strip`` (rows x
    columns x 3) how the tray differs from the empty one, in tolerances."""
    most = filled.max(axis=1, keepdims=True)
    reach = _reach(most[:, 0] > FILLED, start)
    if reach is None:
        return None
    first, last = reach
    here = slice(first, last + 1)
    place = round(float(np.median(np.nonzero(filled[here] > most[here] - 0.01)[1])))
    looks = strip[:, place : place + strip.shape[1] - filled.shape[1]].mean(axis=1)
    rims = np.median(looks[first : max((first + last + 1) // 2, first + 2)], axis=0)
    near = np.median(looks[first : first + RIM], axis=0)
    if _off_shade(rims) < PLAIN < near[0]:  # a single checker's shade may be longer than its rim
        rims = near
    like = np.linalg.norm(looks[here] - rims, axis=-1) < _off_shade(looks[here])
    if _off_shade(rims) < PLAIN or not like.any():
        return _Row(last + 0.5, False, False)
    end = first + int(np.flatnonzero(like)[-1])
    after = looks[min(end + 2, len(looks) - 1)]
    step = rims - after
    length = max(float(step @ step), 1e-6)  # the map may end with the rims
    parts = np.clip((looks[end : end + 2] - after) @ step / length, 0, 1)  # of a row that are rim
    return _Row(end - 0.5 + float(parts.sum()), True, bool(after[0] < -SHADE))


def _grain(strip: Map) -> float:
    """The grain of a tray's picture (squared tolerances): in a dark one it is many times the board's."""
    steps = ((strip[2:] - strip[:-2]) ** 2).sum(axis=-1)
    return float(np.median(steps)) / 2 if steps.size else 0.0


def _off_shade(looks: Map) -> Map:
    """By how much something differs from every shade of the empty tray, in tolerances."""
    return np.asarray(np.linalg.norm(np.maximum(looks, (0, -np.inf, -np.inf)), axis=-1))


def _reach(rows: NDArray[np.bool_], start: int) -> tuple[int, int] | None:
    """The first and the last of the filled rows that follow from ``start`` on with no real gap (a grainy
    picture leaves some); None where there are none."""
    first, last, gap = 0, None, 0
    for row in range(max(start - RESOLUTION // 3, 0), len(rows)):
        if rows[row]:
            first = row if last is None else first
            last, gap = row, 0
        else:
            gap += 1
            if gap > (3 if last is not None else 0.8 * RESOLUTION):
                break
    return None if last is None else (first, last)


def _counts(side: str, most: int, extents: Sequence[tuple[float, float]], seen: bool) -> dict[Look, float]:
    """``extents``: how far the rims may reach, in thicknesses, each with its log-likelihood."""
    looks: dict[Look, float] = {(): _fit(0, max(extent for extent, _ in extents), seen)}
    for count in range(1, most + 1):
        value = max(nats + _fit(count, extent, seen) for extent, nats in extents)
        looks[(side,) * count] = float(max(value, -12.0))
    return looks


def _fit(count: int, extent: float, seen: bool) -> float:
    """The log-likelihood that so many checkers reach so far."""
    too_far, rough = ENDS[seen]
    if count == 0:
        least = 0.0 if seen else LEAST
        return -8.0 * min(max((extent - least) / (1 + too_far), 0.0), 1.0) ** 2
    if extent < LEAST:  # dark ones in a dark tray
        return -4.0 - 0.4 * min(count, 8)
    # Their thickness is known to a twentieth.
    return -0.5 * ((extent - count - too_far) / math.hypot(rough, 0.05 * count)) ** 2
