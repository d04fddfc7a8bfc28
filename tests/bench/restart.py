"""How soon a table stands again after a power cut: ``python -m tests.bench.restart [ENTRIES] [--idle
SECONDS]``.

A money session of so many journal entries (each *done* with what a camera saw) is written, then ``barpoint
run`` is started on it as systemd does: measured is the time until it says READY=1. The same with an empty
journal shows what is the program's start alone. With ``--idle`` it prints the processor time that the program
then takes in so many seconds without anything happening: page served, clock ticking, no camera (what a quiet
picture costs is in ``tests/bench/vision.py``).
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine.events import Begin, Button, Event, Press, Roll
from engine.evidence import Evidence
from engine.match_state import State
from engine.session import Session
from firmware.record.journal import Journal
from firmware.state import JOURNAL
from firmware.table.open_matches import CURRENT

CONFIG = """
[camera]
kind = "none"
[buttons]
factory = "none"
[strip]
kind = "none"
[page]
host = "127.0.0.1"
port = 0
[match]
length = 0
"""
LOG = "long-evening"


def written(journal: Journal, count: int) -> State:
    """Writes random money games of ``count`` entries; what the table then waits for."""
    rng, session, t = random.Random(1), Session(), 0.0
    for number in range(count):
        event = _next(session, rng, t := t + 5)
        session, _ = session.handle(event)
        if number == count - 1 and session.state is State.ENDED:
            raise AssertionError("a money session does not end")
        journal.append(LOG, "2026-01-31T20:15:00Z", event.to_json())
    return session.state


def _next(session: Session, rng: random.Random, t: float) -> Event:
    table = session.table
    if table is None:
        return Begin(t=t, rules="backgammon")
    if table.state is State.OVER:
        return Press(t=t, button=Button.DONE)
    if table.state is State.OPENING:
        return Roll(t=t, dice=tuple(rng.sample(range(1, 7), 2)))
    if table.state is State.ROLL:
        return Roll(t=t, dice=(rng.randint(1, 6), rng.randint(1, 6)), side=table.due)
    play = rng.choice(table.position.plays())
    return Press(t=t, side=table.due, button=Button.DONE, evidence=Evidence.certain(play.after.looks()))


def start(state: Path, idle: float) -> tuple[float, float]:
    """Seconds until ``barpoint run`` is ready, and processor seconds that it takes in ``idle`` seconds
    afterwards."""
    address = state / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(address))
        begin = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "firmware",
            "run",
            "--config",
            str(state / "config.toml"),
            "--state",
            str(state),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, env={**os.environ, "NOTIFY_SOCKET": str(address)}
        ) as process:
            ear.settimeout(60)
            while b"READY=1" not in ear.recv(4096):
                pass
            ready = time.perf_counter() - begin
            before = _processor(process.pid)
            time.sleep(idle)
            taken = _processor(process.pid) - before
            process.send_signal(signal.SIGTERM)
    address.unlink()
    return ready, taken


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("entries", type=int, nargs="?", default=3000)
    parser.add_argument("--idle", type=float, default=0.0, metavar="SECONDS")
    given = parser.parse_args()
    for count in (0, given.entries):
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder)
            (state / "config.toml").write_text(CONFIG, encoding="utf-8")
            if count:
                with Journal.open(state / JOURNAL) as journal:
                    written(journal, count)
                (state / CURRENT).write_text(LOG + "\n", encoding="utf-8")
            times = [start(state, 0.0)[0] for _ in range(3)]
            ready, taken = start(state, given.idle)
            line = (
                f"{count:5} entries: ready after {min(*times, ready):.2f} s (best of four, worst"
                f" {max(*times, ready):.2f})"
            )
            print(
                line + (f"; {taken / given.idle:.1%} of a core while idle" if given.idle else ""), flush=True
            )


if __name__ == "__main__":
    main()
