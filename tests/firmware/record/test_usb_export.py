"""Matches onto a USB stick: whole or not at all, whatever the stick does."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.events import Begin, Button, Choose, Press, Roll
from engine.messages import told
from firmware.cli import main
from firmware.commands._options import utc_day
from firmware.errors import BadInput
from firmware.files import OpenFolder
from firmware.record import seal, usb_export
from firmware.record.archive import imported
from firmware.record.catalogue import listing
from firmware.record.journal import Journal
from firmware.record.match_line import MatchFilter
from firmware.record.usb_export import NOTICE, NotWritten, export_matches, notice, stick_folder
from firmware.record.verify import check_sealed
from tests.firmware.conftest import REPOSITORY
from tests.firmware.desk import running
from tests.marking import Marking
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


@pytest.fixture
def stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as a mounted stick."""
    folder = tmp_path / "usb"
    folder.mkdir()
    monkeypatch.setattr(usb_export, "_is_mounted", lambda path: path == folder)
    return folder


def export(state: Path, stick: Path) -> tuple[int, list[str]]:
    with Journal.open(state / "journal.db") as journal, stick_folder(stick) as folder:
        return export_matches(journal, folder, MatchFilter())


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
    state: Path, stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("stick", str(stick / "barpoint"), "--state", str(state))
    assert capsys.readouterr().out == "2 matches on the stick\n"
    assert names(stick / "barpoint") == [name for name in ALL if not name.startswith("old")]
    check_sealed(*seal.read((stick / "barpoint" / "today.json").read_text(encoding="utf-8")))
    run("stick", str(stick), "--since", "2019", "--state", str(state))
    assert names(stick) == sorted([*ALL, "barpoint"])


def test_what_is_on_the_stick_already_is_left_alone(state: Path, stick: Path) -> None:
    export(state, stick)
    before = {path: path.stat().st_mtime_ns for path in stick.iterdir()}
    (stick / "today.mat").write_text("torn")
    (stick / "today.mat.part").write_text("left by a stick that was pulled out")
    assert export(state, stick) == (3, [])
    changed = [path.name for path, at in before.items() if path.stat().st_mtime_ns != at]
    assert changed == ["today.mat"]
    assert "8/5 6/5" in (stick / "today.mat").read_text()
    assert names(stick) == ALL


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "the stick is full; 1 of 3"),
        (errno.EROFS, "the stick is write-protected; 1 of 3"),
        (errno.EIO, "the stick was pulled out, or is broken; 1 of 3"),
        (errno.ENODEV, "the stick was pulled out; 1 of 3"),
        (
            errno.EOPNOTSUPP,
            "cannot do what safe writing needs; format it as FAT or exFAT; 1 of 3",
        ),
        (errno.EFBIG, "the stick cannot be written to"),
    ],
)
def test_a_stick_that_fails_half_way_holds_no_half_file_and_takes_the_rest_later(
    code: int, said: str, state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    whole = os.fsync

    def fails(file: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 9:  # of two for each file
            raise OSError(code, os.strerror(code))
        whole(file)

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(NotWritten, match=said):
        export(state, stick)
    assert names(stick) == ["old.html", "old.json", "old.mat", "other.txt"]
    assert export(state, stick) == (3, [])
    assert names(stick) == ALL


def test_a_stick_that_reads_other_than_was_written_is_not_believed(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, size, at)[:-1])
    with pytest.raises(NotWritten, match="broken"):
        export(state, stick)
    assert names(stick) == []


def test_all_that_is_said_of_a_stick_can_be_said_in_the_readers_language(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stick / "old.mat").symlink_to("/etc/passwd")
    _, [line] = export(state, stick)
    assert told(line, Marking()) == "[[old.mat is [a link], not a file]; remove it from the stick]"

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    (stick / "old.mat").unlink()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotWritten) as failed:
        export(state, stick)
    words = "[[the stick is full]; 0 of 3 matches are on it. Fix that, and put it in again]"
    assert told(str(failed.value), Marking()) == words


