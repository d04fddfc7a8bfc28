"""The progress of a slow command, on standard error."""

from __future__ import annotations

import sys
import time

import click

from firmware.languages.choice import local

EVERY = 1.0
"""Seconds between lines; a command that ends sooner prints none."""


class ProgressLine:
    """Keeps :data:`vision.boards.Progress`: on a terminal one line that is rewritten, elsewhere a new
    line now and then."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._open = False

    def __call__(self, part: float, words: str) -> None:
        """Prints it, unless something was printed less than ``EVERY`` ago."""
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{local(words)} … {part:.0%}", err=True, nl=False)
            self._open = True
        else:
            click.echo(f"{local(words)} … {part:.0%}", err=True)

    def done(self) -> None:
        """Clears the line."""
        if self._open:
            click.echo("\r\x1b[K", err=True, nl=False)
            self._open = False
