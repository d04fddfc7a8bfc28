"""``barpoint hub leave``: this table leaves its hub."""

from __future__ import annotations

from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import state_option
from firmware.commands._output import tell
from firmware.hub.membership import leave


@click.command(name="leave")
@config_option
@state_option(help="The table's state (default: $XDG_STATE_HOME/barpoint).")
def command(path: Path | None, state: Path | None) -> None:
    """Forgets the hub that this table has joined. What was told stays there; what was played stays here, too.
    Exit status 1: it had joined none.

    \b
    Example: barpoint hub leave
    """
    if not leave(table_folder(read_config(path), path, state)):
        tell(phrase("barpoint: this table has joined no hub"), err=True)
        raise SystemExit(1)
    tell(phrase("left; a table that runs goes on telling until it starts again"))
