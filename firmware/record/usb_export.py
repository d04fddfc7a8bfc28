"""Matches onto a USB stick: for each its match file, its sealed JSON and its report.

A file that is on the stick already, the same to the last byte, is left alone. Every other one is written
under another name, read again, and only then renamed: a stick that is full, or pulled out half-way, holds no
half file under a match's name.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import EngineError
from firmware.files import replace_file
from firmware.formats import FORMATS
from firmware.formats.source import FormatError
from firmware.record import analyse
from firmware.record.archive import match_record
from firmware.record.catalogue import Catalogue, MatchFilter
from firmware.record.journal import Journal, JournalError
from firmware.record.report import report_page, timed_turns
from firmware.record.seal import export_text
from firmware.wording import counted

NOTICE = "stick"
"""The file in the state directory that says how the last export went."""
SHOWN = 60.0
"""Seconds for which the players see it."""

WHY = {
    errno.ENOSPC: "the stick is full",
    errno.EDQUOT: "the stick is full",
    errno.EROFS: "the stick is write-protected",
    errno.EACCES: "this program may not write to the stick",
    errno.EPERM: "this program may not write to the stick",
    errno.EIO: "the stick was pulled out, or is broken",
    errno.ENODEV: "the stick was pulled out",
    errno.ENXIO: "the stick was pulled out",
    errno.ENOENT: "the stick was pulled out",
    errno.ESTALE: "the stick was pulled out",
}


class NotWritten(Exception):
    """Not everything could be written; the message says why, and how many matches are on the stick."""


def match_files(journal: Journal, log: str, analyses: Path) -> Iterator[tuple[str, str]]:
    """The names and texts of a match's files: one for other programs, one sealed, one for people. Raises
    JournalError."""
    entries = journal.entries(log)
    match = match_record(entries)
    forms = (name for name, form in FORMATS.items() if form.rules and match.rules in form.rules)
    for form in (next(forms, "text"), "json"):
        with suppress(FormatError, EngineError):  # .mat cannot hold a position set by hand; the others can
            yield f"{log}{FORMATS[form].suffix}", export_text(match, form)
    yield f"{log}.html", report_page(match, timed_turns(entries), analyse.best_kept(match, analyses))


def export_matches(journal: Journal, folder: Path, chosen: MatchFilter) -> tuple[int, list[str]]:
    """Writes the chosen matches into ``folder``; how many, and which could not be read. Raises NotWritten."""
    with Catalogue(journal) as catalogue:
        lines = catalogue.listing(chosen)
    done, damaged = 0, []
    for line in lines:
        try:
            for name, text in match_files(journal, line.log, journal.path.with_name("analysis")):
                _write_checked(folder / name, text.encode())
        except (JournalError, EngineError) as error:
            damaged.append(f"{line.log}: {error}")
            continue
        except OSError as error:
            why = WHY.get(error.errno or 0, f"the stick cannot be written to ({error.strerror or error})")
            on_it = f"{done} of {counted(len(lines), 'match is', 'matches are')} on it"
            raise NotWritten(f"{why}; {on_it}. Fix that, and put it in again") from error
        done += 1
    return done, damaged


def _write_checked(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != data:
        replace_file(path, data, verify=True)


def notice(state: Path, now: float | None = None) -> str:
    """How the last export to a stick went, for the players; "" where none was made lately."""
    path = state / NOTICE
    try:
        age = (time.time() if now is None else now) - path.stat().st_mtime
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return " ".join(text.split())[:200] if 0 <= age < SHOWN else ""
