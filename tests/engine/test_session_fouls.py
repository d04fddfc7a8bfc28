"""The session: fouls that are mended, that stand, that are condoned; taking back; dice that nobody told."""

from __future__ import annotations

import pytest

from engine import events as ev
from engine.actions import legal_actions
from engine.effects import DiceDue, DiceFell, DiceTookBack, Ended, FoulStood, Judged, TookBack
from engine.events import Choose, Condone, Correct, DiceFrom, Moves, Press, Roll
from engine.evidence import Evidence
from engine.match_state import State
from engine.messages import Message
from tests.engine.sitting import FOUL, Sitting, fouled, playing

pytestmark = pytest.mark.usefixtures("footrace")


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
    assert sitting.refuses_press("undo", "white") == "the dice are black's"


def test_dice_that_players_announced_can_be_taken_back_until_the_play_is_done() -> None:
    sitting = playing()
    sitting.done("8/3")
    before = sitting.table
    sitting.roll(4)
    (back,) = sitting.press("undo", "black")
    assert back == DiceTookBack(side="black", dice=(4,), position=before.position.to_json())
    assert (sitting.table.position, sitting.table.rolls, sitting.state) == (
        before.position,
        (1, 0),
        State.ROLL,
    )
    sitting.press("undo", "white")
    assert sitting.state is State.PLAY, "the play before can still be taken back"
    sitting.done("8/3")
    sitting.roll(3)
    sitting.press("done")
    assert sitting.state is State.ASKED
    sitting.press("undo")
    assert sitting.state is State.PLAY
    sitting.press("undo")
    assert sitting.state is State.ROLL
    sitting.roll(4)
    sitting.done()
    sitting.roll(2)
    assert sitting.refuses_press("undo", "black") == "the dice are white's"


def test_dice_of_the_opening_are_taken_back_and_those_of_the_device_never() -> None:
    sitting = playing()
    sitting.press("undo")
    assert sitting.state is State.OPENING
    assert sitting.table.rolls == (0, 0)
    sitting.roll(3, 5, number=1)
    assert "nothing has been played yet" in sitting.refuses_press("undo")


def test_taking_back_the_dice_by_which_a_foul_stood_brings_the_foul_back() -> None:
    sitting = fouled()
    foul = sitting.table.pending
    sitting.roll(4, side="black")
    assert sitting.table.moves[-1].verdict == "stood"
    sitting.press("undo", "black")
    assert (sitting.state, sitting.table.pending) == (State.FOUL, foul)
    assert sitting.table.moves == ()


def test_what_cannot_be_taken_back_says_why() -> None:
    sitting = Sitting(moves=Moves.RESPONSIBLE)
    sitting.roll(5, 3, number=1)
    assert "nothing has been played yet" in sitting.refuses_press("undo", "white")
    sitting.foul(**FOUL)
    sitting.send(Condone(t=sitting.after(), side="black"))
    assert "the foul stands" in sitting.refuses_press("undo", "white")
    sitting.press("resign", "white", grade="single")
    sitting.press("take", "black")
    assert "not ended by it" in sitting.refuses_press("undo", "white")


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
    assert "fix" in sitting.refuses_press("roll", "black")
    assert "fix" in sitting.refuses(Condone(t=9.0, side="black"))
    assert "fix" in sitting.refuses(Roll(t=9.0, dice=(4,), side="white"))
    stood, rolled = sitting.roll(4, side="black")
    assert isinstance(stood, FoulStood)
    assert isinstance(rolled, DiceFell)
    assert (stood.turn, stood.side, stood.condoned) == (0, "white", False)
    assert sitting.table.position.looks()["p7"] == ("white",)
    assert sitting.table.moves[-1].verdict == "stood"
    assert sitting.session.due == "black"
    assert sitting.state is State.PLAY


