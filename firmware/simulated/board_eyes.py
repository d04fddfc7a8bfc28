"""Eyes that know what stands on the simulated board, or read painted pictures of it."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from engine.evidence import Evidence
from engine.layout import Cell, Look, Looks, Stack, hex_cell, hex_of
from engine.position import Position
from firmware.simulated.layouts import seen, stacks
from firmware.table.live import LiveEyes
from hardware.painter import Painter
from hardware.protocols import Frame
from vision.picture.frame import Image

_turn = Lock()


class BoardEyes(LiveEyes):
    """Eyes that know what stands on the simulated board, or, once calibrated, read painted pictures of it."""

    simulated = True

    def __init__(self) -> None:
        super().__init__(None)
        self._canvas: tuple[object, Image] | None = None
        self.layout: dict[Cell, Stack] = {}
        self._cells: tuple[Cell, ...] = ()
        self._whole = True
        self.kind = "checkers"

    @property
    def looks(self) -> dict[Cell, Look]:
        """What a camera that is never wrong would see. Setting them clears the board first."""
        return seen(self.layout, self._cells, self._whole)

    @looks.setter
    def looks(self, looks: Looks) -> None:
        self.layout, self._cells, self._whole = stacks(looks), tuple(looks), True

    def sit_down(self, position: Position) -> None:
        """Sets the board up for a game as in ``position``."""
        self.layout, self.kind = dict(position.layout()), position.rules.board
        self._cells, self._whole = tuple(position.looks()), position.whole_looks

    def arrange(self, looks: Looks, board: str, geometry: Mapping[str, Any]) -> bool:
        """Puts ``looks`` on a board of this kind; an example map where they are empty and players would set
        one up."""
        cols, rows = geometry.get("cols"), geometry.get("rows")
        if not looks and isinstance(cols, int) and isinstance(rows, int):
            looks = example_map(cols, rows)
        self.looks, self.kind = dict(looks), board
        return True

    def still(self) -> Image | None:
        """The board, painted."""
        if not self._cells:
            return None
        painter, stands = self.painter, dict(self.layout)
        with _turn:  # a painter holds what it paints, and the page asks for pictures, too
            if self._canvas is None or self._canvas[0] != (painter, stands):
                noise = zlib.crc32(repr(sorted(stands.items())).encode())  # the same board, the same picture
                self._canvas = (painter, stands), painter.paint(stands, noise)
            return self._canvas[1]

    @property
    def painter(self) -> Painter:
        """The painter of this board."""
        places = [hexagon for cell in self._cells if (hexagon := hex_of(cell)) is not None]
        rows = 1 + max((r for _, r in places), default=14)
        cols = 1 + max((q + r // 2 for q, r in places), default=18)
        return _painter(self.kind, cols, rows)

    def look(self, frame: Frame) -> Evidence | None:
        """What stands on the board."""
        if not self.calibrated:
            return Evidence.certain(self.looks)
        reading = self.glance()
        self._newest = None
        return None if reading is None or reading.hand else reading.evidence

    def picture(self, t: float) -> Frame:
        """What the camera sends: an empty picture, because the board is only typed."""
        return Frame(t, "board", np.zeros((1, 1, 3), np.uint8))

    def drawn(self) -> bytes | None:
        """The board as it is now, painted, with what is read in it."""
        image = self.still()
        if image is None:
            return None
        reader = None if self._settler is None else self._settler.reader
        self._newest = (image, reader, self.glance())
        return super().drawn()

    def closeup(self, cells: Collection[Cell]) -> bytes | None:
        """The part of it that shows some cells."""
        self.drawn()
        return super().closeup(cells)


@lru_cache(maxsize=2)
def _painter(kind: str, cols: int, rows: int) -> Painter:
    return Painter(kind, 1, cols, rows)


def example_map(cols: int, rows: int) -> dict[Cell, Look]:
    """A map of hexes as players might set it up: a border around the sheet, and fortresses at a distance."""
    looks: dict[Cell, Look] = {}
    for row in range(rows):
        for col in range(cols):
            rim = col in (0, cols - 1) or row in (0, rows - 1)
            tower = row % 4 == 2 and (col + row) % 5 == 3
            piece = "border" if rim else "fortress.neutral" if tower else None
            looks[hex_cell((col - row // 2, row))] = (piece,) if piece else ()
    return looks
