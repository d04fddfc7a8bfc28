"""Learning pyramids from pictures: one in which it is known what stands where, and perhaps one of the empty
board.

First from whatever has changed where pieces stand, then from under the outlines found there; in between, by
how they lean, where the camera is. Without a picture of the empty board it is put together from what shows
between the pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Looks
from vision.geometry.board_measures import SIDES, repeats
from vision.geometry.camera import Camera
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.hands import changed
from vision.light import colour, lamp
from vision.light.empty_board import fill_in
from vision.light.surface import Surface
from vision.picture.frame import Image
from vision.planar import Guise
from vision.pyramids.cover import Row
from vision.pyramids.eye import found
from vision.pyramids.fit import Strip
from vision.pyramids.outlines import STEEP, Eye, Stand
from vision.pyramids.paint import BARE, Dyes, Ground, dye
from vision.pyramids.rows import EACH, Counts

UNITS = 2.0
"""Units of ``RESOLUTION`` map pixels in a large base."""
RIM = 1.2
"""How much of what lies around the surface is in the map, in large bases: tips lean over the rim."""
DEEP = 7.5
"""How far in from the rim pieces may stand, in large bases."""
ROW = 8
"""How many pieces are looked for side by side on a point."""
ROUNDS, LOOKS = 3, 2
"""Rounds of learning colours, and of finding the camera by what stands up."""
SHADOW = 15
"""How far around a piece its shadow and its reflections reach, in map pixels."""
OTHERWISE, WIDE = 2.0, 500
"""From how many standard deviations, over how many map pixels that hang together, the photograph of the empty
board shows something else than the picture with pieces does between them."""


@dataclass(frozen=True)
class Learned:
    """The camera by what stands up, the empty surface, both sides' colours, and what else the empty board was
    seen to look like."""

    eye: Eye
    surface: Map
    dyes: Dyes
    guise: Guise | None


def learn(stand: Stand, flat: Flat, image: Image, known: Looks, empty: Image | None) -> Learned:
    """Learn from a picture of ``known`` looks, and perhaps one of the board ``empty``."""
    x, y, height = (float(value) for value in flat.camera.eye())
    eye = guess = (x, y, height)
    strips = laid_out(flat, stand, eye)
    values = colour.logs(flat.lay(image))
    guise = None
    if empty is None:
        surface = _under(values, flat, stand, strips, known)
    else:
        bare = colour.logs(flat.lay(empty))
        gain, _ = lamp.relight(bare, values)
        surface = np.asarray(bare - gain, np.float32)
    dyes, covered = _learn(values, surface, strips, known)
    for _ in range(LOOKS):
        eye = found(guess, _leaning(values, surface, strips, known, dyes))
        strips = laid_out(flat, stand, eye)
        dyes, covered = _learn(values, surface, strips, known)
    if empty is not None:
        photograph, surface = surface, _refreshed(values, surface, covered)
        dyes, _ = _learn(values, surface, strips, known)
        guise = _otherwise(photograph, surface)
    return Learned(eye, surface, dyes, guise)


def flattened(eye: Camera, stand: Stand) -> Flat:
    """The map of a board."""
    edge = RIM * stand.bases[2]
    return Flat(
        eye,
        RESOLUTION * UNITS / stand.bases[2],
        -edge,
        stand.board.width + edge,
        -edge,
        stand.board.height + edge,
    )


def laid_out(flat: Flat, stand: Stand, eye: Eye) -> dict[str, Strip]:
    """Where pieces may stand: the points by their cells, and ``bar``, which both sides share."""
    deep = min(DEEP * stand.bases[2], stand.board.height / 2)
    found = {
        cell: Strip(flat, stand, eye, x, start, way, deep, ROW)
        for cell, (x, start, way) in stand.columns.items()
    }
    found["bar"] = Strip(flat, stand, eye, stand.board.width / 2, 0.0, 1.0, stand.board.height, 3 * EACH)
    return found


def of(strips: Mapping[str, Strip], cell: Cell) -> Strip:
    """A cell's strip."""
    return strips["bar" if cell.startswith("bar.") else cell]


def side_of(look: Look) -> int:
    """Whose a look is: 0 or 1, as in ``SIDES``."""
    return SIDES.index(look[0].partition(".")[0])


def sizes_of(look: Look) -> list[int]:
    """The sizes in a look, small ones first."""
    return sorted(int(piece.partition(".")[2]) for piece in look)


def _counts(look: Look) -> Counts:
    count = Counter(sizes_of(look))
    return count[1], count[2], count[3]


