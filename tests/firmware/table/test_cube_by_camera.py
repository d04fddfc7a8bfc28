"""Doubles, takes and drops without a button: the cube is followed where it lies."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.events import Button, Correct, Press
from engine.match import Terms
from engine.match_state import State
from firmware.assemble import dice_watchers
from firmware.settings.config import parse
from firmware.table.cube_watcher import CubeWatcher
from firmware.table.dice_watcher import DiceWatcher
from firmware.table.live import LiveEyes
from hardware.protocols import Pressed
from tests.firmware.hands_free import Table, thrown
from tests.vision.boards import rig
from vision.checkers.reader import CheckersReader
from vision.dice import DoublingCube

WIDTH, HEIGHT = 55.6, 44.48
BAR = WIDTH / 2
MIDDLE, FIELD, OTHER_FIELD = (BAR, HEIGHT / 2), (42.0, 22.0), (12.0, 20.0)
WHITES, BLACKS = (BAR, 1.0), (BAR, HEIGHT - 1.0)
"""Where White, who sits at points 1 to 12, and Black keep the cube."""
ASIDE = (-2.0, 40.0)
"""On the rim at Black's left hand, where some keep it in the middle."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path, length=5, board=CheckersReader(rig("blue")))
    yield made
    made.journal.close()


def lay(table: Table, place: tuple[float, float] | None) -> None:
    """The cube is laid there by a hand; None: out of view."""
    table.show(None)
    table.cube = None if place is None else DoublingCube(None, (0.0, 0.0), 0.5, place, 3.0)
    table.show(table.position.looks())


def opened(table: Table, home: tuple[float, float] | None = MIDDLE) -> None:
    """White has opened and picked the dice up; it is Black's turn."""
    lay(table, home)
    dice = table.open(5, 2)
    after = table.position.find("13/8 24/22").after.looks()
    table.show(after, *dice)
    table.show(after)
    assert (table.session.state, table.position.turn) == (State.ROLL, "black")


def turn(table: Table) -> None:
    """Whoever is on turn throws, plays and picks the dice up."""
    dice = thrown(table.position.turn or "", 6, 3)
    table.show(table.position.looks(), *dice)
    assert table.session.state is State.PLAY
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *dice)
    table.show(after)


def stake(table: Table) -> tuple[int, str | None]:
    assert table.session.table is not None
    return table.session.table.cube.value, table.session.table.cube.owner


def presses(table: Table) -> list[tuple[Button, str | None]]:
    made = [each for each in table.events if isinstance(each, Press) and each.button is not Button.DONE]
    return [(each.button, each.side) for each in made]


@pytest.mark.parametrize("home", [MIDDLE, ASIDE, None])
def test_laid_out_it_is_a_double_and_at_the_opponents_side_a_take(
    table: Table, home: tuple[float, float] | None
) -> None:
    opened(table, home)
    lay(table, FIELD)
    assert table.session.state is State.OFFERED
    lay(table, WHITES)
    assert (table.session.state, stake(table)) == (State.ROLL, (2, "white"))
    turn(table)
    assert table.position.turn == "white"
    lay(table, OTHER_FIELD)  # White redoubles
    lay(table, BLACKS)
    assert stake(table) == (4, "black")
    made = [
        (Button.DOUBLE, "black"),
        (Button.TAKE, "white"),
        (Button.DOUBLE, "white"),
        (Button.TAKE, "black"),
    ]
    assert presses(table) == made
    assert (table.told, table.refused) == ("", [])


def test_laid_at_the_opponents_side_it_is_offered_and_taken_when_the_dice_are_thrown(table: Table) -> None:
    opened(table)
    lay(table, WHITES)
    assert table.session.state is State.OFFERED
    table.show(None)
    table.show(table.position.looks())
    assert table.session.state is State.OFFERED  # it lies there still: White is thinking
    table.show(table.position.looks(), *thrown("black", 6, 3))
    assert (table.session.state, stake(table)) == (State.PLAY, (2, "white"))


@pytest.mark.parametrize("place", [FIELD, WHITES])
def test_a_beaver_is_pressed_and_taken_when_the_dice_are_thrown(
    tmp_path: Path, place: tuple[float, float]
) -> None:
    terms = Terms(length=0, beavers=1)
    table = Table(tmp_path, terms=terms, board=CheckersReader(rig("blue")))
    opened(table)
    lay(table, place)
    table.take(Pressed(table.t, "white", Button.DOUBLE))
    lay(table, WHITES)  # who beavers keeps it
    assert (table.session.state, table.session.due, table.told) == (State.OFFERED, "black", "")
    table.show(table.position.looks(), *thrown("black", 6, 3))
    assert (table.session.state, stake(table), table.told) == (State.PLAY, (4, "white"), "")
    table.journal.close()


