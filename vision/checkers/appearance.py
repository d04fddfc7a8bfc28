"""How a calibrated board looks to people: its colours and proportions, for whoever draws it.

Colours are taken from the empty surface that the calibration keeps, each as the median of a place where
nothing else is: the field between the points, the points near their feet, the bar, the rim. A camera's
pictures are darker than a board is to the eye, so all are made lighter alike, until the lighter checkers are
nearly white.
"""

from __future__ import annotations

import numpy as np

from vision.checkers.rig import Rig
from vision.geometry import board_measures
from vision.geometry.camera import Floats
from vision.geometry.flat import Flat
from vision.light.colour import levels
from vision.picture.masks import Mask
from vision.reading import Appearance

WHITE, MOST = 238.0, 2.2
"""The level (of 255) that the lightest channel of the lighter checkers gets, and by how much colours are made
lighter at most."""


def appearance_of(rig: Rig, flat: Flat) -> Appearance:
    """What a board of checkers looks like; ``flat`` is its map."""
    m, x, y = rig.measures, np.broadcast_to(flat.x, flat.shape), flat.y[:, None]
    inside = (x > 0) & (x < m.width) & (y > 0) & (y < m.height)
    bar = np.abs(x - m.width / 2) < 0.35 * m.bar
    beside = np.abs(x - m.width / 2) > 0.75 * m.bar
    field = inside & beside & (np.abs(y - m.height / 2) < 0.06 * m.height)
    rim = ~inside & (np.abs(y - m.height / 2) > m.height / 2 + 0.15 * m.checker) & (x > 0) & (x < m.width)
    odd, even = (_points(rig, x, y, parity) for parity in (1, 0))
    seen = [_median(rig, mask) for mask in (field, odd, even, (bar & inside) | rim)]
    sides = [levels(np.array(tint.colour, np.float32).reshape(1, 1, 3))[0, 0] for tint in rig.paint.tints]
    colours = np.array([*seen, *sides], np.float64)[:, ::-1]
    colours *= np.clip(WHITE / max(1.0, float(colours[4:].max())), 1.0, MOST)
    field_, first, second, wood, one, other = (_hex(each) for each in colours)
    return Appearance(
        field_,
        (first, second),
        wood,
        (one, other),
        round(m.bar / m.pitch, 3),
        round(m.height / m.pitch, 3),
        round(m.checker / m.pitch, 3),
        rig.orientation.mirrored,
    )


def _points(rig: Rig, x: Floats, y: Floats, parity: int) -> Mask:
    """The feet of the points whose numbers are odd (1) or even (0), as the map shows them."""
    m = rig.measures
    found = np.zeros(x.shape, bool)
    for number in range(2 - parity, 25, 2):
        place = rig.orientation.place(number)
        middle = board_measures.middle(m, place)
        foot = y < 0.25 * m.height if place <= 12 else y > 0.75 * m.height
        found |= (np.abs(x - middle) < 0.15 * m.pitch) & foot & (y > 0) & (y < m.height)
    return found


def _median(rig: Rig, mask: Mask) -> Floats:
    """The median colour of a part of the surface, of what was seen bare where there is enough of it."""
    bare = mask if rig.guessed is None else mask & ~rig.guessed
    chosen = bare if np.count_nonzero(bare) >= 20 else mask
    return np.asarray(np.median(rig.surface[chosen], axis=0), np.float64)


def _hex(rgb: Floats) -> str:
    return "#" + "".join(f"{round(min(255.0, max(0.0, value))):02x}" for value in rgb)
