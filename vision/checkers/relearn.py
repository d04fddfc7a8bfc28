"""A table that learns from play: looks learned anew from pictures of which it is known what they show.

A play that both players accepted is a label for the picture that it was judged by. From a few such pictures
the looks of both sides' checkers, the lamp's fall over the board and the bare board are estimated again, in
the light of the calibration. Camera and measures stay as they were calibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from engine.layout import POINT_CELLS, Looks
from vision.checkers.paint import KnownDiscs, learn
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.geometry.board_measures import ROW, SIDES
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.light import colour
from vision.picture.masks import grow
from vision.reading import Reading

BARE = 3
"""Pictures in which a place must have been seen bare for the believed board to follow there."""
BESIDE = 9
"""Map pixels across what is no bare board around a place at which a checker was found."""


@dataclass(frozen=True)
class SeenPlay:
    """The map of a picture (``values`` in the calibration's light), how it was read, and what it shows."""

    values: Map
    reading: Reading
    looks: Looks


def relearned(rig: Rig, flat: Flat, believed: Map, seen: Sequence[SeenPlay]) -> Rig | None:
    """The rig with looks as these plays show them; ``believed``: the bare board as it was believed to look.
    None where a side has no checker in its rows, or where checkers have two looks, of which a lamp that is
    mirrored in them makes one: they stay as they were calibrated."""
    if any(rig.paint.divided):
        return None
    known = [_known(rig, flat, play) for play in seen]
    if {int(kind) for each in known for kind in each.kinds} != set(range(len(SIDES))):
        return None
    bare = np.stack([_bare(play, each) for play, each in zip(seen, known, strict=True)])
    often = np.isfinite(bare[..., 0]).sum(axis=0) >= BARE
    surface = believed.copy()
    surface[often] = np.nanmedian(bare[:, often], axis=0)
    return replace(
        rig,
        paint=learn([each for each in known if len(each.kinds)]),
        surface=colour.levels(surface),
        guessed=None if rig.guessed is None else rig.guessed & ~often,
    )


def _known(rig: Rig, flat: Flat, play: SeenPlay) -> KnownDiscs:
    """The checkers of a play that lie on the board itself: where they were found, or where they should be, if
    as many were not found there."""
    places: list[tuple[float, float]] = []
    kinds: list[int] = []
    for cell in POINT_CELLS:
        look, marks = play.looks.get(cell, ()), play.reading.marks.get(cell, ())
        if not 0 < len(look) <= ROW or cell in play.reading.occluded:
            continue
        if play.reading.looks.get(cell) == look and len(marks) == len(look):
            places += [(u, v) for _, u, v, _ in marks]
        else:
            nominal = spots(rig.measures, {cell: look}, rig.orientation)
            tops = flat.at([(x, y) for _, x, y, _ in nominal], rig.measures.thickness)
            places += [(float(u), float(v)) for u, v in tops]
        kinds += [SIDES.index(look[0])] * len(look)
    return KnownDiscs(play.values, np.array(places, np.float64).reshape(-1, 2), np.array(kinds, np.int64))


def _bare(play: SeenPlay, known: KnownDiscs) -> Map:
    """The map of a play, NaN where it may not show bare board."""
    bare, reading = play.values.copy(), play.reading
    if reading.hand or reading.lying or reading.explained is None:
        bare[:] = np.nan
        return bare
    hidden = grow(reading.explained, BESIDE).astype(np.uint8)
    for u, v in known.places:
        cv2.circle(hidden, (round(u), round(v)), RESOLUTION // 2 + BESIDE // 2, 1, -1)
    bare[hidden > 0] = np.nan
    return bare