def test_with_responsible_moves_the_opponent_may_condone() -> None:
    sitting = fouled(moves=Moves.RESPONSIBLE)
    assert "opponent" in sitting.refuses(Condone(t=9.0, side="white"))
    (stood,) = sitting.send(Condone(t=9.0, side="black"))
    assert isinstance(stood, FoulStood)
    assert stood.condoned
    assert sitting.state is State.ROLL
    assert sitting.session.due == "black"
    assert "fix" not in sitting.table.moves[-1].words


def test_with_responsible_moves_rolling_on_condones() -> None:
    sitting = fouled(moves=Moves.RESPONSIBLE)
    stood, due = sitting.press("roll", "black")
    assert isinstance(stood, FoulStood)
    assert due == DiceDue(side="black", count=1)


@pytest.mark.parametrize(
    "event", [Roll(t=99.0, dice=(4,), side="black"), Press(t=99.0, button=ev.Button.ROLL, side="black")]
)
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
    gone = Evidence.certain({**start, "p8": ("white",), "p2": (), "off.white": ()})
    sitting.press("done", evidence=Evidence.from_json({**gone.to_json(), "caution": 0}))  # as judged of old
    assert sitting.state is State.FOUL
    assert "two runners" in sitting.refuses(Condone(t=9.0, side="black"))
    offered = {each.name for each in legal_actions(sitting.session, "black") if each.allowed}
    assert not offered & {"condone", "roll", "roll by hand"}


def test_why_a_board_cannot_stand_is_said_in_the_readers_language() -> None:
    sitting = Sitting("backgammon", moves=Moves.RESPONSIBLE)
    sitting.roll(3, 1)
    sitting.foul(p8=("white", "white"), p1=("black", "black", "white"))
    (condone,) = (each for each in legal_actions(sitting.session, "black") if each.name == "condone")
    assert isinstance(condone.reason, Message)
    why = condone.reason.given["error"]
    assert why == "point 1 holds black, black, white: checkers of one side only can stand on a point"
    assert isinstance(why, Message)


# Own dice, inferred


def test_the_judge_finds_the_roll_that_explains_a_play() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    assert "own dice" in sitting.refuses_press("roll", "white")
    start = sitting.table.position.looks()
    (judged,) = sitting.press(
        "done", "white", evidence=Evidence.certain({**start, "p8": ("white",), "p4": ("white",)})
    )
    assert isinstance(judged, Judged)
    assert judged.verdict == "legal"
    assert judged.move == "8/4"
    assert max(judged.dice) == 4
    start = sitting.table.position.looks()
    (judged,) = sitting.press(
        "done", "black", evidence=Evidence.certain({**start, "p1": ("black",), "p7": ("black",)})
    )
    assert isinstance(judged, Judged)
    assert (judged.move, judged.dice) == ("8/2", (6,))


def test_a_foul_before_an_opening_roll_that_nobody_named_is_the_one_who_pressed_done() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    sitting.press("done", "black", evidence=Evidence.certain(dict(sitting.table.position.looks())))
    assert sitting.state is State.FOUL
    assert sitting.session.waiting == "black must fix the play, which is not legal"


def test_who_takes_a_play_back_before_an_opening_roll_is_named() -> None:
    sitting = Sitting("backgammon", dice=DiceFrom.INFERRED)
    start = sitting.table.position.looks()
    sitting.press("done", "black", evidence=Evidence.certain(start))
    sitting.press("undo", "black")
    assert sitting.table.news[-1].words == "Black took the play back"
    sitting.press("done", "black", evidence=Evidence.certain({**start, "p1": ("black",), "p5": ("black",)}))
    sitting.press("undo", "black")
    assert sitting.table.news[-1].words == "Black took 24/20 back"


