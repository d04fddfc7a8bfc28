"""Finding a hub in the local network by mDNS: it is told as ``_barpoint-hub._tcp``, with its id and event.

What is found is only an address to try: the certificate says whether it is the table's own hub.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import ifaddr
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

ANSWER = 1.0
"""Seconds that an address has to answer."""
SERVICE = "_barpoint-hub._tcp.local."


@dataclass(frozen=True, slots=True)
class FoundHub:
    """A hub in the network."""

    hub: str
    event: str
    host: str
    port: int


@asynccontextmanager
async def announced(hub: str, event: str, port: int, page: int) -> AsyncIterator[None]:
    """Tells the network of a hub. Raises OSError where there is no network."""
    network = AsyncZeroconf(ip_version=IPVersion.All)
    told = {"hub": hub, "event": event, "page": str(page)}
    info = AsyncServiceInfo(
        SERVICE,
        f"Barpoint {hub}.{SERVICE}",
        port=port,
        properties=told,
        server=f"{socket.gethostname().partition('.')[0]}.local.",
        parsed_addresses=own_addresses(),
    )
    try:
        await network.async_register_service(info, allow_name_change=True)
        yield
    finally:
        await network.async_close()


class Finder:
    """Looks for hubs; ``found`` is where the one with this id is (any, where it is "")."""

    def __init__(self, hub: str = "") -> None:
        self.found: tuple[str, int] | None = None
        self.every: dict[str, FoundHub] = {}
        """All that are there, by their names in the network."""
        self._hub = hub
        self._asking: set[asyncio.Task[None]] = set()

    async def look(self, seconds: float) -> None:
        """Looks for so long; without a network it finds nothing."""
        try:
            network = AsyncZeroconf(ip_version=IPVersion.All)
        except OSError:
            return
        browser = AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[self._changed])
        try:
            await asyncio.sleep(seconds)
        finally:
            await browser.async_cancel()
            await network.async_close()

    def _changed(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        if state_change is ServiceStateChange.Removed:
            self.every.pop(name, None)
            return
        task = asyncio.get_running_loop().create_task(self._ask(zeroconf, name))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _ask(self, zeroconf: Zeroconf, name: str) -> None:
        info = AsyncServiceInfo(SERVICE, name)
        if not await info.async_request(zeroconf, 3000):
            return
        told = {key: (value or b"").decode(errors="replace") for key, value in info.properties.items()}
        addresses = [each for each in info.parsed_addresses() if not _link_local(each)]
        if not addresses or info.port is None:
            return
        host = await first_open(addresses, info.port)
        found = FoundHub(told.get(b"hub", ""), told.get(b"event", ""), host, info.port)
        self.every[name] = found
        if self._hub in ("", found.hub):
            self.found = (found.host, found.port)


async def find_hubs() -> list[FoundHub]:
    """The hubs that answer within three seconds."""
    finder = Finder()
    await finder.look(3.0)
    return list(finder.every.values())


async def first_open(addresses: Sequence[str], port: int) -> str:
    """The first of a machine's addresses at which it can be reached from here; the first of all where it can
    be reached at none now."""
    for each in addresses:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(ANSWER):
                _, writer = await asyncio.open_connection(each, port)
            writer.close()
            return each
    return addresses[0]


def own_addresses() -> list[str]:
    """This machine's addresses: first those by which it reaches the world, then those of its other networks,
    of which one may be all it has, as in a club without internet; only 127.0.0.1 where it has no network."""
    found: list[str] = []
    for family, there in ((socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as asked:
                asked.connect((there, 9))  # sends nothing: only asks which address would be used
                found.append(asked.getsockname()[0])
        except OSError:
            continue
    for adapter in ifaddr.get_adapters():
        found += [str(each.ip) if each.is_IPv4 else each.ip[0] for each in adapter.ips]
    return list(dict.fromkeys(each for each in found if not _link_local(each))) or ["127.0.0.1"]


def _link_local(address: str) -> bool:
    """Whether nobody beyond the next machine could use this address."""
    read = ipaddress.ip_address(address.partition("%")[0])
    return read.is_link_local or read.is_loopback
