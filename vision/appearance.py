"""What this board and these checkers look like, learned from one picture.

Everything is in log intensities (``log(value + DIM)``), where a lamp's strength and tint are additive and where one tolerance serves
bright and dark. A *surface* is the empty board, pixel by pixel: photographed, or put together from the picture of a known position by
looking under each checker at the same pattern two points further on. A *tint* is the colour of one kind of checker under the middle
of the lamp; *light* is how the lamp falls off from there, a quadratic fitted to the checkers themselves.

A pixel's score for a model is a log-likelihood with a floor (``OTHER``): something that is neither board nor checker, such as a
die or a sleeve, must not count for whichever model it resembles a little more.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.scene import Flat, Map

DIM = 12.0
OTHER = -4.5
"""Log-likelihood (relative to a perfect fit) of a pixel that belongs to something unknown."""
LUMA, CHROMA = 0.16, 0.06
"""How far a checker's brightness and colour may be from its model (log units, one standard deviation)."""
SURFACE_LUMA, SURFACE_CHROMA = 0.11, 0.05
"""The same for the board itself, which is known better."""
GLARE = (0.0, 30.0, 70.0, 120.0)
"""Light that a glossy dark checker may add to its own colour by mirroring the lamp."""


def logs(values: ArrayLike) -> Map:
    """Log intensities of 0-255 values."""
    return np.asarray(np.log(np.asarray(values, np.float32) + DIM), np.float32)


def levels(values: Map) -> Map:
    """The inverse of :func:`logs`."""
    return np.asarray(np.exp(values) - DIM, np.float32)


def bend(shape: tuple[int, int], places: ArrayLike) -> NDArray[np.float64]:
    """The quadratic terms x, y, x^2, y^2, xy (N x 5) of map positions (N x 2), which run from -1 to 1 over the map."""
    half = np.array([shape[1] / 2, shape[0] / 2])
    q = (np.asarray(places, np.float64).reshape(-1, 2) - half) / half
    x, y = q[:, 0], q[:, 1]
    return np.stack([x, y, x * x, y * y, x * y], axis=1)


def spread(shape: tuple[int, int], terms: Sequence[float]) -> Map:
    """A quadratic's value at every map pixel."""
    yy, xx = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.asarray((bend(shape, np.stack([xx.ravel(), yy.ravel()], 1)) @ np.asarray(terms)).reshape(shape), np.float32)


@dataclass(frozen=True)
class Paint:
    """What is learned about colours. ``tints[k]`` is piece k's log colour (3,); ``light`` the lamp's five terms; ``gloss[k]`` the
    most light that piece k was seen to mirror."""

    tints: tuple[tuple[float, float, float], ...]
    light: tuple[float, ...]
    gloss: tuple[float, ...]


def learn_paint(colours: NDArray[np.float64], kinds: NDArray[np.int64], bends: NDArray[np.float64], pieces: int) -> Paint:
    """Fit tints and light to checkers' log colours (N x 3) at places given by :func:`bend`. Robust to a few with glare."""
    lumas = colours.mean(axis=1)
    members = np.stack([kinds == k for k in range(pieces)], axis=1).astype(np.float64)
    design = np.column_stack([members, bends])
    ridge = np.diag([1e-6] * pieces + [0.3, 0.3, 0.6, 0.6, 0.6])
    bright = np.array([np.median(lumas[kinds == k]) for k in range(pieces)])
    base = np.where(bright[kinds] >= bright.max() - 0.3, 1.0, 0.4)
    weights = base.copy()
    fit = np.zeros(pieces + 5)
    for _ in range(6):
        fit = np.linalg.solve(design.T @ (design * weights[:, None]) + ridge, design.T @ (lumas * weights))
        weights = base / (1 + ((lumas - design @ fit) / 0.1) ** 2)
    tints, gloss = [], []
    for k in range(pieces):
        own = kinds == k
        tint = fit[k] + np.median(colours[own] - lumas[own, None], axis=0)
        tints.append((float(tint[0]), float(tint[1]), float(tint[2])))
        extra = np.exp(lumas[own]) - np.exp(design[own] @ fit)
        gloss.append(float(max(0.0, extra.max())))
    return Paint(tuple(tints), tuple(float(term) for term in fit[pieces:]), tuple(gloss))


