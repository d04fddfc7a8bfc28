"""``barpoint record``: the device program, and every match kept with its pictures."""

from __future__ import annotations

from pathlib import Path

import click

from firmware.commands.run import configured, table
from firmware.settings.config import RecordingSettings


@click.command(name="record", short_help="Runs the table, and keeps every match with its pictures")
@click.option(
    "--config", "path", type=click.Path(path_type=Path), help="The configuration, as for 'barpoint run'."
)
@click.option(
    "--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="Where recordings are kept."
)
@click.option(
    "--megabytes",
    type=click.IntRange(10),
    help="The pictures of all recordings together; the oldest go first.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where log, calibration and secrets are kept.",
)
@click.option("--new", "fresh", is_flag=True, help="Begin a new match even where one was left unfinished.")
@click.option(
    "--json", "as_json", is_flag=True, help="Tell the page's address, and what goes wrong, as JSON lines."
)
def command(
    path: Path | None,
    folder: Path | None,
    megabytes: int | None,
    state: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Runs the table like 'barpoint run', and keeps every match with its pictures: a folder for each, named
    by the match's id, which 'barpoint replay' judges again and 'barpoint pictures' shows.

    A picture is kept when something has moved. Of all pictures together the oldest go first. Where the disk
    is full the recording stops, and the game goes on. 'on = true' under [recording] of the configuration does
    the same for 'barpoint run'.

    \b
    Example: barpoint record --config barpoint.toml --megabytes 500
    """
    config = configured(path)
    wanted = RecordingSettings(
        on=True,
        megabytes=megabytes or config.recording.megabytes,
        folder=str(folder.absolute()) if folder is not None else config.recording.folder,
    )
    table(config.model_copy(update={"recording": wanted}), state, fresh, as_json)
