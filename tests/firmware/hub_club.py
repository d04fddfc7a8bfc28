"""A small club for the tests: a real broker, a hub in this process, and tables that keep their journal in
memory."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import func, select

from engine.session import Session
from firmware.hub import schema
from firmware.hub.broker import Accounts, Broker
from firmware.hub.hub import Hub
from firmware.hub.identity import Identity
from firmware.hub.messages import Assignment, State, Status
from firmware.hub.outbox import Outbox
from firmware.hub.service import HubPlace
from firmware.hub.simulate import MemoryOutbox, RandomPlayer
from firmware.hub.simulated_club import Membership, add_members, free_ports
from firmware.hub.store import Board, Store, open_store
from firmware.hub.table_talk import TableTalk
from firmware.record.chain import check_chain
from firmware.settings.config import HubRunSettings

NO_BROKER = "no mosquitto here: apt install mosquitto"
needs_broker = pytest.mark.skipif(
    shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin") is None, reason=NO_BROKER
)


async def until(what: Callable[[], Any], words: str = "", patience: float = 150.0) -> None:
    """Waits until something is so. It fails only after minutes: a busy machine must not fail a test."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < patience, words or "it did not come"
        await asyncio.sleep(0.02)


@dataclass
class SeatedTable:
    """A table with its journal and its conversation."""

    member: Membership
    outbox: Outbox
    talk: TableTalk
    told: dict[str, str] = field(default_factory=dict)
    given: list[Assignment] = field(default_factory=list)
    coming: list[str] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    shows: dict[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        self.task = asyncio.create_task(self.talk.run())

    async def end(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)


def written(outbox: MemoryOutbox, match: str, count: int, seed: int = 1) -> None:
    """Plays ``count`` events of a match into a journal."""
    player, session = RandomPlayer(random.Random(seed), 99), Session()
    for number in range(count):
        event = player.begin(0.0) if number == 0 else player.next(session, float(number))
        assert event is not None
        session, _ = session.handle(event)
        outbox.append(match, "2026-03-01T12:00:00.000Z", event)


def count_entries(store: Store) -> int:
    """All entries of all tables, one by one."""
    with store.begin() as connection:
        return int(connection.execute(select(func.count()).select_from(schema.entries)).scalar_one())


class SmallClub:
    """A broker, a hub, and tables."""

    def __init__(self, folder: Path, url: str, sockets: Path, port: int = 0) -> None:
        self.said: list[str] = []
        self.url = url
        self.port = port or free_ports(2)[1]
        self.place = HubPlace(HubRunSettings(broker=self.port, host="127.0.0.1", database=url), folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.identity = Identity.load_or_make(folder)
        self.accounts = Accounts(self.identity, "club")
        self._sockets = sockets
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.tables: list[SeatedTable] = []
        self.clock: Callable[[], str] = lambda: "2020-01-01T00:00:00.000Z"
        """The clock of the tables."""

    async def begin_broker(self) -> None:
        async def boards() -> Sequence[Board]:
            return [each for each in self.store.boards("club") if each.removed_at is None]

        self.broker = Broker(
            self.identity,
            self.accounts,
            self.place.folder,
            self._sockets,
            "127.0.0.1",
            self.port,
            boards,
            self.said.append,
        )
        self._tasks["broker"] = asyncio.create_task(self.broker.run())

    async def begin_hub(self) -> None:
        self.hub = Hub(self.store, "club", self.broker.place, self.said.append, self.accounts)
        self._tasks["hub"] = asyncio.create_task(self.hub.run())
        await until(self.hub.connected.is_set, "the hub did not come to the broker")

    async def end(self, name: str) -> None:
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if name == "hub":
            self.hub.close()

    async def begin(self) -> None:
        self.store: Store = open_store(self.place.url)
        await self.begin_broker()
        await self.begin_hub()

    def seat(self, member: Membership, outbox: Outbox | None = None) -> SeatedTable:
        """A table that talks to the hub."""
        own = outbox if outbox is not None else MemoryOutbox()
        shows: dict[str, Any] = {}
        told: dict[str, str] = {}
        given: list[Assignment] = []
        coming: list[str] = []

        def newest() -> State | None:
            return State(match=shows["match"], shows=shows) if shows else None

        talk = TableTalk(
            member,
            own,
            newest,
            status=lambda: Status(online=True, at=self.clock(), program="test"),
            tell=told.__setitem__,
            assigned=given.append,
            coming=coming.append,
            again=(0.05, 0.2),
        )
        table = SeatedTable(member, own, talk, told, given, coming, shows=shows)
        table.begin()
        self.tables.append(table)
        return table

    def kept(self, name: str, match: str) -> int:
        """How many entries of a match the hub has; the chain that it has is whole."""
        board = self.store.board("club", name)
        assert board is not None
        entries = self.store.entries(board.id, match)
        check_chain(match, entries)
        return len(entries)


@asynccontextmanager
async def small_club(
    folder: Path, count: int = 1, url: str = ""
) -> AsyncIterator[tuple[SmallClub, list[Membership]]]:
    """A running club, with ``count`` tables that have joined."""
    async with AsyncExitStack() as stack:
        club = SmallClub(folder, url, Path(stack.enter_context(TemporaryDirectory(prefix="bp-"))))
        members = add_members(club.place, count)
        await club.begin()
        try:
            yield club, members
        finally:
            for table in club.tables:
                await table.end()
            for name in ("hub", "broker"):
                with suppress(KeyError):
                    await club.end(name)
            club.store.close()
