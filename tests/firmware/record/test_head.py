"""What SQLite drops without a word is found out, told, and brought back."""

import asyncio
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from firmware.cli import main
from firmware.record import head, journal_files
from firmware.record.head import HEAD, LOST, SLOT, Claim, HeadFile
from firmware.record.journal import Journal
from tests.firmware.desk import running

AT = "2026-01-31T20:15:00Z"
ENTRIES = 60


def run(*arguments: object, code: int) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    assert stopped.value.code == code


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A table whose power went: its entries are in the write-ahead log."""
    with Journal.open(tmp_path / "live" / "journal.db") as journal:
        for number in range(ENTRIES):
            body = (
                {"event": "begin", "t": 0.0, "rules": "backgammon"}
                if not number
                else {"event": "tick", "t": 1.0}
            )
            journal.append("g", AT, body)
        shutil.copytree(tmp_path / "live", tmp_path / "state")
    (tmp_path / "state" / "journal.db-shm").unlink()
    return tmp_path / "state"


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("where", [4, 20, 32 + 10, 32 + 20 * 4120 + 2000, 32 + 30 * 4120 + 9])
def test_a_flipped_bit_in_the_write_ahead_log_is_told_and_restore_brings_all_back(
    state: Path, where: int, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(state / "journal.db-wal", where)
    with Journal.open(state / "journal.db") as journal:
        assert len(journal.entries("g")) < ENTRIES
        assert [each.number for each in journal.lost] == [ENTRIES - 1]
        if journal.entries("g"):
            journal.append("g", AT, {"event": "tick", "t": 9.0})  # and it is not forgotten for what follows
    run("verify", "all", "--state", state, code=1)
    said = capsys.readouterr().out
    assert "game g: entry 59 was written and is not in the journal any more" in said
    assert "journal-damaged-1.db" in said
    damaged = state / "journal-damaged-1.db"
    with pytest.raises(SystemExit) as stopped:
        main(["restore", str(damaged), "--state", str(state)])
    assert stopped.value.code in (0, 1)  # 1: SQLite finds that file torn
    with Journal.open(state / "journal.db") as journal:
        assert journal.lost == ()
        assert journal.verify("g") == ENTRIES
    assert len(list(state.glob("journal-damaged-*.db"))) == 1


def test_the_loss_is_told_on_the_page_and_in_words(state: Path) -> None:
    flip(state / "journal.db-wal", 32 + 20 * 4120 + 2000)

    async def evening() -> None:
        async with running(state) as desk:
            assert any("entry 59 was written and is not in the journal" in words for words in desk.said)

    asyncio.run(evening())


def test_a_sound_journal_loses_nothing_and_says_nothing(state: Path) -> None:
    for _ in range(2):
        with Journal.open(state / "journal.db") as journal:
            assert journal.lost == ()
            assert journal.verify("g") == ENTRIES
    with Journal.open_readonly(state / "journal.db") as journal:
        assert journal.lost == ()
    assert not [path.name for path in state.iterdir() if "damaged" in path.name or "lost" in path.name]


@pytest.mark.parametrize("damage", [b"", b"\0" * 1024, b"[1, 2]" * 300, b"\xff" * 5000])
def test_a_head_that_is_damaged_claims_nothing_and_is_written_anew(state: Path, damage: bytes) -> None:
    (state / f"journal.db{HEAD}").write_bytes(damage)
    for _ in range(2):
        with Journal.open(state / "journal.db") as journal:
            assert journal.lost == ()
            journal.append("g", AT, {"event": "tick", "t": 9.0})


def test_a_torn_head_leaves_the_one_before(state: Path) -> None:
    path = state / f"journal.db{HEAD}"
    data = path.read_bytes()
    newest = max(
        (0, SLOT),
        key=lambda at: json.loads(
            data[at : at + SLOT].decode().rpartition(" ")[0].rstrip().rpartition(" ")[0] or "[0]"
        )[0],
    )
    flip(path, newest + 20)
    flip(state / "journal.db-wal", 32 + 20 * 4120 + 2000)
    with Journal.open(state / "journal.db") as journal:
        assert [each.number for each in journal.lost] == [ENTRIES - 2]


def test_each_claim_is_forced_to_the_disk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", forced.append)
    head = HeadFile(tmp_path / "journal.db")
    head.sync()
    assert not forced
    head.write(Claim("g", 1, "d1"))
    head.sync()
    head.sync()
    assert len(forced) == 1
    head.write(Claim("g", 2, "d2"))
    head.close()
    assert len(forced) == 2


def test_a_journal_that_was_deleted_is_missed(state: Path) -> None:
    for name in ("journal.db", "journal.db-wal"):
        (state / name).unlink()
    with Journal.open(state / "journal.db") as journal:
        assert [each.number for each in journal.lost] == [ENTRIES - 1]


def test_an_older_backup_that_is_restored_is_believed(state: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "copy.db", "--state", state, code=0)
    with Journal.open(state / "journal.db") as journal:
        journal.append("g", AT, {"event": "tick", "t": 9.0})
    run("restore", tmp_path / "copy.db", "--state", state, code=0)
    with Journal.open(state / "journal.db") as journal:
        assert journal.lost == ()
    run("restore", state / "journal.db", "--state", state, code=0)


def test_the_head_costs_little(state: Path) -> None:
    with Journal.open(state / "journal.db") as journal:
        begin = time.perf_counter()
        for _ in range(200):
            journal._claim("g", 59, bytes(32))
        assert (time.perf_counter() - begin) / 200 < 0.001


@pytest.mark.parametrize("headless", [False, True])
@pytest.mark.parametrize("emptied", [False, True])
def test_a_journal_that_was_deleted_beside_its_write_ahead_log_is_told_and_comes_back(
    state: Path, headless: bool, emptied: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite deletes such a log, and the copy that was kept was empty."""
    (state / "journal.db").unlink()
    if headless:
        (state / f"journal.db{HEAD}").unlink()
    if emptied:
        (state / "journal.db").touch()
    else:
        run("export", "g", "--state", state, code=2)
        assert "its write-ahead log is there: do not delete that" in capsys.readouterr().err
    for _ in range(2):
        with Journal.open(state / "journal.db") as journal:
            (lost,) = journal.lost
            assert "'barpoint restore' with journal-damaged-1.db" in str(lost)
            assert lost.number == (0 if headless else ENTRIES - 1)
    with pytest.raises(SystemExit):
        main(["restore", str(state / "journal-damaged-1.db"), "--state", str(state)])
    with Journal.open(state / "journal.db") as journal:
        assert journal.verify("g") == ENTRIES
        assert journal.lost == ()
    assert len(list(state.glob("journal-damaged-*.db"))) == 1


