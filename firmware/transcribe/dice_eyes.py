"""The dice and the doubling cube of a film: the table's own reader (:mod:`vision.dice`), as a watcher wants
it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware.transcribe.sighting import OVER, CubeSpot, Face
from firmware.transcribe.watch import Dice, Things
from vision.dice import USUAL, DoublingCube, Lies
from vision.dice.cube_or_die import LyingReader
from vision.dice.cube_zone import zone_of
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.reading import BoardReader, Reading

PLAYED = (Lies.FLAT, Lies.ON_CHECKER)
"""How dice lie that may be played."""


def dice_for(table: BoardReader) -> Dice:
    """Reads the dice and the cube of this table of checkers."""
    _, measures = table.placement()
    reader, middle = LyingReader(), measures.get("width", USUAL[0]) / 2
    turned = table.turned is True

    def read(image: Image, reading: Reading, hidden: Mask | None) -> tuple[Reading, Things]:
        below, lying = reader.read(table, image, reading, hidden=hidden)
        faces = tuple(
            Face(die.value, die.place, die.colour, die.chances, (die.place[0] > middle) != turned)
            for die in lying.dice
            if die.lies in PLAYED
        )
        return below, Things(faces, None if lying.cube is None else spot_of(lying.cube, measures, turned))

    return read


def spot_of(cube: DoublingCube, measures: Mapping[str, Any], turned: bool) -> CubeSpot:
    """Where a cube lies as White sits; ``turned``: White's home is in the upper half of the board."""
    zone = zone_of(cube.place, measures)
    x, y = cube.place
    return CubeSpot(OVER.get(zone, zone) if turned else zone, (round(x, 2), round(y, 2)), cube.value)
