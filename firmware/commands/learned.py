"""``barpoint learned``: what a table has learned from play, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import PATH, json_option, state_option
from firmware.commands._output import tell, unwritable
from firmware.table.drivers import rig_path
from vision import boards


@click.command(name="learned")
@click.argument("rig", type=PATH, required=False)
@click.option("--back", is_flag=True, help="Go back to the version before.")
@config_option
@state_option(help="Where the calibration is kept.")
@json_option(help="As a JSON object: {rig, versions: [{at, why}]}, the oldest first; the last is in use.")
def command(rig: Path | None, back: bool, path: Path | None, state: Path | None, as_json: bool) -> None:
    """Shows the versions of a calibration (RIG; default: this table's): as it was calibrated, and as the
    table has learned since from plays that both players accepted. A table that runs goes back from its page;
    this command is for one that does not, or takes effect at its next start.

    \b
    Example: barpoint learned
    Example: barpoint learned table.rig --back
    """
    if rig is None:
        config = read_config(path)
        rig = rig_path(config, table_folder(config, path, state))
    try:
        if back:
            boards.go_back(rig)
        found = boards.versions(rig)
    except OSError as error:
        raise unwritable(rig, error) from error
    if as_json:
        told = [{"at": version.at, "why": version.why} for version in found]
        click.echo(json.dumps({"rig": str(rig), "versions": told}))
        return
    for number, version in enumerate(found, 1):
        words = phrase("{why} at {time}", why=version.why, time=version.at) if version.at else version.why
        used = phrase("{version}, in use", version=words) if number == len(found) else words
        tell(phrase("{number}: {version}", number=number, version=used))
