"""Hands and sleeves: whatever comes over the rim and is neither board nor piece.

Nothing ever stands on a board's rims but a light, a doubling cube at the bar and borne-off checkers in a
tray. An arm has to cross them. So a change on a rim, larger than those, is a hand, whatever its colour; a
change of several checkers' size inside, that no piece explains, is one too. Neither is where all of it is
faint, or the surface there was only guessed: that is the lamp's doing. What lies wholly beside the surface
(the cube, a cup, checkers in a tray that nobody bears off to) hides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.board_measures import Measures
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light import colour
from vision.light.surface import Surface, grain
from vision.picture.masks import Mask, grow, parts, touching, without_gaps, without_specks

Places: TypeAlias = Sequence[tuple[float, float]]
"""Middles of pieces: column and row of the map."""
CHECKER = RESOLUTION**2
"""A checker's square, in map pixels: what sizes here are told in."""


@dataclass(frozen=True)
class Change:
    """From where on a pixel has changed: squared deviations of ``hue`` and of ``luma``; what is darker by
    less than ``shade`` (log units of luma), in its own hue, may lie in a shadow. ``levels`` (of 255): the
    noise of a dark pixel, since a log of next to nothing says little; ``grainy``: chroma noise (log units)
    from which on, and up to twice which, it is allowed for: coarse JPEGs change whole blocks."""

    hue: float = 16.0
    luma: float = 36.0
    shade: float = 0.5
    levels: float = 1.2
    grainy: float = 0.025


CHANGE = Change()


@dataclass(frozen=True)
class Light:
    """What a lamp can do. ``faint``: log units by which a pixel is plainly something else; a lamp that
    drifts, or is mirrored otherwise, changes the hue of a vivid rim by less. ``hueless``: chroma (log units)
    by which what is brighter in the middle of the board must differ to be more than light: no arm leads
    there. ``through``: how much of the board's own pattern (standard deviations of luma, the lamp's slope
    taken away) a change may vary by and still be light, through which the pattern shows: where a hand hides
    it, a change varies by as much as the pattern does, and more (measured: docs/vision-measurements.md)."""

    faint: float = 0.24
    hueless: float = 0.04
    through: float = 0.65


LIGHT = Light()


@dataclass(frozen=True)
class Sizes:
    """How much hands cover at least, in map pixels: where one is ``crossing`` a rim; where it is ``lying`` on
    the board, and crosses no rim in view; of a cell that it hides (``cover``). An ``arm`` covers so much of
    the rims, pieces not counted, where none of it comes from beyond what is in view (1.1 checkers' squares at
    least in 90 pictures with a hand; cups and cards that lean over a deep board's rim, 0.9 at most in 69 of
    70 pictures)."""

    crossing: float = 0.35 * CHECKER
    lying: float = 2.2 * CHECKER
    cover: float = 0.08 * CHECKER
    arm: float = 1.0 * CHECKER


SIZES = Sizes()
GRASP = 2 * RESOLUTION
"""How far from what is surely a hand the rest of it is looked for, in map pixels."""
CUBE = (1.1, 1.8)
"""How far from its end of the bar a doubling cube reaches, along and across; and upwards, since it may lie on
a bar that is as high as a deep board's walls (diameters)."""
SLEEVE = 0.3
"""The part of a row's places between the checkers from which on there is something else: on a sleeve that was
taken for checkers there is no board."""


@dataclass(frozen=True)
class Hand:
    """``arms``: the map pixels of what comes over the rim, or from beyond what is in view, as arms do;
    ``things``: those of what lies there besides: cups, phones, cards. ``reaches_in``: whether an arm comes
    from beyond what is in view."""

    arms: Mask
    things: Mask
    reaches_in: bool = False

    @property
    def mask(self) -> Mask:
        """Both."""
        return self.arms | self.things

    @property
    def here(self) -> bool:
        """Whether there is any of them."""
        return bool(self.mask.any())

    @property
    def arm(self) -> bool:
        """Whether there are arms."""
        return bool(self.arms.any())

    def covers(self, regions: Mapping[Cell, Mask], part: float = 0.0) -> frozenset[Cell]:
        """Of which cells these regions are hidden: more than a fingertip of them, and than this ``part``."""
        if not self.here:
            return frozenset()
        mask = self.mask
        return frozenset(
            cell
            for cell, region in regions.items()
            if np.count_nonzero(mask & region) > max(SIZES.cover, part * np.count_nonzero(region))
        )


