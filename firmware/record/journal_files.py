"""The files of a journal that is damaged or gone: what SQLite would write over or delete is copied first."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.messages import phrase

MEMORY = ":memory:"
"""The path of a journal that is kept nowhere."""


def copy_damaged(path: Path) -> str:
    """Copies a journal's files as they are; the copy's name. Raises OSError."""
    number = 1
    while (copy := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    for ending in ("-wal", ""):
        source = path.with_name(path.name + ending)
        if source.exists():
            shutil.copyfile(source, copy.with_name(copy.name + ending))
    return copy.name


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
