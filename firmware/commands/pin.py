"""``barpoint pin``: what opens the page to those who play."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from firmware.commands.run import SYSTEM
from firmware.page.access import keeper
from firmware.page.invitation import link, terminal
from firmware.settings.config import Config, load
from firmware.table.drivers import state_directory


@click.command(name="pin", short_help="Shows the table's PIN, and a QR code for phones")
@click.option(
    "--new",
    is_flag=True,
    help="Make another PIN; whoever entered the old one has to enter this one. Restart the table then.",
)
@click.option(
    "--qr/--no-qr", default=None, help="A QR code that lets a phone in at once (default: on a terminal)."
)
@click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path),
    help=f"The configuration (default: {SYSTEM} if there is one).",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the PIN is kept (default: $XDG_STATE_HOME/barpoint).",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="As a JSON object, with the page's address and the link of the QR code.",
)
def command(new: bool, qr: bool | None, path: Path | None, as_json: bool, state: Path | None) -> None:
    """Shows the table's PIN, on a terminal with a QR code. Anybody may watch the page; acting on it needs the
    PIN.

    \b
    Example: barpoint pin
    """
    config = load(path) if path is not None else load(SYSTEM) if SYSTEM.exists() else Config()
    kept = keeper(state_directory(config, state), time.time, renew=new)
    address = config.page.reach().address()
    if as_json:
        click.echo(json.dumps({"pin": kept.pin, "page": address, "link": link(address, kept)}))
        return
    click.echo(kept.pin)
    if sys.stdout.isatty() if qr is None else qr:
        click.echo(f"{address}\n{terminal(link(address, kept))}")
