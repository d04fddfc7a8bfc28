"""The archive at ten thousand matches: how long its list, its filters and opening a match take, and what a
match costs a card.

    python -m tests.bench.archive [MATCHES] [--folder DIR]

The matches are a hundred random ones to five points, refereed by the session event by event, each stored many
times under other ids and days. Times are the best of five. The catalogue is made for the different ones by
replaying them (that time is printed too) and its lines copied for the others, whose entries are the
same. The bytes written are what the operating system counts for this process at its block layer
(``/proc/self/io``), for one match journaled an event at a time, each on the disk before the next;
``--evidence`` bytes in each play stand for what a camera saw.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.events import Begin, Button, Choose, Event, Next, Press, Roll
from engine.layout import Side
from engine.match import Terms
from engine.record import Doubled, Dropped, Played, Resigned, Rolled, Taken
from engine.session import Session
from firmware.record.archive import find, read_match
from firmware.record.catalogue import _ROW, Catalogue, _checksum
from firmware.record.chain import GENESIS, canonical, link
from firmware.record.journal import Journal
from firmware.record.match_line import MatchFilter
from tests.matches import simulate

DIFFERENT = 100
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hanna")


def events(seed: int) -> list[Event]:
    """A random match as the session's events."""
    match = simulate(seed)
    names = {"white": NAMES[seed % 8], "black": NAMES[(seed // 8 + seed + 1) % 8]}
    terms = Terms(
        length=match.terms.length,
        crawford=match.terms.crawford,
        jacoby=match.terms.jacoby,
        beavers=match.terms.beavers,
    )
    told: list[Event] = [
        Begin(t=0, rules="backgammon", players=names, terms=terms, competition=f"Event {seed % 20}")
    ]
    t = 0.0
    for number, game in enumerate(match.games):
        if game.cube != 1:
            break  # automatic doubles need the equal dice, which the simulated record leaves out
        if number:
            told.append(Next(t=t))
        for action in game.actions:
            t += 10
            told += _told(action, t)
    session, kept = Session(), []
    for event in told:
        session, _ = session.handle(event)
        kept.append(event)
    return kept


def _told(action: object, t: float) -> list[Event]:
    def press(side: Side, button: Button, grade: str | None = None) -> Event:
        return Press(t=t, side=side, button=button, grade=grade)

    match action:
        case Rolled(dice=dice):
            return [Roll(t=t, dice=dice)]
        case Played(side=side, text=text):
            return [Choose(t=t, side=side, play=text)]
        case Doubled(side=side):
            return [press(side, Button.DOUBLE)]
        case Taken(side=side):
            return [press(side, Button.TAKE)]
        case Dropped(side=side):
            return [press(side, Button.DROP)]
        case Resigned(side=side, grade=grade):
            return [
                press(side, Button.RESIGN, grade),
                press("black" if side == "white" else "white", Button.TAKE),
            ]
    return []


def samples(count: int) -> list[list[Event]]:
    """Matches that the session accepts: random plays with doubles that it would refuse (a dead cube) are
    passed over."""
    found: list[list[Event]] = []
    seed = 0
    while len(found) < count:
        seed += 1
        try:
            told = events(seed)
        except ValueError:
            continue
        if len(told) > 30:
            found.append(told)
    return found


def fill(path: Path, matches: int) -> int:
    """Writes them straight into the table, as fast as it goes; how many entries."""
    with Journal.open(path):
        pass
    played = [[canonical(event.to_json()) for event in each] for each in samples(min(DIFFERENT, matches))]
    total = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for number in range(matches):
            at = f"{datetime(2016, 1, 1, tzinfo=UTC) + timedelta(hours=8 * number):%Y-%m-%dT%H:%M:%SZ}"
            log, before = f"{at[:10]}-{number:06x}", GENESIS
            rows = []
            for place, body in enumerate(played[number % len(played)]):
                before = link(before, log, place, at, body)
                rows.append((log, place, at, body, before))
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
            total += len(rows)
        connection.execute("COMMIT")
    return total


def copy(path: Path, logs: list[str], heads: dict[str, bytes]) -> None:
    """The catalogue's lines of the different matches for all those that are like them."""
    with closing(sqlite3.connect(path)) as connection:
        for number, log in enumerate(logs[DIFFERENT:], DIFFERENT):
            like = logs[number % DIFFERENT]
            row = list(connection.execute(f"SELECT {_ROW} FROM matches WHERE log = ?", (like,)).fetchone())
            row[:3] = [log, heads[log], f"{log[:10]}T00:00:00Z"]
            query = f"INSERT INTO matches VALUES ({', '.join('?' * (len(row) + 1))})"
            connection.execute(query, (*row, _checksum(row)))
        connection.commit()


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest of some runs, in milliseconds."""
    return min(_timed(work) for _ in range(times))


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def written() -> int:
    """Bytes that this process has caused to be written to the disk so far."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("write_bytes:"):
            return int(line.split()[1])
    raise SystemExit("/proc/self/io does not tell bytes written")


def costs(folder: Path, evidence: int) -> None:
    told = max(samples(20), key=len)
    path = folder / "one.db"
    before = written()
    with Journal.open(path) as journal:
        for event in told:
            body = event.to_json()
            if isinstance(event, Choose) and evidence:
                body["evidence"] = os.urandom(evidence // 2).hex()
            journal.append("2026-01-01-000001", "2026-01-01T20:00:00.000Z", body)
        live = written() - before
    total = written() - before
    plays = sum(isinstance(event, Choose) for event in told)
    print(
        f"{len(told)} entries, {plays} plays, {evidence} bytes of evidence a play: the file"
        f" {path.stat().st_size:,} bytes"
    )
    print(
        f"written to the disk: {live:,} bytes while playing, {total:,} with the checkpoint at the end"
        f" ({total // len(told):,} an entry)"
    )
    path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("matches", type=int, nargs="?", default=10_000)
    parser.add_argument(
        "--folder", type=Path, help="where to write (a folder on a disk: a RAM disk counts no bytes)"
    )
    parser.add_argument(
        "--evidence", type=int, default=2500, help="bytes of a camera's evidence in each play"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        costs(folder, 0)
        costs(folder, options.evidence)
        path = folder / "journal.db"
        total = fill(path, options.matches)
        print(f"{options.matches} matches, {total} entries, {path.stat().st_size / 1e6:.0f} MB")
        with Journal.open(path) as journal, Catalogue(journal) as catalogue:
            logs = journal.games()
            made = _timed(lambda: [catalogue._renew(log) for log in logs[:DIFFERENT]])
            catalogue._connection.commit()
            print(f"{made / min(DIFFERENT, len(logs)):8.1f} ms  a match's line made for the first time")
            copy(folder / "archive.db", logs, journal.last_digests())
            print(f"{best(catalogue.listing):8.1f} ms  list")
            for wanted in (
                MatchFilter(player="ada"),
                MatchFilter(event="event 7"),
                MatchFilter(since="2020-03", until="2020-03"),
                MatchFilter(result="gammon"),
            ):
                print(
                    f"{best(lambda wanted=wanted: catalogue.listing(wanted)):8.1f} ms "
                    f" {len(catalogue.listing(wanted))} of {wanted}"
                )
            opened = [
                _timed(lambda log=log: read_match(journal, find(journal, log)))
                for log in logs[:: max(1, len(logs) // 50)]
            ]
            print(
                f"{sorted(opened)[len(opened) // 2]:8.1f} ms  open a match (median of {len(opened)}; worst"
                f" {max(opened):.1f} ms)"
            )
            print(f"{best(lambda: read_match(journal, find(journal, 'last'))):8.1f} ms  open the last match")
            print(f"{(folder / 'archive.db').stat().st_size / 1e6:8.1f} MB  the catalogue (a cache)")


if __name__ == "__main__":
    main()
