"""Kills a writer with SIGKILL in the middle of its work, again and again, on one journal; nothing that it
said was written may be missing.

    python -m tests.bench.kill9 [TIMES]

The writer appends entries as fast as the disk takes them and prints the number of each when ``append`` has
returned. After each kill, at a random moment, the journal is opened again: the file must be sound, the chain
whole, and the last number printed in it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from firmware.record.journal import Journal

WRITER = """
import sys
from pathlib import Path
from firmware.record.journal import Journal
with Journal.open(Path(sys.argv[1])) as journal:
    print("ready", flush=True)
    number = 0
    while True:
        event = {"t": float(number), "fill": "x" * (number % 7 * 900)}
        entry = journal.append("g" + sys.argv[2], "2026-01-31T20:15:00Z", event)
        print(entry.number, flush=True)
        number += 1
"""


def killed(path: Path, game: int, after: float) -> tuple[int, int]:
    """The last entry that a writer said it had written before it was killed, and how many are there."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(game)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    timer = threading.Timer(after, process.kill)
    timer.start()
    told = [line for line in process.stdout.read().splitlines() if line.strip()]
    process.wait()
    with Journal.open(path) as journal:
        journal.check_file()
        return int(told[-1]) if told else -1, journal.verify(f"g{game}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("times", type=int, nargs="?", default=500)
    times = parser.parse_args().times
    source, entries, lost, begin = random.Random(1), 0, 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        for number in range(times):
            said, there = killed(path, number, source.uniform(0.0, 0.1))
            entries += there
            if there < said + 1:
                lost += 1
                print(f"kill {number}: entry {said} was said to be written, {there} entries are there")
        with Journal.open(path) as journal:
            for game in journal.names():
                journal.verify(game)
    print(f"{times} kills, {entries} entries, {lost} with anything lost, {time.perf_counter() - begin:.0f} s")
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main())
