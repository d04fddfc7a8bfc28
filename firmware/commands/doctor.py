"""``barpoint doctor``: what is wrong with the table, and how to fix it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands._config import config_option, read_config
from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell
from firmware.diagnostics.doctor import examine
from firmware.table.drivers import state_directory


@click.command(name="doctor", short_help="Tries every part, and says how to fix what is wrong")
@config_option
@state_option("Where log and calibration are kept.")
@json_option("One JSON line per part: {part, well, words}; well is null where it was not tried.")
def command(path: Path | None, state: Path | None, as_json: bool) -> None:
    """Tries camera, buttons, lights, disk, clock and page, and says what is wrong and how to fix it.

    A table that runs is asked how it does; camera, buttons and lights can be tried only while it is stopped.
    Exit status 1: something is wrong.

    \b
    Example: barpoint doctor --config barpoint.toml
    """
    config = read_config(path)
    wrong = False
    for finding in examine(config, state_directory(config, state)):
        wrong |= finding.well is False
        tell(json.dumps(finding.to_json()) if as_json else str(finding), lines=True)
    if wrong:
        raise SystemExit(1)
