"""Cube, match, resignation: what a game is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import rules as games
from engine.actions import legal_actions
from engine.cube import Cube
from engine.effects import CubeDropped, CubeTaken, Ended, MatchEnded, Offered, ResignationChanged
from engine.errors import EngineError
from engine.events import Correct
from engine.match import Match, Terms
from engine.match_state import State
from tests.engine.playing import game
from tests.engine.sitting import Sitting

pytestmark = pytest.mark.usefixtures("footrace")
SIDES = ("white", "black")


def to_roll(terms: Terms | None = None, **begin: Any) -> Sitting:
    """Black is to roll or double."""
    sitting = Sitting(terms=terms or Terms(), **begin)
    sitting.roll(5, 3)
    sitting.done("8/3")
    return sitting


def reason(sitting: Sitting, button: str, side: str) -> str:
    return sitting.refuses_press(button, side)


def ended(sitting: Sitting) -> Ended:
    return next(effect for effect in sitting.effects if isinstance(effect, Ended))


# The cube


def test_the_holder_of_the_last_roll_may_double_before_it() -> None:
    sitting = Sitting("zombie", options={"last_roll": True})
    sitting.roll(5, 3)
    last = {
        "turn": "black",
        "points": {"24": -2},
        "off": [15, 13],
        "last_roll": {"first": "white", "final": True},
    }
    sitting.send(Correct(t=sitting.after(), position=last))
    sitting.press("double", "black")
    sitting.press("take", "white")
    sitting.roll(6, 6)
    sitting.done()
    assert (ended(sitting).outcome.winner, ended(sitting).points) == ("black", 2)


def test_a_roll_that_follows_doubles_is_a_roll_to_double_before() -> None:
    sitting = Sitting("icegammon", options={"first": "white"})
    sitting.roll(3, 3, 1)
    for _ in range(2):
        sitting.choose(sitting.table.position.plays()[0].text)
    assert (sitting.state, sitting.table.due) == (State.ROLL, "white")
    sitting.press("double", "white")
    assert sitting.state is State.OFFERED


def test_a_double_is_offered_taken_and_then_the_taker_owns_the_cube() -> None:
    sitting = to_roll()
    assert sitting.press("double", "black") == (Offered(by="black", to="white", stake=2, beaver=False),)
    assert sitting.session.due == "white"
    assert "take" in reason(sitting, "roll", "black")
    assert sitting.press("take", "white") == (CubeTaken(side="white", owner="white", stake=2),)
    assert sitting.session.due == "black"
    assert reason(sitting, "double", "black") == "the cube is white's"
    begin = replace(sitting.table.begin, players={"white": "Zoë"})
    named = replace(sitting.session, table=replace(sitting.table, begin=begin))
    refused = {each.name: each.reason for each in legal_actions(named, "black")}
    assert refused["double"] == "the cube is Zoë's"
    sitting.roll(1)
    sitting.done()
    sitting.press("double", "white")
    sitting.press("take", "black")
    assert (sitting.table.cube.value, sitting.table.cube.owner) == (4, "black")


def test_a_dropped_double_loses_the_stake_as_it_was() -> None:
    sitting = to_roll()
    sitting.press("double", "black")
    sitting.press("take", "white")
    sitting.roll(1)
    sitting.done()
    sitting.press("double", "white")
    dropped, end = sitting.press("drop", "black")
    assert dropped == CubeDropped(side="black")
    assert isinstance(end, Ended)
    assert (end.outcome.winner, end.points, end.score, end.cause) == ("white", 2, (2, 0), "dropped")


def test_only_the_side_on_turn_doubles_and_only_before_it_rolls() -> None:
    sitting = to_roll()
    assert "black" in reason(sitting, "double", "white")
    sitting.press("roll", "black")
    assert "fallen" in reason(sitting, "double", "black")
    sitting.roll(2)
    assert "done" in reason(sitting, "double", "black")  # nobody can play a 2 here


def test_only_the_other_side_answers_a_double() -> None:
    sitting = to_roll()
    sitting.press("double", "black")
    assert reason(sitting, "take", "black") == "white is to answer"
    assert reason(sitting, "drop", "black") == "white is to answer"
    assert reason(sitting, "double", "white") == "beavers are not played"


def test_the_stake_doubles_on_past_the_last_face_of_the_cube() -> None:
    sitting = to_roll()
    sitting.send(Correct(t=9.0, cube=64, owner="black"))
    sitting.press("double", "black")
    sitting.press("take", "white")
    assert sitting.table.cube.value == 128


def test_a_match_without_the_cube_refuses_a_double() -> None:
    assert "without the cube" in reason(to_roll(Terms(cube=False)), "double", "black")


def test_points_are_the_outcome_times_the_cube() -> None:
    sitting = to_roll()
    sitting.press("double", "black")
    sitting.press("take", "white")
    sitting.win("white", shutout=True)
    assert ended(sitting).points == 4


# Beavers


def test_a_beaver_doubles_again_and_keeps_the_cube() -> None:
    sitting = to_roll(Terms(beavers=1))
    sitting.press("double", "black")
    assert sitting.press("double", "white") == (Offered(by="white", to="black", stake=4, beaver=True),)
    assert "as often as was agreed" in reason(sitting, "double", "black")
    assert sitting.press("take", "black") == (CubeTaken(side="black", owner="white", stake=4),)
    assert sitting.session.due == "black"


def test_who_drops_a_beaver_loses_the_doubled_stake() -> None:
    sitting = to_roll(Terms(beavers=1))
    sitting.press("double", "black")
    sitting.press("double", "white")
    sitting.press("drop", "black")
    assert (ended(sitting).outcome.winner, ended(sitting).points) == ("white", 2)


def test_a_raccoon_answers_a_beaver_and_the_taker_still_owns_the_cube() -> None:
    sitting = to_roll(Terms(beavers=2))
    sitting.press("double", "black")
    sitting.press("double", "white")
    assert sitting.press("double", "black") == (Offered(by="black", to="white", stake=8, beaver=True),)
    assert sitting.press("take", "white") == (CubeTaken(side="white", owner="white", stake=8),)


# Automatic doubles, Jacoby


def test_equal_opening_dice_double_the_stake_up_to_the_limit() -> None:
    sitting = Sitting(terms=Terms(automatic=2))
    for stake in (2, 4, 4):
        sitting.roll(6, 6)
        assert sitting.table.cube.value == stake
    assert sitting.table.cube.owner is None
    sitting.roll(5, 3)
    sitting.win("white")
    assert ended(sitting).points == 4
    sitting.next()
    assert sitting.table.cube == Cube()


def test_equal_opening_dice_leave_the_stake_alone_by_default() -> None:
    sitting = Sitting()
    sitting.roll(6, 6)
    assert sitting.table.cube.value == 1


def test_under_jacoby_a_gammon_counts_only_once_a_double_was_taken() -> None:
    single = to_roll(Terms(jacoby=True))
    single.win("white", shutout=True)
    assert (ended(single).outcome.kind, ended(single).points) == ("shutout", 1)
    double = to_roll(Terms(jacoby=True))
    double.press("double", "black")
    double.press("take", "white")
    double.win("white", shutout=True)
    assert ended(double).points == 4


def test_under_jacoby_an_automatic_double_is_nobodys_double() -> None:
    sitting = Sitting(terms=Terms(jacoby=True, automatic=1))
    sitting.roll(6, 6)
    sitting.roll(5, 3)
    sitting.win("white", shutout=True)
    assert ended(sitting).points == 2


# The match


def test_a_match_ends_when_a_side_has_its_points() -> None:
    sitting = to_roll(Terms(length=3, score=(1, 0)))
    sitting.win("white", shutout=True)
    assert sitting.effects[-1] == MatchEnded(winner="white", score=(3, 0))
    assert sitting.state is State.ENDED
    assert reason(sitting, "done", "white") == "the match is over"


def test_points_beyond_the_length_are_kept() -> None:
    sitting = to_roll(Terms(length=2, score=(1, 0), crawford=False))
    sitting.win("white", shutout=True)
    assert sitting.table.match.score == (3, 0)
    assert sitting.table.match.away("white") == 0


def test_the_crawford_game_is_played_without_the_cube_and_only_once() -> None:
    sitting = to_roll(Terms(length=3, score=(1, 0)))
    sitting.win("white")
    sitting.next()
    assert sitting.table.match.crawford
    sitting.roll(5, 3)
    sitting.done("8/3")
    assert "Crawford" in reason(sitting, "double", "black")
    sitting.win("black")
    sitting.next()
    assert not sitting.table.match.crawford
    assert sitting.table.match.crawford_over
    sitting.roll(5, 3)
    sitting.done("8/3")
    sitting.press("double", "black")


def test_a_score_set_by_hand_makes_it_the_crawford_game_or_not() -> None:
    sitting = to_roll(Terms(length=5))
    sitting.send(Correct(t=9.0, score=(4, 2)))
    assert "Crawford" in reason(sitting, "double", "black")
    sitting.send(Correct(t=9.0, score=(3, 2)))
    sitting.press("double", "black")


def test_a_score_set_by_hand_cannot_win_the_match() -> None:
    sitting = to_roll(Terms(length=5))
    reason = sitting.refuses(Correct(t=9.0, score=(1, 5)))
    assert reason == "a match to 5 cannot be set to its end; play it, or resign"


def test_a_score_set_by_hand_between_games_is_for_the_next_one() -> None:
    sitting = to_roll(Terms(length=3))
    sitting.win("white")
    sitting.send(Correct(t=9.0, score=(2, 0), ended=True))
    sitting.next()
    assert sitting.table.match.crawford, "the first game was played with the cube"
    sitting.win("black")
    sitting.send(Correct(t=9.0, score=(2, 0), ended=True))
    sitting.next()
    assert not sitting.table.match.crawford, "it was the Crawford game that ended"


def test_a_score_that_an_earlier_release_set_between_games_made_it_the_crawford_game_that_had_ended() -> None:
    sitting = to_roll(Terms(length=3))
    sitting.win("white")
    sitting.send(Correct(t=9.0, score=(2, 0)))
    sitting.next()
    assert not sitting.table.match.crawford


def test_crawford_can_be_left_out() -> None:
    sitting = to_roll(Terms(length=3, score=(2, 0), crawford=False))
    sitting.press("double", "black")


def test_a_match_taken_up_at_match_point_is_the_crawford_game_unless_it_was_played() -> None:
    assert Match.begin(Terms(length=5, score=(4, 2)), SIDES).crawford
    assert not Match.begin(Terms(length=5, score=(4, 2), crawford_over=True), SIDES).crawford
    assert not Match.begin(Terms(length=5, score=(3, 2)), SIDES).crawford
    assert Match.begin(Terms(length=1), SIDES).crawford
    assert not Match.begin(Terms(), SIDES).crawford


def test_a_tie_scores_nothing_and_the_crawford_game_is_played_again() -> None:
    sitting = to_roll(Terms(length=3, score=(2, 0)), options={"tie": True})
    sitting.win("white")
    assert (ended(sitting).outcome.winner, ended(sitting).points, ended(sitting).score) == (None, 0, (2, 0))
    sitting.next()
    assert sitting.table.match.crawford
    assert not sitting.table.match.crawford_over


def test_a_dead_cube_is_refused_with_that_reason() -> None:
    sitting = to_roll(Terms(length=3, score=(0, 2), crawford_over=True))
    assert "dead" in reason(sitting, "double", "black")
    other = to_roll(Terms(length=3, score=(2, 0), crawford_over=True))
    other.press("double", "black")
    other.press("take", "white")
    other.roll(1)
    other.done()
    assert "dead" in reason(other, "double", "white"), "white needs one point and has two on the cube"


def test_a_cube_is_alive_while_the_stake_does_not_win_the_match() -> None:
    match = Match.begin(Terms(length=5, score=(0, 2)), SIDES)
    assert Cube(value=2).refusal(match, "black", (1, 1)) is None
    assert "dead" in str(Cube(value=4, owner="black").refusal(match, "black", (1, 1)))
    assert Cube(value=4, owner="white").refusal(match, "white", (1, 1)) is None


def test_under_holland_nobody_doubles_after_crawford_before_both_rolled_twice() -> None:
    sitting = to_roll(Terms(length=3, score=(2, 0), crawford_over=True, holland=True))
    for _ in range(2):
        assert "Holland" in reason(sitting, "double", "black")
        for _ in SIDES:
            sitting.roll(1)
            sitting.done()
    assert sitting.table.rolls == (3, 2)
    sitting.press("double", "black")


def test_holland_does_not_touch_games_before_crawford() -> None:
    to_roll(Terms(length=5, holland=True)).press("double", "black")


@pytest.mark.parametrize(
    "terms",
    [
        {"length": -1},
        {"length": 3, "score": (3, 0)},
        {"score": (-1, 0)},
        {"length": 3, "jacoby": True},
        {"length": 3, "beavers": 1},
        {"length": 3, "automatic": 1},
        {"holland": True},
        {"beavers": -1},
    ],
)
def test_terms_that_contradict_themselves_are_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="terms:"):
        Terms(**terms)


def test_terms_survive_json() -> None:
    terms = Terms(length=7, score=(3, 4), crawford_over=True, holland=True)
    assert Terms.from_json(terms.to_json()) == terms


# Resignation


@pytest.mark.parametrize(("grade", "points"), [("single", 1), ("shutout", 2)])
def test_an_accepted_resignation_ends_the_game_at_its_grade(grade: str, points: int) -> None:
    sitting = to_roll()
    assert sitting.press("resign", "white", grade=grade) == (ResignationChanged(side="white", grade=grade),)
    assert sitting.session.due == "black"
    sitting.press("take", "black")
    assert (ended(sitting).outcome.winner, ended(sitting).outcome.kind, ended(sitting).points) == (
        "black",
        grade,
        points,
    )
    assert ended(sitting).cause == "resigned"


def test_a_refused_resignation_leaves_the_game_where_it_was() -> None:
    sitting = to_roll()
    before = sitting.table
    sitting.press("resign", "white")
    sitting.press("drop", "black")
    assert replace(sitting.table, news=before.news, story=before.story) == before


def test_pressing_resign_again_offers_more_and_at_last_nothing() -> None:
    sitting = to_roll()
    told = [
        sitting.press("resign", "black")[0],
        sitting.press("resign")[0],
        sitting.press("resign", "black")[0],
    ]
    assert told == [ResignationChanged(side="black", grade=grade) for grade in ("single", "shutout", None)]
    assert sitting.state is State.ROLL


def test_nobody_resigns_for_the_other_or_at_a_grade_that_does_not_exist() -> None:
    sitting = to_roll()
    assert "there are single, shutout" in sitting.refuses_press("resign", "white", grade="backgammon")
    sitting.press("resign", "white")
    assert "white's resignation" in reason(sitting, "resign", "black")
    assert reason(sitting, "take", "white") == "black is to answer"


def test_a_resignation_at_the_opening_needs_a_name() -> None:
    assert "who resigns" in Sitting().refuses_press("resign")


def test_a_double_is_dropped_not_resigned() -> None:
    sitting = to_roll()
    sitting.press("double", "black")
    assert "drop" in reason(sitting, "resign", "white")


@pytest.mark.parametrize("name", games.names())
def test_a_game_is_resigned_at_the_grades_that_it_can_be_won_at(name: str) -> None:
    rules = games.get(name)
    points = [points for _, points in rules.grades]
    assert points == sorted(set(points))
    assert points[0] == 1
    for seed in (1, 2):
        *_, (_, _, end) = game(rules, seed)
        assert end.outcome is not None
        if end.outcome.winner is not None:
            assert (end.outcome.kind, end.outcome.points) in rules.grades
