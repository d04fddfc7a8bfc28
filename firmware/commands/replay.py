"""``barpoint replay``: referees a recorded session."""

from __future__ import annotations

from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._judgements import JudgementPrinter
from firmware.commands._options import PATH, json_option, rules_option, state_option
from firmware.commands._output import tell
from firmware.commands._recordings import folder_of, prepare_replay, referee_again
from firmware.recordings.gallery import Gallery
from firmware.state import directory, hold, journal, new_log


@click.command(name="replay")
@click.argument("folder", metavar="DIR", type=PATH)
@rules_option(help="The game, where reel.json does not say (default: backgammon).")
@json_option(help="One JSON line per judgement and per game end.")
@state_option(help="Where the log is kept (default: $XDG_STATE_HOME/barpoint).")
def command(folder: Path, name: str | None, as_json: bool, state: Path | None) -> None:
    """Referees the recorded session in DIR (a folder with a reel.json; or the id of a match that was recorded
    here, or 'last') and logs it like any other game.

    The whole recording is checked first; a faulty one is refused, and nothing is logged. The log is written
    at the end, complete.

    \b
    Example: barpoint replay firmware/demo/reel --json
    """
    replay = prepare_replay(folder_of(folder, state), name)
    # A table's log grows entry by entry. A recording can be refereed again, so its log is written complete
    # or not at all: neither a full disk nor Ctrl-C leaves half a game behind.
    with hold(directory(state), "replay"), journal(state) as logs:
        log = new_log()
        printer = JudgementPrinter(log, as_json)
        gallery = Gallery(replay.reel)
        logs.restore(referee_again(replay, log, [printer, gallery]))
    if as_json:
        return
    for each in gallery.different:
        tell(
            phrase(
                "game {game}, turn {turn}: the table said {then}",
                game=each.game,
                turn=each.turn,
                then=each.then,
            )
        )
    tell(phrase("{summary}; logged as {log}", summary=printer.summary(), log=log))
