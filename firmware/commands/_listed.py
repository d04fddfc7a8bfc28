"""Groups of commands that are told without being loaded: a list of them needs neither OpenCV nor a web
server, and what some of them need may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from engine.messages import phrase
from firmware.languages.choice import local


class Listed(click.Group):
    """A group that knows its commands by name, and a line about each."""

    lines: ClassVar[Mapping[str, str]]
    """In the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in our order."""
        return list(self.lines)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help."""
        with formatter.section(local(phrase("Commands"))):
            formatter.write_dl([(name, local(text)) for name, text in self.lines.items()])
