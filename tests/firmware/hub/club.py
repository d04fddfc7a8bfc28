"""A hub without a broker, with its pages, served from a thread: tables are what a test says that they are."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from firmware.hub.app import make_app
from firmware.hub.hub import Hub
from firmware.hub.link import BrokerPlace
from firmware.hub.live import TableNow
from firmware.hub.office.desk import Desk
from firmware.hub.page import pages
from firmware.hub.store import open_store
from firmware.page.access import Keeper
from firmware.page.server import listen, serving

PIN = "246810"
T = TypeVar("T")


def now(hub: Hub, table: str) -> TableNow:
    """How a table stands, of which the hub knows."""
    found = hub.live.table(table)
    assert found is not None
    return found


class Club:
    """Use it as a context; ``call`` runs a coroutine in the hub's event loop."""

    def __init__(self, folder: Path, tables: int = 4, url: str = "", port: int = 0) -> None:
        self.store = open_store(url or f"sqlite:///{folder / 'hub.db'}")
        self._tables, self._port = tables, port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._served(),))

    def __enter__(self) -> Club:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self.store.close()
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def change(self, table: str, **what: Any) -> None:
        """Something is told of a table."""

        async def tell() -> None:
            self.hub.live.change(table, **what)

        self.call(tell())

    async def _served(self) -> None:
        await self._serve()
        # Who was reading a journal then still has a connection of the store's.
        await self._loop.shutdown_default_executor()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        self.hub = hub = Hub(self.store, "Club evening", BrokerPlace(), lambda words: None)
        known = {board.name for board in self.store.boards(hub.event)}
        for number in range(1, self._tables + 1):
            if f"Table {number}" not in known:
                self.store.add_board(hub.event, f"Table {number}")
        await hub._load()
        self.desk = Desk(hub)
        await self.desk.open()
        app = make_app(hub)
        self.broadcast = pages.add(app, hub, self.desk, Keeper(PIN, b"key", time.time))
        door = listen("127.0.0.1", self._port, self._port)
        self.address = f"http://127.0.0.1:{door.getsockname()[1]}"
        async with serving(app, door):
            tasks = [asyncio.create_task(each) for each in (self.desk.run(), self.broadcast.run())]
            self._ready.set()
            await self._over.wait()
            hub.close()
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
