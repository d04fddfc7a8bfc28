"""A close look where the map is too coarse: does a checker stand here, or two, or three upon each other, or
none?

Five fill a row; further ones lie on the first five, from the rim inward. One that lies on another covers it
nearly whole, but it is nearer to the lens, never sits exactly on it, and throws a longer shadow: a crescent
of the lower one shows, and a few pixels of the picture move. On the map that is less than one pixel, so each
checker of a full row is looked at again in the camera's picture, ``SCALE`` pixels to its diameter; and so is
each place of which the map leaves in doubt whether it is taken.

What is seen is told to a small network (``stacks.onnx``; see ``vision.stack_network``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Look
from vision.checkers.discs import Discs
from vision.checkers.found import Row
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.geometry.points import ROW, SIDES, Lie, Measures
from vision.light import colour
from vision.picture.frame import Image
from vision.reading import Raw
from vision.stack_network import HEIGHTS, LEAN, SCALE, SIDE, cuts, heights, network_input

TEMPER = 1.3
"""What the network's log-odds are divided by (measured: docs/vision.md)."""

WEIGHTS = Path(__file__).with_name("stacks.onnx")

WIDE = round(SIDE * RESOLUTION / SCALE)
"""The same on the map."""

MOST = 15

ALIKE = 6.0
"""Nats by which one number of checkers in a full row can be behind another: whoever stacks neatly does so on
every place of it, so its places do not say so five times."""

STACKED = -2.2
"""Log-probability under which no answer about how many lie on a taken place goes: one that lies neatly on
another looks like one."""


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
    checker: float,
    thickness: float,
    tone: NDArray[np.float32] = colour.PLAIN,
) -> NDArray[np.float32]:
    """What the network is shown of every top: N x CHANNELS x SIDE x SIDE, with the rim below. ``image``: the
    camera's picture; ``values``: the same laid flat and relit; ``checker`` and ``thickness`` in cm; ``tone``:
    every level's logarithm (see ``light.tone``)."""
    at = np.array([(top.column, top.row) for top in tops], np.float64)
    seen = np.stack(
        [flat.left + (at[:, 0] + 0.5) / flat.scale, flat.high - (at[:, 1] + 0.5) / flat.scale], axis=1
    )
    eye = flat.camera.eye()
    places = eye[:2] + (seen - eye[:2]) * ((eye[2] - thickness) / eye[2])
    step = checker / SCALE
    heights = np.full((len(tops), 1), thickness)
    middle, right, up = (
        flat.camera.project(np.hstack([places + way, heights])) for way in ((0, 0), (step, 0), (0, step))
    )
    right, up = right - middle, up - middle
    fine = max(1, round(float(np.linalg.norm(right, axis=1).mean()) / 1.4))
    turned = np.array([-1.0 if top.upper else 1.0 for top in tops])
    across = np.full(len(tops), RESOLUTION / SCALE)
    bare = cuts(
        discs.bare.values,
        at,
        np.stack([across, 0 * across], axis=1),
        np.stack([0 * across, turned * across], axis=1),
        1,
    )
    lit = np.array([cv2.mean(cv2.getRectSubPix(values, (WIDE, WIDE), (u, v)))[:3] for u, v in at], np.float32)
    rows, columns = flat.shape
    tint = np.array([discs.paint.tints[top.kind].colour for top in tops], np.float32)
    tint[:, 0] += discs.light[
        np.clip(at[:, 1].round().astype(int), 0, rows - 1),
        np.clip(at[:, 0].round().astype(int), 0, columns - 1),
    ]
    lean = (places - eye[:2]) * ((eye[2] - thickness) / (eye[2] - 2 * thickness) - 1) / checker * LEAN
    lean *= np.stack([np.ones_like(turned), turned], axis=1)
    return network_input(
        colour.logs(cuts(image, middle, right, -turned[:, None] * up, fine), tone), bare, lit, tint, lean
    )


def counts(told: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-likelihoods of ROW, ROW + 1 ... MOST checkers in a full row whose places, from the rim inward, say
    ``told`` (ROW x HEIGHTS), and as many checkers stand on one place as on the next or one more. None is
    further than ALIKE behind the likeliest."""
    place, extra = np.arange(ROW), np.arange(MOST - ROW + 1)[:, None]
    nats = told[place, np.minimum((extra + ROW - 1 - place) // ROW + 1, HEIGHTS - 1)].sum(axis=1)
    return np.asarray(np.maximum(nats, nats.max() - ALIKE), np.float64)


class Stacks:
    """The close look at one table."""

    def __init__(self, flat: Flat, measures: Measures, lie: Lie) -> None:
        self._flat, self._measures = flat, measures
        self._upper = {f"p{number}": lie.place(number) > 12 for number in range(1, 25)}

    def weigh(
        self,
        raw: Raw,
        rows: Sequence[Row],
        discs: Discs,
        image: Image,
        values: Map,
        levels: NDArray[np.float32] = colour.PLAIN,
    ) -> Raw:
        """``raw`` with what a close look at the ``rows`` in doubt adds. ``image``: the camera's picture;
        ``values``: its map, in the light of the calibration; ``levels``: every level's logarithm."""
        rows = [row for row in rows if row.cell in raw]
        if not rows:
            return raw
        tops = [
            Top(u, v, row.kind, self._upper[row.cell]) for row in rows for u, v in row.centres[row.sure :]
        ]
        seen = patches(
            self._flat,
            discs,
            image,
            values,
            tops,
            self._measures.checker,
            self._measures.thickness,
            levels,
        )
        told = heights(seen, WEIGHTS, TEMPER)
        added, begin = dict(raw), 0
        for row in rows:
            end = begin + len(row.centres) - row.sure
            added[row.cell] = added[row.cell] | _weighed(raw[row.cell], row, told[begin:end])
            begin = end
        return added


def _weighed(looks: dict[Look, float], row: Row, told: NDArray[np.float64]) -> dict[Look, float]:
    """New likelihoods of a row's looks. ``told``: what is seen on its places from the first that is not sure
    on. Whose a checker is, others have said."""
    taken = [0.0, *np.cumsum(np.logaddexp.reduce(told[:, 1:], axis=1) - told[:, 0]).tolist()]
    new = {look: value + taken[min(max(len(look) - row.sure, 0), len(told))] for look, value in looks.items()}
    full = (SIDES[row.kind],) * ROW
    if len(told) == ROW and full in looks:
        given = told - np.logaddexp.reduce(told[:, 1:], axis=1, keepdims=True)
        nats = counts(np.maximum(given, STACKED))
        base = new[full] - float(np.logaddexp.reduce(nats))
        new |= {full + (SIDES[row.kind],) * extra: base + float(value) for extra, value in enumerate(nats)}
    return new
