"""A table without buttons: the camera reads the dice, and who picks them up has ended the turn. Frames are
simulated: each says what stands on the board and which dice lie on it."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.effects import Judged
from engine.events import Begin, Button, Correct, DiceFrom, Moves, Next, Press, Roll
from engine.evidence import Evidence
from engine.match_state import State
from engine.position import Position
from firmware.table.referee import Stimulus
from hardware.protocols import Pressed
from tests.firmware.hands_free import OWN, STRICT, Table, die, thrown
from vision.dice import Die, Lies


@pytest.fixture
def table(tmp_path: Path) -> Any:
    made = Table(tmp_path)
    yield made
    made.journal.close()


def opened(table: Table) -> None:
    """White has opened 5-2, played, and picked the dice up."""
    dice = table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    table.show(after, dice[1])
    assert table.session.state is State.ROLL


@pytest.mark.parametrize("out_of_view", [(), ("off.white", "off.black")])
def test_a_match_of_two_games_needs_no_button(tmp_path: Path, out_of_view: tuple[str, ...]) -> None:
    table, source = Table(tmp_path, length=2), random.Random(7)
    table.out_of_view = out_of_view
    shown: tuple[Die, ...] = ()
    while table.session.state is not State.ENDED:
        state, position = table.session.state, table.position
        looks = position.looks()
        if state is State.OVER:
            assert table.session.table is not None
            fresh = table.session.handle(Next(t=table.t))[0]
            assert fresh.position is not None
            table.show(None)
            table.show(fresh.position.looks())
            assert table.session.state is State.OPENING
        elif state is State.OPENING:
            shown = table.open(*source.sample(range(1, 7), 2))
            assert table.session.state is State.PLAY
        elif state is State.ROLL:
            shown = thrown(position.turn or "", *(source.randint(1, 6) for _ in range(2)))
            table.show(looks, *shown)
            assert table.session.state is State.PLAY
        else:
            plays = list(position.plays())
            after = min(plays, key=lambda play: sum(_pips(play.after, position.turn or ""))).after.looks()
            table.show(None)
            table.show(after, *shown)
            assert table.session.state is State.PLAY  # the dice lie there still
            table.show(None)
            table.show(after)
            assert table.session.state in (State.ROLL, State.OVER, State.ENDED)
    assert table.refused == []
    assert {type(each) for each in table.events} <= {Begin, Roll, Press, Next}
    assert all(each.button is Button.DONE for each in table.events if isinstance(each, Press))
    assert all(each.read is not None for each in table.events if isinstance(each, Roll))
    table.journal.close()


def _pips(position: Position, side: str) -> list[int]:
    """How far the checkers of ``side`` have to go."""
    return [
        (int(cell[1:]) if side == "white" else 25 - int(cell[1:])) if cell[1:].isdigit() else 25
        for cell, look in position.looks().items()
        for piece in look
        if piece == side and not cell.startswith("off")
    ]


@pytest.mark.parametrize("dice_lie", [True, False])
def test_a_board_that_is_set_up_after_the_last_checker_ends_the_game_and_begins_the_next(
    tmp_path: Path, dice_lie: bool
) -> None:
    table = Table(tmp_path, length=5)
    start = table.position.looks()
    opened(table)
    last = {"turn": "black", "points": {"24": -2, "6": 15}, "bar": [0, 0], "off": [0, 13]}
    table.take(Correct(t=table.t, position=last))
    dice = thrown("black", 6, 5)
    table.show(table.position.looks(), *dice)
    table.show(next(iter(table.position.plays())).after.looks(), *dice)
    table.show(start, *(dice if dice_lie else ()))
    assert table.session.state is State.OVER
    table.show(None)
    table.show(start)
    assert table.session.table is not None
    assert (table.session.state, table.session.table.match.score) == (State.OPENING, (0, 2))
    table.journal.close()


def test_what_keeps_the_next_game_from_beginning_is_told(tmp_path: Path) -> None:
    table = Table(tmp_path, length=5)
    start = table.position.looks()
    opened(table)
    table.take(Pressed(table.t, "black", Button.RESIGN))
    table.take(Pressed(table.t, "white", Button.TAKE))
    table.show({**start, "p8": ("white",) * 2, "p7": ("white",)}, *thrown("black", 6, 3))
    assert table.session.state is State.OVER
    words = "the next game begins when the board is set up as at its start: white left 8, came to 7 "
    assert table.told == words + "(look at 7 and 8, as white counts)"
    table.hidden = frozenset(["p7"])
    table.show(start)
    assert "a part of the board is hidden" in table.told
    said = len(table.said)
    table.show(start)
    assert len(table.said) == said  # it is told once, not with every picture
    table.hidden = frozenset()
    table.show(start)
    assert (table.session.state, table.told) == (State.OPENING, "")
    table.journal.close()


def test_a_board_that_is_set_up_in_the_midst_of_a_game_says_how_to_give_it_up(table: Table) -> None:
    start = table.position.looks()
    opened(table)
    table.show(start)
    assert "presses Resign" in table.told
    table.show(table.position.looks(), *thrown("black", 6, 3))
    assert (table.session.state, table.told) == (State.PLAY, "")
    table.show(start)
    assert table.session.state is State.PLAY
    assert "presses Resign" in table.told
    said = len(table.said)
    table.show(start)
    assert len(table.said) == said


@pytest.mark.parametrize(("ask", "answer"), [(Button.PAUSE, Button.PAUSE), (Button.RESIGN, Button.DROP)])
@pytest.mark.parametrize("foul", [False, True])
def test_dice_that_are_picked_up_in_a_pause_have_ended_the_turn_after_it(
    table: Table, ask: Button, answer: Button, foul: bool
) -> None:
    opened(table)
    dice = thrown("black", 3, 1)
    table.show(table.position.looks(), *dice)
    after = table.position.plays()[0].after.looks()
    if foul:
        table.show({**table.position.looks(), "p1": ("black",), "p3": ("black",)})
        assert table.session.state is State.FOUL
    table.take(Pressed(table.t, "black", ask))
    table.show(after)
    table.take(Pressed(table.t, "white", answer))
    assert (table.session.state, table.session.due) == (State.ROLL, "white")


def test_the_opening_roll_is_one_die_of_each(table: Table) -> None:
    table.show(table.position.looks(), die(5, OWN["white"]))
    assert table.session.state is State.OPENING
    assert "1 of 2 dice lies on the board: for the opening roll everybody throws one die" in table.told
    table.show(table.position.looks(), die(5, OWN["white"]), die(2, OWN["black"]))
    assert table.position.turn == "white"
    assert table.session.state is State.PLAY


def test_the_opening_s_dice_are_whole_while_both_lie_there(table: Table) -> None:
    dice = table.open(5, 2)
    table.show(table.position.looks(), *dice)
    assert table.told == ""
    table.show(table.position.looks(), dice[0])  # Black has taken the own one, and White has still to play
    assert table.told == ""


def test_equal_opening_dice_are_thrown_again(table: Table) -> None:
    dice = table.open(4, 4)
    assert table.session.state is State.OPENING
    table.show(table.position.looks(), *dice)  # they lie there still: no second throw
    assert len([each for each in table.events if isinstance(each, Roll)]) == 1
    table.show(table.position.looks(), die(4, 50.0), die(6, 10.0))
    assert table.position.turn == "black"


def test_dice_that_cannot_be_read_are_asked_for(table: Table) -> None:
    opened(table)
    table.show(table.position.looks(), *thrown("black", 3, None))
    assert table.session.state is State.ROLL
    assert "cannot be read" in table.told
    table.show(table.position.looks(), *thrown("black", 3, 6))
    assert table.session.state is State.PLAY
    assert table.told == ""


def test_what_cannot_be_read_beside_a_whole_throw_does_not_hold_it_up(table: Table) -> None:
    opened(table)
    table.show(table.position.looks(), *thrown("black", 3, 6), die(None, 5.0, 8.0))
    assert table.session.state is State.PLAY
    table.show(table.position.looks(), *thrown("black", 3, 6), die(None, 5.0, 8.0))
    assert table.told == ""


@pytest.mark.parametrize(
    ("lies", "words"),
    [(Lies.COCKED, "is cocked"), (Lies.ON_CHECKER, "on a checker"), (Lies.OUTSIDE, "outside the board")],
)
def test_a_cocked_die_is_thrown_again(table: Table, lies: Lies, words: str) -> None:
    opened(table)
    one, other = thrown("black", 3, 6)
    table.show(table.position.looks(), one, replace(other, lies=lies))
    assert table.session.state is State.ROLL
    assert words in table.told


def test_where_cocked_dice_are_legal_they_count(tmp_path: Path) -> None:
    table = Table(tmp_path, replace(STRICT, strict=False))
    opened(table)
    one, other = thrown("black", 3, 6)
    table.show(table.position.looks(), replace(one, lies=Lies.COCKED), replace(other, place=(45.0, 9.0)))
    assert table.session.state is State.PLAY
    table.journal.close()


def test_of_legal_dice_in_both_halves_both_are_picked_up(tmp_path: Path) -> None:
    table = Table(tmp_path, replace(STRICT, strict=False))
    opened(table)
    one, other = die(6, OWN["black"]), die(3, OWN["white"])
    table.show(table.position.looks(), one, other)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, one, other)
    assert table.told == ""
    table.show(after, other)
    assert table.session.state is State.PLAY
    table.show(after)
    assert table.session.state is State.ROLL
    table.journal.close()


def test_a_throw_by_the_wrong_player_does_not_count(table: Table) -> None:
    opened(table)
    table.show(table.position.looks(), *thrown("white", 3, 6))
    assert table.session.state is State.ROLL
    assert "it is black's throw" in table.told
    table.show(table.position.looks(), *thrown("white", 3, 6), *thrown("black", 2, 1))
    assert table.session.state is State.PLAY
    assert table.session.table is not None
    assert table.session.table.dice == (2, 1)


def test_a_throw_before_the_turn_is_over_is_told_and_counts_afterwards(table: Table) -> None:
    opened(table)
    mine, early = thrown("black", 6, 3), thrown("white", 6, 4)
    table.show(table.position.looks(), *mine)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *mine, *early)
    assert table.session.state is State.PLAY
    assert "white threw before black had ended the turn" in table.told
    table.show(after, *early)
    assert table.session.state is State.PLAY
    assert table.session.table is not None
    assert (table.position.turn, table.session.table.dice) == ("white", (6, 4))


def on_the_bar(table: Table, blocked: int) -> None:
    """Black is on the bar, against so many points of White's home board."""
    opened(table)
    points = {str(point): 2 for point in range(1, blocked + 1)} | {"8": 15 - 2 * blocked, "19": -14}
    held = {"turn": "black", "points": points, "bar": [0, 1], "off": [0, 0]}
    table.take(Correct(t=table.t, position=held))
    table.show(table.position.looks())


