"""A whole simulated club: a hub of its own where none is given, its tables, and the count at the end."""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiomqtt

from firmware.errors import BadInput
from firmware.hub.broker import find_mosquitto
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.identity import Identity, prove
from firmware.hub.identity_code import Code, new_key
from firmware.hub.joining import join
from firmware.hub.link import connect, quiet_loop
from firmware.hub.membership import Membership
from firmware.hub.service import HubPlace
from firmware.hub.simulate import Page, SimulatedTable, Waits, compare
from firmware.settings.config import HubRunSettings
from firmware.settings.reach import from_here

SETTLE = 30.0
"""Seconds that the tables have, when play is over, to tell the hub the rest."""
CONNECT = 120.0
"""Seconds that the tables have to come to the hub."""
TOLD = 10.0
"""Seconds between two lines that say how far it is, at least."""
LINES = 60
"""Such lines, at most."""
AT_ONCE = 20
"""Tables that join at the same time."""
FILES = 2
"""Open files of a table: its connection, and another while it connects anew."""
OWN_FILES = 200
"""Open files of the program itself."""
LISTENING = (20_000, 32_000)
"""The ports to listen at: below those that Linux gives to who calls (32,768 and up)."""


@dataclass(frozen=True)
class Club:
    """A hub and its tables."""

    page: Page
    members: list[Membership]
    processes: tuple[int, ...] = ()
    """The hub's and its broker's, where they are ours."""


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody uses now, none of those that the system gives to who calls: a caller
    that is given the port that it calls is connected with itself, while the broker there is away."""
    held: list[socket.socket] = []
    try:
        while len(held) < count:
            each = socket.socket()
            try:
                each.bind(("127.0.0.1", random.SystemRandom().randint(*LISTENING)))
            except OSError:
                each.close()
            else:
                held.append(each)
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def names(count: int) -> list[str]:
    """What the simulated tables are called."""
    return [f"Sim {number}" for number in range(1, count + 1)]


def add_members(place: HubPlace, count: int) -> list[Membership]:
    """Tables that have joined, written into the database of a hub that does not run yet."""
    identity = Identity.load_or_make(place.folder)
    own = BrokerPlace(port=place.settings.broker, trust=identity.certificate.read_text())
    given = place.given_broker()
    broker = given or own
    members = []
    with place.store() as store:
        hub = store.fact("hub") or ""
        for name in names(count):
            key = new_key()
            board = store.note_joined(store.add_board(place.settings.event, name), prove(key))
            assert board is not None
            members.append(
                Membership(
                    event=board.event,
                    table=name,
                    hub=hub,
                    host=broker.host,
                    port=broker.port,
                    account=f"table-{board.id}" if given is None else given.username,
                    key=key if given is None else given.password,
                    trust=broker.trust,
                )
            )
    return members


@asynccontextmanager
async def own_club(count: int, folder: Path, broker_url: str = "") -> AsyncIterator[Club]:
    """A hub in a process of its own for as long as the block runs, with its broker, or at one that runs
    already. Raises BadInput."""
    page, broker = free_ports(2)
    settings = HubRunSettings(
        event=f"simulated-{os.getpid()}" if broker_url else "club",  # others talk at that broker, too
        host="127.0.0.1",
        port=page,
        broker=broker,
        broker_url=broker_url,
        announce=False,
    )
    place = HubPlace(settings, folder)
    given = place.given_broker()
    if given is None:
        find_mosquitto()
    else:
        await answers(given)
    folder.mkdir(parents=True, exist_ok=True)
    members = await asyncio.to_thread(add_members, place, count)
    process = await start_hub(place)
    try:
        yield Club(Page("127.0.0.1", page), members, (process.pid, *children(process.pid)))
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def answers(broker: BrokerPlace) -> None:
    """Raises BadInput where there is no broker that lets us in."""
    try:
        async with connect(broker, f"barpoint-{new_key()[:8]}"):
            pass
    except aiomqtt.MqttError as error:
        raise BadInput(
            f"the broker at {broker} cannot be used: {error}; is it on, is the address right, and does it let"
            f" in {broker.username or 'anybody without a name'}?"
        ) from error


def configuration(settings: HubRunSettings) -> str:
    """The settings as TOML."""
    return "[hub.run]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings)


async def start_hub(place: HubPlace) -> asyncio.subprocess.Process:
    """'barpoint hub run' in a process of its own, once it stands. Raises BadInput."""
    written = place.folder / "simulated.toml"
    written.write_text(configuration(place.settings), encoding="utf-8")
    command = ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "firmware"]
    command += ["hub", "run", "--json", "--config", str(written)]
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command,
        "--state",
        str(place.folder),
        stdin=nothing,
        stdout=nothing,
        process_group=0,  # Ctrl-C is for the tables alone: the hub must still be there to be counted
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    page = Page("127.0.0.1", place.settings.port)
    while process.returncode is None:
        with suppress(OSError, ValueError):
            told = await page.get("/api/hub")
            if isinstance(told, dict) and told["connected"]:
                return process
        await asyncio.sleep(0.2)
    raise BadInput("the hub did not start; what it said stands above")


@asynccontextmanager
async def given_club(place: HubPlace, count: int) -> AsyncIterator[Club]:
    """A hub that runs on this machine already: the tables join it by codes, as any table does. Raises
    BadInput."""
    identity = Identity.load_or_make(place.folder)
    event = place.settings.event

    def code(name: str) -> Code:
        """A code for a table; a new one where the last was taken and nobody has heard the answer."""
        with place.store() as store:
            known = {each.name: each for each in store.boards(event) if each.removed_at is None}
            add = store.renew_board if name in known else store.add_board
            return identity.code(add(event, name))

    def taken(name: str) -> bool:
        with place.store() as store:
            return any(each.name == name and each.joined_at is not None for each in store.boards(event))

    door, begun = asyncio.Semaphore(AT_ONCE), time.monotonic()

    async def take(name: str) -> Membership:
        now = code(name)
        while True:
            try:
                async with door:
                    return await join(now, place.where(), ())
            except BadInput:  # the hub looks for new tables every two seconds, and may have much to do
                if time.monotonic() - begun > CONNECT:
                    raise
                if taken(name):
                    now = code(name)
            await asyncio.sleep(1.0)

    members = await asyncio.gather(*(take(name) for name in names(count)))
    yield Club(Page(from_here(place.settings.host), place.settings.port), list(members))


async def play(
    club: Club, seconds: float, every: float, say: Callable[[str], None], stopped: asyncio.Event
) -> dict[str, Any]:
    """Lets the tables play until the time is over or ``stopped`` is set, and counts. Raises OSError where the
    hub's page does not answer."""
    waits = Waits()
    tables = [SimulatedTable(member, every, seed, waits.wrote) for seed, member in enumerate(club.members)]
    playing = asyncio.Event()
    running = [asyncio.create_task(table.run(playing)) for table in tables]
    wall = asyncio.create_task(club.page.follow(waits))
    try:
        took = await settle(tables, CONNECT, stopped)
        before = await entries_of(club.page, tables)
        here = sum(table.talk.settled for table in tables)
        say(f"{here} of {len(tables)} tables are at the hub after {took:.1f} s")
        say(f"watch them at {club.page.address}/wall")
        used, own, begun = processor(club.processes), time.process_time(), time.monotonic()
        playing.set()
        while (left := begun + seconds - time.monotonic()) > 0 and not stopped.is_set():
            await _either(stopped, min(left, max(TOLD, seconds / LINES)))
            say(f"{time.monotonic() - begun:.0f} s: {waits.told()}")
        playing.clear()
        took = time.monotonic() - begun
        spent = {name: at - used[name] for name, at in processor(club.processes).items()}
        spent["tables"] = time.process_time() - own
        await settle(tables, SETTLE)
        await asyncio.sleep(1.0)
        told = await club.page.get("/api/heads")
        assert isinstance(told, dict)
        found = compare(tables, told["heads"], await entries_of(club.page, tables) - before)
    finally:
        for task in (*running, wall):
            task.cancel()
        await asyncio.gather(*running, wall, return_exceptions=True)
    return {
        "tables": len(tables),
        "sent": waits.sent,
        "kept": found.kept,
        "lost": found.lost,
        "doubled": found.doubled,
        "p95_s": waits.slowest(),
        "cores": {name: round(each / took, 3) for name, each in spent.items()},
        "ms_each": {name: round(1000 * each / max(1, waits.sent), 2) for name, each in spent.items()},
        "megabytes": {name: round(size, 1) for name, size in memory(club.processes).items()},
        "load": round(os.getloadavg()[0], 1),
    }


