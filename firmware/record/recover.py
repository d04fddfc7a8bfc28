"""Recovers a damaged journal: what can still be read of it, and a new journal made of that.

SQLite refuses a file with one wrong byte in the wrong place, or gives up at the first bad page. But an entry
proves itself by its digest, so the tree of pages is not needed. Every page of the file, and of its
write-ahead log, is searched for entries by SQLite's own file format (https://www.sqlite.org/fileformat2.html:
table ``events`` is a b-tree of index pages). Of each game the entries that follow from the first one are
kept. Those after the damage are counted, not kept: nothing proves them."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from firmware.files import replacing, sync
from firmware.record.chain import GENESIS, Entry, JournalError, as_written, link
from firmware.record.head import HEAD, LOST
from firmware.record.journal import Journal
from firmware.wording import counted

COLUMNS = 5
LEAF, INTERIOR = 0x0A, 0x02
PAGE = 4096
"""Bytes; what SQLite takes by default, for a file whose head is gone."""
MOST_BYTES = 1_000_000_000
"""Of a journal, or its write-ahead log: as many as 35,000 matches take."""
SHARED = 16
"""How many times the file's size its entries may take from overflow pages, old copies of them together: a
page has eight such entries at most, and is written anew for each."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was found of one game: the entries that follow from its first, in order, and the number of those
    ``beyond`` the damage."""

    game: str
    entries: tuple[Entry, ...]
    beyond: int

    @property
    def lost(self) -> int | None:
        """The first entry that is gone or altered; None where there is no sign of one."""
        return len(self.entries) if self.beyond else None

    def __str__(self) -> str:
        told = f"game {self.game}: {counted(len(self.entries), 'entry', 'entries')} recovered"
        if self.lost is None:
            return told
        later = counted(self.beyond, "entry", "entries")
        return (
            f"{told}; entry {self.lost} is lost or damaged, and nothing proves the {later} found after that"
        )


def recover(path: Path) -> list[Recovered]:
    """Every game of which anything is left in the file, by id. Raises JournalError where the file cannot be
    read."""
    found: dict[str, dict[int, set[tuple[str, str, bytes]]]] = {}
    beside = _beside(path, "-wal")
    try:
        with _opened(path) as data, _opened(beside if beside.exists() else Path(os.devnull)) as log:
            for game, number, at, body, digest in _Pages(data, log).rows():
                found.setdefault(game, {}).setdefault(number, set()).add((at, body, digest))
    except OSError as error:
        # With sudo it is the table's own user who reads, and sticks and homes are often closed to it.
        cure = "; copy it to where this user may read it, /tmp for one" * (error.errno == errno.EACCES)
        raise JournalError(f"cannot read {path}: {error.strerror or error}{cure}") from error
    except JournalError as error:
        raise JournalError(f"cannot read {path}: {error}") from error
    saved = [_chain(game, candidates) for game, candidates in sorted(found.items())]
    whole = {each.game for each in saved if each.entries}
    # A game without a proved entry has lost its beginning; with a single one, its name has a flipped bit.
    return [each for each in saved if each.game in whole or each.beyond > 1]


def rebuild(saved: list[Recovered], path: Path) -> None:
    """Makes a new journal at ``path`` of what was saved, complete or not at all. Raises JournalError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            _remove_beside(part)
            try:
                with Journal.open(part) as journal:
                    for each in sorted(saved, key=lambda each: each.entries[0].at if each.entries else ""):
                        journal.restore(each.entries)
                    journal.fold()
            finally:
                _remove_beside(part)
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error.strerror or error}") from error


def put_in_place(path: Path) -> Path | None:
    """Lets the restored journal that waits beside the one at ``path`` take its place; that one is moved aside
    with SQLite's files, never deleted. Returns its new path, None where there was none, or nothing waits.
    After a crash at any moment it is called again, and goes on. Raises JournalError."""
    fresh, old = restored(path), None
    try:
        if not fresh.exists():
            return None
        made = datetime.fromtimestamp(fresh.stat().st_mtime, UTC)  # the same name at every call
        aside = path.with_name(f"{path.stem}-{made:%Y%m%dT%H%M%S.%fZ}{path.suffix}")
        for ending in ("-wal", "-shm", HEAD, LOST, ""):
            if _beside(path, ending).exists():
                _beside(path, ending).replace(_beside(aside, ending))
                old = aside
        fresh.replace(path)
        sync(path.parent)
    except OSError as error:
        raise JournalError(f"cannot put {fresh} in place: {error.strerror or error}") from error
    return old


