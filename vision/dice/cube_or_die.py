"""What is a die and what the cube, where one thing may look like both: by its size, and by how sure its value
is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.dice.die import Die, DoublingCube, Lying

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
