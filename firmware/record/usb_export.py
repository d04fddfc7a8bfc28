"""Matches onto a USB stick: for each its match file, its sealed JSON and its report, whole or not at all.

A file that is on the stick already, the same to the last byte, is left alone. Every other one is written
under another name, put on the disk, read again, and only then given its own: a stick that is full, or pulled
out half-way, holds no half file under a match's name.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import EngineError
from firmware.formats import FORMATS
from firmware.formats.source import FormatError
from firmware.record import analyse
from firmware.record.archive import record
from firmware.record.catalogue import Catalogue, LoggedMatch, MatchFilter
from firmware.record.journal import Journal, JournalError
from firmware.record.report import page, turns
from firmware.record.seal import written

NOTICE = "stick"
"""The file in the state directory that says what became of the last stick."""
SHOWN = 60.0
"""Seconds for which the players are told."""

WHY = {
    errno.ENOSPC: "the stick is full",
    errno.EDQUOT: "the stick is full",
    errno.EROFS: "the stick is write-protected",
    errno.EACCES: "the stick may not be written to",
    errno.EPERM: "the stick may not be written to",
    errno.EIO: "the stick was pulled out, or is broken",
    errno.ENODEV: "the stick was pulled out",
    errno.ENXIO: "the stick was pulled out",
    errno.ENOENT: "the stick was pulled out",
    errno.ESTALE: "the stick was pulled out",
}


class NotWritten(Exception):
    """The stick could not take everything; the message says why and how far it came."""


def files(journal: Journal, logged: LoggedMatch, analyses: Path) -> Iterator[tuple[str, str]]:
    """The files of one match, by name: what other programs read, what is proof, what people read. Raises
    JournalError."""
    entries = journal.entries(logged.log)
    match = record(entries)
    forms = [
        name
        for name, each in FORMATS.items()
        if each.rules is not None and match.rules in each.rules and each.read is not None
    ]
    for form in (forms[0] if forms else "text", "json"):
        with suppress(
            FormatError, EngineError
        ):  # a position set by hand has no place in .mat; the others hold it
            yield f"{logged.log}{FORMATS[form].suffix}", written(match, form)
    yield f"{logged.log}.html", page(match, turns(entries), analyse.best(match, analyses))


def write(journal: Journal, folder: Path, wanted: MatchFilter) -> tuple[int, list[str]]:
    """Writes the matches that are wanted into ``folder``; how many, and which could not be read. Raises
    NotWritten."""
    with Catalogue(journal) as catalogue:
        lines = catalogue.listing(wanted)
    done, damaged = 0, []
    for line in lines:
        try:
            for name, text in files(journal, line, journal.path.with_name("analysis")):
                _put(folder / name, text.encode())
        except (JournalError, EngineError) as error:
            damaged.append(f"{line.log}: {error}")
            continue
        except OSError as error:
            why = WHY.get(error.errno or 0, f"the stick cannot be written to ({error.strerror or error})")
            raise NotWritten(
                f"{why}; {done} of {len(lines)} matches are on it. Mend that, and put it in again"
            ) from error
        done += 1
    return done, damaged


def _put(path: Path, data: bytes) -> None:
    partial = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == data:
        return
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if partial.read_bytes() != data:
            raise OSError(errno.EIO, "what was written is not what is read")
        partial.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def notice(state: Path, now: float | None = None) -> str:
    """What the players at the table are to be told of the last stick; "" where nothing has been put in
    lately."""
    path = state / NOTICE
    try:
        age = (time.time() if now is None else now) - path.stat().st_mtime
        return (
            " ".join(path.read_text(encoding="utf-8", errors="replace").split())[:200]
            if 0 <= age < SHOWN
            else ""
        )
    except OSError:
        return ""
