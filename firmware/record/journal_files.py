"""The files of a journal that is damaged or gone: what SQLite would write over or delete is copied first."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from engine.messages import phrase
from firmware.files import sync

MEMORY = ":memory:"
"""The path of a journal that is kept nowhere."""
ENDINGS = ("-wal", "")
"""Of the files that a copy has: the log first, since the journal's name says that there is a copy."""


def copy_damaged(path: Path) -> str:
    """Copies a journal's files as they are; the copy's name. It is on the disk then, or there is none. Raises
    OSError."""
    number = 1
    while (copy := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    try:
        for ending in ENDINGS:
            source = path.with_name(path.name + ending)
            if source.exists():
                sync(Path(shutil.copyfile(source, copy.with_name(copy.name + ending))))
        sync(path.parent)
    except OSError:
        delete_copy(path, copy.name)
        raise
    return copy.name


def delete_copy(path: Path, copy: str) -> None:
    """Deletes the copy of this name again, as far as the disk lets it be done."""
    for ending in ENDINGS:
        with suppress(OSError):
            path.with_name(copy + ending).unlink()


def orphan(path: Path) -> bool:
    """Whether the journal is gone, or empty, and its write-ahead log is there."""
    log = path.with_name(path.name + "-wal")
    return empty(path) and log.is_file() and log.stat().st_size > 0


def empty(path: Path) -> bool:
    """Whether there is nothing in the file, or no file."""
    return not path.exists() or path.stat().st_size == 0


def keep_orphan(path: Path) -> str:
    """Where the journal is gone, copies its write-ahead log, which SQLite would delete: the copy's name, ""
    where there is nothing to copy. Raises OSError."""
    if path.name == MEMORY or not orphan(path):
        return ""
    copy = copy_damaged(path)
    path.with_name(copy).touch()
    return copy


def without(path: Path) -> str:
    """What to do where there is no journal."""
    if orphan(path):
        return phrase(
            "but its write-ahead log is there: do not delete that; 'barpoint run' keeps it as a copy, and"
            " 'barpoint restore' with the copy brings back what can be"
        )
    return phrase("referee a game first, or name its folder with --state")
