"""Where a command's result goes: a file is replaced whole, a device or a pipe is written to, and ``-`` is
standard output. And how texts reach a terminal, which obeys what stands in them.

A device must not be replaced: a file moved onto ``/dev/null`` would take its place for the whole machine.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import click

from engine.messages import joined, phrase
from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.languages.choice import local
from firmware.wording import clean

STDOUT = Path("-")


def tell(text: str, *, err: bool = False, lines: bool = False) -> None:
    """Prints a line for people, in which names out of files and journals steer no terminal; with ``lines``,
    several. What nobody reads on standard error (``2>&1 | head -1``) keeps no command from its work."""
    try:
        click.echo(clean(local(text), lines=lines), err=err)
    except BrokenPipeError:
        if not err:
            raise
        hush(sys.__stderr__)


def tell_notes(file: str, notes: Iterable[object]) -> None:
    """Prints what of a match file was not taken as it stands, a line for each, on standard error."""
    for note in notes:
        tell(joined(": ", ("barpoint", file, str(note))), err=True)


def hush(stream: IO[str] | None) -> None:
    """Drops all further output: Python would complain again when it flushes at exit."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def unwritable(path: Path, error: Exception) -> BadInput:
    """What is said where ``path`` could not be written."""
    why = getattr(error, "strerror", None) or error
    return BadInput(phrase("cannot write {path}: {error}", path=path, error=why))


def save(path: Path, data: str | bytes) -> None:
    """Writes a text to ``path``, with "?" for half of a character, or bytes as they are. Raises BadInput,
    also for bytes that would go to a terminal."""
    if path == STDOUT:
        _print(data)
        return
    contents = data if isinstance(data, bytes) else data.encode(errors="replace")
    try:
        target = _link_target(path)  # a link stays, and what it leads to is written
        if target.exists() and not target.is_file():
            target.write_bytes(contents)
            return
        replace_file(target, contents)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise unwritable(path, error) from error


def _print(data: str | bytes) -> None:
    terminal = sys.stdout.isatty()
    if isinstance(data, bytes):
        if terminal:
            raise BadInput(phrase("this is a binary file, which no terminal can show; name a file with -o"))
        click.echo(data, nl=False)
        return
    text = data.encode(errors="replace").decode()
    click.echo(clean(text, lines=True) if terminal else text, nl=not text.endswith("\n"))


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
        raise unwritable(path, error) from error
    raise BadInput(phrase("cannot write {path}: it is not an ordinary file", path=path))
