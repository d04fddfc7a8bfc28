"""Match files as other programs write them, read to the same match.

Each dialect is written here from a random match, with the habits of real files of that program: its header,
its words for the bar and bearing off, how it counts equal moves, how it shows a dance, its columns and line
ends.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Resigned,
    Rolled,
    Taken,
    replay,
)
from firmware import formats
from firmware.cli import main
from firmware.formats import mat
from firmware.formats.build import mover_dice
from tests.matches import simulate


@dataclass(frozen=True)
class Dialect:
    """How one program writes."""

    header: str
    bar: str = "bar"
    off: str = "off"
    counted: bool = True
    dance: str = "Cannot Move"
    double: str = "Doubles => {}"
    column: int = 36
    colon: str = " : "
    hidden: str = ""
    """What stands for the play of a roll after which its player resigned."""
    marker: str = ""
    """A cell of the winner's before ``Wins``, where a game was resigned."""
    tabs: bool = False
    beside: bool = False
    """Whether Wins stands in the row of the last cell and not on a line of its own."""


XG = Dialect(
    '; [Site "eXtreme Gammon"]\n; [Match ID "-597769588"]\n; [Player 1 "{1}"]\n; [Player 2 "{0}"]\n; [Player'
    ' 1 Elo "2262.00/400"]\n; [EventDate "2026.03.01"]\n; [EventTime "21.53"]\n; [Variation "Backgammon"]\n;'
    ' [Unrated "Off"]\n; [{rule} "{on}"]\n; [CubeLimit "1024"]',
    bar="Bar",
    hidden="???",
)
XG_MOBILE = Dialect(
    '; [Site "XG Mobile"]\n; [Match ID "491989142"]\n; [Player 1 "{0}"]\n; [Player 2 "{1}"]\n; [Player 1 Elo'
    ' "1522.94/244"]\n; [TimeControl "*0"]\n; [EventDate "2026.03.01"]\n; [Variation "Backgammon"]\n; [{rule}'
    ' "{on}"]\n; [Unrated "Off"]',
    bar="25",
    off="0",
    counted=False,
    dance="",
    hidden="",
)
STUDIO = Dialect(
    '; [Site "Backgammon Studio"]\n; [Match ID "17"]\n; [Event "Heroes"]\n; [Round "1"]\n; [Player 1'
    ' "{0}"]\n; [Player 2 "{1}"]\n; [EventDate "2026.03.01"]\n; [EventTime "14.49"]\n; [{rule} "{on}"]\n;'
    ' [CubeLimit "1024"]\n; [ClockType "Bronstein"]',
    hidden="????",
    beside=True,
)
OPEN = Dialect(
    '; [Site "OpenGammon"]\n; [Match ID "xyz"]\n; [Player 1 "{0}"]\n; [Player 2 "{1}"]\n; [EventDate'
    ' "2026.03.01"]\n; [EventTime "06:20"]\n; [Variation "Backgammon"]\n; [{rule} "{on}"]\n; [Beaver'
    ' "Off"]\n; [Cubelimit "1024"]',
    bar="25",
    off="0",
    counted=False,
    dance="",
    column=46,
    colon=": ",
    marker="Resigned Game",
)
CHOUE = Dialect(
    '; [Site "choue.net"]\n; [Player 1 "{0}"]\n; [Player 2 "{1}"]\n; [{rule} "{on}"]',
    double="Doubles ==> {}",
    hidden="???",
)
TABBED = Dialect('; [Transcriber "DJM"]\n; [{rule} "{on}"]', bar="Bar", off="Off", tabs=True)
CAPITALS = Dialect(
    '; [{rule} "{on}"]', bar="BAR", off="OFF", dance="CANNOT MOVE", double="DOUBLES => {}", beside=True
)

DIALECTS = {
    "xg": XG,
    "xg-mobile": XG_MOBILE,
    "studio": STUDIO,
    "open": OPEN,
    "choue": CHOUE,
    "tabs": TABBED,
    "capitals": CAPITALS,
}


def write(record: MatchRecord, dialect: Dialect) -> str:
    """The match in that program's manner."""
    rule, on = ("Crawford", record.terms.crawford) if record.terms.length else ("Jacoby", record.terms.jacoby)
    header = dialect.header
    for mark, value in (
        ("{0}", record.players[0]),
        ("{1}", record.players[1]),
        ("{rule}", rule),
        ("{on}", "On" if on else "Off"),
    ):
        header = header.replace(mark, value)
    lines = [header, "", f"{record.terms.length} point match", ""]
    for number, game in enumerate(record.games, 1):
        lines += [
            f" Game {number}",
            _pair(
                f" {record.players[0]}{dialect.colon}{game.score[0]}",
                f"{record.players[1]}{dialect.colon}{game.score[1]}",
                dialect,
            ),
        ]
        lines += [*_rows(record, game, dialect), ""]
    text = "\n".join(lines)
    return text.upper().replace("; [CRAWFORD", "; [Crawford") if dialect is CAPITALS else text


