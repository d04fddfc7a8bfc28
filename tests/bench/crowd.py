"""What spectators can take from each other and from the players: ``python -m tests.bench.crowd [VIEWERS]
[ADDRESSES] [MATCHES]``.

Four crowds, each beside a whole device with simulated camera, buttons and strip:

* VIEWERS behind one address follow the table as the page does, while ADDRESSES others open as many
  connections as they get, in streams and in silence. How many of the viewers see the present state, how many
  of them by a stream of their own, and how soon a player with the PIN gets in.
* ADDRESSES that open connections as fast as they can: how many, how many of them were let in, what one of
  them costs the table in processor time, and what an act takes meanwhile.
* Fifteen reports are asked for and abandoned: how long somebody else waits for one.
* An archive of MATCHES without a cache: how soon the list comes, until it is complete, and what an act takes
  meanwhile, beside what it takes when nobody asks.

Attackers come from 127.0.1.x, which Linux needs no setting for. Figures are seconds and milliseconds on the
machine at hand; compare them with each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event as Flag
from pathlib import Path

import httpx
import numpy as np

from engine.events import Button, Press
from firmware.page.access import COOKIE, Keeper
from firmware.page.connection_limit import ConnectionLimit
from firmware.page.server import Server, listen
from firmware.page.table_page import TablePage
from tests.bench.archive import fill
from tests.bench.arguments import arguments
from tests.firmware.desk import Desk, backgammon, running

HOME = "127.0.0.1"
ASK = b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n"
FRESH = 5.0
"""Seconds after which what a viewer sees is no longer the present state."""
SETTLES = 15.0
"""Seconds until the crowd has sorted itself."""


class Viewer:
    """Follows the table as a browser does: opens the stream again when it ends, when it was told to."""

    def __init__(self, port: int, home: str = HOME) -> None:
        self.port, self.home = port, home
        self.seen = 0.0
        self.open = False

    async def follow(self) -> None:
        """Until it is cancelled."""
        retry = 1.0
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                reader, writer = await asyncio.open_connection(
                    HOME, self.port, limit=2**20, local_addr=(self.home, 0)
                )
                try:
                    writer.write(ASK)
                    while line := await reader.readline():
                        if line.startswith(b"data: {"):
                            self.seen, self.open = time.monotonic(), True
                        elif line.startswith(b"retry: "):
                            retry = int(line[7:]) / 1000
                        elif line == b"0\r\n":  # the last chunk
                            break
                finally:
                    self.open = False
                    writer.close()
            await asyncio.sleep(retry)


async def grab(port: int, home: str, streams: bool) -> None:
    """One greedy connection: a stream, or silence; opened again a second after it was closed."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(HOME, port, local_addr=(home, 0))
            try:
                if streams:
                    writer.write(ASK)
                while await reader.read(2**16):
                    pass
            finally:
                writer.close()
        await asyncio.sleep(1.0)


def viewers(port: int, count: int, ready: Flag, over: Flag, found: Queue[tuple[int, int]]) -> None:
    """A process of viewers; tells how many see the present state, and how many of them by an open stream."""

    async def run() -> None:
        there = [Viewer(port) for _ in range(count)]
        tasks = [asyncio.create_task(each.follow()) for each in there]
        await asyncio.sleep(4)
        ready.set()
        await asyncio.to_thread(over.wait)
        now = time.monotonic()
        found.put((sum(now - each.seen < FRESH for each in there), sum(each.open for each in there)))
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def attackers(port: int, addresses: int, each: int, over: Flag) -> None:
    """A process of greedy addresses with ``each`` so many connections, half of them streams."""

    async def run() -> None:
        tasks = [
            asyncio.create_task(grab(port, f"127.0.1.{1 + number % addresses}", number // addresses % 2 == 0))
            for number in range(addresses * each)
        ]
        await asyncio.to_thread(over.wait)
        for task in tasks:
            task.cancel()

    asyncio.run(run())


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Desk, int, Keeper]]:
    """A table with its page and its archive, the page's port, and who lets players in."""
    keeper = Keeper("271828", b"key", time.time)
    async with (
        running(folder, lambda t: backgammon(t, 0)) as desk,
        Server(
            TablePage(desk.hub, lambda: None, keeper, desk.device.act, archive=folder), listen(HOME, 0, 0)
        ) as server,
    ):
        port = httpx.URL(server.address).port
        assert port is not None
        yield desk, port, keeper


