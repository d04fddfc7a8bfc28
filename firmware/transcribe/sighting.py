"""What one look at a board at rest showed: data, as it is kept on the disk between two runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import EngineError
from engine.evidence import Evidence
from engine.layout import Cell, name_parts, point_of
from engine.position import Dice
from vision.dice.cube_zone import CubeZone

NEAR = 1.0
"""Centimetres within which a die lies where it lay."""
TELLS, LEAST = 0.7, 1e-5
"""How much the log-odds of a die that is not sure count, and the least chance that a value is given: the
small ones are too small. Of the 2,782 such dice of tables that the network never saw, this told best what
they show: values that are given 0.00003 to 0.001 are shown three to thirty times as often."""
MOST_LOOKS = 6
"""Looks at a die that are remembered."""
REMEMBERED = 8
"""Sightings whose dice are no new throw where they lie again: a film may show the last play once more."""
HALF = 12
"""The points that are in a half of the board, the lower or the upper one."""


@dataclass(frozen=True, slots=True)
class Face:
    """A die: ``value`` is None where it is not sure; ``place`` in cm on the board; ``chances``: how probable
    each value from 1 to 6 is, empty where nobody says; ``ahead``: whether it lies in the half at White's
    right, None where nobody says."""

    value: int | None
    place: tuple[float, float]
    colour: str = ""
    chances: tuple[float, ...] = ()
    ahead: bool | None = None

    def same(self, other: Face) -> bool:
        """Whether it may be the same die, untouched."""
        (x, y), (u, v) = self.place, other.place
        agree = self.value == other.value or None in (self.value, other.value)
        return agree and (x - u) ** 2 + (y - v) ** 2 <= NEAR**2


OVER = {CubeZone.NEAR: CubeZone.FAR, CubeZone.FAR: CubeZone.NEAR}
"""What a player's side is called from the other one."""


@dataclass(frozen=True, slots=True)
class CubeSpot:
    """Where the doubling cube lies; ``zone``: as White sits, whose side is ``NEAR`` however the board lies in
    the picture. ``place`` in cm on the board; ``value`` is None where it is not sure, as it seldom is."""

    zone: CubeZone
    place: tuple[float, float] = (0.0, 0.0)
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """The board at rest, ``t`` seconds into the film. ``faces``: the dice that lie to be played, None where
    nobody looked for dice. ``picture``: the name of its picture, by which players answer about it. ``cube``:
    None where none is surely seen."""

    t: float
    evidence: Evidence
    faces: tuple[Face, ...] | None = None
    picture: str = ""
    cube: CubeSpot | None = None

    def to_json(self) -> dict[str, Any]:
        """One line's content."""
        faces = (
            None
            if self.faces is None
            else [
                [face.value, list(face.place), face.colour, list(face.chances), face.ahead]
                for face in self.faces
            ]
        )
        data = {"t": self.t, "picture": self.picture, "dice": faces, "evidence": self.evidence.to_json()}
        if self.cube is not None:
            data["cube"] = [str(self.cube.zone), list(self.cube.place), self.cube.value]
        return data

    def renamed(self, names: Mapping[Cell, Cell]) -> Sighting:
        """The same of a board that lies another way; ``names``: for every point's name the one that it has
        here. What is borne off stays out of it: the trays are each other's then."""
        cells = {cell: looks for cell, looks in self.evidence.cells.items() if name_parts(cell)[0] == "bar"}
        cells |= {new: self.evidence.cells[old] for new, old in names.items() if old in self.evidence.cells}
        seen = replace(self, evidence=replace(self.evidence, cells=cells))
        if (point_of(names.get("p1", "p1")) or 1) <= HALF:
            return seen
        cube = seen.cube and replace(seen.cube, zone=OVER.get(seen.cube.zone, seen.cube.zone))
        faces = seen.faces and tuple(
            replace(face, ahead=None if face.ahead is None else not face.ahead) for face in seen.faces
        )
        return replace(seen, cube=cube, faces=faces)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sighting:
        """The inverse. Raises ValueError on another shape."""
        try:
            faces = data["dice"]
            dice = None if faces is None else tuple(_face(*each) for each in faces)
            evidence, cube = Evidence.from_json(data["evidence"]), data.get("cube")
            spot = None if cube is None else _spot(*cube)
            return cls(float(data["t"]), evidence, dice, str(data["picture"]), spot)
        except (KeyError, TypeError, ValueError, EngineError) as error:
            raise ValueError(f"not a sighting: {error}") from error