@pytest.mark.parametrize("strict", [True, False])
def test_who_is_closed_out_needs_no_throw(tmp_path: Path, strict: bool) -> None:
    table = Table(tmp_path, replace(STRICT, strict=strict))
    on_the_bar(table, 6)
    assert "need not roll: white may" in table.session.waiting
    table.show(table.position.looks(), *thrown("white", 6, 3))
    assert (table.position.turn, table.position.dice, table.told) == ("white", (6, 3), "")
    assert table.session.table is not None
    assert table.session.table.moves[-1].words == "pass: no move is possible; the roll is not known"
    table.journal.close()


def test_who_dances_may_pick_the_dice_up_before_they_are_read(table: Table) -> None:
    on_the_bar(table, 3)
    table.show(None)
    table.show(table.position.looks())
    table.show(table.position.looks(), *thrown("white", 6, 3))
    assert (table.position.turn, table.position.dice, table.refused) == ("white", (6, 3), [])
    for _ in range(2):  # it was no dance: the dice, then the turn, are taken back, and White's do not count
        table.take(Pressed(table.t, "white" if table.session.state is State.PLAY else "black", Button.UNDO))
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")
    table.show(table.position.looks(), *thrown("white", 6, 3))
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")


def test_where_the_dice_are_gone_the_opponent_s_throw_ends_the_turn(table: Table) -> None:
    opened(table)
    dice = thrown("black", 6, 3)
    table.show(table.position.looks(), *dice)
    before, (first, second, *_) = table.position.looks(), table.position.plays()
    table.show(first.after.looks(), *dice)
    table.show(first.after.looks())
    table.take(Pressed(table.t, "black", Button.UNDO))
    table.show(before, *thrown("white", 4, 2))
    assert (table.session.state, table.position.turn) == (State.PLAY, "black")  # nothing was played
    table.show(second.after.looks(), *thrown("white", 4, 2))
    assert (table.position.turn, table.position.dice, table.told) == ("white", (4, 2), "")


