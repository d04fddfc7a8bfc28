"""``barpoint games``: the archive."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import joined, phrase
from firmware.commands._options import json_option, match_filter_options, state_option
from firmware.commands._output import tell
from firmware.commands._progress import ProgressLine
from firmware.languages.choice import local
from firmware.record.catalogue import listing
from firmware.record.match_line import MatchFilter
from firmware.state import JOURNAL, directory, journal


@click.command(name="games")
@json_option(help="One JSON line per match.")
@match_filter_options
@state_option()
def command(as_json: bool, state: Path | None, **options: str) -> None:
    """Lists the matches that were logged, oldest first: id, date, game, players, result.

    \b
    Example: barpoint games --player ann --since 2026-03
    """
    nothing = phrase("no game has been logged yet")
    found = []
    if (directory(state) / JOURNAL).exists():
        with journal(state, create=False) as logs:
            progress = ProgressLine()
            found = listing(logs, MatchFilter(**options), progress)
            progress.done()
        nothing = phrase("no match fits") if any(options.values()) else nothing
    for match in found:
        date, names = match.date[:16].replace("T", " "), " - ".join(match.players)
        ended = local(joined(": ", (names, match.outcome)))  # the id stands before what keeps a direction
        line = f"{match.log}  {date}  {match.rules:12}  {ended}"
        tell(json.dumps(match.to_json()) if as_json else line)
    if not found and not as_json:
        tell(nothing)