def fill_in(picture: Map, hidden: NDArray[np.bool_], light: Map, shifts: Sequence[tuple[float, int]], allowed: NDArray[np.int64]) -> Map:
    """The surface (log intensities) of a picture in which ``hidden`` pixels are under checkers.

    ``allowed`` numbers the stretches of the board that each map column belongs to, -1 where nothing repeats; ``shifts`` are distances in
    map columns at which the pattern repeats, each with the number of stretches that it leads on. What repeats nowhere in view is
    filled in from its surroundings.
    """
    rows, columns = picture.shape[:2]
    flat = picture - light[..., None]
    flat[hidden] = np.nan
    flat[:, allowed < 0] = np.nan
    samples = []
    reach = np.arange(columns)
    for shift, hop in shifts:
        moved = np.array([[1, 0, -shift], [0, 1, 0]], np.float32)
        sample = cv2.warpAffine(flat, moved, (columns, rows), borderMode=cv2.BORDER_CONSTANT, borderValue=(np.nan,) * 3)
        source = np.round(reach + shift).astype(np.int64)
        there = np.where((source >= 0) & (source < columns), allowed[np.clip(source, 0, columns - 1)], -9)
        sample[:, there != allowed + hop] = np.nan
        samples.append(sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # pixels that repeat nowhere: handled next
        guess = np.nanmedian(np.stack(samples), axis=0) + light[..., None]
    surface = picture.copy()
    known = hidden & (allowed >= 0)[None, :] & np.isfinite(guess).all(axis=-1)
    surface[known] = guess[known]
    rest = hidden & ~known
    if rest.any():
        eight = np.clip(levels(surface), 0, 255).astype(np.uint8)
        surface[rest] = logs(cv2.inpaint(eight, rest.astype(np.uint8), 3, cv2.INPAINT_TELEA))[rest]
    return surface


def relight(values: Map, surface: Map, use: NDArray[np.bool_] | None = None) -> tuple[Map, NDArray[np.float64]]:
    """How a picture's lamp differs from the learned one: log gains at every pixel, and their terms (3 x 3: constant, x, y by channel).

    A robust fit: checkers, dice and hands are outliers as long as they cover less than about half of what is compared."""
    rows, columns = surface.shape[:2]
    step = 4
    yy, xx = np.mgrid[0:rows:step, 0:columns:step]
    terms = np.column_stack([np.ones(xx.size), bend((rows, columns), np.stack([xx.ravel(), yy.ravel()], 1))[:, :2]])
    ratio = (values - surface)[::step, ::step].reshape(-1, 3).astype(np.float64)
    if use is not None:
        keep = use[::step, ::step].ravel()
        terms, ratio = terms[keep], ratio[keep]
    fit = np.zeros((3, 3))
    fit[0] = np.median(ratio, axis=0)
    tolerance = 0.2
    for _ in range(6):
        off = np.abs(ratio - terms @ fit).max(axis=1)
        weights = 1 / (1 + (off / tolerance) ** 2) ** 2
        fit = np.linalg.solve(terms.T @ (terms * weights[:, None]) + np.diag([1e-3, 4, 4]), terms.T @ (ratio * weights[:, None]))
        tolerance = max(0.06, tolerance * 0.75)
    x = (np.arange(columns) / (columns / 2) - 1).astype(np.float32)[None, :, None]
    y = (np.arange(rows) / (rows / 2) - 1).astype(np.float32)[:, None, None]
    f = fit.astype(np.float32)
    return np.asarray(f[0] + x * f[1] + y * f[2], np.float32), fit


def misfit(values: Map, model: Map, grain: Map, luma: float, chroma: float) -> Map:
    """Log-likelihood of each pixel under a model of its colour, 0 at best. ``grain`` is the noise of each pixel in log units."""
    error = values - model
    bright = error.mean(axis=-1)
    colour = (error**2).sum(axis=-1) - 3 * bright**2
    noise = grain**2
    return np.asarray(-1.5 * np.log1p((bright**2 / (luma**2 + noise) + colour / (chroma**2 + noise)) / 3), np.float32)


def grain(values: Map) -> Map:
    """The noise to expect at each pixel, in log units: dark ones are noisier."""
    return np.asarray(5.0 / np.exp(values.mean(axis=-1)), np.float32)


@dataclass(frozen=True)
class Scores:
    """Per map pixel: ``pieces[k]`` is how much better piece k explains it than the bare surface (nats, clipped);
    ``surface`` how well the surface does; ``known`` how well the best of all does."""

    pieces: tuple[Map, ...]
    surface: Map
    known: Map


CLIP = 4.0


def score(values: Map, surface: Map, paint: Paint, light: Map) -> Scores:
    """Compare a relit picture (log intensities) with what is learned."""
    noise = grain(values)
    bare = misfit(values, surface, noise, SURFACE_LUMA, SURFACE_CHROMA)
    base = np.logaddexp(bare, OTHER)
    pieces, best = [], bare
    for tint, gloss in zip(paint.tints, paint.gloss, strict=True):
        model = np.asarray(tint, np.float32) + light[..., None]
        fit = misfit(values, model, noise, LUMA, CHROMA)
        for extra in GLARE[1:]:
            if extra > 1.6 * gloss + 20:
                break
            fit = np.maximum(fit, misfit(values, np.log(np.exp(model) + extra), noise, LUMA, CHROMA) - extra / 100)
        best = np.maximum(best, fit)
        pieces.append(np.clip(np.logaddexp(fit, OTHER) - base, -CLIP, CLIP).astype(np.float32))
    return Scores(tuple(pieces), bare, np.asarray(best, np.float32))


def lay_logs(flat: Flat, image: NDArray[np.uint8]) -> Map:
    """A picture's map in log intensities."""
    return logs(flat.lay(image))