def _learn(
    values: Map, surface: Map, strips: Mapping[str, Strip], known: Looks
) -> tuple[Dyes, NDArray[np.bool_]]:
    """Both sides' colours: first from whatever has changed where their pieces stand, then from under the
    outlines found there; and the map pixels under those outlines."""
    covered = np.zeros(values.shape[:2], bool)
    bare = Surface(surface)
    ground = Ground(surface, bare.trust)
    on_points = {cell: look for cell, look in known.items() if not cell.startswith("bar.")}
    both = {side_of(look) for look in on_points.values()} == {0, 1}
    sampled = on_points if both else dict(known)  # on the wide bar it is less clear where a piece stands
    change = changed(bare, values)
    samples: list[list[NDArray[np.float32]]] = [[], []]
    for cell, look in sampled.items():
        near = _near(of(strips, cell), cell, len(look), values.shape[:2])
        samples[side_of(look)].append(values[near & change])
    dyes = dye([np.concatenate(side) for side in samples])
    for _ in range(ROUNDS):
        speaks = dyes.speaks(values, ground)
        samples, covered[:] = [[], []], False
        for cell, look in known.items():
            k, strip = side_of(look), of(strips, cell)
            row = strip.rows(speaks[k]).get(_counts(look))
            if row is not None:
                mask = strip.mask(row.pieces)
                covered |= mask
                mask = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
                if cell in sampled:
                    samples[k].append(values[mask & (speaks[1 - k] < 1)])
        if all(sum(map(len, side)) > 200 for side in samples):
            dyes = dye([np.concatenate(side) for side in samples])
    return dyes, covered


def _leaning(
    values: Map, surface: Map, strips: Mapping[str, Strip], known: Looks, dyes: Dyes
) -> list[tuple[Strip, Map, Row]]:
    """The known rows as they are found, each with its strip and what speaks for its side there."""
    speaks = dyes.speaks(values, Ground(surface, Surface(surface).trust))
    rows = []
    for cell, look in known.items():
        strip, side = of(strips, cell), speaks[side_of(look)]
        row = strip.rows(side).get(_counts(look))
        if row is not None:
            rows.append((strip, np.ascontiguousarray(side[strip.box]), row))
    return rows


def _refreshed(values: Map, empty: Map, covered: NDArray[np.bool_]) -> Map:
    """The empty board as it looks under the lamp of the picture with pieces: what shows there between the
    pieces is taken as it is, and under them the photograph of the empty board, corrected by what changed
    around."""
    near = cv2.dilate(covered.astype(np.uint8), np.ones((SHADOW, SHADOW), np.uint8)) > 0
    free = np.asarray(~near, np.float32)
    wide = (0, 0)
    weight = cv2.GaussianBlur(free, wide, SHADOW) + 1e-3
    off = cv2.GaussianBlur((values - empty) * free[..., None], wide, SHADOW) / weight[..., None]
    return np.asarray(np.where(near[..., None], empty + off, values), np.float32)


def _otherwise(photograph: Map, surface: Map) -> Guise | None:
    """What the photograph of the empty board shows otherwise than it looks between pieces, if that is
    much."""
    off = np.abs(cv2.GaussianBlur(photograph - surface, (0, 0), 2)) > OTHERWISE * BARE
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(off.any(axis=-1), np.uint8))
    wide = [index for index in range(1, count) if stats[index, cv2.CC_STAT_AREA] >= WIDE]
    if not wide:
        return None
    rows, columns = np.nonzero(np.isin(labels, wide))
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    return Guise(int(rows.min()), int(columns.min()), colour.levels(photograph[part]))


def _near(strip: Strip, cell: Cell, count: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Map pixels where the pieces of a known cell must be: the first places of its row, the whole of the
    bar."""
    large = strip.stand.bases[2]
    length = strip.length if cell.startswith("bar.") else min((0.6 + count) * large, strip.length)
    ends = [
        (strip.x + dx, strip.start + strip.way * d)
        for dx in (-0.6 * large, 0.6 * large)
        for d in (0.0, length)
    ]
    at = strip.flat.at(ends)
    mask = np.zeros(shape, bool)
    low, high = np.maximum(at.min(axis=0).astype(int), 0), at.max(axis=0).astype(int) + 1
    mask[low[1] : high[1], low[0] : high[0]] = True
    return mask


def _under(values: Map, flat: Flat, stand: Stand, strips: Mapping[str, Strip], known: Looks) -> Map:
    """The empty board put together from what shows between the pieces: the points' pattern repeats."""
    hidden = np.zeros(flat.shape, bool)
    for cell, look in known.items():
        strip = of(strips, cell)
        near = _near(strip, cell, len(look), flat.shape)
        lean = round(STEEP * 0.12 * stand.bases[2] * flat.scale) + 6
        hidden |= cv2.dilate(near.astype(np.uint8), np.ones((2 * lean + 1, 2 * lean + 1), np.uint8)) > 0
    shifts, allowed = repeats(stand.board, flat)
    return fill_in(values, hidden, np.zeros(flat.shape, np.float32), shifts, allowed)
