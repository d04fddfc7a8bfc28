"""Backgammon against the USBGF's text and docs/rules.md, rule by rule."""

from __future__ import annotations

import pytest

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.position import Awaits, Outcome
from engine.rules import get

RULES = get("backgammon")


def position(points, *, turn="white", bar=(0, 0), off=None):
    data = {
        "points": {str(point): number for point, number in points.items()},
        "turn": turn,
        "bar": list(bar),
    }
    return RULES.read({**data, "off": list(off)} if off else data)


def texts(before, *dice):
    return {play.text for play in before.roll(dice).plays()}


def test_a_game_begins_with_one_die_each_and_the_higher_plays_both():
    opening = RULES.start({})
    assert opening.awaits is Awaits.OPENING
    assert opening.turn is None
    assert opening.dice_due == 2
    assert opening.roll((3, 1)).turn == "white"
    assert opening.roll((3, 1)).dice == (3, 1)
    assert opening.roll((2, 6)).turn == "black"
    assert opening.roll((4, 4)) == opening


def test_the_first_position_has_the_stable_json():
    assert RULES.start({}).to_json() == {
        "rules": "backgammon",
        "turn": None,
        "points": {"24": 2, "19": -5, "17": -3, "13": 5, "12": -5, "8": 3, "6": 5, "1": -2},
        "bar": [0, 0],
        "off": [0, 0],
    }


@pytest.mark.parametrize("dice", [(), (1,), (1, 2, 3), (0, 3), (7, 1), (True, 2), (2.0, 3)])
def test_other_dice_are_refused(dice):
    with pytest.raises(BadDice):
        RULES.start({}).roll(dice)


def test_the_known_number_of_opening_plays():
    assert len(RULES.start({}).roll((3, 1)).plays()) == 16
    assert len(RULES.start({}).roll((6, 5)).plays()) == 7


def test_could_use_either_die_but_not_both_so_the_higher_is_used():
    before = position({24: 1, 13: -2, 12: -2, 1: -2}, off=(14, 9))
    assert texts(before, 6, 5) == {"24/18"}
    assert texts(before, 5, 6) == {"24/18"}


def test_only_the_lower_die_can_be_used_so_it_is():
    before = position({24: 1, 18: -2, 13: -2}, off=(14, 11))
    assert texts(before, 6, 5) == {"24/19"}


def test_the_higher_die_may_not_be_wasted_by_beginning_with_it():
    before = position({24: 1, 16: -2, 7: 1, 4: -2}, off=(13, 11))
    assert texts(before, 5, 3) == {"24/21 7/2"}


def test_all_checkers_on_the_bar_enter_before_any_other_moves():
    assert texts(position({13: 13, 19: -15}, bar=(2, 0)), 1, 6) == {"bar/24"}
    assert texts(position({13: 13, 20: -15}, bar=(2, 0)), 1, 6) == {"bar/24 bar/19"}
    assert texts(position({13: 14, 20: -15}, bar=(1, 0)), 1, 1) == {
        "bar/22 13/12",
        "bar/21",
        "bar/23 13/11",
        "bar/24 13/10",
        "bar/23 13/12(2)",
        "bar/24 13/11 13/12",
        "bar/24 13/12(3)",
    }


def test_a_closed_board_lets_nobody_in_and_the_turn_is_passed():
    before = position({13: 14, 19: -3, 20: -3, 21: -3, 22: -2, 23: -2, 24: -2}, bar=(1, 0))
    (play,) = before.roll((6, 6)).plays()
    assert play.steps == ()
    assert play.text == "pass"
    assert play.after.turn == "black"


def test_a_die_bears_off_from_its_own_point_or_from_the_highest_when_all_are_lower():
    before = position({5: 1, 2: 1, 24: -15}, off=(13, 0))
    assert texts(before, 6, 2) == {"5/off 2/off", "5/off"}  # the second is 5/3/off
    assert texts(before, 4, 1) == {"5/off", "5/1 2/1"}


def test_no_bearing_off_while_one_checker_is_outside():
    assert texts(position({7: 1, 6: 1, 24: -15}, off=(13, 0)), 6, 6) == {"7/off 6/off"}
    assert texts(position({8: 1, 6: 1, 24: -15}, off=(13, 0)), 6, 1) == {"8/1", "8/2 6/5"}


def test_a_win_does_not_shorten_the_obligation():
    before = position({6: 1, 5: -1, 24: -1}, off=(14, 13))
    assert texts(before, 6, 1) == {"6/5*/off"}


@pytest.mark.parametrize(
    ("points", "bar", "off", "outcome"),
    [
        ({1: 1, 12: -14}, (0, 0), (14, 1), Outcome("white", "single", 1)),
        ({1: 1, 12: -15}, (0, 0), (14, 0), Outcome("white", "gammon", 2)),
        ({1: 1, 12: -14, 6: -1}, (0, 0), (14, 0), Outcome("white", "backgammon", 3)),
        ({1: 1, 12: -14}, (0, 1), (14, 0), Outcome("white", "backgammon", 3)),
        ({1: 1, 12: -13}, (0, 1), (14, 1), Outcome("white", "single", 1)),
    ],
)
def test_victory_types(points, bar, off, outcome):
    (play,) = position(points, bar=bar, off=off).roll((2, 1)).plays()
    assert play.after.outcome == outcome
    assert play.after.awaits is Awaits.NOTHING
    assert "turn" not in play.after.to_json()
    assert RULES.read(play.after.to_json()) == play.after