def test_a_die_in_each_half_is_no_throw(table: Table) -> None:
    opened(table)
    table.show(table.position.looks(), die(6, OWN["black"]), die(3, OWN["white"]))
    assert "a die lies in the wrong half: black throws again" in table.told


def test_who_can_enter_by_every_roll_has_not_thrown(table: Table) -> None:
    on_the_bar(table, 0)
    table.show(table.position.looks(), *thrown("white", 6, 3))
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")
    assert "it is black's throw" in table.told


@pytest.mark.parametrize("blocked", [1, 2])
def test_who_seldom_dances_has_thrown_into_the_wrong_half(table: Table, blocked: int) -> None:
    on_the_bar(table, blocked)
    table.show(table.position.looks(), *thrown("white", 6, 4))
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")
    assert "it is black's throw" in table.told


@pytest.mark.parametrize(("blocked", "whose", "turn"), [(4, "black", "black"), (1, "white", "white")])
def test_dice_of_its_own_colour_say_who_threw_them(table: Table, blocked: int, whose: str, turn: str) -> None:
    colours = {"white": "green", "black": "blue"}

    def pair(half: str, side: str, *values: int) -> list[Die]:
        return [replace(each, colour=colours[side]) for each in thrown(half, *values)]

    opened(table)
    for side in ("black", "white"):
        dice = pair(side, side, 6, 3)
        table.show(table.position.looks(), *dice)
        after = table.position.plays()[0].after.looks()
        table.show(after, *dice)
        table.show(after)
    points = {str(point): 2 for point in range(1, blocked + 1)} | {"8": 15 - 2 * blocked, "19": -14}
    table.take(Correct(t=table.t, position={"turn": "black", "points": points, "bar": [0, 1], "off": [0, 0]}))
    table.show(table.position.looks())
    table.show(table.position.looks(), *pair("white", whose, 6, 4))
    assert table.position.turn == turn


