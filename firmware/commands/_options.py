"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from engine import rules as games
from engine.messages import phrase

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

PORT = 8080
"""The page's usual port."""
DAYS_AGO = {"today": 0, "yesterday": 1}
DAY_FORMS = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M")
"""How a day, or the first and last minute of a named one, is written."""


def json_option(help: str) -> Callable[[Command], Command]:
    """``--json``; ``help`` says what is printed then."""
    return click.option("--json", "as_json", is_flag=True, help=help)


def state_option(help: str = "") -> Callable[[Command], Command]:
    """``--state``, the folder that holds what is kept between two runs."""
    usual = click.option(
        "--state", type=FOLDER, help="Where the logs are (default: $XDG_STATE_HOME/barpoint)."
    )
    return click.option("--state", type=FOLDER, help=help) if help else usual


def output_option(help: str, **more: Any) -> Callable[[Command], Command]:
    """``--output``, a file; ``more`` goes to :func:`click.option`."""
    return click.option("-o", "--output", type=FILE, help=help, **more)


def rules_option(help: str) -> Callable[[Command], Command]:
    """``--rules``: ``help`` says for what the game is asked, and which is meant where it is left out."""
    return click.option("--rules", "name", metavar="|".join(games.names()), help=help)


def worst_option(command: Command) -> Command:
    """``--worst``, how many errors to list."""
    return click.option(
        "--worst",
        type=click.IntRange(0),
        default=10,
        show_default=True,
        help="How many errors to list, the most expensive first.",
    )(command)


def port_option(command: Command) -> Command:
    """``--port``, where the page is served."""
    return click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help="Where the page is served (default: 8080, or a free one if that is taken).",
    )(command)


def utc_day(text: str, last: bool = False) -> str:
    """``today`` and ``yesterday`` as the time in UTC of their first minute (with ``last``: of their last) by
    this machine's time zone; any other text as it is."""
    if text not in DAYS_AGO:
        return text
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    begin = midnight - timedelta(days=DAYS_AGO[text])
    return (begin + last * timedelta(days=1, minutes=-1)).astimezone(UTC).isoformat(timespec="minutes")[:16]


def _has_form(text: str, form: str) -> bool:
    """Whether a text is a time in this form, with all its zeros: times are compared as texts."""
    try:
        return datetime.strptime(text, form).strftime(form) == text
    except ValueError:
        return False


def _check_day(context: click.Context, option: click.Parameter, text: str) -> str:
    found = utc_day(text, last=option.name == "until")
    if found and not any(_has_form(found, form) for form in DAY_FORMS):
        raise click.BadParameter(
            phrase("{text!r} is no day; write 2026-03-01, 2026-03, 2026, today or yesterday", text=text)
        )
    return found


def match_filter_options(command: Command) -> Command:
    """Adds the options that choose matches; the command takes them as keyword arguments for
    :class:`firmware.record.match_line.MatchFilter`."""
    for option in (
        click.option(
            "--until",
            default="",
            metavar="DAY",
            callback=_check_day,
            help="Only until this day, itself included: 2026-03-01, 2026-03 or 2026 (UTC), today, yesterday.",
        ),
        click.option(
            "--since",
            default="",
            metavar="DAY",
            callback=_check_day,
            help="Only matches from this day on: today, yesterday, or as --until.",
        ),
        click.option(
            "--result",
            default="",
            metavar="TEXT",
            help="Only matches with this result: a winner's name, gammon, unfinished, …",
        ),
        click.option("--event", default="", metavar="NAME", help="Only matches of this event."),
        click.option(
            "--player",
            default="",
            metavar="NAME",
            help="Only matches of this player (a part of the name is enough).",
        ),
    ):
        command = option(command)
    return command
