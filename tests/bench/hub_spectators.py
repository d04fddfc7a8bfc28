"""What thousands of spectators cost a hub and its tables: a hub with its broker, tables that play at random,
and as many followers of the page's stream as wanted, each in processes of their own, all on this machine.

    python -m tests.bench.hub_spectators [--spectators 10000] [--tables 60] [--seconds 20] [--arrive 1000]

The tables play for so many seconds without spectators, with them, and without again. A JSON line at the end:
{"spectators", "followed", "refused", "lost", "all_after_s", "kB_each", "news", "p50_s", "p95_s", "table_ms",
"slower", "told", "load"}: how many follow at the end; how often one was turned away, and how many streams
ended once they had begun; how many seconds after the first had asked all followed; what each costs the hub,
how many pieces of news each got, how late they came (from the table's state to the last byte at every
hundredth spectator), the processor's milliseconds that an event takes a table in the three times, by how much
the middle one is slower, and how many messages the hub had from the tables for each entry in the three times.
``--arrive`` is how many come in a second. Each spectator comes from an address of a phone's household: 40
have the same one. Who is turned away or loses the stream asks again, as browsers do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import time
import zlib
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.hub.link import quiet_loop
from firmware.hub.membership import Membership
from firmware.hub.messages import State
from firmware.hub.simulate import SimulatedTable
from firmware.hub.simulated_club import Club, memory, own_club, settle

HOUSEHOLD = 40
"""Spectators that have the same address."""
EVERY = 5.0
"""Seconds between two events of a table."""
RETRY = 2.0
"""Seconds after which a browser asks again, as the stream tells it."""


class TimedTable(SimulatedTable):
    """It shows when it was made, in the place of its phase."""

    def _shows(self) -> State | None:
        state = super()._shows()
        if state is None:
            return None
        return state.model_copy(update={"shows": {**state.shows, "phase": str(time.monotonic())}})


async def play(members: list[Membership], pipe: Connection) -> None:
    quiet_loop()
    entries = 0

    def count(*_: object) -> None:
        nonlocal entries
        entries += 1

    tables = [TimedTable(member, EVERY, seed, count) for seed, member in enumerate(members)]
    playing = asyncio.Event()
    running = [asyncio.create_task(table.run(playing)) for table in tables]
    await settle(tables, 60)
    playing.set()
    pipe.send("playing")
    while (await asyncio.to_thread(pipe.recv)) == "count":
        pipe.send((time.process_time(), entries))
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def tables_process(members: list[Membership], pipe: Connection) -> None:
    asyncio.run(play(members, pipe))


class Spectator:
    """One who follows; ``late`` are the delays that one who measures has seen, in seconds."""

    def __init__(self, number: int) -> None:
        self.pieces = self.refused = self.lost = 0
        self.follows = False
        self.late: list[float] = []
        self._measures = number % 100 == 0
        house = number // HOUSEHOLD
        self._address = f"127.1.{house // 250}.{house % 250 + 1}"

    async def look(self, port: int) -> None:
        """Until it is cancelled."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._follow(port)
            if self.follows:
                self.lost += 1
            else:
                self.refused += 1
            self.follows = False
            await asyncio.sleep(RETRY)

    async def _follow(self, port: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, limit=1 << 24, local_addr=(self._address, 0)
        )
        writer.write(b"GET /api/club/events HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            await reader.readuntil(b"\r\n\r\n")
            while size := int(await reader.readline() or b"0", 16):
                piece = (await reader.readexactly(size + 2))[:-2]
                if self._measures:
                    self._read(unpack.decompress(piece))
                self.pieces += self.follows
                self.follows = True  # the first piece is the whole
        finally:
            writer.close()

    def _read(self, piece: bytes) -> None:
        """How late the news are; those who measure unpack them, for all of them this machine is too small."""
        for line in piece.splitlines():
            if self.follows and line.startswith(b"data: ["):
                for table in json.loads(line[6:]):
                    with suppress(ValueError, KeyError):
                        self.late.append(time.monotonic() - float(table["shows"]["phase"]))


class Meter:
    """What the tables have used and told up to now."""

    def __init__(self, club: Club, pipe: Connection) -> None:
        self._club, self._pipe = club, pipe

    async def read(self) -> tuple[float, int, int, int]:
        """The tables' processor seconds and entries; the messages and entries that the hub has had."""
        self._pipe.send("count")
        used, entries = await asyncio.to_thread(self._pipe.recv)
        told = await self._club.page.get("/api/hub")
        assert isinstance(told, dict)
        return used, entries, told["received"], told["kept"]

    async def run(self, seconds: float) -> tuple[float, float]:
        """Over so many seconds: milliseconds of a table for an event, messages for an entry."""
        before = await self.read()
        await asyncio.sleep(seconds)
        used, entries, told, kept = (b - a for a, b in zip(before, await self.read(), strict=True))
        return 1000 * used / entries, told / kept


async def all_follow(every: list[Spectator], most: float) -> float | None:
    """Seconds until all of them follow; None where some do not after the ``most``."""
    begun = time.monotonic()
    while not all(each.follows for each in every):
        if time.monotonic() - begun > most:
            return None
        await asyncio.sleep(0.1)
    return time.monotonic() - begun


async def watch(
    club: Club, port: int, pipe: Connection, count: int, seconds: float, arrive: float
) -> dict[str, object]:
    meter = Meter(club, pipe)
    await asyncio.sleep(5)
    alone = await meter.run(seconds)
    before = memory(club.processes)["hub"]
    every = [Spectator(number) for number in range(count)]
    tasks = []
    begun = time.monotonic()
    for number, each in enumerate(every):
        tasks.append(asyncio.create_task(each.look(port)))
        if (early := begun + number / arrive - time.monotonic()) > 0:
            await asyncio.sleep(early)
    came = time.monotonic() - begun
    waited = await all_follow(every, 120.0)
    await asyncio.sleep(seconds)
    for each in every:
        each.pieces, each.late = 0, []
    watched = await meter.run(seconds)
    after, follow = memory(club.processes)["hub"], sum(each.follows for each in every)
    pieces = sum(each.pieces for each in every)
    late = sorted(one for each in every for one in each.late)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(5)
    again = await meter.run(seconds)
    spans = (alone, watched, again)
    return {
        "spectators": count,
        "followed": follow,
        "refused": sum(each.refused for each in every),
        "lost": sum(each.lost for each in every),
        "all_after_s": None if waited is None else round(came + waited, 1),
        "kB_each": round(1000 * (after - before) / count, 1),
        "news": round(pieces / count, 1),
        "p50_s": round(late[len(late) // 2], 3) if late else None,
        "p95_s": round(late[int(0.95 * len(late))], 3) if late else None,
        "table_ms": [round(each[0], 2) for each in spans],
        "slower": round(2 * watched[0] / (alone[0] + again[0]) - 1, 3),
        "told": [round(each[1], 2) for each in spans],
        "load": round(os.getloadavg()[0], 1),
    }


async def bench(count: int, tables: int, seconds: float, arrive: float) -> dict[str, object]:
    ours, theirs = multiprocessing.Pipe()
    with TemporaryDirectory(prefix="barpoint-look-") as folder:
        async with own_club(tables, Path(folder)) as club:
            process = multiprocessing.Process(target=tables_process, args=(club.members, theirs))
            process.start()
            try:
                await asyncio.to_thread(ours.recv)
                return await watch(club, club.page.port, ours, count, seconds, arrive)
            finally:
                ours.send("over")
                await asyncio.to_thread(process.join, 30)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--spectators", type=int, default=10_000)
    words.add_argument("--tables", type=int, default=60)
    words.add_argument("--seconds", type=float, default=20.0)
    words.add_argument("--arrive", type=float, default=1000.0)
    given = words.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(json.dumps(asyncio.run(bench(given.spectators, given.tables, given.seconds, given.arrive))))


if __name__ == "__main__":
    main()
