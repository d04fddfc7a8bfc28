"""XGIDs and GNU IDs: against gnubg's own encoders, and back."""

import gzip
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from engine import rules as games
from engine.position import Position
from engine.record import Action, Corrected, Doubled, GameRecord, MatchRecord, Resigned, Rolled, replay
from firmware import formats
from firmware.commands._positions import read_position, read_situation
from firmware.formats import ids, mat
from firmware.formats.board import SIDES, BoardCounts
from firmware.formats.ids import (
    Situation,
    of_gnu_id,
    of_position_id,
    of_text,
    of_xgid,
    xgid,
)
from firmware.formats.source import FormatError, Imported
from firmware.formats.xgid_import import of_situation
from tests.gnubg_ids import match_id, position_id
from tests.matches import simulate

ORACLE = Path(__file__).parents[2] / "data" / "oracle" / "ids.txt.gz"
START = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


class Known(NamedTuple):
    situation: Situation
    position: str
    match: str


@cache
def known() -> list[Known]:
    lines = []
    for line in gzip.decompress(ORACLE.read_bytes()).decode().splitlines():
        *numbers, position, match = line.split()
        white, black, rest = numbers[:25], numbers[25:50], numbers[50:]
        turn, dice, cube, owner, offered, first, second, length, crawford, jacoby = rest
        board = BoardCounts.of_counts([0, *map(int, white)], [0, *map(int, black)])
        placed: Position = games.get("backgammon").read(board.to_json("backgammon", SIDES[int(turn)]))
        if dice != "00":
            placed = placed.roll((int(dice[0]), int(dice[1])))
        situation = Situation(
            placed,
            int(cube),
            None if owner == "-" else SIDES[int(owner)],
            offered == "1",
            False,
            (int(first), int(second)),
            int(length),
            crawford == "1",
            jacoby == "1",
        )
        lines.append(Known(situation, position, match))
    return lines


def test_the_oracle_holds_ten_thousand_situations_of_every_kind() -> None:
    assert len(known()) == 10_000
    assert {one.situation.turn for one in known()} == {0, 1}
    assert {one.situation.offered for one in known()} == {False, True}
    assert {one.situation.cube for one in known()} >= {1, 2, 4, 8, 64, 512}


def test_position_ids_agree_with_gnubg() -> None:
    assert [position_id(one.situation.position) for one in known()] == [one.position for one in known()]


def test_match_ids_agree_with_gnubg() -> None:
    assert [match_id(one.situation) for one in known()] == [one.match for one in known()]


def test_gnu_ids_read_back_to_the_whole_situation() -> None:
    for one in known():
        read = of_gnu_id(f"{one.position}:{one.match}")
        assert sorted(read.position.dice) == sorted(one.situation.position.dice)
        assert replace(read, position=one.situation.position) == one.situation
        assert position_id(read.position) == one.position


def test_xgids_read_back_to_the_whole_situation() -> None:
    for one in known():
        assert of_xgid(xgid(one.situation)) == one.situation


def test_the_start_is_the_start_in_every_form() -> None:
    position = games.get("backgammon").start({})
    assert position_id(position) == START
    assert xgid(Situation(position)) == START_XGID
    assert BoardCounts.of(of_position_id(START)) == BoardCounts.of(position)


@pytest.mark.parametrize(
    ("text", "gnu"),
    [
        # gnubg 1.07: set xgid …, show board.
        ("XGID=-b----E-C---eE---c-e----B-:1:1:-1:63:2:1:0:7:10", "4HPwATDgc/ABMA:QQnvACAACAAE")
    ],
)
def test_an_xgid_means_what_gnubg_takes_it_for(text: str, gnu: str) -> None:
    situation = of_xgid(text)
    assert f"{position_id(situation.position)}:{match_id(situation)}" == gnu
    assert xgid(situation) == text


def test_an_xgid_is_from_the_bottom_players_view_whoever_is_on_roll() -> None:
    white = of_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10").position
    black = of_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:5:10").position
    assert (white.turn, black.turn) == ("white", "black")
    assert white.looks() == black.looks()


def test_letters_on_the_bars_are_the_sides_that_wait_there() -> None:
    """A real XG export: two of the top player's checkers on the bar, on place 0."""
    situation = of_xgid("XGID=b-A-BaC-D---cB---bBcbb--A-:0:0:-1:52:0:0:1:0:10")
    board = BoardCounts.of(situation.position)
    assert board.own[1][25] == 2
    assert situation.jacoby
    assert situation.position.dice == (5, 2)