async def act(desk: Desk) -> float:
    """Seconds for one act, through the queue, the referee and the journal, to its answer."""
    begun = time.perf_counter()
    assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
    return time.perf_counter() - begun


async def acts(desk: Desk, until: Callable[[], bool], pause: float = 0.1) -> list[float]:
    """Acts, in milliseconds each, until something holds."""
    took = []
    while not until():
        took.append(1000 * await act(desk))
        await asyncio.sleep(pause)
    return took


def words(took: list[float]) -> str:
    """Median, 95 % and worst, in milliseconds."""
    return "{:.1f} ms median, {:.1f} at 95 %, {:.1f} worst".format(*np.percentile(took, (50, 95, 100)))


async def player(port: int, keeper: Keeper) -> list[float]:
    """Seconds for each of ten requests of a player who comes newly, each over a connection of its own; minus
    one where it got no answer."""
    cookie, took = f"{COOKIE}={keeper.enter(keeper.pin, 'player')}", []
    for _ in range(10):
        begun = time.perf_counter()
        try:
            async with httpx.AsyncClient(base_url=f"http://{HOME}:{port}", timeout=20) as client:
                response = await client.get("/api/state", headers={"cookie": cookie})
                took.append(time.perf_counter() - begun if response.status_code == 200 else -1)
        except httpx.HTTPError:
            took.append(-1)
        await asyncio.sleep(0.1)
    return took


async def places(count: int, addresses: int) -> None:
    """Viewers behind one address, and many greedy addresses."""
    spawn = multiprocessing.get_context("spawn")
    ready, over = spawn.Event(), spawn.Event()
    found: Queue[tuple[int, int]] = spawn.Queue()
    with tempfile.TemporaryDirectory() as folder:
        async with served(Path(folder)) as (desk, port, keeper):
            there = spawn.Process(target=viewers, args=(port, count, ready, over, found))
            there.start()
            await asyncio.to_thread(ready.wait)
            before = await acts(desk, after(4.0))
            greedy = spawn.Process(target=attackers, args=(port, addresses, 14, over))
            greedy.start()
            took = await acts(desk, after(SETTLES))
            entered = await player(port, keeper)
            await act(desk)
            await asyncio.sleep(FRESH - 1)
            await act(desk)
            over.set()
            seeing, streaming = await asyncio.to_thread(found.get)
            for each in (there, greedy):
                await asyncio.to_thread(each.join)
    print(
        f"{count} viewers behind one address, {addresses} greedy addresses: {seeing} see the present state,"
        f" {streaming} by a stream of their own"
    )
    print(
        f"  a player with the PIN: {sum(each >= 0 for each in entered)} of 10 requests answered, the slowest"
        f" in {max(entered):.2f} s; an act: {words(before)}; in the crowd: {words(took)}"
    )


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds are over."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def flood(port: int, addresses: int, over: Flag) -> None:
    """A process that opens connections and closes them at once."""
    while not over.is_set():
        for number in range(1, addresses + 1):
            with socket.socket() as line, contextlib.suppress(OSError):
                line.setblocking(False)
                line.bind((f"127.0.1.{number}", 0))
                line.connect_ex((HOME, port))


class Count(ConnectionLimit):
    """Counts whom it turns away (0) and lets in (1)."""

    def __init__(self, room: int) -> None:
        super().__init__(room)
        self.met = [0, 0]

    def admits(self, who: str, now: float) -> bool:
        """Counts."""
        admitted = super().admits(who, now)
        self.met[admitted] += 1
        return admitted


