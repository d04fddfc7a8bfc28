"""A closer look at full rows: how many checkers lie upon them.

One that lies on another shows by a crescent of a pixel or two of the map, by its shadow, and by being a
little larger and further from the camera's foot. So each checker of a full row is cut out of the camera's
picture, as ``checkers.stacks`` does it on a calibrated table, and shown to a network of the same shape: here
tints and the empty board are guessed from the picture itself, and where the camera is from the corners. That
network (``full_rows.onnx``) was trained on such guesses, on painted and drawn tables, by
``training/stacks/blind.py``: a photographer leans further over than a camera on a stand, and then a
thick checker's side looks like another one below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision import stack_network
from vision.blind.chances import cell_of, diameter, stacks
from vision.blind.columns import Columns
from vision.blind.counts import FullRow
from vision.blind.empty_board import empty_board
from vision.blind.even_light import EvenLight
from vision.blind.sides import Sides
from vision.blind.strips import HALF, halved
from vision.blind.tops import PlacedTop
from vision.blind.viewpoint import find_viewpoint
from vision.disc_finder.flat_map import FlatMap
from vision.geometry.board_measures import ROW, THICKNESS
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image

BROAD = 0.93
"""A usual checker's diameter in pitches."""


@dataclass(frozen=True)
class Worth:
    """What is said of a second layer counts. ``network``: the part of its log-odds, and ``rare``: nats for
    layers of which it saw fewer than of first ones (measured on tables that it was not trained on); ``map``:
    the part of the map's own log-odds: on painted tables it knows some that this network does not, on others
    it sees none (docs/vision-blind.md). ``third``: nats by which a third one on a place can be behind a
    second one, since it sees one of them in three. ``neat``: the chance that whoever stacked so neatly did it
    on every place, and nothing shows."""

    network: float = 0.9
    rare: float = 0.3
    map: float = 0.6
    third: float = 0.3
    neat: float = 0.1


WORTH = Worth()


def look_closer(
    image: Image, flat: FlatMap, light: EvenLight, board: Columns, tops: Sequence[PlacedTop], sides: Sides
) -> dict[Cell, FullRow]:
    """What lies upon each full row."""
    rows = {place: [i for i in members if tops[i].seen] for place, members in stacks(tops).items()}
    full = {place: row for place, row in rows.items() if ROW <= len(row) <= 7}  # nobody lays longer ones
    asked = [i for row in full.values() for i in row]
    if not asked:
        return {}
    shown = show_tops(image, flat, light, board, asked, tops, sides.white)
    heights = stack_network.heights(shown, Path(__file__).with_name("full_rows.onnx"), 1.0)
    marked = np.array([tops[i].double for i in asked])
    heights[:, 2:] += WORTH.map * np.maximum(marked + 2.0, 0.0)[:, None]  # from log-odds of -2 on
    ends = np.cumsum([len(row) for row in full.values()])[:-1]
    return {
        cell_of(*place): FullRow(len(row), count_upon(seen))
        for (place, row), seen in zip(full.items(), np.split(heights, ends), strict=True)
    }


def count_upon(heights: Floats) -> Floats:
    """The probability of each number of checkers upon a row of whose places (from the rim inward) these are
    the log-probabilities (places x HEIGHTS)."""
    given = heights[:, 1:] - np.logaddexp.reduce(heights[:, 1:], axis=1, keepdims=True)
    given = np.maximum(WORTH.network * given, -4.0)  # nats: no place speaks more against a number
    given[:, 2] = np.maximum(given[:, 2], given[:, 1] - WORTH.third)
    given[:, 1:] += WORTH.rare
    ways, number, nats = _ways(len(heights))
    fit = given[np.arange(len(heights)), ways].sum(axis=1) + nats
    found, usual = (np.bincount(number, np.exp(part - part.max())) for part in (fit, nats))
    neat = WORTH.neat
    return np.asarray((1 - neat) * found / found.sum() + neat * usual / usual.sum(), np.float64)


