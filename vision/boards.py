"""The kinds of board, by name: load and save a table's rig, find and learn a table. To add a kind, list it
here.

A game says which kind it is played on (``Rules.board``); nothing here knows games, and nobody outside knows
kinds. Learning is for whoever asks a person (the command line, the page's setup), in two steps, so that a
person may look between them: :func:`find` proposes the four corners (or says that it cannot), :func:`learn`
makes a table from them, with a report and a picture to look at. Both take the pixels of the picture as it
came: a frame that was halved on the way in (``Frame.scale``) is nobody else's business. Both are slow
(seconds) and say how far they are.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from engine import strict_json
from engine.layout import Looks
from engine.messages import joined, phrase
from vision.blind.reader import in_own_order, opinion
from vision.checkers.board import Checkers
from vision.errors import CalibrationError, HomeError, RigError, VisionError
from vision.geometry.camera import Corner, scaled
from vision.hexes.board import Hexes
from vision.picture.frame import Frame, Image
from vision.pyramids.board import Pyramids
from vision.quality import Quality
from vision.reading import Board, BoardReader

MOST_BYTES = 50_000_000
"""Bytes of a rig file: they have some hundred thousand."""

EARLIER = "earlier"
"""A rig file's key for the versions before the one in use, the oldest first."""
MOST_VERSIONS = 6
"""Earlier versions that a file keeps: calibrations rather than what was learned, then the newer ones."""
CALIBRATED = "calibrated"
"""Why there is a version that was learned from no play."""

BOARDS: dict[str, Board] = {
    board.name: board for board in (Checkers(opinion, in_own_order), Pyramids(), Hexes())
}


def get(name: str) -> Board:
    """The kind of that name. Raises VisionError with the names that there are."""
    if name not in BOARDS:
        raise VisionError(f"unknown kind of board {name!r}; there are {', '.join(BOARDS)}")
    return BOARDS[name]


@dataclass(frozen=True)
class Stored:
    """What a rig file holds: a table of the kind ``board``, and the name of the game that it was calibrated
    for, if that is known."""

    table: BoardReader
    board: str
    rules: str | None = None


def kind_in(path: str | Path) -> str | None:
    """The kind of board that a rig file is about; None where there is no such file, or it is none."""
    try:
        kind = _content(Path(path)).get("kind")
    except RigError:
        return None
    return kind if isinstance(kind, str) else None


def load(path: str | Path) -> Stored:
    """A rig file. Raises RigError with the reason."""
    return _opened(path, _content(Path(path)))


def _opened(path: str | Path, data: Mapping[str, Any]) -> Stored:
    """What a rig file holds, or would hold. Raises RigError."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in BOARDS:
        raise RigError(f"{path}: not a rig: no kind of board in it")
    try:
        table = BOARDS[kind].open(data)
    except RigError as error:
        raise RigError(joined(": ", (str(path), str(error)))) from error
    except Exception as error:  # whatever a damaged file leads to, the table comes up without it
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise RigError(
            phrase("{path}: the rig is damaged ({why}); calibrate the table again", path=path, why=why)
        ) from error
    rules = data.get("rules")
    return Stored(table, kind, rules if isinstance(rules, str) else None)


def _content(path: Path) -> dict[str, Any]:
    """What is in a rig file. Raises RigError."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise RigError(
                phrase(
                    "{path} is longer than {most} MB; no rig file is", path=path, most=MOST_BYTES // 1_000_000
                )
            )
        return strict_json.loads_object(data.decode())
    except OSError as error:
        raise RigError(
            phrase("cannot read {path}: {error}", path=path, error=error.strerror or error)
        ) from error
    except ValueError as error:
        if isinstance(error, RigError):
            raise
        why = error if isinstance(error, strict_json.BadJson) else "not UTF-8"
        raise RigError(
            phrase("{path} is no rig file ({why}): 'barpoint calibrate' writes them", path=path, why=why)
        ) from error


def save(table: BoardReader, path: str | Path, rules: str, version: Version | None = None) -> None:
    """Write a rig file, whole or not at all. ``rules`` names the game that is played on the table."""
    came = {} if version is None else {"came": asdict(version)}
    _write(Path(path), {**table.to_json(), "rules": rules, **came})


@dataclass(frozen=True)
class Version:
    """One version of a rig: how it came about (``why``), and when (``at``, in UTC; "" where nobody wrote it
    down)."""

    at: str
    why: str = CALIBRATED


def versions(path: str | Path) -> list[Version]:
    """The versions of a rig that its file has, the oldest first: the last is the one in use. Raises
    RigError."""
    data = _content(Path(path))
    return [_version(each) for each in (*_earlier(data), data)]