def test_a_throw_in_the_wrong_half_that_is_played_is_not_the_opponent_s(table: Table) -> None:
    opened(table)
    dice = thrown("white", 6, 3)  # Black's, across the bar
    after = table.position.roll((6, 3)).find("24/18 13/10").after.looks()
    table.show(table.position.looks(), *dice)
    assert "it is black's throw" in table.told
    table.show(after, *dice)
    table.show(after, dice[0])
    table.show(after)
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")
    table.show(after, *thrown("white", 4, 2))
    assert (table.position.turn, table.position.dice, table.told) == ("white", (4, 2), "")


def test_a_throw_in_the_wrong_half_that_lies_there_still_is_not_the_opponent_s(table: Table) -> None:
    opened(table)
    strayed = thrown("white", 6, 3)
    after = table.position.roll((6, 3)).find("24/18 13/10").after.looks()
    table.show(table.position.looks(), *strayed)
    white = die(4, 33.0, 15.0), die(2, 36.0, 15.0)
    table.show(after, *strayed, *white)
    assert (table.position.turn, table.position.dice, table.told) == ("white", (4, 2), "")


def test_one_die_in_the_cup_ends_no_turn(table: Table) -> None:
    opened(table)
    mine = thrown("black", 6, 3)
    table.show(table.position.looks(), *mine)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, mine[0])
    assert table.session.state is State.PLAY
    assert "one die is left" in table.told
    table.show(after)
    assert table.session.state is State.ROLL


