"""The state directory: where it is; one writer at a time, and a second command is refused with a way out."""

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.events import Button
from engine.match_state import State
from firmware.cli import main
from firmware.dice.sealed import LEFT
from firmware.errors import BadInput
from firmware.hub.service import HubPlace
from firmware.record.chain import START, Head, JournalError
from firmware.record.journal import Journal
from firmware.record.verify import check_log
from firmware.settings.config import HubRunSettings
from firmware.state import HOLDER, directory, hold
from tests.firmware.desk import Desk

ROOT = Path(__file__).parents[2]

HELD = """
import sys, time
from pathlib import Path
from firmware.state import hold
with hold(Path(sys.argv[1]), "run"):
    print("held", flush=True)
    time.sleep(60)
"""


def run(*arguments: object, code: int) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    assert stopped.value.code == code


def contents(state: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in state.iterdir() if path.is_file()}


def test_whoever_writes_is_refused_while_another_holds_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    run("import", "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10", "--state", state, code=0)
    run("backup", tmp_path / "copy.db", "--state", state, code=0)
    capsys.readouterr()
    with hold(state, "run"):
        before = contents(state)
        for arguments, code in (
            (("import", "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10"), 2),
            (("restore", tmp_path / "copy.db"), 2),
            (("replay", ROOT / "tests" / "data" / "reel"), 2),
            (("demo", "--once"), 2),
            (("play", "--simulated"), 2),
            (("run",), 1),
            (("record",), 1),
        ):
            run(*arguments, "--state", state, code=code)
            said = capsys.readouterr()
            assert said.err.count("\n") == 1
            assert f"is in use by 'barpoint run' (process {os.getpid()}); stop that first" in said.err
        assert contents(state) == before
        run("games", "--state", state, code=0)  # who only reads may
        run("verify", "last", "--state", state, code=0)
    run("restore", tmp_path / "copy.db", "--state", state, code=0)
    assert HOLDER not in contents(state)


def test_the_lock_ends_with_a_killed_process_and_its_name_is_not_believed_afterwards(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HELD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(BadInput, match=rf"'barpoint run' \(process {process.pid}\)"), hold(tmp_path, "x"):
            pass
        process.send_signal(signal.SIGKILL)
    with hold(tmp_path, "import"):
        pass


def test_a_held_folder_is_refused_whatever_the_file_beside_it_says(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    for said in (None, b"", b"\x1b[2J\xff" * 3000):
        if said is not None:
            (tmp_path / HOLDER).write_bytes(said)
        with pytest.raises(BadInput) as refused, hold(tmp_path, "run"):
            pass
        assert len(str(refused.value)) < 400
        assert str(refused.value).isprintable()
    os.close(handle)


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="cannot use the folder"), hold(tmp_path / "file", "run"):
        pass


def test_an_entry_that_does_not_follow_the_expected_one_is_refused(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as one, Journal.open(tmp_path / "journal.db") as two:
        first = one.append("g", "2026-01-31T20:15:00Z", {"n": 0}, after=START)
        head = Head(first.number, first.digest)
        two.append("g", "2026-01-31T20:15:00Z", {"n": 1}, after=head)
        for after, named in ((head, "entry 1 is there already"), (START, "entry 0 is there already")):
            with pytest.raises(JournalError, match=named):
                one.append("g", "2026-01-31T20:15:01Z", {"n": 2}, after=after)
        with pytest.raises(JournalError, match="its last entries have changed"):
            one.append("g", "2026-01-31T20:15:01Z", {"n": 2}, after=Head(4, bytes(32)))
        assert one.verify("g") == 2
        one.append("g", "2026-01-31T20:15:01Z", {"n": 2}, after=one.head("g"))


async def left_by_a_new_start(state: Path) -> None:
    async with desk_running(state) as desk:
        await desk.rolled()
        first = desk.device.log
        assert desk.session.table is not None
        digest = desk.session.table.commitment
    assert digest is not None
    async with desk_running(state, fresh=True) as desk:
        assert desk.device.log != first
        assert desk.device.open_matches.unfinished() == [first]
        await desk.rolled()
        assert (state / "secrets" / LEFT / digest).exists()
        assert _troubles(desk) == []
        assert desk.reader.entries(first)[-1].body["button"] == "pause"
    async with desk_running(state, fresh=True) as desk:
        desk.device.open_matches.make_current(first)
    async with desk_running(state) as desk:
        assert desk.device.log == first
        assert desk.session.state is State.PAUSED
        desk.buttons.press("white", Button.PAUSE)
        await desk.until(lambda: desk.session.state is State.PLAY)
        assert _troubles(desk) == []
        check_log(first, desk.reader.entries(first))


def _troubles(desk: Desk) -> list[str]:
    """What the table said, but for the commitment of its dice."""
    return [words for words in desk.said if not words.startswith("dice of game")]


@asynccontextmanager
async def desk_running(state: Path, fresh: bool = False) -> AsyncIterator[Desk]:
    """A desk that runs, with or without ``--new``."""
    desk = Desk(state)
    task = asyncio.create_task(desk.device.run(fresh))
    try:
        await desk.until(lambda: task.done() or desk.device.ready)
        yield desk
    finally:
        desk.device.stop()
        desk.camera.waiting.put(None)
        await task
        desk.journal.close()
        desk.reader.close()


def test_a_new_match_at_the_start_leaves_the_unfinished_one_with_its_secret(tmp_path: Path) -> None:
    asyncio.run(left_by_a_new_start(tmp_path))


def test_a_new_start_outlives_a_match_that_cannot_be_read_and_keeps_its_secret(tmp_path: Path) -> None:
    async def evening() -> None:
        async with desk_running(tmp_path) as desk:
            await desk.rolled()
            assert desk.session.table is not None
            digest = desk.session.table.commitment or ""
            log = desk.device.log
            desk.journal._connection.execute("DROP TRIGGER events_stay")
            desk.journal._connection.execute("UPDATE events SET body = '{' WHERE number = 2")
        async with desk_running(tmp_path, fresh=True) as desk:
            assert desk.device.log != log
            await desk.rolled()
            assert (tmp_path / "secrets" / LEFT / digest).exists()

    asyncio.run(evening())


def test_a_user_without_a_home_is_told_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "BARPOINT_STATE", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    for asked in (lambda: directory(None), lambda: HubPlace.of(HubRunSettings()).folder):
        with pytest.raises(BadInput, match="no home directory; set XDG_STATE_HOME"):
            asked()


def test_without_a_folder_named_the_tables_own_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BARPOINT_STATE", "/srv/bar")
    assert directory(None) == Path("/srv/bar")
