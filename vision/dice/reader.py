"""Finds the dice and the doubling cube in a picture of a board, and reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from vision.dice.colours import colour_of
from vision.dice.die import SURE, Die, DoublingCube, Lies, Lying
from vision.dice.look import POINTS, map_of, smaller, squares
from vision.dice.networks import CUBES, chances, find_spots, look_at
from vision.dice.ornaments import repeats
from vision.geometry.camera import Camera, Corner, Floats, as_corners, from_corners
from vision.geometry.flat import Flat
from vision.light.normalise import reshaped
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader

USUAL = (60.0, 48.0)
"""Width and height of a playing surface in cm, where nobody says."""
LEAST, FAINT = 0.0, -2.0
"""Log-odds from which a place is looked at; and where one die alone is found: the other one may lie upon a
checker, plain to the eye, and the finder says next to nothing of it."""
LARGE, LAP = 0.45, 0.08
"""A die of so many points' widths is large. Where there is one, those that are large, or by so much smaller,
are looked for on a smaller map; those that are not, or by so much larger, on the usual one."""
MOST = 16
"""Places that are looked at: two pairs of dice, a cube, and what looks like them."""
THERE = 5.0
"""Log-odds with which something must be a die, or a cube, to be told of: the finder's, and the eye's. They
saw it under different pixels, so that both together know more than either."""
MATE = 1.0
"""The same where one die lies alone, and away from the walls: dice are thrown in pairs, so that another one
is likely to lie there."""
SAID = 7.0
"""Those from which its value may be said: one in a thousand would be no die. Letters, and a star on a
checker, can look like a value; they seldom look like a die to both."""
WALL = 3.0
"""How much more each of these is at a wall. Of dice against one that were read 8 in 9 had 15 and more, the
least 13.5; specks in the shade of a high one had 5 to 9, two of eleven 13 (docs/vision-measurements.md)."""
ALIKE = 1.3
"""How much larger one die of a pair may seem than the other: an edge is measured to a tenth or so."""
AGAIN = ((1.12, True), (0.9, False), (1.0, True), (1.06, False), (0.95, True), (1.18, False))
"""What may be a die or a cube is looked at once more, and a die again as long as its value is in doubt: how
much larger the square is, and whether in a mirror. Where a die lies and how large it is, the finder tells
only about."""
ENOUGH = 2
"""Looks where they leave no doubt, and at a cube."""
PLAIN = 2.0
"""The finder's log-odds for what lies in plain sight, or lay there in the picture before. From less on no
cube's number is said: a maker's plate in a tray has letters, too."""
NEAR = 0.7
"""Two dice are no nearer than so many edges."""


@dataclass(frozen=True)
class Spot:
    """Where something may lie: its ``place`` (cm), its ``edge`` (cm), and the finder's log-``odds``."""

    place: tuple[float, float]
    edge: float
    odds: float


@dataclass(frozen=True)
class Seen:
    """What the eye made of a spot: the square that was ``cut`` out, and its ``looks`` at it."""

    spot: Spot
    cut: Image
    looks: tuple[Floats, ...]

    @cached_property
    def _chances(self) -> tuple[Floats, float]:
        return chances(self.looks)

    @property
    def shown(self) -> Floats:
        """How probable everything is that a square may show."""
        return self._chances[0]

    @property
    def tilt(self) -> float:
        """How probable it is that it is cocked."""
        return self._chances[1]

    @property
    def die(self) -> float:
        """How probable a die is."""
        return float(self.shown[1:7].sum())

    @property
    def cube(self) -> float:
        """How probable a doubling cube is."""
        return float(self.shown[CUBES].sum())

    @property
    def there(self) -> float:
        """The log-odds of either, the finder's and the eye's."""
        return self.spot.odds + _log_odds(float(self.shown[1:].sum()))

    @property
    def in_doubt(self) -> bool:
        """Whether it is a die rather than a cube, and not sure which value it shows."""
        return bool(self.shown.max() < SURE and self.die > self.cube)


