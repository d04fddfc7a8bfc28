"""Matches onto a USB stick: whole or not at all, whatever the stick does."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.events import Begin, Button, Choose, Press, Roll
from firmware.cli import main
from firmware.commands._options import utc_day
from firmware.record import seal
from firmware.record.archive import imported
from firmware.record.catalogue import MatchFilter
from firmware.record.journal import Journal
from firmware.record.usb_export import NOTICE, NotWritten, export_matches, notice
from firmware.record.verify import check_sealed
from tests.firmware.conftest import REPOSITORY
from tests.firmware.desk import running
from tests.matches import simulate

SCRIPT = REPOSITORY / "systemd" / "barpoint-stick.sh"
NOW = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A journal with a match of today, another game of today, and an old one."""
    with Journal.open(tmp_path / "state" / "journal.db") as journal:
        for event in (
            Begin(t=0, rules="backgammon"),
            Roll(t=1, dice=(3, 1), side="white"),
            Choose(t=2, play="8/5 6/5"),
        ):
            journal.append("today", NOW, event.to_json())
        for button in (Button.RESIGN, Button.TAKE):
            journal.append(
                "today",
                NOW,
                Press(t=3, button=button, side="white" if button is Button.RESIGN else "black").to_json(),
            )
        journal.append("other", NOW, Begin(t=0, rules="siegegammon").to_json())
        journal.append("old", "2020-01-01T12:00:00Z", imported(simulate(1)))
    return tmp_path / "state"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


ALL = [
    "old.html",
    "old.json",
    "old.mat",
    "other.html",
    "other.json",
    "other.txt",
    "today.html",
    "today.json",
    "today.mat",
]


def run(*arguments: str, code: int = 0) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    assert stopped.value.code == code