def _pair(left: str, right: str, dialect: Dialect) -> str:
    if dialect.tabs:
        return left + "\t" * max(1, (dialect.column + 4 - len(left.expandtabs(8))) // 8) + right
    return f"{left:<{dialect.column - 1}} {right}"


def _rows(record: MatchRecord, game: GameRecord, dialect: Dialect) -> list[str]:
    cells: list[tuple[str, str]] = []
    dice = ""
    moments = list(replay(record, game))
    for moment, following in zip(moments, [*moments[1:], None], strict=True):
        action = moment.action
        if isinstance(action, Rolled):
            dice = mover_dice(moment)
            if following and isinstance(following.action, Resigned):
                cells.append((moment.after.position.turn or "", f"{dice}: {dialect.hidden}"))
        elif isinstance(action, Played):
            cells.append(
                (action.side, f"{dice}: {_play(moment.play.text if moment.play else '', moment, dialect)}")
            )
        elif isinstance(action, Doubled | Beavered):
            cells.append((action.side, dialect.double.format(moment.after.cube * 2)))
        elif isinstance(action, Taken):
            cells.append((action.side, "Takes"))
        elif isinstance(action, Dropped):
            cells.append((action.side, "Drops"))
    assert game.result is not None
    winner = game.result.winner or ""
    wins = f"Wins {game.result.points} point{'s' * (game.result.points > 1)}"
    if game.result.cause == "resigned" and dialect.marker:
        cells.append((winner, dialect.marker))
    rows: list[list[str]] = []
    if dialect.beside:
        cells.append((winner, wins))
    for side, text in cells:
        if side == "white" or not rows or len(rows[-1]) == 2:
            rows.append([text] if side == "white" else ["", text])
        else:
            rows[-1].append(text)
    lines = [
        _pair(f"{number:3d}) {row[0]}", row[1] if len(row) > 1 else "", dialect).rstrip()
        for number, row in enumerate(rows, 1)
    ]
    return (
        lines
        if dialect.beside
        else [*lines, _pair("", wins, dialect) if winner == "black" else f"      {wins}"]
    )


def _play(text: str, moment: object, dialect: Dialect) -> str:
    if text == "pass":
        return dialect.dance
    if not dialect.counted:
        text = re.sub(r"(\S+)\((\d)\)", lambda found: " ".join([found[1]] * int(found[2])), text)
    return re.sub(r"\boff\b", dialect.off, re.sub(r"\bbar\b", dialect.bar, text))


def plain(record: MatchRecord) -> MatchRecord:
    """It with plain names and without what only our own .mat says."""
    return replace(
        mat.kept(record),
        players=("Sally Sample", "Tim-2"),
        event="",
        place="",
        round="",
        date="",
        comment="",
    )


MATCHES = 8


@cache
def matches() -> list[MatchRecord]:
    """Some without beavers or automatic doubles. Played when a test asks, not when tests are gathered."""
    played = (simulate(seed) for seed in range(40))
    fit = (one for one in played if all(game.cube == 1 for game in one.games) and not one.terms.beavers)
    return [plain(one) for one in islice(fit, MATCHES)]


@pytest.mark.parametrize("number", range(MATCHES))
@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_is_read_to_the_same_match(name: str, number: int) -> None:
    record, dialect = matches()[number], DIALECTS[name]
    read = formats.read(write(record, dialect).encode())
    assert [str(note) for note in read.notes] == []
    assert read.record.games == record.games
    assert (read.record.terms.length, read.record.terms.crawford, read.record.terms.jacoby) == (
        record.terms.length,
        record.terms.crawford,
        record.terms.jacoby,
    )
    if name != "capitals":
        assert read.record.players == record.players


@pytest.mark.parametrize(
    ("encode", "name"),
    [
        (lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "Zoë Ångström"),
        (lambda text: text.replace("\n", "\r\n").encode("cp1252"), "Zoë Ångström"),
        (lambda text: text.encode("latin-1"), "François"),
        (lambda text: text.encode("utf-16"), "Zoë 双六"),
        (lambda text: text.replace("\n", "\r").encode(), "Mac"),
    ],
    ids=["bom and crlf", "windows-1252", "latin-1", "utf-16", "cr alone"],
)
def test_bytes_of_every_kind_are_read(encode: Callable[[str], bytes], name: str) -> None:
    record = replace(matches()[0], players=(name, "Ben"))
    read = formats.read(encode(write(record, STUDIO)))
    assert read.notes == ()
    assert read.record.games == record.games
    assert read.record.players == record.players


HEAD = " 5 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"


def one_game(rows: str) -> formats.Imported:
    return formats.read(HEAD + rows)


def test_take_beside_the_double_is_read_as_backgammon_studio_writes_it() -> None:
    read = one_game(
        "  1) 31: 8/5 6/5                42: 8/4 6/4\n  2) Doubles => 2 / Takes\n  3) 52: 13/8 24/22\n"
    )
    assert read.notes == ()
    assert [type(action) for action in read.record.games[0].actions[4:6]] == [Doubled, Taken]


def test_a_play_with_points_on_the_way_left_out_or_written_is_the_same() -> None:
    short, long = one_game("  1) 31: 24/20\n"), one_game("  1) 31: 24/23/20\n")
    assert short.record == long.record
    assert short.notes == ()


def test_a_die_with_nothing_left_to_bear_off_may_be_written_as_0_0() -> None:
    read = one_game("; Set Pos=-A----------------------a-/0\n  1) 21: 1/0 0/0\n      Wins 1 point\n")
    assert [note.text for note in read.notes] == []
    assert read.record.games[0].result is not None


def test_a_beaver_is_taken_by_the_roll_that_follows() -> None:
    head = HEAD.replace("5 point", "0 point")
    read = formats.read(
        f"{head}  1) 31: 8/5 6/5                Doubles => 2\n  2) Beavers => 4                42: 8/4 6/4\n"
    )
    assert read.notes == ()
    assert [type(action) for action in read.record.games[0].actions[2:]] == [
        Doubled,
        Beavered,
        Taken,
        Rolled,
        Played,
    ]


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("  1) 31: 8/5 6/5               42: ????\n  2) 31: 8/5 6/5\n", 5, "what was played is not said"),
        ("  1) 31: 8/5 6/5               42: \n  2) 31: 8/5 6/5\n", 5, "what was played is not said"),
        (
            "  1) 31: 8/5 6/5               42: Illegal play\n  2) 31: 8/5 6/5\n",
            5,
            "what was played is not said",
        ),
        ("  1) 31: 8/5 6/5               42: 9/7 6/2\n", 5, "there is no checker on 9"),
        ("  1) 31: 8/5 6/5               42: gibberish\n", 5, "not a move"),
        ("  1) 31: 8/5 6/5               Takes\n", 5, "no double"),
        ("  1) 31: 8/5 6/5               Beavers => 4\n", 5, "no double"),
        ("  1) 31: 8/5 6/5\n  2) 42: 8/4 6/4\n", 6, "it is black's turn|no such roll"),
        ("  1) 31: 8/5 6/5               42: 8/4 6/4\n some words\n", 6, "not understood: 'some words'"),
        ("  1) 31: 8/5 6/5               42: Illegal play (7;0;x)\n", 5, "cannot be read"),
        ("  1) 31: 8/5 6/5               42: 8/4 6/4\n      Wins 9 points\n", 6, "no resignation is worth 9"),
        ("  1) 00: ????                   42: 8/4 6/4\n", 5, "nothing was rolled"),
    ],
)
def test_what_cannot_be_taken_is_reported_by_its_line_and_nothing_guessed(
    rows: str, line: int, reason: str
) -> None:
    read = one_game(rows)
    assert [note.line for note in read.notes][:1] == [line]
    assert re.search(reason, read.notes[0].text)
    list(replay(read.record, read.record.games[0]))


