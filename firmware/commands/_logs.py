"""What the commands about logged matches have in common: where the logs are, and which of them are meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

state = click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Where the logs are (default: $XDG_STATE_HOME/barpoint)."
)
"""The option that names the state directory."""

WORDS = {"today": 0, "yesterday": 1}
"""Days that may be named, and how many days ago they were."""


def day(text: str) -> str:
    """A day's name as the time in UTC at which it begins where the table stands; any other text as it is."""
    if text not in WORDS:
        return text
    begin = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=WORDS[text])
    return begin.astimezone(UTC).isoformat(timespec="minutes")[:16]


def _day(context: click.Context, option: click.Parameter, text: str) -> str:
    return day(text)


_WANTED = (
    click.option("--player", default="", metavar="NAME", help="Only matches of this player (a part of the name will do)."),
    click.option("--event", default="", metavar="NAME", help="Only matches of this event."),
    click.option("--result", default="", metavar="TEXT", help="Only matches with this result: a winner's name, gammon, unfinished, …"),
    click.option(
        "--since", default="", metavar="DAY", callback=_day, help="Only matches from this day on: today, yesterday, or as --until."
    ),
    click.option("--until", default="", metavar="DAY", help="Only until this day, itself included: 2026-03-01, 2026-03 or 2026 (UTC)."),
)


def wanted(command: Command) -> Command:
    """Adds the options that choose matches; the command takes them as keyword arguments for :class:`firmware.record.catalogue.Wanted`."""
    for option in reversed(_WANTED):
        command = option(command)
    return command
