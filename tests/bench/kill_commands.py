"""``kill -9`` in the middle of what writes matches: restore, import, backup, export, and an upgrade.

    python -m tests.bench.kill_commands [TIMES] [SEED]

Each command is killed before every single thing that it does to a file, and then TIMES more at random moments
(in between SQLite writes by itself). After each kill the state folder is held again, as any command does
first. Then the journal has its matches as they were or as the command makes them, whole; what a restore
moved aside is there; a file that was written holds the old or the new content, whole; and the same command
once more does its work. After an upgrade that was killed the table has a whole program with its own units,
and its journal; systemctl and pip are stand-ins. Prints a line for each command; exit 1 where anything was
lost, doubled or half done.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, TypeAlias

from engine.events import Seed
from firmware.cli import cli
from firmware.diagnostics.unit import UNIT
from firmware.formats import write
from firmware.record.archive import imported
from firmware.record.journal import Journal
from firmware.state import JOURNAL, hold
from tests.bench.arguments import arguments
from tests.matches import simulate
from tests.test_install import BACKUPS, HERE, Machine
from tests.test_install import JOURNAL as TABLE_JOURNAL

TOUCHES = ("os.mkdir", "os.remove", "os.rename", "os.truncate", "sqlite3.connect")
"""What is done to files, as Python's audit events call it; opening one for writing is the other."""
AT = "2026-01-31T20:15:00Z"
Held: TypeAlias = dict[str, bytes]
"""The last digest of each match in a journal."""


@dataclass(frozen=True)
class Command:
    """One of the commands: its words for a folder, and what is wrong in the folder after a kill."""

    name: str
    words: Callable[[Path], list[str]]
    faults: Callable[[Path, bool], list[str]]
    """The second argument: whether the command came to its end."""


def held(path: Path) -> Held:
    """What is in a journal. Raises JournalError where a chain or the file is broken."""
    with Journal.open(path) as journal:
        journal.check_file()
        for name in journal.names():
            journal.verify(name)
        assert not journal.lost, journal.lost
        return journal.last_digests()


def made(path: Path, *seeds: int) -> None:
    """A journal with a match of each seed, its newest entries in the write-ahead log alone."""
    with tempfile.TemporaryDirectory() as folder, Journal.open(Path(folder) / "journal.db") as journal:
        for seed in seeds:
            journal.append(f"2026-01-{seed:02}-aaaaaa", AT, imported(simulate(seed)))
        path.parent.mkdir(parents=True, exist_ok=True)
        for ending in ("", "-wal", "-head"):
            shutil.copyfile(f"{journal.path}{ending}", f"{path}{ending}")


def killed(words: list[str], folder: Path, at: int = 0, after: float = 0.0) -> bool:
    """Runs a command in a process of its own, killed before the ``at``-th thing that it does to a file in
    ``folder``, or ``after`` so many seconds. Whether it came to its end."""
    child = os.fork()
    if child == 0:
        left = [at]

        def hook(event: str, given: tuple[Any, ...]) -> None:
            writes = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)
            if (event in TOUCHES or writes) and str(folder) in str(given[0]):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        code = 70
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.addaudithook(hook)
            cli.main(words, standalone_mode=False)
            code = 0
        finally:
            os._exit(code)
    timer = Timer(after, os.kill, (child, signal.SIGKILL))
    if after:
        timer.start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    timer.cancel()
    assert status in (0, -signal.SIGKILL), f"{words}: exit status {status}"
    return status == 0


