"""The ``--rules`` that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from engine import rules as games

Command = TypeVar("Command", bound=Callable[..., Any])


def rules_option(what: str, usual: str) -> Callable[[Command], Command]:
    """The option that names a game: ``what`` it is asked for, and which is meant where it is left out."""
    return click.option(
        "--rules", "name", metavar="R", help=f"{what}: {', '.join(games.names())} (default: {usual})."
    )
