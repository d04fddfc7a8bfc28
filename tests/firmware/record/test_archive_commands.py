"""The archive on the command line: lists, imports, exports of everything, backups and what comes back from
them."""

import json
import os
import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.clock import Control, Penalty, Timing
from engine.events import Begin, Button, Choose, Press, Roll, Tick
from engine.match import Terms
from firmware.cli import main
from firmware.commands import _options
from firmware.formats import write
from firmware.record import seal
from firmware.record.archive import read_match
from firmware.record.catalogue import listing
from firmware.record.chain import JournalError
from firmware.record.journal import MIGRATIONS, SCHEMA, Journal
from firmware.record.match_line import LoggedMatch, MatchFilter
from firmware.state import journal
from tests.firmware.conftest import REPOSITORY
from tests.matches import simulate

PLAYED = (
    Roll(t=1, dice=(3, 1), side="white"),
    Choose(t=2, play="8/5 6/5"),
    Press(t=3, button=Button.DOUBLE, side="black"),
)


def add(
    state: Path, log: str, day: str, players: tuple[str, str], competition: str = "", *, over: bool = True
) -> None:
    begin = Begin(
        t=0,
        rules="backgammon",
        players=dict(zip(("white", "black"), players, strict=True)),
        competition=competition,
    )
    events = [begin, *PLAYED, *([Press(t=4, button=Button.DROP, side="white")] if over else [])]
    with Journal.open(state / "journal.db") as journal:
        for event in events:
            journal.append(log, f"{day}T20:00:00Z", event.to_json())


@pytest.fixture
def state(tmp_path: Path) -> Path:
    add(tmp_path, "a", "2026-01-31", ("Ann", "Ben"), "Club night")
    add(tmp_path, "b", "2026-02-01", ("Cat", "Annika"), over=False)
    add(tmp_path, "c", "2026-03-05", ("Ben", "Cat"), "Spring Open")
    return tmp_path


def test_a_named_day_ends_a_minute_before_the_next_begins() -> None:
    first, last = (datetime.fromisoformat(_options.utc_day("yesterday", end)) for end in (False, True))
    assert last - first == timedelta(hours=23, minutes=59)


def run(*arguments: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    assert stopped.value.code == code


@pytest.mark.parametrize(
    ("wanted", "logs"),
    [
        (MatchFilter(), "abc"),
        (MatchFilter(player="ann"), "ab"),
        (MatchFilter(event="club"), "a"),
        (MatchFilter(result="unfinished"), "b"),
        (MatchFilter(result="cat"), "c"),
        (MatchFilter(since="2026-02"), "bc"),
        (MatchFilter(until="2026-02"), "ab"),
        (MatchFilter(since="2026-02-01", until="2026-02-01"), "b"),
        (MatchFilter(player="ben", event="open"), "c"),
        (MatchFilter(player="nobody"), ""),
    ],
)
def test_the_archive_filters_by_player_day_event_and_result(
    state: Path, wanted: MatchFilter, logs: str
) -> None:
    with Journal.open_readonly(state / "journal.db") as journal:
        assert [line.log for line in listing(journal, wanted)] == list(logs)


def test_the_list_names_who_won_and_the_score_of_a_match_that_is_won(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", REPOSITORY / "tests/data/foreign/match.mat", "--state", tmp_path)
    capsys.readouterr()
    run("games", "--result", "won", "--state", tmp_path)
    assert capsys.readouterr().out.strip().endswith("Amberdice01 - Jade1: Jade1 won 6–0")


@pytest.mark.parametrize(
    ("penalty", "told"),
    [
        (Penalty.MATCH, "Ann won 1–0: Bob is out of time"),
        (Penalty.GAME, "unfinished: 1–0 (match to 5)"),
        (Penalty.POINTS, "Ann won 5–0"),
    ],
)
def test_a_match_lost_on_time_is_told_as_won_and_comes_back_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], penalty: Penalty, told: str
) -> None:
    clock = Control(kind=Timing.DELAY, reserve=60.0, penalty=penalty, points=5)
    players = {"white": "Ann", "black": "Bob"}
    begin = Begin(t=0, rules="backgammon", players=players, terms=Terms(length=5), clock=clock)
    with Journal.open(tmp_path / "journal.db") as journal:
        for event in (begin, *PLAYED[:2], Tick(t=999)):
            journal.append("a", "2026-01-01T20:00:00Z", event.to_json())
    for form in ("mat", "sgf"):
        run("export", "a", "--format", form, "-o", tmp_path / f"a.{form}", "--state", tmp_path)
        run("import", tmp_path / f"a.{form}", "--state", tmp_path / form)
    capsys.readouterr()
    run("games", "--state", tmp_path)
    assert capsys.readouterr().out.strip().endswith(f"Ann - Bob: {told}")
    run("games", "--result", "unfinished", "--json", "--state", tmp_path)
    assert bool(capsys.readouterr().out) == (penalty is Penalty.GAME)
    for form in ("mat", "sgf") if penalty is Penalty.MATCH else ():
        run("games", "--result", "ann", "--state", tmp_path / form)
        assert capsys.readouterr().out.strip().endswith(f"Ann - Bob: {told}"), form


