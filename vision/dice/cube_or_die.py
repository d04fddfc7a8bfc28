"""What is a die and what the cube, where one thing may look like both: by its size, and by how sure its value
is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from vision.dice.below import checkers_in, read_both
from vision.dice.covered import Around, around, is_bare, level_of, under_checker
from vision.dice.die import Die, DoublingCube, Lies, Lying
from vision.dice.reader import DiceReader
from vision.light.normalise import reshaped
from vision.picture.frame import Image
from vision.picture.masks import Mask
from vision.reading import BoardReader, Reading

LARGE = 1.7
"""How many edges of a table's dice the edge of its cube has, at least: usually two and more. A cube whose
number was taken for pips is told by it."""


def usual_edge(dice: Sequence[Die]) -> float | None:
    """The edge of a table's dice (cm), by the two smallest that lie there; None where these are not alike."""
    sizes = sorted(die.size for die in dice)[:2]
    return sizes[1] if len(sizes) == 2 and sizes[1] < LARGE * sizes[0] else None


def told_apart(lying: Lying, edge: float | None = None) -> tuple[tuple[Die, ...], DoublingCube | None]:
    """The dice and the cube, where one thing may look like both: a die whose value is sure is no cube, unless
    it is too large for one by the ``edge`` of the table's dice."""
    cube = lying.cube
    large = [die for die in lying.dice if edge is not None and die.size > LARGE * edge]
    if cube is None and len(large) == 1:
        die = large[0]
        cube = DoublingCube(None, die.at, 0.0, die.place, die.size)
    if cube is None:
        return lying.dice, None
    here = [die for die in lying.dice if math.dist(die.place, cube.place) < max(die.size, cube.size) / 2]
    if any(die.value is not None and die not in large for die in here):
        return lying.dice, None
    return tuple(die for die in lying.dice if die not in here), cube


class LyingReader:
    """Reads a board of checkers and what lies on it, picture after picture: it learns how large the dice are,
    looks where the cube was seen last in any case, and knows how the board looked around each die."""

    def __init__(self) -> None:
        self._reader: tuple[BoardReader, DiceReader] | None = None
        self._edge: float | None = None
        self._cube: DoublingCube | None = None
        self._seen: list[tuple[Die, Around]] = []

    def read(
        self,
        table: BoardReader,
        image: Image,
        reading: Reading,
        known: Sequence[Die] = (),
        hidden: Mask | None = None,
    ) -> tuple[Reading, Lying]:
        """As :func:`vision.dice.below.read_both`, with what is a die told from what is the cube. ``table``:
        another one where the camera was moved, or the table has learned; the dice lie where they lay.
        ``known``: dice of the picture before; those over which something lies now are among the dice, as
        ``covered``."""
        if self._reader is None or self._reader[0] is not table:
            self._reader = table, DiceReader.of_table(table)
        dice_reader = self._reader[1]
        image = reshaped(image, dice_reader.camera.size)
        lay = Lying(tuple(known), self._cube)
        reading, lying = read_both(dice_reader, table, image, reading, lay, hidden)
        checkers = checkers_in(table, reading)
        self._edge = usual_edge(lying.dice) or self._edge
        dice, cube = told_apart(lying, self._edge)
        self._cube = cube or self._cube
        level = level_of(image)

        def around_now(die: Die) -> Around:
            return around(image, level, dice_reader.camera, die, checkers)

        def lain_over(die: Die) -> Around | None:
            before = self._before(die)
            return None if before is None or is_bare(before, around_now(die)) else before

        # What cannot be read, where a die lay and something lies over it now, is that thing: once it is taken
        # away, the board looks as it did around the die, not as it does around the thing. Around a die on a
        # checker hardly any board is seen.
        dice = tuple(
            die
            for die in dice
            if die.value is not None or under_checker(die, checkers) or lain_over(die) is None
        )
        gone = [die for die in known if not any(die.stays(one) for one in dice)]
        covered = [
            (replace(die, lies=Lies.COVERED), before)
            for die in gone
            if not under_checker(die, checkers) and (before := lain_over(die)) is not None
        ]
        self._seen = [*((die, around_now(die)) for die in dice), *covered]
        return reading, Lying(tuple(sorted((die for die, _ in self._seen), key=lambda die: die.at)), cube)

    def _before(self, die: Die) -> Around | None:
        """The board around a die as it looked when the die was seen last; None where nobody knows."""
        return next((before for one, before in self._seen if one.stays(die)), None)
