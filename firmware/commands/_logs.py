"""What the commands about logged matches have in common: where the logs are, and which of them are meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

state = click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Where the logs are (default: $XDG_STATE_HOME/barpoint)."
)
"""The option that names the state directory."""

_WANTED = (
    click.option("--player", default="", metavar="NAME", help="Only matches of this player (a part of the name will do)."),
    click.option("--event", default="", metavar="NAME", help="Only matches of this event."),
    click.option("--result", default="", metavar="TEXT", help="Only matches with this result: a winner's name, gammon, unfinished, …"),
    click.option("--since", default="", metavar="DAY", help="Only matches from this day on (2026-03-01, 2026-03 or 2026; UTC)."),
    click.option("--until", default="", metavar="DAY", help="Only matches until this day, itself included."),
)


def wanted(command: Command) -> Command:
    """Adds the options that choose matches; the command takes them as keyword arguments for :class:`firmware.catalogue.Wanted`."""
    for option in reversed(_WANTED):
        command = option(command)
    return command
