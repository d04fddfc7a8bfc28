"""The empty board, put together from a picture of a full one: its pattern repeats every two points.

What is under a checker is looked up at the same place of the pattern further on. A lamp that is mirrored in
one of both places is allowed for, by how the two differ where both can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import RESOLUTION, Map
from vision.light.colour import levels, logs

MATERIALS = 6
"""Kinds of surface that are told apart where it is guessed."""
HUES = 3.0
"""What chroma counts beside luma where they are."""
ALIKE = 0.15
"""How much one of them varies (log units)."""
REACHES = ((0.65 * RESOLUTION, 1.5 * RESOLUTION, 1.0), (0.2 * RESOLUTION, 3.0 * RESOLUTION, 3.0))
"""How far from where it is seen a difference from the guess is believed, across and along the points (map
pixels), and how much that counts: the lamp's image is wide, but the same point shows best how much of it is
mirrored there (measured: docs/vision-measurements.md)."""
MOST = 0.8
"""The greatest difference (log units) that counts."""


def repeat(values: Map, shift: float, hop: int, allowed: NDArray[np.int64]) -> Map:
    """What the map shows ``shift`` columns further on, ``hop`` stretches away; NaN where the pattern does not
    repeat there. ``allowed`` as of :func:`fill_in`."""
    rows, columns = values.shape[:2]
    there = cv2.warpAffine(
        values,
        np.array([[1, 0, -shift], [0, 1, 0]], np.float32),
        (columns, rows),
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(np.nan,) * 3,
    )
    source = np.round(np.arange(columns) + shift).astype(np.int64)
    inside = (source >= 0) & (source < columns)
    there[:, np.where(inside, allowed[np.clip(source, 0, columns - 1)], -9) != allowed + hop] = np.nan
    return np.asarray(there, np.float32)


def fill_in(
    picture: Map,
    hidden: NDArray[np.bool_],
    light: Map,
    shifts: Sequence[tuple[float, int]],
    allowed: NDArray[np.int64],
    rim: NDArray[np.bool_] | None = None,
) -> Map:
    """The surface (log values) of a picture in which ``hidden`` pixels are under checkers.

    ``allowed`` numbers the stretches of the board that each map column belongs to, -1 where nothing repeats;
    ``shifts`` are distances in map columns at which the pattern repeats, each with the number of stretches
    that it leads on. What repeats nowhere in view is filled in from its surroundings. Where the pattern can
    be seen at both ends of a shift it is not quite the same: the lamp is mirrored in one of them. Where the
    ``rim`` is known, what differs elsewhere is taken to differ under the checkers nearby as well, each
    material by itself.
    """
    flat = picture.copy()
    flat[..., 0] -= light
    flat[hidden] = np.nan
    flat[:, allowed < 0] = np.nan
    guess = np.full_like(flat, np.nan)
    distance = np.full(picture.shape[:2], np.inf)
    for shift, hop in sorted(shifts, key=lambda pair: abs(pair[0])):
        sample = repeat(flat, shift, hop, allowed)
        seen = np.isfinite(sample).all(axis=-1)
        new = seen & ~np.isfinite(distance)
        again = seen & np.isfinite(distance) & (abs(shift) < 1.2 * distance)
        guess[new], distance[new] = sample[new], abs(shift)
        guess[again] = (guess[again] + sample[again]) / 2
    known = hidden & (allowed >= 0)[None, :] & np.isfinite(guess).all(axis=-1)
    if rim is not None:
        flat[rim] = np.nan
        guess[known] += _unlike(flat, guess)[known]
    guess[..., 0] += light
    surface = picture.copy()
    surface[known] = guess[known]
    rest = hidden & ~known
    if rest.any():
        surface[rest] = logs(
            np.asarray(cv2.inpaint(levels(surface), rest.astype(np.uint8), 3, cv2.INPAINT_TELEA), np.uint8)
        )[rest]
    return surface


def _unlike(flat: Map, guess: Map) -> Map:
    """How a board (log values without the light, NaN where it is not seen) differs from its ``guess``,
    smoothed over what is of one colour in the guess: what shines does so as a whole."""
    seen = np.isfinite(flat).all(axis=-1) & np.isfinite(guess).all(axis=-1)
    if np.count_nonzero(seen) < 100:  # too few pixels to say
        return np.zeros_like(guess)
    colours = np.asarray(np.nan_to_num(guess) * np.array([1, HUES, HUES], np.float32), np.float32)
    some = colours[seen][::3]
    first = (some[:, 0].argsort().argsort() * MATERIALS // len(some)).astype(np.int32)[:, None]
    _, _, middles = cv2.kmeans(some, MATERIALS, first, (3, 10, 1e-3), 1, cv2.KMEANS_USE_INITIAL_LABELS)
    apart = np.stack([np.square(colours - middle).sum(axis=-1) for middle in middles]) / (2 * ALIKE**2)
    shares = np.exp(apart.min(axis=0) - apart)
    shares /= shares.sum(axis=0)
    off = np.clip(np.nan_to_num(flat - guess), -MOST, MOST)
    total = np.zeros_like(guess)
    for share in shares:
        mine = np.asarray(share * seen, np.float32)
        told = cv2.merge([*cv2.split(off * mine[..., None]), mine])
        near = np.zeros(told.shape, np.float32)
        for aside, along, worth in REACHES:
            near = near + worth * cv2.GaussianBlur(
                told, (0, 0), aside, sigmaY=along, borderType=cv2.BORDER_CONSTANT
            )
        # Where 1 % of what is around is seen, half of its difference is believed.
        total += share[..., None] * near[..., :3] / (near[..., 3:] + 0.01)
    return total