def moved_nothing(table: Table) -> Any:
    """Black has thrown 6-3 and picked the dice up; how the board looks."""
    opened(table)
    looks = table.position.looks()
    table.show(looks, *thrown("black", 6, 3))
    table.show(looks)
    assert table.session.state is State.PLAY
    assert "black picked the dice up and moved nothing: play 6-3" in table.told
    return looks


def test_who_picks_the_dice_up_before_the_play_is_told_and_may_still_play(table: Table) -> None:
    moved_nothing(table)
    table.show(table.position.find("24/18 13/10").after.looks())
    assert (table.session.state, table.position.turn, table.told) == (State.ROLL, "white", "")


def test_a_throw_that_the_players_do_not_count_is_taken_back_and_the_next_one_counts(table: Table) -> None:
    looks = moved_nothing(table)
    again = die(6, 12.0, 16.0), die(1, 22.0, 30.0)
    table.show(looks, *again)
    assert "black threw again, but 6-3 is to be played" in table.told
    table.take(Pressed(table.t, "black", Button.UNDO))
    table.show(looks, *again)
    assert (table.position.turn, table.position.dice, table.told) == ("black", (6, 1), "")


def test_a_second_throw_that_is_played_counts_once_the_opponent_throws(table: Table) -> None:
    looks = moved_nothing(table)
    again, before = (die(6, 12.0, 16.0), die(1, 22.0, 30.0)), table.session.table
    assert before is not None
    assert before.unrolled is not None
    after = before.unrolled.position.roll((6, 1)).find("13/7 8/7").after.looks()
    table.show(looks, *again)
    table.show(after, *again)
    table.show(after)
    assert table.session.state is State.PLAY
    assert "black threw 6-3, then threw again and played 61: 13/7 8/7" in table.told
    table.show(after, thrown("white", 4, 2)[0])
    assert table.session.state is State.PLAY
    table.show(after, *thrown("white", 4, 2))
    assert table.session.table is not None
    assert table.session.table.moves[-1].dice == (6, 1)
    assert (table.position.turn, table.position.dice, table.told) == ("white", (4, 2), "")


def test_a_second_throw_is_no_excuse_for_a_foul(table: Table) -> None:
    looks = moved_nothing(table)
    table.show(looks, die(6, 12.0, 16.0), die(1, 22.0, 30.0))
    table.show({**looks, "p1": ("black",), "p11": ("black",)})
    assert table.session.state is State.FOUL


def test_dice_that_were_not_seen_for_a_moment_were_not_thrown_again(table: Table) -> None:
    looks = moved_nothing(table)
    dice = thrown("black", 6, 3)
    table.show(looks, *dice)
    assert table.told == ""
    after = table.position.find("24/18 13/10").after.looks()
    table.show(after, *dice)
    assert table.session.state is State.PLAY
    table.show(after)
    assert table.session.state is State.ROLL


def test_once_the_opponent_throws_a_turn_without_a_play_is_a_foul(table: Table) -> None:
    looks = moved_nothing(table)
    table.show(looks, *thrown("white", 4, 2))
    assert table.session.state is State.FOUL


def test_a_die_that_is_turned_over_changes_no_roll(table: Table) -> None:
    opened(table)
    one, other = thrown("black", 6, 3)
    table.show(table.position.looks(), one, other)
    table.show(table.position.looks(), one, replace(other, value=1))
    assert "turned over and shows 1" in table.told
    assert table.session.table is not None
    assert table.session.table.dice == (6, 3)