class Families:
    """The commands, on copies of a table and of what they are given, all in ``root``."""

    def __init__(self, root: Path) -> None:
        self.table = root / "table"
        made(self.table / "state" / JOURNAL, 1, 2)
        with Journal.open(root / "other" / JOURNAL) as journal:
            for number in range(60):
                body = Seed(t=number, side="white", words="x" * 300).to_json()
                journal.append(f"2026-02-0{number % 3 + 1}-bbbbbb", AT, body)
            journal.backup(self.table / "backup.db")
        self.old, self.new = self._held_in_copy(root, "state/journal.db"), held(self.table / "backup.db")
        killed(self._export(self.table), self.table)
        self.exported = (self.table / "one.json").read_bytes()
        killed(self._all(self.table), self.table)
        self.all = {path.name: path.read_bytes() for path in (self.table / "all").iterdir()}
        (self.table / "one.json").write_text("older")
        shutil.rmtree(self.table / "all")
        (self.table / "match.mat").write_text(write(simulate(6), "mat"))
        self.commands = (
            Command("restore", lambda at: ["restore", f"{at}/backup.db", *_state(at)], self.restored),
            Command("import", lambda at: ["import", f"{at}/match.mat", *_state(at)], self.imported),
            Command("backup", lambda at: ["backup", f"{at}/backup.db", *_state(at)], self.backed_up),
            Command("export", self._export, self.one_exported),
            Command("export --all", self._all, self.all_exported),
        )

    def _held_in_copy(self, root: Path, name: str) -> Held:
        shutil.copytree(self.table, root / "copy")
        found = held(root / "copy" / name)
        shutil.rmtree(root / "copy")
        return found

    def _export(self, at: Path) -> list[str]:
        return ["export", next(iter(self.old)), "--format", "json", "-o", f"{at}/one.json", *_state(at)]

    def _all(self, at: Path) -> list[str]:
        return ["export", "--all", f"{at}/all", "--format", "json", *_state(at)]

    def restored(self, at: Path, done: bool) -> list[str]:
        """The old journal or the new one is there, and the old one's matches are somewhere in any case."""
        now = held(at / "state" / JOURNAL)
        wrong = (
            [] if now == self.new or (now == self.old and not done) else [f"the journal holds {list(now)}"]
        )
        kept = [held(path) for path in (at / "state").glob("journal*.db")]
        return wrong if self.old in kept else [*wrong, "what was there is gone"]

    def imported(self, at: Path, done: bool) -> list[str]:
        """All that was there, and the new match once or not at all."""
        now = held(at / "state" / JOURNAL)
        kept = {log: now.get(log) for log in self.old}
        more = len(now) - len(kept)
        sound = kept == self.old and more in ((1,) if done else (0, 1))
        return [] if sound else [f"the journal holds {list(now)}"]

    def backed_up(self, at: Path, done: bool) -> list[str]:
        """The older copy or the new one."""
        now = held(at / "backup.db")
        sound = now == self.old or (now == self.new and not done)
        return [*self.unchanged(at), *([] if sound else [f"the copy holds {list(now)}"])]

    def one_exported(self, at: Path, done: bool) -> list[str]:
        """The older file or the new one."""
        content = (at / "one.json").read_bytes()
        sound = content == self.exported or (content == b"older" and not done)
        return [*self.unchanged(at), *([] if sound else ["one.json is neither old nor new"])]

    def all_exported(self, at: Path, done: bool) -> list[str]:
        """Whole files."""
        there = {path.name: path.read_bytes() for path in (at / "all").glob("*.json")}
        wrong = [f"{name} is not whole" for name, content in there.items() if content != self.all[name]]
        missing = done and there.keys() != self.all.keys()
        return [*self.unchanged(at), *wrong, *(["not all were written"] if missing else [])]

    def unchanged(self, at: Path) -> list[str]:
        """What only reads changes nothing."""
        return [] if held(at / "state" / JOURNAL) == self.old else ["the journal has changed"]

    def tried(
        self, command: Command, folder: Path, at: int = 0, after: float = 0.0
    ) -> tuple[bool, list[str]]:
        """Kills it once, in a fresh ``folder``; whether it came to its end, and what was wrong."""
        shutil.copytree(self.table, folder)
        try:
            done = killed(command.words(folder), folder, at, after)
            with hold(folder / "state", "check"):
                pass
            wrong = command.faults(folder, done)
            if not wrong and command.name != "import" and not killed(command.words(folder), folder):
                wrong = ["it does not work a second time"]
            return done, wrong or command.faults(folder, done or command.name != "import")
        finally:
            shutil.rmtree(folder)


