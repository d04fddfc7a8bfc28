"""Eyes over a simulated board whose pictures are painted, so that a game typed in a terminal can be recorded like one at a real table."""

from __future__ import annotations

from engine.errors import EngineError
from engine.layout import Cell, Layout, Look, Looks
from engine.position import Rules
from firmware.errors import BadInput
from firmware.tabletop import BoardEyes
from hardware.painter import Painter
from hardware.protocols import Frame
from vision import boards
from vision.errors import VisionError


class PaintedEyes(BoardEyes):
    """A board under a painted camera. The referee is told for certain what stands where; the pictures are for who looks later."""

    def __init__(self, rules: Rules) -> None:
        """Raises BadInput for a game whose board nobody has set up yet."""
        super().__init__()
        self._painter = Painter(rules.board)
        self._shot = 0
        self._painted: tuple[dict[Cell, Look], Frame] | None = None
        try:
            board, painter = boards.get(rules.board), self._painter
            known = board.sample or rules.start(rules.options).looks()
            bare = painter.paint({}) if board.sample else None
            learned = board.calibrate(painter.paint(stacks(known)), painter.corners, painter.geometry, known, bare)
        except (EngineError, VisionError) as error:
            raise BadInput(f"a simulated game of {rules.title} cannot be recorded: {error}") from error
        self._learned: boards.Table = learned

    @property
    def table(self) -> boards.Table:
        """The table, as it was learned from its start."""
        return self._learned

    def picture(self, t: float) -> Frame:
        """The board as it is; the same picture again where nothing was moved."""
        if self._painted is None or self._painted[0] != self.looks:
            self._shot += 1
            pixels = self._painter.paint(stacks(self.looks), self._shot)
            self._painted = dict(self.looks), Frame(t, f"painted {self._shot}", pixels)
        frame = self._painted[1]
        return Frame(t, frame.name, frame.pixels)


def stacks(looks: Looks) -> Layout:
    """The layout that shows nothing but these looks."""
    return {cell: (look,) for cell, look in looks.items() if look}