def restored(path: Path) -> Path:
    """Where a restored journal waits until it takes the place of the one at ``path``."""
    return _beside(path, "-restored")


def _remove_beside(path: Path) -> None:
    for ending in ("-wal", "-shm", HEAD, LOST):
        _beside(path, ending).unlink(missing_ok=True)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _chain(game: str, candidates: dict[int, set[tuple[str, str, bytes]]]) -> Recovered:
    """The entries that follow one from the other. A number may be found more than once: in an old copy of its
    page, or in a damaged one."""
    before = GENESIS
    entries: list[Entry] = []
    while True:
        number = len(entries)
        for at, body, digest in candidates.get(number, ()):
            written = as_written(body) if link(before, game, number, at, body) == digest else None
            if written is not None:
                entries.append(Entry(game, number, at, written, digest))
                before = digest
                break
        else:
            return Recovered(game, tuple(entries), sum(each >= number for each in candidates))


Row = tuple[str, int, str, str, bytes]


@dataclass(frozen=True, slots=True)
class _Bytes:
    """An open file, of which only what is looked at is in memory: a stranger's may be as large as a stick."""

    handle: int
    size: int

    def read(self, at: int, count: int) -> bytes:
        return os.pread(self.handle, count, at)


@contextmanager
def _opened(path: Path) -> Iterator[_Bytes]:
    """Raises OSError, or JournalError for what is no journal's file."""
    kind = path.stat().st_mode
    if not stat.S_ISREG(kind) and path != Path(os.devnull):
        raise JournalError("it is not an ordinary file")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > MOST_BYTES:
            raise JournalError(f"it is longer than {MOST_BYTES // 1_000_000_000} GB; no journal is")
        yield _Bytes(file.fileno(), size)


Place = tuple[_Bytes, int]
"""Where a page begins."""