def test_who_throws_before_the_double_is_answered_is_told_what_is_missing(table: Table) -> None:
    opened(table)
    lay(table, FIELD)
    table.show(table.position.looks(), *thrown("black", 6, 3))
    assert (table.session.state, table.told) == (
        State.OFFERED,
        "the dice do not count yet: white must take or drop",
    )
    table.take(Pressed(table.t, "white", Button.TAKE))
    assert table.session.state is State.PLAY


@pytest.mark.parametrize("place", [OTHER_FIELD, BLACKS])
def test_who_has_closed_the_opponent_out_doubles_at_once(table: Table, place: tuple[float, float]) -> None:
    opened(table)
    points = {**dict.fromkeys("123456", 2), "8": 3, "19": -14}
    held = {"turn": "black", "points": points, "bar": [0, 1], "off": [0, 0]}
    table.take(Correct(t=table.t, position=held))
    table.show(table.position.looks())
    lay(table, place)
    assert (table.session.state, presses(table)) == (State.OFFERED, [(Button.DOUBLE, "white")])
    lay(table, (BAR, HEIGHT - 4.0))
    table.show(table.position.looks(), *thrown("white", 6, 3))
    assert (table.position.turn, table.position.dice, stake(table)) == ("white", (6, 3), (2, "black"))


def test_dice_that_are_first_seen_with_the_double_count_once_it_is_taken(table: Table) -> None:
    opened(table)
    dice = thrown("black", 6, 3)
    for place in (FIELD, WHITES):
        table.show(None)
        table.cube = DoublingCube(None, (0.0, 0.0), 0.5, place, 3.0)
        table.show(table.position.looks(), *dice)
    assert (stake(table), table.position.dice) == ((2, "white"), (6, 3))


def test_a_board_that_is_set_up_after_a_double_is_a_drop(table: Table) -> None:
    start = table.position.looks()
    opened(table)
    lay(table, FIELD)
    lay(table, MIDDLE)
    assert table.session.state is State.OFFERED  # a sleeve may have moved it
    assert "black has doubled: white takes the cube, or the board is set up" in table.told
    table.show(start)
    assert table.session.state is State.OVER
    assert table.session.table is not None
    assert table.session.table.match.score == (0, 1)
    assert presses(table) == [(Button.DOUBLE, "black"), (Button.DROP, "white")]
    assert table.told == ""


def test_what_is_told_of_a_double_ends_with_it_without_another_picture(table: Table) -> None:
    opened(table)
    lay(table, FIELD)
    lay(table, MIDDLE)
    assert "black has doubled" in table.told
    table.take(Pressed(table.t, "white", Button.DROP))
    assert (table.session.state, table.told) == (State.OVER, "")


def test_a_cube_that_was_never_moved_asks_for_nothing(table: Table) -> None:
    opened(table)
    for _ in range(3):
        turn(table)
    lay(table, None)  # hidden for once
    lay(table, (MIDDLE[0] + 1.0, MIDDLE[1]))  # and a little aside
    turn(table)
    assert (presses(table), table.told) == ([], "")


@pytest.mark.parametrize("home", [MIDDLE, ASIDE])
def test_a_cube_that_the_last_game_left_at_a_side_is_not_in_the_middle(
    table: Table, home: tuple[float, float]
) -> None:
    start = table.position.looks()
    opened(table, home)
    lay(table, WHITES)  # Black doubles
    turn_of = thrown("black", 6, 3)
    table.show(table.position.looks(), *turn_of)
    assert stake(table) == (2, "white")
    table.take(Pressed(table.t, "black", Button.RESIGN))
    table.take(Pressed(table.t, "white", Button.TAKE))
    table.show(None)
    table.show(start)
    assert (table.session.state, table.told) == (State.OPENING, "a game begins: lay the cube in the middle")
    dice = table.open(2, 5)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *dice)
    table.show(after)
    assert (table.session.state, table.position.turn) == (State.ROLL, "white")
    assert "the cube belongs in the middle" in table.told
    before = len(presses(table))
    lay(table, home)
    assert (table.session.state, len(presses(table)), table.told) == (State.ROLL, before, "")


