"""A simulated board whose pictures are painted, so that a game typed in a terminal can be recorded like one
at a real table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.errors import EngineError
from engine.layout import Layout
from engine.position import Position, Rules
from firmware.errors import BadInput
from firmware.simulated.board_eyes import BoardEyes
from firmware.simulated.layouts import stacks
from hardware.painter import Painter
from hardware.protocols import Frame
from vision import boards
from vision.errors import VisionError
from vision.reading import BoardReader


class PaintedEyes(BoardEyes):
    """A board under a painted camera. The referee knows for certain what stands where; the pictures are only
    recorded."""

    def __init__(self, rules: Rules, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Raises BadInput for a game whose board the players must set up first."""
        super().__init__()
        size = {key: options[key] for key in ("cols", "rows") if key in options}
        self._painter = Painter(rules.board, 0, **size)
        self._shot = 0
        self._painted: tuple[Layout, Frame] | None = None
        try:
            self._learned = learned(self._painter, rules.start({**rules.options, **options}))
        except (EngineError, VisionError) as error:
            raise BadInput(f"a simulated game of {rules.title} cannot be recorded: {error}") from error

    @property
    def table(self) -> BoardReader:
        """The table, as it was learned from its start."""
        return self._learned

    def picture(self, t: float) -> Frame:
        """The board as it is; the same picture again where nothing has moved."""
        if self._painted is None or self._painted[0] != self.layout:
            self._shot += 1
            pixels = self._painter.paint(self.layout, self._shot)
            self._painted = dict(self.layout), Frame(t, f"painted {self._shot}", pixels)
        frame = self._painted[1]
        return Frame(t, frame.name, frame.pixels)


def learned(painter: Painter, position: Position) -> BoardReader:
    """The painter's table, calibrated as its owner would do it: from the sample position of such a board, or
    from ``position``, the game's first. Raises VisionError."""
    board = boards.get(painter.board)
    known = board.set_out or position.looks()
    bare = painter.paint({}) if board.set_out else None
    return board.calibrate(painter.paint(stacks(known)), painter.corners, painter.geometry, known, bare)
