"""Hands and sleeves: whatever comes over the rim and is neither board nor piece.

Nothing ever stands on a board's rims but a light, a doubling cube at the bar and borne-off checkers in a
tray. An arm has to cross them. So a change on a rim, larger than those, is a hand, whatever its colour; a
change of several checkers' size inside, that no piece explains, is one too. Neither is where all of it is
faint, or the surface there was only guessed: that is the lamp's doing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.board_measures import Measures
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light import colour, tone_curve
from vision.light.surface import Surface

HUE, BRIGHT, SHADE = 16.0, 0.3, 0.5
"""A pixel has changed if its chroma has (squared tolerances), or its brightness (log units); darkening up to
SHADE may be a shadow."""
LEVELS = 1.2
"""Noise of a dark pixel, in levels of 255: what a log of next to nothing is worth."""
GRAINY, COARSE, WORSE = 0.025, 0.05, 1.5
"""Chroma noise (log units) from which on, and up to which, it is allowed for, and how many times over: coarse
JPEGs change whole blocks."""
CROSSING, LYING = 0.35, 2.2
"""Least size (square diameters) of a hand where it crosses a rim, and of one that crosses none in view."""
PLAIN, PART = 0.24, 0.2
"""Log units by which a pixel is plainly something else, and how much of a hand is: a lamp that drifts, or is
mirrored otherwise, changes the hue of a vivid rim by less."""
THROUGH, PATTERN = 0.65, 0.05
"""How much of the board's own pattern (standard deviations of luma, the lamp's slope taken away) a change may
vary by and still be light, through which it shows, and how strong a pattern says so: where a hand hides it, a
change varies by as much as it does, and more (measured: docs/vision.md)."""
HUELESS = 0.04
"""Chroma (log units) by which what is brighter in the middle of the board must differ to be more than light:
no arm leads there."""
WIDTH = 5
"""How wide (map pixels) it is at least where it crosses a rim: what a lamp does along the map's edge is
thinner."""
EDGE = [0, 1, -2, -1]
"""The map's outermost rows and columns."""
GRASP = 2 * RESOLUTION
"""How far from what is surely a hand the rest of it is looked for, in map pixels."""
SEAM = 3
"""How wide a gap (map pixels) there may be between what hangs together: where the board is as a hand is, that
seems not to have changed."""
CORNERS = RESOLUTION * np.array([[x, y] for x in (-0.47, 0.47) for y in (-0.5, 0.5)])
"""Places beside a checker where the board shows, even where it touches others of its row and of the next
ones."""
MOST_CHANGED = 0.4
"""How many of a cell's must have changed before it holds no checkers."""
CUBE, WHOLE = 1.1, 0.9
"""How far from its end of the bar a doubling cube reaches, along, across and upwards (diameters), and how
much of a change must lie there to be one."""
Places = Sequence[tuple[float, float]]
COVER = 0.08
"""How much of a cell (square diameters) a hand must cover to hide it."""


@dataclass(frozen=True)
class Hand:
    """``mask``: the map pixels of hands; ``here``: whether there are any; ``reaches_in``: whether they come
    from beyond what is in view, as arms do."""

    here: bool
    mask: NDArray[np.bool_]
    reaches_in: bool = False

    def covers(self, regions: Mapping[Cell, NDArray[np.bool_]]) -> frozenset[Cell]:
        """The cells that cannot be read."""
        if not self.here:
            return frozenset()
        least = COVER * RESOLUTION**2
        return frozenset(
            cell for cell, region in regions.items() if np.count_nonzero(self.mask & region) > least
        )