@pytest.mark.parametrize("home", [MIDDLE, ASIDE])
def test_after_a_restart_it_is_known_where_the_last_game_has_left_the_cube(
    table: Table, home: tuple[float, float]
) -> None:
    start = table.position.looks()
    opened(table, home)
    lay(table, FIELD)
    lay(table, WHITES)
    for side, button in (("black", Button.RESIGN), ("white", Button.TAKE)):
        table.take(Pressed(table.t, side, button))
    table.restart()
    table.show(start)
    assert (table.session.state, table.told) == (State.OPENING, "a game begins: lay the cube in the middle")
    table.restart()
    dice = table.open(2, 5)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *dice)
    table.restart()
    table.show(after, *dice)
    table.show(after)
    assert "the cube belongs in the middle" in table.told
    before = len(presses(table))
    lay(table, home)
    assert (table.session.state, len(presses(table)), table.told) == (State.ROLL, before, "")


def test_a_double_after_the_throw_does_not_count_and_is_told(table: Table) -> None:
    opened(table)
    dice = thrown("black", 6, 3)
    table.show(table.position.looks(), *dice)
    table.cube = replace(table.cube, place=FIELD) if table.cube else None
    table.show(table.position.looks(), *dice)
    assert (table.session.state, presses(table)) == (State.PLAY, [])
    assert "nobody has doubled: the cube belongs in the middle" in table.told
    table.show(None)
    after = next(iter(table.position.plays())).after.looks()
    table.show(after, *dice)
    table.show(after)
    assert table.session.state is State.ROLL
    assert presses(table) == []  # it lies on the field since before White's turn
    lay(table, MIDDLE)
    assert table.told == ""


def test_who_does_not_own_the_cube_may_not_double(table: Table) -> None:
    opened(table)
    lay(table, FIELD)
    lay(table, WHITES)
    turn(table)
    turn(table)
    assert table.position.turn == "black"
    lay(table, FIELD)
    assert "the cube is white's" in table.told
    assert (table.session.state, stake(table)) == (State.ROLL, (2, "white"))
    lay(table, WHITES)
    assert table.told == ""


def test_buttons_and_the_cube_do_not_get_into_each_others_way(table: Table) -> None:
    opened(table)
    table.take(Press(t=table.t, button=Button.DOUBLE, side="black"))
    lay(table, WHITES)  # Black lays it out there
    assert table.session.state is State.OFFERED
    table.take(Press(t=table.t, button=Button.TAKE, side="white"))
    lay(table, FIELD)
    assert "the cube is white's" in table.told
    lay(table, WHITES)
    turn(table)
    assert (table.position.turn, table.told) == ("white", "")


def test_after_a_restart_a_cube_that_lies_there_asks_for_nothing(table: Table) -> None:
    opened(table)
    table.cubes.begin_match("hands-free", table.position.rules, [])
    lay(table, FIELD)
    assert (table.session.state, presses(table)) == (State.ROLL, [])
    lay(table, MIDDLE)
    lay(table, FIELD)
    assert table.session.state is State.OFFERED


def test_where_the_rules_allow_no_double_a_cube_that_is_laid_out_is_refused_in_words(tmp_path: Path) -> None:
    table = Table(tmp_path, length=1, board=CheckersReader(rig("blue")))
    opened(table)
    lay(table, FIELD)
    assert presses(table) == []
    assert "this is the Crawford game" in table.told
    table.journal.close()


@pytest.mark.parametrize(
    ("lines", "watchers"),
    [
        ('cube = "camera"', [CubeWatcher]),
        ('dice = "camera"', [DiceWatcher]),
        ('cube = "camera"\ndice = "camera"\ndone = "dice"', [CubeWatcher, DiceWatcher]),
        ("cube = true", []),
        ('dice = "players"', []),
    ],
)
def test_what_is_configured_is_watched(tmp_path: Path, lines: str, watchers: list[type]) -> None:
    eyes = LiveEyes(None)
    config = parse(f"[match]\n{lines}\n")
    found = dice_watchers(config, SimpleNamespace(eyes=eyes), tmp_path)  # type: ignore[arg-type]
    assert [type(each) for each in found] == watchers
    assert eyes.reads_dice == ("cube = true" not in lines)  # the players' own dice lie on checkers, too
    assert config.match.terms().cube
