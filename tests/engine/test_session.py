"""The session: rolls, plays, games and matches."""

from __future__ import annotations

from typing import Any

import pytest

from engine import events as ev
from engine.effects import DiceDue, DiceFell, Ended, Judged, Relit
from engine.errors import IllegalEvent
from engine.events import Begin, Choose, Commit, Condone, Correct, Moves, Next, Roll, See, Seed
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from engine.view import view
from tests.engine.sitting import FOUL, Sitting, fouled, playing

pytestmark = pytest.mark.usefixtures("footrace")


# Dice


def test_the_roll_button_asks_for_dice_and_the_dice_come_as_an_event() -> None:
    sitting = Sitting()
    assert sitting.press("roll", "black") == (DiceDue(side=None, count=2),)
    assert sitting.state is State.ROLLING
    assert sitting.roll(2, 6) == (DiceFell(side="black", dice=(2, 6), stuck=False, stake=1),)
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


def test_where_the_opening_roll_is_not_played_its_dice_are_gone_with_it() -> None:
    sitting = Sitting(rules="icegammon")
    sitting.roll(2, 5)
    assert sitting.state is State.ROLL
    assert sitting.table.dice == ()
    assert sitting.session.due == "black"
    assert sitting.session.waiting == "black won the opening roll, 5-2, and must roll"
    sitting.roll(6, 2, 3)
    assert sitting.table.dice == (6, 2, 3)
    assert "opening" not in sitting.session.waiting


@pytest.mark.parametrize("side", ["white", "black"])
def test_where_the_opening_roll_is_not_played_players_may_name_who_begins(side: str) -> None:
    sitting = Sitting(rules="icegammon")
    sitting.roll(6, 2, 3, side=side)
    assert sitting.state is State.PLAY
    assert sitting.session.due == side


def test_where_the_opening_dice_are_played_nobody_can_be_named() -> None:
    sitting = Sitting(rules="backgammon")
    assert sitting.refuses(Roll(t=1.0, dice=(6, 2, 3), side="white"))


def test_equal_opening_dice_are_rolled_again() -> None:
    sitting = Sitting()
    assert sitting.roll(4, 4) == (DiceFell(side=None, dice=(4, 4), stuck=False, stake=1),)
    assert sitting.state is State.OPENING
    assert sitting.session.waiting == "equal dice, 4-4: roll for the opening again"
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
    assert (judged.turn, judged.side, judged.dice, judged.verdict, judged.move, judged.cells) == (
        0,
        "white",
        (5, 3),
        "legal",
        "8/3",
        (),
    )
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
    assert judged.words == (
        "white left 8, came to 7. No legal play with 5-3 does that. Nearest legal play: 8/3 (look at 3 and 7)"
    )
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
    (relit,) = sitting.send(
        See(t=9.0, evidence=Evidence.certain({**start, "p8": ("white",), "p6": ("white",)}))
    )
    assert isinstance(relit, Relit)
    assert set(relit.cells) == {"p6", "p3"}
    assert sitting.state is State.FOUL
    (relit,) = sitting.send(
        See(t=9.0, evidence=Evidence.certain(sitting.table.position.plays()[0].after.looks()))
    )
    assert isinstance(relit, Relit)
    assert relit.cells == ()
    assert sitting.state is State.PLAY, "the turn passes by done only"


def test_what_stands_is_the_board_as_it_was_seen_last() -> None:
    sitting = Sitting(position={"togo": [[8, 8], [8, 8]], "turn": "white"}, moves=Moves.RESPONSIBLE)
    sitting.roll(5)
    sitting.foul(p8=(), p7=("white", "white"))
    sitting.send(
        See(
            t=9.0,
            evidence=Evidence.certain({**sitting.table.position.looks(), "p8": ("white",), "p7": ("white",)}),
        )
    )
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
    assert isinstance(rolled, DiceFell)
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
    assert "leave everything where it was" in judged.words


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
    assert (ended.outcome.winner, ended.outcome.kind, ended.points, ended.score, ended.cause) == (
        "white",
        "shutout",
        2,
        (2, 0),
        "played",
    )
    assert sitting.state is State.OVER


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
    for correction in (
        {"position": {"togo": [[1], [2, 2]]}},
        {"position": {"togo": [[0, 0], [2, 2]], "turn": None}},
        {"cube": 3},
    ):
        assert sitting.refuses(Correct(t=9.0, **correction))
    assert "purple" in sitting.refuses(Correct(t=9.0, cube=2, owner="purple"))


def test_score_and_cube_can_be_set_by_hand() -> None:
    sitting = playing(terms=Terms(length=5))
    sitting.send(Correct(t=9.0, score=(2, 3), cube=2, owner="white"))
    assert sitting.table.match.score == (2, 3)
    assert (sitting.table.cube.value, sitting.table.cube.owner) == (2, "white")
    assert "cannot be set to its end" in sitting.refuses(Correct(t=9.0, score=(5, 0)))


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


def test_words_come_too_late_once_dice_have_fallen_even_equal_ones_that_nobody_plays() -> None:
    session = Session()
    for event in (
        Begin(t=0, rules="backgammon"),
        Commit(t=1, digest="ab" * 32),
        Seed(t=2, side="white", words="hello"),
    ):
        session, _ = session.handle(event)
    session, _ = session.handle(Roll(t=3, dice=(2, 2), number=1))
    assert session.state is State.OPENING
    assert session.refusal(Seed(t=4, side="black", words="me too")) is not None