@pytest.mark.parametrize("dice", ["D", "B", "R"])
def test_an_offered_cube_waits_without_dice(dice: str) -> None:
    situation = of_xgid(f"XGID=-b----E-C---eE---c-e----B-:1:1:1:{dice}:0:0:2:0:10")
    assert situation.offered
    assert situation.beavered == (dice != "D")
    assert situation.beavers


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("XGID=-b----E-C---eE---c-e----B:0:0:1:00:0:0:0:0:10", "not an XGID: 26 places"),
        ("XGID=-p----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "not an XGID"),
        ("XGID=-b----E-C---eE---c-e----Bb:0:0:1:00:0:0:0:0:10", "wrong case"),
        ("XGID=-O----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "white has 30 checkers"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:60:0:0:0:0:10", "one die only"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1", "not an XGID"),
    ],
)
def test_a_broken_xgid_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        of_xgid(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4HPwATDgc/ABM", "13 characters, not 14"),
        ("4HPwATDgc/AB*A", "not a GNU position ID"),
        ("//////////////", "checkers, and there are 15|more than two sides"),
        ("4HPwATDgc/ABMA:QQnvACAACAA", "11 characters, not 12"),
    ],
)
def test_a_broken_gnu_id_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        of_gnu_id(text)


def test_a_match_id_that_cannot_hold_the_score_is_refused() -> None:
    with pytest.raises(FormatError, match="does not fit"):
        match_id(Situation(games.get("backgammon").start({}), score=(40_000, 0)))


@pytest.mark.parametrize(
    "text",
    [
        START,
        f"{START}:cAkAAAAAAAAA",
        START_XGID,
        START_XGID.removeprefix("XGID="),
        f"Position: {START_XGID} to play",
    ],
)
def test_a_position_can_be_named_by_any_of_the_texts(text: str) -> None:
    assert BoardCounts.of(read_position(text)) == BoardCounts.of(games.get("backgammon").start({}))