def test_a_full_stick_ends_the_command_with_1_and_no_stick_with_2(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    run("stick", str(stick / "nowhere" / "barpoint"), "--state", str(state), code=2)
    assert "is it in?" in capsys.readouterr().err
    monkeypatch.setattr(os, "fsync", full)
    run("stick", str(stick), "--json", "--state", str(state), code=1)
    told = json.loads(capsys.readouterr().out)
    assert told["fault"].startswith("the stick is full; 0 of 2 matches are on it")


def test_a_match_that_is_damaged_is_named_and_the_others_are_written(
    state: Path, stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal.open(state / "journal.db") as journal:
        journal.append("bad", NOW, Press(t=1, button=Button.TAKE).to_json())
    run("stick", str(stick), "--state", str(state), code=1)
    told = capsys.readouterr()
    assert told.out.startswith("2 matches on the stick, 1 not: bad: ")
    assert "bad" in told.err


def test_a_folder_in_which_nothing_is_mounted_is_refused_and_not_made(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was made, on the system's own disk, and the matches reported as being on the stick."""
    for folder in (tmp_path / "barpoint", tmp_path, Path("/"), Path("/barpoint-nowhere")):
        run("stick", str(folder), "--state", str(state), code=2)
        assert f"barpoint export --all {folder}" in capsys.readouterr().err
        with pytest.raises(BadInput, match="no stick is mounted there"):
            stick_folder(folder)
    assert not (tmp_path / "barpoint").exists()
    assert not Path("/barpoint-nowhere").exists()


def in_the_way(path: Path, what: str, victim: Path) -> None:
    if what == "link":
        path.symlink_to(victim)
    elif what == "endless":
        path.symlink_to("/dev/zero")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as door:
            folder = os.open(path.parent, os.O_RDONLY)
            door.bind(f"/proc/self/fd/{folder}/{path.name}")  # the path itself may be too long for a socket
            os.close(folder)
    else:
        path.mkdir()


@pytest.mark.parametrize("what", ["link", "endless", "pipe", "socket", "folder"])
@pytest.mark.parametrize("name", ["today.mat", "today.mat.part"])
def test_what_is_no_file_on_a_stick_is_named_and_led_nobody_anywhere(
    name: str, what: str, state: Path, stick: Path
) -> None:
    """A link named as the file that is written first led to the journal, and erased it; a pipe hung."""
    in_the_way(stick / name, what, state / "journal.db")
    before = (state / "journal.db").read_bytes()
    done, (fault,) = export(state, stick)
    assert done == 2
    assert fault.startswith(f"{name} is a ")
    assert (state / "journal.db").read_bytes() == before
    assert {"old.mat", "other.txt"} < set(names(stick))
    with Journal.open(state / "journal.db") as journal:
        assert journal.verify("today") == 5


@pytest.mark.parametrize("what", ["link", "pipe", "socket"])
def test_a_stick_whose_folder_is_something_else_gets_nothing(what: str, state: Path, stick: Path) -> None:
    """A link to a folder of the system was followed; the table's user was made its owner."""
    in_the_way(stick / "barpoint", what, state)
    before = names(state)
    with pytest.raises(NotWritten, match=r"on the stick, barpoint is a .*, not a folder"):
        export(state, stick / "barpoint")
    assert names(state) == before


def test_a_file_that_another_stands_for_since_it_was_looked_at_is_not_followed(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stick that is a computer may answer otherwise the second time."""
    victim = stick.with_name("victim")
    victim.write_text("mine")
    (stick / "today.mat").symlink_to(victim)
    (stick / "today.mat.part").symlink_to(victim)
    monkeypatch.setattr(OpenFolder, "_kind", lambda *_: None)
    with pytest.raises(NotWritten):
        export(state, stick)
    assert victim.read_text() == "mine"


def test_an_export_to_a_folder_follows_no_link_in_it(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "matches"
    folder.mkdir()
    (folder / "today.json").symlink_to(state / "journal.db")
    before = (state / "journal.db").read_bytes()
    run("export", "--all", str(folder), "--state", str(state), code=1)
    assert (state / "journal.db").read_bytes() == before
    told = capsys.readouterr()
    assert told.out == f"2 matches written to {folder}, 1 not\n"
    assert "today.json is a link, not a file" in told.err


def test_an_id_that_is_a_path_writes_nowhere(state: Path, stick: Path) -> None:
    with Journal.open(state / "journal.db") as journal:
        journal.append("../../etc", NOW, Begin(t=0, rules="backgammon").to_json())
    done, (fault,) = export(state, stick / "barpoint")
    assert done == 3
    assert "is no match id" in fault
    assert names(stick) == ["barpoint"]
    run("export", "--all", str(stick / "two" / "deep"), "--state", str(state), code=1)
    assert names(stick) == ["barpoint", "two"]


def test_the_matches_are_read_from_a_disk_that_cannot_be_written(state: Path, stick: Path) -> None:
    """The stick's unit binds the matches read-only. A match that the catalogue does not know yet failed."""
    mounted_stick()
    with Journal.open(state / "journal.db") as journal:
        listing(journal)
        journal.append("new", NOW, imported(simulate(2)))
    # Without a reader that has it open, SQLite would need files of its own beside the journal.
    with Journal.open(state / "journal.db"):
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", READ_ONLY, "sh", str(state), sys.executable],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        )
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


READ_ONLY = """set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
"$2" -m firmware games --json --state "$1" | wc -l
"""


def mounted_stick() -> None:
    """Skips where nothing can be mounted."""
    able = os.geteuid() == 0 and shutil.which("unshare") and shutil.which("mkfs.ext4")
    if not able or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("only root may mount")


HOSTILE = """set -e
mount --make-rprivate /
mount -o loop,nosymfollow,nosuid,nodev,noexec "$1/stick.img" "$1/at" || exit 77
mkdir "$1/at/barpoint"
ln -s "$2/journal.db" "$1/at/barpoint/today.mat.part"
"$3" -m firmware stick "$1/at/barpoint" --since 2019 --state "$2" || true
rm -r "$1/at/barpoint"
ln -s "$2" "$1/at/barpoint"
"$3" -m firmware stick "$1/at/barpoint" --since 2019 --state "$2" || true
rm "$1/at/barpoint"
"$3" -m firmware stick "$1/at/barpoint" --since 2019 --state "$2"
ls "$1/at/barpoint"
umount "$1/at"
"""


def test_a_real_stick_with_links_in_wait(state: Path, tmp_path: Path) -> None:
    mounted_stick()
    (tmp_path / "at").mkdir()
    with (tmp_path / "stick.img").open("wb") as image:
        image.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(tmp_path / "stick.img")], check=True)
    before = (state / "journal.db").read_bytes()
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", HOSTILE, "sh", str(tmp_path), str(state), sys.executable],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )
    if done.returncode == 77:
        pytest.skip(f"no loop device here: {done.stderr}")
    first, second, third, *written = done.stdout.splitlines()
    assert first.startswith("2 matches on the stick, 1 not: today.mat.part is a link"), done.stderr
    assert second == "nothing was written: on the stick, barpoint is a link, not a folder; remove it there"
    assert third == "3 matches on the stick"
    assert written == ALL
    assert (state / "journal.db").read_bytes() == before


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


def test_a_stick_that_a_desktop_has_mounted_for_somebody_else_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "lstat", closed)
    with pytest.raises(BadInput, match="this user may not look there"):
        stick_folder(tmp_path / "STICK")


# -- what is called when a stick is put in

Steps = Callable[..., tuple[str, list[str]]]


@pytest.fixture
def put_in(tmp_path: Path) -> Steps:
    """Runs the script's three steps as the unit does, with stand-ins for what only root can do; what the
    players are told, and what was called."""

    def run(
        mount: str = "",
        umount: str = "",
        program: str = "echo 2 matches on the stick",
        kind: str = "vfat",
        result: str = "success",
        disk: str = "sdz",
        mounted_at: str = "",
    ) -> tuple[str, list[str]]:
        tools, calls = tmp_path / "tools", tmp_path / "calls"
        tools.mkdir(exist_ok=True)
        stands = {
            "mount": mount,
            "umount": umount,
            "mountpoint": f"test -d {tmp_path}/sticks/sdz1",
            "blkid": f"echo {kind}",
            "findmnt": f'case "$*" in *" /") echo /dev/sda2 ;; *) echo "{mounted_at}" ;; esac',
            "lsblk": f'case "$*" in *sda2) echo sda ;; *) echo {disk} ;; esac',
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
            "BARPOINT_STICKS": str(tmp_path / "sticks"),
            "BARPOINT_STATE": str(tmp_path),
            "BARPOINT_PROGRAM": str(tools / "program"),
            "SERVICE_RESULT": result,
        }

        def step(name: str) -> int:
            return subprocess.run(
                ["sh", str(SCRIPT), name, "sdz1"], env=environment, capture_output=True, check=False
            ).returncode

        mounted = step("mount")
        assert mounted in (0, 1)  # 1: not for us, which systemd does not call a failure
        if mounted == 0:
            assert step("write") == 0
        assert step("release") == 0
        assert not (tmp_path / "sticks" / "sdz1").exists()
        told = tmp_path / NOTICE
        return told.read_text() if told.exists() else "", calls.read_text().splitlines()

    return run


def test_a_stick_put_in_is_written_to_and_then_may_be_pulled_out(put_in: Steps, tmp_path: Path) -> None:
    told, calls = put_in()
    assert told == "stick: 2 matches on the stick; it can be pulled out\n"
    at = tmp_path / "sticks" / "sdz1"
    (mount,) = [call for call in calls if call.startswith("mount ")]
    options = "nosymfollow,nosuid,nodev,noexec,noatime,uid=barpoint,gid=barpoint,umask=0077"
    assert mount == f"mount -i -t vfat -o {options} /dev/sdz1 {at}"
    assert f"program stick {at}/barpoint --state {tmp_path}" in calls
    assert [call for call in calls if call.startswith("umount")] == [f"umount {at}"]


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "xfs", "iso9660", "crypto_LUKS", "fuse.sshfs", ""])
def test_a_file_system_with_links_and_owners_is_not_mounted(kind: str, put_in: Steps) -> None:
    told, calls = put_in(kind=kind)
    assert told.startswith("stick: nothing was written: the stick is neither FAT nor exFAT nor NTFS")
    assert not any(call.startswith(("mount ", "program")) for call in calls)