def test_after_an_unreadable_play_the_next_game_begins_afresh() -> None:
    read = formats.read(
        HEAD
        + "  1) 31: ????                   42: 8/4 6/4\n\n Game 2\n Ann : 2                        Bob : 0\n "
        " 1) 31: 8/5 6/5\n"
    )
    assert len(read.record.games) == 2
    assert read.record.games[0].actions == (Rolled(None, (3, 1)),)
    first = read.record.games[0].result
    assert first is not None
    assert (first.winner, first.points) == ("white", 2)
    assert [note.line for note in read.notes] == [5]


def test_an_illegal_play_that_checkers_could_make_is_kept_as_one_that_stood_with_a_note() -> None:
    read = one_game("  1) 31: 8/4 6/5                42: 8/4 6/4\n")
    assert "taken as an illegal play that stood" in read.notes[0].text
    assert len(read.record.games[0].actions) == 4


def test_a_second_match_in_one_file_is_left_out_and_named() -> None:
    read = formats.read(
        HEAD + "  1) 31: 8/5 6/5\n\n 3 point match\n\n Game 1\n X : 0        Y : 0\n  1) 42: 8/4 6/4\n"
    )
    assert len(read.record.games) == 1
    assert read.notes[0].line == 7
    assert "another match" in read.notes[0].text


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(formats.FormatError, match=r"no match: it begins like no .*\.sgf"):
        formats.read("hello\n")
    with pytest.raises(formats.FormatError, match="Grasshopper"):
        formats.read('; [Variation "Grasshopper"]\n' + HEAD)


