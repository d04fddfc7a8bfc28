"""``barpoint hub``: many tables, one event. Each command is a module of this package, loaded when it is
called."""

from __future__ import annotations

import importlib

import click

from engine.messages import phrase
from firmware.commands._listed import Listed
from firmware.errors import BadInput
from firmware.languages.help_texts import in_language

COMMANDS = {
    "run": phrase("Runs the hub: broker, database and page"),
    "pin": phrase("Shows the PIN of the director's console"),
    "add-table": phrase("Gives a table a code, by which it joins"),
    "remove-table": phrase("Takes a table's key away; what it sent is kept"),
    "tables": phrase("Lists the hub's tables"),
    "join": phrase("Joins this table to a hub"),
    "leave": phrase("This table leaves its hub"),
    "simulate": phrase("Simulates a club: tables that play at random, with a real hub"),
    "backup": phrase("Writes the hub to one file, while it runs"),
    "restore": phrase("Makes a hub of its backup, here or on another machine"),
}
"""In the order in which people need them. A table lacks what a hub needs."""


class HubCommands(Listed):
    """Loads a command's module when it is called."""

    lines = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None where there is none. Raises BadInput where the extra is missing."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        try:
            command: click.Command = importlib.import_module(f"firmware.commands.hub.{name}").command
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] == "firmware":
                raise
            cure = phrase(
                "on a hub: sudo ./install --hub; elsewhere: pip install aiomqtt ifaddr sqlalchemy zeroconf"
            )
            raise BadInput(
                phrase(
                    "the package {name} is missing, which the hub needs; {cure}", name=error.name, cure=cure
                )
            ) from error
        return in_language(command)


@click.group(name="hub", cls=HubCommands)
def command() -> None:
    """Many tables, one event. A hub keeps a copy of what its tables write down and shows all of them; each
    table stays whole without it. docs/hub.md tells more.

    \b
    Example: barpoint hub run
    Example: barpoint hub add-table "Table 1"
    """
