"""The beginning of a random game of every kind, painted, read and judged: eyes and judge together never
accuse wrongly.

``tests/bench/through_eyes.py`` does the same for whole games, many of them.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from engine import rules as games
from engine.judge import Kind, judge
from engine.position import Awaits
from firmware.simulated.painted import learned
from hardware.painter import Painter, rows_of_four
from tests.fouls import SORTS, spoilt
from tests.painted import begun, painter
from vision.picture.frame import Frame
from vision.reading import BoardReader

TURNS = 6


@cache
def table(board: str) -> tuple[Painter, BoardReader]:
    """A table of this kind, learned as its owner would learn it."""
    camera = painter(board, 1)
    return camera, learned(camera, begun(games.get("siege-master" if board == "hexes" else "backgammon")))


@pytest.mark.parametrize("name", games.names())
def test_every_play_of_a_beginning_is_recognised(name: str) -> None:
    camera, eyes = table(games.get(name).board)
    rng = random.Random(4)
    position, legal, fouls = begun(games.get(name)), 0, 0
    for shot in range(TURNS):
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if position.awaits is not Awaits.PLAY:
            break
        made = rng.choice(position.plays())
        foul = spoilt(position, made, rng)
        if foul is not None:
            judged = judge(position, eyes.read(Frame(camera.paint(foul, shot))).evidence)
            assert judged.kind is not Kind.LEGAL
            fouls += judged.kind is Kind.ILLEGAL
        verdict = judge(position, eyes.read(Frame(camera.paint(made.after.layout(), shot))).evidence)
        assert verdict.kind is not Kind.ILLEGAL
        if verdict.kind is Kind.LEGAL:
            assert verdict.play.after.looks() == made.after.looks()
            legal += 1
        position = made.after
    assert legal >= TURNS // 2
    assert fouls >= TURNS // 2


def test_every_sort_of_foul_with_an_army_is_seen() -> None:
    camera, eyes = table("hexes")
    rng = random.Random(2)
    position, tried = begun(games.get("siege-master")), set()
    for shot in range(9):
        made = rng.choice(position.plays())
        for number, sort in enumerate(SORTS):
            foul = spoilt(position, made, rng, (sort,)) if number not in tried else None
            if foul is not None:
                assert (
                    judge(position, eyes.read(Frame(camera.paint(foul, shot))).evidence).kind is Kind.ILLEGAL
                )
                tried.add(number)
        position = made.after
    assert len(tried) == len(SORTS)


def test_a_fortress_captured_without_a_siege_is_a_foul() -> None:
    camera, eyes = table("hexes")
    position = begun(games.get("siege-master"))
    made = position.plays()[0]
    assert made.after.layout()["hex.6,6"] == (("fortress.neutral",),)
    evidence = eyes.read(
        Frame(camera.paint({**made.after.layout(), "hex.6,6": (("fortress.red",),)}))
    ).evidence
    verdict = judge(position, evidence)
    assert verdict.kind is Kind.ILLEGAL
    assert "hex.6,6" in verdict.cells


def test_a_painted_table_is_the_same_for_the_same_seed() -> None:
    one, other = Painter("checkers", 3), Painter("checkers", 3)
    start = begun(games.get("backgammon"))
    assert np.array_equal(one.paint(start.layout()), other.paint(start.layout()))
    assert not np.array_equal(one.paint({}), Painter("checkers", 4).paint({}))


def test_a_board_that_nobody_knows_cannot_be_painted() -> None:
    with pytest.raises(ValueError, match="pyramids"):
        Painter("chess")


def test_covered_hexes_split_into_armies() -> None:
    assert rows_of_four({(q, 0) for q in range(8)}) == [
        [(q, 0) for q in range(4)],
        [(q, 0) for q in range(4, 8)],
    ]
    with pytest.raises(ValueError, match="no army covers"):
        rows_of_four({(0, 0), (1, 0), (2, 0)})
