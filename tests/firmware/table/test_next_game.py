"""When the next game may begin: never by the press that was meant for the last one."""

import pytest

from engine.events import Begin, Button, Event, Next, Press, Roll
from engine.match import Terms
from engine.session import Session
from firmware.table.next_game import APART, CALM, TOGETHER, TOO_SOON, NextGame, begins_next
from hardware.protocols import Pressed


def played(length: int) -> Session:
    """A first game that was dropped: a match to one point has ended with it."""
    session = Session()
    events: list[Event] = [
        Begin(t=0, rules="backgammon", terms=Terms(length=length)),
        Roll(t=1, dice=(6, 1)),
        Press(t=2, button=Button.RESIGN, side="white", grade="single"),
        Press(t=3, button=Button.TAKE, side="black"),
    ]
    for event in events:
        session, _ = session.handle(event)
    return session


OVER, ENDED = played(5), played(1)


def done(t: float, button: Button = Button.DONE) -> Pressed:
    return Pressed(t, "white", button)


def may(rule: NextGame, session: Session, *times: float) -> list[bool]:
    return [rule.refusal(session, done(t), on_page=False) is None for t in times]


def test_what_begins_the_next_game_or_match() -> None:
    assert begins_next(OVER, Next(t=4))
    assert begins_next(OVER, done(4))
    assert not begins_next(OVER, done(4, Button.ROLL))
    assert not begins_next(ENDED, Next(t=4))
    assert begins_next(ENDED, done(4))
    assert begins_next(ENDED, done(4, Button.ROLL))
    assert not begins_next(ENDED, done(4, Button.UNDO))
    assert not begins_next(Session(), done(4))


@pytest.mark.parametrize(("session", "word"), [(OVER, "the game is over"), (ENDED, "the match is over")])
def test_done_counts_when_it_is_pressed_twice_some_time_apart(session: Session, word: str) -> None:
    rule = NextGame()
    rule.note(session, 10.0)
    told = rule.refusal(session, done(10.0), on_page=False)
    assert told is not None
    assert word in told
    assert may(rule, session, 10.0 + APART / 2, 10.0 + APART) == [False, True]
    assert may(rule, session, 20.0, 20.0 + APART) == [False, True]  # and the next time again


def test_a_press_from_long_ago_is_the_first_of_no_two() -> None:
    assert may(NextGame(), OVER, 0.0, TOGETHER + 1, TOGETHER + 1 + APART) == [False, False, True]


def test_the_pages_button_does_not_count_at_first_and_who_types_it_means_it() -> None:
    rule = NextGame()
    rule.note(OVER, 10.0)
    rule.note(OVER, 11.9)  # it has been over since the first time
    assert rule.refusal(OVER, Next(t=10 + CALM / 2), on_page=True) == TOO_SOON
    assert rule.refusal(OVER, Next(t=10 + CALM / 2), on_page=False) is None
    assert rule.refusal(OVER, Next(t=10 + CALM), on_page=True) is None


def test_a_game_that_goes_on_after_undo_forgets_all_of_it() -> None:
    rule = NextGame()
    rule.note(OVER, 10.0)
    assert may(rule, OVER, 11.0) == [False]
    rule.note(Session().handle(Begin(t=0, rules="backgammon"))[0], 12.0)
    rule.note(OVER, 13.0)
    assert may(rule, OVER, 13.5) == [False]
    assert rule.refusal(OVER, Next(t=14.0), on_page=True) == TOO_SOON