def test_dice_under_a_cup_are_not_picked_up(table: Table) -> None:
    opened(table)
    looks, dice = table.position.looks(), thrown("black", 3, 6)
    table.show(looks, *dice)
    table.show(looks, *(replace(die, lies=Lies.COVERED) for die in dice))
    assert table.session.state is State.PLAY
    assert "something lies over the dice" in table.told
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *(replace(die, lies=Lies.COVERED) for die in dice))
    assert table.session.state is State.PLAY
    table.show(after)
    assert table.session.state is State.ROLL


def test_dice_that_are_pushed_far_aside_in_their_half_are_not_picked_up(table: Table) -> None:
    opened(table)
    looks, (one, other) = table.position.looks(), thrown("black", 3, 6)
    table.show(looks, one, other)
    table.show(looks, *(replace(die, place=(die.place[0], 4.0)) for die in (one, other)))
    assert table.session.state is State.PLAY
    assert table.told == ""


def test_dice_of_the_other_half_are_not_taken_for_the_roll(table: Table) -> None:
    """The dice of a roll that was going on when the table was switched off are gone; the opponent throws."""
    opened(table)
    looks = table.position.looks()
    table.show(looks, *thrown("black", 3, 6))
    table.watcher.begin_match("hands-free", table.position.rules, ())
    table.watcher._known = table.table
    table.show(looks)
    assert "the dice of black are not seen" in table.told
    table.show(looks, *thrown("white", 3, 6))
    assert "threw before" in table.told
    table.show(looks)
    assert table.session.state is State.PLAY


def test_typed_dice_are_those_that_lie_there_and_end_the_turn(table: Table) -> None:
    opened(table)
    looks, (one, other) = table.position.looks(), thrown("black", 3, None)
    table.show(looks, one, other)
    assert table.session.state is State.ROLL
    table.take(Roll(t=table.t, dice=(3, 6)))
    table.show(looks, one, other)
    assert table.session.state is State.PLAY
    assert table.told == ""
    table.show(next(iter(table.position.plays())).after.looks())
    assert table.session.state is State.ROLL


def test_dice_that_were_read_wrongly_and_typed_end_the_turn_when_they_are_picked_up(table: Table) -> None:
    opened(table)
    looks, dice = table.position.looks(), thrown("black", 6, 3)
    table.show(looks, *dice)
    table.take(Pressed(table.t, "black", Button.UNDO))
    table.take(Roll(t=table.t, dice=(6, 5), side="black"))
    table.show(looks, *dice)
    assert table.session.state is State.PLAY
    assert table.told == ""
    table.show(next(iter(table.position.plays())).after.looks())
    assert table.session.state is State.ROLL


def test_the_opening_s_dice_are_known_after_a_restart(table: Table) -> None:
    dice = table.open(5, 2)
    table.watcher.begin_match("hands-free", table.position.rules, ())
    table.watcher._known = table.table
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    assert table.told == ""
    table.show(after, dice[1])
    assert table.session.state is State.ROLL


def test_a_double_of_which_one_die_was_picked_up_is_not_whole(table: Table) -> None:
    opened(table)
    looks, (one, other) = table.position.looks(), thrown("black", 3, 3)
    table.show(looks, one, other)
    table.show(looks, replace(other, place=(other.place[0] + 1.0, 24.0)))
    assert "one die is left" in table.told


def test_a_die_that_is_pushed_aside_is_not_picked_up(table: Table) -> None:
    opened(table)
    one, other = thrown("black", 6, 3)
    table.show(table.position.looks(), one, other)
    table.show(table.position.looks(), one, replace(other, place=(other.place[0] + 4, other.place[1])))
    assert table.session.state is State.PLAY
    assert table.told == ""


def test_a_foul_is_told_and_ends_when_it_is_fixed_without_a_button(table: Table) -> None:
    opened(table)
    mine = thrown("black", 6, 3)
    table.show(table.position.looks(), *mine)
    before = table.position.looks()
    after = next(iter(table.position.plays())).after.looks()
    wrong = dict(before) | {"p19": ("black",) * 4, "p23": ("black",)}
    table.show(wrong, *mine)
    table.show(wrong)
    assert table.session.state is State.FOUL
    table.show(None)
    table.show(after)
    assert table.session.state is State.ROLL


