"""``barpoint hub run``: the hub."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from firmware.commands._config import config_option
from firmware.commands._options import json_option
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.errors import BadInput
from firmware.hub.hub import Hub
from firmware.hub.service import run_hub
from firmware.table.notify import notify


@click.command(name="run")
@config_option
@hub_state_option
@json_option(help="The page's address, and what goes wrong, as JSON lines.")
def command(path: Path | None, state: Path | None, as_json: bool) -> None:
    """Runs the hub until Ctrl-C or SIGTERM: its broker (Mosquitto, from Debian's package), its database and
    its page. The tables may come and go, and so may the hub: nothing is lost.

    \b
    Example: barpoint hub run
    Example: barpoint hub run --config barpoint.toml
    """
    place = hub_place(path, state)

    def say(words: str) -> None:
        tell(json.dumps({"said": words}) if as_json else f"barpoint: {words}", err=not as_json)

    def ready(hub: Hub, address: str) -> None:
        notify("READY=1")
        said = json.dumps({"page": address, "broker": place.where(), "event": hub.event})
        click.echo(said if as_json else f"the hub's page is at {address}; tables come to {place.where()}")

    try:
        asyncio.run(run_hub(place, say, ready))
    except BadInput as error:
        # The configuration is in order, so this may pass: systemd tries again after status 1.
        tell(f"barpoint: {error}", err=True)
        raise SystemExit(1) from error