class Upgrades:
    """Upgrades of an installed table with a journal, on a machine laid out in a folder
    (``tests.test_install``)."""

    def __init__(self, root: Path) -> None:
        self.machine = Machine(root)
        assert self.machine.install().returncode == 0
        made(self.machine.root / TABLE_JOURNAL, 1, 2)
        self.held = self._copied()
        begun = time.perf_counter()
        assert self.machine.install().returncode == 0
        self.long = time.perf_counter() - begun

    def _copied(self) -> Held:
        with tempfile.TemporaryDirectory() as folder:
            for path in (self.machine.root / TABLE_JOURNAL).parent.glob("journal.db*"):
                shutil.copy(path, folder)
            return held(Path(folder) / "journal.db")

    def tried(self, after: float) -> tuple[bool, list[str]]:
        """Kills one, with all that it has started; whether it came to its end, and what was wrong."""
        begun = subprocess.Popen(
            [HERE / "install"],
            env=self.machine.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            begun.wait(after)
        with suppress(ProcessLookupError):
            os.killpg(begun.pid, signal.SIGKILL)
        done = begun.wait() == 0
        wrong = self._faults()
        if self.machine.install().returncode:
            wrong.append("it does not work a second time")
        return done, wrong + self._faults()

    def _faults(self) -> list[str]:
        """The table has a whole program with its units, its journal, and whole copies of it."""
        release = self.machine.root / "opt/barpoint/venv"
        whole = [release / "bin/barpoint", release / "system/barpoint.service"]
        wrong = [f"{path} is missing" for path in whole if not path.is_file()]
        if self.machine.read(UNIT) != (release / "system/barpoint.service").read_text():
            wrong.append("the unit is not that of the program")
        if self._copied() != self.held:
            wrong.append("the journal has changed")
        for copy in (self.machine.root / BACKUPS).glob("*.db"):
            if held(copy) != self.held:
                wrong.append(f"{copy.name} is no whole copy")
        return wrong


def _state(at: Path) -> list[str]:
    return ["--state", f"{at}/state"]


def main(times: int, seed: int) -> int:
    """Kills all of them."""
    rng, bad = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as root:
        families = Families(Path(root))
        for command in families.commands:
            folder, points, finished, begun = Path(root) / "killed", 0, False, time.perf_counter()
            found: list[str] = []
            while not finished:
                points += 1
                finished, wrong = families.tried(command, folder, at=points)
                found += [f"killed before touch {points}: {each}" for each in wrong]
            since = time.perf_counter()
            families.tried(command, folder)
            long = (time.perf_counter() - since) / 2
            cut = 0
            for _ in range(times):
                after = rng.uniform(0.001, long)
                finished, wrong = families.tried(command, folder, after=after)
                cut += not finished
                found += [f"killed after {after:.3f} s: {each}" for each in wrong]
            bad += len(found)
            print(*found, sep="\n", end="\n" if found else "")
            print(
                f"{command.name}: killed before each of {points - 1} touches of a file, and {cut} of {times}"
                f" times at random; {len(found)} faults; {time.perf_counter() - begun:.0f} s",
                flush=True,
            )
        begun, cut, found = time.perf_counter(), 0, []
        upgrades = Upgrades(Path(root) / "machine")
        for _ in range(times):
            after = rng.uniform(0.0, upgrades.long)
            finished, wrong = upgrades.tried(after)
            cut += not finished
            found += [f"upgrade, killed after {after:.3f} s: {each}" for each in wrong]
        print(*found, sep="\n", end="\n" if found else "")
        print(
            f"upgrade: {cut} of {times} times at random; {len(found)} faults;"
            f" {time.perf_counter() - begun:.0f} s"
        )
    return int(bad + len(found) > 0)


if __name__ == "__main__":
    sys.exit(main(**arguments(__doc__, times=100, seed=1)))
