"""Habits of real match files that no dialect's grammar has: what players and servers really leave in them.

The texts are our own; each has one trait that a published file of that program has.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from engine.record import Played, Resigned, Result, Rolled, Stood
from firmware import formats
from firmware.formats import sgf
from firmware.formats.board import BoardCounts

HEAD = " {length} point match\n\n Game 1\n Ada : {a}                        Ben : {b}\n"


def read(rows: str, length: int = 7, score: tuple[int, int] = (0, 0), tags: str = "") -> formats.Imported:
    return formats.read(tags + HEAD.format(length=length, a=score[0], b=score[1]) + rows)


def test_a_checker_moved_backwards_is_a_play_that_stood() -> None:
    found = read("  1) 31: 8/5 6/8                 64: 24/14\n  2) 21: 13/11 24/23\n")
    [game] = found.record.games
    stood, last = game.actions[1], game.actions[-1]
    assert isinstance(stood, Stood)
    assert isinstance(last, Played)
    white = BoardCounts.from_json(stood.after).own[0]
    assert [white[point] for point in (8, 6, 5)] == [3, 4, 1]
    [note] = found.notes
    assert (note.line, note.lost) == (5, False)
    assert "taken as an illegal play that stood" in note.text


@pytest.mark.parametrize("hop", ["0/4", "6/bar", "6/6"])
def test_a_checker_cannot_come_back_from_off_nor_go_to_the_bar_by_itself(hop: str) -> None:
    [note] = read(f"  1) 31: 8/5 {hop}                 64: 24/14\n").notes
    assert note.lost
    assert note.line == 5


@pytest.mark.parametrize(
    ("said", "score", "grade", "points"),
    [
        ("Wins 1 point and the match", (6, 0), "single", 2),  # cut to what the match needed
        ("Wins 3 points and the match", (4, 0), "gammon", 4),
        ("Wins 1004 point", (6, 0), "single", 2),  # Backgammon Studio at the end of a match
    ],
)
def test_points_cut_to_the_match_or_beyond_all_bounds_are_the_least_grade_that_wins_it(
    said: str, score: tuple[int, int], grade: str, points: int
) -> None:
    found = read(
        "  1) 31: 8/5 6/5                 Doubles => 2\n  2) Takes                        64: ????\n  3) "
        f" {said}\n",
        score=score,
    )
    [game] = found.record.games
    assert game.actions[-1] == Resigned("black", grade)
    assert game.result is not None
    assert (game.result.winner, game.result.points) == ("white", points)
    [note] = found.notes
    assert note.line == 7
    assert "the least that wins the match" in note.text
    assert formats.read(formats.write(found.record, "sgf")).record == sgf.kept(found.record)


def test_points_beyond_all_bounds_are_what_the_next_game_says() -> None:
    rows = (
        "  1) 31: 8/5 6/5                 64: ????\n  2)  Wins 1002 point\n\n Game 2\n Ada : 2   Ben : 0\n "
        " 1) 31: 8/5 6/5\n"
    )
    found = read(rows)
    game = found.record.games[0]
    assert game.actions[-1] == Resigned("black", "gammon")
    assert [note.line for note in found.notes] == [6]
    assert "the next game's score says 2" in found.notes[0].text


def test_a_match_that_was_not_played_keeps_its_points() -> None:
    found = read("  1)\n   Wins 7 points and the match\n")
    [game] = found.record.games
    assert game.result is not None
    assert (game.result.winner, game.result.points, game.actions) == ("white", 7, ())
    again = formats.read(formats.write(found.record, "sgf"))
    assert again.record.games == found.record.games


@pytest.mark.parametrize(
    ("tags", "players", "remark"),
    [
        (("Ada Lovelace", "Ben Bernoulli"), ("Ada Lovelace", "Ben Bernoulli"), ""),
        (
            ("Ben Bernoulli", "Ada Lovelace"),
            ("Ada Lovelace", "Ben Bernoulli"),
            "",
        ),  # the other way round, as XG has it
        (("Charles B.", "Ada Lovelace"), ("Ada Lovelace", "Charles B."), "Charles B.: Ben"),
        (("Ada", "Charles"), ("Ada", "Charles"), "Charles: Ben"),
        (("Ada", ""), ("Ada", "Ben"), ""),
        (("Charles", "Dora"), ("Ada", "Ben"), "Player 1: Charles\nPlayer 2: Dora"),
        (("Ada Ben", "Ben Ada"), ("Ada", "Ben"), "Player 1: Ada Ben\nPlayer 2: Ben Ada"),
        (("Adam", "Benjamin"), ("Ada", "Ben"), "Player 1: Adam\nPlayer 2: Benjamin"),
    ],
)
def test_players_are_those_of_the_tags_where_the_names_themselves_say_who_is_who(
    tags: tuple[str, str], players: tuple[str, str], remark: str
) -> None:
    header = "".join(f'; [Player {number} "{name}"]\n' for number, name in enumerate(tags, 1) if name)
    found = read("  1) 31: 8/5 6/5\n", tags=header)
    assert found.record.players == players
    assert found.record.comment == remark
    assert bool(found.notes) == bool(remark)
    again = formats.read(formats.write(found.record, "mat"))
    assert (again.record, again.notes) == (found.record, ())


def test_a_date_that_is_only_a_year_is_kept_as_a_remark() -> None:
    found = read("  1) 31: 8/5 6/5\n", tags='; [Event "Main"]\n; [EventDate "1981"]\n')
    assert (found.record.date, found.record.comment) == ("", "Eventdate: 1981")
    assert [(note.line, note.lost) for note in found.notes] == [(2, False)]


@pytest.mark.parametrize("day", ["2026.13.45", "2026.02.30", "0000.01.01", "2026.03.011"])
def test_a_day_that_no_calendar_has_is_kept_as_a_remark(day: str) -> None:
    found = read("  1) 31: 8/5 6/5\n", tags=f'; [EventDate "{day}"]\n')
    assert (found.record.date, found.record.comment) == ("", f"Eventdate: {day}")
    tree = formats.write(found.record, "sgf").replace("GM[6]", f"GM[6]DT[{day}]")
    again = formats.read(tree)
    assert again.record.date == ""
    assert again.record.comment.endswith(f"DT: {day}")
    assert [note.lost for note in again.notes] == [False]


def test_of_several_days_of_a_tree_the_first_is_the_matchs() -> None:
    tree = formats.write(read("  1) 31: 8/5 6/5\n").record, "sgf")
    found = formats.read(tree.replace("GM[6]", "GM[6]DT[1996-05-06,07]"))
    assert (found.record.date, found.notes) == ("1996-05-06", ())


@pytest.mark.parametrize("odd", ["77: 8/5 6/5", "31 8/5 6/5", "bar/22 24/23"])
def test_a_play_whose_roll_cannot_be_read_is_a_part_that_is_missing(odd: str) -> None:
    found = read(f"  1) {odd:28}64: 24/14\n")
    assert (found.notes[0].line, found.notes[0].lost) == (5, True)
    assert f"not understood: {odd!r}" in found.notes[0].text


def test_a_line_that_is_far_too_long_is_told_in_a_line() -> None:
    found = read(f"  1) 31: 8/5 6/5                 64: 24/14\n{'x' * 9000}\n  2) 21: {'9' * 9000}/1\n")
    assert [note.line for note in found.notes] == [6, 7]
    assert all(len(str(note)) < 600 for note in found.notes)


@pytest.mark.parametrize("cube", [0, 3, 6])
def test_a_stake_that_no_cube_shows_is_refused(cube: int) -> None:
    with pytest.raises(formats.FormatError, match=f"a cube shows 1, 2, 4, 8 and so on, never {cube}"):
        read("  1) 31: 8/5 6/5\n", tags=f'; [Stake "Game 1: {cube}"]\n')


def test_a_game_without_a_last_line_is_what_the_next_ones_score_says() -> None:
    rows = (
        "  1) 31: 8/5 6/5                 64: 24/14\n  2) Resigns\n\n Game 2\n Ada : 0   Ben : 2\n  1) 31:"
        " 8/5 6/5\n"
    )
    for text in (rows, rows.replace("  2) Resigns\n", "")):
        found = read(text)
        assert found.record.games[0].actions[-1] == Resigned("white", "gammon")
        [note] = found.notes
        assert note.line == (6 if "Resigns" in text else 5)
        assert "the next one's score gives black 2" in note.text


def test_a_resignation_worth_nobody_knows_what_is_told_and_a_game_under_way_is_not() -> None:
    rows = "  1) 31: 8/5 6/5                 64: 24/14\n"
    assert read(rows).notes == ()
    found = read(rows + "  2) Resigns\n")
    assert found.record.games[0].result is None
    assert [(note.line, "left without an end" in note.text) for note in found.notes] == [(6, True)]


def test_a_double_at_match_point_in_the_first_game_of_a_file_says_that_the_crawford_game_is_over() -> None:
    doubled = (
        "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Drops                       Wins 1 point\n"
    )
    found = read(doubled, score=(3, 6))
    assert found.record.terms.crawford_over
    assert not found.record.games[0].crawford
    assert found.notes == ()
    dump = "(7;0;1;0;0;Ben;Ada;0;6;3;1;0;0;1;1;2;2;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;-1;0;0;-2;0;0;0;0;)"
    assert read(f"  1) 25: Illegal play {dump}  Doubles => 2\n", score=(3, 6)).record.terms.crawford_over
    assert read("  1) 31: 8/5 6/5\n", score=(3, 6)).record.games[0].crawford


def test_a_double_in_the_crawford_game_is_told() -> None:
    played = (
        "  1) 31: 8/5 6/5\n                                  Wins 3 points\n\n Game 2\n Ada : 0   Ben : 6\n"
    )
    found = read(
        played
        + "  1) 31: 8/5 6/5                 64: 24/14\n  2)  Doubles => 2                Drops\n      Wins 1"
        " point\n",
        score=(0, 3),
    )
    assert [(note.line, '[Crawford "Off"]' in note.text) for note in found.notes] == [(11, True)]


@pytest.mark.parametrize(("points", "jacoby"), [(1, True), (2, False)])
def test_what_an_undoubled_gammon_counts_says_whether_the_jacoby_rule_was_played(
    points: int, jacoby: bool
) -> None:
    names = " Ann : 0                        Bob : 0\n"
    board = "; Set Pos=-A----------------------o-/0\n"
    text = f" 0 point match\n\n Game 1\n{names}{board}  1) 21: 1/0\n      Wins {points} point\n"
    read = formats.read(text)
    assert [note.text for note in read.notes if "Jacoby rule was played" not in note.text] == []
    assert (read.record.terms.jacoby, bool(read.notes)) == (jacoby, jacoby)
    assert read.record.score == (points, 0)


OPENINGS = """ 5 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             31: 8/5 6/5
  2) 64: 24/18 13/9              52: 13/11 13/8
  3) 31: 8/5 6/5                 64: 24/14
      Wins 1 point
