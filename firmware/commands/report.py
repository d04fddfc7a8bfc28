"""``barpoint report``: a match as one HTML file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import EngineError
from engine.messages import joined
from firmware.commands._options import json_option, output_option, state_option
from firmware.commands._output import STDOUT, save, tell
from firmware.errors import BadInput
from firmware.record.archive import checked_record, find
from firmware.record.report import report_page
from firmware.record.review import best_kept
from firmware.record.turn_times import timed_turns
from firmware.state import directory, journal


@click.command(name="report")
@click.argument("game")
@output_option(help="The HTML file to write.", required=True)
@json_option(help="One JSON line: {id, file}.")
@state_option()
def command(game: str, output: Path, as_json: bool, state: Path | None) -> None:
    """Writes a match report: the score by game, a board for each move, the dice, the time for each move,
    fouls, and what 'barpoint review' found, where it has run. One file; it needs no network.

    GAME is an id from 'barpoint games', or 'last'.

    \b
    Example: barpoint report last -o match.html
    """
    with journal(state, create=False) as logs:
        log = find(logs, game)
        entries = logs.entries(log)
    try:
        match = checked_record(log, entries)
        text = report_page(match, timed_turns(entries), best_kept(match, directory(state) / "analysis"))
    except EngineError as error:
        raise BadInput(joined(": ", (game, str(error)))) from error
    save(output, text)
    if output != STDOUT:
        tell(json.dumps({"id": log, "file": str(output)}) if as_json else f"{log}: {output}")
