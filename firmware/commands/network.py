"""``barpoint network``: the table's way into a network."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import click

from engine.messages import phrase
from firmware.commands._options import json_option
from firmware.commands._output import tell
from firmware.network.nmcli import Nmcli
from firmware.network.service import LONGEST, NetworkService
from firmware.network.talk import ask
from firmware.network.wifi import HERE
from firmware.page.invitation import terminal

FROM_SYSTEMD = 3
"""The first file descriptor that systemd passes (sd_listen_fds(3))."""
MODES = {
    "wifi": "connected to {}",
    "wired": "connected by cable",
    "hotspot": "no known Wi-Fi is there: the table's own hotspot is open",
    "searching": "not connected; the hotspot opens after a minute",
    "none": "no Wi-Fi here, or it is switched off (sudo nmcli radio wifi on)",
}


@click.command(name="network")
@click.option("--qr/--no-qr", default=None, help="The hotspot's QR code (default: on a terminal).")
@click.option("--serve", is_flag=True, hidden=True, help="The service of barpoint-network.service.")
@json_option(help="As a JSON object.")
def command(qr: bool | None, serve: bool, as_json: bool) -> None:
    """Says how this table is connected, and its hotspot's name and password, on a terminal with a QR code
    that a phone's camera takes. The director joins the club's Wi-Fi on the page, under /device.

    \b
    Example: sudo barpoint network
    """
    if serve:
        asyncio.run(_serve())
        return
    found = asyncio.run(ask({"do": "status"}))
    if as_json:
        click.echo(json.dumps(found))
        return
    hotspot: dict[str, Any] = found["hotspot"]
    tell(MODES.get(str(found["mode"]), "unknown").format(found["connection"]))
    tell(
        phrase(
            "hotspot: {name}, password: {password}; the page's address there: {address}",
            name=hotspot["ssid"],
            password=hotspot["password"],
            address=HERE,
        )
    )
    if sys.stdout.isatty() if qr is None else qr:
        click.echo(terminal(str(hotspot["code"])))


async def _serve() -> None:
    place = Path(os.environ.get("STATE_DIRECTORY", "/var/lib/barpoint-network"))
    service = NetworkService(Nmcli(), place, lambda words: tell(words, err=True))
    with socket.socket(fileno=FROM_SYSTEMD) as door:
        async with await asyncio.start_unix_server(service.answer, sock=door, limit=LONGEST):
            await service.run()
