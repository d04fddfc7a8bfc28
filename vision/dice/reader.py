"""Finds the dice and the doubling cube in a picture of a board, and reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vision.dice.colours import colour_of
from vision.dice.die import SURE, Die, DoublingCube, Lies, Lying
from vision.dice.look import POINTS, map_of, squares
from vision.dice.networks import CUBES, chances, find_spots, look_at
from vision.dice.ornaments import repeats
from vision.geometry.camera import Camera, Corner, Floats, from_corners
from vision.geometry.flat import Flat
from vision.light.normalise import reshaped
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader, Reading

USUAL = (60.0, 48.0)
"""Width and height of a playing surface in cm, where nobody says."""
LEAST, FAINT = 0.0, -2.0
"""Log-odds from which a place is looked at; and where one die alone is found: the other one may lie upon a
checker, plain to the eye, and the finder says next to nothing of it."""
MOST = 16
"""Places that are looked at: two pairs of dice, a cube, and what looks like them."""
THERE = 5.0
"""Log-odds with which something must be a die, or a cube, to be told of: the finder's, and the eye's. They
saw it under different pixels, so that both together know more than either."""
SAID = 7.0
"""From these its value may be said: one in a thousand would be no die. Letters, and a star on a checker, can
look like a value; they seldom look like a die to both."""
AGAIN = ((1.12, True), (0.9, False), (1.0, True), (1.06, False), (0.95, True), (1.18, False))
"""What may be a die or a cube is looked at once more, and a die again as long as its value is in doubt: how
much larger the square is, and whether in a mirror. Where a die lies and how large it is, the finder tells
only about."""
ENOUGH = 2
"""Looks where they leave no doubt, and at a cube."""
PLAIN = 2.0
"""The finder's part of them for what lies in plain sight, or lay there in the picture before. From less on no
cube's number is said: a maker's plate in a tray has letters, too."""
NEAR = 0.7
"""Two dice are no nearer than so many edges."""
REST = 0.85
"""How far from a checker's middle a die still rests on it, in its radii."""


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

    def look(
        self, image: Image, checkers: Sequence[tuple[float, float, float]] = (), known: Lying | None = None
    ) -> Lying:
        """The dice in a picture, from left to right, and the doubling cube. ``checkers``: where tops of
        checkers are seen (x, y and radius in pixels of the picture), where that is known: a die there lies on
        a checker. ``known``: what lay in a picture before this one; where it lay is looked at in any case, so
        that nothing seems picked up that is only hard to find. A picture of another size is brought to that
        of the camera first. Raises ImageError for one of another shape."""
        image = reshaped(Frame(image).image, self.camera.size)
        laid = self.flat.lay(image)
        spots = find_spots(laid, FAINT, MOST)
        before = () if known is None else (*known.dice, *((known.cube,) if known.cube else ()))
        places = [*(np.array(each.place) for each in before), *self.flat.board(spots.at)]
        edges = [*(each.size for each in before), *(spots.edge / self.flat.scale)]
        odds_of = [*(PLAIN for _ in before), *spots.odds]
        dice: list[tuple[float, Die]] = []
        cubes: list[tuple[float, DoublingCube]] = []
        for place, edge, odds in zip(places, edges, odds_of, strict=True):
            if odds < LEAST and len(_apart(dice)) != 1:
                break
            [cut] = squares(image, self.camera, place, [edge])
            looks = [look_at(cut)]
            shown, tilt = chances(looks)
            if odds + _log_odds(shown[1:]) < THERE:
                continue
            for larger, mirrored in AGAIN:
                if len(looks) >= ENOUGH and not _in_doubt(shown):
                    break
                [other] = squares(image, self.camera, place, [larger * edge])
                looks.append(look_at(other, mirrored))
                shown, tilt = chances(looks)
            if (there := odds + _log_odds(shown[1:])) < THERE:
                continue
            if repeats(laid, self.flat.at([place])[0], float(edge) * self.flat.scale):
                continue
            if shown[CUBES].sum() > shown[1:7].sum():
                cube = self._cube(place, float(edge), shown)
                cubes.append((there, cube if odds >= PLAIN else replace(cube, value=None)))
                continue
            die = self._die(place, float(edge), shown, tilt, colour_of(cut), checkers)
            said = odds + _log_odds(shown[1:7]) >= SAID
            dice.append((float(shown[1:7].sum()), die if said else replace(die, value=None)))
        surest = max(cubes, key=lambda each: each[0], default=(0.0, None))
        return Lying(tuple(sorted(_apart(dice), key=lambda die: die.at)), surest[1])

    def _cube(self, place: Floats, edge: float, shown: Floats) -> DoublingCube:
        u, v = map(float, self.camera.project([[*place, 0.0]])[0])
        faces = shown[CUBES] / shown[CUBES].sum()
        sure, value = float(faces.max()), 2 ** (1 + int(faces.argmax()))
        return DoublingCube(
            value if sure >= SURE else None, (u, v), sure, (float(place[0]), float(place[1])), edge
        )

    def _die(
        self,
        place: Floats,
        edge: float,
        shown: Floats,
        tilt: float,
        colour: str,
        checkers: Sequence[tuple[float, float, float]],
    ) -> Die:
        x, y = (float(value) for value in place)
        at = self.camera.project([[x, y, 0.0]])[0]
        u, v = float(at[0]), float(at[1])
        sure, lies = float(shown.max()), self._lies((x, y), (u, v), tilt, checkers)
        # Nothing beside the board is played, and there the eye was hardly trained: it is seen, not read.
        read = sure >= SURE and 1 <= shown.argmax() <= 6 and lies is not Lies.OUTSIDE
        value = int(shown.argmax()) if read else None
        each = tuple(round(float(chance), 5) for chance in shown[1:7])
        return Die(value, (u, v), sure, colour, lies, (x, y), edge, each)

    def _lies(
        self,
        place: tuple[float, float],
        at: tuple[float, float],
        tilt: float,
        checkers: Sequence[tuple[float, float, float]],
    ) -> Lies:
        beyond = 0.25 * self.size[0] / POINTS  # a die that is against the rim leans over it in the picture
        inside = all(-beyond < value < side + beyond for value, side in zip(place, self.size, strict=True))
        if not inside:
            return Lies.OUTSIDE
        if tilt > 0.5:  # more likely than not
            return Lies.COCKED
        on = any(np.hypot(at[0] - x, at[1] - y) < REST * radius for x, y, radius in checkers)
        return Lies.ON_CHECKER if on else Lies.FLAT


