"""What this board and these checkers look like, learned from one picture of a known position.

Colours are log intensities (``log(value + DIM)``), where a lamp's strength and tint are additive, in three
channels: luma (their mean) and two orthogonal chromas. The *surface* is the empty board, pixel by pixel:
photographed, or put together from the calibration picture by looking under each checker at the same pattern
two points further on. *Light* is how the lamp falls off over the board.

A piece is compared as a whole disc, not pixel by pixel. Two things differ from disc to disc: an *offset*
(this checker is a little brighter, this one mirrors the lamp) and the *grain* within it, after its usual
relief (rim, ring, shading) is taken away. Both are learned. A bare place is judged in the same way against
the surface. What fits neither - a die, a sleeve - has a likelihood of its own (``OTHER``), so that it counts
for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.frame import Image
from vision.scene import RESOLUTION, Map
from vision.shade import lightness

DIM = 12.0
LEVELS = np.log(np.arange(256, dtype=np.float64) + DIM)
"""The logarithm of every level."""
PLAIN = LEVELS.astype(np.float32)
OPPONENT = np.array(
    [
        [1 / 3, 1 / 3, 1 / 3],
        [0, -np.sqrt(0.5), np.sqrt(0.5)],
        [np.sqrt(2 / 3), -np.sqrt(1 / 6), -np.sqrt(1 / 6)],
    ]
)
"""Luma and chromas of the logarithms of blue, green and red, and the way back."""
CHANNELS = np.linalg.inv(OPPONENT)
REACH = 0.42
"""Radius of what is compared, in diameters: less than a checker, so that its blurred edge is left out."""
CHROMA_NOISE = 0.012
"""Chroma noise of a usual camera (one standard deviation, log units)."""
FALSE_HUE, MIDDLE = 0.35, 4.6
"""Chroma that a grey picture is given for its luma, and the luma that gets none (measured:
docs/vision.md)."""
MATERIALS, HUES, ALIKE = 6, 3.0, 0.15
"""Kinds of surface that are told apart where it is guessed, what chroma counts beside luma, and how much one
varies (log units)."""
REACHES = ((0.65 * RESOLUTION, 1.5 * RESOLUTION, 1.0), (0.2 * RESOLUTION, 3.0 * RESOLUTION, 3.0))
"""How far from where it is seen a difference from the guess is believed, across and along the points (map
pixels), and how much that counts: the lamp's image is wide, but the same point shows best how much of it is
mirrored there (measured: docs/vision.md)."""
UNKNOWN = 0.01
"""How much of what is around a place must be seen for half of that difference to be believed."""
MOST, FEW = 0.8, 100
"""The greatest difference (log units) that counts, and the least pixels seen at both ends."""
DISC = 11
"""Side of the square in which a disc is compared, in map pixels."""


def logs(flat: Image, table: NDArray[np.float32] = PLAIN) -> Map:
    """Luma and chromas (rows x columns x 3, float32) of a map of intensities. ``table``: every level's
    logarithm (256, or 256 x 1 x channels)."""
    if np.array_equal(flat[..., 0], flat[..., 1]) and np.array_equal(flat[..., 1], flat[..., 2]):
        return _grey(flat[..., 0], table if table.ndim < 3 else np.ascontiguousarray(table[..., 0]))
    return np.asarray(cv2.transform(cv2.LUT(flat, table), OPPONENT.astype(np.float32)), np.float32)


def luma(flat: Image) -> Map:
    """The first of :func:`logs` alone."""
    return np.asarray(cv2.transform(cv2.LUT(flat, PLAIN), OPPONENT[:1].astype(np.float32)), np.float32)


def _grey(flat: NDArray[np.uint8], table: NDArray[np.float32]) -> Map:
    """The same of a grey picture, in false colours: what is darker is of another hue too, with a little
    noise. A picture without any hues is like nothing that the network (``discs``) ever saw."""
    luma = cv2.LUT(flat, table)
    noise = np.random.default_rng(0).normal(0, CHROMA_NOISE, (*flat.shape, 2)).astype(np.float32)
    return np.asarray(
        cv2.merge([luma, noise[..., 0] + FALSE_HUE * (luma - MIDDLE), noise[..., 1]]), np.float32
    )


def colourless(picture: Image) -> bool:
    """Whether a surface (levels) was learned from a grey picture, in its false colours."""
    values = logs(picture)
    off = values[..., 1:] - np.stack(
        [FALSE_HUE * (values[..., 0] - MIDDLE), np.zeros_like(values[..., 0])], axis=-1
    )
    return bool(np.percentile(np.abs(off), 90) < 4 * CHROMA_NOISE)


def levels(values: Map) -> Image:
    """The inverse of :func:`logs`."""
    back = cv2.transform(np.asarray(values, np.float32), CHANNELS.astype(np.float32))
    return np.asarray(np.clip(np.exp(back) - DIM + 0.5, 0, 255), np.uint8)


def bend(shape: tuple[int, int], places: ArrayLike) -> NDArray[np.float64]:
    """The quadratic terms x, y, x^2, y^2, xy (N x 5) of map positions (N x 2), which run from -1 to 1 over
    the map."""
    half = np.array([shape[1] / 2, shape[0] / 2])
    q = (np.asarray(places, np.float64).reshape(-1, 2) - half) / half
    x, y = q[:, 0], q[:, 1]
    return np.stack([x, y, x * x, y * y, x * y], axis=1)


def spread(shape: tuple[int, int], terms: Sequence[float]) -> Map:
    """A quadratic's value at every map pixel."""
    yy, xx = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.asarray(
        (bend(shape, np.stack([xx.ravel(), yy.ravel()], 1)) @ np.asarray(terms)).reshape(shape), np.float32
    )


