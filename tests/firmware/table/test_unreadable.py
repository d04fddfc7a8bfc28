"""A match that SQLite cannot read any more costs that match, and neither the table nor the others."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path
from typing import Any, NoReturn

import pytest

from firmware.record.catalogue import listing
from firmware.record.chain import JournalAway, JournalError
from firmware.record.journal import Journal
from firmware.table.change import MatchChange
from tests.firmware.desk import backgammon, running
from tests.firmware.record.test_tampering import played

LOGS = ("2026-01-01-aaaaaa", "2026-01-02-bbbbbb", "2026-01-03-cccccc")
PAGE = 4096


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory with three matches, the last of them at the table and its pages full of rubbish."""
    tmp_path = tmp_path_factory.mktemp("torn")
    with Journal.open(tmp_path / "journal.db") as journal:
        for log in LOGS:
            for number, event in enumerate(played(tmp_path / log)):
                at = f"{log[:10]}T20:{15 + number // 60}:{number % 60:02d}.000Z"
                journal.append(log, at, event.to_json())
        journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = tmp_path / "journal.db"
    data = bytearray(path.read_bytes())
    for start in range(2 * PAGE, len(data), PAGE):
        if LOGS[-1].encode() in data[start : start + PAGE] and b'{"' in data[start : start + PAGE]:
            data[start : start + PAGE] = b"\xff" * PAGE
    path.write_bytes(data)
    (tmp_path / "table").write_text(LOGS[-1] + "\n")
    return tmp_path


@pytest.fixture
def torn(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_it_hides_no_other_match(torn: Path) -> None:
    with Journal.open(torn / "journal.db") as journal:
        with pytest.raises(JournalError):
            journal.entries(LOGS[-1])
        lines = {line.log: line.result for line in listing(journal)}
        assert lines[LOGS[-1]] == "damaged: unreadable"
        assert all("damaged" not in lines[log] for log in LOGS[:1])


def test_the_table_comes_up_says_so_and_stays_up(torn: Path) -> None:
    async def evening() -> None:
        async with running(torn) as desk:
            await desk.until(lambda: any("cannot be read" in words for words in desk.said))
            text = " ".join(desk.said)
            assert f"match {LOGS[-1]} cannot be read" in text
            assert "'barpoint restore' recovers what is sound" in text
            assert "begin another match under 'Set up', and this one is laid by" in text
            refused = await desk.device.change(MatchChange(backgammon(0)))
            if refused is None:
                assert LOGS[-1] in desk.device.open_matches.unfinished()
            else:  # the page that takes new entries is gone, too
                assert "'barpoint restore'" in refused
                assert desk.device.open_matches.current() == LOGS[-1]

    asyncio.run(evening())


def test_a_journal_of_which_nothing_can_be_read_stops_nobody_from_looking(torn: Path) -> None:
    path = torn / "journal.db"
    data = bytearray(path.read_bytes())
    data[PAGE : 2 * PAGE] = b"\xff" * PAGE  # the root of the entries
    path.write_bytes(data)

    async def evening() -> None:
        async with running(torn) as desk:
            await desk.until(lambda: any("cannot be read" in words for words in desk.said))
            refused = await desk.device.change(MatchChange(backgammon(0)))
            assert refused is not None
            assert "'barpoint restore'" in refused
            assert desk.device.open_matches.current() == LOGS[-1]

    asyncio.run(evening())


@pytest.mark.parametrize("page", [0, 1, 2, "all"])
@pytest.mark.parametrize("at_table", [True, False])
def test_whatever_part_of_the_journal_is_damaged_the_table_comes_up(
    torn: Path, page: int | str, at_table: bool
) -> None:
    """Page 0 says that it is a journal at all; 1 and 2 are the entries' and the index' first."""
    path = torn / "journal.db"
    data = path.read_bytes()
    whole = b"\xff" * len(data)
    hit = data[: page * PAGE] + whole[:PAGE] + data[(page + 1) * PAGE :] if isinstance(page, int) else whole
    path.write_bytes(hit)
    if not at_table:
        (torn / "table").unlink()

    async def evening() -> None:
        async with running(torn) as desk:
            await desk.until(lambda: desk.device.ready)
            if desk.session.table is None:
                await desk.until(lambda: "'barpoint restore' recovers" in desk.hub.text())
                refused = await desk.device.change(MatchChange(backgammon(0)))
                if refused is not None:
                    assert "'barpoint restore'" in refused

    asyncio.run(evening())
    assert path.read_bytes()[: len(hit)] == hit or page not in (0, "all"), "what is left is not written over"


class FailingDisk:
    """A connection whose disk refuses with one of SQLite's codes."""

    def __init__(self, code: int) -> None:
        self.code = code

    def execute(self, *_: Any) -> NoReturn:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = self.code
        raise error


@pytest.mark.parametrize(
    ("code", "away"), [(sqlite3.SQLITE_IOERR_SHMSIZE, True), (sqlite3.SQLITE_IOERR_READ, False)]
)
def test_a_full_disk_is_no_damage(
    code: int, away: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(tmp_path / "journal.db") as journal, monkeypatch.context() as patch:
        patch.setattr(journal, "_connection", FailingDisk(code))
        with pytest.raises(JournalError) as refused:
            journal.entries(LOGS[0])
    assert isinstance(refused.value, JournalAway) == away
    assert ("check whether the disk is full" in str(refused.value)) == away
    assert ("'barpoint restore'" in str(refused.value)) != away


def test_a_table_whose_disk_is_full_tries_again_and_keeps_its_match(
    torn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not come up without its match: with room again, the next start has it."""

    def refuse(*_: object) -> NoReturn:
        raise JournalAway("cannot read the journal")

    async def evening() -> None:
        async with running(torn):
            raise AssertionError("it came up")

    monkeypatch.setattr(Journal, "entries", refuse)
    with pytest.raises(JournalAway):
        asyncio.run(evening())
    assert (torn / "table").read_text() == LOGS[-1] + "\n"
