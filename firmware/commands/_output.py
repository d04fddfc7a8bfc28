"""Where a command's result goes: a file is replaced whole, a device or a pipe is written to, and ``-`` is
standard output. And how texts reach a terminal, which obeys what stands in them.

A device must not be replaced: a file moved onto ``/dev/null`` would take its place for the whole machine.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import click

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.wording import clean

STDOUT = Path("-")


def tell(text: str, *, err: bool = False, lines: bool = False) -> None:
    """Prints a line for people, in which names out of files and journals steer no terminal; with ``lines``,
    several."""
    click.echo(clean(text, lines=lines), err=err)


def save(path: Path, text: str) -> None:
    """Writes ``text`` to ``path``, with "?" for half of a character. Raises BadInput."""
    text = text.encode(errors="replace").decode()
    if path == STDOUT:
        shown = clean(text, lines=True) if sys.stdout.isatty() else text
        click.echo(shown, nl=not text.endswith("\n"))
        return
    try:
        target = _link_target(path)  # a link stays, and what it leads to is written
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
            return
        replace_file(target, text)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise BadInput(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def _link_target(path: Path) -> Path:
    """The file that links lead to. Raises OSError or RuntimeError where they lead to themselves, which Python
    3.13 lets pass."""
    end = path.resolve()
    if end.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return end


def ordinary_file(path: Path) -> Path:
    """The file that ``path`` leads to, for callers that replace files themselves. Raises BadInput where it
    is a device, a pipe or a folder."""
    try:
        target = _link_target(path)
        if not target.exists() or target.is_file():
            return target
    except (OSError, RuntimeError) as error:
        raise BadInput(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    raise BadInput(f"cannot write {path}: it is not an ordinary file")
