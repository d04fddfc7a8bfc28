"""The board below its dice. A die that lies on a checker hides so much of it that whoever looks for round
tops takes it for none, and is sure of that; so a table on which dice lie is read as it looks without them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np

from vision.dice.die import Checkers, Die, Lies, Lying
from vision.dice.look import POINTS, SHOWN, corners_of
from vision.dice.reader import DiceReader
from vision.geometry.camera import Camera
from vision.light.normalise import reshaped
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask
from vision.reading import BoardReader, Reading

OVER = 1.0
"""How far from its middle a die, however it is turned, and seen from aside, reaches, in its
edges."""
MOST = 0.36
"""How large a die is taken to be at most, in points' widths: a checker's rim is sometimes taken for that of
the die on it, and half of the checker would go, too."""
FROM = 5
"""From how many pixels around a die its place is painted over."""
ELSEWHERE = (Lies.OUTSIDE, Lies.COVERED)
"""Dice that hide nothing of the board that is seen."""
REST = 1.05
"""How far from a checker's middle a die still rests on it, in its radii: of drawn dice that lay on one the
farthest was found 0.92 away, of those beside one the nearest 1.16."""


def read_both(
    dice: DiceReader,
    table: BoardReader,
    image: Image,
    reading: Reading,
    known: Lying | None = None,
    hidden: Mask | None = None,
) -> tuple[Reading, Lying]:
    """The board that ``reading`` tells of as it stands below what lies on it, and what that is. ``known``:
    what lay there before; ``hidden``: see :func:`vision.settle.look`. Raises ImageError for a picture of
    another shape than the calibration's."""
    image = reshaped(image, dice.camera.size)
    lying = dice.look(image, known)
    hiding = [die for die in lying.dice if die.lies not in ELSEWHERE]
    if hiding:
        laid = table.lay_flat(Frame(lifted(image, dice, hiding)))
        reading = table.read_laid(replace(laid, hidden=hidden))
    return reading, on_checkers(lying, dice.camera, checkers_in(table, reading))


def checkers_in(table: BoardReader, reading: Reading) -> Checkers:
    """Where a reading of a calibrated table saw checkers."""
    spots = [spot for spots in reading.marks.values() for spot in spots]
    if not spots:
        return []
    middles = table.flat.picture([(u, v) for _, u, v, _ in spots])
    edges = table.flat.picture([(u + radius, v) for _, u, v, radius in spots])
    radii = np.linalg.norm(edges - middles, axis=1)
    return [(float(x), float(y), float(r)) for (x, y), r in zip(middles, radii, strict=True)]


def on_checkers(lying: Lying, camera: Camera, checkers: Checkers) -> Lying:
    """The same, where a flat die of which the foot is on a checker's top lies on that checker."""

    def rests(die: Die) -> bool:
        [(x, y)] = camera.place([die.at], die.size)
        foot = camera.project([[x, y, 0.0]])[0]
        return any(np.hypot(*(foot - at)) < REST * radius for *at, radius in checkers)

    dice = (
        replace(die, lies=Lies.ON_CHECKER) if die.lies is Lies.FLAT and rests(die) else die
        for die in lying.dice
    )
    return replace(lying, dice=tuple(dice))


def lifted(image: Image, reader: DiceReader, dice: Iterable[Die]) -> Image:
    """The picture with these dice painted over, from what is around each."""
    found, bounds, most = image.copy(), np.array(image.shape[1::-1]), MOST * reader.size[0] / POINTS
    for die in dice:
        [square] = corners_of(reader.camera, [die.place], [2 * OVER / SHOWN * min(die.size, most)])
        middle = square.mean(axis=0)
        radius = float(np.linalg.norm(square - middle, axis=1).min()) / np.sqrt(2)
        low, high = (
            np.clip(middle + way * (radius + 2 * FROM), 0, bounds).round().astype(int) for way in (-1, 1)
        )
        if (low >= high).any():
            continue
        part = np.ascontiguousarray(found[low[1] : high[1], low[0] : high[0]])
        mask = np.zeros(part.shape[:2], np.uint8)
        cv2.circle(mask, (middle.round().astype(int) - low).tolist(), round(radius), 255, -1)
        found[low[1] : high[1], low[0] : high[0]] = cv2.inpaint(part, mask, FROM, cv2.INPAINT_TELEA)
    return found
