"""A club in which everything fails, again and again; afterwards nothing may be lost, doubled or changed.

    python -m tests.bench.hub_faults [FAULTS] [--tables N] [--seed S]       # as root: ip netns

Real tables' journals on the disk, each in a process and a network namespace of its own; the hub and its
broker in theirs. Each fault is one of: the hub killed (-9), the broker killed, a table killed, a table's
network cut for up to 30 seconds, silence (the broker stopped for some seconds, nobody answers), a table's
clock moved by a day. After every ten the club may heal, and it is measured how long it takes until the hub's
heads are those of the tables' journals. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.session import Session
from firmware.hub.link import quiet_loop
from firmware.hub.membership import Membership
from firmware.hub.messages import State, Status
from firmware.hub.outbox import JournalOutbox
from firmware.hub.service import HubPlace
from firmware.hub.simulate import RandomPlayer
from firmware.hub.simulated_club import add_members, children, free_ports, start_hub
from firmware.hub.store import open_store
from firmware.hub.table_talk import TableTalk
from firmware.record.chain import check_chain
from firmware.record.journal import Journal
from firmware.settings.config import HubRunSettings
from firmware.state import new_log

EVERY = 0.5
"""Seconds between two events of a table."""
HEALED = 120.0
"""Seconds after which a club that has not converged has failed: a machine may be busy."""


async def table(member: Membership, folder: Path, seed: int) -> None:
    """One table, until it is killed: what it prints is on its disk. A file ``skew`` moves its clock."""
    quiet_loop()
    journal = Journal.open(folder / "journal.db")
    source = random.Random(seed)
    player, session, match = RandomPlayer(source), Session(), ""
    outbox = JournalOutbox(journal.path)
    status = Status(online=True)

    def shown() -> State | None:
        return State(match=match, shows={"phase": session.state.value}) if match else None

    talk = TableTalk(member, outbox, shown, status=lambda: status)
    talking = asyncio.create_task(talk.run())
    while not talking.done():
        await asyncio.sleep(source.uniform(0.5, 1.5) * EVERY)
        if (folder / "rest").exists():
            continue
        event = player.next(session, time.monotonic())
        if event is None or not match:
            session, match, event = Session(), new_log(), player.begin(time.monotonic())
        session, _ = session.handle(event)
        skew = int((folder / "skew").read_text()) if (folder / "skew").exists() else 0
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + skew))
        entry = await asyncio.to_thread(journal.append, match, at, event.to_json())
        os.write(1, f"{match} {entry.number} {entry.digest.hex()}\n".encode())
        talk.wake(match)
    talking.result()


class Cable:
    """A network namespace, and the cable (veth) by which it reaches this one; it can be cut."""

    def __init__(self, number: int) -> None:
        mark = f"{os.getpid() % 10_000}-{number}"
        self.name, self.near, far = f"bp-{mark}", f"bpa{mark}", f"bpb{mark}"
        net = f"10.{200 + os.getpid() % 50}.{number}"
        self.hub, inside = f"{net}.1", ("ip", "-n", self.name)
        ip("netns", "add", self.name)
        ip("link", "add", self.near, "type", "veth", "peer", "name", far, "netns", self.name)
        ip("addr", "add", f"{self.hub}/24", "dev", self.near)
        ip("link", "set", self.near, "up")
        for words in (("addr", "add", f"{net}.2/24", "dev", far), ("link", "set", far, "up")):
            subprocess.run([*inside, *words], check=True)

    def plug(self, into: bool) -> None:
        """Plugs the cable in, or pulls it out."""
        ip("link", "set", self.near, "up" if into else "down")

    def remove(self) -> None:
        ip("netns", "del", self.name)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@dataclass
class Child:
    """A table's process, and what it has said is on its disk."""

    member: Membership
    folder: Path
    said: dict[tuple[str, int], str]
    cable: Cable
    process: asyncio.subprocess.Process | None = None
    lives: int = 0

    async def begin(self) -> None:
        self.lives += 1
        self.member.save(self.folder)
        self.process = await asyncio.create_subprocess_exec(
            *(
                "ip",
                "netns",
                "exec",
                self.cable.name,
                sys.executable,
                "-m",
                "tests.bench.hub_faults",
                "--table",
                str(self.folder),
            ),
            *("--seed", str(self.lives * 1000 + hash(self.folder.name) % 1000)),
            stdout=asyncio.subprocess.PIPE,
        )
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            parts = line.decode().split()
            if len(parts) == 3:
                self.said[parts[0], int(parts[1])] = parts[2]

    async def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        await self.process.wait()
        await self.reading


