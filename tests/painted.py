"""Painted tables for tests and benches: a small map, games begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.position import Position, Rules
from hardware.painter import Painter

MAP: Mapping[str, Any] = {
    "cols": 12,
    "rows": 10,
    "border": [f"{c - r // 2},{r}" for r in range(10) for c in range(12) if c in (0, 11) or r in (0, 9)],
    "fortresses": ["1,2", "6,2", "2,5", "6,6", "0,7"],
}
"""A small map for games whose players set it up."""


def begun(rules: Rules) -> Position:
    """The first position of a game."""
    return rules.start(
        {**rules.options, **{key: value for key, value in MAP.items() if key in rules.options}}
    )


def painter(board: str, seed: int) -> Painter:
    """A table of this kind."""
    return Painter(board, seed, MAP["cols"], MAP["rows"])
