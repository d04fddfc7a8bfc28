"""A table that is drawn, learned from its start position, and dice that are laid wherever one wants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine import rules as games
from engine.layout import Looks
from training.dice.put import Thing, turned
from training.dice.stage import DrawnStage
from training.rendered.lens import project
from training.rendered.setting import Piece, Setting
from vision import boards
from vision.errors import CalibrationError
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader, Reading

START = games.get("backgammon").start({})
MEASURES = ("pitch", "checker", "bar", "width", "height", "tray")


def corners(stage: DrawnStage) -> list[Corner]:
    """Where its playing surface's corners are in its pictures (pixels)."""
    board = stage.board
    surface = [(0, 0, 0), (board.width, 0, 0), (board.width, board.height, 0), (0, board.height, 0)]
    return [(float(x), float(y)) for x, y in project(stage.view, np.array(surface, float))]


def learned_from(stage: DrawnStage, image: Image) -> BoardReader:
    """The table as it is learned from a picture of the start position. Raises CalibrationError."""
    measures = {name: getattr(stage.board, name) for name in MEASURES}
    return boards.learn(Frame(image), corners(stage), "checkers", measures, START.looks()).table


def misread(reading: Reading, stands: Looks) -> list[float]:
    """How sure each point, and each side's bar, is that is said to be otherwise than it stands."""
    return [
        reading.confidence[cell]
        for cell, look in reading.looks.items()
        if not cell.startswith("off") and look != stands[cell]
    ]


@dataclass
class BegunTable:
    """Table number ``stage.seed``, on which a game begins."""

    stage: DrawnStage
    setting: Setting
    table: BoardReader

    @classmethod
    def learned(cls, number: int, width: int = 1280) -> "BegunTable":
        """Raises CalibrationError where it cannot be learned."""
        stage = DrawnStage(number, width)
        setting = stage.setting(START)
        stage.lay(setting)
        return cls(stage, setting, learned_from(stage, stage.take([])))

    @classmethod
    def some(cls, first: int, many: int) -> "Iterator[BegunTable]":
        """So many tables, from this number on; of one that cannot be learned it is printed why."""
        for number in range(first, first + many):
            try:
                yield cls.learned(number)
            except CalibrationError as error:
                print(f"table {number} is not learned: {error}")

    def point(self, piece: Piece) -> str:
        """The point on which it stands, or the nearest one."""
        board = self.stage.board
        middles = [(column + 0.5) * board.pitch + board.bar * (column >= 6) for column in range(12)]
        column = int(np.abs(np.array(middles) - piece.x).argmin())
        return f"p{13 + column if piece.y > board.height / 2 else 12 - column}"

    def standing(self, pieces: Sequence[Piece]) -> Image:
        """The picture with these checkers instead; the next ones show them, too."""
        self.stage.lay(replace(self.setting, pieces=list(pieces)))
        return self.stage.take([])

    def thrown(self, places: Sequence[tuple[float, float, float]], seed: int = 1) -> Image:
        """The picture with dice of one pair whose feet are there (cm)."""
        (body, size), rng = self.stage._pairs[seed % 2], np.random.default_rng(seed)
        faces = [int(face) for face in rng.integers(6, size=len(places))]
        dice = [
            Thing(body, *at, size, turned(rng, face, 0.5), face)
            for at, face in zip(places, faces, strict=True)
        ]
        return self.stage.take(dice)

    def ends(self) -> list[Piece]:
        """The checker of every row that lies farthest from its rim; first those that lie nearest to it."""
        middle, found = self.stage.board.height / 2, list[Piece]()
        for piece in sorted(self.setting.pieces, key=lambda each: abs(each.y - middle)):
            row = [one for one in found if (one.y > middle) is (piece.y > middle)]
            if all(abs(one.x - piece.x) > self.stage.board.pitch / 2 for one in row):
                found.append(piece)
        return found[::-1]