"""


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "\n".join(" ".join(line.split()) for line in text.split("\n")),
        lambda text: re.sub(" {10,}", "\t", text),
        lambda text: text.replace("13/8\n", "13/8 ; 31: takes more, or Doubles\n"),
        lambda text: text + "\0" * 512,
        lambda text: text.replace("\n", "\r\n") + "\x1a",
    ],
    ids=["blanks lost", "one tab for many", "a remark behind", "padded by a disk", "DOS"],
)
def test_what_editors_and_disks_do_to_a_file_costs_nothing(damage: Callable[[str], str]) -> None:
    assert formats.read(damage(OPENINGS).encode()) == formats.read(OPENINGS)


@pytest.mark.parametrize("following", [True, False])
def test_a_last_line_without_points_is_worth_what_the_next_game_says_or_nothing(following: bool) -> None:
    text = OPENINGS.replace("Wins 1 point", "Wins")
    read = formats.read(text + (" Game 2\n Ann : 2                  Bob : 0\n" if following else ""))
    (note,) = read.notes
    result = read.record.games[0].result
    assert not note.lost
    if following:
        assert result == Result("white", "gammon", 2, "resigned")
        assert "the next one's score gives white 2" in note.text
    else:
        assert result is None
        assert (note.line, "left without an end" in note.text) == (8, True)


@pytest.mark.parametrize(("end", "plays"), [("24/1", 4), ("24/14", 5), ("13/8", 3), ("13/", 2)])
def test_a_play_at_which_the_file_is_cut_off_is_no_foul(end: str, plays: int) -> None:
    text = OPENINGS[: OPENINGS.rindex(end) + len(end)]
    read = formats.read(text)
    assert [type(action) for action in read.record.games[0].actions if not isinstance(action, Rolled)] == (
        [Played] * plays
    )
    assert [note.lost for note in read.notes] == ([] if plays in (3, 5) else [True])