def test_random_damage_to_a_file_never_raises_anything_but_a_format_error() -> None:
    source = random.Random(3)
    text = mat.write(simulate(139))
    for _ in range(60):
        place = source.randrange(len(text))
        cut = source.choice(("", "x", " ", ":", "\n", "9", ";", "("))
        damaged = text[:place] + cut + text[place + source.randrange(4) :]
        try:
            read = formats.read(damaged)
        except formats.FormatError:
            continue
        for game in read.record.games:
            list(replay(read.record, game))


PLAYS = """  1) 31: 8/5 6/5                   42: 8/4 6/4
  2) 53: 8/3 6/3                    Doubles => 2
  3)  Takes                        61: 13/7 8/7
"""
NAMES = " ann : 0                         bob : 0\n"


@pytest.mark.parametrize(
    ("text", "length", "winner", "points"),
    [
        (
            (
                f" 4 point match\n\n Game 1\n{NAMES}{PLAYS}  4)                               Losses 2"
                " points\n      Wins 2 points\n"
            ),
            4,
            "white",
            2,
        ),
        (
            f" 4 point match\n\n Game 1\n{NAMES}{PLAYS}  4) Losses 2 points               Wins 2 points\n",
            4,
            "black",
            2,
        ),
        (
            (
                f" 2 point match\n\n Game 1\n{NAMES}  1)                               Losses 1 point\n     "
                " Wins 1 point\n"
            ),
            2,
            "white",
            1,
        ),
        (
            (
                f"0 point match\n\nGame 1 \n{NAMES.strip()} \n{PLAYS} 4)  Resigns                      Wins 4"
                " points \n"
            ),
            0,
            "black",
            4,
        ),
        (f"Unlimited match\n\n Game 1\n{NAMES}{PLAYS}  4)  Wins 2 points\n", 0, "white", 2),
        (
            f" Money session\n\n Game 1\n{NAMES}{PLAYS}                                   Wins 2 points.\n",
            0,
            "black",
            2,
        ),
        (
            (
                f'[Site "GamesGrid"]\n\n 2 point match\n\n Game 1\n{NAMES}{PLAYS}          Wins 2 points and'
                " the match\n"
            ),
            2,
            "white",
            2,
        ),
        (
            (
                f' 3 point match\n\n Game 1\n; [Crawford "Off"]\n{NAMES}{PLAYS}  4) Resigned Game\n       '
                " Wins 2 points\n"
            ),
            3,
            "white",
            2,
        ),
        (
            f"money game\n\n Game 1\n{NAMES}{PLAYS}  4) 62: 8/2 6/4                    Forfeits\n   Wins 2"
            " points\n",
            0,
            "white",
            2,
        ),
    ],
    ids=[
        "galaxy",
        "galaxy, other side",
        "resigned at once",
        "xg mobile",
        "unlimited",
        "money",
        "the match",
        "remark before the names",
        "gammonview",
    ],
)
def test_how_other_programs_end_a_game_and_say_what_it_is_played_for(
    text: str, length: int, winner: str, points: int
) -> None:
    for each in (text, text.replace("\n", "\r\n"), text.replace("1) 31", "1)\t31")):
        read = formats.read(each.encode())
        assert read.notes == ()
        assert read.record.terms.length == length
        (game,) = read.record.games
        assert game.result is not None
        assert (game.result.winner, game.result.points, game.result.cause) == (winner, points, "resigned")


def test_without_a_match_line_nobody_can_know_what_was_played_for() -> None:
    with pytest.raises(formats.FormatError, match="before the first game; add it"):
        formats.read(f" Game 1\n{NAMES}{PLAYS}")


def test_a_name_may_have_brackets_and_colons() -> None:
    read = formats.read(f" 3 point match\n\n Game 1\n ann (USA): the 1st : 0         bob [x] : 0\n{PLAYS}")
    assert read.record.players == ("ann (USA): the 1st", "bob [x]")
    assert read.notes == ()


def test_a_file_of_which_a_part_cannot_be_taken_is_refused_and_taken_partly_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mat"
    game = f" Game 2\n ann : 0                         bob : 2\n{PLAYS}"
    file.write_text(f" 5 point match\n\n Game 1\n{NAMES}{PLAYS}  4) 11: 24/20\n  5) 66: 13/1\n\n{game}")
    for arguments, code in ((("import", str(file)), 2), (("import", str(file), "--partly", "--json"), 0)):
        with pytest.raises(SystemExit) as stopped:
            main([*arguments, "--state", str(tmp_path)])
        told = capsys.readouterr()
        assert stopped.value.code == code
        assert f"barpoint: {file}: line 9: " in told.err
        assert "--partly" in told.err or code == 0
        assert (tmp_path / "journal.db").exists() == (code == 0)
    assert json.loads(told.out)["games"] == 2