def disc() -> NDArray[np.float32]:
    """The soft round mask within which discs are compared (DISC x DISC, sums to 1)."""
    k = DISC // 2
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    away = np.hypot(xx, yy)
    mask = 0.1 * np.clip(0.52 * RESOLUTION + 0.5 - away, 0, 1) + 0.9 * np.clip(
        REACH * RESOLUTION + 0.5 - away, 0, 1
    )
    return np.asarray(mask / mask.sum(), np.float32)


@dataclass(frozen=True)
class Tint:
    """One kind of piece. ``colour``: luma and chromas under the middle of the lamp; ``offset``: how much a
    whole disc varies in luma and chroma; ``grain``: how much the inside of a disc does, after ``relief``
    (DISC x DISC, luma); ``gloss``: the most light, in log units, that one was seen to mirror."""

    colour: tuple[float, float, float]
    offset: tuple[float, float]
    grain: tuple[float, float]
    relief: tuple[tuple[float, ...], ...]
    gloss: float


@dataclass(frozen=True)
class Divided:
    """A kind of piece of two looks: ``matte`` where its lacquer is seen, ``mirrored`` where a lamp is.
    ``known``: map column and row of each known one, and whether it mirrors the lamp."""

    matte: Tint
    mirrored: Tint
    known: tuple[tuple[float, float, bool], ...]


@dataclass(frozen=True)
class Paint:
    """What is learned about colours: the tint of every piece, and ``light``, the lamp's five terms (see
    :func:`bend`); ``divided``: the two looks of pieces that have two (see :func:`divide`)."""

    tints: tuple[Tint, ...]
    light: tuple[float, ...]
    divided: tuple[Divided | None, ...] = ()


