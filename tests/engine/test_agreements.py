"""Corrections by hand: who may make them, and who must agree."""

from __future__ import annotations

import pytest

from engine.clock import Control, Timing
from engine.effects import SetByHand
from engine.event_json import from_json
from engine.events import DIRECTOR, PAGE, Begin, Button, Choose, Correct, Press, Roll
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from tests.engine.sitting import Sitting


def begun(**more) -> Sitting:
    sitting = Sitting(
        rules="backgammon", players={"white": "Ann", "black": "Bo"}, terms=Terms(length=5), **more
    )
    sitting.roll(3, 1, side="white")
    return sitting


def ask(sitting: Sitting, actor: str, **what) -> None:
    sitting.send(Correct(t=sitting.after(), actor=actor, **what))


def told(sitting: Sitting) -> list[str]:
    return [each.words for each in sitting.table.news]


def test_a_players_correction_waits_for_the_opponent_and_is_announced():
    sitting = begun()
    ask(sitting, "white", score=(2, 1))
    assert sitting.state is State.PROPOSED
    assert sitting.table.match.score == (0, 0)
    assert told(sitting) == ["Ann asks to set the score, 2–1; Bo must agree"]
    assert sitting.session.waiting == "Bo must agree (take) or refuse (drop): the score, 2–1"
    assert sitting.refuses_press("take", "white") == "Bo must agree"
    assert "Bo must agree" in sitting.refuses_press("done", "white")
    effects = sitting.press("take", "black")
    assert any(isinstance(each, SetByHand) for each in effects)
    assert sitting.table.match.score == (2, 1)
    assert sitting.state is State.PLAY
    assert told(sitting) == ["Bo agrees", "Set by hand: the score, 2–1"]


def test_a_double_that_nobody_meant_is_withdrawn_by_setting_the_cube_right():
    sitting = begun()
    sitting.done("8/5 6/5")
    sitting.press("double", "black")
    ask(sitting, "black", cube=1)
    assert told(sitting) == ["Bo asks to set the cube, 1, in the middle; Ann must agree"]
    sitting.press("take", "white")
    assert sitting.state is State.ROLL
    assert told(sitting) == ["Ann agrees", "Set by hand: the cube, 1, in the middle"]


@pytest.mark.parametrize(
    ("side", "words"), [("black", "Bo refuses the correction"), ("white", "Ann withdraws the correction")]
)
def test_a_correction_is_refused_or_withdrawn_and_nothing_has_changed(side: str, words: str):
    sitting = begun()
    before = sitting.table
    ask(sitting, "white", cube=4, owner="white")
    sitting.press("drop", side)
    assert (sitting.state, sitting.table.cube, sitting.table.dice) == (State.PLAY, before.cube, before.dice)
    assert told(sitting) == [words]


def test_what_waits_for_the_end_of_a_pause_is_told_in_it():
    sitting = begun()
    sitting.press("pause")
    ask(sitting, "white", score=(2, 1))
    told = "the game is paused; once it goes on, Bo must agree (take) or refuse (drop): the score, 2–1"
    assert sitting.refuses_press("take", "black") == told
    sitting.press("pause")
    sitting.press("take", "black")
    assert sitting.table.match.score == (2, 1)


def test_both_agree_where_nobody_knows_who_asks():
    sitting = begun()
    ask(sitting, PAGE, score=(2, 1))
    assert told(sitting) == ["Somebody at the page asks to set the score, 2–1; Ann and Bo must agree"]
    sitting.press("take", "black")
    assert sitting.state is State.PROPOSED
    sitting.press("take", "white")
    assert sitting.table.match.score == (2, 1)


def test_a_directors_correction_counts_at_once_and_a_director_answers_for_the_players():
    sitting = begun()
    ask(sitting, DIRECTOR, score=(2, 1))
    assert told(sitting) == ["Set by the director: the score, 2–1"]
    ask(sitting, PAGE, score=(0, 1))
    sitting.press("take", "black", actor=DIRECTOR)
    assert sitting.table.match.score == (0, 1)
    assert told(sitting)[0] == "The director agrees"


def test_a_log_of_an_earlier_release_corrects_at_once():
    sitting = begun()
    sitting.send(from_json({"event": "correct", "t": 9.0, "score": [2, 1]}))
    assert sitting.table.match.score == (2, 1)
    assert "actor" not in Correct(t=1, score=(2, 1)).to_json()


def test_the_clock_stands_still_while_an_answer_is_awaited():
    sitting = begun(clock=Control(kind=Timing.DELAY, delay=0, reserve=60))
    left = sitting.table.clock.left("white", sitting.t + 1)
    ask(sitting, "black", score=(2, 1))
    sitting.tick(500)
    sitting.press("take", "white")
    assert sitting.table.clock.left("white", sitting.t) == pytest.approx(left)
    assert sitting.table.clock.running == "white"


def test_a_correction_between_games_and_after_the_match_waits_too():
    for state in (State.OVER, State.ENDED):
        sitting = begun()
        sitting.press("resign", "black", grade="single" if state is State.OVER else "backgammon")
        sitting.press("take", "white")
        if state is State.ENDED:
            sitting.send(Correct(t=sitting.after(), score=(4, 0)))
            sitting.next()
            sitting.press("resign", "black", grade="single")
            sitting.press("take", "white")
        assert sitting.state is state
        ask(sitting, "black", score=(1, 2))
        assert sitting.state is State.PROPOSED
        sitting.press("drop", "white")
        assert sitting.state is state


def test_what_is_impossible_is_refused_when_it_is_asked():
    sitting = begun()
    assert "does not exist" in sitting.refuses(Correct(t=9, actor="white", cube=3))
    assert sitting.state is State.PLAY


def test_a_phone_with_a_seat_does_nothing_for_the_other_player():
    sitting = begun()
    assert "this is for Ann to do" in sitting.refuses(Choose(t=9, actor="black", play="8/5 6/5"))
    assert "this is for Ann to do" in sitting.refuses(
        Press(t=9, actor="black", button=Button.DONE, side="white")
    )
    assert "this is for Ann to do" in sitting.refuses(Press(t=9, actor="black", button=Button.DONE))
    sitting.send(Choose(t=9, actor="white", side="white", play="8/5 6/5"))
    assert "this is for Bo to do" in sitting.refuses(Roll(t=10, actor="white", dice=(3, 2), side="black"))


def test_no_phone_names_a_players_play_under_the_others_name():
    """Else the page, which asks whether that side's player has a phone of its own, asks about the wrong
    one."""
    sitting = begun()
    for actor in (PAGE, "black"):
        assert "this is for Ann to do, and not for Bo" in sitting.refuses(
            Choose(t=9, actor=actor, side="black", play="8/5 6/5")
        )
    sitting.send(Choose(t=9, actor=PAGE, side="white", play="8/5 6/5"))


def test_who_did_it_is_kept_with_every_event():
    press = Press(t=1, actor=DIRECTOR, button=Button.PAUSE)
    assert from_json(press.to_json()) == press
    session, _ = Session().handle(Begin(t=0, rules="backgammon"))
    assert session.handle(Press(t=1, actor=PAGE, button=Button.ROLL))[0].state is State.ROLLING
