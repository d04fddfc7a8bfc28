"""``barpoint record``: the device program, and every match kept with its pictures."""

from __future__ import annotations

from pathlib import Path

import click

from firmware.commands._config import config_option, read_config
from firmware.commands._options import FOLDER, json_option, state_option
from firmware.commands.run import table
from firmware.settings.config import RecordingSettings


@click.command(name="record")
@config_option
@click.option("--to", "folder", type=FOLDER, help="Where recordings are kept.")
@click.option(
    "--megabytes", type=click.IntRange(10), help="Most for all pictures; the oldest are deleted first."
)
@state_option(help="Where log, calibration and secrets are kept.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new match even where one was left unfinished.")
@json_option(help="The page's address, and what goes wrong, as JSON lines.")
def command(
    path: Path | None,
    folder: Path | None,
    megabytes: int | None,
    state: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Runs the table like 'barpoint run', and keeps every match with its pictures: a folder for each, named
    by the match's id. 'barpoint replay' judges it again, 'barpoint pictures' shows it.

    A picture is kept when something has moved. When there are too many, the oldest are deleted first. When
    the disk is full, the recording stops and the game goes on. 'on = true' under [recording] in the
    configuration does the same for 'barpoint run'.

    \b
    Example: barpoint record --config barpoint.toml --megabytes 500
    """
    config = read_config(path)
    wanted = RecordingSettings(
        on=True,
        megabytes=megabytes or config.recording.megabytes,
        folder=str(folder.absolute()) if folder is not None else config.recording.folder,
    )
    table(config.model_copy(update={"recording": wanted}), state, fresh, as_json, "record")
