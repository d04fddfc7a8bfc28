"""What these checkers look like, learned from one picture of a known position.

A checker is compared as a whole disc, not pixel by pixel. Two things differ from disc to disc: an *offset*
(this checker is a little brighter, this one mirrors the lamp) and the *grain* within it, after its usual
relief (rim, ring, shading) is taken away. Both are learned, and with them how the lamp falls off over the
board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import RESOLUTION, Map
from vision.light.colour import levels, lightness
from vision.light.lamp import bend

REACH = 0.42
"""Radius of what is compared, in diameters: less than a checker, so that its blurred edge is left out."""

DISC = 11
"""Side of the square in which a disc is compared, in map pixels."""


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

    def width(squares: NDArray[np.float64], usual: float) -> float:
        return float(np.sqrt((squares.sum() + BELIEF * usual**2) / (len(squares) + BELIEF)))

    inside = np.einsum("nij,ij->n", (patches[..., 0] - means[:, None, None, 0] - relief) ** 2, mask)
    hue = np.einsum("nijc,ij->n", (patches[..., 1:] - means[:, None, None, 1:]) ** 2, mask) / 2
    offset = (
        1.3 * width(off[matte] ** 2, USUAL_OFFSET[0]),
        1.3 * width(((means[:, 1:] - chroma) ** 2).sum(axis=1)[matte] / 2, USUAL_OFFSET[1]),
    )
    grain = (width(inside[matte], USUAL_GRAIN[0]), width(hue[matte], USUAL_GRAIN[1]))
    return Tint(
        (low, float(chroma[0]), float(chroma[1])),
        offset,
        grain,
        tuple(tuple(round(float(value), 4) for value in row) for row in relief),
        gloss,
    )