@pytest.mark.parametrize(("moves", "state"), [(Moves.RESPONSIBLE, State.PLAY), (Moves.LEGAL, State.FOUL)])
def test_who_throws_on_a_foul_lets_it_stand_where_that_was_agreed(
    tmp_path: Path, moves: Moves, state: State
) -> None:
    table = Table(tmp_path, moves=moves)
    opened(table)
    dice = thrown("black", 6, 3)
    table.show(table.position.looks(), *dice)
    foul = {**table.position.looks(), "p1": ("black",), "p9": ("black",)}
    table.show(foul, *dice)
    table.show(foul)
    assert table.session.state is State.FOUL
    table.show(foul, thrown("white", 4, 2)[0])
    assert table.session.state is State.FOUL  # one is in the cup
    table.show(foul, *thrown("white", 4, 2))
    assert table.session.state is state
    table.journal.close()


def test_a_play_that_fits_other_dice_is_asked_about(table: Table) -> None:
    opened(table)
    mine = thrown("black", 6, 3, sure=0.993)
    table.show(table.position.looks(), *mine)
    assert table.session.table is not None
    assert table.session.table.unrolled is not None
    played = table.session.table.unrolled.position.roll((6, 5))
    after = next(iter(played.plays())).after.looks()
    table.show(after, *mine)
    table.show(after)
    assert table.session.state is State.ASKED
    pending = table.session.table.pending
    assert pending is not None
    assert pending.candidates[0].startswith("65: ")


def test_with_the_button_dice_may_lie_on(tmp_path: Path) -> None:
    table = Table(tmp_path, replace(STRICT, picking_up=False))
    dice = table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, dice[1])
    assert table.session.state is State.PLAY
    table.show(after, *dice)
    table.take(_done(table, "white"))
    assert table.session.state is State.ROLL
    table.show(after, *dice)  # spent: no throw of Black's, though one lies in Black's half
    assert table.session.state is State.ROLL
    table.show(after, *dice, die(1, 20.0), die(3, 23.0))
    assert table.session.table is not None
    assert table.session.table.dice == (1, 3)
    table.journal.close()


def _done(table: Table, side: str) -> Stimulus:
    return Press(t=table.t, button=Button.DONE, side=side, evidence=Evidence.certain(table.looks))


def test_dice_of_the_last_roll_that_lie_there_at_a_restart_are_no_throw(tmp_path: Path) -> None:
    table = Table(tmp_path, replace(STRICT, strict=False, picking_up=False))
    equal = table.open(4, 4)
    table.watcher.begin_match("hands-free", table.position.rules, ())
    table.show(table.position.looks(), *equal)
    assert len([each for each in table.events if isinstance(each, Roll)]) == 1
    dice = table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    table.take(Pressed(table.t, "white", Button.DONE))
    table.watcher.begin_match("hands-free", table.position.rules, ())
    table.show(after, *dice)
    assert (table.session.state, table.told) == (State.ROLL, "")
    table.show(after, *dice, *thrown("black", 6, 3))
    assert table.session.state is State.PLAY
    table.journal.close()


def test_dice_that_lie_there_at_a_restart_are_the_roll_that_is_played(table: Table) -> None:
    opened(table)
    mine = thrown("black", 6, 3)
    table.show(table.position.looks(), *mine)
    table.watcher.begin_match("hands-free", table.position.rules, [])
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *mine)
    table.show(after)
    assert table.session.state is State.ROLL


def test_where_the_table_rolls_dice_on_the_board_mean_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, source=DiceFrom.ROLLED)
    table.open(5, 2)
    assert table.session.state is State.OPENING
    table.journal.close()


def test_judgements_are_the_camera_s(table: Table) -> None:
    effects: list[object] = []
    table.referee._watchers = (*table.referee._watchers, lambda news: effects.extend(news.effects))
    opened(table)
    judged = [each for each in effects if isinstance(each, Judged)]
    assert [(each.verdict, each.by) for each in judged] == [("legal", "camera")]
