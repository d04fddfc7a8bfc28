"""``barpoint hub restore``: a hub from its backup, here or on another machine."""

from __future__ import annotations

from pathlib import Path

import click

from engine.messages import phrase_number
from firmware.commands._config import config_option
from firmware.commands._options import FILE
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.hub.hub_backup import restore
from firmware.state import hold


@click.command(name="restore")
@click.argument("file", type=FILE)
@config_option
@hub_state_option
def command(file: Path, path: Path | None, state: Path | None) -> None:
    """Makes a hub of a backup, in an empty folder and an empty database, which may be another kind than
    before. Its tables come back by themselves where they find it (mDNS), or with hub.address; whatever
    happened since the backup they tell again.

    \b
    Example: barpoint hub restore club.hub
    """
    place = hub_place(path, state)
    with hold(place.folder, "hub restore"), place.store() as store:
        count = restore(store, place.folder, file)
    tell(
        phrase_number(
            "{n} row is restored from {file}:  barpoint hub run",
            "{n} rows are restored from {file}:  barpoint hub run",
            count,
            file=file,
        )
    )
