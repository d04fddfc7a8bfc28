"""Where a command's result goes: into a file, whole or not at all; into a device or a pipe as it is; ``-`` is
standard output.

A file is replaced by a finished one. That must not happen to what is no file: moved onto ``/dev/null``, a
finished file would take the device's place for the whole machine.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import click

from firmware.errors import BadInput
from firmware.files import replace_file

STDOUT = Path("-")


def save(path: Path, text: str) -> None:
    """Writes ``text`` to ``path``. Raises BadInput."""
    if path == STDOUT:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        target = _end(path)  # a link stays, and what it leads to is written
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
            return
        replace_file(target, text)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise BadInput(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def _end(path: Path) -> Path:
    """Where links lead to. Raises OSError or RuntimeError where they lead to themselves, which Python 3.13 no
    longer minds."""
    end = path.resolve()
    if end.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return end


def ordinary(path: Path) -> Path:
    """The file that ``path`` leads to, for those who replace files themselves. Raises BadInput where
    something else is there."""
    try:
        target = _end(path)
        if not target.exists() or target.is_file():
            return target
    except (OSError, RuntimeError) as error:
        raise BadInput(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    raise BadInput(f"cannot write {path}: it is no ordinary file")
