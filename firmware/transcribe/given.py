"""Positions that players give, where another was read: what stands there, and is misread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from engine.layout import Cell, Look
from engine.position import Position
from firmware.transcribe.sighting import Sighting
from firmware.transcribe.turns import Answers, Choice

Misread: TypeAlias = tuple[tuple[Cell, Look | None, Look], ...]
"""Cells that are read otherwise than players say: how they are read, and how they look."""


class Given:
    """What players say stands in a film's pictures. It is told of every sighting, in order."""

    def __init__(self, answers: Answers) -> None:
        self._said: Mapping[str, Choice | Position | None] = answers.plays
        self.position: Position | None = None
        """What stands in the last sighting's picture, where players say so."""
        self.misread: Misread = ()
        """What is misread now."""

    def see(self, seen: Sighting) -> Sighting:
        """The sighting as it is to be read. What was misread once is so again, as long as it looks the same:
        then it may be what players say, or what is seen."""
        said = self._said.get(seen.picture)
        self.position = said if isinstance(said, Position) else None
        if self.position is None and not self.misread:
            return seen
        best = seen.evidence.best()
        if self.position is not None:
            stands = self.position.looks().items()
            self.misread = tuple((cell, best.get(cell), look) for cell, look in stands)
            self.misread = tuple(each for each in self.misread if each[1] != each[2])
        else:
            self.misread = tuple(each for each in self.misread if best.get(each[0]) == each[1])
        cells = dict(seen.evidence.cells)
        cells |= {cell: {**cells[cell], look: 0.0} for cell, _, look in self.misread if cell in cells}
        return replace(seen, evidence=replace(seen.evidence, cells=cells))
