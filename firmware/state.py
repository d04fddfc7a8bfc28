"""The state directory, where everything is kept, and the journal in it."""

from __future__ import annotations

import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

from firmware.errors import BadInput
from firmware.record.journal import Journal, JournalError

JOURNAL = "journal.db"


def directory(chosen: Path | None) -> Path:
    """The ``--state`` directory, else ``$XDG_STATE_HOME/barpoint``, else ``~/.local/state/barpoint``."""
    if chosen is not None:
        return chosen
    base = os.environ.get("XDG_STATE_HOME", "")
    # The XDG base directory specification: a relative path must be ignored.
    return (Path(base) if Path(base).is_absolute() else Path("~/.local/state").expanduser()) / "barpoint"


def journal(chosen: Path | None, *, create: bool = True) -> Journal:
    """The journal in the state directory. Without ``create`` it must exist, and is only read where it may not
    be written. Raises BadInput where it cannot be opened."""
    path = directory(chosen) / JOURNAL
    try:
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        if not create and path.exists() and not writable:
            return Journal.open_readonly(path)
        return Journal.open(path, create=create)
    except (JournalError, RuntimeError, OSError) as error:
        raise BadInput(str(error)) from error


def new_log() -> str:
    """A new id for a match's log: the day, and enough randomness that no two are the same."""
    return f"{datetime.now(UTC):%Y-%m-%d}-{secrets.token_hex(3)}"
