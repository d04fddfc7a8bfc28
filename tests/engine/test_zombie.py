"""Zombie against its text and docs/rules.md: the fourth grade and the Last Roll; and against a slow twin."""

from __future__ import annotations

import itertools

import pytest

from engine.errors import ImpossibleSetup
from engine.position import Awaits, Outcome
from engine.rules import get
from tests.engine.naive_checkers import backgammon_steps, thaw, turns
from tests.engine.synthetic import boards

RULES = get("zombie")
TIE = Outcome(None, "tie", 0)


def position(white, black, turn, *, first=None, final=False, bar=(0, 0)):
    """Checkers by own point; the rest are borne off."""
    points = {str(point): number for point, number in white.items()} | {
        str(25 - point): -number for point, number in black.items()
    }
    data = {"rules": "zombie", "turn": turn, "points": points, "bar": list(bar)}
    return RULES.read({**data, "last_roll": {"first": first, "final": final}} if first else data)


def only(before, *dice):
    (play,) = before.roll(dice).plays()
    return play.after


@pytest.mark.parametrize(
    ("black", "bar", "outcome"),
    [
        ({1: 14}, 0, Outcome("white", "single", 1)),
        ({18: 15}, 0, Outcome("white", "gammon", 2)),
        ({19: 1, 1: 14}, 0, Outcome("white", "backgammon", 3)),
        ({24: 1, 1: 14}, 0, Outcome("white", "backgammon", 3)),
        ({1: 14}, 1, Outcome("white", "double backgammon", 4)),
        ({24: 1, 1: 13}, 1, Outcome("white", "double backgammon", 4)),
        ({1: 13}, 1, Outcome("white", "single", 1)),
    ],
)
def test_the_four_grades(black, bar, outcome):
    assert only(position({2: 1}, black, "white", bar=(0, bar)), 6, 5).outcome == outcome


def test_without_the_option_the_first_to_bear_off_wins():
    after = only(position({1: 1}, {1: 1}, "white"), 6, 5)
    assert after.outcome == Outcome("white", "single", 1)
    assert "last_roll" not in after.to_json()


def test_the_option_remembers_who_won_the_opening_roll():
    opening = RULES.start({"last_roll": True})
    assert opening.to_json()["last_roll"] == {"first": None, "final": False}
    assert RULES.read(opening.to_json()) == opening
    assert opening.roll((5, 5)) == opening
    assert opening.roll((2, 5)).to_json()["last_roll"] == {"first": "black", "final": False}
    assert "last_roll" not in RULES.start({}).roll((2, 5)).to_json()


def test_an_unknown_option_is_refused():
    with pytest.raises(ImpossibleSetup, match="there is last_roll"):
        RULES.start({"lastroll": True})
    with pytest.raises(ImpossibleSetup, match="must be a bool"):
        RULES.start({"last_roll": 1})


def test_who_holds_last_roll_and_is_first_home_wins_at_once():
    after = only(position({1: 1}, {18: 15}, "white", first="black"), 6, 5)
    assert (after.outcome, after.says()) == (Outcome("white", "gammon", 2), "")


def test_who_won_the_opening_and_is_first_home_waits_for_the_last_roll():
    after = only(position({1: 1}, {1: 1}, "white", first="white"), 6, 5)
    assert after.outcome is None
    assert after.awaits is Awaits.ROLL
    assert after.turn == "black"
    assert after.to_json()["last_roll"] == {"first": "white", "final": True}


@pytest.mark.parametrize(
    ("white", "dice", "stolen"),
    [
        ({1: 1}, (1, 1), True),
        ({1: 3}, (1, 1), True),
        ({2: 1, 1: 2}, (1, 1), False),  # all four ones are needed
        ({1: 4}, (1, 1), False),
        ({1: 4}, (6, 6), False),  # four checkers
        ({4: 1}, (1, 1), False),
        ({6: 1, 5: 2}, (3, 3), None),  # six threes: not cleared
        ({4: 1, 3: 1, 1: 1}, (3, 3), False),  # four threes
        ({4: 1, 3: 1}, (3, 3), True),
        ({1: 2}, (2, 1), False),  # no doubles
        ({12: 1}, (4, 4), True),
        ({13: 1}, (4, 4), False),
    ],
)
def test_the_last_roll_is_stolen_by_doubles_that_need_not_all_be_played(white, dice, stolen):
    after = only(position(white, {1: 1}, "white", first="white"), *dice)
    if stolen is None:
        assert after.to_json()["off"][0] < 15
    elif stolen:
        assert after.outcome == Outcome("white", "single", 1)
        assert after.says() == "white has stolen the last roll: doubles, with three checkers or fewer"
    else:
        assert after.outcome is None
        assert after.to_json()["last_roll"]["final"]