@pytest.mark.parametrize(
    ("stand_ins", "told"),
    [
        ({"disk": "sda"}, ""),  # the system's own, also where nothing mounts that part
        ({"mounted_at": "/srv/films"}, ""),
        (
            {"mounted_at": "/media/pi/STICK"},
            "stick: nothing was written: this machine's desktop has the stick in",
        ),
    ],
)
def test_what_is_in_use_as_something_else_is_left_alone(
    stand_ins: dict[str, str], told: str, put_in: Steps
) -> None:
    said, calls = put_in(**stand_ins)
    assert said.startswith(told)
    assert bool(said) == bool(told)
    assert not any(call.startswith(("mount ", "program", "umount")) for call in calls)


def test_ntfs_is_mounted_by_the_kernel_itself(put_in: Steps) -> None:
    assert any(call.startswith("mount -i -t ntfs3 ") for call in put_in(kind="ntfs")[1])


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
            {"result": "timeout"},
            "stick: the stick is too slow, and not everything is on it; it can be pulled out\n",
        ),
        ({"result": "oom-kill"}, "stick: not everything was written (oom-kill); it can be pulled out\n"),
        (
            {"umount": '[ "$1" = --lazy ]'},
            ("stick: 2 matches on the stick; but it could not be unmounted: was it pulled out too early?\n"),
        ),
    ],
    ids=["unreadable", "full", "crash", "slow", "memory", "gone"],
)
def test_what_goes_wrong_with_a_stick_is_told(stand_ins: dict[str, str], told: str, put_in: Steps) -> None:
    assert put_in(**stand_ins)[0] == told
