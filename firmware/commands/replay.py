"""``barpoint replay``: referees a recorded session."""

from __future__ import annotations

from pathlib import Path

import click

from firmware.commands._judgements import Report
from firmware.commands._recordings import folder_of, prepared, refereed
from firmware.commands._rules import rules_option
from firmware.errors import BadInput
from firmware.recordings.gallery import Gallery
from firmware.recordings.reel import BadReel
from firmware.state import journal, new_log


@click.command(name="replay", short_help="Referees a recorded session and logs it")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@rules_option("The game, where reel.json does not say", "backgammon")
@click.option("--json", "as_json", is_flag=True, help="One JSON line per judgement and per game end.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the log is kept (default: $XDG_STATE_HOME/barpoint).",
)
def command(folder: Path, name: str | None, as_json: bool, state: Path | None) -> None:
    """Referees the recorded session in DIR (a folder with a reel.json; or the id of a match that was recorded
    here, or 'last') and logs it like any other game.

    The recording is checked first, to the last picture; a faulty one is refused and nothing is logged. The
    log is kept whole, at the end.

    \b
    Example: barpoint replay firmware/demo/reel --json
    """
    replay = prepared(folder_of(folder, state), name)
    # A table's log grows entry by entry. A recording can be refereed again, so its log is kept whole or not
    # at all: neither a full disk nor Ctrl-C leaves half a game behind.
    with journal(state) as kept:
        log = new_log()
        report = Report(
            log, as_json, say=click.echo, warn=lambda line: click.echo(f"barpoint: {line}", err=True)
        )
        gallery = Gallery(replay.reel)
        try:
            kept.restore(refereed(replay, log, [report, gallery]))
        except BadReel as error:
            raise BadInput(str(error)) from error
    if as_json:
        return
    for each in gallery.different:
        click.echo(f"game {each.game}, turn {each.turn}: the table said {each.then}")
    click.echo(f"{report.summary()}; logged as {log}")
