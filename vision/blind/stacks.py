"""A closer look at full rows: how many checkers lie upon them.

One that lies on another shows by a crescent of a pixel or two of the map, by its shadow, and by being a
little larger and further from the camera's foot. So each checker of a full row is cut out of the camera's
picture, as ``checkers.stacks`` does it on a calibrated table, and shown to a network of the same shape: here
tints and the empty board are guessed from the picture itself, and where the camera is from the corners. That
network (``stacks.onnx``) was trained on such guesses, on painted and drawn tables, by
``tests/bench/training/closer.py``: a photographer leans further over than a camera on a stand, and then a
thick checker's side looks like another one below it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision import stacks
from vision.blind.bare import surface
from vision.blind.board import Columns
from vision.blind.chances import cell_of, diameter
from vision.blind.eye import Eye, eye
from vision.blind.light import HALF, Lit
from vision.blind.sides import Sides
from vision.blind.tops import BAR, Top
from vision.disc_finder.flat_map import FlatMap
from vision.geometry.board_measures import ROW, THICKNESS
from vision.geometry.flat import Map
from vision.light import colour
from vision.picture.frame import Image

Floats = NDArray[np.float64]
Row = tuple[Floats, int]
"""How likely each number of checkers lies upon a row, from none, and how many the row itself has."""

BROAD = 0.93
"""A usual checker's diameter in pitches."""
DISTANT = 1.015
"""How far apart the checkers of a row lie, in diameters."""
WEIGHTS = Path(__file__).with_name("stacks.onnx")
LONGEST = 7
"""Rows of more than these are none that anybody laid."""
TRUST = 0.9
"""What part of the network's log-odds counts (measured on tables that it was not trained on, with RARE)."""
BELIEVED = 4.0
"""Nats against a number of checkers on one place that are never exceeded."""
RARE = 0.3
"""Nats for a second layer, of which the network saw fewer than of first ones."""
SECOND, MARKED = 0.6, -2.0
"""What part of the map's own log-odds of a second layer counts, and from which on: on painted tables it knows
some that this network does not, on others it sees none."""
NEAT = 0.1
"""The chance that whoever stacked so neatly did it on every place, and nothing shows."""
STACKED, FURTHER = 0.5, 0.6
"""Odds that there is one upon a full row at all, and that there is another."""
INWARD, UNTIDY = 0.65, 0.25
"""How many people lay them from the rim inward, and how many as they come; the rest begin at the inner
end."""
FINEST = 24
"""Pixels of the picture to one of a patch, at most: more are skipped."""
INSIDE = 0.4
"""Radius of what is asked for a checker's colour, in diameters."""


def closely(
    image: Image, flat: FlatMap, lit: Lit, board: Columns, tops: list[Top], whose: Sides
) -> dict[Cell, Row]:
    """What lies upon each full row."""
    rows: dict[tuple[int, bool], list[int]] = {}
    for i, top in enumerate(tops):
        if top.odds > 0 and top.column != BAR:
            rows.setdefault((top.column, top.upper), []).append(i)
    full = {
        (column, upper): sorted(row, key=lambda i: tops[i].y * (1 if upper else -1))
        for (column, upper), row in rows.items()
        if ROW <= len(row) <= LONGEST
    }
    if not full:
        return {}
    asked = [i for row in full.values() for i in row]
    seen = stacks.heights(shown(image, flat, lit, board, asked, tops, whose.white), WEIGHTS, 1.0)
    seen[:, 2:] += SECOND * np.maximum(np.array([tops[i].double for i in asked]) - MARKED, 0.0)[:, None]
    out, begin = {}, 0
    for place, row in full.items():
        out[cell_of(*place)] = (upon(seen[begin : begin + len(row)]), len(row))
        begin += len(row)
    return out


def upon(told: Floats) -> Floats:
    """The probability of each number of checkers upon a row of which this is seen (places from the rim inward
    x HEIGHTS)."""
    given = told[:, 1:] - np.logaddexp.reduce(told[:, 1:], axis=1, keepdims=True)
    given = np.maximum(TRUST * given, -BELIEVED)
    given[:, 1:] += RARE
    ways, number, nats = _ways(len(told))
    fit = given[np.arange(len(told)), ways].sum(axis=1) + nats
    found, usual = (np.bincount(number, np.exp(part - part.max())) for part in (fit, nats))
    return np.asarray((1 - NEAT) * found / found.sum() + NEAT * usual / usual.sum(), np.float64)