LAST = [
    ({1: 1}, (2, 1), TIE),
    ({1: 2}, (2, 1), TIE),
    ({2: 2}, (6, 5), TIE),
    ({6: 1, 5: 1}, (5, 4), "white"),
    ({1: 1}, (3, 3), "black"),
    ({1: 3}, (1, 1), "black"),
    ({2: 1, 1: 2}, (1, 1), "black"),
    ({2: 2, 1: 1}, (1, 1), "white"),
    ({6: 4}, (6, 6), TIE),
    ({6: 4}, (5, 5), "white"),
    ({1: 3}, (6, 5), "white"),
    ({1: 5}, (6, 6), "white"),
]


@pytest.mark.parametrize(("black", "dice", "result"), LAST)
def test_the_last_roll_wins_ties_or_loses(black, dice, result):
    before = position({}, black, "black", first="white", final=True).roll(dice)
    for play in before.plays():
        expected = result if isinstance(result, Outcome) else Outcome(result, "single", 1)
        assert play.after.outcome == expected
        assert play.after.turn is None
        assert RULES.read(play.after.to_json()) == play.after


@pytest.mark.parametrize(
    ("black", "bar", "dice", "outcome"),
    [
        ({1: 15}, 0, (2, 1), Outcome("white", "single", 1)),  # a checker borne off saves the gammon
        ({12: 15}, 0, (2, 1), Outcome("white", "gammon", 2)),
        (
            {24: 1, 1: 14},
            0,
            (6, 5),
            Outcome("white", "gammon", 2),
        ),  # out of the home board with the last roll
        ({24: 1, 12: 14}, 0, (2, 1), Outcome("white", "backgammon", 3)),
        ({12: 14}, 1, (2, 1), Outcome("white", "backgammon", 3)),
    ],
)
def test_a_win_after_the_last_roll_is_graded_on_what_that_left(black, bar, dice, outcome):
    before = position({}, black, "black", first="white", final=True, bar=(0, bar)).roll(dice)
    grades = {play.after.outcome.points: play.after.outcome for play in before.plays()}
    assert grades[min(grades)] == outcome


def test_checkers_still_on_the_bar_after_the_last_roll_make_it_a_double_backgammon():
    before = position({}, {12: 10}, "black", first="white", final=True, bar=(0, 5)).roll((2, 1))
    assert {play.after.outcome for play in before.plays()} == {Outcome("white", "double backgammon", 4)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"last_roll": True}, "last_roll must be"),
        ({"last_roll": {"first": "red", "final": False}}, "last_roll must be"),
        ({"last_roll": {"first": "white", "final": 1}}, "last_roll must be"),
        ({"last_roll": {"first": None, "final": False}}, "who won the opening roll"),
        ({"turn": None, "last_roll": {"first": "white", "final": False}}, "who won the opening roll"),
        ({"last_roll": {"first": "white", "final": True}}, "white has not borne off all"),
        ({"points": {"24": -1}, "last_roll": {"first": "white", "final": True}}, "cannot be white's turn"),
        (
            {"points": {}, "turn": "black", "last_roll": {"first": "white", "final": True}},
            "cannot be black's turn",
        ),
        ({"points": {}, "turn": None, "last_roll": {"first": "white", "final": True}}, "outcome must say"),
        (
            {"points": {}, "turn": None, "last_roll": {"first": "white", "final": False}},
            "both sides have finished",
        ),
        ({"points": {"24": -1}, "last_roll": {"first": "black", "final": False}}, "game is over"),
    ],
)
def test_a_last_roll_that_cannot_be_is_refused(change, reason):
    with pytest.raises(ImpossibleSetup, match=reason):
        RULES.read({"turn": "white", "points": {"1": 1, "24": -1}, "bar": [0, 0], **change})


