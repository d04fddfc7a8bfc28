"""Finds the board in a film: by itself where a game begins, or by corners that a person gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware.transcribe.film import Film, FilmError
from firmware.transcribe.rest import Gate
from vision import boards
from vision.errors import VisionError
from vision.geometry.camera import Corner
from vision.picture.frame import accept
from vision.reading import BoardReader, Quality

STEP = 0.5
"""Seconds between two pictures that are looked at for a board."""
CLOSE = 60
"""Tries that are made one after the other; later ones keep a distance, so that a long film without a board
takes minutes, not hours."""
SPREAD = 1.03
"""How many times later than the last try each of those may come at the earliest."""
TRIES = 5
"""Pictures from which a board with known corners is learned, at most: the best is kept."""


@dataclass(frozen=True)
class FoundTable:
    """A learned ``table``, from the picture ``t`` seconds into the film."""

    table: BoardReader
    t: float
    quality: Quality


def find_table(
    film: Film,
    board: str,
    corners: Sequence[Corner] | None,
    geometry: Mapping[str, Any],
    progress: Callable[[float], None] = lambda t: None,
) -> FoundTable:
    """The table in a film. With ``corners`` (pixels of the film) it may begin anywhere; without them a game
    must begin in it. Raises FilmError."""
    best: FoundTable | None = None
    gate, tries, due, why = Gate(film.size), 0, 0.0, ""
    for shot in film.shots(0.0, STEP, keys=corners is None and (film.seconds or 0.0) > 600):
        progress(shot.t)
        if not gate.passes(shot) or shot.t < due:
            continue
        tries += 1
        due = 0.0 if tries < CLOSE else shot.t * SPREAD
        picture = accept(shot.image())
        try:
            places = corners or boards.find(picture, board, geometry).corners
            learned = boards.learn(picture, places, board, geometry)
        except VisionError as error:
            why = why or str(error)
        else:
            found = FoundTable(learned.table, shot.t, learned.quality)
            best = found if best is None or _faults(found) < _faults(best) else best
        if best is not None and (best.quality.good or tries >= TRIES):
            return best
        if corners and tries >= 4 * TRIES:
            break
    if best is not None:
        return best
    if corners:
        raise FilmError(f"{film.name}: the board cannot be learned with these corners: {why}")
    raise FilmError(
        f"{film.name}: no board is found that is set up for a game; show where it is (--corners, the film may"
        " then begin in the middle of a game), or give the table's calibration (--rig)"
    )


def _faults(found: FoundTable) -> tuple[int, int, float]:
    quality = found.quality
    return len(quality.wrong), len(quality.strange), -(quality.separation or 0.0)
