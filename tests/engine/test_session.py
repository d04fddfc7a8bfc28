"""The session: rolls, plays, fouls, and taking back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import events as ev
from engine.effects import DiceDue, Ended, Judged, Relit, Rolled, Stood, TookBack
from engine.errors import EngineError, IllegalEvent
from engine.events import Begin, Choose, Condone, Correct, DiceFrom, Moves, Next, Press, Roll, See
from engine.evidence import Evidence
from engine.match import Terms
from engine.session import Session
from engine.table import State
from engine.view import view
from tests.engine.sitting import Sitting

pytestmark = pytest.mark.usefixtures("footrace")

FOUL = {"p8": ("white",), "p7": ("white",)}
"""A white runner one point on, where a five was rolled."""


def playing(**begin: Any) -> Sitting:
    """White has won the opening roll with a five."""
    sitting = Sitting(**begin)
    sitting.roll(5, 3)
    return sitting


def fouled(**begin: Any) -> Sitting:
    sitting = playing(**begin)
    sitting.foul(**FOUL)
    return sitting


# Dice


def test_the_roll_button_asks_for_dice_and_the_dice_come_as_an_event() -> None:
    sitting = Sitting()
    assert sitting.press("roll", "black") == (DiceDue(side=None, count=2),)
    assert sitting.state is State.ROLLING
    assert sitting.roll(2, 6) == (Rolled(side="black", dice=(2, 6), stuck=False, stake=1),)
    assert sitting.table.position.turn == "black"


def test_the_opening_dice_stand_in_the_order_of_the_sides_when_nobody_is_named() -> None:
    sitting = Sitting()
    sitting.roll(6, 2)
    assert sitting.table.position.turn == "white"


@pytest.mark.parametrize("dice", [(2, 6), (6, 2)])
@pytest.mark.parametrize("side", ["white", "black"])
def test_a_named_winner_of_the_opening_roll_gets_the_higher_die(side: str, dice: tuple[int, int]) -> None:
    sitting = Sitting()
    sitting.roll(*dice, side=side, opening=True)
    assert sitting.table.position.turn == side
    assert sitting.table.dice == dice, "dice are told as they were announced"


def test_equal_opening_dice_are_rolled_again() -> None:
    sitting = Sitting()
    assert sitting.roll(4, 4) == (Rolled(side=None, dice=(4, 4), stuck=False, stake=1),)
    assert sitting.state is State.OPENING
    assert sitting.table.dice == ()


def test_dice_of_the_wrong_number_or_face_are_refused() -> None:
    sitting = Sitting()
    for dice in [(), (5,), (5, 3, 1), (7, 1), (0, 3)]:
        for side in (None, "white"):
            assert sitting.refuses(Roll(t=1.0, dice=dice, side=side))


def test_a_second_opening_roll_is_refused() -> None:
    sitting = playing()
    sitting.done("8/3")
    assert "opening" in sitting.refuses(Roll(t=9.0, dice=(4,), side="black", opening=True))


def test_only_the_side_on_turn_rolls() -> None:
    sitting = playing()
    sitting.done("8/3")
    assert sitting.refuses(Roll(t=9.0, dice=(4,), side="white")) == "it is black's roll"
    assert sitting.refuses_press("roll", "white") == "it is black's roll"


def test_a_side_that_does_not_play_this_game_is_refused_by_name() -> None:
    assert "green" in Sitting().refuses_press("roll", "green")


# Plays


def test_a_legal_play_passes_the_turn() -> None:
    sitting = playing()
    (judged,) = sitting.done("8/3", "white")
    assert isinstance(judged, Judged)
    assert (judged.turn, judged.side, judged.dice, judged.verdict, judged.move, judged.cells) == (0, "white", (5, 3), "legal", "8/3", ())
    assert judged.position == sitting.table.position.to_json()
    assert judged.words == "8/3: legal"
    assert sitting.state is State.ROLL
    assert sitting.session.due == "black"
    assert sitting.table.turn == 1


def test_done_of_the_other_side_is_refused() -> None:
    assert playing().refuses_press("done", "black") == "it is white's turn"


def test_a_foul_lights_its_cells_and_keeps_the_turn() -> None:
    sitting = playing()
    (judged,) = sitting.foul(**FOUL)
    assert isinstance(judged, Judged)
    assert judged.verdict == "illegal"
    assert judged.move is None
    assert set(judged.cells) == {"p7", "p3"}
    assert judged.position == sitting.table.position.to_json()
    assert judged.words == ("white left 8, came to 7: no play does that; the dice are 5-3. Nearest legal: 8/3 (look at 3 and 7)")
    assert sitting.state is State.FOUL
    assert sitting.session.due == "white"
    assert sitting.table.turn == 0


def test_a_foul_that_was_mended_is_judged_again_at_done() -> None:
    sitting = fouled()
    (judged,) = sitting.done("8/3")
    assert isinstance(judged, Judged)
    assert judged.verdict == "legal"
    assert judged.turn == 0
    assert [move.verdict for move in sitting.table.moves] == ["legal"]


def test_the_lights_of_a_foul_follow_the_pictures_until_it_is_mended() -> None:
    sitting = fouled()
    start = sitting.table.position.looks()
    same = See(t=9.0, evidence=Evidence.certain({**start, **FOUL}))
    assert sitting.session.handle(same) == (sitting.session, ())
    (relit,) = sitting.send(See(t=9.0, evidence=Evidence.certain({**start, "p8": ("white",), "p6": ("white",)})))
    assert isinstance(relit, Relit)
    assert set(relit.cells) == {"p6", "p3"}
    assert sitting.state is State.FOUL
    (relit,) = sitting.send(See(t=9.0, evidence=Evidence.certain(sitting.table.position.plays()[0].after.looks())))
    assert isinstance(relit, Relit)
    assert relit.cells == ()
    assert sitting.state is State.PLAY, "the turn passes by done only"


def test_what_stands_is_the_board_as_it_was_seen_last() -> None:
    sitting = Sitting(position={"togo": [[8, 8], [8, 8]], "turn": "white"}, moves=Moves.RESPONSIBLE)
    sitting.roll(5)
    sitting.foul(p8=(), p7=("white", "white"))
    sitting.send(See(t=9.0, evidence=Evidence.certain({**sitting.table.position.looks(), "p8": ("white",), "p7": ("white",)})))
    sitting.send(Condone(t=9.0, side="black"))
    assert sitting.table.position.looks()["p8"] == ("white",)


def test_a_picture_that_says_nothing_leaves_a_foul_alone() -> None:
    sitting = fouled()
    assert sitting.send(See(t=9.0, evidence=Evidence())) == ()
    assert sitting.state is State.FOUL


def test_a_play_that_no_camera_saw_is_asked_about_and_the_players_decide() -> None:
    sitting = Sitting()
    sitting.send(Correct(t=0.5, position={"togo": [[8, 6], [8, 8]], "turn": "white"}))
    sitting.roll(2)
    (judged,) = sitting.press("done")
    assert isinstance(judged, Judged)
    assert judged.verdict == "unsure"
    assert set(judged.candidates) == {"8/6", "6/4"}
    assert set(judged.cells) == {"p8", "p6", "p4"}
    assert sitting.state is State.ASKED
    (judged,) = sitting.choose("6/4")
    assert isinstance(judged, Judged)
    assert (judged.verdict, judged.move, judged.by) == ("legal", "6/4", "players")


def test_players_cannot_choose_what_is_not_legal() -> None:
    sitting = playing()
    assert "8/2" in sitting.refuses(Choose(t=9.0, play="8/2"))


def test_a_better_picture_settles_what_was_asked() -> None:
    sitting = playing()
    sitting.press("done")
    sitting.done("8/3")
    assert sitting.state is State.ROLL


def test_who_cannot_move_presses_done_and_the_turn_passes() -> None:
    sitting = Sitting()
    sitting.send(Correct(t=0.5, position={"togo": [[8, 8], [6, 6]], "turn": "white"}))
    (rolled,) = sitting.roll(5)
    assert isinstance(rolled, Rolled)
    assert rolled.stuck
    (judged,) = sitting.done()
    assert isinstance(judged, Judged)
    assert judged.move == "no move"
    assert judged.words == "no move: no move is possible"
    assert sitting.session.due == "black"


def test_who_cannot_move_and_moves_all_the_same_fouls() -> None:
    sitting = Sitting()
    sitting.send(Correct(t=0.5, position={"togo": [[8, 8], [6, 6]], "turn": "white"}))
    sitting.roll(5)
    (judged,) = sitting.foul(**FOUL)
    assert isinstance(judged, Judged)
    assert judged.verdict == "illegal"
    assert "leave all where it was" in judged.words


def test_a_button_may_name_a_play() -> None:
    sitting = playing(options={"swap": True})
    assert "swap" in sitting.refuses_press("swap", "white")
    sitting.done("8/3")
    sitting.roll(4)
    (judged,) = sitting.press("swap", "black")
    assert isinstance(judged, Judged)
    assert (judged.move, judged.verdict) == ("swap", "legal")
    assert sitting.table.position.turn == "white"


def test_the_last_play_ends_the_game_and_its_points_count() -> None:
    sitting = playing()
    sitting.win("white", shutout=True)
    ended = sitting.effects[-1]
    assert isinstance(ended, Ended)
    assert (ended.outcome.winner, ended.outcome.kind, ended.points, ended.score, ended.cause) == ("white", "shutout", 2, (2, 0), "played")
    assert sitting.state is State.OVER


# Taking back


def test_a_play_can_be_taken_back_until_the_other_side_has_rolled() -> None:
    sitting = playing()
    before = sitting.table.position
    sitting.done("8/3")
    assert sitting.refuses_press("undo", "black") == "white pressed done"
    (back,) = sitting.press("undo", "white")
    assert isinstance(back, TookBack)
    assert back.turn == 0
    assert sitting.table.position == before
    assert sitting.table.moves == ()
    sitting.done("8/3")
    sitting.roll(4)
    assert "gone on" in sitting.refuses_press("undo", "white")


def test_a_play_cannot_be_taken_back_once_the_other_side_has_doubled() -> None:
    sitting = playing()
    sitting.done("8/3")
    sitting.press("double", "black")
    sitting.press("take", "white")
    assert sitting.refuses_press("undo", "white")


def test_the_play_that_ended_a_game_can_be_taken_back_with_its_score() -> None:
    sitting = playing()
    sitting.win("white")
    assert sitting.table.match.score == (1, 0)
    sitting.press("undo", "white")
    assert sitting.state is State.PLAY
    assert sitting.table.match.score == (0, 0)


def test_a_foul_can_be_taken_back_before_it_is_mended() -> None:
    sitting = fouled()
    sitting.press("undo", "white")
    assert sitting.state is State.PLAY
    assert sitting.table.pending is None


# Legal and responsible moves


def test_with_legal_moves_a_foul_stands_once_the_opponent_has_rolled() -> None:
    sitting = fouled()
    assert "mended" in sitting.refuses_press("roll", "black")
    assert "mended" in sitting.refuses(Condone(t=9.0, side="black"))
    assert "mended" in sitting.refuses(Roll(t=9.0, dice=(4,), side="white"))
    stood, rolled = sitting.roll(4, side="black")
    assert isinstance(stood, Stood)
    assert isinstance(rolled, Rolled)
    assert (stood.turn, stood.side, stood.condoned) == (0, "white", False)
    assert sitting.table.position.looks()["p7"] == ("white",)
    assert sitting.table.moves[-1].verdict == "stood"
    assert sitting.session.due == "black"
    assert sitting.state is State.PLAY


def test_with_responsible_moves_the_opponent_may_condone() -> None:
    sitting = fouled(moves=Moves.RESPONSIBLE)
    assert "opponent" in sitting.refuses(Condone(t=9.0, side="white"))
    (stood,) = sitting.send(Condone(t=9.0, side="black"))
    assert isinstance(stood, Stood)
    assert stood.condoned
    assert sitting.state is State.ROLL
    assert sitting.session.due == "black"
    assert "mended" not in sitting.table.moves[-1].words


def test_with_responsible_moves_rolling_on_condones() -> None:
    sitting = fouled(moves=Moves.RESPONSIBLE)
    stood, due = sitting.press("roll", "black")
    assert isinstance(stood, Stood)
    assert due == DiceDue(side="black", count=1)


@pytest.mark.parametrize("event", [Roll(t=99.0, dice=(4,), side="black"), Press(t=99.0, button=ev.Button.ROLL, side="black")])
def test_a_foul_that_ends_the_game_and_stands_ends_it(event: ev.Event) -> None:
    sitting = playing(moves=Moves.RESPONSIBLE)
    sitting.foul(**{"p8": (), "off.white": ("white", "white")})
    effects = sitting.send(event)
    assert [effect.name for effect in effects] == ["stood", "ended"]
    assert sitting.state is State.OVER
    assert not sitting.table.rolling


def test_a_board_that_pieces_do_not_allow_cannot_stand() -> None:
    sitting = playing(moves=Moves.RESPONSIBLE)
    start = sitting.table.position.looks()
    sitting.press("done", evidence=Evidence.certain({**start, "p8": ("white",)}))
    assert sitting.state is State.FOUL
    assert "two runners" in sitting.refuses(Condone(t=9.0, side="black"))


# Own dice, inferred


def test_the_judge_finds_the_roll_that_explains_a_play() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    assert "own dice" in sitting.refuses_press("roll", "white")
    start = sitting.table.position.looks()
    (judged,) = sitting.press("done", "white", evidence=Evidence.certain({**start, "p8": ("white",), "p4": ("white",)}))
    assert isinstance(judged, Judged)
    assert judged.verdict == "legal"
    assert judged.move == "8/4"
    assert max(judged.dice) == 4
    start = sitting.table.position.looks()
    (judged,) = sitting.press("done", "black", evidence=Evidence.certain({**start, "p1": ("black",), "p7": ("black",)}))
    assert isinstance(judged, Judged)
    assert (judged.move, judged.dice) == ("8/2", (6,))


def test_every_roll_that_explains_a_play_is_told() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    sitting.send(Correct(t=0.5, position={"togo": [[4, 0], [8, 8]], "turn": "white"}))
    home = {**sitting.table.position.looks(), "p4": (), "off.white": ("white", "white")}
    judged, ended = sitting.press("done", "white", evidence=Evidence.certain(home))
    assert isinstance(judged, Judged)
    assert isinstance(ended, Ended)
    assert judged.words == "4/off: legal (5, 6 explain it too)"


def test_a_play_that_no_roll_explains_is_a_foul_and_can_be_mended_or_stand() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    sitting.send(Correct(t=0.5, position={"togo": [[8, 8], [8, 8]], "turn": "white"}))
    start = sitting.table.position.looks()
    gone = Evidence.certain({**start, "p8": (), "p1": (), "p2": ("black", "black"), "p7": ("white", "white")})
    (judged,) = sitting.press("done", "white", evidence=gone)
    assert isinstance(judged, Judged)
    assert judged.verdict == "illegal"
    mended = Evidence.certain({**start, "p8": ("white",), "p6": ("white",)})
    copy, effects = sitting.session.handle(Press(t=9.0, button=ev.Button.DONE, side="white", evidence=mended))
    assert isinstance(effects[0], Judged)
    assert effects[0].dice == (2,)
    stood, _ = sitting.roll(3, side="black")
    assert isinstance(stood, Stood)
    assert copy.state is State.ROLL


def test_players_who_roll_their_own_dice_can_say_roll_and_play() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    assert "52" in sitting.refuses(Choose(t=1.0, play="8/3", side="white"))
    assert "cannot have rolled" in sitting.refuses(Choose(t=1.0, play="99: 8/3", side="white"))
    sitting.choose("53: 8/3", "white")
    assert sitting.table.moves[-1].dice == (5, 3)
    sitting.press("undo", "white")
    assert sitting.state is State.OPENING


# Games and matches


def test_a_match_begins_once() -> None:
    assert "new session" in Sitting().refuses(Begin(t=1.0, rules="footrace"))


@pytest.mark.parametrize(
    ("begin", "fault"),
    [
        ({"rules": "ludo"}, "ludo"),
        ({"rules": "footrace", "options": {"wings": True}}, "wings"),
        ({"rules": "footrace", "players": {"green": "Ann"}}, "green"),
        ({"rules": "footrace", "position": {"togo": [[9, 9], [1, 1]]}}, "runners"),
        ({"rules": "footrace", "position": {"rules": "ludo"}}, "ludo"),
    ],
)
def test_a_match_on_impossible_terms_does_not_begin(begin: dict[str, Any], fault: str) -> None:
    with pytest.raises(IllegalEvent, match=fault):
        Session().handle(Begin(t=0.0, **begin))


def test_a_game_can_be_taken_up_in_the_middle() -> None:
    sitting = Sitting(position={"togo": [[3, 2], [8, 1]], "turn": "black"})
    assert sitting.state is State.ROLL
    assert sitting.session.due == "black"


def test_the_next_game_starts_anew_and_keeps_the_score() -> None:
    sitting = playing()
    sitting.win("black")
    sitting.send(Next(t=50.0, options={"swap": True}))
    assert sitting.state is State.OPENING
    assert sitting.table.match.score == (0, 1)
    assert sitting.table.match.game == 2
    assert (sitting.table.turn, sitting.table.moves) == (0, ())
    assert view(sitting.session)["match"]["game"] == 2


def test_done_between_games_begins_the_next() -> None:
    sitting = playing()
    sitting.win("black")
    sitting.press("done", "white")
    assert sitting.state is State.OPENING


def test_a_position_set_by_hand_keeps_the_dice_of_the_turn() -> None:
    sitting = fouled()
    sitting.send(Correct(t=9.0, position={"togo": [[7, 7], [8, 8]], "turn": "white"}))
    assert sitting.state is State.PLAY
    sitting.done("7/2")
    sitting.send(Correct(t=50.0, position={"togo": [[7, 7], [8, 8]], "turn": "white"}))
    assert sitting.state is State.ROLL
    assert sitting.session.due == "white"


def test_an_impossible_correction_is_refused() -> None:
    sitting = playing()
    for correction in ({"position": {"togo": [[1], [2, 2]]}}, {"position": {"togo": [[0, 0], [2, 2]], "turn": None}}, {"cube": 3}):
        assert sitting.refuses(Correct(t=9.0, **correction))
    assert "purple" in sitting.refuses(Correct(t=9.0, cube=2, owner="purple"))


def test_score_and_cube_can_be_set_by_hand() -> None:
    sitting = playing(terms=Terms(length=5))
    sitting.send(Correct(t=9.0, score=(2, 3), cube=2, owner="white"))
    assert sitting.table.match.score == (2, 3)
    assert (sitting.table.cube.value, sitting.table.cube.owner) == (2, "white")
    assert "begin" in sitting.refuses(Correct(t=9.0, score=(5, 0)))


def test_dice_are_bound_before_they_fall_and_the_secret_comes_out_after_the_game() -> None:
    sitting = Sitting()
    assert sitting.refuses(ev.Seed(t=1.0, side="white", words="luck"))
    sitting.send(ev.Commit(t=1.0, digest="ab"))
    assert sitting.refuses(ev.Commit(t=2.0, digest="cd"))
    sitting.send(ev.Seed(t=2.0, side="white", words="luck"))
    sitting.roll(5, 3)
    assert sitting.refuses(ev.Seed(t=9.0, side="black", words="too late"))
    assert sitting.refuses(ev.Reveal(t=9.0, secret="ef"))
    sitting.win("white")
    assert view(sitting.session)["seeds"] == [["white", "luck"]]
    sitting.send(ev.Reveal(t=50.0, secret="ef"))
    assert sitting.table.commitment is None


# Events as JSON


def test_replaying_the_events_from_json_gives_the_same_session() -> None:
    sitting = fouled(terms=Terms(length=3, score=(1, 0)), players={"white": "Ann", "black": "Bo"}, moves=Moves.RESPONSIBLE)
    sitting.send(Condone(t=sitting.after(), side="black"))
    sitting.press("double", "black")
    sitting.press("take", "white")
    sitting.roll(4)
    blurred = {cell: {look: 0.0, ("ghost",): -7.123456} for cell, look in sitting.table.position.plays()[0].after.looks().items()}
    sitting.press("done", "black", evidence=Evidence.of(blurred))
    sitting.press("resign", "white", grade="shutout")
    sitting.press("take", "black")
    replayed = Session()
    for event in sitting.log:
        line = json.dumps(event.to_json())
        replayed, _ = replayed.handle(ev.from_json(json.loads(line)))
    assert replayed == sitting.session
    assert sitting.state is State.ENDED


def test_an_event_is_what_its_json_says() -> None:
    rough = Evidence.of({"p1": {(): -0.123456789, ("white",): -11.9999, ("black",): 0.0}})
    event = Press(t=1.0, button=ev.Button.DONE, side="white", evidence=rough)
    assert ev.from_json(event.to_json()) == event


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ([], "JSON object"),
        ({"event": "explode", "t": 1}, "explode"),
        ({"event": "tick"}, "'t' is missing"),
        ({"event": "tick", "t": "now"}, "tick.t"),
        ({"event": "tick", "t": float("nan")}, "tick.t"),
        ({"event": "tick", "t": True}, "tick.t"),
        ({"event": "tick", "t": 1, "when": 2}, "when"),
        ({"event": "press", "t": 1, "button": "eject"}, "press.button"),
        ({"event": "roll", "t": 1, "dice": "52"}, "roll.dice"),
        ({"event": "roll", "t": 1, "dice": [5, 2.5]}, "roll.dice"),
        ({"event": "roll", "t": 1, "dice": [5, 2], "opening": 1}, "roll.opening"),
        ({"event": "choose", "t": 1, "play": 7}, "choose.play"),
        ({"event": "see", "t": 1, "evidence": {"cells": 4}}, "see.evidence"),
        ({"event": "correct", "t": 1, "score": [1, 2, 3]}, "correct.score"),
        ({"event": "correct", "t": 1, "cube": True}, "correct.cube"),
        ({"event": "begin", "t": 1, "rules": "footrace", "players": ["Ann"]}, "begin.players"),
        ({"event": "begin", "t": 1, "rules": "footrace", "terms": {"length": "7"}}, "length"),
        ({"event": "begin", "t": 1, "rules": "footrace", "terms": {"lenght": 7}}, "lenght"),
        ({"event": "begin", "t": 1, "rules": "footrace", "clock": {"kind": "sand"}}, "sand"),
    ],
)
def test_a_bad_event_is_refused_with_the_field_at_fault(data: Any, fault: str) -> None:
    with pytest.raises(EngineError, match=fault):
        ev.from_json(data)


# The view


def test_a_view_is_plain_data_at_every_step() -> None:
    sitting = Sitting(players={"white": "Ann"})
    shown = [view(Session()), view(sitting.session)]
    sitting.roll(5, 3)
    sitting.foul(**FOUL)
    shown.append(view(sitting.session, sitting.t))
    sitting.done("8/3")
    sitting.press("double", "black")
    shown.append(view(sitting.session))
    sitting.press("drop", "white")
    shown.append(view(sitting.session))
    assert json.loads(json.dumps(shown)) == shown
    _, start, foul, offered, over = shown
    assert start["players"] == {"white": "Ann", "black": "black"}
    assert set(foul["wrong"]) == {"p7", "p3"}
    assert foul["seen"]["p7"] == ["white"]
    assert offered["cube"]["offer"] == {"by": "black", "to": "white", "taken": 2, "dropped": 1}
    assert over["result"] == {"outcome": {"winner": "black", "kind": "single", "points": 1}, "points": 1, "cause": "dropped"}