def lights(
    values: Map, places: NDArray[np.float64], kinds: NDArray[np.int64], paint: Paint
) -> tuple[float, ...]:
    """How light each kind of piece is (CIELAB units): the darker half of its discs at map ``places`` (N x 2),
    were the lamp the same over the board. A lamp that is mirrored in others adds to them, whatever their
    colour."""
    means = np.stack([np.tensordot(disc(), _patch(values, place), 2) for place in places])
    means[:, 0] -= bend((values.shape[0], values.shape[1]), places) @ np.array(paint.light)
    shown = lightness(levels(np.asarray(means[None], np.float32))[0])
    found = []
    for kind in range(len(paint.tints)):
        own = np.sort(shown[kinds == kind])
        found.append(float(own[: max(len(own) // 2, 1)].mean()) if len(own) else 0.0)
    return tuple(found)


USUAL_OFFSET = (0.06, 0.03)
USUAL_GRAIN = (0.06, 0.03)
VIVID = np.array([1.0, 1.5, 1.5])
"""What luma and chromas count where a side's discs are divided into those that mirror a lamp and those that
do not."""
APART, LIGHTER, GROUP = 0.3, 0.1, 2
"""Log units by which two groups of a side's discs differ at least, and in luma alone; how many discs each has
at least."""
BELIEF = 4.0
"""How many discs the usual values are worth against those seen."""


def learn(values: Map, places: NDArray[np.float64], kinds: NDArray[np.int64], pieces: int) -> Paint:
    """Fit light and tints to the discs of a known position at map ``places`` (N x 2). ``values`` as of
    :func:`logs`; ``kinds`` 0..pieces-1."""
    shape = (values.shape[0], values.shape[1])
    patches = np.stack([_patch(values, place) for place in places])
    mask = disc()
    means = np.einsum("nijc,ij->nc", patches, mask).astype(np.float64)
    bends = bend(shape, places)
    fit = _fit_light(means[:, 0], kinds, bends, pieces)
    light = fit[pieces:]
    tints = []
    for k in range(pieces):
        own = kinds == k
        if not own.any():
            own = np.ones(len(kinds), bool)
        tints.append(_tint(patches[own], means[own], bends[own] @ light, mask))
    return Paint(tuple(tints), tuple(float(term) for term in light))


def divide(paint: Paint, values: Map, places: NDArray[np.float64], kinds: NDArray[np.int64]) -> Paint:
    """The same paint with two looks of each kind of piece of which some mirror a lamp (those are lighter), as
    far as the known pieces fall into two groups."""
    shape, mask = (values.shape[0], values.shape[1]), disc()
    patches = np.stack([_patch(values, place) for place in places])
    means = np.einsum("nijc,ij->nc", patches, mask).astype(np.float64)
    light = bend(shape, places) @ np.array(paint.light)
    colours = (means - np.stack([light, 0 * light, 0 * light], axis=1)) * VIVID
    found: list[Divided | None] = []
    for kind in range(len(paint.tints)):
        own = np.flatnonzero(kinds == kind)
        lit = _lit(colours[own])
        if lit is None:
            found.append(None)
            continue
        matte, mirrored = (
            _tint(patches[some], means[some], light[some], mask) for some in (own[~lit], own[lit])
        )
        known = ((float(u), float(v), bool(one)) for (u, v), one in zip(places[own], lit, strict=True))
        found.append(Divided(matte, mirrored, tuple(known)))
    return replace(paint, divided=tuple(found))


def _lit(colours: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Which of a side's discs belong to the lighter of two groups (two means); None where they are one
    group."""
    if len(colours) < 2 * GROUP:
        return None
    dark, bright = colours[colours[:, 0].argmin()], colours[colours[:, 0].argmax()]
    lit = np.zeros(len(colours), bool)
    for _ in range(10):
        lit = np.linalg.norm(colours - bright, axis=1) < np.linalg.norm(colours - dark, axis=1)
        if lit.all() or not lit.any():
            return None
        dark, bright = colours[~lit].mean(axis=0), colours[lit].mean(axis=0)
    two = (
        min(lit.sum(), (~lit).sum()) >= GROUP
        and np.linalg.norm(bright - dark) > APART
        and bright[0] > dark[0] + LIGHTER
    )
    return lit if two else None


def disorder(values: Map, places: NDArray[np.float64], kinds: NDArray[np.int64]) -> float:
    """How mottled discs are and how unlike their fellows, against how unlike the kinds are: small where they
    are looked for rightly."""
    mask = disc()
    patches = np.stack([_patch(values, place) for place in places])
    means = np.einsum("nijc,ij->nc", patches, mask)
    within = np.einsum("nijc,ij->n", (patches - means[:, None, None, :]) ** 2, mask)
    middles = np.stack([np.median(means[kinds == k], axis=0) for k in np.unique(kinds)])
    between = [
        float(np.abs(means[kinds == k] - middle).mean())
        for k, middle in zip(np.unique(kinds), middles, strict=True)
    ]
    apart = float(np.linalg.norm(middles.max(axis=0) - middles.min(axis=0))) if len(middles) > 1 else 1.0
    return float((np.sqrt(within).mean() + 2 * np.mean(between)) / (apart + 0.05))


def _patch(values: Map, place: NDArray[np.float64]) -> Map:
    return np.asarray(cv2.getRectSubPix(values, (DISC, DISC), (float(place[0]), float(place[1]))), np.float32)


def _fit_light(
    lumas: NDArray[np.float64], kinds: NDArray[np.int64], bends: NDArray[np.float64], pieces: int
) -> NDArray[np.float64]:
    """Each kind's luma and the five light terms, robust to discs that mirror the lamp: bright matte pieces
    count most."""
    members = np.stack([kinds == k for k in range(pieces)], axis=1).astype(np.float64)
    design = np.column_stack([members, bends])
    ridge = np.diag([1e-6] * pieces + [0.3, 0.3, 0.6, 0.6, 0.6])
    bright = np.array([np.median(lumas[kinds == k]) if (kinds == k).any() else -9.0 for k in range(pieces)])
    base = np.where(bright[kinds] >= bright.max() - 0.3, 1.0, 0.4)
    weights = base.copy()
    fit = np.zeros(pieces + 5)
    for _ in range(6):
        fit = np.linalg.solve(design.T @ (design * weights[:, None]) + ridge, design.T @ (lumas * weights))
        weights = base / (1 + ((lumas - design @ fit) / 0.08) ** 2)
    return fit


def _tint(patches: Map, means: NDArray[np.float64], light: NDArray[np.float64], mask: Map) -> Tint:
    lumas = means[:, 0] - light
    low = float(np.median(lumas))
    chroma = np.median(means[:, 1:], axis=0)
    off = lumas - low
    gloss = float(max(0.0, off.max() - 0.05))
    matte = np.abs(off) < 0.15 if (np.abs(off) < 0.15).sum() >= 3 else np.ones(len(off), bool)
    relief = np.median(patches[..., 0] - means[:, None, None, 0], axis=0)
    relief = relief - (relief * mask).sum()
    count = len(means)

    def width(squares: NDArray[np.float64], usual: float) -> float:
        return float(np.sqrt((squares.sum() + BELIEF * usual**2) / (len(squares) + BELIEF)))

    inside = np.einsum("nij,ij->n", (patches[..., 0] - means[:, None, None, 0] - relief) ** 2, mask)
    hue = np.einsum("nijc,ij->n", (patches[..., 1:] - means[:, None, None, 1:]) ** 2, mask) / 2
    offset = (
        1.3 * width(off[matte] ** 2, USUAL_OFFSET[0]),
        1.3 * width(((means[:, 1:] - chroma) ** 2).sum(axis=1)[matte] / 2, USUAL_OFFSET[1]),
    )
    grain = (width(inside[matte], USUAL_GRAIN[0]), width(hue[matte], USUAL_GRAIN[1]))
    _ = count
    return Tint(
        (low, float(chroma[0]), float(chroma[1])),
        offset,
        grain,
        tuple(tuple(round(float(value), 4) for value in row) for row in relief),
        gloss,
    )


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
    rows, columns = picture.shape[:2]
    flat = picture.copy()
    flat[..., 0] -= light
    flat[hidden] = np.nan
    flat[:, allowed < 0] = np.nan
    guess = np.full_like(flat, np.nan)
    reach = np.arange(columns)
    distance = np.full((rows, columns), np.inf)
    for shift, hop in sorted(shifts, key=lambda pair: abs(pair[0])):
        moved = np.array([[1, 0, -shift], [0, 1, 0]], np.float32)
        sample = cv2.warpAffine(
            flat, moved, (columns, rows), borderMode=cv2.BORDER_CONSTANT, borderValue=(np.nan,) * 3
        )
        source = np.round(reach + shift).astype(np.int64)
        there = np.where((source >= 0) & (source < columns), allowed[np.clip(source, 0, columns - 1)], -9)
        sample[:, there != allowed + hop] = np.nan
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
    seen = np.asarray(np.isfinite(flat).all(axis=-1) & np.isfinite(guess).all(axis=-1))
    if np.count_nonzero(seen) < FEW:
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
        total += share[..., None] * near[..., :3] / (near[..., 3:] + UNKNOWN)
    return total


def relight(values: Map, surface: Map) -> tuple[Map, NDArray[np.float64]]:
    """How a picture's lamp differs from the learned one: log gains at every pixel, and their terms (3 x 3:
    constant, x, y by channel).

    A robust fit: checkers, dice and hands are outliers as long as they cover less than about half of what is
    compared."""
    rows, columns = surface.shape[:2]
    step = 4
    x, y = ((np.arange(count) / (count / 2) - 1) for count in (columns, rows))
    across, up = np.meshgrid(x[::step], y[::step])
    terms = np.stack([np.ones(across.size), across.ravel(), up.ravel()])
    ratio = np.ascontiguousarray(
        (values[::step, ::step] - surface[::step, ::step]).reshape(-1, 3).T, np.float64
    )
    fit = np.zeros((3, 3))
    fit[0] = np.median(ratio, axis=1)
    tolerance = 0.2
    for _ in range(5):
        off = np.abs(ratio - fit.T @ terms).max(axis=0)
        weighted = terms / (1 + (off / tolerance) ** 2) ** 2
        fit = np.linalg.solve(weighted @ terms.T + np.diag([1e-3, 4, 4]), weighted @ ratio.T)
        tolerance = max(0.05, tolerance * 0.7)
    first = fit[0] + x[:, None] * fit[1]
    lines = np.stack([first, np.broadcast_to(fit[2], first.shape)]).reshape(2, -1).astype(np.float32)
    gain = np.stack([np.ones(rows), y], axis=1).astype(np.float32) @ lines
    return np.asarray(gain.reshape(rows, columns, 3), np.float32), fit
