"""The clock: a delay that costs nothing, a reserve that runs out, and what that costs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.actions import legal_actions
from engine.clock import Clock, Control, Penalty, Timing
from engine.effects import Ended, Expired, MatchEnded
from engine.errors import EngineError, IllegalEvent
from engine.events import Button, Correct, Press, Tick
from engine.lamp_signals import signals
from engine.match import Terms
from engine.match_state import State
from engine.view import view
from tests.engine.sitting import FOUL, Sitting

pytestmark = pytest.mark.usefixtures("footrace")
SIDES = ("white", "black")
US = Control(Timing.DELAY)


def clock(kind: Timing = Timing.DELAY, reserve: float = 60.0, delay: float = 12.0) -> Clock:
    return Clock.set(Control(kind, delay, reserve), SIDES, 0, (0, 0))


def test_us_reserve_is_two_minutes_a_point_less_one_a_point_scored() -> None:
    assert Clock.set(US, SIDES, 7, (0, 0)).reserves == (840.0, 840.0)
    assert Clock.set(US, SIDES, 7, (3, 2)).reserves == (540.0, 540.0)
    assert US.delay == 12.0


def test_money_play_needs_a_reserve() -> None:
    with pytest.raises(EngineError, match="reserve"):
        Clock.set(US, SIDES, 0, (0, 0))


@pytest.mark.parametrize("kind", [Timing.DELAY, Timing.BRONSTEIN])
def test_the_reserve_is_untouched_inside_the_delay(kind: Timing) -> None:
    running = clock(kind).run("white", 100.0)
    assert running.left("white", 111.0) == 60.0
    assert running.delay_left(111.0) == 1.0
    assert running.left("white", 112.0) == 60.0
    assert running.left("white", 115.0) == 57.0
    assert running.run("black", 115.0).reserves == (57.0, 60.0)
    assert running.left("black", 115.0) == 60.0


def test_an_unused_delay_is_lost_but_under_fischer_it_is_kept() -> None:
    simple = clock(Timing.DELAY).run("white", 0.0).run("black", 5.0)
    assert simple.reserves == (60.0, 60.0)
    fischer = clock(Timing.FISCHER).run("white", 0.0).run("black", 5.0)
    assert fischer.reserves == (67.0, 72.0)
    assert fischer.run("white", 30.0).reserves == (79.0, 47.0)


def test_many_moves_inside_the_delay_never_drain_the_reserve() -> None:
    for kind in (Timing.DELAY, Timing.BRONSTEIN, Timing.FISCHER):
        running = clock(kind)
        for move in range(100):
            running = running.run(SIDES[move % 2], move * 11.9)
        assert min(running.reserves) >= 60.0


def test_time_is_out_when_delay_and_reserve_are_used() -> None:
    running = clock().run("white", 0.0)
    assert running.deadline() == 72.0
    assert running.expired(72.0) is None
    assert running.expired(72.5) == "white"
    assert running.left("white", 100.0) == 0.0


def test_a_paused_clock_stands_still_and_goes_on_with_its_delay() -> None:
    paused = clock().run("white", 0.0).pause(5.0)
    assert paused.left("white", 1000.0) == 60.0
    assert paused.delay_left(1000.0) == 7.0
    assert paused.deadline() is None
    going = paused.resume(1000.0)
    assert going.deadline() == 1067.0


def test_settling_twice_changes_nothing_more() -> None:
    running = clock().run("white", 0.0).settled(20.0)
    assert running.reserves == (52.0, 60.0)
    assert running.settled(20.0) == running
    assert running.left("white", 25.0) == 47.0


def test_a_clock_that_jumps_back_charges_nothing() -> None:
    running = clock().run("white", 5000.0)
    assert running.elapsed(1400.0) == 0.0
    back = running.rebased(1400.0)
    assert back.left("white", 1414.0) == 58.0
    assert running.rebased(5001.0) is running


@pytest.mark.parametrize(
    "bad", [{"delay": -1.0}, {"reserve": float("nan")}, {"reserve": -5.0}, {"points": 0}, {"refill": 0.0}]
)
def test_impossible_settings_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="clock:"):
        Control(Timing.DELAY, **bad)


def test_settings_survive_json() -> None:
    control = Control(Timing.FISCHER, 5.0, 300.0, Penalty.POINTS, 2, 30.0)
    assert Control.from_json(control.to_json()) == control
    with pytest.raises(EngineError, match="speed"):
        Control.from_json({"speed": 1})


# In a session


def timed(penalty: Penalty = Penalty.GAME, length: int = 0, **control: Any) -> Sitting:
    """White, to play, has 60 s and a delay of 12 s, from t = 1."""
    sitting = Sitting(terms=Terms(length=length), clock=Control(Timing.DELAY, 12.0, 60.0, penalty, **control))
    sitting.roll(5, 3)
    return sitting


def test_nobodys_time_runs_before_the_opening_roll() -> None:
    sitting = Sitting(clock=Control(Timing.DELAY, 12.0, 60.0))
    sitting.tick(10000.0)
    assert sitting.state is State.OPENING
    assert sitting.table.clock.running is None


def test_time_runs_from_the_start_where_somebody_is_on_turn_then() -> None:
    sitting = Sitting(
        clock=Control(Timing.DELAY, 12.0, 60.0), position={"togo": [[3, 2], [8, 1]], "turn": "black"}
    )
    assert sitting.table.clock.running == "black"


def test_done_presses_the_clock() -> None:
    sitting = timed()
    sitting.done("8/3", wait=22.0)
    assert sitting.table.clock.reserves == (50.0, 60.0)
    assert sitting.table.clock.running == "black"


def test_the_time_of_who_fouled_runs_on() -> None:
    sitting = timed()
    sitting.foul(**FOUL)
    sitting.done("8/3", wait=21.0)
    assert sitting.table.clock.reserves == (50.0, 60.0)


def test_the_clock_stands_still_while_the_table_asks_what_was_played() -> None:
    sitting = timed()
    sitting.press("done", wait=22.0)
    assert sitting.state is State.ASKED
    sitting.tick(5000.0)
    assert sitting.table.clock.left("white", sitting.t) == 50.0
    sitting.press("pause")
    sitting.press("pause", wait=50.0)
    sitting.press("undo", "white", wait=100.0)
    sitting.tick(5.0)
    assert sitting.table.clock.left("white", sitting.t) == 45.0
    sitting.press("done")
    sitting.choose("8/3", "white")
    assert sitting.table.clock.reserves == (44.0, 60.0)
    assert sitting.table.clock.running == "black"
    assert sitting.table.clock.delay == 12.0


def test_a_match_of_an_earlier_release_keeps_the_clock_that_it_was_begun_with() -> None:
    old = {key: value for key, value in US.to_json().items() if key != "waits"}
    assert Control.from_json(US.to_json()) == US
    assert not Control.from_json(old).waits
    sitting = timed(waits=False)
    sitting.press("done", wait=22.0)
    sitting.tick(10.0)
    assert sitting.table.clock.left("white", sitting.t) == 40.0


def test_the_time_of_who_is_to_answer_a_double_runs() -> None:
    sitting = timed()
    sitting.done("8/3")
    sitting.press("double", "black")
    assert sitting.table.clock.running == "white"
    sitting.press("take", "white", wait=15.0)
    assert sitting.table.clock.reserves == (57.0, 60.0)
    assert sitting.table.clock.running == "black"


def test_a_tick_changes_nothing_until_time_is_out() -> None:
    sitting = timed()
    before = sitting.session
    assert sitting.tick(72.0) == ()
    assert sitting.session is before
    expired, end = sitting.tick(0.5)
    assert isinstance(expired, Expired)
    assert expired.side == "white"
    assert isinstance(end, Ended)
    assert (end.outcome.winner, end.points, end.cause) == ("black", 1, "time")
    assert sitting.state is State.OVER
    assert sitting.table.clock.running is None


def test_the_flag_falls_before_a_press_that_came_too_late() -> None:
    sitting = timed()
    effects = sitting.done("8/3", wait=100.0)
    assert [effect.name for effect in effects] == ["expired", "ended"]
    assert sitting.table.turn == 0


def test_out_of_time_can_lose_the_match() -> None:
    sitting = timed(Penalty.MATCH, length=7)
    effects = sitting.tick(100.0)
    assert isinstance(effects[-1], MatchEnded)
    assert effects[-1].winner == "black"
    assert sitting.state is State.ENDED


def test_in_money_play_the_match_penalty_loses_the_game() -> None:
    sitting = timed(Penalty.MATCH)
    sitting.tick(100.0)
    assert sitting.state is State.OVER


@pytest.mark.parametrize("penalty", [Penalty.GAME, Penalty.MATCH])
def test_who_has_lost_a_game_on_time_has_some_for_the_next(penalty: Penalty) -> None:
    sitting = timed(penalty, refill=30.0)
    sitting.tick(100.0)
    sitting.next()
    assert sitting.table.match.game == 2
    assert sitting.table.clock.reserves == (30.0, 60.0)


def test_a_match_of_an_earlier_release_goes_on_with_the_time_that_it_had() -> None:
    old = Control.from_json({"kind": "delay", "reserve": 60.0, "penalty": "game"})
    sitting = Sitting(clock=old)
    sitting.roll(2, 1, side="white")
    sitting.tick(100.0)
    sitting.next()
    assert sitting.table.clock.reserves == (0.0, 60.0)


def test_out_of_time_can_cost_points_and_the_game_goes_on() -> None:
    sitting = timed(Penalty.POINTS, length=3, points=2, refill=30.0)
    (expired,) = sitting.tick(100.0)
    assert isinstance(expired, Expired)
    assert (expired.points, expired.score) == (2, (0, 2))
    assert sitting.state is State.PLAY
    assert sitting.table.clock.left("white", sitting.t) == 30.0
    _, over = sitting.tick(31.0)
    assert over == MatchEnded(winner="black", score=(0, 4))
    assert sitting.state is State.ENDED


def test_nothing_waits_any_more_where_points_that_time_costs_win_the_match() -> None:
    sitting = timed(Penalty.POINTS, length=1)
    sitting.foul(p5=("white",))
    sitting.tick(100.0)
    assert sitting.state is State.ENDED
    shown = view(sitting.session)
    assert (shown["wrong"], shown["seen"], shown["judged"]) == ([], None, None)
    assert "p5" not in signals(sitting.session)
    assert not any(action.allowed for action in legal_actions(sitting.session, "white"))
    sitting = timed(Penalty.POINTS, length=1)
    sitting.press("resign", "white")
    sitting.tick(100.0)
    assert sitting.state is State.ENDED
    assert view(sitting.session)["resignation"] is None
    sitting = timed(Penalty.POINTS, length=2, points=2)
    sitting.done("8/3")
    sitting.press("double", "black")
    sitting.tick(100.0)
    assert sitting.state is State.ENDED
    assert sitting.table.cube.offer is None


def test_what_was_open_then_can_be_taken_back_as_in_journals_of_earlier_releases() -> None:
    sitting = timed(Penalty.POINTS, length=1)
    sitting.foul(p5=("white",))
    sitting.tick(100.0)
    sitting.press("undo", "white")
    assert sitting.state is State.ENDED
    for answer, state in (("drop", State.PLAY), ("take", State.ENDED)):
        sitting = timed(Penalty.POINTS, length=1)
        sitting.press("resign", "white")
        sitting.tick(100.0)
        sitting.send(Correct(t=sitting.after(), score=(0, 0)))
        assert sitting.state is State.RESIGNED
        sitting.press(answer, "black")
        assert sitting.state is state


def test_penalty_points_survive_a_play_that_is_taken_back() -> None:
    sitting = timed(Penalty.POINTS, length=7)
    sitting.done("8/3")
    sitting.tick(100.0)
    assert sitting.table.match.score == (1, 0)
    assert sitting.refuses_press("undo", "white")


def test_out_of_time_can_be_told_only_and_is_told_once() -> None:
    sitting = timed(Penalty.NONE)
    (expired,) = sitting.tick(100.0)
    assert isinstance(expired, Expired)
    assert sitting.tick(100.0) == ()
    sitting.done("8/3")
    assert sitting.table.clock.reserves == (0.0, 60.0)


def test_out_of_time_over_a_double_loses_what_a_drop_loses() -> None:
    sitting = timed()
    sitting.done("8/3")
    sitting.press("double", "black")
    _, end = sitting.tick(100.0)
    assert isinstance(end, Ended)
    assert (end.outcome.winner, end.points) == ("black", 1)


def test_a_pause_stops_the_clock() -> None:
    sitting = timed()
    sitting.press("pause", wait=22.0)
    sitting.tick(5000.0)
    assert sitting.state is State.PAUSED
    sitting.press("pause")
    sitting.done("8/3", wait=10.0)
    assert sitting.table.clock.reserves == (40.0, 60.0)


def test_taking_back_restores_neither_time_nor_delay() -> None:
    sitting = timed()
    sitting.done("8/3", wait=22.0)
    sitting.press("undo", "white", wait=1.0)
    assert sitting.table.clock.reserves == (50.0, 60.0)
    assert sitting.table.clock.running == "white"
    sitting.done("8/3", wait=5.0)
    assert sitting.table.clock.reserves == (45.0, 60.0)


def test_time_that_jumps_back_an_hour_costs_nobody_anything() -> None:
    sitting = timed()
    sitting.t = 5000.0
    sitting.session, _ = sitting.session.handle(Press(t=30.0, button=Button.RESIGN, side="white"))
    jumped = Tick(t=-3570.0)
    session, effects = sitting.session.handle(jumped)
    assert session is not sitting.session
    assert effects == ()
    assert session.table is not None
    assert session.table.clock.left("black", -3570.0) == 60.0
    assert session.handle(Tick(t=-3570.0 + 71.0))[0] is session


def test_an_event_that_is_refused_charges_no_time_either() -> None:
    sitting = timed()
    before = sitting.session
    with pytest.raises(IllegalEvent):
        sitting.press("take", "white", wait=50.0)
    assert sitting.session is before


@pytest.mark.parametrize(
    ("kind", "delay", "spent"),
    [(Timing.DELAY, 5.0, 0.0), (Timing.BRONSTEIN, 5.0, 0.0), (Timing.FISCHER, 0.0, 7.0)],
)
def test_offering_to_resign_again_and_again_wins_no_time(kind: Timing, delay: float, spent: float) -> None:
    sitting = Sitting(clock=Control(kind, 12.0, 60.0))
    sitting.roll(5, 3)
    had = sitting.table.clock.reserves[0]
    sitting.press("resign", "white", wait=7.0)
    for _ in range(3):
        assert sitting.table.clock.running == "black"
        sitting.press("drop", "black", wait=2.0)
        assert sitting.table.clock.delay_left(sitting.t) == delay
        sitting.press("resign", "white", wait=0.0)
    while sitting.table.resignation is not None:  # past the last grade it is withdrawn
        sitting.press("resign", "white")
    clock = sitting.table.clock
    assert (clock.running, clock.delay_left(sitting.t)) == ("white", delay)
    assert clock.left("white", sitting.t) == had - spent
