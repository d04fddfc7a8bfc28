"""``barpoint key``: the public key that the table signs its matches with."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import json_option, state_option
from firmware.page.invitation import terminal
from firmware.record.table_key import NoKey, TableKey, code, grouped


@click.command(name="key")
@click.option("--make", is_flag=True, help="Make it now where there is none; otherwise the first start does.")
@click.option("--qr/--no-qr", default=None, help="A QR code of it as well (default: on a terminal).")
@config_option
@state_option(help="Where the key is kept (default: $XDG_STATE_HOME/barpoint).")
@json_option(help="As a JSON object: {key, code}; code is what the QR code says.")
def command(make: bool, qr: bool | None, path: Path | None, as_json: bool, state: Path | None) -> None:
    """Shows the public half of the key that this table signs its finished matches with. Keep it in another
    place: 'barpoint verify MATCH --key KEY' then shows that a match was played at this table. A director
    keeps a file of such keys, a table on each line: the key, then the table's name.

    The private half never leaves the table. Exit status 1: there is no key yet.

    \b
    Example: barpoint key
    Example: echo "$(barpoint key --no-qr) Table 3" >>tables.txt
    """
    folder = table_folder(read_config(path), path, state)
    try:
        public = (TableKey.load_or_make(folder) if make else TableKey.load(folder)).public
    except NoKey as error:
        hint = "the first 'barpoint run' makes it, or 'barpoint key --make'"
        click.echo(f"barpoint: {error}; {hint}", err=True)
        raise SystemExit(1) from error
    if as_json:
        click.echo(json.dumps({"key": public, "code": code(public)}))
        return
    click.echo(grouped(public))
    if sys.stdout.isatty() if qr is None else qr:
        click.echo(terminal(code(public)))
