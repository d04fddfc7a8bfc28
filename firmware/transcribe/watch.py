"""Watches a film: every time that the board comes to rest and shows something new, a sighting.

It reads with the table's own eyes (:class:`vision.settle.Settler`): hands, darkness and a nudged camera are
their business. What is new in a film: a cut to somewhere else is passed over, and where the camera was put up
anew, zooms, or looks from the other side, the board is looked for by what stood on it last. Once it is found
there, the film is watched again from where it left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.evidence import Evidence
from engine.layout import Looks
from engine.messages import phrase
from firmware.transcribe.film import Box, Film, Shot, told_of
from firmware.transcribe.rest import STEP, Gate, box_around
from firmware.transcribe.sighting import CubeSpot, Face, Sighting
from firmware.transcribe.standing import STANDS, Standing
from vision import boards
from vision.errors import VisionError
from vision.geometry.board_measures import ORIENTATIONS, Orientation, renamed, start
from vision.geometry.camera import Floats as Corners
from vision.light.normalise import reshaped
from vision.picture.frame import Frame, Image, accept
from vision.picture.masks import Mask
from vision.reading import BoardReader, Reading
from vision.settle import Rest, Settler, look
from vision.unknown_board import learn_as_it_went_on, lies, turned

SEEK = 3.0
"""Seconds for which a board that is not where it was is first waited for, before it is looked for elsewhere;
twice as long after every time in vain: looking takes seconds."""
LONGEST = 120.0
"""Seconds between two searches at most: after a long break the board is known by what is played first."""
VIEWS = 3
"""Places where the board was before that are tried first: they cost little."""
NEAR = 0.03
"""How far from where it was, in parts of its width, a board is where it was."""
AROUND = 0.2
"""How much around the board is kept with a picture of it, in parts of its size: trays, dice and a cube beside
it. In a stream's picture the board may be small."""
UNTOLD = 20.0
"""Seconds for which the board is not seen, until which nothing is said of it."""
LOST = 10.0
"""The same at a film's end: no board comes after it that tells whether something was played."""


@dataclass(frozen=True, slots=True)
class Things:
    """What lies on the board besides checkers: the dice that lie to be played, and the cube where it is
    surely seen."""

    faces: tuple[Face, ...] = ()
    cube: CubeSpot | None = None


Dice = Callable[[Image, Reading, Mask | None], "tuple[Reading, Things | None]"]
"""Reads dice and cube in a picture of the working size (None where it cannot), and the board below them;
the mask: see ``vision.settle.look``."""
DiceFor = Callable[[BoardReader], "Dice | None"]
"""Makes that for a table under a camera with pictures of this size; None where there is none."""


def no_dice(table: BoardReader) -> Dice | None:
    """Nobody reads dice."""
    return None


