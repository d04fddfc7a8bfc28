"""Damaged journals: found out, named, and everything before the damage brought back."""

import random
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.events import Begin, Commit, Event, Seed
from firmware.record.catalogue import listing
from firmware.record.chain import GENESIS, JournalError, link
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.recover import PAGE, rebuild, recover, restored
from firmware.record.verify import check_journal

AT = "2026-01-31T20:15:00Z"
GAMES, ENTRIES = 3, 40


def event(number: int) -> Event:
    """A match begins, the dice are bound, and the players have a lot to say."""
    if number == 0:
        return Begin(t=0, rules="backgammon")
    if number == 1:
        return Commit(t=1, digest="0" * 64)
    return Seed(t=number, side="white", words="x" * (9000 if number % 10 == 3 else 300))


def written(path: Path) -> bytes:
    """A journal of some games as one file; every tenth entry is longer than a page."""
    with Journal.open(path) as journal:
        for number in range(ENTRIES):
            for game in range(GAMES):
                journal.append(f"game-{game}", AT, event(number).to_json())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


def recovered(path: Path) -> dict[str, int]:
    return {each.game: len(each.entries) for each in recover(path)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_a_sound_journal_is_found_whole_with_its_overflowing_entries(path: Path) -> None:
    written(path)
    assert recovered(path) == {f"game-{game}": ENTRIES for game in range(GAMES)}
    assert all(each.lost is None for each in recover(path))


def test_entries_that_are_only_in_the_write_ahead_log_are_found(path: Path) -> None:
    with Journal.open(path) as journal:
        for number in range(20):
            journal.append("g", AT, {"event": "tick", "t": float(number)})
        assert path.with_name("journal.db-wal").stat().st_size > path.stat().st_size
        assert recovered(path) == {"g": 20}


def test_a_flipped_bit_in_an_entry_is_named_and_all_before_it_recovered(path: Path) -> None:
    data = bytearray(written(path))
    at = data.index(b'"t":17', data.index(b"game-1"))
    data[at + 4] ^= 4  # 17 becomes 57
    path.write_bytes(data)
    damaged = [each for each in recover(path) if each.lost is not None]
    assert [(each.lost, each.beyond) for each in damaged] == [(17, 23)]
    assert "entry 17 is lost or damaged" in str(damaged[0])
    with Journal.open_readonly(path) as journal, pytest.raises(Fault, match="entry 17"):
        check_journal(journal)


@pytest.mark.parametrize("seed", range(24))
def test_wherever_a_bit_flips_it_is_detected_or_harmless_and_nothing_false_comes_back(
    path: Path, seed: int
) -> None:
    data = bytearray(written(path))
    with Journal.open_readonly(path) as journal:
        true = {name: journal.entries(name) for name in journal.names()}
    source = random.Random(seed)
    data[source.randrange(len(data))] ^= 1 << source.randrange(8)
    path.write_bytes(data)
    saved = {each.game: each for each in recover(path)}
    for name, entries in true.items():
        assert list(saved[name].entries) == entries[: len(saved[name].entries)]
    if sum(len(saved[name].entries) for name in true) < GAMES * ENTRIES:
        with pytest.raises((Fault, JournalError)), Journal.open_readonly(path) as journal:
            check_journal(journal)
        # One bit is in one page: at most one page of entries is gone with it, of one game and the beginning
        # of the next.
        assert sum(len(saved[name].entries) < ENTRIES for name in true) <= 2


def test_a_byte_that_is_no_text_is_told_without_the_entry_around_it(path: Path) -> None:
    data = bytearray(written(path))
    data[data.index(b"xxx") + 100] = 0xFF
    path.write_bytes(data)
    with pytest.raises((Fault, JournalError)) as told, Journal.open_readonly(path) as journal:
        check_journal(journal)
    assert len(str(told.value)) < 300


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_torn_file_is_detected_and_what_is_left_of_each_game_recovered(path: Path, keep: float) -> None:
    data = written(path)
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises((Fault, JournalError)), Journal.open_readonly(path) as journal:
        check_journal(journal)
    assert 0 < sum(recovered(path).values()) < GAMES * ENTRIES


def test_a_journal_whose_head_is_gone_comes_back_whole(path: Path, tmp_path: Path) -> None:
    data = written(path)
    path.write_bytes(b"\0" * 100 + data[100:])
    with pytest.raises(JournalError):
        Journal.open_readonly(path)
    rebuild(recover(path), tmp_path / "fresh.db")
    with Journal.open_readonly(tmp_path / "fresh.db") as journal:
        assert check_journal(journal) == ["the file is sound", f"{GAMES} logs in order"]


def test_a_disk_that_is_full_at_the_end_leaves_no_half_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite closes a journal whose write-ahead log finds no room in the file as if all were well."""
    written(path)
    fold = Journal.fold

    def fold_on_a_full_disk(journal: Journal) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
        try:
            fold(journal)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    monkeypatch.setattr(Journal, "fold", fold_on_a_full_disk)
    found, before = recover(path), set(path.parent.iterdir())
    with pytest.raises(JournalError, match="check whether the disk is full"):
        rebuild(found, restored(path))
    assert set(path.parent.iterdir()) == before


def test_what_was_no_journal_yields_nothing(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(20_000))
    assert recover(path) == []
    with pytest.raises(JournalError, match="cannot read"):
        recover(path.parent / "none.db")


@pytest.mark.parametrize("length", [0, 6, 12, 18, 20, 21])
def test_a_file_cut_within_its_head_yields_nothing(path: Path, length: int) -> None:
    path.write_bytes(bytes(written(path))[:length])
    assert recover(path) == []


def test_a_damaged_head_whose_message_is_no_text_is_told_in_one_line(path: Path) -> None:
    data = bytearray(written(path))
    at = data.index(b"CREATE TABLE events") + 7
    data[at : at + 20] = b"\xcb" * 20
    path.write_bytes(data)
    for opened in (Journal.open, Journal.open_readonly):
        with pytest.raises(JournalError):
            opened(path).entries("game-1")


@pytest.mark.parametrize(
    "body", ["5", "null", 'x{"', "[" * 100_000, '{"t":NaN}', '{"t":' + "9" * 5000 + "}", '{ "t":1}']
)
def test_an_entry_that_this_program_cannot_have_written_is_left_out_and_hides_no_other(
    path: Path, tmp_path: Path, body: str
) -> None:
    written(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        row = ("bad", 0, AT, body, link(GENESIS, "bad", 0, AT, body))
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
    saved = recover(path)
    assert sum(len(each.entries) for each in saved) == GAMES * ENTRIES
    rebuild(saved, tmp_path / "again.db")
    with Journal.open(path) as journal:
        with pytest.raises(JournalError):
            journal.check_texts("bad")
        lines = {line.log: line for line in listing(journal)}
    assert len(lines) == GAMES + 1


def test_pages_that_go_round_in_a_circle_are_no_entry(path: Path) -> None:
    data = bytearray(written(path))
    page = next(at for at in range(0, len(data), PAGE) if data[at + 4 : at + 8] == b"x" * 4)
    data[page : page + 4] = (page // PAGE + 1).to_bytes(4, "big")
    path.write_bytes(data)
    assert sum(recovered(path).values()) < GAMES * ENTRIES