@cache
def _ways(long: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Ways to lay checkers upon a row (how many lie on each place; a third layer where the second is full),
    how many each takes, and its log-probability."""
    ways = np.array(list(product((0, 1, 2), repeat=long)))
    ways = ways[(ways.max(axis=1) < 2) | (ways.min(axis=1) > 0)]
    number = ways.sum(axis=1)
    steps = np.diff(ways, axis=1)
    orderly, reverse = (steps <= 0).all(axis=1), (steps >= 0).all(axis=1)
    many = np.bincount(number)[number]
    share = UNTIDY / many + INWARD * orderly + (1 - UNTIDY - INWARD) * reverse
    nats = np.log(share) + number * np.log(FURTHER) + (number > 0) * np.log(STACKED)
    return ways, number, nats


def shown(
    image: Image,
    flat: FlatMap,
    lit: Lit,
    board: Columns,
    asked: Sequence[int],
    tops: Sequence[Top],
    white: Floats,
    taken: Floats | None = None,
) -> NDArray[np.float32]:
    """What the network is shown of those of the ``tops`` that are ``asked`` about. ``white``: each top's
    log-odds that it is White's; ``taken``: the same, for which tint it is compared with."""
    tall = diameter(board, tops)
    seen = eye(flat, (image.shape[1], image.shape[0]), tall / (BROAD * DISTANT * board.pitch))
    down = tall / DISTANT
    across = down / seen.stretch
    tints = _tints(lit.values, tops, white, across)
    near = {column for i in asked for column in range(tops[i].column - 1, tops[i].column + 2)} & set(
        range(12)
    )
    empty = surface(lit, board, near)
    own = np.array([tints[int((white if taken is None else taken)[i] < 0)] for i in asked], np.float32)
    return patches(image, flat, (lit.values, empty), seen, [tops[i] for i in asked], own, (across, down))


def patches(
    image: Image,
    flat: FlatMap,
    values: tuple[Map, Map],
    seen: Eye,
    tops: Sequence[Top],
    tints: NDArray[np.float32],
    size: tuple[float, float],
) -> NDArray[np.float32]:
    """What the network is shown. ``size``: a checker's on the map, across and down."""
    at = np.array([(top.x, top.y) for top in tops], np.float64)
    turned = np.array([-1.0 if top.upper else 1.0 for top in tops])
    thick = THICKNESS * size[0]
    grow = seen.high / (seen.high - thick) / stacks.SCALE
    steps = [
        np.zeros((len(at), 2)),
        np.tile((size[0] * grow, 0.0), (len(at), 1)),
        np.stack([0 * turned, turned * size[1] * grow], axis=1),
    ]
    middle, right, below = (flat.picture(at + step) for step in steps)
    right, below = right - middle, below - middle
    fine = min(max(1, round(float(np.linalg.norm(right, axis=1).mean()) / 1.4)), FINEST)
    small = at / HALF - 0.25
    one, other = size[0] / stacks.SCALE / HALF, size[1] / stacks.SCALE / HALF
    bottom = stacks.cuts(
        values[1], small, np.tile((one, 0.0), (len(at), 1)), np.stack([0 * turned, turned * other], axis=1), 1
    )
    wide = (max(round(stacks.SIDE * one), 1), max(round(stacks.SIDE * other), 1))
    lit = np.array([cv2.mean(cv2.getRectSubPix(values[0], wide, (u, v)))[:3] for u, v in small], np.float32)
    lean = (
        seen.lean(at, thick, thick) / size * stacks.LEAN * np.stack([np.ones_like(turned), -turned], axis=1)
    )
    return stacks.network_input(
        colour.logs(stacks.cuts(image, middle, right, below, fine)), bottom, lit, tints, lean
    )


def _tints(values: Map, tops: Sequence[Top], white: Floats, across: float) -> list[NDArray[np.float32]]:
    """White's colour and Black's: of the middle one of its checkers."""
    radius = INSIDE * across / HALF
    wide = max(round(2 * radius), 1)
    lit = np.array(
        [
            cv2.mean(cv2.getRectSubPix(values, (wide, wide), (t.x / HALF - 0.25, t.y / HALF - 0.25)))[:3]
            for t in tops
        ]
    )
    found = []
    for side in (1, -1):
        mine = [i for i, t in enumerate(tops) if t.odds > 0 and white[i] * side > 0] or list(range(len(tops)))
        found.append(np.asarray(np.median(lit[mine], axis=0), np.float32))
    return found
