"""Pulls the plug on a whole table in the middle of a match, again and again: SIGKILL at random moments,
restart, and what is then there.

    python -m tests.bench.kill_match [TIMES] [--rival]

The table is the device program with simulated devices, where two players play by themselves
(``tests.firmware.evening``); with ``--rival`` one of them is the table's own, killed in mid-thought. After
each kill: every entry that was said to be written is in the journal, and at most one more; the chain is
whole; every roll of a game is there once, in its order; and the restarted table holds what a replay of the
journal leads to. At the end every finished match passes ``barpoint verify``. Prints what was found; exit 1
where anything was lost, doubled or different.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from engine.match_state import State
from firmware.record.chain import JournalError
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.verify import check_log
from firmware.table.referee import restore

LONG = 120.0
"""Seconds after which a table that does not come to stand is killed all the same."""


@dataclass(frozen=True, slots=True)
class Life:
    """What one start of the table told before it was killed: the entries kept, the seconds until it stood
    (None where it was killed before that)."""

    kept: tuple[tuple[str, int], ...]
    stood: float | None
    died: str


def lived(state: Path, seed: int, after: float, entries: int = 0, *more: str) -> Life:
    """A table that is started (``more``: with these words), and killed ``after`` seconds after it stands and
    has said that so many more ``entries`` are kept."""
    command = [sys.executable, "-m", "tests.firmware.evening", str(state), str(seed), *more]
    stood, kept, begin, due = None, [], time.perf_counter(), sys.maxsize
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        killer = threading.Timer(LONG, process.kill)
        killer.start()
        for line in process.stdout:
            words = line.split()
            if words == ["stands"]:
                stood, due = time.perf_counter() - begin, len(kept) + entries
            elif len(words) == 3 and line.endswith("\n"):
                kept.append((words[1], int(words[2])))
            if len(kept) >= due:
                due = sys.maxsize
                killer.cancel()
                killer = threading.Timer(after, process.kill)
                killer.start()
        died = process.stderr.read() if process.wait() > 0 else ""
        killer.cancel()
    return Life(tuple(kept), stood, died)


def faults(state: Path, life: Life, before: dict[str, int]) -> list[str]:
    """What is wrong after a kill; ``before`` is how many entries each match had, and is brought up to
    date."""
    found = [life.died] if life.died else []
    said = dict(before)
    with Journal.open(state / "journal.db") as journal:
        journal.check_file()
        found += [str(each) for each in journal.lost]
        for log, number in life.kept:
            if number != said.get(log, 0):
                found.append(f"{log}: entry {number} was written after {said.get(log, 0)} entries")
            said[log] = number + 1
        for log in journal.names():
            if journal.verify(log) == before.get(log):
                continue
            entries = journal.entries(log)
            if not said.get(log, 0) <= len(entries) <= said.get(log, 0) + 1:
                found.append(
                    f"{log}: {said.get(log, 0)} entries were said to be written, {len(entries)} are there"
                )
            try:
                restore(log, entries)
            except JournalError as error:
                found.append(str(error))
            due = 1
            for entry in entries:
                if entry.body["event"] == "commit":
                    due = 1
                elif entry.body["event"] == "roll":
                    if entry.body.get("number") != due:
                        found.append(
                            f"{log}, entry {entry.number}: roll {entry.body.get('number')} where {due}"
                            " was due"
                        )
                    due += 1
            before[log] = len(entries)
    return found


def verified(state: Path) -> tuple[int, list[str]]:
    """How many matches were finished, and what ``barpoint verify`` has against them."""
    finished, found = 0, []
    with Journal.open(state / "journal.db") as journal:
        for log in journal.names():
            entries = journal.entries(log)
            if restore(log, entries).state is State.ENDED:
                finished += 1
                try:
                    check_log(log, entries)
                except Fault as error:
                    found.append(str(error))
    return finished, found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("times", type=int, nargs="?", default=200)
    parser.add_argument("--rival", action="store_true")
    given = parser.parse_args()
    times, more = given.times, ("rival",) if given.rival else ()
    source, begin, bad = random.Random(1), time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        state, counts, stood = Path(folder), dict[str, int](), []
        for number in range(times):
            # By entries, not by seconds: however busy the machine is, much is written before each kill.
            after, entries = source.uniform(0.0, 0.2), source.randrange(100)
            life = lived(state, number, after, entries, *more)
            for fault in faults(state, life, counts):
                bad += 1
                print(f"kill {number}: {fault}")
            if life.stood is not None:
                stood.append(life.stood)
        # A match that had just ended publishes its dice when the next one begins.
        lived(state, times, 0.0, 10, *more)
        finished, against = verified(state)
        for fault in against:
            print(fault)
    stood.sort()
    bad += len(against)
    print(
        f"{times} kills, {sum(counts.values())} entries in {len(counts)} matches, {finished} of them finished"
        f" and verified; {bad} faults; restarts stood after {stood[len(stood) // 2]:.2f} s (median),"
        f" {stood[-1]:.2f} s (worst); {time.perf_counter() - begin:.0f} s"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