def test_black_plays_in_its_own_numbers():
    before = position({1: -2, 24: 13, 5: 2}, turn="black", off=(0, 13))
    assert texts(before, 6, 3) == {"24/15", "24/21 24/18"}


def test_a_hit_is_a_step_after_the_one_that_makes_it():
    before = position({6: 1, 5: -1, 24: -1}, off=(14, 13))
    (play,) = before.roll((6, 1)).plays()
    assert [(step.piece, step.source, step.target) for step in play.steps] == [
        ("white", "p6", "p5"),
        ("black", "p5", "bar.black"),
        ("white", "p5", "off.white"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "8/5 6/5",
        "6/5 8/5",
        "8-5 6-5",
        "8–5, 6–5",
        "31: 8/5 6/5",
        "3-1: 6/5 8/5",
        " 8 / 5   6/5 ",
        "8->5 6->5",
    ],
)
def test_text_is_read_generously(text):
    assert RULES.start({}).roll((3, 1)).find(text).text == "8/5 6/5"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("8/5* 6/5", "nothing is hit"),
        ("8/5", "must be played"),
        ("pass", "cannot be passed"),
        ("9/5", "not that many checkers"),
        ("13/12 8/7", "held by 5"),
        ("8/3 6/5", "cannot be made"),
        ("6-5: 24/13", "but the dice are"),
        ("5/8 6/5", "does not move forward"),
        ("8/30", "not a place"),
        ("hello", "not a move"),
        ("8/reserve", "not a place"),
    ],
)
def test_an_illegal_text_is_refused_with_its_reason(text, reason):
    with pytest.raises(IllegalPlay, match=reason):
        RULES.start({}).roll((3, 1)).find(text)


def test_points_on_the_way_tell_two_hits_apart():
    before = position({24: 1, 19: -1, 18: -1}, off=(14, 13)).roll((6, 5))
    assert before.find("24/18/13") == before.find("24/18*/13")
    assert before.find("24/18/13") != before.find("24/19/13")
    with pytest.raises(IllegalPlay, match="not clear"):
        before.find("24/13")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"points": {"24": 2, "25": 1}}, "'25' is not a point"),
        ({"points": {"24": 16}}, "holds 16 checkers"),
        ({"points": {"24": 2, 24: -2}}, "point 24 holds checkers of both sides"),
        ({"points": {"24": True}}, "not a whole number"),
        ({"points": {"24": 1.5}}, "not a whole number"),
        ({"points": {"24": 9, "23": 9}}, "white has 18 checkers, 3 too many"),
        ({"points": {"24": 9}, "off": [0, 15]}, "white has 9 checkers, 6 too few"),
        ({"points": [1, 2]}, "points must be an object"),
        ({"turn": "red"}, "neither 'white' nor 'black'"),
        ({"rules": "zombie"}, "not of 'backgammon'"),
        ({"bar": [0]}, "pair of whole numbers"),
        ({"off": [-1, 0]}, "0 to 15 are possible"),
        ({"off": [15, 15], "points": {}}, "both sides have finished"),
        ({"off": [15, 0], "points": {"1": -15}}, "nobody is on turn"),
        (
            {
                "points": {str(p): (2 if p < 7 else -2) for p in (1, 2, 3, 4, 5, 6, 19, 20, 21, 22, 23, 24)},
                "bar": [1, 1],
            },
            "neither could ever move again",
        ),
    ],
)
def test_an_impossible_setup_names_its_reason(change, reason):
    with pytest.raises(ImpossibleSetup, match=reason):
        RULES.read({"turn": "white", "points": {"6": 15, "19": -15}, "bar": [0, 0], **change})


def test_an_impossible_setup_names_every_reason():
    with pytest.raises(ImpossibleSetup) as error:
        RULES.read(
            {"rules": "go", "turn": 3, "points": {"0": 1, "x": 2, "3": None}, "bar": "none", "off": [16, 0]}
        )
    assert len(error.value.reasons) == 7


def test_what_is_missing_is_borne_off_where_no_tray_was_seen():
    read = RULES.read({"turn": "white", "points": {"6": 10, "19": -14}, "bar": [1, 0], "off": None})
    assert read.to_json()["off"] == [4, 1]


def test_an_illegal_play_may_stand_as_the_board_shows_it():
    before = RULES.start({}).roll((3, 1))
    looks = dict(before.looks())
    looks["p13"], looks["p7"] = ("white",) * 4, ("white",)
    del looks["off.white"], looks["off.black"]
    after = before.stand(looks)
    assert after.turn == "black"
    assert after.awaits is Awaits.ROLL
    assert after.looks()["p7"] == ("white",)


def test_nothing_stands_that_pieces_do_not_allow():
    before = RULES.start({}).roll((3, 1))
    looks = {**before.looks(), "p7": ("black", "white"), "p13": ("white",) * 6}
    with pytest.raises(ImpossibleSetup) as error:
        before.stand(looks)
    assert "point 7 holds black, white" in str(error.value)


def test_the_line_for_logs():
    assert str(RULES.start({}).roll((3, 1))) == (
        "backgammon white plays 3-1 | 24:w2 19:b5 17:b3 13:w5 12:b5 8:w3 6:w5 1:b2 | bar 0/0 off 0/0"
    )