@dataclass
class Watch:
    """Watches ``film`` for a board that ``table`` reads, a kind of ``board``. ``keep`` is given the
    board's part of each picture that was read, and returns its name; ``progress`` hears the time of every
    picture."""

    film: Film
    table: BoardReader
    board: str
    keep: Callable[[float, Image], str]
    progress: Callable[[float], None] = lambda t: None
    dice_for: DiceFor = no_dice
    geometry: Mapping[str, Any] = field(default_factory=dict)
    known: Looks | None = None
    """What stood on the board last."""
    way_known: bool = True
    """Whether it is known which way the players move; if not, who watches finds out."""
    gone: float | None = None
    """Since when the board has not been seen."""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._due, self._wait = float("inf"), SEEK
        self._read = False
        """Whether it was seen whole in the picture that was looked at last."""
        self._unsought: tuple[float, Frame] | None = None
        """The first picture since it was looked for: what stood on it last stands there most likely."""
        self.left: float | None = None
        """Since when it has not been where it was: from there on the film may be watched again."""
        self._views: list[BoardReader] = []
        """What read it where it was before, the newest first: films cut to and fro."""
        self._begun: list[float] = []
        """From when on the film was watched again."""
        self._see(self.table)

    def sightings(self, since: float = 0.0) -> Iterator[Sighting]:
        """What is seen from ``since`` seconds on."""
        last: tuple[object, object] | None = None
        cube: CubeSpot | None = None
        t = since
        for shot in self._shots(since):
            t = shot.t
            self.progress(t)
            if shot.t >= min(self._due, self._covered):
                self._gate.again()
            if not self._gate.passes(shot):
                self._passed_over(shot.t)
                continue
            seen = self._look(shot)
            if seen is None:
                continue
            evidence, looks, things, image = seen
            faces, spot = (None, None) if things is None else (things.faces, things.cube)
            # A cube that is not seen now lies where it lay, for all that anybody knows.
            elsewhere = spot is not None and (cube is None or spot.zone is not cube.zone)
            if last == (looks, faces) and not elsewhere:
                continue
            last, cube = (looks, faces), spot or cube
            yield Sighting(round(shot.t, 2), evidence, faces, self.keep(shot.t, image), spot)
        if self.gone is not None and t - self.gone > LOST:
            self._note(phrase("from {time} on the board was not seen whole", time=clock(self.gone)))

    def _shots(self, since: float) -> Iterator[Shot]:
        """The film's pictures; where the board was found in another place, once more from where it left."""
        self._begun, times = [], -1
        while times < len(self._begun):
            times = len(self._begun)
            for shot in self.film.shots(self._begun[-1] if times else since, STEP):
                yield shot
                if times < len(self._begun):
                    break
            else:
                if self._unsought is not None:
                    self._look_elsewhere(*self._unsought, thoroughly=True)

    def _find(self, table: BoardReader, cut: bool = False) -> None:
        """The board is in another place, where this table reads it. The film is watched again from where it
        left: not where it has left just now (``cut``), and not twice from one place."""
        if not cut and self.left is not None and self.left > max(self._begun, default=-1.0):
            self._begun.append(self.left)
        self.left, self._unsought, self._due, self._wait = None, None, float("inf"), SEEK
        views = [each for each in self._views if each is not table]
        self._views = [self._settler.reader, *views][:VIEWS]
        self._see(table)

    def _see(self, table: BoardReader) -> None:
        """Uses this table from now on."""
        self._settler = Settler(table, self.known)
        self._moved = self._turned = 0
        self._told, _ = table.placement()
        self._standing, self._covered = Standing(), float("inf")
        self._gate = Gate(self.film.size)
        self._dice: Dice | None = None
        self._fitted: BoardReader | None = None
        self._part: Box = (0, 0, *self.film.size)

    def _fit(self, image: Image) -> None:
        """Looks at the board's part of the picture only, and knows its camera for the dice."""
        table = self._settler.reader
        if self._fitted is table:
            return
        self._fitted = table
        high, wide = image.shape[:2]
        outline = np.asarray(table.placement()[0], float)
        self._part = box_around(outline, (wide, high), AROUND)
        outline *= self.film.size[0] / wide
        self._gate = Gate(self.film.size, box_around(outline, self.film.size))
        self._dice = self.dice_for(table)

    def _look(self, shot: Shot) -> tuple[Evidence, Looks, Things | None, Image] | None:
        """What a picture shows of the board at rest, and that part of it; None where it does not."""
        picture = accept(shot.image())
        self._read = False
        self._fit(picture.image)
        reader = self._settler.reader
        try:
            shown = self._laid(picture)
            self._standing.look(shown)
            status = self._settler.look(picture, self._standing.mask)
        except VisionError as error:
            self._note(str(error))
            self._lose(shot.t)
            return None
        reading = status.reading
        self._covered = float("inf")
        if status.rest is Rest.HAND and reading is not None and reading.covering is not None:
            if self._standing.covered(shot.t, shown, reading.covering):
                return self._look(shot)
            self._covered = shot.t + STANDS
        if status.rest is not Rest.AT_REST or reading is None or reading.strange:
            self._lose(shot.t)
            if status.rest is Rest.BUMPED:
                self.left = shot.t if self.left is None else self.left
                if self._seek(shot.t, picture):
                    return self._look(shot)
            return None
        if self._settler.moved != self._moved:
            self._moved, self._standing = self._settler.moved, Standing()
            corners, _ = self._settler.reader.placement()
            if _apart(self._told, corners) > NEAR:  # one that is held by hand moves all the time
                self._told = corners
                self._note(
                    phrase("at {time} the camera had moved; the board was found again", time=clock(shot.t))
                )
            if self.left is not None:
                self._find(self._settler.reader)
                return None
        way = self._another_way(reading.looks) if self.way_known and self.board == "checkers" else None
        if way is not None:
            names = renamed(lies(self._settler.reader), way)
            self.known = {new: reading.looks[old] for new, old in names.items()}
            self._see(turned(self._settler.reader, way))
        if way is not None or self._settler.turned != self._turned:
            self._turned, self._standing = self._settler.turned, Standing()
            self._note(phrase("at {time} it lay the other way round", time=clock(shot.t)))
        if way is not None:
            return self._look(shot)
        self._fit(picture.image)
        self._standing.seen(shown if self._settler.reader is reader else self._laid(picture))
        self._seen(shot.t)
        things = None
        if self._dice is not None:
            reading, things = self._dice(picture.image, reading, self._standing.mask)
            things = self._in_view(things)
        self.known = {**(self.known or {}), **reading.looks}
        left, top, right, bottom = self._part
        return reading.evidence, dict(reading.looks), things, picture.image[top:bottom, left:right]

    def _laid(self, picture: Frame) -> Image:
        """The picture of the board, laid flat."""
        flat = self._settler.reader.flat
        return flat.lay(reshaped(picture.image, flat.camera.size))

    def _in_view(self, things: Things | None) -> Things | None:
        """Without what was taken for dice in something that stands over the board."""
        if things is None or self._standing.mask is None:
            return things
        flat, mask = self._settler.reader.flat, self._standing.mask

        def hidden(place: tuple[float, float]) -> bool:
            (column, row), (height, width) = flat.at([place])[0].round().astype(int), mask.shape
            return bool(0 <= column < width and 0 <= row < height and mask[row, column])

        cube = None if things.cube is None or hidden(things.cube.place) else things.cube
        return Things(tuple(face for face in things.faces if not hidden(face.place)), cube)

    def _another_way(self, seen: Looks) -> Orientation | None:
        """How the board lies now, where it plainly lies another way than until now: a game begins, and the
        players have changed sides or the way they move; or, in a film that is watched on, it stands as it
        was seen last."""
        now = lies(self._settler.reader)
        for stood in (start(), self.known or {}):
            ways = [
                way
                for way in (now, *ORIENTATIONS)
                if all(seen.get(old) == stood.get(new, ()) for new, old in renamed(now, way).items())
            ]
            if ways and ways[0] != now:
                return ways[0]
        return None

    def _passed_over(self, t: float) -> None:
        """A picture that is not looked at: the board stands there as it was read last, or something moves."""
        if not (self._gate.known and self._read):
            self._lose(t)
        elif self.gone is not None:
            self._seen(t)

    def _lose(self, t: float) -> None:
        """The board is not seen."""
        self.gone = t if self.gone is None else self.gone

    def _seen(self, t: float) -> None:
        """The board is seen again."""
        if self.gone is not None and t - self.gone > UNTOLD:
            words = phrase(
                "from {start} to {end} the board was not seen whole", start=clock(self.gone), end=clock(t)
            )
            self._note(words)
        self.gone, self.left, self._unsought, self._read = None, None, None, True
        self._due, self._wait = float("inf"), SEEK

    def _seek(self, t: float, picture: Frame) -> bool:
        """The board is not where it was: a cut, a zoom, or the camera was put up anew. Then it is looked for
        after a while; the film may end before. Whether it has just been cut to a place that is known: then
        nothing is to be watched again, which in a film without an index costs all of it up to there."""
        for table in self._views:
            seen = look(table, picture)
            reading = seen.status.reading
            if seen.status.rest is Rest.AT_REST and seen.reader is table and reading and not reading.strange:
                cut = self.left == t
                self._find(table, cut)
                return cut
        if t < self._due:
            self._due, self._unsought = min(self._due, t + self._wait), self._unsought or (t, picture)
            return False
        self._wait = min(2 * self._wait, LONGEST)
        self._due = t + self._wait
        thoroughly = self._wait > 2 * SEEK
        if not self._look_elsewhere(t, picture, thoroughly) and self._unsought is not None:
            self._look_elsewhere(*self._unsought, thoroughly)
        self._unsought = None
        return False

    def _look_elsewhere(self, t: float, picture: Frame, thoroughly: bool) -> bool:
        """Whether the board is found in another place in this picture."""
        before, _ = self._settler.reader.placement()
        for table in self._learned_anew(picture, thoroughly):
            after, _ = table.placement()
            if _apart(before, after) > NEAR:
                self._note(phrase("at {time} the board was found in another place", time=clock(t)))
                self._find(table)
                return True
        return False

    def _learned_anew(self, picture: Frame, thoroughly: bool) -> Iterator[BoardReader]:
        """What the board may be read with where it lies now: as it stood last, as a game begins, and, if
        ``thoroughly``, since that takes longest, a few plays later."""
        for looks in (self.known, None):
            with suppress(VisionError):
                found = boards.find(picture, self.board, self.geometry, looks)
                learned = boards.learn(picture, found.corners, self.board, self.geometry, looks)
                if not learned.quality.wrong:
                    yield learned.table
        if thoroughly and self.board == "checkers":
            with suppress(VisionError):
                yield learn_as_it_went_on(picture, self.geometry, [self.known or {}, start()])

    def _note(self, words: str) -> None:
        note = told_of(self.film.name, words)
        if note not in self.notes:
            self.notes.append(note)


def _apart(one: Corners, other: Corners) -> float:
    """How far two outlines (4 x 2 pixels) lie from each other, in parts of the first one's width; corners may
    be in another order."""
    a, b = np.asarray(one, float), np.asarray(other, float)
    nearest = np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=1)
    return float(nearest.max() / np.linalg.norm(a[0] - a[1]))


def clock(t: float) -> str:
    """A time in a film for people: ``1:02:03``, ``2:03.4``."""
    tenths = round(10 * t)
    if tenths < 36_000:
        return f"{tenths // 600}:{tenths % 600 / 10:04.1f}"
    seconds = round(t)
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
