"""What one look at a board at rest showed: data, as it is kept on the disk between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError
from engine.evidence import Evidence
from engine.position import Dice

NEAR = 1.0
"""Centimetres within which a die lies where it lay."""


@dataclass(frozen=True, slots=True)
class Face:
    """A die: ``value`` is None where it is not sure; ``place`` in cm on the board."""

    value: int | None
    place: tuple[float, float]
    colour: str = ""

    def same(self, other: Face) -> bool:
        """Whether it may be the same die, untouched."""
        (x, y), (u, v) = self.place, other.place
        agree = self.value == other.value or None in (self.value, other.value)
        return agree and (x - u) ** 2 + (y - v) ** 2 <= NEAR**2


@dataclass(frozen=True, slots=True)
class Sighting:
    """The board at rest, ``t`` seconds into the film. ``faces``: the dice that lie to be played, None where
    nobody looked for dice. ``picture``: the name of its picture, by which players answer about it."""

    t: float
    evidence: Evidence
    faces: tuple[Face, ...] | None = None
    picture: str = ""

    def to_json(self) -> dict[str, Any]:
        """One line's content."""
        faces = (
            None
            if self.faces is None
            else [[face.value, list(face.place), face.colour] for face in self.faces]
        )
        return {"t": self.t, "picture": self.picture, "dice": faces, "evidence": self.evidence.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sighting:
        """The inverse. Raises ValueError on another shape."""
        try:
            faces = data["dice"]
            dice = None if faces is None else tuple(_face(*each) for each in faces)
            return cls(float(data["t"]), Evidence.from_json(data["evidence"]), dice, str(data["picture"]))
        except (KeyError, TypeError, ValueError, EngineError) as error:
            raise ValueError(f"not a sighting: {error}") from error


def _face(value: int | None, place: Sequence[float], colour: str) -> Face:
    x, y = place
    return Face(None if value is None else int(value), (float(x), float(y)), str(colour))


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown; None for a die that is not read surely."""

    values: tuple[int | None, int | None]

    def fits(self, dice: Dice) -> bool:
        """Whether this may have been that roll."""
        one, two = self.values
        return any(one in (None, a) and two in (None, b) for a, b in (dice, dice[::-1]))


def thrown(faces: Sequence[Face] | None, before: Sequence[Sequence[Face]]) -> Throw | None:
    """The dice that were thrown anew, where two lie now that belong together; ``before``: those of the last
    sightings. None where none were, or nobody can say which."""
    if not faces:
        return None
    fresh = [face for face in faces if not any(face.same(old) for seen in before for old in seen)]
    if not fresh:
        return None
    if len(faces) == 2:
        pair = list(faces)
    elif len(fresh) == 2:
        pair = fresh
    else:
        mates = [face for face in faces if face is not fresh[0] and face.colour == fresh[0].colour]
        pair = [fresh[0], *mates]
    return Throw((pair[0].value, pair[1].value)) if len(pair) == 2 else None