async def entries_of(page: Page, tables: Sequence[SimulatedTable]) -> int:
    """How many entries the hub has of these tables; a table may have been simulated before. Raises OSError,
    ValueError."""
    told = await page.get("/api/heads")
    assert isinstance(told, dict)
    return sum(told["counts"].get(table.name, 0) for table in tables)


async def settle(
    tables: Sequence[SimulatedTable], patience: float, stopped: asyncio.Event | None = None
) -> float:
    """Waits until the hub has all of these tables, but not longer than ``patience``; the seconds it took."""
    begun = time.monotonic()
    while not all(table.talk.settled for table in tables) and time.monotonic() - begun < patience:
        if stopped is not None and stopped.is_set():
            break
        await asyncio.sleep(0.2)
    return time.monotonic() - begun


async def _either(happened: asyncio.Event, seconds: float) -> None:
    """Waits until it has happened, or for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await happened.wait()


def children(process: int) -> tuple[int, ...]:
    """The processes that this one has started."""
    with suppress(OSError):
        return tuple(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    return ()


def _name(process: int) -> str:
    comm = Path(f"/proc/{process}/comm").read_text().strip()
    return "broker" if comm == "mosquitto" else "hub"


def processor(processes: tuple[int, ...]) -> dict[str, float]:
    """Seconds of processor that these have used."""
    used = {}
    for process in processes:
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            used[_name(process)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


def memory(processes: tuple[int, ...]) -> dict[str, float]:
    """Megabytes that these hold now."""
    held = {}
    for process in processes:
        with suppress(OSError):
            pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
            held[_name(process)] = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return held


async def simulate(
    count: int,
    seconds: float,
    every: float,
    place: HubPlace | None,
    say: Callable[[str], None],
    broker_url: str = "",
) -> dict[str, Any]:
    """Simulates a club at the hub in ``place``, or at one of its own, whose broker may run already. SIGINT
    and SIGTERM end the play, and what was played is counted; a second one ends it all. Raises BadInput,
    OSError."""
    allow_connections(count)
    quiet_loop()
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    task = asyncio.current_task()
    assert task is not None

    def stop() -> None:
        if stopped.is_set():
            task.cancel()
        stopped.set()
        say("play ends, what was played is counted; once more ends it at once")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    if place is not None:
        async with given_club(place, count) as club:
            return await play(club, seconds, every, say, stopped)
    with TemporaryDirectory(prefix="barpoint-club-") as name:
        async with own_club(count, Path(name), broker_url=broker_url) as club:
            return await play(club, seconds, every, say, stopped)


def allow_connections(count: int) -> None:
    """Makes room for a connection of each table. Raises BadInput where this machine allows fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count * FILES + OWN_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        most = max(0, (hard - OWN_FILES) // FILES)
        raise BadInput(
            f"this machine allows {hard} open files, so {most} tables: --tables {most}, or ulimit -Hn"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
