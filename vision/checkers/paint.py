"""What these checkers look like, learned from one picture of a known position.

A checker is compared as a whole disc, not pixel by pixel. Two things differ from disc to disc: an *offset*
(this checker is a little brighter, this one mirrors the lamp) and the *grain* within it, after its usual
relief (rim, ring, shading) is taken away. Both are learned, and with them how the lamp falls off over the
board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.board_measures import SIDES
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Map
from vision.light.colour import levels, lightness
from vision.light.lamp import bend

DISC = 11
"""Side of the square in which a disc is compared, in map pixels: all but a checker's blurred edge (and OpenCV
filters up to this size directly, which is fast)."""
USUAL = 0.06, 0.03
"""How much discs usually vary in luma and chroma (log units), as wholes and within."""
BELIEF = 4.0
"""How many discs the usual values are worth against those seen."""


def disc() -> NDArray[np.float32]:
    """The soft round mask within which discs are compared (DISC x DISC, sums to 1): most of it within 0.42
    diameters, so that the blurred edge counts little."""
    k = DISC // 2
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    away = np.hypot(xx, yy)
    wide, inner = (np.clip(radius * RESOLUTION + 0.5 - away, 0, 1) for radius in (0.52, 0.42))
    mask = 0.1 * wide + 0.9 * inner
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


@dataclass(frozen=True)
class KnownDiscs:
    """A map (``values`` as ``colour.logs``) on which discs of the ``kinds`` (N, 0 and up) are known to be at
    ``places`` (N x 2: column, row)."""

    values: Map
    places: Floats
    kinds: NDArray[np.int64]

    @property
    def bends(self) -> Floats:
        """The lamp's terms (N x 5) there."""
        return bend(self.values.shape, self.places)

    def seen(self) -> tuple[Map, Floats]:
        """The discs (N x DISC x DISC x 3), and each one's mean colour (N x 3)."""
        wide = (DISC, DISC)
        cut = (cv2.getRectSubPix(self.values, wide, (float(u), float(v))) for u, v in self.places)
        patches = np.stack([np.asarray(patch, np.float32) for patch in cut])
        return patches, np.einsum("nijc,ij->nc", patches, disc()).astype(np.float64)


