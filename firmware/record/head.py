"""What the journal is known to hold, kept beside it: the head, the last entry that was written, in
``journal.db-head``; and what was found missing, in ``journal.db-lost``.

SQLite reads its write-ahead log up to the first damaged frame, and drops whatever follows without a word. The
chains cannot show it: each of them only ends earlier. The head shows it, when the journal is opened.

The head is written after every entry, in place, in one of two slots in turn, so that a torn write costs the
newer one only. That takes microseconds, because it is not forced to the disk each time: the table does that
about once a second (:meth:`HeadFile.sync`), and closing does. So the head never claims an entry that was not
written. It is exact after a kill or a crash of the program; after a power cut it may be about a second old,
and entries younger than that can go without a trace.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engine import strict_json
from firmware.files import read_whole, replace_file

HEAD, LOST = "-head", "-lost"
"""Endings of the two files, after the journal's own name."""
SLOT = 512
"""Bytes of a slot: a sector, which a disk writes whole."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An entry that was written. ``digest`` is in hex; ``kept`` names the copy of the damaged journal, once
    the entry was found missing."""

    game: str
    number: int
    digest: str
    kept: str = ""

    def __str__(self) -> str:
        way = f"'barpoint restore' with {self.kept}" if self.kept else "'barpoint restore' with a backup"
        return (
            f"game {self.game}: entry {self.number} was written and is not in the journal any more, nor"
            f" perhaps others before it; stop the table, then {way} brings back what can be"
        )


class HeadFile:
    """The head of one journal."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + HEAD)
        self._handle: int | None = None
        self._count = 0
        self._unsynced = False

    def read(self) -> Claim | None:
        """The newest claim; None where there is none, or none that is whole and can be read."""
        with suppress(OSError):
            found = _read(self._path)
            return None if found is None else found[1]
        return None

    def write(self, claim: Claim) -> None:
        """Claims an entry that is in the journal. Where the disk refuses, the older claim stays: it is true
        too."""
        with suppress(OSError):
            if self._handle is None:
                found = _read(self._path)
                self._count = 0 if found is None else found[0]
                flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                self._handle = os.open(self._path, flags, 0o644)
            count = self._count + 1
            slot = _slot(count, claim)
            if slot is not None:
                os.pwrite(self._handle, slot, count % 2 * SLOT)
                self._count = count
                self._unsynced = True

    def sync(self) -> None:
        """Returns when the newest claim is on the disk. From any thread."""
        handle = self._handle
        if self._unsynced and handle is not None:
            self._unsynced = False
            with suppress(OSError):
                os.fdatasync(handle)

    def close(self) -> None:
        """The same, and closes the file."""
        self.sync()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def read_lost(journal: Path) -> list[Claim]:
    """The entries that were found missing. A damaged list claims nothing. Raises OSError where there is one
    and the disk does not give it: it must not be written over."""
    try:
        data = strict_json.loads(read_whole(journal.with_name(journal.name + LOST)).decode())
        return [Claim(str(game), int(number), str(digest), str(kept)) for game, number, digest, kept in data]
    except (FileNotFoundError, ValueError, TypeError):
        return []


def write_lost(journal: Path, lost: list[Claim]) -> None:
    """Keeps the entries that were found missing. Raises OSError."""
    rows = [list(asdict(each).values()) for each in lost]
    replace_file(journal.with_name(journal.name + LOST), json.dumps(rows) + "\n")


def _slot(count: int, claim: Claim) -> bytes | None:
    """A slot's bytes; None for an id too long for it."""
    text = json.dumps([count, claim.game, claim.number, claim.digest])
    slot = f"{text} {_checksum(text)}".ljust(SLOT - 1) + "\n"
    return slot.encode() if len(slot) == SLOT else None


def _read(path: Path) -> tuple[int, Claim] | None:
    """The count and the claim of the newest whole slot. Raises OSError where there is a file and the disk
    does not give it."""
    try:
        with path.open("rb") as file:
            data = file.read(2 * SLOT)
    except FileNotFoundError:
        return None
    found = []
    for at in (0, SLOT):
        text, _, checksum = data[at : at + SLOT].decode("ascii", "replace").strip().rpartition(" ")
        if text and _checksum(text) == checksum:
            with suppress(ValueError, TypeError):
                count, game, number, digest = strict_json.loads(text)
                found.append((int(count), Claim(str(game), int(number), str(digest))))
    return max(found, key=lambda each: each[0], default=None)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
