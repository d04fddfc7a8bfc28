"""The empty board, put together from a picture of a full one: its pattern repeats every two points.

What is under a checker is looked up at the same place of the pattern further on. A lamp that is mirrored in
one of both places is allowed for, by how the two differ where both can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry.flat import RESOLUTION, Map
from vision.light.colour import levels, logs
from vision.light.shadows import UNEVEN, dark_run
from vision.picture.frame import Image
from vision.picture.masks import Mask


@dataclass(frozen=True)
class Shine:
    """How what shines is followed to where it is hidden. So many ``materials`` are told apart, of which
    chroma counts ``hues`` times as much as luma, and one varies by ``alike`` (log units). ``reaches``: how
    far from where it is seen a difference from the guess is believed, across and along the points (map
    pixels), and how much that counts: the lamp's image is wide, but the same point shows best how much of it
    is mirrored there (measured: docs/vision-measurements.md). ``most``: the greatest difference (log units)
    that counts."""

    materials: int = 6
    hues: float = 3.0
    alike: float = 0.15
    reaches: tuple[tuple[float, float, float], ...] = (
        (0.65 * RESOLUTION, 1.5 * RESOLUTION, 1.0),
        (0.2 * RESOLUTION, 3.0 * RESOLUTION, 3.0),
    )
    most: float = 0.8


SHINE = Shine()
DEEP = 0.8
"""Log units of luma by which a wall's shade is darker where it is darkest: less than half of the light. (Deep
boards under a lamp at the side: 1.2 to 2.2; others 0.5 at most.)"""
FEWER = 4
"""What reaches as far along the points as shine does is summed in so many times fewer rows (85 -> 23 ms; what
it tells differs by at most 0.003 log units)."""
BESIDE, FOOT = int(1.2 * RESOLUTION), int(0.35 * RESOLUTION)
"""How far from a wall its shade may end, and begin (map pixels)."""


def check_empty(image: Image, empty: Image | None) -> None:
    """Refuse a picture of the empty board that the same camera cannot have taken. Raises CalibrationError."""
    if empty is not None and empty.shape != image.shape:
        raise CalibrationError(phrase("the empty picture has another size; take both with the same camera"))


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
    hidden: Mask,
    light: Map,
    shifts: Sequence[tuple[float, int]],
    allowed: NDArray[np.int64],
    rim: Mask | None = None,
) -> Map:
    """The surface (log values) of a picture in which ``hidden`` pixels are under checkers.

    ``allowed`` numbers the stretches of the board that each map column belongs to, -1 where nothing repeats;
    ``shifts`` are distances in map columns at which the pattern repeats, each with the number of stretches
    that it leads on. What repeats nowhere in view is filled in from its surroundings. Where the pattern can
    be seen at both ends of a shift it is not quite the same: the lamp is mirrored in one of them. Where the
    ``rim`` is known, what differs elsewhere is taken to differ under the checkers nearby as well, each
    material by itself.
    """
    flat = _pattern(picture, hidden, light, allowed)
    guess = _guessed(flat, shifts, allowed)
    known = hidden & (allowed >= 0)[None, :] & np.isfinite(guess[..., 0])
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


def wall_shade(
    surface: Map,
    guessed: Mask,
    light: Map,
    shifts: Sequence[tuple[float, int]],
    allowed: NDArray[np.int64],
    rim: Mask,
) -> Map:
    """What :func:`fill_in` may have ``guessed`` too light beside the walls, for each map column (columns x 3,
    log units; 0 where no wall's shade lies). A checker reaches out of the shade that its place lies in, so
    the guess stays as light as what is seen of it."""
    flat = _pattern(surface, guessed | rim, light, allowed)
    shade = np.zeros((flat.shape[1], 3), np.float32)
    for _ in range(2):  # the places that it is guessed from may lie in the shade, too
        shade += _along_walls(flat - shade - _guessed(flat - shade, shifts, allowed), allowed)
    return shade


def patchy(
    surface: Map,
    guessed: Mask,
    light: Map,
    shifts: Sequence[tuple[float, int]],
    allowed: NDArray[np.int64],
    rim: Mask,
) -> float:
    """Of how much (0-1) of the board that is seen the light is another than where its pattern repeats: sun,
    or the shade of something, lies over a part of it. The rest as of :func:`wall_shade`."""
    flat = _pattern(surface, guessed | rim, light, allowed)
    off = (flat - _guessed(flat, shifts, allowed))[..., 0]
    seen = np.isfinite(off)
    around, much = (
        cv2.GaussianBlur(np.asarray(part, np.float32), (0, 0), RESOLUTION / 4)
        for part in (np.where(seen, off, 0), seen)
    )
    unlike = np.abs(around[seen]) > UNEVEN * much[seen]
    return float(unlike.mean()) if unlike.size else 0.0


def _pattern(picture: Map, hidden: Mask, light: Map, allowed: NDArray[np.int64]) -> Map:
    """What is seen of the pattern, in even light; NaN where it is ``hidden``, or nothing repeats."""
    flat = picture.copy()
    flat[..., 0] -= light
    flat[hidden] = np.nan
    flat[:, allowed < 0] = np.nan
    return flat


def _guessed(flat: Map, shifts: Sequence[tuple[float, int]], allowed: NDArray[np.int64]) -> Map:
    """What the pattern says of every place, from the nearest repeats in view; NaN where there is none."""
    guess = np.full_like(flat, np.nan)
    distance = np.full(flat.shape[:2], np.inf)
    for shift, hop in sorted(shifts, key=lambda pair: abs(pair[0])):
        sample = repeat(flat, shift, hop, allowed)
        seen = np.isfinite(sample[..., 0])
        new = seen & ~np.isfinite(distance)
        again = seen & np.isfinite(distance) & (abs(shift) < 1.2 * distance)
        guess[new], distance[new] = sample[new], abs(shift)
        guess[again] = (guess[again] + sample[again]) / 2
    return guess


def _along_walls(off: Map, allowed: NDArray[np.int64]) -> Map:
    """The shade along the walls (columns x 3) of a board that is ``off`` by this from its guess, NaN where it
    is not seen: as dark all along a wall, and from it on as far as it reaches. ``allowed`` as of
    :func:`fill_in`."""
    asked = np.asarray(np.isfinite(off[..., 0]).any(axis=0), np.bool_)
    shade = np.zeros((len(allowed), 3), np.float32)
    if not asked.any():
        return shade
    told = np.zeros_like(shade)
    told[asked] = np.nanmedian(off[:, asked], axis=0)
    for stretch in np.unique(allowed[allowed >= 0]):
        columns = np.flatnonzero(allowed == stretch)
        for way in (columns[:BESIDE], columns[::-1][:BESIDE]):
            known = np.flatnonzero(asked[way])
            if not len(known):
                continue
            place = np.arange(len(way))
            along = np.stack([np.interp(place, known, part) for part in told[way[known]].T], axis=1)
            first, last = dark_run(along[:, 0])
            if first < FOOT and along[:last, 0].min() < -DEEP:  # the wall hides its own foot
                shade[way[:last]] = along[:last]
                beyond = way[0] - (way[1] - way[0]) * np.arange(1, FOOT + 1)
                shade[np.append(way[:first], beyond[(beyond >= 0) & (beyond < len(shade))])] = along[first]
    return shade


def _unlike(flat: Map, guess: Map) -> Map:
    """How a board (log values without the light, NaN where it is not seen) differs from its ``guess``,
    smoothed over what is of one colour in the guess: what shines does so as a whole."""
    seen = np.isfinite(flat[..., 0]) & np.isfinite(guess[..., 0])
    if np.count_nonzero(seen) < 100:  # too few pixels to say
        return np.zeros_like(guess)
    colours = np.asarray(np.nan_to_num(guess) * np.array([1, SHINE.hues, SHINE.hues], np.float32), np.float32)
    some = colours[seen][::3]
    kinds = SHINE.materials
    first = (some[:, 0].argsort().argsort() * kinds // len(some)).astype(np.int32)[:, None]
    _, _, middles = cv2.kmeans(some, kinds, first, (3, 10, 1e-3), 1, cv2.KMEANS_USE_INITIAL_LABELS)
    apart = np.stack([np.square(colours - middle).sum(axis=-1) for middle in middles])
    apart /= 2 * SHINE.alike**2
    shares = np.exp(apart.min(axis=0) - apart)
    shares /= shares.sum(axis=0)
    off = np.clip(np.nan_to_num(flat - guess), -SHINE.most, SHINE.most)
    total = np.zeros_like(guess)
    for share in shares:
        mine = np.asarray(share * seen, np.float32)
        told = np.dstack([off * mine[..., None], mine])
        near = _reaching(told)
        # Where 1 % of what is around is seen, half of its difference is believed.
        total += share[..., None] * near[..., :3] / (near[..., 3:] + 0.01)
    return total


def _reaching(told: Map) -> Map:
    """What reaches every place of what is ``told`` (rows x columns x n), by :data:`SHINE`."""
    rows, columns = told.shape[:2]
    fewer = cv2.resize(told, (columns, -(-rows // FEWER)), interpolation=cv2.INTER_AREA)
    near = np.zeros(fewer.shape, np.float32)
    for aside, along, worth in SHINE.reaches:
        near += worth * cv2.GaussianBlur(
            fewer, (0, 0), aside, sigmaY=along / FEWER, borderType=cv2.BORDER_CONSTANT
        )
    return np.asarray(cv2.resize(near, (columns, rows)), np.float32)
