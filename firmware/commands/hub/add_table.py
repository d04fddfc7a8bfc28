"""``barpoint hub add-table``: a code by which a table joins."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option
from firmware.commands._options import json_option
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.errors import BadInput
from firmware.hub.identity import Identity
from firmware.hub.messages import good_name
from firmware.page.invitation import terminal
from firmware.wording import spelt


@click.command(name="add-table")
@click.argument("name")
@click.option("--again", is_flag=True, help="A new code for a table that is there: its key counts no more.")
@click.option("--qr/--no-qr", default=None, help="A QR code of it as well (default: on a terminal).")
@config_option
@hub_state_option
@json_option(help="As a JSON object: {table, code, again}.")
def command(
    name: str, again: bool, qr: bool | None, path: Path | None, state: Path | None, as_json: bool
) -> None:
    """Adds a table to the hub and shows the code by which it joins, once: on the table, 'barpoint hub join
    CODE'. The hub may run meanwhile, or not.

    \b
    Example: barpoint hub add-table "Table 1"
    """
    place = hub_place(path, state)
    name = spelt(name)  # as tournaments have it
    if not good_name(name):
        raise BadInput(
            phrase(
                "{name!r} cannot be a table's name; take up to 40 letters, digits, spaces, dots and dashes",
                name=name[:60],
            )
        )
    with place.store() as store:
        add = store.renew_board if again else store.add_board
        board = add(place.settings.event, name)
        code = str(Identity.load_or_make(place.folder).code(board, place.where()))
    if as_json:
        click.echo(json.dumps({"table": board.name, "code": code, "again": again}))
        return
    click.echo(code)
    if sys.stdout.isatty() if qr is None else qr:
        click.echo(terminal(code))
        tell(phrase("On {table}:  sudo barpoint hub join {code}", table=board.name, code=code))
