"""``barpoint hub backup``: the hub as one file."""

from __future__ import annotations

from pathlib import Path

import click

from engine.messages import phrase_number
from firmware.commands._config import config_option
from firmware.commands._options import FILE
from firmware.commands._output import ordinary_file, tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.hub.hub_backup import back_up
from firmware.hub.identity import Identity


@click.command(name="backup")
@click.argument("file", type=FILE)
@config_option
@hub_state_option
def command(file: Path, path: Path | None, state: Path | None) -> None:
    """Writes the whole hub to one file, while it runs or not: everything that its tables have told, who may
    join, and its own key. Keep it to yourself: whoever has it can be this hub.

    \b
    Example: barpoint hub backup club.hub
    """
    place = hub_place(path, state)
    with place.store() as store:
        Identity.load_or_make(place.folder)
        count = back_up(store, place.folder, ordinary_file(file))
    tell(phrase_number("{file}: {n} row", "{file}: {n} rows", count, file=file))