def changed(bare: Surface, values: Map, burnt: Mask | None = None) -> Mask:
    """The pixels of a relit frame that differ from the surface by more than noise and shadow. ``burnt``:
    which channels of which pixels are as bright as the camera can show: that they are not brighter says
    nothing."""
    off = _unburnt(values - bare.values, burnt)
    noise = min(grain(values, bare.values), 2 * CHANGE.grainy)
    dark = (CHANGE.levels * np.exp(-bare.values[..., 0])) ** 2
    coarse = dark + 1.5 * max(noise**2 - CHANGE.grainy**2, 0.0)
    luma, red, blue = (
        np.square(off[..., k]) / (1 / np.square(bare.trust[..., k]) + more)
        for k, more in enumerate((dark, coarse, coarse))
    )
    hue = red + blue
    bright = off[..., 0]
    shadow = (bright < 0) & (bright > -CHANGE.shade) & (hue < 0.75 * CHANGE.hue)
    return (hue > CHANGE.hue) | ((luma > CHANGE.luma) & ~shadow)


@dataclass(frozen=True)
class RelitFrame:
    """A relit frame of a board that looks like ``bare``: what of its changes a lamp can have made. ``burnt``:
    see :func:`changed`."""

    bare: Surface
    values: Map
    burnt: Mask | None = None

    def is_light(self, part: Mask, rim: Mask) -> bool:
        """Whether a part of the map differs faintly from the surface, or only where that was guessed, or has
        its pattern still, or is nothing but brighter and nowhere on the ``rim``."""
        off = _unburnt(self.values - self.bare.values, self.burnt)[part]
        return (
            self._is_faint(off, part)
            or (_is_brighter(off) and not (part & rim).any())
            or _shows_through(self.bare.values[part][:, 0], off[:, 0], part)
        )

    def _is_faint(self, off: Map, part: Mask) -> bool:
        """Hardly anything of it is plainly something else."""
        plain = np.square(off).sum(axis=1) > LIGHT.faint**2
        if self.bare.guessed is not None:
            plain = plain[~self.bare.guessed[part]]
        return not plain.size or bool(plain.mean() < 0.2)


def _is_brighter(off: Map) -> bool:
    """Pixels (N x 3) that are brighter, in the same hue."""
    luma, *chroma = off.mean(axis=0)
    return bool(luma > 0 and np.hypot(*chroma) < LIGHT.hueless)


def _shows_through(surface: NDArray[np.float32], off: NDArray[np.float32], part: Mask) -> bool:
    """Whether the surface's pattern (its luma) is still to be seen in a part that is ``off`` by this luma."""
    pattern, change = _even(np.stack([surface, off], axis=1), part).std(axis=0)
    return bool(pattern > 0.05 and change < LIGHT.through * pattern)  # a fainter pattern says nothing


def _even(values: NDArray[np.floating], part: Mask) -> Floats:
    """Values at a part's pixels without their slope: a lamp that is near lights whatever lies there
    unevenly."""
    v, u = np.nonzero(part)
    terms = np.stack([u, v, np.ones_like(u)], axis=1).astype(np.float64)
    return np.asarray(values - terms @ np.linalg.lstsq(terms, values, rcond=None)[0], np.float64)


