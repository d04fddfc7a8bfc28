"""Finds the board in a film, by itself or by corners that a person gives: where a game begins, or in the
midst of one. Only so many pictures are looked at, however long the film is: then a person is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from engine.messages import joined, phrase, phrase_number
from firmware.transcribe.film import Film, FilmError, Shot
from firmware.transcribe.rest import STEP as REST
from firmware.transcribe.rest import Gate
from vision import boards
from vision.errors import VisionError
from vision.geometry.camera import Corner, check
from vision.picture.frame import accept
from vision.quality import Quality
from vision.reading import BoardReader
from vision.unknown_board import begins, learn_as_it_stands, learn_known

STEP = 0.5
"""Seconds between two pictures that are looked at for a board."""
LONG, OPENING = 600.0, 60.0
"""Seconds from which on a film is long: after so many from its beginning, where a game mostly begins, only
those of its pictures are looked at that cost little to get at. They may be half a minute apart."""
TRIES = 16
"""Pictures that are looked at, at most: each takes some seconds of processor time."""
CLOSE = 6
"""Of those, how many come one after the other; the others are spread over the rest of the film."""
AS_IT_STANDS = (1, 3, 6, 10, 16)
"""Tries at which a board is also looked for on which no game begins."""
STARTED = 3
"""Pictures in which a start is looked for, where a board was found in mid-game."""
ENOUGH = 5
"""Pictures from which a board is learned, at most: the best is kept."""


@dataclass(frozen=True)
class FoundTable:
    """A learned ``table``, from the picture ``t`` seconds into the film. ``started``: a game began there; if
    not, which way the players move is not known."""

    table: BoardReader
    t: float
    quality: Quality
    started: bool = True


def find_table(
    film: Film,
    board: str,
    corners: Sequence[Corner] | None,
    geometry: Mapping[str, Any],
    progress: Callable[[str, float], None] = lambda words, t: None,
) -> FoundTable:
    """The table in a film; ``corners`` are pixels of the film. Raises FilmError where no board is found in
    :data:`TRIES` pictures."""
    if corners:
        try:
            check(corners, film.size)
        except VisionError as error:  # no picture will make them better
            raise FilmError(_useless(film, str(error))) from error
    best: FoundTable | None = None
    gate, tries, due, why = Gate(film.size), 0, 0.0, ""
    for shot in _shots(film, corners is None and (film.seconds or 0.0) > LONG):
        progress(_doing(tries, best is None and not corners), shot.t)
        if not gate.passes(shot) or shot.t < due:
            continue
        tries += 1
        due = _due(tries, shot.t, film.seconds)
        try:
            as_it_stands = best is None and (tries in AS_IT_STANDS or bool(corners))
            found = _look(shot, board, corners, geometry, as_it_stands)
        except VisionError as error:
            why = str(error)
        else:
            best = found if best is None or _faults(found) < _faults(best) else best
        if tries == TRIES or (best is not None and _will_do(best, tries)):
            break
    if best is not None:
        return best
    if corners:
        raise FilmError(_useless(film, why))
    looked = phrase_number("{n} picture was looked at", "{n} pictures were looked at", tries)
    words = phrase(
        "{film}: no board is found ({looked}); show where it is (--corners), or give the table's calibration"
        " (--rig)",
        film=film.name,
        looked=joined("; ", [looked, *([why] if why else [])]),
    )
    raise FilmError(words)


def _doing(tries: int, unseen: bool) -> str:
    """What is being done; what helps, too, where that will take long."""
    if unseen and tries >= AS_IT_STANDS[1]:
        return phrase(
            "the board is not found yet, picture {number} of {most}; --corners says where it is",
            number=tries + 1,
            most=TRIES,
        )
    return phrase("looking for the board, picture {number} of {most}", number=tries + 1, most=TRIES)


def _shots(film: Film, long: bool) -> Iterator[Shot]:
    if long:
        yield from takewhile(lambda shot: shot.t < OPENING, film.shots(0.0, REST))
    yield from film.shots(OPENING if long else 0.0, STEP, keys=long)


def _useless(film: Film, reason: str) -> str:
    return phrase(
        "{film}: the board cannot be learned with these corners: {reason}", film=film.name, reason=reason
    )


def _will_do(found: FoundTable, tries: int) -> bool:
    """Whether to look no further: the start of a game may still come after the first pictures."""
    return tries >= ENOUGH or (found.quality.good and (found.started or tries >= STARTED))


def _due(tries: int, t: float, seconds: float | None) -> float:
    """When the next picture may come at the earliest, after the one at ``t``."""
    if tries < CLOSE:
        return 0.0
    left = max(0.0, (seconds or 3600.0) - t)
    return t + left / math.pow(1 + TRIES - tries, 1.5)  # more at the beginning


def _look(
    shot: Shot,
    board: str,
    corners: Sequence[Corner] | None,
    geometry: Mapping[str, Any],
    as_it_stands: bool,
) -> FoundTable:
    """The table in one picture. Raises VisionError."""
    picture = accept(shot.image())
    try:
        places = corners or boards.find(picture, board, geometry).corners
        learned = boards.learn(picture, places, board, geometry)
    except VisionError:
        if not as_it_stands or board != "checkers":
            raise
        learned = learn_as_it_stands(picture, corners, geometry)
        if corners is None and begins(learned.table, picture):
            with suppress(VisionError):  # its checkers alone did not tell where the board is
                _, begun = learn_known(picture, geometry)
                return FoundTable(begun.table, shot.t, begun.quality)
        return FoundTable(learned.table, shot.t, learned.quality, started=False)
    return FoundTable(learned.table, shot.t, learned.quality)


def _faults(found: FoundTable) -> tuple[bool, int, int, float]:
    quality = found.quality
    return not found.started, len(quality.wrong), len(quality.strange), -(quality.separation or 0.0)