def test_where_nothing_was_seen_of_a_play_by_own_dice_no_list_of_all_plays_is_made() -> None:
    sitting = Sitting("backgammon", dice=DiceFrom.INFERRED)
    sitting.choose("31: 8/5 6/5", "white")
    (judged,) = sitting.press("done", "black")
    assert isinstance(judged, Judged)
    assert (judged.verdict, judged.dice, judged.words) == (
        "unsure",
        (),
        "the picture does not show what was played",
    )
    assert sitting.table.pending is not None
    assert sitting.table.pending.candidates == ()
    assert "choose" in {each.name for each in legal_actions(sitting.session, "black") if each.allowed}


def test_of_many_plays_by_own_dice_that_may_have_been_the_likeliest_are_asked_about() -> None:
    sitting = Sitting("backgammon", dice=DiceFrom.INFERRED)
    sitting.choose("31: 8/5 6/5", "white")
    one = Evidence.certain({"p5": sitting.table.position.looks()["p5"]})
    (judged,) = sitting.press("done", "black", evidence=one)
    assert isinstance(judged, Judged)
    assert sitting.table.pending is not None
    assert (judged.verdict, len(sitting.table.pending.candidates)) == ("unsure", 8)


def test_such_a_foul_is_told_in_its_players_numbers() -> None:
    sitting = Sitting("backgammon", dice=DiceFrom.INFERRED)
    far = {**sitting.table.position.looks(), "p1": ("black",), "p21": ("black",)}
    (judged,) = sitting.press("done", "black", evidence=Evidence.certain(far))
    assert isinstance(judged, Judged)
    assert judged.words == (
        "black left 24, came to 4. No roll explains this. Nearest legal play: 24/23 6/4 (look at 23 and 6)"
    )
    seen = sitting.table.position.looks()
    (judged,) = sitting.press("done", "black", evidence=Evidence.certain(seen))
    assert isinstance(judged, Judged)
    assert judged.words.endswith("Nearest legal play: 6/3 (look at 6 and 3)")


def test_a_foul_that_no_roll_explains_has_no_dice_and_the_opponents_own_let_it_stand() -> None:
    sitting = Sitting("backgammon", dice=DiceFrom.INFERRED, moves=Moves.RESPONSIBLE)
    sitting.choose("31: 8/5 6/5", "white")
    nothing = Evidence.certain(sitting.table.position.looks())
    (judged,) = sitting.press("done", "black", evidence=nothing)
    assert isinstance(judged, Judged)
    assert (judged.verdict, judged.dice) == ("illegal", ())
    assert "nothing moved. No roll explains this. Nearest legal play:" in judged.words
    own = {side: legal_actions(sitting.session, side) for side in ("white", "black")}
    offered = {side: [each for each in own[side] if each.name == "roll by hand"] for side in own}
    assert offered["white"][0].arguments == {"dice": 2}
    assert not offered["black"][0].allowed
    stood, fell = sitting.roll(6, 5)  # whose they are need not be said
    assert isinstance(stood, FoulStood)
    assert isinstance(fell, DiceFell)
    assert (stood.side, stood.dice, fell.side) == ("black", (), "white")
    assert sitting.table.moves[-1].dice == ()


def test_own_dice_are_not_offered_where_they_would_not_be_rolled() -> None:
    sitting = playing(moves=Moves.RESPONSIBLE)
    sitting.foul(**{"p8": (), "off.white": ("white", "white")})  # what stands would end the game
    offered = {each.name for each in legal_actions(sitting.session, "black") if each.allowed}
    assert "condone" in offered
    assert "roll by hand" not in offered


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
    assert isinstance(stood, FoulStood)
    assert copy.state is State.ROLL


def test_players_who_roll_their_own_dice_can_say_roll_and_play() -> None:
    sitting = Sitting(dice=DiceFrom.INFERRED)
    assert "52" in sitting.refuses(Choose(t=1.0, play="8/3", side="white"))
    assert "cannot have rolled" in sitting.refuses(Choose(t=1.0, play="99: 8/3", side="white"))
    sitting.choose("53: 8/3", "white")
    assert sitting.table.moves[-1].dice == (5, 3)
    sitting.press("undo", "white")
    assert sitting.state is State.OPENING
