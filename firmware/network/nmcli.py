"""NetworkManager, asked by its own ``nmcli``. No password is ever an argument: other users could read it."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

from firmware.files import replace_file
from firmware.network.mind import NetworkSeen
from firmware.network.wifi import HOTSPOT, TRIED

CONNECTIONS = Path("/etc/NetworkManager/system-connections")
WAIT = 45
"""Seconds that NetworkManager has for a connection."""
REASONS = (
    (re.compile(r"[Ss]ecrets were required|802\.1X supplicant|key-mgmt|psk"), "password"),
    (re.compile(r"could not be found|No network with SSID|not found"), "missing"),
)
"""What its messages mean; nmcli(1) tells nothing finer than "activation failed" by its exit status."""


@dataclass(frozen=True, slots=True)
class Visible:
    """A network in reach: its name, its ``signal`` (0 to 100), whether it wants a password."""

    ssid: str
    signal: int
    secured: bool


class Nmcli:
    """Asks ``nmcli``; keyfiles lie in ``folder``."""

    def __init__(self, folder: Path = CONNECTIONS) -> None:
        self._folder = folder

    async def seen(self) -> NetworkSeen:
        """How the network is."""
        device = wifi = ""
        wired = hotspot = False
        for name, kind, state, connection in await self._table("DEVICE,TYPE,STATE,CONNECTION", "device"):
            connected = state.startswith("connected")
            if kind == "ethernet":
                wired |= connected
            elif kind == "wifi" and state not in ("unmanaged", "unavailable") and not device:
                device = name
                wifi = connection if connected else ""
                hotspot = wifi == HOTSPOT
        return NetworkSeen(device, wired, "" if hotspot else wifi, hotspot)

    async def networks(self, device: str) -> list[Visible]:
        """The networks in reach, the strongest of each name, the strongest first."""
        asked = ("device", "wifi", "list", "ifname", device, "--rescan", "yes")
        best: dict[str, Visible] = {}
        for ssid, signal, security in await self._table("SSID,SIGNAL,SECURITY", *asked):
            found = Visible(ssid, int(signal) if signal.isdecimal() else 0, security not in ("", "--"))
            if ssid and ssid.isprintable() and (ssid not in best or best[ssid].signal < found.signal):
                best[ssid] = found
        return sorted(best.values(), key=lambda each: -each.signal)

    async def known(self) -> dict[str, str]:
        """The connections to networks of others: NetworkManager's name for each -> its SSID."""
        found = {}
        for name, kind in await self._table("NAME,TYPE", "connection", "show"):
            if kind == "802-11-wireless" and name not in (HOTSPOT, TRIED):
                _, said = await self._run("-g", "802-11-wireless.ssid", "connection", "show", "id", name)
                found[name] = _unescaped(said.strip())
        return found

    async def up(self, name: str) -> str:
        """Activates a connection; "" where that was done, else why not: ``password``, ``missing`` or
        ``failed``."""
        code, said = await self._run("--wait", str(WAIT), "connection", "up", "id", name)
        if code == 0:
            return ""
        return next((reason for pattern, reason in REASONS if pattern.search(said)), "failed")

    async def keep(self, name: str, keyfile: str | None) -> None:
        """Writes one of our connections down, or removes it. Raises OSError."""
        if keyfile is None:
            self._path(name).unlink(missing_ok=True)
            await self._run("connection", "reload")
        else:
            replace_file(self._path(name), keyfile, private=True)
            await self._run("connection", "load", str(self._path(name)))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.nmconnection"

    async def _table(self, fields: str, *asked: str) -> list[list[str]]:
        _, said = await self._run("-t", "-f", fields, *asked)
        width = fields.count(",") + 1
        rows = [_cells(line) for line in said.splitlines()]
        return [row for row in rows if len(row) == width]

    async def _run(self, *asked: str) -> tuple[int, str]:
        """nmcli's exit status, and what it says; 127 where there is none, 124 where it hangs."""
        try:
            process = await asyncio.create_subprocess_exec(
                "nmcli",
                *asked,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )
        except OSError:
            return 127, ""
        try:
            async with asyncio.timeout(WAIT + 15):  # wait_for may swallow a cancellation
                said, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            return 124, ""
        return process.returncode or 0, said.decode(errors="replace")


def _cells(line: str) -> list[str]:
    """A line of ``nmcli -t``: colons divide, and are escaped where they belong to a value."""
    return [_unescaped(cell) for cell in re.findall(r"(?:^|:)((?:[^:\\]|\\.)*)", line)]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
