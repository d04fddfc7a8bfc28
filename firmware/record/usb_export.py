"""Matches onto a USB stick: for each its match file, its sealed JSON and its report.

A file that is on the stick already, the same to the last byte, is left alone. Every other one is written
under another name, read again, and only then renamed: a stick that is full, or pulled out half-way, holds no
half file under a match's name.

A stick is somebody's, and prepared by them: :class:`firmware.files.OpenFolder` follows none of its links and
opens nothing but ordinary files.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import EngineError
from engine.messages import joined, phrase, phrase_number
from firmware.errors import BadInput
from firmware.files import NotPlain, OpenFolder
from firmware.formats import FORMATS
from firmware.formats.source import FormatError
from firmware.record.archive import match_record
from firmware.record.catalogue import Catalogue
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.match_id import match_file
from firmware.record.match_line import MatchFilter
from firmware.record.report import report_page
from firmware.record.review import best_kept
from firmware.record.seal import export_file
from firmware.record.signed import newest
from firmware.record.turn_times import timed_turns

NOTICE = "stick"
"""The file in the state directory that says how the last export went."""
SHOWN = 60.0
"""Seconds for which the players see it."""

UNFIT = phrase("the stick's file system cannot do what safe writing needs; format it as FAT or exFAT")
FULL = phrase("the stick is full")
CLOSED = phrase("this program may not write to the stick")
GONE = phrase("the stick was pulled out")
WHY = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: phrase("the stick is write-protected"),
    errno.EACCES: CLOSED,
    errno.EPERM: CLOSED,
    errno.EIO: phrase("the stick was pulled out, or is broken"),
    errno.ENODEV: GONE,
    errno.ENXIO: GONE,
    errno.ENOENT: GONE,
    errno.ESTALE: GONE,
    errno.EINVAL: UNFIT,
    errno.ENOSYS: UNFIT,
    errno.EOPNOTSUPP: UNFIT,
}


class NotWritten(Exception):
    """Not everything could be written; the message says why, and how many matches are on the stick."""


def match_files(journal: Journal, log: str, analyses: Path) -> Iterator[tuple[str, bytes]]:
    """The names and contents of a match's files: one for other programs, one sealed, one for people. Raises
    JournalError, also where no file may have such a name."""
    match_file(log)
    entries = journal.entries(log)
    match, signature = match_record(entries), newest(log, entries)
    forms = (name for name, form in FORMATS.items() if form.rules and match.rules in form.rules)
    for form in (next(forms, "text"), "json"):
        with suppress(FormatError, EngineError):  # .mat cannot hold a position set by hand; the others can
            yield match_file(log, FORMATS[form].suffix), export_file(match, signature, form)
    kept = best_kept(match, analyses)
    yield match_file(log, ".html"), report_page(match, timed_turns(entries), kept).encode(errors="replace")


def stick_folder(path: Path) -> OpenFolder:
    """The folder ``path`` on a stick, held open: where the stick is mounted, or a folder right in there, made
    where there is none. Raises BadInput where no stick is mounted, NotWritten where the stick has something
    else in its place."""
    mounted = path if _is_mounted(path) else path.parent
    if not _is_mounted(mounted):
        if _is_closed(mounted):
            raise BadInput(
                phrase(
                    "{path}: this user may not look there, and nothing was written; with sudo that is the"
                    " table's own: sudo mount -o uid=barpoint /dev/sda1 /mnt, and name /mnt/barpoint",
                    path=path,
                )
            )
        raise BadInput(
            phrase(
                "{path}: no stick is mounted there (is it in?), and nothing was written; for a folder of your"
                " own: barpoint export --all {path}",
                path=path,
            )
        )
    try:
        if mounted == path:
            return OpenFolder.open(path)
        with OpenFolder.open(mounted) as stick:
            return stick.folder(path.name)
    except NotPlain as error:
        words = phrase("nothing was written: on the stick, {fault}; remove it there", fault=str(error))
        raise NotWritten(words) from error
    except OSError as error:
        raise NotWritten(phrase("nothing was written: {fault}", fault=_why(error))) from error


def _is_mounted(path: Path) -> bool:
    """Whether another disk than the system's is mounted right at ``path``, and no link is."""
    try:
        return os.path.ismount(path) and path.stat().st_dev != Path("/").stat().st_dev
    except OSError:
        return False


def _is_closed(path: Path) -> bool:
    """Whether this user must not even look whether there is something at ``path``."""
    try:
        path.lstat()
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def _why(error: OSError) -> str:
    other = phrase("the stick cannot be written to ({reason})", reason=error.strerror or error)
    return WHY.get(error.errno or 0, other)


def export_matches(journal: Journal, folder: OpenFolder, chosen: MatchFilter) -> tuple[int, list[str]]:
    """Writes the chosen matches into ``folder``; how many, and why not each of the others. Raises
    NotWritten."""
    with Catalogue(journal) as catalogue:
        lines = catalogue.listing(chosen)
    done, others = 0, []
    for line in lines:
        try:
            files = list(match_files(journal, line.log, journal.path.with_name("analysis")))
        except (JournalError, EngineError) as error:
            others.append(joined(": ", (line.log, str(error))))
            continue
        try:
            for name, data in files:
                if not folder.holds(name, data):
                    folder.replace(name, data)
        except NotPlain as error:
            others.append(phrase("{fault}; remove it from the stick", fault=str(error)))
            continue
        except OSError as error:
            words = phrase_number(
                "{fault}; {done} of {n} match is on it. Fix that, and put it in again",
                "{fault}; {done} of {n} matches are on it. Fix that, and put it in again",
                len(lines),
                fault=_why(error),
                done=done,
            )
            raise NotWritten(words) from error
        done += 1
    return done, others


def notice(state: Path, now: float | None = None) -> str:
    """How the last export to a stick went, for the players; "" where none was made lately."""
    path = state / NOTICE
    try:
        age = (time.time() if now is None else now) - path.stat().st_mtime
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return " ".join(text.split())[:200] if 0 <= age < SHOWN else ""
