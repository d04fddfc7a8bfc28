"""``barpoint games``: the archive."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands import _options
from firmware.record.catalogue import MatchFilter, listing
from firmware.state import JOURNAL, directory, journal


@click.command(name="games", short_help="Lists the matches that were logged")
@click.option("--json", "as_json", is_flag=True, help="One JSON line per match.")
@_options.wanted
@_options.state
def command(as_json: bool, state: Path | None, **options: str) -> None:
    """Lists the matches that were logged, the oldest first: id, date, game, players, result.

    \b
    Example: barpoint games --player ann --since 2026-03
    """
    if not (directory(state) / JOURNAL).exists():
        if not as_json:
            click.echo("no game has been logged yet")
        return
    with journal(state, create=False) as kept:
        none = True
        for logged in listing(kept, MatchFilter(**options)):
            none = False
            if as_json:
                click.echo(json.dumps(logged.to_json()))
            else:
                date = logged.date[:16].replace("T", " ")
                click.echo(
                    f"{logged.log}  {date}  {logged.rules:12}  {' - '.join(logged.players)}: {logged.result}"
                )
    if none and not as_json:
        click.echo("no match fits" if any(options.values()) else "no game has been logged yet")
