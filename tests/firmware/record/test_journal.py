"""The journal: append-only, chained, on the disk when it says so."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.record.chain import BrokenChain, Entry, JournalError, check_chain
from firmware.record.head import LOST
from firmware.record.journal import Journal

AT = "2026-01-31T20:15:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"


def write(path: Path, count: int = 4, game: str = "g1") -> list[Entry]:
    with Journal.open(path) as journal:
        return [journal.append(game, AT, {"event": "tick", "t": float(number)}) for number in range(count)]


def test_what_was_written_comes_back_in_order(path: Path) -> None:
    written = write(path)
    with Journal.open(path) as journal:
        assert journal.entries("g1") == written
        assert [entry.number for entry in written] == [0, 1, 2, 3]
        assert journal.entries("another") == []


def test_a_disk_without_room_for_a_new_journal_is_told_as_that(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(JournalError, match="check whether the disk is full"):
            Journal._prepare(connection, tmp_path / "journal.db")


def test_a_backup_into_a_folder_that_is_not_there_says_so(path: Path, tmp_path: Path) -> None:
    write(path)
    with Journal.open(path) as journal, pytest.raises(JournalError, match="No such file or directory"):
        journal.backup(tmp_path / "stick" / "copy.db")


def test_games_are_listed_by_the_time_of_their_first_entry(path: Path) -> None:
    with Journal.open(path) as journal:
        journal.append("later", "2026-02-02T00:00:00Z", {})
        journal.append("earlier", "2026-02-01T00:00:00Z", {})
        journal.append("later", "2026-02-03T00:00:00Z", {})
        assert journal.games() == ["earlier", "later"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{}'",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT * FROM events",
    ],
)
def test_entries_can_be_neither_changed_nor_taken_out(path: Path, statement: str) -> None:
    written = write(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA recursive_triggers = ON")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()
    with Journal.open(path) as journal:
        assert journal.entries("g1") == written


@pytest.mark.parametrize(
    ("forge", "named"),
    [
        ('UPDATE events SET body = \'{"event":"tick","t":9.0}\' WHERE number = 2', 2),
        ("UPDATE events SET at = '2020-01-01T00:00:00Z' WHERE number = 1", 1),
        ("DELETE FROM events WHERE number = 1", 1),
        ("DELETE FROM events WHERE number = 0", 0),
        ("UPDATE events SET digest = zeroblob(32) WHERE number = 3", 3),
        ("UPDATE events SET game = 'g2'", 0),
    ],
)
def test_a_forged_journal_is_found_out_at_the_line(path: Path, forge: str, named: int) -> None:
    write(path)
    connection = sqlite3.connect(path)
    connection.executescript(f"DROP TRIGGER events_stay; DROP TRIGGER events_keep; {forge};")
    connection.close()
    with Journal.open(path) as journal, pytest.raises(BrokenChain) as caught:
        journal.verify("g2" if "g2" in forge else "g1")
    assert caught.value.number == named


def test_two_lines_exchanged_are_found_out(path: Path) -> None:
    one, two, three, four = write(path)
    with pytest.raises(BrokenChain) as caught:
        check_chain("g1", [one, three, two, four])
    assert caught.value.number == 1


def test_an_untouched_chain_verifies_and_a_longer_one_does_not_follow_from_a_shorter(path: Path) -> None:
    written = write(path)
    check_chain("g1", written)
    with Journal.open(path) as journal:
        assert journal.verify("g1") == len(written)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.dictionaries(
        st.text(),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            st.lists,
        ),
    )
)
def test_any_json_object_comes_back_as_it_was_and_verifies(
    tmp_path_factory: pytest.TempPathFactory, body: dict[str, object]
) -> None:
    with Journal.open(tmp_path_factory.mktemp("journal") / "j.db") as journal:
        journal.append("g", AT, body)
        assert journal.entries("g")[0].body == json.loads(json.dumps(body))
        assert journal.verify("g") == 1


KILLED = """
import os, sys
from pathlib import Path
from firmware.record.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
for number in range(10_000):
    entry = journal.append("g1", "2026-01-31T20:15:00Z", {"event": "tick", "t": float(number)})
    print(entry.number, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 40])
def test_what_was_said_to_be_written_outlives_a_kill(path: Path, after: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    for _ in range(after):
        last = int(process.stdout.readline())
    process.kill()
    said = [int(line) for line in process.stdout.read().split() if line.isdigit()]
    process.stdout.close()
    process.wait()
    last = max([last, *said])
    with Journal.open(path) as journal:
        assert journal.verify("g1") >= last + 1
        assert journal.append("g1", AT, {}).number >= last + 1
        journal.verify("g1")


def test_a_file_that_is_no_journal_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("Dear diary, " * 100)
    with pytest.raises(JournalError, match="cannot use"):
        Journal.open(path)
    assert path.read_text().startswith("Dear diary")


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cheese (name TEXT)")
    connection.close()
    with pytest.raises(JournalError, match="not a journal"):
        Journal.open(path)


def test_a_file_with_entries_without_end_in_the_place_of_its_table_is_refused(path: Path) -> None:
    write(path)
    endless = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"DROP TABLE events; CREATE VIEW Events AS {endless};")
    with pytest.raises(JournalError, match="not a journal of Barpoint: it has another table"):
        Journal.open_readonly(path)


@pytest.mark.parametrize("lost", ["[" * 100_000, '[["g1", 1e999, "d", "k"]]'])
def test_a_list_of_lost_entries_that_somebody_made_up_claims_nothing(path: Path, lost: str) -> None:
    write(path)
    path.with_name(path.name + LOST).write_text(lost)
    with Journal.open_readonly(path) as journal:
        assert journal.lost == ()


def test_a_journal_of_a_later_form_is_refused(path: Path) -> None:
    write(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(JournalError, match="version 99"):
        Journal.open(path)


def test_reading_does_not_make_a_journal(path: Path) -> None:
    with pytest.raises(JournalError, match="no journal"):
        Journal.open_readonly(path)
    assert not path.parent.exists()


def test_a_journal_that_this_user_may_not_look_at_is_refused_in_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path)

    def closed(*_: object, **__: object) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    def unable(*_: object, **__: object) -> NoReturn:
        raise sqlite3.OperationalError("unable to open database file")

    for owner, name, does in (
        (Path, "is_file", closed),
        (Path, "stat", closed),
        (sqlite3, "connect", unable),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, does)
            with pytest.raises(JournalError, match=r"cannot open the journal .*(denied|unable)"):
                Journal.open_readonly(path)


def test_a_failed_write_is_told_and_leaves_the_chain_whole(path: Path) -> None:
    write(path, 2)
    with Journal.open(path) as journal:
        journal._connection.execute("PRAGMA max_page_count = 1")  # the disk is full
        with pytest.raises(JournalError, match="disk is full"):
            journal.append("g1", AT, {"filler": "x" * 100_000})
        journal.verify("g1")


def test_two_programs_may_write_to_one_journal(path: Path) -> None:
    with Journal.open(path) as one, Journal.open(path) as two:
        for number in range(10):
            (one if number % 2 else two).append("g1", AT, {"n": number})
        assert [entry.body["n"] for entry in one.entries("g1")] == list(range(10))
        assert two.verify("g1") == 10