@pytest.mark.parametrize(
    "content",
    [
        START,
        START_XGID,
        json.dumps(
            {
                "rules": "backgammon",
                "turn": "white",
                "points": {"6": 15, "19": -15},
                "bar": [0, 0],
                "off": [0, 0],
            }
        ),
    ],
)
def test_a_position_can_be_in_a_file(tmp_path: Path, content: str) -> None:
    file = tmp_path / "position.txt"
    file.write_text(content + "\n", encoding="utf-8")
    assert read_position(file) == read_position(str(file)) == read_position(content)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_page_about_a_position_may_be_in_any_encoding_of_windows(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "page.txt"
    file.write_bytes(f"{START_XGID}\r\n\r\nX:Müller   O:Bob\r\n".encode(encoding))
    assert read_position(file) == read_position(START_XGID)
    file.write_bytes("é;\n".encode(encoding) * 40)
    with pytest.raises(FormatError, match="holds no position"):
        read_position(file)


def test_a_json_position_of_another_game_is_read_by_its_rules(tmp_path: Path) -> None:
    position = games.get("siegegammon").start({})
    assert read_position(json.dumps(position.to_json())) == position


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "neither a file nor a position"),
        ("", "neither a file nor a position"),
        ("{", "line 1, column 2: not JSON"),
        ('{"rules": "chess"}', "unknown game 'chess'"),
        ('{"points": {"6": 20}, "turn": "white", "bar": [0, 0], "off": [0, 0]}', "no possible position"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read_position(text)


def test_a_file_without_a_position_is_named_and_what_it_should_hold(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# A table\n\nIt referees itself.\n")
    for source in (path, str(path)):
        with pytest.raises(
            FormatError, match=r"README\.md holds no position: .* an XGID, or a GNU position ID"
        ):
            read_position(source)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_position(tmp_path / "missing.json")


def test_the_rules_that_these_texts_hold_exist() -> None:
    assert ids.GAME in games.names()


def decided(game: GameRecord) -> list[Action]:
    """What a list of decisions says of a game: no resignation, and no dice after which nothing was played."""
    actions = [action for action in game.actions if not isinstance(action, Resigned)]
    while actions and isinstance(actions[-1], Rolled):
        actions.pop()
    return actions


@pytest.mark.parametrize("seed", range(20))
def test_the_list_of_a_whole_match_is_read_back(seed: int) -> None:
    record = mat.kept(simulate(seed))
    read = formats.read(formats.write(record, "xgid"))
    assert read.notes == ()
    assert read.record.terms.length == record.terms.length
    assert [(game.score, game.crawford, decided(game)) for game in read.record.games] == [
        (game.score, game.crawford, decided(game)) for game in record.games
    ]
    for found, game in list(zip(read.record.games, record.games, strict=True))[:-1]:
        assert found.result is not None
        assert game.result is not None
        assert (found.result.winner, found.result.points) == (game.result.winner, game.result.points)


def test_a_list_that_does_not_follow_is_told_by_line() -> None:
    lines = formats.write(mat.kept(simulate(0)), "xgid").splitlines(keepends=True)
    read = formats.read("".join(lines[:4] + lines[5:]))
    assert read.notes[0].line == 5
    assert read.notes[0].lost
    with pytest.raises(FormatError, match="line 2: not an XGID"):
        formats.read(lines[0] + "hello\n")


def test_a_position_is_taken_up_with_its_cube_its_dice_and_its_score() -> None:
    situation = of_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:1:3:0:7:10")
    record = of_situation(situation)
    assert (record.terms.length, record.games[0].score) == (7, (1, 3))
    last = list(replay(record, record.games[0]))[-1].after
    assert (last.cube, last.owner, last.position.dice) == (2, "black", (5, 2))
    offered = of_situation(of_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:0:10"))
    assert offered.games[0].actions == (Doubled("black"),)


def test_a_line_of_snowies_is_a_position() -> None:
    fields = "7;0;0;0;0;ann;bob;0;1;3;2;-1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;5;2;"
    situation = read_situation(fields)
    assert situation.position == of_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:1:3:0:7:10").position
    assert (situation.cube, situation.owner, situation.score, situation.length) == (2, "black", (1, 3), 7)
    with pytest.raises(FormatError, match="Snowie"):
        read_situation(fields.replace("-5", "x"))


PAGES = {
    "XG": """XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

X:Ann Field   O:Bob
Score is X:3 O:6 7 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 |    X           X |   | X  O  O  O  O  O | +---+
X to play 21

    1. 4-ply       19/18 14/12                  eq:-0.491
""",
    "BGBlitz": """ +13-14-15-16-17-18------19-20-21-22-23-24-+   O: Green  52

 Position-ID: b9sBCIC5bYDQAA    Match-ID: QYnoAGAAGAAE
 XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

 Green - 6 Red - 3 in a 7 point match.
 Red to move 1-2
""",
}


GNU = f"{START}:QQnvACAACAAE"
GNUBG = f""" GNU Backgammon  Position ID: {START}
                 Match ID   : QQnvACAACAAE
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg (Cube: 2)
 | X           O    |   | O              X |     2 points
"""


@pytest.mark.parametrize(
    "text",
    [
        GNUBG,
        GNUBG.replace("\n", "\r\n"),
        f"<span>Position ID: <tt>{START}</tt> Match ID: <tt>QQnvACAACAAE</tt><br/></span>",
        f"Position-ID: {START}  Match-ID: QQnvACAACAAE",
        f"ID de position : {START}\nID de match : QQnvACAACAAE",
        f"GNUBGID {GNU}",
        f"my play (gnubgid={GNU}), and again GNUBGID {GNU}",
        f"Position ID: {GNU}",
        f"{START}: QQnvACAACAAE",
        f"is xgid={xgid(of_gnu_id(GNU))[5:]}. a take?",
    ],
)
def test_a_page_of_gnubgs_is_the_situation_that_its_ids_say(tmp_path: Path, text: str) -> None:
    file = tmp_path / "page.txt"
    file.write_bytes(text.encode())
    assert read_situation(text) == read_situation(file) == of_gnu_id(GNU)
    found = formats.read(text.encode())
    assert found == Imported(of_situation(of_gnu_id(GNU)))


def test_of_a_text_with_two_positions_none_is_taken() -> None:
    for one, other in (
        (f"Position ID: {START}", "Position ID: sGfwATDgc/ABMA"),
        (START_XGID, START_XGID + "0"),
    ):
        assert read_situation(f"{one}\n{one}") == of_text(one)
        with pytest.raises(FormatError, match="neither a file nor a position"):
            read_situation(f"{one}\n{other}")
        with pytest.raises(FormatError, match=r"no match|not an XGID and what was done"):
            formats.read(f"{one}\n{other}")


@pytest.mark.parametrize(
    "text",
    [
        f"Position ID: {START}\n 7 point match\n\n Game 1\n Ann : 0        Bob : 0\n  1) 31: 8/5 6/5\n",
        "Event ID: internationale\nmoney session\n\n Game 1\n Ann : 0     Bob : 0\n  1) 31: 8/5 6/5\n",
    ],
)
def test_words_about_an_id_in_a_match_make_it_no_position(text: str) -> None:
    assert len(formats.read(text).record.games[0].actions) == 2


@pytest.mark.parametrize("page", PAGES)
def test_a_page_about_a_position_is_a_game_to_start_from(page: str) -> None:
    found = formats.read(PAGES[page])
    assert found.notes == ()
    assert found.record.terms.length == 7
    (game,) = found.record.games
    assert game.score == (3, 6)
    assert game.actions[-1] == Rolled("white", (2, 1))
    assert [action.cube for action in game.actions if isinstance(action, Corrected)] == [2]
    assert found.record.players == (
        ("Ann Field", "Bob") if page == "XG" else MatchRecord("backgammon", ("white", "black")).players
    )
