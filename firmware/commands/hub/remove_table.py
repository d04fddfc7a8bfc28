"""``barpoint hub remove-table``: takes a table's key away."""

from __future__ import annotations

from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option


@click.command(name="remove-table")
@click.argument("name")
@config_option
@hub_state_option
def command(name: str, path: Path | None, state: Path | None) -> None:
    """Takes a table's key away: within seconds the hub hears nothing from it any more. What it sent is kept,
    and the table itself goes on.

    \b
    Example: barpoint hub remove-table "Table 1"
    """
    place = hub_place(path, state)
    with place.store() as store:
        board = store.remove_board(place.settings.event, name)
    tell(phrase("{table} is removed", table=board.name))
