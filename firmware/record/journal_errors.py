"""What SQLite refuses, in words: the journal's disk does not do its work now, or what stood there is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from engine.messages import phrase
from firmware.record.chain import JournalAway, JournalError

DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises at a damaged file. Its message quotes the file, which need not be text any more."""

AWAY = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
"""SQLite's codes of a disk that does not do its work now: one that is full has no room for the index of what
was written last."""
BAD_SECTOR = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
    sqlite3.SQLITE_IOERR_DATA,
)
"""Those that stay: what stood there is lost."""

RESTORE = "'barpoint restore' recovers what is sound"


def is_away(error: Exception) -> bool:
    """Whether the disk does not do its work now: what stands there may be sound."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in AWAY and code not in BAD_SECTOR


def not_read(path: Path, error: Exception) -> JournalError:
    """What is raised where the journal could not be read."""
    said = str(error).partition(" with text ")[0]  # after it, SQLite quotes the entire entry
    if is_away(error):
        return JournalAway(
            phrase(
                "cannot read the journal {path}: {error}; check whether the disk is full or read-only",
                path=path,
                error=said,
            )
        )
    return JournalError(f"cannot read the journal {path}: {said}; {RESTORE}")


def not_written(path: Path, error: Exception) -> JournalError:
    """What is raised where it could not be written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return JournalError(f"cannot write to the journal {path}: {error}; {RESTORE}")
    return JournalError(
        phrase(
            "cannot write to the journal {path}: {error}; check whether the disk is full or read-only",
            path=path,
            error=error,
        )
    )


def reason(error: Exception) -> str:
    """Without Python's error number."""
    return getattr(error, "strerror", None) or str(error)
