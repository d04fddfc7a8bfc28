"""A camera's opinion, as numbers that can be added up.

For each cell that it can see, a camera says how likely its pixels are under each look that the cell might
have. That is a log-likelihood in nats; only differences within a cell mean anything, so every cell is shifted
until its best look scores 0. Nothing scores under ``floor``: however sure one cell seems, it can be wrong
(glare, a sleeve, a bad calibration), and a bounded penalty keeps one bad cell from shouting down all the
others. A look that is not listed scores the floor.

A cell that is not listed at all is one that the camera says nothing about: under a hand, or out of view. It
scores 0 under every look.
"""

from __future__ import annotations

import math
from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine.errors import EngineError
from engine.layout import Cell, Look, Looks, apart

FLOOR = -12.0
"""The default floor in nats: about six in a million."""
HAIR = 2.0**-10
"""Nats that a wrong piece costs in :meth:`Evidence.nearness`: all pieces of a game together cost less than a
cell; sums are exact."""


class _Near(Mapping[Look, float]):
    """What every look scores by its nearness to one. It lists that one only."""

    __slots__ = ("_look",)

    def __init__(self, look: Look) -> None:
        self._look = look

    def get(self, look: Look, default: object = None) -> float:
        """No look is missing."""
        return 0.0 if look == self._look else FLOOR - HAIR * apart(look, self._look)

    __getitem__ = get

    def items(self) -> ItemsView[Look, float]:
        """The one look listed."""
        return {self._look: 0.0}.items()

    def __eq__(self, other: object) -> bool:
        return self._look == other._look if isinstance(other, _Near) else super().__eq__(other)

    def __iter__(self) -> Iterator[Look]:
        return iter((self._look,))

    def __len__(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """Log-likelihoods by cell and look.

    ``cells[cell][look]`` is in nats, at most 0, with at least one 0 in every cell. Build it with :meth:`of`,
    which shifts and clips; the constructor takes the numbers as they are.

    ``caution``: by how much dearer an accusation is by this evidence than by that of a good calibration (1).
    Evidence of releases that did not know it has 0, and is judged as it was then.
    """

    cells: Mapping[Cell, Mapping[Look, float]] = field(default_factory=lambda: MappingProxyType({}))
    floor: float = FLOOR
    caution: float = 1.0

    def __hash__(self) -> int:
        return hash((self.floor, self.caution, *self.cells))

    @classmethod
    def of(
        cls, raw: Mapping[Cell, Mapping[Look, float]], floor: float = FLOOR, caution: float = 1.0
    ) -> Evidence:
        """Evidence from unshifted log-likelihoods; looks at or under the floor are dropped. Raises
        EngineError on NaN or an empty cell."""
        cells: dict[Cell, Mapping[Look, float]] = {}
        for cell, looks in raw.items():
            if not looks or any(map(math.isnan, looks.values())) or math.isinf(max(looks.values())):
                raise EngineError(
                    f"evidence for {cell} is empty or not a number; leave a cell out to say nothing about it"
                )
            best = max(looks.values())
            cells[cell] = {look: value - best for look, value in looks.items() if value - best > floor}
        return cls(cells, floor, caution)

    @classmethod
    def certain(cls, looks: Looks, floor: float = FLOOR) -> Evidence:
        """Evidence that is sure of these looks: every other look scores the floor."""
        return cls({cell: {look: 0.0} for cell, look in looks.items()}, floor)

    @classmethod
    def nearness(cls, looks: Looks) -> Evidence:
        """Evidence that ranks boards by how few cells, and then how few pieces, keep them from these looks:
        another look scores the floor, and a :data:`HAIR` less for every piece that is wrong. Its own
        ``floor`` is the most that another look scores."""
        return cls({cell: _Near(look) for cell, look in looks.items()}, FLOOR - HAIR)

    def score(self, cell: Cell, look: Look) -> float:
        """How well ``look`` explains this cell, 0 (best) down to ``floor``; 0 where nothing is known."""
        looks = self.cells.get(cell)
        return 0.0 if looks is None else looks.get(look, self.floor)

    def total(self, looks: Looks) -> float:
        """The sum of scores over the cells of ``looks``."""
        return sum(self.score(cell, look) for cell, look in looks.items())

    def best(self) -> dict[Cell, Look]:
        """The likeliest look of every cell that is seen, each by itself: pieces need not add up."""
        return {
            cell: max(looks, key=lambda look: (looks[look], look)) if len(looks) > 1 else next(iter(looks))
            for cell, looks in self.cells.items()
        }

    def confidence(self, cell: Cell) -> float:
        """The probability of the likeliest look under a flat prior, 0-1; 0 where the cell is not seen."""
        looks = self.cells.get(cell)
        return 0.0 if not looks else 1.0 / sum(math.exp(value) for value in looks.values())

    def to_json(self) -> dict[str, object]:
        """A compact plain form for the journal: scores to a hundredth of a nat."""
        return {
            "floor": self.floor,
            "caution": round(self.caution, 2),
            "cells": {
                cell: [[list(look), round(value, 2)] for look, value in looks.items()]
                for cell, looks in self.cells.items()
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        """The inverse of :meth:`to_json`. Raises EngineError on another shape.

        Cells come in the order of their names: a journal sorts its keys, and what is judged must not depend
        on it."""
        try:
            cells = {
                str(cell): {tuple(str(piece) for piece in look): float(value) for look, value in looks}
                for cell, looks in sorted(data["cells"].items())
            }
            floor, caution = float(data["floor"]), float(data.get("caution", 0.0))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise EngineError(f"not evidence: {error}") from error
        if not floor < 0 or math.isinf(floor):
            raise EngineError(f"not evidence: the floor is a number below 0, not {floor}")
        if not 0 <= caution < math.inf:
            raise EngineError(f"not evidence: the caution is a number from 0 on, not {caution}")
        return cls.of(cells, floor, caution)