def save_version(table: BoardReader, path: str | Path, version: Version, rules: str | None = None) -> None:
    """Makes ``table`` the rig in use, and keeps the one before it in the file; ``rules`` (None: as before)
    names the game that is played on it. Raises RigError or OSError."""
    data = _content(Path(path))
    last = {key: value for key, value in data.items() if key != EARLIER}
    earlier = [*_earlier(data), last]
    while len(earlier) > MOST_VERSIONS:
        learned = [place for place, each in enumerate(earlier) if _version(each).why != CALIBRATED]
        del earlier[min(learned, default=0)]
    came = {"rules": rules or data.get("rules"), "came": asdict(version), EARLIER: earlier}
    _write(Path(path), {**table.to_json(), **came})


def go_back(path: str | Path) -> Stored:
    """Makes the version before the last the one in use again. Raises RigError where there is none, and
    OSError."""
    data = _content(Path(path))
    earlier = _earlier(data)
    if not earlier:
        raise RigError(phrase("{path}: there is no earlier version to go back to", path=path))
    stored = _opened(path, earlier[-1])  # one that cannot be read must not take the place of one that can
    _write(Path(path), {**earlier[-1], EARLIER: earlier[:-1]})
    return stored


def _earlier(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = data.get(EARLIER)
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _version(data: Mapping[str, Any]) -> Version:
    came = data.get("came")
    said = came if isinstance(came, dict) else {}
    return Version(str(said.get("at", "")), str(said.get("why", CALIBRATED)))


def _write(target: Path, data: Mapping[str, Any]) -> None:
    # Of several at once, each has a draft of its own, called like all that Barpoint writes: what a power cut
    # leaves of one is swept up.
    draft = target.with_name(f"{target.name}.barpoint-{os.getpid()}-{threading.get_ident()}.part")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


Progress: TypeAlias = Callable[[float, str], None]
"""Called now and then with how much is done (0-1, never less than before) and what is being done, in
words."""


@dataclass(frozen=True)
class FoundCorners:
    """Where the playing surface seems to be. ``corners``: bottom-left, bottom-right, top-right, top-left, in
    pixels of the picture as it came; ``sure``: 0-1, how far ahead of every other proposal."""

    corners: tuple[Corner, Corner, Corner, Corner]
    sure: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "corners": [[round(x, 1), round(y, 1)] for x, y in self.corners],
            "sure": round(self.sure, 3),
        }


@dataclass(frozen=True)
class LearnedTable:
    """A learned ``table``; ``quality`` says how good it is, ``picture`` (BGR, the working size of the frame)
    shows what was read."""

    table: BoardReader
    quality: Quality
    picture: Image


def find(
    frame: Frame,
    board: str = "checkers",
    geometry: Mapping[str, Any] | None = None,
    looks: Looks | None = None,
    progress: Progress | None = None,
) -> FoundCorners:
    """Find the playing surface of a ``board`` (a kind: ``Rules.board``) on which ``looks`` stand (None: as
    games on it begin).

    ``geometry``: what a geometry file would hold. Raises CalibrationError where it is not sure: a person then
    gives the corners; or where the home is on another side than it says."""
    measures, tell = dict(geometry or {}), progress or silent
    try:
        corners, sure = get(board).find_corners(frame.image, measures, looks, tell)
    except CalibrationError as error:
        if measures.pop("home", None) is None:
            raise
        try:
            get(board).find_corners(frame.image, measures, looks, tell)
        except CalibrationError:
            raise error from None
        raise HomeError(
            phrase(
                "the picture shows this position with the home boards on another side than was said: leave"
                " the side out, or set the position up so"
            )
        ) from error
    bottom_left, bottom_right, top_right, top_left = ((x / frame.scale, y / frame.scale) for x, y in corners)
    return FoundCorners((bottom_left, bottom_right, top_right, top_left), sure)


def silent(part: float, words: str) -> None:
    """Progress that nobody asked for."""


def learn(
    frame: Frame,
    corners: Sequence[Corner],
    board: str = "checkers",
    geometry: Mapping[str, Any] | None = None,
    looks: Looks | None = None,
    empty: Frame | None = None,
    progress: Progress | None = None,
    exchange: bool = False,
) -> LearnedTable:
    """Learn a table from a picture on which ``looks`` stand (None: as games on this kind of ``board`` begin,
    or as the picture shows), and perhaps one of it ``empty``, by the same camera in the same place.
    ``exchange``: White's pieces are not the lighter ones, or not those that were taken for them where both
    are nearly as light. Raises CalibrationError with the reason and what to change."""
    places = scaled(corners, frame.scale)
    tell = progress or silent
    tell(0.0, phrase("calibrating the board"))
    table = get(board).calibrate(
        frame.image, places, geometry or {}, looks, None if empty is None else empty.image
    )
    if exchange:
        table = table.exchanged()
    tell(0.8, phrase("reading the picture"))
    picture = table.draw(frame.image, table.read(frame))
    tell(1.0, phrase("done"))
    return LearnedTable(table, table.quality, picture)
