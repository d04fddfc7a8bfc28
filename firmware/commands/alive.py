"""``barpoint alive``: whether the table on this machine runs, in one word."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands._config import config_option, read_config
from firmware.commands._options import json_option
from firmware.diagnostics.running import resting


@click.command(name="alive")
@config_option
@json_option(help='As {"table": "playing"}.')
def command(path: Path | None, as_json: bool) -> None:
    """Asks the table on this machine, and says *playing* (a match is under way), *resting*, or *away* (no
    table answers; exit status 1). Updates use it.

    \b
    Example: barpoint alive
    """
    rests = resting(read_config(path))
    word = "away" if rests is None else "resting" if rests else "playing"
    click.echo(json.dumps({"table": word}) if as_json else word)
    if rests is None:
        raise SystemExit(1)
