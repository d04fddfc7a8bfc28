"""The kinds of board that can be learned and read, and what everybody else knows of them. To add one, list it
here.

A *board* learns a table from a picture, or opens one that was learned before; a *table* reads pictures. A
game says which kind it is played on (``Rules.board``); nothing here knows games, and nobody outside knows
kinds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.layout import Cell, Look, Looks, Piece
from vision.board import MEASURES, SIDES, Geometry, start
from vision.camera import Corner, Floats
from vision.errors import RigError, VisionError
from vision.frame import Frame, Image
from vision.hexes.sheet import Hexes
from vision.learning import corners, setting
from vision.learning.calibrate import calibrate
from vision.learning.quality import Quality
from vision.learning.setting import Ask, Outline
from vision.pyramids.pieces import Pyramids
from vision.read import Reader, Reading
from vision.rig import Rig
from vision.scene import Map


class Table(Protocol):
    """One table under one camera, learned."""

    @property
    def surface(self) -> Map:
        """What pictures are compared with (rows x columns x 3, as of ``appearance.logs``)."""

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError for a picture of another camera."""

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises
        ImageError."""

    def weigh(self, values: Map, frame: Frame | None = None) -> Reading:
        """Read a frame that was laid flat. ``frame`` is the picture itself, for tables that look twice where
        they doubt."""

    def follow(self, values: Map, reading: Reading) -> None:
        """Learn from a frame at rest, slowly."""

    def astray(self, values: Map) -> float:
        """How far (map pixels) a frame shows the board from where it was: 0 where it lies there still,
        infinite where it surely does not, or is hidden."""

    def found_again(self, values: Map, frame: Frame) -> Table | None:
        """The same table after the camera was moved a little, if it is found in this frame; the very same
        where it was not moved."""

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """The picture with what was read drawn on."""

    def around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """Where in the picture some cells are, see ``overlay.around``."""

    def placed(self) -> tuple[Floats, dict[str, Any]]:
        """Where the surface's corners are in the calibration picture (4 x 2 pixels, as ``camera.rectangle``
        orders them), and its measures as a geometry file has them."""

    def exchanged(self) -> Table:
        """The same table with White's and Black's pieces the other way round, where a start position was told
        by the lighter ones alone. Raises CalibrationError where it was not."""

    def to_json(self) -> dict[str, Any]:
        """The rig file's content."""


class Board(Protocol):
    """One kind of board."""

    @property
    def name(self) -> str:
        """As games and rig files call it."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What may stand on it."""

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The measures that a person may or must give."""

    @property
    def sample(self) -> Looks:
        """What is to be set out to learn such a board; empty where it is learned from the map that players
        set up."""

    @property
    def found(self) -> bool:
        """Whether its corners can be found in a picture, or a person has to show them."""

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """The lines of the empty board, to be laid over a picture. Raises CalibrationError for measures that
        make no sense."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The keys that a geometry file may have."""

    def find(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """The surface's corners in a picture, and how sure that is (0-1). Raises CalibrationError where a
        person must give them."""

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> Table:
        """Learn a table from a picture. ``looks`` is what stands there; None: as games on it begin, or as the
        picture shows. Raises CalibrationError with what to change."""

    def open(self, data: Mapping[str, Any]) -> Table:
        """A table from its file's content. Raises RigError."""

    def told(self, reading: Reading) -> dict[str, Any]:
        """What stands where, in this kind's plain form."""


@dataclass(frozen=True)
class Checkers:
    """Checkers on 24 points."""

    name: str = "checkers"
    pieces: tuple[Piece, ...] = SIDES
    measures: tuple[str, ...] = MEASURES
    asks: tuple[Ask, ...] = setting.CHECKERS
    found: bool = True

    @property
    def sample(self) -> Looks:
        """How backgammon begins."""
        return start()

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """Points and bar."""
        return setting.points(geometry)

    def find(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """By the checkers: see ``vision.learning.corners``."""
        found = corners.find(image, Geometry.from_json(geometry), looks, progress=progress)
        return found.corners, found.seen

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> Table:
        """See ``vision.learning.calibrate``. The usual start is recognised in a board that lies turned or
        mirrored, too."""
        measures = Geometry.from_json(geometry)
        return Reader(calibrate(image, corners, measures, looks, empty))

    def open(self, data: Mapping[str, Any]) -> Table:
        """From a rig."""
        return Reader(Rig.from_json(data))

    def told(self, reading: Reading) -> dict[str, Any]:
        """Counts, white's positive. ``off`` is null where no tray is in view; a single count that a hand
        hides is null too."""
        looks = reading.looks
        points = {
            cell[1:]: len(look) if look[0] == SIDES[0] else -len(look)
            for cell, look in looks.items()
            if look and cell[1:].isdigit()
        }
        tray = any(f"off.{side}" in looks or f"off.{side}" in reading.occluded for side in SIDES)
        return {
            "points": dict(sorted(points.items(), key=lambda entry: int(entry[0]))),
            "bar": _pair("bar", looks),
            "off": _pair("off", looks) if tray else None,
        }


def _pair(name: str, looks: Mapping[Cell, Look]) -> list[int | None]:
    return [len(looks[f"{name}.{side}"]) if f"{name}.{side}" in looks else None for side in SIDES]


_EVERY: tuple[Board, ...] = (Checkers(), Pyramids(), Hexes())
BOARDS: dict[str, Board] = {board.name: board for board in _EVERY}


def get(name: str) -> Board:
    """The kind of that name. Raises VisionError with the names that there are."""
    if name not in BOARDS:
        raise VisionError(f"unknown kind of board {name!r}; there are {', '.join(BOARDS)}")
    return BOARDS[name]


@dataclass(frozen=True)
class Stored:
    """What a rig file holds: a table of the kind ``board``, and the name of the game that it was calibrated
    for, if that is known."""

    table: Table
    board: str
    rules: str | None = None


def kind_in(path: str | Path) -> str | None:
    """The kind of board that a rig file is about; None where there is no such file, or it is none."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    kind = data.get("kind") if isinstance(data, Mapping) else None
    return kind if isinstance(kind, str) else None


def load(path: str | Path) -> Stored:
    """A rig file. Raises RigError with the reason."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise RigError(f"{path} is no rig file: 'barpoint calibrate' writes them") from error
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind not in BOARDS:
        raise RigError(f"{path}: not a rig: no kind of board in it")
    try:
        table = BOARDS[kind].open(data)
    except VisionError as error:
        raise RigError(f"{path}: {error}") from error
    rules = data.get("rules")
    return Stored(table, kind, rules if isinstance(rules, str) else None)


def save(table: Table, path: str | Path, rules: str) -> None:
    """Write a rig file, all of it or nothing. ``rules`` names the game that is played on the table."""
    target = Path(path)
    draft = target.with_name(target.name + ".part")
    draft.write_text(json.dumps({**table.to_json(), "rules": rules}, indent=1) + "\n", encoding="utf-8")
    draft.replace(target)
