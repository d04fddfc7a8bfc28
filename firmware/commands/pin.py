"""``barpoint pin``: what opens the page to those who play."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from firmware.page.access import keeper
from firmware.state import directory


@click.command(name="pin")
@click.option("--new", is_flag=True, help="Make another PIN; whoever entered the old one has to enter this one. Restart the table then.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Where the PIN is kept (default: $XDG_STATE_HOME/barpoint)."
)
@click.option("--json", "as_json", is_flag=True, help="As a JSON object.")
def command(new: bool, as_json: bool, state: Path | None) -> None:
    """Shows the table's PIN. Anybody may watch the page; acting on it needs the PIN.

    \b
    Example: barpoint pin
    """
    pin = keeper(directory(state), time.time, renew=new).pin
    click.echo(json.dumps({"pin": pin}) if as_json else pin)