def changed(bare: Surface, values: Map, burnt: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """The pixels of a relit frame that differ from the surface by more than noise and shadow. ``burnt``:
    which channels of which pixels are as bright as the camera can show: that they are not brighter says
    nothing."""
    off = values - bare.values
    if burnt is not None:
        off = _unburnt(off, burnt)
    grain = min(tone_curve.grain(values, bare.values), COARSE)
    dark = (LEVELS * np.exp(-bare.values[..., 0])) ** 2
    coarse = dark + WORSE * max(grain**2 - GRAINY**2, 0.0)
    luma, red, blue = (
        np.square(off[..., k]) / (1 / np.square(bare.trust[..., k]) + noise)
        for k, noise in enumerate((dark, coarse, coarse))
    )
    hue = red + blue
    bright = off[..., 0]
    shadow = (bright < 0) & (bright > -SHADE) & (hue < 0.75 * HUE)
    return np.asarray((hue > HUE) | ((luma > (BRIGHT / 0.05) ** 2) & ~shadow))


@dataclass(frozen=True)
class RelitFrame:
    """A relit frame of a board that looks like ``bare``: what of its changes a lamp can have made. ``burnt``:
    see :func:`changed`."""

    bare: Surface
    values: Map
    burnt: NDArray[np.bool_] | None = None

    def made(self, part: NDArray[np.bool_], rim: NDArray[np.bool_]) -> bool:
        """Whether a part of the map differs faintly from the surface, or only where that was guessed, or has
        its pattern still, or is nothing but brighter and nowhere on the ``rim``."""
        surface = self.bare.values[part]
        every = self.values - self.bare.values
        off = (every if self.burnt is None else _unburnt(every, self.burnt))[part]
        plain = np.square(off).sum(axis=1) > PLAIN**2
        if self.bare.guessed is not None:
            plain &= ~self.bare.guessed[part]
        if plain.mean() < PART:
            return True
        luma, *chroma = off.mean(axis=0)
        if luma > 0 and np.hypot(*chroma) < HUELESS and not (part & rim).any():
            return True
        pattern, change = _even(np.stack([surface[:, 0], off[:, 0]], axis=1), part).std(axis=0)
        return bool(pattern > PATTERN and change < THROUGH * pattern)


def _even(values: NDArray[np.floating], part: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Values at a part's pixels without their slope: a lamp that is near lights whatever lies there
    unevenly."""
    v, u = np.nonzero(part)
    terms = np.stack([u, v, np.ones_like(u)], axis=1).astype(np.float64)
    slope = np.linalg.lstsq(terms, values, rcond=None)[0]
    return np.asarray(values - terms @ slope, np.float64)


def _unburnt(off: Map, burnt: NDArray[np.bool_]) -> Map:
    """What pixels differ by where their burnt channels are thought as bright as they should be."""
    pixels = np.unique(np.flatnonzero(burnt) // 3)
    channels = off.reshape(-1, 3)[pixels] @ colour.CHANNELS.T.astype(np.float32)
    channels[burnt.reshape(-1, 3)[pixels] & (channels < 0)] = 0
    found = off.copy()
    found.reshape(-1, 3)[pixels] = channels @ colour.OPPONENT.T.astype(np.float32)
    return found


def find(
    change: NDArray[np.bool_],
    explained: NDArray[np.bool_],
    rim: NDArray[np.bool_],
    ignored: NDArray[np.bool_],
    discs: Sequence[Places] = (),
    aside: NDArray[np.bool_] | None = None,
    unseen: NDArray[np.bool_] | None = None,
    light: RelitFrame | None = None,
) -> Hand:
    """Hands in a change mask. ``explained``: where pieces stand; ``rim``: outside the playing surface;
    ``ignored``: where other things may lie (trays); ``discs``: the middles (column, row) of pieces that are
    round and a checker wide, cell by cell; ``aside``: where what lies as a whole is none, a cube in its place
    for one (see :func:`cubes`); ``unseen``: what lies beyond the picture, where the map repeats its edge;
    ``light``: what of it a lamp can have made; None: nothing."""
    edge = ends(change.shape, unseen)
    if unseen is not None:
        change = change & ~unseen
    pieces = cv2.dilate(explained.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    strange = (change & ~pieces & ~ignored).astype(np.uint8)
    strange = np.asarray(cv2.morphologyEx(strange, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    seeds = np.zeros(change.shape, bool)
    wide = (
        cv2.erode(strange, np.ones((WIDTH, WIDTH), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
        > 0
    )
    for part in _parts(strange & rim, CROSSING):
        if not (part & wide).any():
            continue
        if (part & edge).any() or np.count_nonzero(part) > 1.7 * CROSSING * RESOLUTION**2:
            seeds |= part
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    core = cv2.morphologyEx(strange, cv2.MORPH_OPEN, disc, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    for part in _parts(np.asarray(core, np.uint8), LYING):
        seeds |= part
    if aside is not None and seeds.any():
        seeds &= ~_within((strange > 0) | seeds, aside, WHOLE)
    if light is not None and seeds.any():
        for part in _parts(seeds.astype(np.uint8), 0):
            seeds &= ~part | (not light.made(part, rim))
    if not seeds.any():
        return Hand(False, seeds)
    body = (
        _touching(
            np.asarray(cv2.morphologyEx(strange, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8), seeds
        )
        | seeds
    )
    if len(discs):
        doubtful = change & ~ignored & ~_round(change, discs)
        arm = cv2.morphologyEx(doubtful.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        body |= _touching(np.asarray(arm, np.uint8), body)
    # Fingers look like checkers to whoever looks for checkers: near a hand, whatever changed and hangs
    # together belongs to it.
    near = cv2.distanceTransform((~body).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE) < GRASP + 0.5
    hangs = cv2.morphologyEx(
        (change & ~ignored).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((SEAM, SEAM), np.uint8)
    )
    mask = body | (_touching(np.asarray(hangs, np.uint8), body) & near)
    mask |= _touching(
        (change & (ignored | mask)).astype(np.uint8), mask
    )  # what lies in a tray, where the arm goes over it
    mask = cv2.dilate(mask.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    return Hand(True, mask, bool((mask & edge).any()))


def ends(shape: tuple[int, ...], unseen: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Where what is in view ends: the map's outermost pixels, and those next to what the picture does not
    show."""
    edge = np.zeros(shape, bool)
    edge[EDGE] = edge[:, EDGE] = True
    return (
        edge
        if unseen is None
        else np.asarray(edge | (cv2.dilate(unseen.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0))
    )


def _round(change: NDArray[np.bool_], discs: Sequence[Places]) -> NDArray[np.bool_]:
    """Where pieces stand that have bare board at their corners, as checkers do and a sleeve that was taken
    for checkers has not."""
    rows, columns = change.shape
    kept = np.zeros((rows, columns), np.uint8)
    middles = np.array([middle for cell in discs for middle in cell])
    corners = np.clip(np.round(middles[:, None] + CORNERS).astype(int), 0, (columns - 1, rows - 1))
    covered, begin = change[corners[..., 1], corners[..., 0]], 0
    for cell in discs:
        if covered[begin : begin + len(cell)].mean() < MOST_CHANGED:
            for u, v in cell:
                cv2.circle(kept, (round(u), round(v)), RESOLUTION // 2 + 2, 1, -1)
        begin += len(cell)
    return kept > 0


def cubes(flat: Flat, measures: Measures) -> NDArray[np.bool_]:
    """The map pixels that a doubling cube at either end of the bar can cover: seen from aside it leans over
    the rim, as arms do."""
    mask, d = np.zeros(flat.shape, np.uint8), measures.checker
    for low, high in ((0.0, CUBE), (measures.height / d - CUBE, measures.height / d)):
        corners = [(measures.width / 2 + x * d, y * d) for x in (-CUBE / 2, CUBE / 2) for y in (low, high)]
        seen = np.concatenate([flat.at(corners, 0.0), flat.at(corners, CUBE * d)])
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(seen).astype(np.int32)), 1)
    return mask > 0


def _within(strange: NDArray[np.bool_], place: NDArray[np.bool_], least: float) -> NDArray[np.bool_]:
    """The connected parts of a mask of which more than so much lies in a place."""
    _, labels = cv2.connectedComponents(strange.astype(np.uint8))
    every = np.bincount(labels.ravel())
    here = np.bincount(labels[place], minlength=len(every))
    kept = here > least * every
    kept[0] = False
    return np.asarray(kept[labels])


def _touching(mask: NDArray[np.uint8], seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The connected parts of a mask that touch any seed."""
    count, labels = cv2.connectedComponents(mask)
    touched = np.zeros(count, bool)
    touched[labels[seeds]] = True
    touched[0] = False
    return np.asarray(touched.take(np.asarray(labels, np.int32)))


def _parts(mask: NDArray[np.uint8], least: float) -> list[NDArray[np.bool_]]:
    """The connected parts of a mask that are larger than ``least`` square diameters."""
    area = least * RESOLUTION**2
    if cv2.countNonZero(mask) <= area:
        return []
    _, labels = cv2.connectedComponents(mask)
    sizes = np.bincount(np.asarray(labels, np.int32).ravel())
    return [np.asarray(labels == index) for index in range(1, len(sizes)) if sizes[index] > area]