def _unburnt(off: Map, burnt: Mask | None) -> Map:
    """What pixels differ by where their burnt channels are thought as bright as they should be."""
    if burnt is None:
        return off
    pixels = np.unique(np.flatnonzero(burnt) // 3)
    channels = off.reshape(-1, 3)[pixels] @ colour.CHANNELS.T.astype(np.float32)
    channels[burnt.reshape(-1, 3)[pixels] & (channels < 0)] = 0
    found = off.copy()
    found.reshape(-1, 3)[pixels] = channels @ colour.OPPONENT.T.astype(np.float32)
    return found


def find(
    change: Mask,
    explained: Mask,
    rim: Mask,
    ignored: Mask,
    discs: Sequence[Places] = (),
    aside: Mask | None = None,
    unseen: Mask | None = None,
    light: RelitFrame | None = None,
) -> Hand:
    """Hands in a change mask. ``explained``: where pieces stand; ``rim``: outside the playing surface;
    ``ignored``: where other things may lie (trays); ``discs``: the middles of pieces that are round and a
    checker wide, cell by cell; ``aside``: where a change alone is none, but a cube in its place
    (see :func:`cubes`); ``unseen``: what lies beyond the picture, where the map repeats its edge; ``light``:
    what of it a lamp can have made; None: nothing."""
    edge = _edge_of_view(change.shape, unseen)
    elsewhere = np.ones_like(change) if aside is None else ~aside
    if unseen is not None:
        change = change & ~unseen
    strange = without_specks(change & ~grow(explained, 5) & ~ignored, 3)
    plain = strange & elsewhere
    seeds = _crossing_a_rim(plain & rim, plain, edge) | _lying_inside(plain)
    if light is not None and seeds.any():
        for part in parts(seeds, 0):
            seeds &= ~part | (not light.is_light(part, rim))
    if not seeds.any():
        return Hand(seeds, seeds)
    body = touching(without_gaps(strange, 5), seeds) | seeds
    board, arms = ~rim | ignored, np.zeros_like(body)
    for part in parts(_over_board(_with_sleeves(body, change & ~ignored, discs), board), 0):
        whole = _whole_hand(part, change, ignored)
        if (whole & edge).any() or np.count_nonzero(part & rim & elsewhere) > SIZES.arm:
            arms |= grow(whole, 9)
    # A thing has neither fingers nor sleeves: it ends where it is seen to.
    things = grow(_over_board(body & ~touching(body, arms), board), 9)
    return Hand(arms, things & ~arms, bool((arms & edge).any()))


def _edge_of_view(shape: tuple[int, ...], unseen: Mask | None) -> Mask:
    """The map's two outermost rows and columns, and the pixels next to what the picture does not show."""
    edge = np.ones(shape, bool)
    edge[2:-2, 2:-2] = False
    return edge if unseen is None else edge | grow(unseen, 5)


def _crossing_a_rim(on_rim: Mask, strange: Mask, edge: Mask) -> Mask:
    """What is large enough there for an arm, and wide: what a lamp does along the map's edge is thinner."""
    square = np.ones((5, 5), np.uint8)
    wide = cv2.erode(strange.astype(np.uint8), square, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    seeds = np.zeros_like(strange)
    for part in parts(on_rim, SIZES.crossing):
        large = (part & edge).any() or np.count_nonzero(part) > 1.7 * SIZES.crossing
        if (part & wide).any() and large:
            seeds |= part
    return seeds


def _lying_inside(strange: Mask) -> Mask:
    """What is as large as several checkers, and nowhere narrower than half a one."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    core = cv2.morphologyEx(
        strange.astype(np.uint8), cv2.MORPH_OPEN, disc, borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    seeds = np.zeros_like(strange)
    for part in parts(core > 0, SIZES.lying):
        seeds |= part
    return seeds


def _with_sleeves(body: Mask, change: Mask, discs: Sequence[Places]) -> Mask:
    """``body`` with what hangs together with it and was taken for checkers, as a sleeve may be."""
    if not len(discs):
        return body
    return touching(without_specks(change & ~_checkers(change, discs), 3), body) | body


def _over_board(mask: Mask, board: Mask) -> Mask:
    """Those parts of it that come over the ``board``."""
    kept = np.zeros_like(mask)
    for part in parts(mask, 0):
        if np.count_nonzero(part & board) > SIZES.cover:
            kept |= part
    return kept


def _whole_hand(body: Mask, change: Mask, ignored: Mask) -> Mask:
    """All of the hands of which ``body`` is surely a part. Fingers look like checkers to whoever looks for
    checkers: near a hand, whatever changed and hangs together belongs to it, over a seam as well where the
    board is as the hand is."""
    near = cv2.distanceTransform((~body).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE) < GRASP + 0.5
    mask = body | (touching(without_gaps(change & ~ignored, 3), body) & near)
    return mask | touching(change & (ignored | mask), mask)  # what lies in a tray, where the arm goes over it


def _checkers(change: Mask, discs: Sequence[Places]) -> Mask:
    """Where pieces stand that have bare board at their corners, as checkers do, even where they touch others
    of their row and of the next ones, and a sleeve that was taken for checkers has not."""
    rows, columns = change.shape
    kept = np.zeros((rows, columns), np.uint8)
    beside = RESOLUTION * np.array([[x, y] for x in (-0.47, 0.47) for y in (-0.5, 0.5)])
    for cell in discs:
        corners = np.round(np.array(cell)[:, None] + beside).astype(int)
        covered = change[tuple(np.clip(corners, 0, (columns - 1, rows - 1)).transpose(2, 0, 1)[::-1])]
        if covered.mean() < SLEEVE:
            for u, v in cell:
                cv2.circle(kept, (round(u), round(v)), RESOLUTION // 2 + 2, 1, -1)
    return kept > 0


def cubes(flat: Flat, measures: Measures) -> Mask:
    """The map pixels that a doubling cube at either end of the bar can cover: seen from aside it leans over
    the rim, as arms do."""
    mask, d, (wide, tall) = np.zeros(flat.shape, np.uint8), measures.checker, CUBE
    for low, high in ((0.0, wide), (measures.height / d - wide, measures.height / d)):
        corners = [(measures.width / 2 + x * d, y * d) for x in (-wide / 2, wide / 2) for y in (low, high)]
        seen = np.concatenate([flat.at(corners, 0.0), flat.at(corners, tall * d)])
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(seen).astype(np.int32)), 1)
    return mask > 0
