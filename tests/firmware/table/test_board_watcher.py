"""Where the board is not as the game has it before a roll, players are told, and nobody is accused later."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import Button, DiceFrom
from engine.match_state import State
from hardware.protocols import Pressed
from tests.firmware.hands_free import STRICT, Table, thrown


@pytest.mark.parametrize("source", list(DiceFrom))
def test_a_checker_that_was_set_up_wrongly_is_told_before_the_roll(tmp_path: Path, source: DiceFrom) -> None:
    table = Table(tmp_path, replace(STRICT, picking_up=False), source=source)
    start = table.position.looks()
    table.show({**start, "p8": ("white",) * 2, "p7": ("white",)})
    assert "not as the game has it: white left 8, came to 7 (look at 7 and 8, as white counts)" in table.told
    table.show(None)
    table.show(start)
    assert table.told == ""
    table.journal.close()


def test_a_checker_that_is_pushed_aside_after_the_turn_is_told_to_who_is_to_roll(tmp_path: Path) -> None:
    table = Table(tmp_path)
    dice = table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    table.show(after)
    assert (table.session.state, table.told) == (State.ROLL, "")
    pushed = {**after, "p1": ("black",), "p2": ("black",)}
    table.show(pushed)
    assert "black left 24, came to 23" in table.told
    dice = thrown("black", 6, 3)
    table.show(pushed, *dice)
    assert table.session.state is State.PLAY
    assert "black left 24, came to 23" in table.told  # the dice may have pushed it
    table.show(None)
    table.show(after, *dice)
    assert table.told == ""
    table.show(table.position.find("24/15").after.looks(), *dice)
    table.take(Pressed(table.t, "black", Button.UNDO))  # the dice were others
    assert (table.session.state, table.told) == (State.ROLL, "")
    table.journal.close()


def test_a_board_that_is_set_up_anew_before_a_roll_is_told_once(tmp_path: Path) -> None:
    table = Table(tmp_path)
    start, dice = table.position.looks(), table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    table.show(after)
    table.show(start)
    assert table.told.count("the board is") == 1
    assert "who gives it up presses Resign" in table.told
    table.journal.close()


def test_a_board_that_is_being_set_up_is_no_news(tmp_path: Path) -> None:
    table = Table(tmp_path)
    looks = dict.fromkeys(table.position.looks(), ())
    table.show({**looks, "p24": ("white",) * 2, "p1": ("black",) * 2})
    assert table.told == ""
    table.journal.close()


def test_players_who_do_not_tell_their_dice_have_moved_before_they_are_known(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.boards._reads_dice = False
    table.show(table.position.roll((3, 1)).find("8/5 6/5").after.looks())
    assert table.told == ""
    table.journal.close()
