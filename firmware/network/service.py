"""The program of ``barpoint-network.service``: keeps the table in reach, and does what the director asks.

It alone talks to NetworkManager. What comes over its socket is one JSON object a line: ``{"do": "status"}``,
``{"do": "scan"}``, ``{"do": "back"}`` (look for a known network now) or ``{"do": "join", "ssid": …,
"password": …}``. The answer is one, too: the status, or ``{"refused": words}``. Joining takes longer than an
answer may, and costs the asker's own connection; the status tells later how it went.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.network.mind import NetworkSeen, NetworkStep, WifiMind
from firmware.network.nmcli import Nmcli, Visible
from firmware.network.wifi import CLUB, HOTSPOT, TRIED, Network

PAUSE = 5.0
"""Seconds between two looks at the network."""
LONGEST = 1024
"""Bytes of a request."""


class NetworkService:
    """Keeps one machine in reach. ``place`` is a folder of its own; ``say`` writes a line to the log."""

    def __init__(
        self,
        nmcli: Nmcli,
        place: Path,
        say: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._nmcli = nmcli
        self._place = place
        self._say = say
        self._now = now
        self._mind = WifiMind()
        self._seen = NetworkSeen()
        self._visible: list[Visible] = []
        self._last: dict[str, str] = {}
        self._wishes: asyncio.Queue[Callable[[], Any]] = asyncio.Queue(4)
        self._hotspot = self._own_hotspot()

    def status(self) -> dict[str, Any]:
        """How it stands; ``last`` is how the last joining went."""
        return {
            "mode": self._seen.mode,
            "connection": self._seen.wifi,
            "networks": [asdict(each) for each in self._visible],
            "last": self._last,
            "busy": not self._wishes.empty() or self._last.get("result") == "trying",
            "hotspot": asdict(self._hotspot) | {"code": self._hotspot.code},
        }

    async def run(self, pause: float = PAUSE) -> None:
        """Never ends."""
        with suppress(OSError):
            await self._nmcli.keep(TRIED, None)  # the power went while it was tried
        while True:
            try:
                await self.turn()
                async with asyncio.timeout(pause):  # wait_for may swallow a cancellation
                    wish = await self._wishes.get()
                await wish()
                self._seen = await self._nmcli.seen()
            except TimeoutError:
                pass
            except (OSError, ValueError) as error:  # a disk that is full; whatever nmcli may say one day
                self._say(f"the network: {error}")
                await asyncio.sleep(pause)

    async def turn(self) -> None:
        """Looks once, and does what must be done."""
        self._seen = await self._nmcli.seen()
        step = self._mind.step(self._now(), self._seen)
        if step is NetworkStep.OPEN:
            await self._open()
        elif step is NetworkStep.SEEK:
            await self._seek()

    def ask(self, asked: object) -> dict[str, Any]:
        """Does what was asked over the socket, or begins to. Raises BadInput."""
        what = asked.get("do") if isinstance(asked, dict) else None
        wish: Callable[[], Any] | None = None
        if what == "join" and isinstance(asked, dict):
            network = Network.checked(asked.get("ssid"), asked.get("password"))
            wish = partial(self._join, network)
        elif what == "scan":
            wish = self._scan
        elif what == "back":
            wish = self._seek
        elif what != "status":
            raise BadInput("do must be status, scan, back or join")
        if wish is not None:
            if not self._seen.device:
                raise BadInput(
                    phrase("this table has no Wi-Fi, or it is switched off: sudo nmcli radio wifi on")
                )
            try:
                self._wishes.put_nowait(wish)
            except asyncio.QueueFull:
                raise BadInput(phrase("something is being done already; wait a little")) from None
        return self.status()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of one client."""
        try:
            async with asyncio.timeout(5):
                line = await reader.readline()
            said = self.ask(json.loads(line))
        except (ValueError, RecursionError, TimeoutError):  # no JSON, or longer than LONGEST
            said = {"refused": "this is no request"}
        except BadInput as error:
            said = {"refused": str(error)}
        with suppress(OSError):
            writer.write(json.dumps(said).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def _scan(self) -> None:
        self._visible = await self._nmcli.networks(self._seen.device)

    async def _join(self, network: Network) -> None:
        """Goes to a network; where that fails, everything is as before, and the hotspot opens again."""
        self._last = {"ssid": network.ssid, "result": "trying"}
        try:
            await self._nmcli.keep(TRIED, network.keyfile(TRIED))
            reason = await self._nmcli.up(TRIED)
            if not reason:  # only then the club's own is replaced
                await self._nmcli.keep(CLUB, network.keyfile(CLUB))
                reason = await self._nmcli.up(CLUB)
        except OSError as error:
            reason = "failed"
            self._say(f"the network cannot be written down: {error.strerror or error}")
        with suppress(OSError):
            await self._nmcli.keep(TRIED, None)
        self._last = {"ssid": network.ssid, "result": reason or "joined"}
        self._say(f"the network {network.ssid!r}: {reason or 'joined'}")
        if reason:
            self._seen = await self._nmcli.seen()
            if not self._seen.wifi and not self._seen.hotspot:
                await self._open()

    async def _seek(self) -> None:
        """Goes back to a known network that is there."""
        await self._scan()
        visible = {each.ssid for each in self._visible}
        names = [name for name, ssid in (await self._nmcli.known()).items() if ssid in visible]
        for name in names:
            if not await self._nmcli.up(name):
                self._say(f"back on {name!r}")
                self._mind.sought(False)
                return
        self._mind.sought(bool(names))
        if names:  # leaving the hotspot for them has closed it
            await self._open()

    async def _open(self) -> None:
        try:
            await self._nmcli.keep(HOTSPOT, self._hotspot.keyfile(HOTSPOT))
            reason = await self._nmcli.up(HOTSPOT)
        except OSError as error:
            reason = error.strerror or str(error)
        self._mind.opened(not reason)
        self._say(f"the hotspot {self._hotspot.ssid!r} {f'does not open: {reason}' if reason else 'is open'}")

    def _own_hotspot(self) -> Network:
        """The hotspot's name and password, made once. Where they cannot be read or kept (a full disk), it has
        others until the next start."""
        path, made = self._place / "hotspot.json", Network.made_up()
        try:
            with suppress(FileNotFoundError, ValueError, KeyError, TypeError, BadInput):
                data = json.loads(path.read_text(encoding="utf-8"))
                return Network.checked(data["ssid"], data["password"])
            replace_file(path, json.dumps(asdict(made)), private=True)
        except OSError as error:
            self._say(f"the hotspot has another name and password: {path}: {error.strerror or error}")
        return made