@dataclass(frozen=True)
class DiceReader:
    """Reads the dice of one table under one camera; made once, used for every picture. ``size`` is the
    playing surface's width and height in cm."""

    camera: Camera
    size: tuple[float, float] = USUAL

    @classmethod
    def at_corners(
        cls, corners: Sequence[Corner], picture: tuple[int, int], size: tuple[float, float] = USUAL
    ) -> DiceReader:
        """For a board with these corners (pixels: bottom-left, bottom-right, top-right, top-left) in pictures
        of ``picture`` (width, height) pixels. Raises CalibrationError where no board has them."""
        return cls(from_corners(corners, *size, picture)[0], size)

    @classmethod
    def of_table(cls, table: BoardReader) -> DiceReader:
        """For a calibrated table."""
        _, measures = table.placement()
        size = float(measures.get("width", USUAL[0])), float(measures.get("height", USUAL[1]))
        return cls(table.flat.camera, size)

    @cached_property
    def flat(self) -> Flat:
        """The map on which dice are looked for."""
        return map_of(self.camera, self.size)

    def look(self, image: Image, known: Lying | None = None) -> Lying:
        """The dice in a picture, from left to right, and the doubling cube. ``known``: what lay in a picture
        before this one; where it lay is looked at in any case, so that nothing seems picked up that is only
        hard to find. A die on a checker is told as flat: checkers are known to :mod:`vision.dice.below`. A
        picture of another size is brought to that of the camera first. Raises ImageError for one of another
        shape."""
        image = reshaped(Frame(image).image, self.camera.size)
        laid = self.flat.lay(image)
        before = () if known is None else (*known.dice, *((known.cube,) if known.cube else ()))
        lay = [Spot(each.place, each.size, PLAIN) for each in before]
        spots = self._spots(laid)
        found = self._read(image, laid, [*lay, *spots])
        large = LARGE * self.size[0] / POINTS
        if all(die.size <= large for die in found.dice):
            return found
        small = [each for each in spots if each.edge <= (1 + LAP) * large]
        coarse = [each for each in self._spots(smaller(laid)) if each.edge > (1 - LAP) * large]
        both = sorted([*small, *coarse], key=lambda each: -each.odds)
        return self._read(image, laid, [*lay, *both[:MOST]])

    def _read(self, image: Image, laid: Image, spots: Sequence[Spot]) -> Lying:
        """What lies at these places, the likeliest of which come first."""
        dice: list[tuple[float, Die]] = []
        cubes: list[tuple[float, DoublingCube]] = []
        faint: list[Seen] = []
        for spot in spots:
            if spot.odds < LEAST and len(_apart(dice)) != 1:
                break
            seen = self._looked_at(image, spot)
            least = THERE + self._more(spot)
            if seen.there >= least:
                seen = self._again(image, seen)
            if seen.there < least:
                faint.append(seen)
            elif not self._repeats(laid, spot):
                if seen.cube > seen.die:
                    cubes.append((seen.there, self._cube(seen)))
                else:
                    dice.append((seen.die, self._die(seen)))
        found = _apart(dice)
        if len(found) % 2:
            alike = [each for each in faint if any(_pair(each.spot, one) for one in found)]
            mate = self._mate(image, laid, [each for each in alike if not _near(each.spot, found)])
            found += [] if mate is None else [self._die(mate)]
        surest = max(cubes, key=lambda each: each[0], default=(0.0, None))
        return Lying(tuple(sorted(found, key=lambda die: die.at)), surest[1])

    def _spots(self, laid: Image) -> list[Spot]:
        """Where something may lie on the map, or on a smaller one, the likeliest place first."""
        rows, columns = (full / side for full, side in zip(self.flat.shape, laid.shape[:2], strict=True))
        found, scale = find_spots(laid, FAINT, MOST), self.flat.scale / columns
        places = as_corners(self.flat.board((found.at + 0.5) * (columns, rows) - 0.5))
        each = zip(places, (found.edge / scale).tolist(), found.odds.tolist(), strict=True)
        return [Spot(*spot) for spot in each]

    def _looked_at(self, image: Image, spot: Spot) -> Seen:
        """What a place shows at first sight."""
        [cut] = squares(image, self.camera, spot.place, [spot.edge])
        return Seen(spot, cut, (look_at(cut),))

    def _again(self, image: Image, seen: Seen) -> Seen:
        """With more looks, as long as there is doubt."""
        for larger, mirrored in AGAIN[len(seen.looks) - 1 :]:
            if len(seen.looks) >= ENOUGH and not seen.in_doubt:
                break
            [other] = squares(image, self.camera, seen.spot.place, [larger * seen.spot.edge])
            seen = replace(seen, looks=(*seen.looks, look_at(other, mirrored)))
        return seen

    def _mate(self, image: Image, laid: Image, faint: Sequence[Seen]) -> Seen | None:
        """The likeliest die among what is faint, if one is likely enough beside another."""
        likely = [each for each in faint if each.there >= MATE and not self._at_wall(each.spot)]
        again = [self._again(image, each) for each in likely]
        mates = [each for each in again if each.there >= MATE and each.die > each.cube]
        ranked = sorted(mates, key=lambda each: -each.there)
        return next((each for each in ranked if not self._repeats(laid, each.spot)), None)

    def _repeats(self, laid: Image, spot: Spot) -> bool:
        """Whether it is one of the board's ornaments."""
        return repeats(laid, self.flat.at([spot.place])[0], spot.edge * self.flat.scale)

    def _at_wall(self, spot: Spot) -> bool:
        """Whether it lies less than its edge from a wall, or beyond."""
        return any(
            not spot.edge < at < side - spot.edge for at, side in zip(spot.place, self.size, strict=True)
        )

    def _more(self, spot: Spot) -> float:
        """How much more log-odds than elsewhere are wanted there."""
        return WALL if self._at_wall(spot) else 0.0

    def _at(self, spot: Spot) -> tuple[float, float]:
        """Where in the picture it is (pixels)."""
        return as_corners(self.camera.project([[*spot.place, 0.0]]))[0]

    def _cube(self, seen: Seen) -> DoublingCube:
        faces = seen.shown[CUBES] / seen.cube
        sure, value = float(faces.max()), 2 ** (1 + int(faces.argmax()))
        said = sure >= SURE and seen.spot.odds >= PLAIN
        spot = seen.spot
        return DoublingCube(value if said else None, self._at(spot), sure, spot.place, spot.edge)

    def _die(self, seen: Seen) -> Die:
        spot, shown, at = seen.spot, seen.shown, self._at(seen.spot)
        sure, lies = float(shown.max()), self._lies(spot.place, seen.tilt)
        # Nothing beside the board is played, and there the eye was hardly trained: it is seen, not read.
        read = sure >= SURE and 1 <= shown.argmax() <= 6 and lies is not Lies.OUTSIDE
        said = read and spot.odds + _log_odds(seen.die) >= SAID + self._more(spot)
        each = tuple(round(float(chance), 5) for chance in shown[1:7])
        value = int(shown.argmax()) if said else None
        return Die(value, at, sure, colour_of(seen.cut), lies, spot.place, spot.edge, each)

    def _lies(self, place: tuple[float, float], tilt: float) -> Lies:
        beyond = 0.25 * self.size[0] / POINTS  # a die that is against the rim leans over it in the picture
        inside = all(-beyond < value < side + beyond for value, side in zip(place, self.size, strict=True))
        if not inside:
            return Lies.OUTSIDE
        return Lies.COCKED if tilt > 0.5 else Lies.FLAT  # more likely than not


def _apart(dice: Sequence[tuple[float, Die]]) -> list[Die]:
    """Of dice, each with how sure it is, those that do not lie in a surer one."""
    kept: list[Die] = []
    for _, die in sorted(dice, key=lambda each: -each[0]):
        if all(die.apart(one) > NEAR * die.size for one in kept):
            kept.append(die)
    return kept


def _log_odds(chance: float) -> float:
    """The log-odds of a probability."""
    kept = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))


def _pair(spot: Spot, die: Die) -> bool:
    """Whether a die there may be of the same pair."""
    return max(spot.edge, die.size) < ALIKE * min(spot.edge, die.size)


def _near(spot: Spot, dice: Sequence[Die]) -> bool:
    """Whether one of the dice lies there."""
    return any(math.dist(spot.place, one.place) <= NEAR * spot.edge for one in dice)