class _Pages:
    """The pages of a database file, the newest of each number, and older ones out of its write-ahead log."""

    def __init__(self, data: _Bytes, log: _Bytes) -> None:
        head = data.read(0, 100)
        self.size = _page_size(head, log.read(0, 100))
        reserved = head[20] if head[:6] == b"SQLite" and len(head) > 20 else 0
        self.usable = self.size - (reserved if reserved < 32 else 0)
        self.data, self.count = data, -(-data.size // self.size)
        self.logged: dict[int, Place] = {}
        self.older: list[Place] = []
        self.room = SHARED * (data.size + log.size)
        for number, at in _frames(log, self.size):
            if (before := self._newest(number)) is not None:
                self.older.append(before)
            self.logged[number] = log, at

    def rows(self) -> Iterator[Row]:
        """Everything that has the form of an entry, in any page."""
        seen: set[bytes] = set()
        later = (number for number in self.logged if number > self.count)
        newest = ((number, self._newest(number)) for number in chain(range(1, self.count + 1), later))
        for number, place in chain(newest, ((0, place) for place in self.older)):
            page = self._page(place)
            key = hashlib.sha256(page).digest()
            if key not in seen:
                seen.add(key)
                yield from self._rows_of(page, 100 if number == 1 else 0)

    def _newest(self, number: int) -> Place | None:
        of_file = (self.data, (number - 1) * self.size) if 1 <= number <= self.count else None
        return self.logged.get(number, of_file)

    def _page(self, place: Place | None) -> bytes:
        return place[0].read(place[1], self.size) if place is not None else b""

    def _rows_of(self, page: bytes, head: int) -> Iterator[Row]:
        page = page.ljust(self.size, b"\0")
        kind = page[head]
        sound = kind in (LEAF, INTERIOR)
        if sound:
            count = struct.unpack_from(">H", page, head + 3)[0]
            array = head + (8 if kind == LEAF else 12)
            for place in range(count):
                try:
                    start = struct.unpack_from(">H", page, array + 2 * place)[0]
                    row = self._cell(page, start + (4 if kind == INTERIOR else 0))
                except (IndexError, struct.error):
                    row = None
                if row is None:
                    sound = False
                else:
                    yield row
        if not sound and b'{"' in page:  # its head or pointers are damaged: a cell may begin anywhere
            cells = (self._cell(page, start) for start in range(self.size))
            yield from (row for row in cells if row is not None)

    def _cell(self, page: bytes, start: int) -> Row | None:
        """The entry in the cell that begins at ``start`` with its payload's size; None where there is
        none."""
        try:
            size, at = _varint(page, start)
            if not 40 < size < 1 << 24:
                return None
            local = self._local(size)
            payload = page[at : at + local]
            if _kinds(payload) is None:
                return None
            if local < size:
                payload += self._overflow(struct.unpack_from(">I", page, at + local)[0], size - local)
            return _row(payload)
        except (IndexError, struct.error, ValueError):
            return None

    def _local(self, size: int) -> int:
        """How many bytes of a payload stand in the cell itself, by SQLite's file format."""
        most = (self.usable - 12) * 64 // 255 - 23
        least = (self.usable - 12) * 32 // 255 - 23
        if size <= most:
            return size
        local = least + (size - least) % (self.usable - 4)
        return local if local <= most else least

    def _overflow(self, number: int, left: int) -> bytes:
        parts: list[bytes] = []
        passed: set[int] = set()
        while left > 0:
            if number in passed:
                raise ValueError("these pages go round in a circle")
            if self.room <= 0:
                raise JournalError("its entries share pages as in no journal: somebody has made it up")
            passed.add(number)
            self.room -= self.usable
            page = self._page(self._newest(number))
            number = struct.unpack_from(">I", page, 0)[0]
            parts.append(page[4 : 4 + min(left, self.usable - 4)])
            left -= self.usable - 4
        return b"".join(parts)


def _page_size(head: bytes, log: bytes) -> int:
    """By the first bytes of the file, and of its log."""
    sizes = [
        struct.unpack_from(">H", head, 16)[0] if len(head) > 18 else 0,
        struct.unpack_from(">I", log, 8)[0] if len(log) > 32 else 0,
    ]
    for size in sizes:
        if size == 1:
            return 65536
        if 512 <= size <= 65536 and not size & (size - 1):
            return size
    return PAGE


def _frames(log: _Bytes, size: int) -> Iterator[tuple[int, int]]:
    """The complete pages in a write-ahead log that belong to its present run, and where they begin: by the
    log's own head, or by its first page, where one of them is damaged."""
    salts = log.read(16, 8), log.read(40, 8)
    for at in range(32, log.size - size - 23, size + 24):
        head = log.read(at, 24)
        if head[8:16] in salts:
            yield struct.unpack_from(">I", head)[0], at + 24


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _kinds(payload: bytes) -> tuple[list[int], int] | None:
    """The serial types of a record with an entry's columns, and where its values begin; None for another."""
    head, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < head and len(kinds) <= COLUMNS:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != head or len(kinds) != COLUMNS:
        return None
    game, number, time, body, digest = kinds
    texts = all(kind >= 13 and kind % 2 for kind in (game, time, body))
    whole_number = 1 <= number <= 6 or number in (8, 9)
    return (kinds, head) if texts and whole_number and digest == 12 + 2 * 32 else None


def _row(payload: bytes) -> Row | None:
    known = _kinds(payload)
    if known is None:
        return None
    (game, number, time, body, _), at = known
    values: list[bytes] = []
    widths = {8: 0, 9: 0, 5: 6, 6: 8}
    for width in ((game - 13) // 2, widths.get(number, number), (time - 13) // 2, (body - 13) // 2, 32):
        values.append(payload[at : at + width])
        at += width
    if at != len(payload):
        return None
    count = number - 8 if number >= 8 else int.from_bytes(values[1], "big")
    return values[0].decode(), count, values[2].decode(), values[3].decode(), values[4]
