"""``barpoint doctor``: what is wrong with the table, and how to mend it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands.run import SYSTEM
from firmware.diagnostics.doctor import examine
from firmware.settings.config import Config, load
from firmware.table.drivers import state_directory


@click.command(name="doctor", short_help="Tries every part, and says how to mend what is wrong")
@click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path),
    help=f"The configuration (default: {SYSTEM} if there is one).",
)
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Where log and calibration are kept."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON line per part: {part, well, words}; well is null where it was not tried.",
)
def command(path: Path | None, state: Path | None, as_json: bool) -> None:
    """Tries camera, buttons, lights, disk, clock and page, and says what is wrong and how to mend it.

    Where the table runs, it is asked; camera, buttons and lights are tried while it is stopped. Exit status
    1: something is wrong.

    \b
    Example: barpoint doctor --config barpoint.toml
    """
    config = load(path) if path is not None else load(SYSTEM) if SYSTEM.exists() else Config()
    wrong = False
    for finding in examine(config, state_directory(config, state)):
        wrong |= finding.well is False
        click.echo(json.dumps(finding.to_json()) if as_json else str(finding))
    if wrong:
        raise SystemExit(1)
