"""What thousands of spectators cost a hub: a hub's page in a process of its own, tables that change, and as
many followers of its stream as wanted, all on this machine.

    python -m tests.bench.hub_spectators [--spectators 10000] [--tables 60] [--seconds 20]

A JSON line at the end: {"spectators", "followed", "kB_each", "news", "p50_s", "p95_s"}: how many got a place,
what each costs the hub's process, how many pieces of news each got on average, and how late they came, from
the change to the last byte at every hundredth of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.events import Begin
from engine.match import Terms
from engine.session import Session
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.hub import Hub
from firmware.hub.page import pages
from firmware.hub.service import serving
from firmware.hub.store import open_store
from firmware.page.server import listen
from firmware.page.state import for_spectators, page_state
from firmware.settings.reach import Reach


async def serve(folder: Path, count: int, pipe: Connection) -> None:
    store = open_store(f"sqlite:///{folder / 'hub.db'}")
    hub = Hub(store, "club", BrokerPlace(), lambda words: None)
    door = listen("127.0.0.1", None, 0)
    begin = Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bob"}, terms=Terms(length=5))
    shows = for_spectators(page_state(Session().handle(begin)[0], 0, []))
    async with pages.opened(hub, folder, Reach(), door) as app, serving(app, door):
        for number in range(count):
            hub.live.change(f"Table {number}", joined=True, online=True, shows=shows)
        pipe.send((os.getpid(), door.getsockname()[1]))
        turn = 0
        while not pipe.poll():
            await asyncio.sleep(5 / count)
            turn += 1
            now = shows | {"phase": f"{time.monotonic()}"}
            hub.live.change(f"Table {turn % count}", shows=now)
        hub.live.close()
    hub.close()
    store.close()


def hub_process(folder: str, count: int, pipe: Connection) -> None:
    asyncio.run(serve(Path(folder), count, pipe))


class Spectator:
    """One who follows; ``late`` are the delays that one who measures has seen, in seconds."""

    def __init__(self, measures: bool) -> None:
        self.pieces = 0
        self.late: list[float] = []
        self._measures = measures

    async def look(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        writer.write(b"GET /api/club/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            while True:
                line = await reader.readline()
                if not line:
                    return
                if line.startswith(b"event: tables"):
                    self.pieces += 1
                elif self._measures and self.pieces and line.startswith(b"data: ["):
                    for table in json.loads(line[6:]):
                        with suppress(ValueError):
                            self.late.append(time.monotonic() - float(table["shows"]["phase"]))
        finally:
            writer.close()


def rss(process: int) -> float:
    """kB of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize() / 1000


async def watch(port: int, process: int, spectators: int, seconds: float) -> dict[str, object]:
    await asyncio.sleep(2)
    before = rss(process)
    every = [Spectator(place % 100 == 0) for place in range(spectators)]
    tasks = []
    for place, each in enumerate(every):
        tasks.append(asyncio.create_task(each.look(port)))
        if place % 50 == 0:
            await asyncio.sleep(0.05)
    await asyncio.sleep(seconds)
    for each in every:
        each.pieces, each.late = 0, []
    await asyncio.sleep(seconds)
    after, alive = rss(process), sum(not task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    late = sorted(one for each in every for one in each.late)
    return {
        "spectators": spectators,
        "followed": alive,
        "kB_each": round((after - before) / spectators, 1),
        "news": round(sum(each.pieces for each in every) / spectators, 1),
        "p50_s": round(late[len(late) // 2], 3) if late else None,
        "p95_s": round(late[int(0.95 * len(late))], 3) if late else None,
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--spectators", type=int, default=10_000)
    words.add_argument("--tables", type=int, default=60)
    words.add_argument("--seconds", type=float, default=20.0)
    given = words.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ours, theirs = multiprocessing.Pipe()
    with TemporaryDirectory() as folder:
        process = multiprocessing.Process(target=hub_process, args=(folder, given.tables, theirs))
        process.start()
        number, port = ours.recv()
        try:
            print(json.dumps(asyncio.run(watch(port, number, given.spectators, given.seconds))))
        finally:
            ours.send("over")
            process.join(30)


if __name__ == "__main__":
    main()
