"""The beginning of a random game of every kind, painted, read and judged: eyes and judge together never accuse wrongly.

``tests/bench/through_eyes.py`` does the same for whole games, many of them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine import rules as games
from engine.judge import Kind, judge
from engine.layout import Layout
from engine.position import Awaits, Position
from hardware.painter import Painter, rows_of_four
from vision import boards
from vision.boards import Table
from vision.frame import Frame

TURNS = 6
MAP: Mapping[str, Any] = {
    "cols": 12,
    "rows": 10,
    "border": [f"{c - r // 2},{r}" for r in range(10) for c in range(12) if c in (0, 11) or r in (0, 9)],
    "fortresses": ["1,2", "6,2", "2,5", "6,6", "0,7"],
}
SAMPLES: Layout = {
    **{f"p{point}": ((f"white.{n % 3 + 1}",),) for n, point in enumerate((1, 3, 5, 8, 14, 20))},
    **{f"p{point}": ((f"black.{n % 3 + 1}",),) for n, point in enumerate((2, 6, 10, 16, 19, 23))},
}


def begun(name: str) -> Position:
    rules = games.get(name)
    return rules.start({**rules.options, **{key: value for key, value in MAP.items() if key in rules.options}})


@cache
def table(board: str) -> tuple[Painter, Table]:
    """A table of this kind, learned as its owner would learn it: from the start, from pieces set out, from the map."""
    painter = Painter(board, 1, MAP["cols"], MAP["rows"])
    shown: dict[str, Layout] = {
        "checkers": begun("backgammon").layout(),
        "pyramids": SAMPLES,
        "hexes": begun("siege-master").layout(),
    }
    looks = {cell: tuple(piece for layer in stack for piece in layer) for cell, stack in shown[board].items()}
    known = begun("backgammon").looks() if board == "checkers" else looks if board == "pyramids" else None
    return painter, boards.get(board).calibrate(painter.paint(shown[board]), painter.corners, painter.geometry, known, painter.paint({}))


@pytest.mark.parametrize("name", games.names())
def test_every_play_of_a_beginning_is_recognised(name: str) -> None:
    painter, eyes = table(games.get(name).board)
    rng = random.Random(4)
    position, legal = begun(name), 0
    for shot in range(TURNS):
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if position.awaits is not Awaits.PLAY:
            break
        made = rng.choice(position.plays())
        verdict = judge(position, eyes.read(Frame(painter.paint(made.after.layout(), shot))).evidence)
        assert verdict.kind is not Kind.ILLEGAL
        if verdict.kind is Kind.LEGAL:
            assert verdict.play.after.looks() == made.after.looks()
            legal += 1
        position = made.after
    assert legal >= TURNS // 2


def test_a_fortress_captured_without_a_siege_is_a_foul() -> None:
    painter, eyes = table("hexes")
    position = begun("siege-master")
    made = position.plays()[0]
    assert made.after.layout()["hex.6,6"] == (("fortress.neutral",),)
    evidence = eyes.read(Frame(painter.paint({**made.after.layout(), "hex.6,6": (("fortress.red",),)}))).evidence
    verdict = judge(position, evidence)
    assert verdict.kind is Kind.ILLEGAL
    assert "hex.6,6" in verdict.cells


def test_a_painted_table_is_the_same_for_the_same_seed() -> None:
    one, other = Painter("checkers", 3), Painter("checkers", 3)
    assert np.array_equal(one.paint(begun("backgammon").layout()), other.paint(begun("backgammon").layout()))
    assert not np.array_equal(one.paint({}), Painter("checkers", 4).paint({}))


def test_a_board_that_nobody_knows_cannot_be_painted() -> None:
    with pytest.raises(ValueError, match="pyramids"):
        Painter("chess")


def test_covered_hexes_split_into_armies() -> None:
    assert rows_of_four({(q, 0) for q in range(8)}) == [[(q, 0) for q in range(4)], [(q, 0) for q in range(4, 8)]]
    with pytest.raises(ValueError, match="no army covers"):
        rows_of_four({(0, 0), (1, 0), (2, 0)})
