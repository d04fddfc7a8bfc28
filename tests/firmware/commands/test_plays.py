"""What may be played, a JSON line for a line."""

from __future__ import annotations

import io
import itertools
import json
import tracemalloc

import pytest

from engine import rules as games
from firmware.plays import LONGEST, TOLD, answers, cut, opened
from tests.engine.playing import game

START = {
    "turn": "white",
    "points": {"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5},
    "bar": [0, 0],
    "off": [0, 0],
}

STASH = [1] * 5 + [2] * 5 + [3] * 5
BORNE_OFF = {
    "points": {},
    "hand": {"white": [], "black": STASH},
    "bar": {},
    "off": {"white": STASH, "black": []},
}


def ask(*requests):
    return [
        json.loads(answer)
        for answer in answers(
            request if isinstance(request, str) else json.dumps(request) for request in requests
        )
    ]


def test_every_play_has_its_move_its_result_and_its_outcome():
    (answer,) = ask({"rules": "backgammon", "position": START, "dice": [3, 1]})
    assert len(answer["plays"]) == 16
    assert answer["outcome"] is None
    (play,) = (play for play in answer["plays"] if play["move"] == "8/5 6/5")
    assert play["outcome"] is None
    assert play["after"] == {
        "rules": "backgammon",
        "turn": "black",
        "points": {"24": 2, "19": -5, "17": -3, "13": 5, "12": -5, "8": 2, "6": 4, "5": 2, "1": -2},
        "bar": [0, 0],
        "off": [0, 0],
    }


def test_a_play_that_ends_the_game_says_how():
    (answer,) = ask(
        {
            "rules": "zombie",
            "position": {"turn": "white", "points": {"1": 1, "12": -14}, "bar": [0, 1]},
            "dice": [2, 1],
        }
    )
    assert [play["outcome"] for play in answer["plays"]] == [
        {"winner": "white", "kind": "double backgammon", "points": 4}
    ]
    assert "turn" not in answer["plays"][0]["after"]


def test_a_position_may_be_written_as_other_programs_do():
    plain, gnu, given, rolled = ask(
        {"position": START | {"rules": "backgammon"}, "dice": [3, 1]},
        {"position": "4HPwATDgc/ABMA", "dice": [3, 1]},
        {"position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "dice": [3, 1]},
        {"rules": "backgammon", "position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"},
    )
    assert plain["plays"]
    assert plain == gnu == given == rolled


def test_who_cannot_move_has_one_play():
    (answer,) = ask(
        {
            "rules": "backgammon",
            "position": {"turn": "white", "points": {"24": 1, "18": -8, "19": -7}, "off": [14, 0]},
            "dice": [6, 5],
        }
    )
    assert [play["move"] for play in answer["plays"]] == ["pass"]


def test_a_finished_game_has_no_plays_but_its_outcome():
    (answer,) = ask(
        {"rules": "backgammon", "position": {"points": {"24": -3}, "off": [15, 12]}, "dice": None}
    )
    assert answer == {"plays": [], "outcome": {"winner": "white", "kind": "single", "points": 1}}


def test_before_the_opening_roll_the_dice_say_who_begins():
    first, equal = ask(
        {"rules": "siegegammon", "position": games.get("siegegammon").start({}).to_json(), "dice": [2, 5]},
        {"rules": "siegegammon", "position": games.get("siegegammon").start({}).to_json(), "dice": [2, 2]},
    )
    assert all(play["after"]["turn"] == "white" for play in first["plays"])
    assert "rolled again" in equal["error"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{", "not JSON"),
        ("[" * 100000, "not JSON"),
        ("[]", "must be an object"),
        (
            '{"rules": "zombie", "rules": "backgammon", "position": {}, "dice": null}',
            "the key 'rules' stands in an object twice",
        ),
        (
            json.dumps({"position": START | {"rules": "backgammon"}}).replace('"8": 3', '"8": 3, "8": 2'),
            "the key '8' stands in an object twice",
        ),
        (
            {"rules": "icegammon", "position": games.get("icegammon").start({}).to_json(), "dice": [2, 5]},
            "only says that black begins",
        ),
        ({"rules": "icegammon", "position": BORNE_OFF, "dice": [1, 2, 3]}, "the game is over"),
        ({"rules": "go", "position": START, "dice": [1, 2]}, "unknown game 'go'"),
        ({"rules": None, "position": START, "dice": [1, 2]}, "must name a game"),
        ({"rules": ["backgammon"], "position": START, "dice": [1, 2]}, "must name a game"),
        ({"rules": "backgammon", "position": 7, "dice": [1, 2]}, '"position" must be an object'),
        ({"rules": "backgammon", "dice": [1, 2]}, '"position" must be an object'),
        ({"position": "hello", "dice": [1, 2]}, '"position" must be an object, an XGID or a GNU position ID'),
        ({"position": "XGID=x", "dice": [1, 2]}, "is not an XGID"),
        ({"rules": "zombie", "position": "4HPwATDgc/ABMA", "dice": [1, 2]}, "not of 'zombie'"),
        ({"rules": "backgammon", "position": {**START, "turn": "red"}, "dice": [1, 2]}, "neither"),
        ({"rules": "backgammon", "position": START}, "2 dice are due"),
        ({"rules": "backgammon", "position": START, "dice": [1]}, "two dice"),
        ({"rules": "backgammon", "position": START, "dice": [1, 7]}, "two dice"),
        ({"rules": "backgammon", "position": START, "dice": [1, [2]]}, "two dice"),
        ({"rules": "backgammon", "position": START, "dice": []}, "two dice"),
        ({"rules": "backgammon", "position": START, "dice": "31"}, "must be a list"),
        (
            {"rules": "zombie", "position": {**START, "last_roll": {"final": False}}, "dice": [3, 1]},
            "last_roll must be",
        ),
    ],
)
def test_a_bad_line_is_named_by_its_number_and_the_rest_goes_on(line, error):
    good = {"rules": "backgammon", "position": START, "dice": [3, 1]}
    first, bad, last = ask(good, line, good)
    assert error in bad["error"]
    assert bad["line"] == 2
    assert first == last
    assert len(last["plays"]) == 16


def test_a_file_may_begin_with_a_byte_order_mark_and_end_its_lines_as_windows_does():
    line = json.dumps({"rules": "backgammon", "position": START, "dice": [3, 1]})
    first, second = map(json.loads, answers(cut(io.StringIO(f"\ufeff{line}\r\n{line}\r\n", newline=""))))
    assert first == second
    assert len(first["plays"]) == 16


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_be_written_as_windows_does(encoding):
    line = json.dumps({"rules": "backgammon", "position": START, "dice": [3, 1]})
    file = io.BufferedReader(io.BytesIO(f"{line}\r\n{line}\r\n".encode(encoding)))
    first, second = map(json.loads, answers(cut(opened(file))))
    assert first == second
    assert len(first["plays"]) == 16


def test_a_position_written_over_several_lines_is_told_to_be_whole_on_one():
    first, *_ = ask(*json.dumps({"rules": "backgammon", "position": START}, indent=1).splitlines())
    assert first == {
        "error": (
            "not JSON: Expecting property name enclosed in double quotes, at character 2; give it whole on"
            " one line"
        ),
        "line": 1,
    }


def test_the_game_may_be_named_in_the_position_alone():
    one, other = ask(
        *(
            {"rules": name, "position": {"rules": "backgammon", **START}, "dice": [3, 1]}
            for name in (None, "backgammon")
        )
    )
    assert one == other


def test_a_line_without_end_is_cut_and_counted_once():
    line = json.dumps({"rules": "backgammon", "position": START, "dice": [3, 1]})
    long, good = map(json.loads, answers(cut(io.StringIO("x" * (2 * LONGEST + 5) + "\n" + line))))
    assert long == {
        "error": f"the line is longer than {LONGEST} characters; give one position a line",
        "line": 1,
    }
    assert len(good["plays"]) == 16


def test_an_error_does_not_quote_a_book():
    (bad,) = ask({"rules": "backgammon", "position": {**START, "turn": "x" * 100_000}, "dice": [3, 1]})
    assert len(bad["error"]) < TOLD + 10


def test_no_dice_may_be_an_empty_list_where_none_are_rolled():
    null, empty = ask(
        *(
            {"rules": "backgammon", "position": {"points": {"24": -3}, "off": [15, 12]}, "dice": dice}
            for dice in (None, [])
        )
    )
    assert null == empty


def test_blank_lines_are_skipped_but_counted():
    (bad,) = ask("", "  \n", "x")
    assert bad["line"] == 3


@pytest.mark.parametrize("name", games.names())
def test_every_game_answers_from_its_stable_json(name):
    rules = games.get(name)
    for before, action, after in itertools.islice(game(rules, 3), 24):
        if before.turn is None or (before.dice_due == 0) != (before.rules.read(before.to_json()) == before):
            continue
        if isinstance(action, tuple):
            (answer,) = ask({"rules": name, "position": before.to_json(), "dice": list(action)})
            assert {play["move"] for play in answer["plays"]} == {play.text for play in after.plays()}
        else:
            (answer,) = ask({"rules": name, "position": before.to_json(), "dice": None})
            assert action.after.to_json() in [play["after"] for play in answer["plays"]]


def test_lines_are_answered_one_by_one_in_constant_memory():
    line = json.dumps({"rules": "backgammon", "position": START, "dice": [3, 1]})
    stream = answers(itertools.repeat(line))  # endless: only a stream can answer it
    next(stream)
    tracemalloc.start()
    for _ in range(20):
        next(stream)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        next(stream)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000
