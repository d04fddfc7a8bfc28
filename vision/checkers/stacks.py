"""A close look where the map is too coarse: does a checker stand here, or two, or three upon each other, or
none?

Five fill a row, or six or seven of those who lay them flat; further ones lie on the first, from the rim
inward. One that lies on another covers it nearly whole, but it is nearer to the lens, never sits exactly on
it, and throws a longer shadow: a crescent of the lower one shows, and a few pixels of the picture move. On
the map that is less than one pixel, so each checker of a full row is looked at again in the camera's picture,
``SCALE`` pixels to its diameter; and so is each place of which the map leaves in doubt whether it is taken.

What is seen is told to a small network (``stacks.onnx``; see ``vision.stack_network``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Look
from vision.checkers.discs import Discs
from vision.checkers.plan import Plan, hides
from vision.checkers.rows import STACKED, Row
from vision.geometry.board_measures import ROW, SIDES, Measures
from vision.geometry.camera import Floats
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light import colour
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.reading import Raw
from vision.stack_network import HEIGHTS, LEAN, SCALE, SIDE, cuts, heights, network_input

TEMPER = 1.3
"""What the network's log-odds are divided by (measured: docs/vision-measurements.md, a close look)."""
ALIKE = 6.0
"""Nats by which one number of checkers in a full row can be behind another: whoever stacks neatly does so on
every place of it, so its places do not say so five times."""


@dataclass(frozen=True)
class Top:
    """A checker's top as the map shows it: its centre (map pixels), which tint it has, and whether its rim is
    the upper one."""

    column: float
    row: float
    kind: int
    upper: bool


def patches(
    flat: Flat,
    discs: Discs,
    image: Image,
    values: Map,
    tops: Sequence[Top],
    measures: Measures,
    tone: NDArray[np.float32] = colour.PLAIN,
) -> NDArray[np.float32]:
    """What the network is shown of every top: N x CHANNELS x SIDE x SIDE, with the rim below. ``image``: the
    camera's picture; ``values``: the same laid flat and relit; ``tone``: every level's logarithm (see
    ``light.tone_curve``)."""
    checker, thickness = measures.checker, measures.thickness
    at = np.array([(top.column, top.row) for top in tops], np.float64)
    turned = np.array([-1.0 if top.upper else 1.0 for top in tops])
    eye = flat.camera.eye()
    nearer = (eye[2] - thickness) / eye[2]
    places = eye[:2] + (flat.board(at) - eye[:2]) * nearer
    step = checker / SCALE
    heights = np.full((len(tops), 1), thickness)
    middle, right, up = (
        flat.camera.project(np.hstack([places + way, heights])) for way in ((0, 0), (step, 0), (0, step))
    )
    right, up = right - middle, up - middle
    fine = max(1, round(float(np.linalg.norm(right, axis=1).mean()) / 1.4))
    shown = colour.logs(cuts(image, middle, right, -turned[:, None] * up, fine), tone)
    across = np.full(len(tops), RESOLUTION / SCALE)
    along = turned * across
    sides = np.stack([across, 0 * across], axis=1), np.stack([0 * across, along], axis=1)
    bare = cuts(discs.bare.values, at, *sides, 1)
    wide = round(SIDE * RESOLUTION / SCALE)
    lit = np.array([cv2.mean(cv2.getRectSubPix(values, (wide, wide), (u, v)))[:3] for u, v in at], np.float32)
    tint = np.array([discs.paint.tints[top.kind].colour for top in tops], np.float32)
    columns, rows = np.clip(at.round().astype(int), 0, np.array(flat.shape[::-1]) - 1).T
    tint[:, 0] += discs.light[rows, columns]
    lean = (places - eye[:2]) * ((eye[2] - thickness) / (eye[2] - 2 * thickness) - 1) / checker * LEAN
    lean *= np.stack([np.ones_like(turned), turned], axis=1)
    return network_input(shown, bare, lit, tint, lean)


def counts(heights: Floats, most: int) -> Floats:
    """Log-likelihoods of as many checkers as a full row has places, one more ... ``most``, where as many lie
    on one place as on the next, or one more; ``heights`` (places x HEIGHTS) says how many lie on each, from
    the rim inward. None is further than ALIKE behind the likeliest."""
    long = len(heights)
    place, extra = np.arange(long), np.arange(most - long + 1)[:, None]
    nats = heights[place, np.minimum((extra + long - 1 - place) // long + 1, HEIGHTS - 1)].sum(axis=1)
    return np.asarray(np.maximum(nats, nats.max() - ALIKE), np.float64)


@dataclass(frozen=True)
class Stacks:
    """The close look at one table."""

    plan: Plan

    def weigh(
        self,
        raw: Raw,
        rows: Sequence[Row],
        discs: Discs,
        image: Image,
        values: Map,
        levels: NDArray[np.float32] = colour.PLAIN,
        hidden: Mask | None = None,
    ) -> Raw:
        """``raw`` with what a close look at the ``rows`` in doubt adds. ``image``: the camera's picture;
        ``values``: its map, in the light of the calibration; ``levels``: every level's logarithm;
        ``hidden``: the map pixels that say nothing of the board."""
        rows = [row for row in rows if row.cell in raw]
        if not rows:
            return raw
        doubtful = [(row, row.centres[row.sure :]) for row in rows]
        tops = [
            Top(u, v, row.kind, row.cell in self.plan.upper) for row, places in doubtful for u, v in places
        ]
        shown = patches(self.plan.flat, discs, image, values, tops, self.plan.measures, levels)
        ends = np.cumsum([len(places) for _, places in doubtful])[:-1]
        nats = heights(shown, Path(__file__).with_name("stacks.onnx"), TEMPER)
        if hidden is not None:
            unseen = hides(hidden, [top.column for top in tops], [top.row for top in tops])
            nats[unseen, 0], nats[unseen, 1:] = 0.0, -math.log(HEIGHTS - 1)  # as likely some as none
        seen = np.split(nats, ends)
        return raw | {
            row.cell: raw[row.cell] | _weighed(raw[row.cell], row, part)
            for row, part in zip(rows, seen, strict=True)
        }


def _weighed(looks: dict[Look, float], row: Row, seen: Floats) -> dict[Look, float]:
    """New likelihoods of a row's looks. ``seen``: how many lie on each of its places (places x HEIGHTS) from
    the first that is not sure on. Whose a checker is, others have said."""
    some = np.logaddexp.reduce(seen[:, 1:], axis=1)
    taken = [0.0, *np.cumsum(some - seen[:, 0]).tolist()]
    new = {look: value + taken[min(max(len(look) - row.sure, 0), len(seen))] for look, value in looks.items()}
    full = (SIDES[row.kind],) * len(seen)
    if len(seen) >= ROW and full in looks:
        nats = counts(np.maximum(seen - some[:, None], STACKED), max(map(len, looks)))
        base = new[full] - float(np.logaddexp.reduce(nats))
        new |= {full + (SIDES[row.kind],) * extra: base + float(value) for extra, value in enumerate(nats)}
    return new
