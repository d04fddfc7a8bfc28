"""The dice of a film: the table's own dice reader (:mod:`vision.dice`), as a watcher wants it."""

from __future__ import annotations

from firmware.transcribe.sighting import Face
from firmware.transcribe.watch import Dice
from vision.dice import DiceReader, Lies, checkers_in
from vision.picture.frame import Image
from vision.reading import BoardReader, Reading

PLAYED = (Lies.FLAT, Lies.ON_CHECKER)
"""How dice lie that may be played."""


def dice_for(table: BoardReader) -> Dice:
    """Reads the dice of this table."""
    reader = DiceReader.of_table(table)

    def read(image: Image, reading: Reading) -> tuple[Face, ...]:
        dice = reader.read(image, checkers_in(table, reading))
        return tuple(
            Face(die.value, die.place, die.colour, die.chances) for die in dice if die.lies in PLAYED
        )

    return read
