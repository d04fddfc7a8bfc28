"""A board of checkers in the midst of a game: where it is and what stands on it, learned from one picture of
which nothing is known.

Under an outline that may be the board's (``surface_finder.outlines``) the picture is read blind; what is read
is proved as every known position is: a calibration that does not read its own picture so is refused.

Which way the players move is not to be seen in one picture: the home is taken to be at the right, White's at
the bottom, White being the lighter side. ``board_measures.renamed`` says what points are called otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from engine.layout import POINT_CELLS, Cell, Looks
from engine.messages import phrase
from vision import boards
from vision.blind.reader import in_own_order, opinion, read_blind
from vision.checkers.calibration.verify_picture import refuse_dark
from vision.checkers.calibration.verify_position import OtherPosition
from vision.checkers.reader import CheckersReader
from vision.errors import CalibrationError, DarkError, HomeError, VisionError
from vision.geometry.board_measures import (
    BARS,
    OFFS,
    ORIENTATIONS,
    SIDES,
    Geometry,
    Orientation,
    picture_side,
    renamed,
    start,
)
from vision.geometry.camera import Corner, Floats, as_corners, scaled
from vision.picture.frame import Frame
from vision.reading import BoardReader, Reading
from vision.surface_finder.outlines import outlines

CLEAR = 0.6
"""How sure what stands on each point must be to learn from it. What was misread shows: a calibration that
does not read its own picture so is refused."""
WENT_ON = 16
"""Checkers gone from where they stood, and come to where none did, in four plays of five. Lying another way,
the same boards differ by twice as many, and :data:`APART` more."""
APART = 10
BEGUN = 20
"""Points of 24 that look as a game begins where it has just begun: lying another way, 16 do at most."""
UNSURE = 5
"""Points on which that may be in doubt, where only the board is looked for."""


def learn_as_it_stands(
    frame: Frame, corners: Sequence[Corner] | None, geometry: Mapping[str, Any]
) -> boards.LearnedTable:
    """The table in a picture of any position, with ``corners`` (pixels of the picture as it came:
    bottom-left, bottom-right, top-right, top-left) or found by itself: 2 to 10 s. Raises VisionError."""
    if corners is not None:
        return _learned(frame, _in_own_order(frame, corners), geometry)
    return _best(frame, geometry, _learned_from_its_own_picture)


def learn_as_it_went_on(frame: Frame, geometry: Mapping[str, Any], stood: Sequence[Looks]) -> BoardReader:
    """The same of a game of which one of ``stood`` was seen a few plays ago: that tells which way the players
    move. Raises VisionError, also where the picture shows another game."""
    table = learn_as_it_stands(frame, None, geometry).table
    seen, now = table.read_laid(table.lay_flat(frame)).looks, lies(table)
    ways = (_went_on(now, seen, each) for each in stood)
    way = next((way for way in ways if way is not None), None)
    if way is None:
        raise _not_sure(())
    return turned(table, way)


def _went_on(now: Orientation, seen: Looks, stood: Looks) -> Orientation | None:
    """How the board lies, if what is ``seen``, named as it lies ``now``, is a few plays after ``stood``."""

    def elsewhere(way: Orientation) -> int:
        return sum(
            abs(seen[name].count(side) - stood[cell].count(side))
            for cell, name in renamed(now, way).items()
            if cell in stood and name in seen
            for side in SIDES
        )

    way, other = sorted(ORIENTATIONS, key=elsewhere)[:2]
    least = elsewhere(way)
    return None if least > WENT_ON or elsewhere(other) < max(2 * least, least + APART) else way


@dataclass(frozen=True)
class FoundBoard:
    """The ``corners`` of a playing surface (as :func:`learn_as_it_stands` has them), and on which side of the
    picture the ``home`` boards are; None where the picture does not tell: then they are taken to be at the
    right of the corners."""

    corners: Sequence[Corner]
    home: str | None = None


def find_as_it_stands(
    frame: Frame, geometry: Mapping[str, Any], progress: boards.Progress = boards.silent
) -> FoundBoard:
    """The board in a picture of any position, of which a hand or a thing may cover a part, in 2 to 10 s;
    where a game begins, how it lies, too. Raises VisionError."""
    progress(0.0, phrase("looking for the board"))
    try:
        corners = _best(frame, geometry, _proved, progress)
    except VisionError as why:
        try:  # what stands at a game's start is known: it need not be read
            corners = boards.find(frame, geometry=geometry, progress=progress).corners
        except VisionError:
            refuse_dark(frame.image)
            raise why from None
    return _as_it_lies(frame, corners, geometry)


def find_known(
    frame: Frame,
    board: str = "checkers",
    geometry: Mapping[str, Any] | None = None,
    looks: Looks | None = None,
    progress: boards.Progress = boards.silent,
) -> boards.FoundCorners:
    """The surface on which ``looks`` stand (None: as games begin), as :func:`vision.boards.find` has it;
    where its checkers are not found (a camera near by and aside), under an outline that is seen in the whole
    picture. Raises CalibrationError as it does."""
    try:
        return boards.find(frame, board, geometry, looks, progress)
    except (HomeError, DarkError):
        raise
    except CalibrationError as why:
        if board != "checkers":
            raise
        try:
            (one, two, three, four), _ = learn_known(frame, geometry or {}, looks, progress)
        except VisionError:
            raise why from None
        return boards.FoundCorners((one, two, three, four), 1.0)


def learn_known(
    frame: Frame,
    geometry: Mapping[str, Any],
    looks: Looks | None = None,
    progress: boards.Progress = boards.silent,
) -> tuple[Sequence[Corner], boards.LearnedTable]:
    """The table on which ``looks`` stand (None: as games begin), and its corners, under an outline that is
    seen in the whole picture. Raises VisionError."""

    def proved(
        frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]
    ) -> tuple[int, tuple[Sequence[Corner], boards.LearnedTable]]:
        learned = boards.learn(frame, corners, geometry=geometry, looks=looks)
        if learned.quality.wrong:
            raise _not_sure(learned.quality.wrong)
        return 0, (corners, learned)

    return _best(frame, geometry, proved, progress)


def find_turned(frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]) -> FoundBoard | None:
    """The board whose ``corners`` a person gave as the picture has them, where it lies turned a quarter; None
    where they are in its own order. Raises VisionError."""
    own = _in_own_order(frame, corners)
    return None if own is corners else _as_it_lies(frame, own, geometry)


def _in_own_order(frame: Frame, corners: Sequence[Corner]) -> Sequence[Corner]:
    found = in_own_order(frame.image, told := scaled(corners, frame.scale))
    return corners if found is told else scaled(found, 1 / frame.scale)


def _as_it_lies(frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]) -> FoundBoard:
    """The board, and how it lies, where that is told by what is read: as a game begins, or nearly so. Raises
    VisionError."""
    way = _begun(_read(frame, corners, geometry)[0].looks)
    if way is None:
        return FoundBoard(corners)
    if way.turned:
        corners = [*corners[2:], *corners[:2]]
    across, _ = _axes(corners)
    return FoundBoard(corners, picture_side(-across if way.mirrored else across))


def _begun(seen: Looks) -> Orientation | None:
    """How the board lies, if a game has just begun on it."""
    stood = start()

    def fitting(way: Orientation) -> int:
        return sum(seen.get(f"p{way.place(number)}") == stood[f"p{number}"] for number in range(1, 25))

    way = max(ORIENTATIONS, key=fitting)
    return way if fitting(way) >= BEGUN else None


def begins(table: BoardReader, frame: Frame) -> bool:
    """Whether a game has just begun on the board, as this table reads it, whichever way it lies."""
    return _begun(table.read(frame).looks) is not None


T = TypeVar("T")


def _best(
    frame: Frame,
    geometry: Mapping[str, Any],
    learn: Callable[[Frame, Sequence[Corner], Mapping[str, Any]], tuple[int, T]],
    progress: boards.Progress = boards.silent,
) -> T:
    """What is learned under the first outline that leaves nothing in doubt, else under that which leaves
    least. Raises VisionError where nothing can be."""
    why: VisionError = CalibrationError(phrase("no board is seen in this picture"))
    found: list[tuple[int, T]] = []
    for number, outline in enumerate(outlines(frame.image)):
        progress(0.3 + 0.05 * number, phrase("trying what was found"))
        try:
            found.append(learn(frame, as_corners(outline / frame.scale), geometry))
        except VisionError:  # of an outline that may be none: what was wrong there says nothing to people
            why = _not_sure(())
            continue
        if not found[-1][0]:
            break
    if not found:
        raise why
    return min(found, key=lambda each: each[0])[1]


def _learned_from_its_own_picture(
    frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]
) -> tuple[int, boards.LearnedTable]:
    """Learns what reads its own picture as it was learned, with nothing in doubt. Raises VisionError."""
    learned = _learned(frame, corners, geometry)
    if learned.quality.wrong:
        raise _not_sure(learned.quality.wrong)
    return 0, learned


def _learned(frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]) -> boards.LearnedTable:
    """Learns from what is read blind. Raises VisionError where that is not sure."""
    reading, doubtful = _read(frame, corners, geometry)
    if reading.hand or doubtful:
        raise _not_sure(doubtful)
    looks: dict[Cell, tuple[str, ...]] = {cell: tuple(look) for cell, look in reading.looks.items()}
    for side in SIDES:
        stock, others = (
            sum(look.count(side) for cell, look in stood.items() if cell not in OFFS)
            for stood in (start(), looks)
        )
        looks[f"off.{side}"] = (side,) * (stock - others)
    learned = boards.learn(frame, corners, geometry=geometry, looks=looks)
    if learned.quality.wrong and {*OFFS}.issuperset(learned.quality.wrong):
        # No tray is where one would be: what is borne off, or was never there, is out of view.
        learned = boards.learn(frame, corners, geometry={**geometry, "tray": "none"}, looks=looks)
    return learned


def _proved(
    frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]
) -> tuple[int, Sequence[Corner]]:
    """How many points in view are in doubt, and the corners, as the board is learned there from what is seen
    of it. What covers the rest is learned as the board, which does not matter here. Raises VisionError where
    too many are in doubt, or read otherwise with what was learned."""
    reading, doubtful = _read(frame, corners, geometry)
    unsure = [cell for cell in doubtful if cell not in reading.occluded]
    surely = [cell for cell, look in reading.looks.items() if look and cell not in doubtful]
    if len(unsure) > UNSURE or not surely:
        raise _not_sure(unsure)
    looks = {cell: look for cell, look in reading.looks.items() if cell not in OFFS}
    try:
        learned = boards.learn(frame, corners, geometry={**geometry, "tray": "none"}, looks=looks)
        wrong = {*learned.quality.wrong}
        corners = as_corners(np.asarray(learned.table.placement()[0], np.float64) / frame.scale)
    except OtherPosition as error:
        wrong = {*error.cells} - {*BARS}
    doubts = {*unsure, *(wrong - {*doubtful})}
    if len(doubts) > UNSURE:
        raise _not_sure(sorted(doubts))
    return len(doubts), corners


def _read(frame: Frame, corners: Sequence[Corner], geometry: Mapping[str, Any]) -> tuple[Reading, list[Cell]]:
    """The picture, read blind, and the points of which it is not sure. Raises VisionError."""
    places = scaled(corners, frame.scale)
    reading = read_blind(frame.image, places, Geometry.from_json(geometry))
    return reading, [cell for cell in POINT_CELLS if reading.confidence.get(cell, 0.0) < CLEAR]


def _not_sure(cells: Sequence[Cell]) -> CalibrationError:
    if not cells:
        return CalibrationError(phrase("what stands on the board cannot be read surely"))
    return CalibrationError(
        phrase("what stands on the board cannot be read surely ({cells})", cells=", ".join(cells[:4]))
    )


def lies(table: BoardReader) -> Orientation:
    """How this table's board is taken to lie. Raises TypeError for another kind of board."""
    return _checkers(table).rig.orientation


def sides_in_picture(table: BoardReader, way: Orientation) -> tuple[str, str]:
    """On which sides of the picture (of ``HOMES``) the home boards are, and White's half of the board, where
    it lies that ``way``."""
    across, up = _axes(table.placement()[0])
    return picture_side(across if way.home == "right" else -across), picture_side(up if way.turned else -up)


def _axes(corners: Sequence[Corner] | Floats) -> tuple[Floats, Floats]:
    """Where a surface's right and its upper side lie in the picture from its left and its lower one."""
    low_left, low_right, high_right, high_left = np.asarray(corners, np.float64)
    return low_right + high_right - low_left - high_left, high_left + high_right - low_left - low_right


def turned(table: BoardReader, way: Orientation) -> BoardReader:
    """The same table with the board lying another way. Raises TypeError for another kind of board."""
    return CheckersReader(replace(_checkers(table).rig, orientation=way), opinion)


def _checkers(table: BoardReader) -> CheckersReader:
    if not isinstance(table, CheckersReader):
        raise TypeError("only boards of checkers lie turned")
    return table