def test_a_list_of_what_is_lost_that_the_disk_does_not_give_is_not_written_over(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [["another", 3, "cd", "journal-damaged-1.db"]]
    (state / f"journal.db{LOST}").write_text(json.dumps(known))
    flip(state / "journal.db-wal", 32 + 20 * 4120 + 2000)
    opened = Path.open

    def hangs(path: Path, *args: Any, **named: Any) -> Any:
        if path.name.endswith(LOST):
            raise OSError(5, "Input/output error")
        return opened(path, *args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", hangs)
        Journal.open(state / "journal.db").close()
    assert json.loads((state / f"journal.db{LOST}").read_text()) == known


def test_a_head_that_the_disk_does_not_give_is_not_written_over_with_an_older_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = HeadFile(tmp_path / "journal.db")
    for number in range(5):
        before.write(Claim("g", number, "d"))
    before.close()
    later = HeadFile(tmp_path / "journal.db")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", _hangs)
        assert later.read() is None
        later.write(Claim("g", 5, "d"))
    assert later.read() == Claim("g", 4, "d")
    later.write(Claim("g", 6, "d"))
    later.close()
    assert later.read() == Claim("g", 6, "d")


def _hangs(*_: object, **__: object) -> None:
    raise OSError(5, "Input/output error")


def test_a_full_disk_is_not_filled_with_copies_of_the_journal(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(state / "journal.db-wal", 32 + 20 * 4120 + 2000)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(head, "replace_file", full)
        for _ in range(2):
            with Journal.open(state / "journal.db") as journal:
                assert [(each.number, each.kept) for each in journal.lost] == [(ENTRIES - 1, "")]
            assert not list(state.glob("journal-damaged-*"))
    with monkeypatch.context() as patch:
        patch.setattr(journal_files, "sync", full)
        Journal.open(state / "journal.db").close()
    assert not list(state.glob("journal-damaged-*"))
    with Journal.open(state / "journal.db") as journal:
        assert [each.kept for each in journal.lost] == ["journal-damaged-1.db"]
