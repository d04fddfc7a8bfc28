"""``barpoint hub pin``: the PIN that lets directors in."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from firmware.commands._config import config_option
from firmware.commands._options import json_option
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.page.access import keeper


@click.command(name="pin")
@click.option("--new", is_flag=True, help="Make a new PIN, which everybody must enter; it counts at once.")
@config_option
@hub_state_option
@json_option(help="As a JSON object: {pin}.")
def command(new: bool, path: Path | None, state: Path | None, as_json: bool) -> None:
    """Shows the PIN of the director's console, which the hub's page has at /director. Anybody may look at the
    wall and the draw; directing needs the PIN.

    \b
    Example: barpoint hub pin
    """
    pin = keeper(hub_place(path, state).folder, time.time, renew=new).pin
    click.echo(json.dumps({"pin": pin}) if as_json else pin)