def lights(known: KnownDiscs, paint: Paint) -> tuple[float, ...]:
    """How light each kind of piece is (CIELAB units): the darker half of its known discs, were the lamp the
    same over the board. A lamp that is mirrored in others adds to them, whatever their colour."""
    _, means = known.seen()
    means[:, 0] -= known.bends @ np.array(paint.light)
    shown = lightness(levels(np.asarray(means[None], np.float32))[0])
    found = []
    for kind in range(len(paint.tints)):
        own = np.sort(shown[known.kinds == kind])
        found.append(float(own[: max(len(own) // 2, 1)].mean()) if len(own) else 0.0)
    return tuple(found)


def learn(known: Sequence[KnownDiscs]) -> Paint:
    """Fit light and tints to the known discs on one or more maps of a table in one light."""
    patches, means = (np.concatenate(parts) for parts in zip(*(each.seen() for each in known), strict=True))
    kinds = np.concatenate([each.kinds for each in known])
    bends = np.concatenate([each.bends for each in known])
    light = _fit_light(means[:, 0], kinds, bends)
    tints = []
    for k in range(len(SIDES)):
        own = kinds == k
        if not own.any():
            own = np.ones(len(kinds), bool)
        tints.append(_tint(patches[own], means[own], bends[own] @ light))
    return Paint(tuple(tints), tuple(float(term) for term in light))


def divide(paint: Paint, known: KnownDiscs) -> Paint:
    """The same paint with two looks of each kind of piece of which some mirror a lamp (those are lighter), as
    far as the known pieces fall into two groups."""
    patches, means = known.seen()
    light = known.bends @ np.array(paint.light)
    # Chromas count half as much again as luma.
    colours = (means - np.stack([light, 0 * light, 0 * light], axis=1)) * np.array([1.0, 1.5, 1.5])
    found: list[Divided | None] = []
    for kind in range(len(paint.tints)):
        own = np.flatnonzero(known.kinds == kind)
        lit = _lit(colours[own])
        if lit is None:
            found.append(None)
            continue
        matte, mirrored = (_tint(patches[some], means[some], light[some]) for some in (own[~lit], own[lit]))
        each = zip(known.places[own].tolist(), lit.tolist(), strict=True)
        found.append(Divided(matte, mirrored, tuple((u, v, one) for (u, v), one in each)))
    return replace(paint, divided=tuple(found))


def _lit(colours: Floats) -> NDArray[np.bool_] | None:
    """Which of a side's discs belong to the lighter of two groups (two means); None where they are one group:
    of fewer than two discs, or less than 0.3 log units apart, or than 0.1 in luma alone."""
    if len(colours) < 4:
        return None
    dark, bright = colours[colours[:, 0].argmin()], colours[colours[:, 0].argmax()]
    lit = np.zeros(len(colours), bool)
    for _ in range(10):
        lit = np.linalg.norm(colours - bright, axis=1) < np.linalg.norm(colours - dark, axis=1)
        if lit.all() or not lit.any():
            return None
        dark, bright = colours[~lit].mean(axis=0), colours[lit].mean(axis=0)
    apart, lighter = np.linalg.norm(bright - dark) > 0.3, bright[0] > dark[0] + 0.1
    return lit if min(lit.sum(), (~lit).sum()) >= 2 and apart and lighter else None


def disorder(known: KnownDiscs) -> float:
    """How mottled discs are and how unlike their fellows, against how unlike the kinds are: small where they
    are looked for rightly."""
    patches, means = known.seen()
    within = np.einsum("nijc,ij->n", (patches - means[:, None, None, :]) ** 2, disc())
    groups = [means[known.kinds == kind] for kind in np.unique(known.kinds)]
    middles = np.stack([np.median(group, axis=0) for group in groups])
    between = [float(np.abs(group - middle).mean()) for group, middle in zip(groups, middles, strict=True)]
    apart = float(np.linalg.norm(middles.max(axis=0) - middles.min(axis=0))) if len(middles) > 1 else 1.0
    return float((np.sqrt(within).mean() + 2 * np.mean(between)) / (apart + 0.05))


def _fit_light(lumas: Floats, kinds: NDArray[np.int64], bends: Floats) -> Floats:
    """The five light terms, robust to discs that mirror the lamp: bright matte pieces count most."""
    pieces = len(SIDES)
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
    return fit[pieces:]


def _tint(patches: Map, means: Floats, light: Floats) -> Tint:
    mask = disc()
    lumas = means[:, 0] - light
    low, chroma = float(np.median(lumas)), np.median(means[:, 1:], axis=0)
    off = lumas - low
    near = np.abs(off) < 0.15
    matte = near if near.sum() >= 3 else np.ones(len(off), bool)
    flat = patches[..., 0] - means[:, None, None, 0]
    relief = np.median(flat, axis=0)
    relief = relief - (relief * mask).sum()

    def width(squares: Floats, usual: float) -> float:
        return float(np.sqrt((squares[matte].sum() + BELIEF * usual**2) / (matte.sum() + BELIEF)))

    inside = np.einsum("nij,ij->n", (flat - relief) ** 2, mask)
    hue = np.einsum("nijc,ij->n", (patches[..., 1:] - means[:, None, None, 1:]) ** 2, mask) / 2
    luma, colours = USUAL
    return Tint(
        colour=(low, float(chroma[0]), float(chroma[1])),
        offset=(
            1.3 * width(off**2, luma),
            1.3 * width(((means[:, 1:] - chroma) ** 2).sum(axis=1) / 2, colours),
        ),
        grain=(width(inside, luma), width(hue, colours)),
        relief=tuple(tuple(round(float(value), 4) for value in row) for row in relief),
        gloss=float(max(0.0, off.max() - 0.05)),
    )