def _apart(dice: Sequence[tuple[float, Die]]) -> list[Die]:
    """Of dice, each with how sure it is, those that do not lie in a surer one."""
    kept: list[Die] = []
    for _, die in sorted(dice, key=lambda each: -each[0]):
        if all(np.hypot(*np.subtract(die.place, one.place)) > NEAR * die.size for one in kept):
            kept.append(die)
    return kept


def _in_doubt(shown: Floats) -> bool:
    """Whether it is a die rather than a cube, and not sure which value it shows."""
    return bool(shown.max() < SURE and shown[1:7].sum() > shown[CUBES].sum())


def _log_odds(chances: Floats) -> float:
    """The log-odds of something that may look in these ways."""
    together = float(np.clip(chances.sum(), 1e-6, 1 - 1e-6))
    return float(np.log(together / (1 - together)))


def checkers_in(table: BoardReader, reading: Reading) -> list[tuple[float, float, float]]:
    """Where a reading of a calibrated table saw checkers: x, y and radius, in pixels of the picture."""
    spots = [spot for spots in reading.marks.values() for spot in spots]
    if not spots:
        return []
    middles = table.flat.picture([(u, v) for _, u, v, _ in spots])
    edges = table.flat.picture([(u + radius, v) for _, u, v, radius in spots])
    radii = np.linalg.norm(edges - middles, axis=1)
    return [(float(x), float(y), float(r)) for (x, y), r in zip(middles, radii, strict=True)]
