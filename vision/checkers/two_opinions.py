"""A second opinion, where the calibration is weak or something lies over a row: the blind reader's, who knows
nothing of the table.

A table whose checkers hardly stand out in its own calibration picture (half of them in the shade of a wall,
or with a lamp mirrored in them) was learned badly, and its reader is sure of what it learned. Who knows
nothing cannot have learned it wrongly. So the blind reader's opinion counts in full, and the table's own a
part: where they do not agree, less is sure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from engine.layout import POINT_CELLS, Cell, Look, Looks
from vision.checkers.mirrored import Margins, misleads
from vision.geometry.board_measures import OFFS, SIDES, Geometry, Orientation
from vision.geometry.camera import Corner
from vision.picture.frame import Image
from vision.quality import Quality
from vision.reading import Raw

Told: TypeAlias = Mapping[Cell, Mapping[Look, float]]
"""Log-likelihoods of cells' looks."""
Opinion: TypeAlias = Callable[[Image, Sequence[Corner], Geometry, int], Told]
"""Log-likelihoods of cells' looks in a picture of a board with these corners, which is taken to lie the usual
way, of a game with so many checkers a side; nothing of cells that are hidden. May raise VisionError."""
OWN = 0.3
"""What the opinion of a table's own reader counts that was learned badly (measured:
docs/vision-measurements.md, hard tables)."""
LOST, BETTER = 1.5, 3.0
"""Nats that a table's own reader loses on its calibration picture, at least, and how many times as many as
the other one, where that is asked, too (measured: docs/vision-measurements.md, hard tables)."""
LEAST = -9.0
"""Nats behind its likeliest look under which neither opinion puts any."""


def wanted(quality: Quality, margins: Sequence[Margins]) -> bool:
    """Whether a calibration was so weak that another opinion is asked for. Where a lamp is mirrored in known
    checkers (``margins``) it takes them for the other side's, too."""
    misread = quality.wrong or quality.weak
    weak = quality.outread or quality.hardly or quality.in_patches or quality.strange
    return bool(weak or (misread and not misleads(margins)))


def outread(raw: Told, other: Told, known: Looks) -> bool:
    """Whether the ``other`` opinion (by this table's cells) tells the ``known`` looks much better."""
    points = [cell for cell in POINT_CELLS if cell in raw and cell in other]
    own, others = (-sum(_chance(each[cell], known.get(cell, ())) for cell in points) for each in (raw, other))
    return own > max(LOST, BETTER * others)


def _chance(looks: Mapping[Look, float], known: Look) -> float:
    """The logarithm of the chance given to a cell's ``known`` look."""
    return looks.get(known, LEAST + max(looks.values())) - float(np.logaddexp.reduce(list(looks.values())))


def fitted(other: Told, raw: Told, orientation: Orientation) -> Raw:
    """The ``other`` opinion by this table's cells and sides. Whose the lighter checkers are, ``raw`` says:
    the names that fit it better are taken."""
    named = [_named(other, orientation, names) for names in (SIDES, SIDES[::-1])]
    return max(named, key=lambda each: _agreement(pooled(raw, each)))


def _named(other: Told, orientation: Orientation, names: tuple[str, ...]) -> Raw:
    """The other opinion by this table's cells, and with these names of the sides."""
    sides = dict(zip(SIDES, names, strict=True))
    cells = {f"p{orientation.place(number)}": f"p{number}" for number in range(1, 25)}
    cells |= {f"bar.{side}": f"bar.{name}" for side, name in sides.items()}
    return {
        cells[cell]: {
            tuple(sides[piece] for piece in look): max(value - max(looks.values()), LEAST)
            for look, value in looks.items()
        }
        for cell, looks in other.items()
        if cell in cells and looks
    }


def pooled(raw: Told, other: Told) -> Raw:
    """``raw`` and the ``other`` opinion as one. A cell of which the other says nothing counts as little as
    ``raw`` alone."""
    found: Raw = {}
    for cell, mine in raw.items():
        theirs = other.get(cell, {})
        best = max(mine.values())
        found[cell] = {
            look: OWN * max(mine.get(look, -99.0) - best, LEAST) + theirs.get(look, LEAST if theirs else 0.0)
            for look in {**mine, **theirs}
        }
    return found


def _agreement(raw: Raw) -> float:
    """How well two opinions agreed that were pooled: by how little the likeliest looks lost."""
    return float(np.sum([max(looks.values()) for cell, looks in raw.items() if cell not in OFFS]))
