"""A second opinion on doubtful checkers: what the blind reader's network makes of the same picture.

A calibrated table knows its board and its colours, but where checkers are as dark as the points they stand on, colours say little, and a
knot in the wood may pass for a checker. The network (``blind_net``) has never seen this board; it knows what a checker's outline
and rim look like. The two err in different places, so their log-likelihoods are added. It costs about as much again as the first, so
it is asked only where the first hesitates.

It counts tops, whosever they are: whose they are is what a calibrated table knows best. It says nothing about the bar and the trays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from engine.layout import Cell, Look, Piece
from vision import blind_chances, blind_counts
from vision.blind_board import Columns
from vision.blind_map import FIELD, MARGIN, WIDE, lay
from vision.blind_net import look
from vision.blind_sides import Sides
from vision.blind_tops import place
from vision.board import Lie, Measures
from vision.camera import Camera
from vision.frame import Image
from vision.kind import Raw

ROW = 5
"""Checkers in a row. Further ones lie on these and show little outline: about them the network is the worse judge and is not asked."""
HESITANT = 2.0
"""Nats between the likeliest lengths of a row under which a second opinion is asked."""
WEIGHT = 1.0
"""What the second opinion's nats are multiplied by."""
LEAST = -9.0
"""Nats under which it never goes: one network's error must not outvote everything else."""
ONE_SIDE = 30.0
"""Log-odds that make every top one side's: counts only."""


class Second:
    """The second opinion on one table, with its geometry."""

    def __init__(self, camera: Camera, measures: Measures, lie: Lie) -> None:
        width, height = measures.width, measures.height
        corners = camera.project(np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], np.float64))
        self._corners = [(float(x), float(y)) for x, y in corners]
        scale = FIELD[0] / width
        k = np.arange(12)
        axes = MARGIN + scale * (measures.pitch * (k + 0.5) + (k >= 6) * (width - 12 * measures.pitch))
        self._columns = Columns(axes=axes, pitch=scale * measures.pitch, bar=measures.bar / measures.pitch, middle=WIDE / 2, sure=1.0)
        self._points = frozenset(f"p{number}" for number in range(1, 25))
        self._cells = {f"p{lie.place(number)}": f"p{number}" for number in range(1, 25)}

    def wanted(self, raw: Mapping[Cell, Mapping[Look, float]], stock: Mapping[Piece, int]) -> bool:
        """Whether the first opinion hesitates: on some point two lengths of the row are nearly as likely, or there are more pieces than
        exist."""
        used: dict[Piece, int] = {}
        for cell, looks in raw.items():
            best = max(looks, key=lambda seen: looks[seen])
            near = {min(len(seen), ROW) for seen, value in looks.items() if looks[best] - value < HESITANT}
            if len(near) > 1 and cell in self._points:
                return True
            for piece in best:
                used[piece] = used.get(piece, 0) + 1
        return any(number > stock.get(piece, 0) for piece, number in used.items())

    def weigh(self, raw: Raw, image: Image) -> Raw:
        """``raw`` with the network's nats added to every point's looks, by how long their row is. ``image`` is the camera's picture."""
        sight = look(lay(image, self._corners).image)
        tops = place(sight, self._columns)
        hidden = blind_chances.occluded(sight.hand, self._columns)
        points, _ = blind_chances.chances(self._columns, tops, Sides(np.full(len(tops), ONE_SIDE), 0.0))
        added: Raw = dict(raw)
        for there, chances in points.items():
            cell = self._cells[there]
            if cell in raw and there not in hidden:
                counts = blind_counts.point(chances)
                full = sum(chance for count, chance in counts.items() if count >= ROW)
                nats = [_nats(counts.get(count, 0.0)) for count in range(ROW)] + [_nats(full)]
                added[cell] = {seen: value + nats[min(len(seen), ROW)] for seen, value in raw[cell].items()}
        return added


def _nats(chance: float) -> float:
    return WEIGHT * max(math.log(max(chance, 1e-9)), LEAST)
