"""The dice of a film: the table's own dice reader (:mod:`vision.dice`), as a watcher wants it."""

from __future__ import annotations

from firmware.transcribe.sighting import Face
from firmware.transcribe.watch import Dice
from vision.dice import DiceReader, Lies
from vision.errors import VisionError
from vision.picture.frame import Image
from vision.reading import BoardReader, Reading

PLAYED = (Lies.FLAT, Lies.ON_CHECKER)
"""How dice lie that may be played."""


def dice_for(table: BoardReader, size: tuple[int, int]) -> Dice | None:
    """Reads the dice of this table, in pictures of this size; None where its place is not known."""
    try:
        reader = DiceReader.of_table(table, size)
    except VisionError:
        return None

    def read(image: Image, reading: Reading) -> tuple[Face, ...] | None:
        try:
            dice = reader.read(image)
        except NotImplementedError:
            return None
        return tuple(Face(die.value, die.place, die.colour) for die in dice if die.lies in PLAYED)

    return read
