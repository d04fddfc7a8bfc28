"""The state directory, where everything is kept, and the journal in it."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.recover import put_in_place

if TYPE_CHECKING:  # a command that lists matches needs no configuration
    from firmware.settings.config import Config

JOURNAL = "journal.db"
HOLDER = "in-use"
"""The file that says who holds the state directory. Its text counts only while the directory is locked."""


def directory(chosen: Path | None) -> Path:
    """The ``--state`` directory, else ``$BARPOINT_STATE``, which ``sudo barpoint`` sets where the installed
    table is configured so, else ``$XDG_STATE_HOME/barpoint``, else ``~/.local/state/barpoint``."""
    if chosen is not None:
        return chosen
    if own := os.environ.get("BARPOINT_STATE"):
        return Path(own)
    return state_home() / "barpoint"


def state_home() -> Path:
    """``$XDG_STATE_HOME``, else ``~/.local/state``. Raises BadInput where this user has no home."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():  # the XDG base directory specification: a relative path must be ignored
        return base
    try:
        return Path("~/.local/state").expanduser()
    except RuntimeError as error:
        raise BadInput(
            "this user has no home directory; set XDG_STATE_HOME, or name a folder with --state"
        ) from error


def state_directory(config: Config, chosen: Path | None) -> Path:
    """Where things are kept: as asked for, as configured, as systemd says, or the user's own place."""
    given = chosen or config.state.directory or os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(given) if given else directory(None)


def journal(chosen: Path | None, *, create: bool = True, damaged: bool = False) -> Journal:
    """The journal in the state directory. Without ``create`` it must exist, and is only read; else for who
    holds the directory, with ``damaged`` as in :meth:`Journal.open`. Raises BadInput where it cannot be
    opened."""
    path = directory(chosen) / JOURNAL
    try:
        return Journal.open(path, damaged=damaged) if create else Journal.open_readonly(path)
    except (JournalError, RuntimeError, OSError) as error:
        raise BadInput(str(error)) from error


@contextmanager
def hold(folder: Path, command: str) -> Iterator[None]:
    """Locks the state directory, made where there is none, for ``command``, which writes to it: two writers
    would take each other's entries for tampering. The lock (``flock`` on the directory itself, so no file has
    to be deleted) ends with the process, however that ends. What a 'restore' began is finished first. Raises
    BadInput where another command holds it, or where it cannot be opened."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise BadInput(f"cannot use the folder {folder}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            way = "stop that first, or name another folder with --state"
            raise BadInput(f"{folder} is in use by {_holder(folder)}; {way}") from None
        except OSError as error:
            raise BadInput(f"cannot lock the folder {folder}: {error.strerror or error}") from error
        try:
            put_in_place(folder / JOURNAL)  # a restore may have been cut off
        except JournalError as error:
            raise BadInput(str(error)) from error
        with suppress(OSError):  # only its name would be missing from the other's message
            replace_file(folder / HOLDER, f"'barpoint {command}' (process {os.getpid()})\n")
        try:
            yield
        finally:
            with suppress(OSError):
                (folder / HOLDER).unlink()
    finally:
        os.close(handle)


def _holder(folder: Path) -> str:
    """Who says that it holds the directory, in printable characters."""
    try:
        with (folder / HOLDER).open(encoding="utf-8", errors="replace") as file:
            said = " ".join(file.read(80).split())
    except OSError:
        said = ""
    return "".join(each for each in said if each.isprintable()) or "another 'barpoint' command"


def new_log() -> str:
    """A new id for a match's log: the day, and enough randomness that no two are the same."""
    return f"{datetime.now(UTC):%Y-%m-%d}-{secrets.token_hex(3)}"