def test_the_days_matches_are_written_with_their_proof_and_their_report(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stick = tmp_path / "stick"
    run("stick", str(stick), "--state", str(state))
    assert capsys.readouterr().out == "2 matches on the stick\n"
    assert names(stick) == [name for name in ALL if not name.startswith("old")]
    check_sealed(*seal.read((stick / "today.json").read_text(encoding="utf-8")))
    run("stick", str(stick), "--since", "2019", "--state", str(state))
    assert names(stick) == ALL


def test_what_is_on_the_stick_already_is_left_alone(state: Path, tmp_path: Path) -> None:
    with Journal.open(state / "journal.db") as journal:
        export_matches(journal, tmp_path / "stick", MatchFilter())
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "stick").iterdir()}
        (tmp_path / "stick" / "today.mat").write_text("torn")
        assert export_matches(journal, tmp_path / "stick", MatchFilter()) == (3, [])
    changed = [path.name for path, at in before.items() if path.stat().st_mtime_ns != at]
    assert changed == ["today.mat"]
    assert "8/5 6/5" in (tmp_path / "stick" / "today.mat").read_text()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "the stick is full; 1 of 3"),
        (errno.EROFS, "the stick is write-protected; 1 of 3"),
        (errno.EIO, "the stick was pulled out, or is broken; 1 of 3"),
        (errno.ENODEV, "the stick was pulled out; 1 of 3"),
        (errno.EFBIG, "the stick cannot be written to"),
    ],
)
def test_a_stick_that_fails_half_way_holds_no_half_file_and_takes_the_rest_later(
    code: int, said: str, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    whole = os.fsync

    def fails(file: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 9:  # of two for each file
            raise OSError(code, os.strerror(code))
        whole(file)

    stick = tmp_path / "stick"
    with Journal.open(state / "journal.db") as journal:
        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(NotWritten, match=said):
            export_matches(journal, stick, MatchFilter())
        assert names(stick) == ["old.html", "old.json", "old.mat", "other.txt"]
        assert export_matches(journal, stick, MatchFilter()) == (3, [])
    assert names(stick) == ALL


def test_a_stick_that_reads_other_than_was_written_is_not_believed(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read(path)[:-1] if path.suffix == ".part" else read(path)
    )
    with Journal.open(state / "journal.db") as journal, pytest.raises(NotWritten, match="broken"):
        export_matches(journal, tmp_path / "stick", MatchFilter())
    assert names(tmp_path / "stick") == []


def test_a_full_stick_ends_the_command_with_1_and_no_stick_with_2(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    run("stick", str(tmp_path / "nowhere" / "barpoint"), "--state", str(state), code=2)
    assert "is the stick in?" in capsys.readouterr().err
    monkeypatch.setattr(os, "fsync", full)
    run("stick", str(tmp_path / "stick"), "--json", "--state", str(state), code=1)
    told = json.loads(capsys.readouterr().out)
    assert told["fault"].startswith("the stick is full; 0 of 2 matches are on it")


def test_a_match_that_is_damaged_is_named_and_the_others_are_written(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal.open(state / "journal.db") as journal:
        journal.append("bad", NOW, Press(t=1, button=Button.TAKE).to_json())
    run("stick", str(tmp_path / "stick"), "--state", str(state), code=1)
    told = capsys.readouterr()
    assert told.out == "2 matches on the stick, 1 cannot be read\n"
    assert "bad" in told.err


def test_days_have_names_where_the_table_stands() -> None:
    begin = datetime.fromisoformat(utc_day("today") + "+00:00").astimezone()
    assert (begin.hour, begin.minute, begin.date()) == (0, 0, datetime.now().astimezone().date())
    assert (
        timedelta(hours=22)
        < begin - datetime.fromisoformat(utc_day("yesterday") + "+00:00")
        < timedelta(hours=26)
    )
    assert utc_day("2026-03") == "2026-03"


def test_players_are_told_for_a_minute(tmp_path: Path) -> None:
    assert notice(tmp_path) == ""
    (tmp_path / NOTICE).write_text("stick: 2 matches\n")
    assert notice(tmp_path) == "stick: 2 matches"
    assert notice(tmp_path, now=time.time() + 61) == ""


def test_the_players_at_the_table_are_told(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            (tmp_path / NOTICE).write_text("stick: 2 matches on the stick; it can be pulled out\n")
            await desk.until(lambda: "stick: 2 matches on the stick; it can be pulled out" in desk.said)
            await desk.until(lambda: "it can be pulled out" in (desk.hub.text() or ""))

    asyncio.run(evening())


# -- what is called when a stick is put in


@pytest.fixture
def put_in(tmp_path: Path) -> Callable[..., tuple[str, list[str]]]:
    """Runs the script with stand-ins for what only root can do; what the players are told, and what was
    called."""

    def run(
        mount: str = "", umount: str = "", program: str = "echo 2 matches on the stick", kind: str = "vfat"
    ) -> tuple[str, list[str]]:
        tools, calls = tmp_path / "tools", tmp_path / "calls"
        tools.mkdir(exist_ok=True)
        stands = {
            "mount": mount,
            "umount": umount,
            "blkid": f"echo {kind}",
            "chown": "",
            "program": program,
            "setpriv": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
        }
        for name, does in stands.items():
            (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{calls}\n{does}\n')
            (tools / name).chmod(0o755)
        (tmp_path / "run").mkdir(exist_ok=True)
        environment = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "RUNTIME_DIRECTORY": str(tmp_path / "run"),
            "BARPOINT_STATE": str(tmp_path),
            "BARPOINT_PROGRAM": str(tools / "program"),
        }
        done = subprocess.run(
            ["sh", str(SCRIPT), "/dev/sdz1"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / NOTICE).read_text(), calls.read_text().splitlines()

    return run


def test_a_stick_put_in_is_written_to_by_the_tables_user_and_then_may_be_pulled_out(
    put_in: Callable[..., tuple[str, list[str]]], tmp_path: Path
) -> None:
    told, calls = put_in()
    assert told == "stick: 2 matches on the stick; it can be pulled out\n"
    assert any(
        "nosuid,nodev,noexec" in call and "uid=barpoint" in call for call in calls if call.startswith("mount")
    )
    assert f"program stick {tmp_path}/run/stick/barpoint --state {tmp_path}" in calls
    writing = next(place for place, call in enumerate(calls) if call.startswith("program"))
    assert calls[writing - 1].startswith("setpriv --reuid=barpoint --regid=barpoint")
    assert [call for call in calls if call.startswith("umount")] == [f"umount {tmp_path}/run/stick"]


def test_the_owner_of_files_is_not_asked_of_a_file_system_that_keeps_owners(
    put_in: Callable[..., tuple[str, list[str]]],
) -> None:
    _, calls = put_in(kind="ext4")
    assert not any("uid=" in call for call in calls if call.startswith("mount"))


@pytest.mark.parametrize(
    ("stand_ins", "told"),
    [
        (
            {"mount": "exit 32"},
            "stick: nothing was written: the stick cannot be read; format it as FAT or exFAT\n",
        ),
        (
            {"program": "echo 'the stick is full; 0 of 2 matches are on it'; exit 1"},
            "stick: the stick is full; 0 of 2 matches are on it; it can be pulled out\n",
        ),
        ({"program": "exit 1"}, "stick: nothing was written; it can be pulled out\n"),
        (
            {"umount": '[ "$1" = --lazy ]'},
            ("stick: 2 matches on the stick; but it could not be unmounted: was it pulled out too early?\n"),
        ),
    ],
    ids=["unreadable", "full", "crash", "gone"],
)
def test_what_goes_wrong_with_a_stick_is_told(
    stand_ins: dict[str, str], told: str, put_in: Callable[..., tuple[str, list[str]]]
) -> None:
    assert put_in(**stand_ins)[0] == told
