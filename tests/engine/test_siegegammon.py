"""SiegeGammon against its text, section by section, and docs/rules.md; and against a slow twin."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalPlay, ImpossibleSetup
from engine.position import Awaits, Outcome
from engine.rules import get
from tests.engine.naive_checkers import siege_steps, thaw, turns

RULES = get("siegegammon")


def position(mine, theirs, turn="white", *, reserve=(0, 1)):
    """Checkers of the side on turn and of the other by own point, and their reserves; the rest are locked."""
    white, black = (mine, theirs) if turn == "white" else (theirs, mine)
    reserves = list(reserve) if turn == "white" else list(reserve)[::-1]
    points = {str(25 - point): number for point, number in white.items()} | {
        str(point): -number for point, number in black.items()
    }
    return RULES.read({"rules": "siegegammon", "turn": turn, "points": points, "reserve": reserves})


def texts(before, *dice):
    return {play.text for play in before.roll(dice).plays()}


def test_the_board_starts_empty_with_all_in_reserve():
    assert RULES.start({}).to_json() == {
        "rules": "siegegammon",
        "turn": None,
        "points": {},
        "reserve": [15, 15],
        "locked": [0, 0],
    }
    assert RULES.start({}).roll((2, 5)).turn == "black"


@pytest.mark.parametrize("turn", ["white", "black"])
def test_a_die_deploys_onto_its_own_point_of_the_garrison(turn):
    assert texts(position({}, {}, turn, reserve=(15, 15)), 3, 1) == {"reserve/1 reserve/3", "reserve/4"}


def test_white_deploys_onto_the_far_end_of_the_board_and_black_onto_the_near():
    assert position({}, {}, "white", reserve=(15, 15)).roll((3, 1)).find(
        "reserve/3 reserve/1"
    ).after.to_json()["points"] == {"24": 1, "22": 1}
    assert position({}, {}, "black", reserve=(15, 15)).roll((3, 1)).find(
        "reserve/3 reserve/1"
    ).after.to_json()["points"] == {"3": -1, "1": -1}


def test_deployment_is_voluntary():
    assert "7/12" in {
        part for text in texts(position({7: 2}, {}, reserve=(3, 1)), 5, 4) for part in text.split()
    }


def test_a_die_that_only_a_deployment_can_use_is_so_used():
    before = position({7: 1}, {13: 2, 16: 2}, reserve=(1, 1))  # these hold the mover's 12 and 9
    assert texts(before, 5, 2) == {"reserve/7"}


def test_four_may_be_deployed_with_doubles():
    assert "reserve/2(4)" in texts(position({}, {}, reserve=(15, 15)), 2, 2)


def test_arriving_in_the_siege_zone_locks_wherever_the_others_are():
    before = position({16: 1}, {}, reserve=(5, 1))
    after = before.roll((3, 2)).find("16/lock reserve/2").after
    assert after.to_json()["locked"] == [10, 14]
    assert before.roll((3, 2)).find("16/19 reserve/2").after == after


def test_locking_on_a_blot_hits_it():
    before = position({16: 1, 1: 1}, {6: 1}).roll((3, 2))  # the enemy's 6 is the mover's 19
    after = before.find("16/19*/lock 1/3").after
    assert after.to_json()["reserve"] == [0, 2]
    assert after.to_json()["locked"] == [14, 13]
    assert before.find("16/lock 1/3") == before.find("16/19* 1/3")
    steps = before.find("16/19*/lock 1/3").steps
    assert [(step.piece, step.source, step.target) for step in steps] == [
        ("white", "p24", "p22"),
        ("white", "p9", "locked.white"),
        ("black", "p6", "reserve.black"),
    ]


def test_a_fortification_blocks_locking():
    assert texts(position({16: 1}, {6: 2, 4: 2}), 3, 5) == {"pass"}


def test_a_hit_goes_back_to_the_reserve():
    (play,) = position({7: 1}, {15: 1}).roll((3, 3)).plays()
    assert play.text == "7/10*/lock"
    assert play.after.to_json()["reserve"] == [0, 2]


def test_the_larger_die_where_either_but_not_both_can_be_used():
    before = position({7: 1}, {7: 2})  # 18 is held: 5 and then 6, or 6 and then 5, would end there
    assert texts(before, 6, 5) == {"7/13"}


@pytest.mark.parametrize(
    ("theirs", "reserve", "outcome"),
    [
        ({1: 14}, 0, Outcome("white", "standard", 1)),
        ({1: 13}, 1, Outcome("white", "standard", 1)),
        ({1: 15}, 0, Outcome("white", "siege", 2)),
        ({1: 14}, 1, Outcome("white", "total siege", 3)),
    ],
)
def test_the_three_grades(theirs, reserve, outcome):
    (play,) = position({18: 1}, theirs, reserve=(0, reserve)).roll((6, 5)).plays()
    assert play.after.outcome == outcome
    assert RULES.read(play.after.to_json()) == play.after


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"points": {"3": 1}}, "point 3 is in white's Siege Zone"),
        ({"points": {"20": -1}}, "point 20 is in black's Siege Zone"),
        ({"points": {"3": 1, "20": -1}}, "point 3 .*point 20"),
        ({"reserve": None, "locked": None}, "at least one must be given"),
        ({"reserve": [15, 15], "locked": [1, 0]}, "white has 16 checkers"),
        ({"reserve": [15, 14], "locked": [0, 0]}, "black has 14 checkers, 1 too few"),
        ({"reserve": [0, 0], "locked": [15, 15]}, "both sides have finished"),
    ],
)
def test_an_impossible_setup_names_its_reason(change, reason):
    with pytest.raises(ImpossibleSetup, match=reason):
        RULES.read({"turn": "white", "points": {}, "reserve": [5, 5], **change})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("16/17 reserve/2", "cannot be made"),
        ("bar/3", "not a place"),
        ("16/13", "does not move forward"),
        ("pass", "cannot be passed"),
        ("16/lock*", "not"),
    ],
)
def test_an_illegal_text_is_refused_with_its_reason(text, reason):
    with pytest.raises(IllegalPlay, match=reason):
        position({16: 1}, {}, reserve=(5, 1)).roll((3, 2)).find(text)


def test_an_illegal_play_stands_with_what_is_out_of_view_worked_out():
    before = position({16: 2}, {3: 1}, reserve=(5, 5)).roll((3, 2))
    looks = {cell: look for cell, look in before.looks().items() if cell.startswith("p")}
    after = before.stand({**looks, "p9": ("white",), "p3": ()})  # one locked, one of theirs sent away
    assert after.turn == "black"
    assert after.awaits is Awaits.ROLL
    assert after.to_json()["reserve"] == [5, 6]
    assert after.to_json()["locked"] == [9, 9]
    deployed = before.stand({**looks, "p20": ("white",) * 2}).to_json()
    assert deployed["reserve"] == [3, 5]


def sides(data):
    white = {25 - int(p): n for p, n in data["points"].items() if n > 0} | {
        "reserve": data["reserve"][0],
        "locked": data["locked"][0],
    }
    black = {int(p): -n for p, n in data["points"].items() if n < 0} | {
        "reserve": data["reserve"][1],
        "locked": data["locked"][1],
    }
    return tuple({place: number for place, number in side.items() if number} for side in (white, black))


def key(sides):
    return tuple(
        tuple(sorted((str(place), number) for place, number in side.items() if number)) for side in sides
    )


def boards(seed, number):
    """Random boards of both sides on own points 1-18, in and out of reserve, from nearly empty to crowded."""
    rng = random.Random(seed)
    while number:
        mine, theirs = {}, {}
        for side, other in ((mine, theirs), (theirs, mine)):
            left = 15 - rng.choice((0, 0, 5, 12, 13, 14))
            reserve = rng.choice((0, 0, 1, left // 2))
            for _ in range(left - reserve):
                point = rng.randint(1, 18)
                if 25 - point not in other:
                    side[point] = side.get(point, 0) + 1
            side["reserve"] = min(reserve, 15 - sum(side.values()))
            side["locked"] = 15 - sum(side.values())
        if mine["locked"] < 15 and theirs["locked"] < 15:
            number -= 1
            yield mine, theirs, (rng.randint(1, 6), rng.randint(1, 6))


@pytest.mark.parametrize("turn", ["white", "black"])
def test_no_turn_differs_from_a_slow_twin(turn):
    for mine, theirs, dice in boards(9, 700):
        points = [{p: n for p, n in side.items() if isinstance(p, int)} for side in (mine, theirs)]
        before = position(*points, turn, reserve=(mine["reserve"], theirs["reserve"]))
        order = 1 if turn == "white" else -1
        assert key(sides(before.to_json())[::order]) == key((mine, theirs))
        expected = {}
        for state in turns(mine, theirs, dice, siege_steps):
            after_mine, after_theirs = thaw(state)
            grade = 1 if after_theirs.get("locked") else 3 if after_theirs.get("reserve") else 2
            expected[key((after_mine, after_theirs))] = grade if after_mine.get("locked") == 15 else 0
        plays = before.roll(dice).plays()
        got = {
            key(sides(play.after.to_json())[::order]): play.after.outcome.points if play.after.outcome else 0
            for play in plays
        }
        assert len(got) == len(plays)
        assert got == expected, (str(before), dice)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["white", "black"]))
def test_no_reachable_position_lets_a_die_overshoot_and_whoever_has_a_reserve_can_move(seed, first):
    rng = random.Random(seed)
    now = RULES.start({}).roll((6, 1) if first == "white" else (1, 6))
    for _ in range(60):
        if now.awaits is Awaits.NOTHING:
            break
        if now.awaits is Awaits.ROLL:
            now = now.roll((rng.randint(1, 6), rng.randint(1, 6)))
        data = now.to_json()
        standing = [own for side in sides(data) for own in side if isinstance(own, int)]
        assert all(own + 6 <= 24 for own in standing)
        plays = now.plays()
        if data["reserve"][0 if now.turn == "white" else 1]:
            assert plays[0].steps
        now = rng.choice(plays).after
