"""``barpoint replay``: referees a recorded session."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from firmware import loop, reel
from firmware.commands._report import Report
from firmware.errors import BadInput
from firmware.journal import Journal
from firmware.reel import BadReel
from firmware.replay import Replay
from firmware.rules import chosen
from firmware.state import journal, new_log


@click.command(name="replay")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--rules", "name", metavar="R", help="The game, where reel.json does not say (default: backgammon).")
@click.option("--json", "as_json", is_flag=True, help="One JSON line per judgement and per game end.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Where the log is kept (default: $XDG_STATE_HOME/barpoint)."
)
def command(folder: Path, name: str | None, as_json: bool, state: Path | None) -> None:
    """Referees the recorded session in DIR (a folder with a reel.json) and logs it like any other game.

    The recording is checked first, to the last picture; a faulty one is refused and nothing is logged. The log is kept whole, at the end.

    \b
    Example: barpoint replay firmware/demo/reel --json
    """
    try:
        recorded = reel.read(folder)
        rules = chosen(name or recorded.rules)
        reel.check(recorded, rules, folder)
        replay = Replay.prepare(folder, recorded, rules)
    except BadReel as error:
        raise BadInput(str(error)) from error
    # A table's log grows entry by entry. A recording can be refereed again, so its log is kept whole or not at all: neither a full disk
    # nor Ctrl-C leaves half a game behind.
    with journal(state) as kept, Journal.open(Path(":memory:")) as draft:
        log = new_log()
        report = Report(log, as_json, say=click.echo, warn=lambda line: click.echo(f"barpoint: {line}", err=True))
        referee = replay.referee(draft, log, [report])
        asyncio.run(loop.run(referee, loop.paced(replay.stimuli(referee), speed=0)))
        kept.restore(draft.entries(log))
    if not as_json:
        click.echo(f"{report.summary()}; logged as {log}")