class FaultyClub:
    """The hub, the tables, and what goes wrong."""

    def __init__(self, root: Path, count: int, source: random.Random) -> None:
        page, broker = free_ports(2)
        settings = HubRunSettings(host="0.0.0.0", port=page, broker=broker, announce=False)
        self.place = HubPlace(settings, root / "hub")
        self.place.folder.mkdir(parents=True)
        self.random = source
        self.tables: list[Child] = []
        for member in add_members(self.place, count):
            folder = root / member.table.replace(" ", "-")
            folder.mkdir()
            cable = Cable(len(self.tables))
            Journal.open(folder / "journal.db").close()
            self.tables.append(Child(member.model_copy(update={"host": cable.hub}), folder, {}, cable))
        self.faults: dict[str, int] = {}
        self.repaired = 0.0

    async def begin(self) -> None:
        self.hub = await start_hub(self.place)
        for each in self.tables:
            await each.begin()

    def broker(self) -> int | None:
        return next(iter(children(self.hub.pid)), None)

    async def fail(self) -> None:
        """One fault, and its repair where nothing repairs itself."""
        kind = self.random.choice(("hub", "broker", "table", "network", "silence", "clock"))
        self.faults[kind] = self.faults.get(kind, 0) + 1
        broker = self.broker()
        if kind == "hub":
            self.hub.kill()
            await self.hub.wait()
            await asyncio.sleep(self.random.uniform(0, 2))
            self.hub = await start_hub(self.place)
        elif kind == "broker" and broker is not None:
            with suppress(ProcessLookupError):
                os.kill(broker, signal.SIGKILL)
        elif kind == "silence" and broker is not None:
            with suppress(ProcessLookupError):
                os.kill(broker, signal.SIGSTOP)
                await asyncio.sleep(self.random.uniform(0.5, 3))
                os.kill(broker, signal.SIGCONT)
        elif kind == "network":
            victim = self.random.choice(self.tables)
            victim.cable.plug(into=False)
            await asyncio.sleep(self.random.choice((1, 4, 10, 30)) * self.random.random())
            victim.cable.plug(into=True)
        elif kind == "table":
            victim = self.random.choice(self.tables)
            await victim.kill()
            await asyncio.sleep(self.random.uniform(0, 1))
            await victim.begin()
        else:
            victim = self.random.choice(self.tables)
            (victim.folder / "skew").write_text(str(self.random.choice((-86400, 0, 86400))))
        self.repaired = time.monotonic()
        await asyncio.sleep(self.random.uniform(0.2, 1.5))

    async def converge(self) -> float | None:
        """Seconds from the last repair until the hub has what the tables have; None where it never does. The
        tables stop playing for it, which takes the first second."""
        for each in self.tables:
            (each.folder / "rest").touch()
        await asyncio.sleep(EVERY * 2)
        begun = time.monotonic()
        store = open_store(self.place.url)
        try:
            while time.monotonic() - begun < HEALED:
                heads, _ = await asyncio.to_thread(store.every_head, "club")
                ours = {each.member.table: await asyncio.to_thread(ends, each) for each in self.tables}
                if heads == ours:
                    return round(time.monotonic() - self.repaired, 2)
                await asyncio.sleep(0.2)
            return None
        finally:
            store.close()

    def rest_over(self) -> None:
        for each in self.tables:
            (each.folder / "rest").unlink(missing_ok=True)

    def count(self) -> dict[str, int]:
        """Compares, entry by entry: what was said to be written, the tables' journals, and the hub's."""
        lost = doubled = changed = entries = 0
        store = open_store(self.place.url)
        for each in self.tables:
            board = store.board("club", each.member.table)
            assert board is not None
            with Journal.open_readonly(each.folder / "journal.db") as journal:
                for match in journal.games():
                    ours, theirs = journal.entries(match), store.entries(board.id, match)
                    check_chain(match, theirs)
                    entries += len(ours)
                    lost += max(0, len(ours) - len(theirs))
                    doubled += max(0, len(theirs) - len(ours))
                    changed += sum(a != b for a, b in zip(ours, theirs, strict=False))
                    said = {number: digest for (log, number), digest in each.said.items() if log == match}
                    changed += sum(
                        theirs[n].digest.hex() != digest for n, digest in said.items() if n < len(theirs)
                    )
        store.close()
        return {"entries": entries, "lost": lost, "doubled": doubled, "changed": changed}

    async def end(self) -> None:
        for each in self.tables:
            with suppress(ProcessLookupError, AssertionError):
                await each.kill()
            each.cable.remove()
        with suppress(ProcessLookupError):
            self.hub.terminate()
        await self.hub.wait()


def ends(child: Child) -> dict[str, tuple[int, str]]:
    """Where a table's matches end."""
    with Journal.open_readonly(child.folder / "journal.db") as journal:
        heads = {match: journal.head(match) for match in journal.games()}
    return {match: (head.number, head.digest.hex()) for match, head in heads.items()}


async def bench(faults: int, count: int, seed: int) -> int:
    with TemporaryDirectory(prefix="barpoint-faults-") as name:
        club = FaultyClub(Path(name), count, random.Random(seed))
        healed: list[float | None] = []
        try:
            await club.begin()
            for number in range(faults):
                await club.fail()
                if number % 10 == 9 or number == faults - 1:
                    healed.append(await club.converge())
                    print(f"{number + 1} faults: the same {healed[-1]} s after the last repair", flush=True)
                    if number < faults - 1:
                        club.rest_over()
            told = club.count()
        finally:
            await club.end()
    slowest = None if None in healed else max(each for each in healed if each is not None)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"faults": club.faults, **told, "slowest_s": slowest, "load": load}))
    return int(bool(told["lost"] or told["doubled"] or told["changed"] or slowest is None))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("faults", type=int, nargs="?", default=100)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.table is not None:
        own = Membership.load(chosen.table)
        assert own is not None
        asyncio.run(table(own, chosen.table, chosen.seed))
    else:
        sys.exit(asyncio.run(bench(chosen.faults, chosen.tables, chosen.seed)))