def test_the_catalogue_follows_the_journal_and_survives_its_own_loss(state: Path) -> None:
    def results() -> list[str]:
        with Journal.open_readonly(state / "journal.db") as journal:
            return [line.result for line in listing(journal)]

    assert results()[1] == "unfinished"
    with Journal.open(state / "journal.db") as journal:
        journal.append("b", "2026-02-01T21:00:00Z", Press(t=4, button=Button.DROP, side="white").to_json())
    told = results()
    assert told[1] == "black wins, single, 1 point"
    (state / "archive.db").write_bytes(b"not a database at all" * 100)
    assert results() == told
    (state / "archive.db").unlink()
    assert results() == told


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE matches SET first = 'Forged', winner = 'Forged'",
        "UPDATE matches SET score1 = 7, over = 0",
        "UPDATE matches SET games = NULL, score1 = 'x'",
        "UPDATE matches SET first = CAST(x'ff41' AS TEXT)",
        "UPDATE matches SET log = log || 'x'",
        "DELETE FROM matches WHERE log = 'b'",
        "DROP TABLE matches",
        "DROP TABLE matches; CREATE VIEW matches AS SELECT 1 AS log",
        "PRAGMA user_version = 1",
        "CREATE TRIGGER t AFTER INSERT ON matches BEGIN UPDATE matches SET first = 'Forged'; END;"
        " DELETE FROM matches",
    ],
)
def test_an_altered_cache_changes_neither_the_list_nor_an_export(
    state: Path, edit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> tuple[str, str]:
        run("games", "--json", "--state", state)
        listed = capsys.readouterr().out
        run("export", "a", "--state", state)
        return listed, capsys.readouterr().out

    before = told()
    with closing(sqlite3.connect(state / "archive.db")) as connection:
        connection.executescript(edit)
    assert told() == before
    assert told() == before


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_cache_is_made_again(state: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(40):
        add(state, f"more-{number:02}", "2026-04-01", ("Dora " * 20, "Emil"))
    run("games", "--json", "--state", state)
    before = capsys.readouterr().out
    source, path = random.Random(seed), state / "archive.db"
    data = bytearray(path.read_bytes())
    for _ in range(1 + seed * 20):
        data[source.randrange(len(data))] = source.randrange(256)
    path.write_bytes(data if seed % 3 else data[: len(data) // 2])
    (state / "archive.db-journal").write_bytes(source.randbytes(9000))
    for _ in range(2):
        run("games", "--json", "--state", state)
        assert capsys.readouterr().out == before


def test_a_cache_that_is_no_file_does_not_hide_the_matches(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / "archive.db").mkdir()
    run("games", "--json", "--state", state)
    assert capsys.readouterr().out.count("\n") == 3


def test_an_altered_entry_is_neither_exported_nor_listed_as_sound(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(state / "journal.db")) as connection:
        connection.executescript(
            "DROP TRIGGER events_stay; UPDATE events SET body = replace(body, 'Ann', 'Eve') WHERE game = 'a'"
        )
    run("export", "a", "--state", state, code=2)
    assert "entry 0: altered" in capsys.readouterr().err
    run("export", "--all", tmp_path / "out", "--state", state, code=1)
    run("games", "--json", "--state", state)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [line["result"] for line in lines if line["id"] == "a"] == ["damaged: entry 0"]


def test_half_a_surrogate_pair_in_a_name_does_not_hide_the_other_matches(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(state, "d", "2026-04-01", ("\ud800", "Ben"), "\udfff")
    for _ in range(2):
        run("games", "--json", "--state", state)
        assert capsys.readouterr().out.count("\n") == 4
    for form in ("mat", "sgf", "json", "text", "xgid"):
        run("export", "--all", state / form, "--format", form, "--state", state)
        assert "4 matches written" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["mat", "sgf", "json", "text"])
def test_a_match_that_is_imported_is_listed_exported_and_verified_like_any_other(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = simulate(11)
    file = tmp_path / "given"
    file.write_text(write(match, form), encoding="utf-8")
    run("import", file, "--json", "--state", tmp_path)
    log = json.loads(capsys.readouterr().out)["id"]
    run("export", log, "-o", tmp_path / "out.json", "--state", tmp_path)
    run("verify", log, "--state", tmp_path)
    back = seal.read((tmp_path / "out.json").read_text(encoding="utf-8"))[0]
    assert [game.result for game in back.games] == [game.result for game in match.games]
    if form in ("json", "text"):
        assert back == match


def test_a_match_to_one_point_is_the_same_whether_or_not_a_file_calls_it_a_crawford_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, gnubgs = tmp_path / "ours.sgf", tmp_path / "gnubgs.sgf"
    ours.write_text(
        "(;FF[4]GM[6]MI[length:1][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford:CrawfordGame]RE[W+1R]"
        ";W[31hefe];B[64aggk])"
    )
    gnubgs.write_text(ours.read_text().replace(":CrawfordGame", ""))
    run("import", ours, "--state", tmp_path)
    run("import", gnubgs, "--state", tmp_path, code=2)
    assert "this match is in the archive already" in capsys.readouterr().err


def test_a_match_is_the_same_though_a_file_names_the_lower_die_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ogxm", reason="the package ogxm has no wheel for this machine")
    given, signed = tmp_path / "given.json", tmp_path / "given.ogxm"
    given.write_text(write(simulate(11), "json"), encoding="utf-8")
    run("import", given, "--state", tmp_path)
    run("export", "last", "--format", "ogxm", "-o", signed, "--state", tmp_path)
    run("import", signed, "--state", tmp_path, code=2)
    assert "this match is in the archive already" in capsys.readouterr().err


def test_a_match_of_the_archive_is_not_imported_twice_unless_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(tmp_path, "a", "2026-01-31", ("Ann", "Ben"), "Club night")
    add(tmp_path, "b", "2026-01-31", ("Ann", "Cat"), "Club night")
    for form in ("mat", "sgf", "json", "text"):
        file = tmp_path / f"b.{form}"
        run("export", "b", "--format", form, "-o", file, "--state", tmp_path)
        run("import", file, "--state", tmp_path, code=2)
        assert "this match is in the archive already, as b;" in capsys.readouterr().err
    run("import", file, "--again", "--state", tmp_path)
    other = file.read_text().replace("Cat", "Dan")
    file.write_text(other)
    run("import", file, "--state", tmp_path)
    with Journal.open_readonly(tmp_path / "journal.db") as journal:
        assert [line.players[1] for line in listing(journal)] == ["Ben", "Cat", "Cat", "Dan"]


def test_what_breaks_the_rules_is_not_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(write(simulate(11), "json"))
    play = next(action for action in data["games"][0]["actions"] if action["do"] == "play")
    play["text"] = "24/1"
    (tmp_path / "bad.json").write_text(json.dumps(data))
    run("import", tmp_path / "bad.json", "--state", tmp_path, code=2)
    assert "game 1" in capsys.readouterr().err
    assert not (tmp_path / "journal.db").exists()


def test_a_file_of_one_word_that_is_no_position_is_called_no_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, reason in (("<html>404</html>", "no match: "), ("XGID=-b----E", "is not an XGID")):
        (tmp_path / "page.mat").write_text(words)
        run("import", tmp_path / "page.mat", "--state", tmp_path, code=2)
        assert reason in capsys.readouterr().err


def test_a_file_without_a_game_is_not_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.mat").write_text(" 7 point match\n\n")
    run("import", tmp_path / "empty.mat", "--state", tmp_path, code=2)
    assert "there is no game in it" in capsys.readouterr().err
    assert not (tmp_path / "journal.db").exists()


@pytest.mark.parametrize("command", ["import", "verify", "review"])
def test_what_of_a_file_cannot_be_read_is_told(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "  1) 31: 8/5 6/5              42: 8/4 6/4\n  2) 61: 13/7 ?/7\n"
    (tmp_path / "cut.mat").write_text(f" 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n{rows}")
    with pytest.raises(SystemExit):
        main([command, str(tmp_path / "cut.mat"), "--state", str(tmp_path)])
    said = capsys.readouterr()
    assert "cut.mat: line 6: '61: 13/7 ?/7': '?/7' is not a move" in said.err
    assert command == "review" or "in order" not in said.out


def test_a_match_that_breaks_the_rules_is_refused_by_the_line_of_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = " 2 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n\n"
    rows = "  1) 31: 8/5 6/5              42: 8/4 6/4\n  2) Doubles => 2             Takes\n"
    (tmp_path / "final.mat").write_text(f"{head} Game 2\n Ann : 1   Bob : 0\n{rows}")
    run("import", tmp_path / "final.mat", "--state", tmp_path, code=2)
    assert "line 11: 'Doubles => 2' in the Crawford game; of a match without that" in capsys.readouterr().err
    assert not (tmp_path / "journal.db").exists()


@pytest.mark.parametrize("command", ["import", "verify"])
def test_a_folder_is_called_one(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(command, tmp_path, "--state", tmp_path / "state", code=2)
    assert "is a folder; name a file in it" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "review"])
def test_a_file_that_is_not_there_is_said_to_be_no_file(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(command, "final.mat", "--state", tmp_path, code=2)
    assert capsys.readouterr().err == "barpoint: final.mat: there is no such file\n"
    run(command, "final", "--state", tmp_path, code=2)
    assert "no journal at" in capsys.readouterr().err


def test_what_an_imported_file_lacks_is_said_to_be_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A referee who checks an archive must not take another program's gap for tampering."""
    games = (
        " Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5   52: 13/8 13/11\n      Wins 1 point",
        " Game 2\n Ann : 2   Bob : 0\n  1) 31: 8/5 6/5",
    )
    file = tmp_path / "given.mat"
    file.write_text("\n\n".join([" 5 point match", *games, ""]))
    run("import", file, "--state", tmp_path)
    run("verify", "last", "--state", tmp_path, code=1)
    said = capsys.readouterr().out
    assert "the imported file had this fault: game 2: begins at 2-0, but game 1 leads to 1-0" in said
    assert "the log itself is unaltered" in said


def test_a_position_is_imported_as_a_game_that_starts_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10", "--json", "--state", tmp_path)
    log = json.loads(capsys.readouterr().out)["id"]
    with Journal.open_readonly(tmp_path / "journal.db") as journal:
        start = read_match(journal, log).games[0].start
    assert start is not None
    assert start["points"]["13"] == 5
    run("import", "no such file", "--state", tmp_path, code=2)


def test_everything_is_exported_to_a_folder_a_file_for_each_match(state: Path, tmp_path: Path) -> None:
    run("export", "--all", tmp_path / "stick", "--format", "mat", "--state", state)
    assert sorted(file.name for file in (tmp_path / "stick").iterdir()) == ["a.mat", "b.mat", "c.mat"]
    run("export", "--all", tmp_path / "day", "--since", "2026-03-05", "--state", state)
    assert [file.name for file in (tmp_path / "day").iterdir()] == ["c.json"]
    run("export", "a", "--all", tmp_path / "day", "--state", state, code=2)


def test_a_backup_made_while_the_journal_is_open_brings_everything_back(state: Path, tmp_path: Path) -> None:
    with Journal.open(state / "journal.db"):
        run("backup", tmp_path / "copy.db", "--state", state)
    run("verify", tmp_path / "copy.db")
    run("restore", tmp_path / "copy.db", "--state", tmp_path / "new")
    with (
        Journal.open_readonly(state / "journal.db") as one,
        Journal.open_readonly(tmp_path / "new" / "journal.db") as two,
    ):
        assert [one.entries(log) for log in "abc"] == [two.entries(log) for log in "abc"]
    run("backup", state / "journal.db", "--state", state, code=2)


def test_a_backup_of_a_later_version_is_no_damaged_one_and_changes_nothing(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.db"
    run("backup", copy, "--state", state)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    run("restore", copy, "--state", tmp_path / "new", code=2)
    assert f"copy.db has version {SCHEMA + 1}, this program knows" in capsys.readouterr().err
    assert not (tmp_path / "new" / "journal.db").exists()


def test_matches_that_an_older_backup_lacks_are_named(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.db"
    run("backup", copy, "--state", state)
    add(state, "d", "2026-03-06", ("Ann", "Cat"))
    capsys.readouterr()
    run("restore", copy, "--state", state)
    assert "is only in" in (told := capsys.readouterr().out)
    assert ": d; 'barpoint restore" in told
    run("restore", copy, "--json", "--state", state)
    assert json.loads(capsys.readouterr().out)["only_aside"] == []


def test_the_present_journal_is_restored_from_what_is_left_of_it_and_moved_aside(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = state / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(path.read_bytes())
    data[data.index(b"8/5 6/5")] ^= 1
    path.write_bytes(data)
    run("verify", "all", "--state", state, code=1)
    assert "entry 2" in capsys.readouterr().out
    run("restore", path, "--json", "--state", state, code=1)
    told = json.loads(capsys.readouterr().out)
    assert (len(told["lost"]), told["lost"][0]["entry"]) == (1, 2)
    assert Path(told["aside"]).read_bytes() == bytes(data)
    run("verify", "all", "--state", state)


def test_an_archive_that_may_not_be_written_can_be_read(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A locked stick, or the table's state for somebody without its rights. (Tests may run as root, who may
    write anywhere.)"""
    before = {path.name for path in state.iterdir()}
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    run("games", "--json", "--state", state)
    assert capsys.readouterr().out.count("\n") == 3
    run("export", "a", "--state", state)
    run("verify", "all", "--state", state)
    assert {path.name for path in state.iterdir()} <= before | {
        "archive.db"
    }  # a cache, here where it can be kept after all
    with journal(state, create=False) as kept, pytest.raises(JournalError, match="readonly"):
        kept.append("a", "2026-01-31T20:15:00Z", {"event": "pause"})


def test_a_torn_journal_is_called_damaged_even_where_no_chain_tells_of_a_loss(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last entries of a match are gone with their page, and the chain of the others is whole: that must
    not pass for everything."""
    run("backup", tmp_path / "torn.db", "--state", state)
    data = (tmp_path / "torn.db").read_bytes()
    (tmp_path / "torn.db").write_bytes(data[:-1])
    capsys.readouterr()
    run("restore", tmp_path / "torn.db", "--state", tmp_path / "new", code=1)
    assert "torn.db is damaged: the last entries of a match may be missing" in capsys.readouterr().out
    run("restore", tmp_path / "torn.db", "--json", "--state", tmp_path / "new", code=1)
    told = json.loads(capsys.readouterr().out)
    assert (told["lost"], told["torn"]) == ([], True)


def test_a_journal_of_the_first_form_is_brought_to_the_present_one_with_its_entries(state: Path) -> None:
    path = state / "journal.db"
    with Journal.open_readonly(path) as journal:
        before = [journal.entries(log) for log in "abc"]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP INDEX firsts; PRAGMA user_version = 1;")
    with Journal.open_readonly(path) as journal:
        assert journal.games() == list("abc")  # an older form can be read as it is
    with Journal.open(path) as journal:
        assert [journal.entries(log) for log in "abc"] == before
        journal.check_file()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA
    assert sorted(MIGRATIONS) == list(range(1, SCHEMA))


def test_the_json_line_of_a_match_is_stable() -> None:
    line = LoggedMatch(
        "a",
        "2026-01-31T20:00:00Z",
        "backgammon",
        ("Ann", "Ben"),
        (0, 1),
        1,
        True,
        "black wins, single, 1 point",
    )
    assert list(line.to_json()) == [
        "id",
        "date",
        "rules",
        "players",
        "score",
        "games",
        "over",
        "result",
        "event",
    ]


def test_half_a_character_in_the_journal_leaves_it_as_a_question_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        begin = Begin(t=0.0, rules="backgammon", competition="\ud800 Cup")
        journal.append("odd", "2026-01-31T20:15:00Z", begin.to_json())
    run("export", "odd", "--format", "json", "--state", tmp_path, code=0)
    assert "? Cup" in capsys.readouterr().out
    run("report", "odd", "-o", tmp_path / "odd.html", "--state", tmp_path, code=0)
    run("export", "--all", tmp_path / "all", "--state", tmp_path, code=0)


def test_half_a_character_is_not_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(write(simulate(11), "json"))
    data["comment"] = "\udfff"
    (tmp_path / "odd.json").write_text(json.dumps(data))
    run("import", tmp_path / "odd.json", "--state", tmp_path, code=2)
    assert "half of a character" in capsys.readouterr().err
    assert not (tmp_path / "journal.db").exists()
