"""Teaching the camera a board: find its corners, learn it from a picture, judge the result, keep it.

These calls into ``vision`` may take seconds; each reports its progress and runs in a thread of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.layout import Looks
from engine.position import Json
from firmware.files import replace_file, replacing
from firmware.jpeg import encode_jpeg
from firmware.setup.long_job import Tell
from firmware.utc import utc_now
from vision import boards
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, Image
from vision.quality import Quality
from vision.reading import BoardReader
from vision.unknown_board import find_known

OLD = ".old"
"""The ending of a file whose place a calibration has taken."""


@dataclass(frozen=True)
class LearnedBoard:
    """A table that was learned from ``frame``, not yet kept; ``overlay`` is a JPEG of what was read."""

    table: BoardReader
    board: str
    rules: str
    quality: Quality
    overlay: bytes
    frame: Frame

    def to_json(self) -> Json:
        """``grade`` is good, fair (something is weak) or poor (the picture itself is misread)."""
        grade = "good" if self.quality.good else "poor" if self.quality.wrong else "fair"
        return {"grade": grade, **self.quality.to_json()}


def find(image: Image, board: str, geometry: Mapping[str, Any], tell: Tell) -> Json:
    """The corners of a board in a picture. Raises CalibrationError."""
    return find_known(Frame(image), board, geometry, _sample(board), tell).to_json()


def learn(
    image: Image,
    board: str,
    rules: str,
    places: Sequence[Corner],
    geometry: Mapping[str, Any],
    tell: Tell,
    bare: Image | None = None,
) -> LearnedBoard:
    """Learns a board that shows its sample, or the players' own map; ``bare`` shows it empty. Raises
    CalibrationError."""
    frame = Frame(image)
    found = boards.learn(
        frame, places, board, geometry, _sample(board), None if bare is None else Frame(bare), tell
    )
    return LearnedBoard(found.table, board, rules, found.quality, encode_jpeg(found.picture), frame)


def exchanged(learned: LearnedBoard) -> LearnedBoard:
    """The table with its sides exchanged. Raises CalibrationError where lightness does not tell them."""
    table = learned.table.exchanged()
    return replace(
        learned,
        table=table,
        quality=table.quality,
        overlay=encode_jpeg(table.draw(learned.frame.image, table.read(learned.frame))),
    )


def _sample(board: str) -> Looks | None:
    return boards.get(board).set_out or None


def keep(table: BoardReader, board: str, rules: str, path: Path) -> None:
    """Makes a ``table`` of this kind, for this game, the calibration in ``path``; those before stay in its
    file, and one goes back to them. A file that is no calibration of such a board stays beside it. Whenever
    the power goes, the file is whole. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    version = boards.Version(utc_now("minutes"))
    with replacing(path) as draft:
        if boards.kind_in(path) == board:
            draft.write_bytes(path.read_bytes())
            boards.save_version(table, draft, version, rules)
            return
        boards.save(table, draft, rules, version)
        if path.exists():
            replace_file(path.with_name(path.name + OLD), path.read_bytes())
