"""How far a slow command is, on standard error."""

from __future__ import annotations

import sys
import time

import click

EVERY = 1.0
"""Seconds between lines; what is done sooner says nothing."""


class Told:
    """Keeps :data:`vision.learning.learn.Progress`: one line that is rewritten on a terminal, now and then a
    line of its own elsewhere."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._open = False

    def __call__(self, part: float, words: str) -> None:
        """Tell it, unless something was told a moment ago."""
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{words} … {part:.0%}", err=True, nl=False)
            self._open = True
        else:
            click.echo(f"{words} … {part:.0%}", err=True)

    def done(self) -> None:
        """Clear the line."""
        if self._open:
            click.echo("\r\x1b[K", err=True, nl=False)
            self._open = False
