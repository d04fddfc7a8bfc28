"""``barpoint report``: a match as one HTML file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import EngineError
from firmware.commands import _options
from firmware.commands._output import STDOUT, save
from firmware.errors import BadInput
from firmware.record.analyse import best
from firmware.record.archive import find, record
from firmware.record.report import page, turns
from firmware.state import directory, journal


@click.command(name="report", short_help="Writes a match report, one HTML file")
@click.argument("game")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The HTML file to write.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line: {id, file}.")
@_options.state
def command(game: str, output: Path, as_json: bool, state: Path | None) -> None:
    """Writes a match report: score by game, a board for each move, the dice, time for each move, fouls; what
    'barpoint analyse' found, where it has run. One file, no network.

    GAME is an id from 'barpoint games', or 'last'.

    \b
    Example: barpoint report last -o match.html
    """
    with journal(state, create=False) as kept:
        log = find(kept, game)
        entries = kept.entries(log)
    try:
        match = record(entries)
        text = page(match, turns(entries), best(match, directory(state) / "analysis"))
    except EngineError as error:
        raise BadInput(f"{game}: {error}") from error
    save(output, text)
    if output != STDOUT:
        click.echo(json.dumps({"id": log, "file": str(output)}) if as_json else f"{log}: {output}")