async def flooded(addresses: int) -> None:
    """As many connections as addresses can open."""
    spawn = multiprocessing.get_context("spawn")
    over = spawn.Event()
    with tempfile.TemporaryDirectory() as folder:
        door = listen(HOME, 0, 0)
        door.limit = count = Count(door.limit.room)
        async with (
            running(Path(folder), lambda t: backgammon(t, 0)) as desk,
            Server(
                TablePage(desk.hub, lambda: None, Keeper("271828", b"key", time.time), desk.device.act), door
            ),
        ):
            before = await acts(desk, after(5.0))
            attack = spawn.Process(target=flood, args=(door.getsockname()[1], addresses, over))
            attack.start()
            await asyncio.sleep(2.0)
            began, (away, inside) = time.process_time(), count.met
            took = await acts(desk, after(10.0))
            spent, away, inside = time.process_time() - began, count.met[0] - away, count.met[1] - inside
            over.set()
            await asyncio.to_thread(attack.join)
    print(
        f"{addresses} addresses that open and close: {inside / 10:.0f} a second let in, {away / 10:.0f}"
        f" turned away, {100 * spent / 10:.0f} % of a core, {1e6 * spent / max(1, inside + away):.0f} us"
        f" each; an act: {words(before)}; in the flood: {words(took)}"
    )


async def ask(port: int, path: str, home: str, patience: float = 600) -> tuple[float, bytes]:
    """Seconds until the answer is there, and its body; raises TimeoutError after ``patience``."""
    begun = time.perf_counter()
    transport = httpx.AsyncHTTPTransport(local_address=home)
    async with httpx.AsyncClient(
        base_url=f"http://{HOME}:{port}", timeout=patience, transport=transport
    ) as client:
        async with asyncio.timeout(patience):
            response = await client.get(path)
    return time.perf_counter() - begun, response.content


async def beside(work: Awaitable[tuple[float, bytes]], desk: Desk) -> tuple[float, bytes, list[float]]:
    """What an answer took, the answer, and what acts took meanwhile."""
    task = asyncio.ensure_future(work)
    took = await acts(desk, task.done, 0.02)
    return (*task.result(), took)


async def abandoned() -> None:
    """Reports that nobody waits for any more, then one that somebody does."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder) / "journal.db", 60)
        async with served(Path(folder)) as (desk, port, _):
            _, body = await ask(port, "/api/games", HOME)
            logs = [each["id"] for each in json.loads(body)][1:]
            await asyncio.sleep(30)  # the archive rests after the list
            alone, _ = await ask(port, f"/api/games/{logs[20]}/report", "127.0.1.2")
            await asyncio.sleep(3 * alone)
            for number in range(15):
                with contextlib.suppress(TimeoutError, httpx.HTTPError):
                    await ask(port, f"/api/games/{logs[number]}/report", "127.0.1.1", 0.1)
            took, _, acted = await beside(ask(port, f"/api/games/{logs[21]}/report", "127.0.1.2"), desk)
            print(
                f"a report: {alone:.1f} s alone, {took:.1f} s after 15 abandoned ones;"
                f" an act meanwhile: {words(acted)}"
            )


async def archive(matches: int) -> None:
    """A list without a cache."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder) / "journal.db", matches)
        async with served(Path(folder)) as (desk, port, _):
            alone = await acts(desk, after(5.0), 0.02)
            begun = time.perf_counter()
            first, body, took = await beside(ask(port, "/api/games", "127.0.1.1", 3600), desk)
            count = len(json.loads(body))
            print(
                f"a list of {count} matches without a cache: {first:.2f} s to the first answer; an act:"
                f" {words(alone)} alone; {words(took)} meanwhile",
                flush=True,
            )
            took = []
            while not complete(body):
                _, body, more = await beside(wait(port), desk)
                took += more
            again = sorted([(await ask(port, "/api/games", "127.0.1.1"))[0] for _ in range(5)])
            print(
                f"  complete after {time.perf_counter() - begun:.0f} s, then {again[2]:.2f} s; an act"
                f" meanwhile: {words(took or [0.0])}"
            )


async def wait(port: int) -> tuple[float, bytes]:
    """The list again, two seconds later, as the page asks."""
    await asyncio.sleep(2)
    return await ask(port, "/api/games", "127.0.1.1")


def complete(body: bytes) -> bool:
    """Whether every match in the list was looked at."""
    return all(each.get("known", True) for each in json.loads(body))


async def main(viewers: int, addresses: int, matches: int) -> None:
    """One after the other; 0 leaves one out."""
    if viewers:
        await places(viewers, addresses)
    if addresses:
        await flooded(addresses)
        await abandoned()
    if matches:
        await archive(matches)


if __name__ == "__main__":
    asyncio.run(main(**arguments(__doc__, viewers=200, addresses=40, matches=2500)))
