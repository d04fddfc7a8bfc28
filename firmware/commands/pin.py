"""``barpoint pin``: the PIN that lets players act on the page."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import json_option, state_option
from firmware.page.access import keeper
from firmware.page.invitation import link, terminal
from firmware.settings.reach import from_here, url


@click.command(name="pin")
@click.option("--new", is_flag=True, help="Make a new PIN, which everybody must enter; it counts at once.")
@click.option("--director", is_flag=True, help="The director's PIN: what a director corrects counts at once.")
@click.option("--qr/--no-qr", default=None, help="A QR code that lets a phone in (default: on a terminal).")
@config_option
@state_option(help="Where the PIN is kept (default: $XDG_STATE_HOME/barpoint).")
@json_option(help="As a JSON object, with the page's address and the link of the QR code.")
def command(
    new: bool, director: bool, qr: bool | None, path: Path | None, as_json: bool, state: Path | None
) -> None:
    """Shows the table's PIN, on a terminal with a QR code. Anybody may watch the page; acting on it needs
    the PIN.

    \b
    Example: barpoint pin
    """
    config = read_config(path)
    kept = keeper(table_folder(config, path, state), time.time, renew=new)
    address = config.page.reach().address()
    own = url(from_here(config.page.host), config.page.port, config.page.tls() is not None)
    screen = f"{own}tv#screen={kept.screen}"
    if as_json:
        click.echo(
            json.dumps(
                {
                    "pin": kept.pin,
                    "director": kept.director,
                    "page": address,
                    "link": link(address, kept),
                    "screen": screen,
                }
            )
        )
        return
    click.echo(kept.director if director else kept.pin)
    if director:
        return
    if sys.stdout.isatty() if qr is None else qr:
        click.echo(f"{address}\n{terminal(link(address, kept))}\nthe device's own screen: {screen}")