def test_an_illegal_play_that_stands_on_the_last_roll_ends_the_game():
    before = position({}, {1: 5}, "black", first="white", final=True).roll((2, 1))
    looks = {**before.looks(), "p24": (), "off.black": ("black",) * 15}
    assert before.stand(looks).outcome == Outcome("white", "single", 1)


def sides(data):
    """White's and black's own places from the JSON form."""
    white = {int(p): n for p, n in data["points"].items() if n > 0} | {
        "bar": data["bar"][0],
        "off": data["off"][0],
    }
    black = {25 - int(p): -n for p, n in data["points"].items() if n < 0} | {
        "bar": data["bar"][1],
        "off": data["off"][1],
    }
    return tuple({place: number for place, number in side.items() if number} for side in (white, black))


def own(counts):
    return {{0: "off", 25: "bar"}.get(place, place): number for place, number in enumerate(counts) if number}


def text_outcome(mine, theirs, first, mover, dice, before, used):
    """What the text and the rulings say of a turn of ``mover`` (0 F, 1 L) that ended so: winner and points,
    or what is next."""

    def grade(loser):
        if loser.get("off"):
            return 1
        return 4 if loser.get("bar") else 3 if any(place in loser for place in range(19, 25)) else 2

    done = mine.get("off") == 15
    left = 15 - before.get("off", 0)
    if first is None:
        return (mover, grade(theirs)) if done else "on"
    if mover == 0:
        if not done:
            return "on"
        return (0, grade(theirs)) if dice[0] == dice[1] and left <= 3 and used < 4 else "last roll"
    if theirs.get("off") != 15:
        return (1, grade(theirs)) if done else "on"
    if done and dice[0] == dice[1]:
        return (1, 1) if left <= 3 else (None, 0)
    return (None, 0) if done else (0, grade(mine))


@pytest.mark.parametrize("turn", ["white", "black"])
def test_no_turn_differs_from_a_slow_twin(turn):
    for number, ((mine, theirs), dice) in enumerate(boards(5, 1200)):
        place, other = own(mine), own(theirs)
        first = (None, "white", "black")[number % 3]
        mover = 0 if first in (None, turn) else 1
        white, black = (place, other) if turn == "white" else (other, place)
        final = mover == 1 and number % 2 == 0
        if final:
            white, black = ({}, black) if turn == "black" else (white, {})
        data = [{p: n for p, n in side.items() if isinstance(p, int)} for side in (white, black)]
        before = position(
            *data, turn, first=first, final=final, bar=(white.get("bar", 0), black.get("bar", 0))
        )
        start = sides(before.to_json()) if turn == "white" else sides(before.to_json())[::-1]
        expected = {}
        for state, used in turns(*start, dice, backgammon_steps).items():
            after = thaw(state)
            expected[state] = text_outcome(*after, first, mover, dice, start[0], used)
        got = {}
        for play in before.roll(dice).plays():
            after = play.after
            state = sides(after.to_json()) if turn == "white" else sides(after.to_json())[::-1]
            got[tuple(tuple(sorted((str(p), n) for p, n in side.items())) for side in state)] = result(
                after, turn, mover, final
            )
        assert got == expected, (str(before), dice)


def result(after, turn, mover, final):
    if after.outcome:
        if after.outcome.winner is None:
            return None, after.outcome.points
        return mover if after.outcome.winner == turn else 1 - mover, after.outcome.points
    assert after.turn == RULES.other(turn)
    return "last roll" if (after.to_json().get("last_roll") or {}).get("final") and not final else "on"


def test_every_small_end_with_the_last_roll_agrees_with_the_text():
    places = (1, 2, 3, 6)
    for count in (1, 2, 3, 4, 5):
        for held in itertools.combinations_with_replacement(places, count):
            mine = {place: held.count(place) for place in held}
            for dice in ((6, 6), (3, 3), (2, 2), (1, 1), (6, 5), (2, 1)):
                before = position({}, mine, "black", first="white", final=True)
                start = {**mine, "off": 15 - count}
                expected = {
                    state: text_outcome(*thaw(state), "white", 1, dice, start, used)
                    for state, used in turns(start, {"off": 15}, dice, backgammon_steps).items()
                }
                got = {}
                for play in before.roll(dice).plays():
                    state = sides(play.after.to_json())[::-1]
                    got[tuple(tuple(sorted((str(p), n) for p, n in side.items())) for side in state)] = (
                        result(play.after, "black", 1, True)
                    )
                assert got == expected
