"""Why a play of a checker game is not legal, in words."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import rules as games
from engine.layout import Looks
from engine.position import Awaits, Position
from tests.engine.playing import game


def position(dice: tuple[int, int], **data: Any) -> Position:
    base = {"turn": "white", "bar": [0, 0], "off": [0, 0]}
    return games.get("backgammon").read({"rules": "backgammon", **base, **data}).roll(dice)


START = {"points": {"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5}}
BLACK = {**START, "turn": "black"}


def why(before: Position, **changed: tuple[str, ...]) -> str | None:
    return before.why({**before.looks(), **changed})


W, B = ("white",), ("black",)


@pytest.mark.parametrize(
    ("dice", "data", "changed", "reason"),
    [
        ((5, 2), START, {"p13": W * 4, "p8": W * 4}, "white played only the 5; both dice can be played"),
        ((5, 2), START, {"p13": W * 4, "p11": W}, "white played only the 2; both dice can be played"),
        ((5, 2), START, {"p13": W * 4, "p7": W}, "white moved 6 pips; the dice are 5-2"),
        ((5, 2), START, {}, "white must play; the dice are 5-2"),
        ((3, 3), START, {"p13": W * 3, "p10": W * 2}, "white played 2 of the 3s; 4 can be played"),
        ((3, 3), START, {"p13": W * 4, "p10": W}, "white played 1 of the 3s; 4 can be played"),
        ((3, 3), START, {}, "white must play; the dice are 3-3"),
        ((5, 2), START, {"p6": W * 4, "p8": W * 4}, "6/8 goes backward"),
        ((5, 2), START, {"p13": W * 4, "p6": W * 4, "p8": W * 5}, "A checker goes backward"),
        (
            (6, 1),
            START,
            {"p13": W * 4, "p12": W, "bar.black": B * 5},
            "black holds 12 with 5 checkers; they cannot be hit",
        ),
        (
            (5, 2),
            START,
            {"p12": B * 4, "p11": B},
            "black's checker left 12, but was not hit there",
        ),
        ((5, 2), BLACK, {"p12": B * 4, "p17": B * 4}, "black played only the 5; both dice can be played"),
        (
            (5, 2),
            {
                "points": {"24": 1, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5},
                "bar": [1, 0],
            },
            {"p13": W * 4, "p8": W * 4},
            "All checkers on the bar must enter before others move",
        ),
    ],
)
def test_a_foul_has_its_reason(
    dice: tuple[int, int], data: dict[str, Any], changed: dict[str, tuple[str, ...]], reason: str
) -> None:
    assert why(position(dice, **data), **changed) == reason


def test_of_two_dice_that_cannot_both_be_played_the_higher_is() -> None:
    before = position(
        (6, 2), points={"24": 1, "16": -2, "1": -2, "2": -2, "3": -2, "4": -2, "5": -2}, off=[14, 3]
    )
    assert {play.text for play in before.plays()} == {"24/18"}
    assert why(before, p24=(), p22=W) == "Only one die can be played, and it must be the higher one, the 6"


def test_a_blot_hit_in_passing_is_no_fault() -> None:
    before = position(
        (5, 2), points={"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -4, "11": -1, "17": -3, "19": -5}
    )
    assert "not hit there" not in str(why(before, p13=W * 4, p11=(), p7=W, **{"bar.black": B}))


@pytest.mark.parametrize("name", ["backgammon", "siegegammon", "zombie"])
def test_a_legal_play_breaks_no_rule(name: str) -> None:
    rules = games.get(name)
    rng = random.Random(3)
    asked = 0
    for before, _, _ in game(rules, 3):
        if before.awaits is Awaits.PLAY:
            looks: Looks = rng.choice(before.plays()).after.looks()
            assert before.why(looks) is None
            asked += 1
    assert asked > 20


def test_nobody_moved_less_than_no_pips() -> None:
    assert why(position((5, 1), **START), p6=W * 3, p9=W, p5=W) == "A checker goes backward"


def test_there_is_no_reason_where_checkers_are_missing_from_view() -> None:
    assert why(position((5, 2), **START), p13=W * 4) is None
