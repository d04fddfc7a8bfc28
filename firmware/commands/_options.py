"""What the commands about logged matches have in common: where the logs are, and which of them are meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

state = click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the logs are (default: $XDG_STATE_HOME/barpoint).",
)
"""The option that names the state directory."""

WORDS = {"today": 0, "yesterday": 1}
"""Days that may be named, and how many days ago they were."""
FORMS = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M")
"""How other days, and the times of named ones, are written."""


def day(text: str, last: bool = False) -> str:
    """A day's name as the time in UTC of its first minute, or its ``last``, where the table stands; any other
    text as it is."""
    if text not in WORDS:
        return text
    begin = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(
        days=WORDS[text]
    )
    return (begin + last * timedelta(days=1, minutes=-1)).astimezone(UTC).isoformat(timespec="minutes")[:16]


def _is(text: str, form: str) -> bool:
    """Whether a text is a time in this form, with all its zeros: times are compared as texts."""
    try:
        return datetime.strptime(text, form).strftime(form) == text
    except ValueError:
        return False


def _day(context: click.Context, option: click.Parameter, text: str) -> str:
    found = day(text, last=option.name == "until")
    if found and not any(_is(found, form) for form in FORMS):
        raise click.BadParameter(f"{text!r} is no day; write 2026-03-01, 2026-03, 2026, today or yesterday")
    return found


_WANTED = (
    click.option(
        "--player",
        default="",
        metavar="NAME",
        help="Only matches of this player (a part of the name will do).",
    ),
    click.option("--event", default="", metavar="NAME", help="Only matches of this event."),
    click.option(
        "--result",
        default="",
        metavar="TEXT",
        help="Only matches with this result: a winner's name, gammon, unfinished, …",
    ),
    click.option(
        "--since",
        default="",
        metavar="DAY",
        callback=_day,
        help="Only matches from this day on: today, yesterday, or as --until.",
    ),
    click.option(
        "--until",
        default="",
        metavar="DAY",
        callback=_day,
        help="Only until this day, itself included: 2026-03-01, 2026-03 or 2026 (UTC), today, yesterday.",
    ),
)


def wanted(command: Command) -> Command:
    """Adds the options that choose matches; the command takes them as keyword arguments for
    :class:`firmware.record.catalogue.MatchFilter`."""
    for option in reversed(_WANTED):
        command = option(command)
    return command