def _spot(zone: str, place: Sequence[float], value: int | None) -> CubeSpot:
    x, y = place
    return CubeSpot(CubeZone(zone), (float(x), float(y)), None if value is None else int(value))


def _face(
    value: int | None,
    place: Sequence[float],
    colour: str,
    chances: Sequence[float] = (),
    ahead: bool | None = None,
) -> Face:
    x, y = place
    given = tuple(float(chance) for chance in chances)
    return Face(None if value is None else int(value), (float(x), float(y)), str(colour), given, ahead)


@dataclass(frozen=True, slots=True)
class Throw:
    """Two dice that were thrown; ``looks`` at each of them, the first one first. ``lay``: one of them was
    seen before this sighting, while the other one was hidden, or hard to see."""

    looks: tuple[tuple[Face, ...], tuple[Face, ...]]
    lay: bool = False

    @property
    def values(self) -> tuple[int | None, int | None]:
        """What they show; None for a die that no look read surely."""
        one, two = (
            next((face.value for face in looks if face.value is not None), None) for looks in self.looks
        )
        return one, two

    def again(self, faces: Sequence[Face] | None) -> Throw:
        """With another look at dice that still lie where they lay."""
        one, two = (
            (*looks, *[face for face in faces or () if face.same(looks[-1])][:1])[-MOST_LOOKS:]
            for looks in self.looks
        )
        return replace(self, looks=(one, two))

    def fits(self, dice: Dice) -> bool:
        """Whether this may have been that roll."""
        one, two = self.values
        return any(one in (None, a) and two in (None, b) for a, b in (dice, dice[::-1]))

    @property
    def ahead(self) -> bool | None:
        """Whether both lie in the half at White's right; None where each lies in another, or nobody says."""
        one, two = (looks[0].ahead for looks in self.looks)
        return one if one == two else None

    def against(self, dice: Dice) -> float:
        """Nats by which what is not sure speaks against a roll that fits; 0 where it is the likeliest."""
        one, two = (
            [1.0 if face == value else 0.0 for face in range(1, 7)] if value else _likely(looks)
            for value, looks in zip(self.values, self.looks, strict=True)
        )
        a, b = dice[0] - 1, dice[-1] - 1
        most = max(one[a] * two[b], one[b] * two[a])
        return -math.log(most) if most else math.inf


def _likely(looks: Sequence[Face]) -> list[float]:
    """How likely a die shows each value, the likeliest 1: the mean of the looks at it. They share the die's
    light and the camera's angle, so that many say hardly more than one."""
    known = [face.chances for face in looks if face.chances]
    logs = [sum(math.log(chances[k] + LEAST) for chances in known) / max(len(known), 1) for k in range(6)]
    return [math.exp(TELLS * (each - max(logs))) for each in logs]


def thrown(faces: Sequence[Face] | None, before: Sequence[Sequence[Face]]) -> Throw | None:
    """The dice that were thrown anew, where two lie now that belong together; ``before``: those of the last
    sightings. None where none were, or nobody can say which."""
    if not faces:
        return None
    fresh = [face for face in faces if not any(_among(face, seen) for seen in before)]
    if not fresh:
        return None
    if len(faces) == 2:
        pair = list(faces)
    elif len(fresh) == 2:
        pair = fresh
    else:
        mates = [face for face in faces if face is not fresh[0] and face.colour == fresh[0].colour]
        pair = [fresh[0], *mates]
    return Throw(((pair[0],), (pair[1],))) if len(pair) == 2 else None


def _among(face: Face, others: Iterable[Face]) -> bool:
    """Whether it is one of these dice, which lie where they lay."""
    return any(face.same(other) for other in others)


@dataclass
class FreshThrows:
    """Tells what was thrown in a film, whose sightings it is shown in order."""

    _before: list[tuple[Face, ...]] = field(default_factory=list, init=False)
    _known: tuple[Face, ...] = field(default=(), init=False)
    """The dice of the last throw."""

    def see(self, faces: tuple[Face, ...] | None) -> Throw | None:
        """The dice that were thrown anew; ``faces`` as in a :class:`Sighting`."""
        throw = thrown(faces, self._before)
        if throw is not None:
            dice = tuple(looks[0] for looks in throw.looks)
            before = self._before[-1] if self._before else ()
            alone = [old for old in before if not _among(old, self._known)]
            throw, self._known = replace(throw, lay=any(_among(die, alone) for die in dice)), dice
        if faces is not None:
            self._before = [*self._before[1 - REMEMBERED :], faces]
        return throw