@cache
def _ways(long: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Ways to lay checkers upon a row (how many lie on each place; a third layer where the second is full),
    how many each takes, and its log-probability."""
    ways = np.array(list(product((0, 1, 2), repeat=long)))
    ways = ways[(ways.max(axis=1) < 2) | (ways.min(axis=1) > 0)]
    number = ways.sum(axis=1)
    steps = np.diff(ways, axis=1)
    inward, outward = (steps <= 0).all(axis=1), (steps >= 0).all(axis=1)
    many = np.bincount(number)[number]
    # Of people 0.65 lay them from the rim inward, 0.25 as they come, and the rest begin at the inner end.
    share = 0.25 / many + 0.65 * inward + (1 - 0.25 - 0.65) * outward
    # Odds that there is one upon a full row at all, and that there is another.
    nats = np.log(share) + number * np.log(0.6) + (number > 0) * np.log(0.5)
    return ways, number, nats


def show_tops(
    image: Image,
    flat: FlatMap,
    light: EvenLight,
    board: Columns,
    asked: Sequence[int],
    tops: Sequence[PlacedTop],
    white: Floats,
    taken: Floats | None = None,
) -> NDArray[np.float32]:
    """What the network is shown of those of the ``tops`` that are ``asked`` about. ``white``: each top's
    log-odds that it is White's; ``taken``: the same, for which tint it is compared with."""
    tall = diameter(board, tops)
    eye = find_viewpoint(flat, (image.shape[1], image.shape[0]), tall / (BROAD * board.pitch))
    size = np.array([tall / eye.stretch, tall])  # a checker's, across and down the map
    tints = _tints(light.values, tops, white, size[0])
    own = np.array([tints[int((white if taken is None else taken)[i] < 0)] for i in asked], np.float32)
    near = {tops[i].column + step for i in asked for step in (-1, 0, 1)}
    empty = empty_board(light, board, near & set(range(12)))
    at = np.array([(tops[i].x, tops[i].y) for i in asked])
    right = np.tile((1.0, 0.0), (len(at), 1))
    below = np.array([(0.0, -1.0 if tops[i].upper else 1.0) for i in asked])  # towards the rim
    thick = THICKNESS * size[0]
    grow = size * eye.high / (eye.high - thick) / stack_network.SCALE
    middle = flat.picture(at)
    across, down = (flat.picture(at + step * grow) - middle for step in (right, below))
    # More than 24 pixels of the picture to one of a patch are skipped.
    fine = min(max(1, round(float(np.linalg.norm(across, axis=1).mean()) / 1.4)), 24)
    squares = colour.logs(stack_network.cuts(image, middle, across, down, fine))
    small = size / stack_network.SCALE / HALF
    bare = stack_network.cuts(empty, halved(at), small * right, small * below, 1)
    seen = _means(light.values, at, np.maximum(np.round(stack_network.SIDE * small), 1)).astype(np.float32)
    lean = eye.lean(at, thick, thick) / size * stack_network.LEAN * (right - below)
    return stack_network.network_input(squares, bare, seen, own, lean)


def _means(values: Map, places: Floats, wide: Floats) -> Floats:
    """The mean colour (N x 3) of rectangles of the halved map, so ``wide`` (across, down), around places of
    the whole one."""
    size = int(wide[0]), int(wide[1])
    cut = (cv2.getRectSubPix(values, size, (u, v)) for u, v in halved(places))
    return np.array([cv2.mean(each)[:3] for each in cut])


def _tints(values: Map, tops: Sequence[PlacedTop], white: Floats, across: float) -> list[Map]:
    """White's colour and Black's: of the middle one of its checkers."""
    inner = max(round(0.8 * across / HALF), 1)  # of a checker's diameter: without its edge
    lit = _means(values, np.array([(top.x, top.y) for top in tops]), np.array([inner, inner]))
    seen = np.array([top.seen for top in tops])
    found = []
    for mine in (seen & (white > 0), seen & (white < 0)):
        found.append(np.asarray(np.median(lit[mine] if mine.any() else lit, axis=0), np.float32))
    return found
