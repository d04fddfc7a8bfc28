"""The whole hub as one program: its folder, broker, database, conversation, page and announcement."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.errors import BadInput
from firmware.hub.broker import Accounts, Broker
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.discovery import announced, own_addresses
from firmware.hub.home_assistant import HomeAssistant
from firmware.hub.hub import Hub
from firmware.hub.identity import Identity
from firmware.hub.link import quiet_loop
from firmware.hub.membership import PORT
from firmware.hub.page import pages
from firmware.hub.store import Board, Store, StoreError, open_store
from firmware.hub.two_hubs import TwoHubs
from firmware.page.server import listen, serving
from firmware.settings.config import HubRunSettings
from firmware.settings.reach import Reach
from firmware.state import hold, state_home

DATABASE = "hub.db"
AT_ONCE = 2048
"""Connections that are accepted in one go: after a break all spectators come back at once."""


@dataclass(frozen=True)
class HubPlace:
    """A hub's folder, and what it goes by."""

    settings: HubRunSettings = field(default_factory=HubRunSettings)
    folder: Path = Path()

    @classmethod
    def of(cls, settings: HubRunSettings, state: Path | None = None) -> HubPlace:
        """The folder that was chosen, else the configured one, else systemd's, else the user's own."""
        chosen = state or (Path(settings.directory) if settings.directory else None)
        if chosen is None and (given := os.environ.get("STATE_DIRECTORY", "")):
            chosen = Path(given.partition(":")[0])
        if chosen is None:
            chosen = state_home() / "barpoint-hub"
        return cls(settings, chosen.absolute())

    @property
    def url(self) -> str:
        """The database's."""
        return self.settings.database or f"sqlite:///{self.folder / DATABASE}"

    def reach(self) -> Reach:
        """How people find the page."""
        return Reach(self.settings.port, names=self.settings.names, proxies=self.settings.proxies)

    def given_broker(self) -> BrokerPlace | None:
        """A broker that runs already; None where the hub runs its own. Raises BadInput."""
        return BrokerPlace.of_url(self.settings.broker_url) if self.settings.broker_url else None

    def where(self) -> str:
        """What codes tell tables: where the broker is."""
        given = self.given_broker()
        if given is not None:
            return str(given)
        host = self.settings.address or own_addresses()[0]
        if self.settings.host not in ("0.0.0.0", "::") and not self.settings.address:
            host = self.settings.host
        host = f"[{host}]" if ":" in host else host
        return host if self.settings.broker == PORT else f"{host}:{self.settings.broker}"

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The database, opened. Raises BadInput."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        except OSError as error:
            raise BadInput(f"cannot use the folder {self.folder}: {error.strerror or error}") from error
        store = open_store(self.url)
        try:
            yield store
        except StoreError as error:
            raise BadInput(f"the database cannot be used: {error}") from error
        finally:
            store.close()


async def run_hub(
    place: HubPlace,
    say: Callable[[str], None],
    ready: Callable[[Hub, str], None],
) -> None:
    """The hub until SIGINT or SIGTERM; ``ready`` is told the page's address when everything stands. Raises
    BadInput, TwoHubs."""
    quiet_loop()
    settings = place.settings
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    with (
        hold(place.folder, "hub run"),
        place.store() as store,
        TemporaryDirectory(prefix="barpoint-hub-") as short,
    ):
        identity = Identity.load_or_make(place.folder)
        listening = listen(settings.host, settings.port, settings.port, "port under [hub.run]")
        given = place.given_broker()
        if given is not None:
            hub = Hub(store, settings.event, given, say)
            works = [hub.run()]
        else:
            hub, broker = _with_broker(place, store, identity, Path(short), say)
            works = [broker.run(), hub.run()]
        if settings.announce and given is None:  # who has a broker of his own tells his tables where it is
            works.append(_announce(hub, settings, say))
        if settings.homeassistant:
            works.append(hub.keep_going("Home Assistant", HomeAssistant(hub).run))
        tasks = [asyncio.create_task(work) for work in works]
        try:
            async with (
                pages.opened(hub, place.folder, place.reach(), listening) as app,
                serving(app, listening, at_once=AT_ONCE),
            ):
                await _wait([*tasks, asyncio.create_task(hub.connected.wait())])
                ready(hub, f"http://{_host(settings)}:{listening.getsockname()[1]}/")
                await _wait([*tasks, asyncio.create_task(stopped.wait())])
                hub.live.close()
        except ExceptionGroup as error:
            second = error.subgroup(TwoHubs)
            if second is None:
                raise
            raise BadInput(str(second.exceptions[0])) from error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            hub.close()


def _with_broker(
    place: HubPlace, store: Store, identity: Identity, sockets: Path, say: Callable[[str], None]
) -> tuple[Hub, Broker]:
    """A hub with a broker of its own. Raises BadInput."""
    settings = place.settings
    accounts = Accounts(identity, settings.event)

    async def boards() -> Sequence[Board]:
        every = await hub.in_store(store.boards, settings.event)
        return [each for each in every if each.removed_at is None]

    broker = Broker(identity, accounts, place.folder, sockets, settings.host, settings.broker, boards, say)
    hub = Hub(store, settings.event, broker.place, say, accounts)
    return hub, broker


async def _wait(tasks: list[asyncio.Task[object]]) -> None:
    """Until the last of the tasks has ended, or another one has failed, which is raised."""
    while not tasks[-1].done():
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        tasks = [task for task in tasks if task not in done or task is tasks[-1]]


async def _announce(hub: Hub, settings: HubRunSettings, say: Callable[[str], None]) -> None:
    try:
        async with announced(hub.id, hub.event, settings.broker, settings.port):
            await asyncio.Event().wait()
    except OSError as error:
        say(f"the hub is not told in the network (mDNS): {error.strerror or error}; tables need its address")
        await asyncio.Event().wait()


def _host(settings: HubRunSettings) -> str:
    if settings.host not in ("0.0.0.0", "::"):
        return f"[{settings.host}]" if ":" in settings.host else settings.host
    first = settings.address or own_addresses()[0]
    return f"[{first}]" if ":" in first else first
