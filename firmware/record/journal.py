"""The journal: every event of every game, written before anything is shown, and never changed afterwards.

One SQLite file with one table, whose triggers refuse to change or delete an entry. Each game is a chain
(:mod:`firmware.record.chain`). What a game is *now* is never stored: it is always the replay of its entries.

Entries are written with ``synchronous=FULL`` in WAL mode: when :meth:`Journal.append` returns, the entry is
on the disk, and the power may fail. Times are given by the caller; this module has no clock.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import phrase
from engine.position import Json
from firmware.files import replacing
from firmware.record.chain import (
    START,
    BrokenChain,
    Entry,
    Head,
    JournalError,
    LaterJournal,
    as_written,
    canonical,
    check_chain,
    link,
    stored,
)
from firmware.record.head import Claim, HeadFile, read_lost, write_lost
from firmware.record.journal_errors import DAMAGED, RESTORE, not_read, not_written, reason
from firmware.record.journal_files import MEMORY, copy_damaged, delete_copy, empty, keep_orphan, without

SCHEMA = 3
"""Version of the file that this program writes. An older one is migrated when it is opened; a later one is
refused."""
APPLICATION = 0x42505431
"""Marks the file as ours (``PRAGMA application_id``): "BPT1"."""

_TABLE = """CREATE TABLE events (
    game   TEXT    NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 0),
    at     TEXT    NOT NULL,
    body   TEXT    NOT NULL,
    digest BLOB    NOT NULL CHECK (length(digest) = 32),
    PRIMARY KEY (game, number)
) WITHOUT ROWID"""
_TRIGGERS = """
CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_keep BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""

MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    1: ("CREATE INDEX firsts ON events (at, game) WHERE number = 0",),
    2: (),  # entries "key" and "sign", which a program that knows version 2 only takes for damage
}
"""What brings a file of this version to the next one. No migration touches an entry: that would break the
chain."""


class Journal:
    """An open journal. Use it from one thread at a time; other processes may read along."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self._head = HeadFile(path) if path.name != MEMORY else None
        self.lost: tuple[Claim, ...] = ()
        """Entries that were written and are not there any more, as found when the journal was opened."""

    @classmethod
    def open(cls, path: Path, *, damaged: bool = False) -> Journal:
        """Opens the journal at ``path`` to write to it, made, with its folder, where there is none: for who
        holds the state directory. Whatever SQLite would write over is copied first. One that SQLite cannot
        use is opened only where ``damaged`` allows it: then all that is asked of it raises JournalError.
        Raises JournalError."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            copy = keep_orphan(path)
            connection = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise _not_opened(path, error) from error
        journal = cls(connection, path)
        try:
            journal._find_lost(keep=True, copy=copy)
            cls._prepare(connection, path)
        except DAMAGED as error:
            if not damaged:
                connection.close()
                raise JournalError(f"cannot use {path} as the journal: {error}; {RESTORE}") from error
        except JournalError:
            connection.close()
            raise
        return journal

    @classmethod
    def open_readonly(cls, path: Path) -> Journal:
        """Opens a journal, of this version or an older one, for reading only: nothing in it or beside it is
        changed, and others may write. Raises JournalError."""
        try:
            if not path.is_file():
                raise JournalError(phrase("no journal at {path}; {way}", path=path, way=without(path)))
            if empty(path):  # SQLite would delete the write-ahead log beside it
                raise JournalError(f"{path} is empty; {RESTORE}")
            # SQLite makes a file of its own beside the journal, unless it is told that nobody writes. That is
            # so where nobody has the journal open and this user may not make files.
            still = not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists()
            how = "mode=ro&immutable=1" if still else "mode=ro"
            address = f"{path.resolve().as_uri()}?{how}"
            connection = sqlite3.connect(address, uri=True, timeout=5.0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise _not_opened(path, error) from error
        try:
            version, application = cls._versions(connection)
        except DAMAGED as error:
            connection.close()
            raise JournalError(f"{path} is damaged: {error}; {RESTORE}") from error
        try:
            if application != APPLICATION:
                hint = "if it is damaged, try 'barpoint restore'"
                raise JournalError(f"{path} is not a journal of Barpoint; {hint}")
            cls._check_version(path, version)
            cls._check_table(connection, path)
        except JournalError:
            connection.close()
            raise
        journal = cls(connection, path)
        journal._find_lost(keep=False)
        return journal

    def _find_lost(self, *, keep: bool, copy: str = "") -> None:
        """Finds out what is missing: of what was said to be, and of the head; where nothing says what a
        ``copy`` of the write-ahead log held, something. With ``keep``, the finding is kept."""
        if self._head is None:
            return
        # What was known before is read before the entries: another process may be writing now.
        newest = self._head.read()
        try:
            known = read_lost(self.path)
        except OSError:
            known, keep = [], False
        claimed = list(known)
        if newest is not None and newest.digest not in (each.digest for each in known):
            claimed.append(newest)
        elif not known and copy:
            claimed.append(Claim("?", 0, ""))
        with suppress(JournalError):  # it cannot be read at all: whoever reads it is told
            missing = [each for each in claimed if not self._has(each)]
            if keep and (len(missing) < len(known) or not all(each.kept for each in missing)):
                missing = self._keep_lost(missing, copy)
            self.lost = tuple(missing)

    def _keep_lost(self, missing: list[Claim], copy: str) -> list[Claim]:
        """Keeps what is missing, and before that what is left of the files, with the write-ahead log that
        SQLite would write over, unless there is a ``copy``. The missing with their copy's name."""
        made = ""
        try:
            if not copy and not all(each.kept for each in missing):
                copy = made = copy_damaged(self.path)
            named = [replace(each, kept=each.kept or copy) for each in missing]
            write_lost(self.path, named)
        except OSError:  # a full disk: it is found again the next time, and copied again
            if made:
                delete_copy(self.path, made)
            return missing
        return named

    def _has(self, claim: Claim) -> bool:
        query = "SELECT digest FROM events WHERE game = ? AND number = ?"
        try:
            rows = self._rows(query, claim.game, claim.number)
        except JournalError:
            if self._rows("SELECT 1 FROM sqlite_master LIMIT 1"):
                raise
            return False  # not even the table is there
        return bool(rows) and bytes(rows[0][0]).hex() == claim.digest

    @classmethod
    def _prepare(cls, connection: sqlite3.Connection, path: Path) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        version, application = cls._versions(connection)
        empty = "SELECT 1 FROM sqlite_master"
        if version == application == 0 and not connection.execute(empty).fetchone():
            marks = f"PRAGMA user_version = 1; PRAGMA application_id = {APPLICATION};"
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLE}; {_TRIGGERS} {marks} COMMIT;")
            except sqlite3.OperationalError as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if cls._versions(connection) == (0, 0):  # else another process has made it just now
                    raise not_written(path, error) from error
            version, application = cls._versions(connection)
        if application != APPLICATION:
            raise JournalError(f"{path} is not a journal of Barpoint; name another folder with --state")
        cls._check_version(path, version)
        if version < SCHEMA:
            cls._migrate(connection)

    @staticmethod
    def _check_version(path: Path, version: int) -> None:
        if not 1 <= version <= SCHEMA:
            hint = f"this program knows versions up to {SCHEMA}; use the one that wrote it, or a later one"
            fault = LaterJournal if version > SCHEMA else JournalError
            raise fault(f"{path} has version {version}, {hint}")

    @staticmethod
    def _check_table(connection: sqlite3.Connection, path: Path) -> None:
        """In its place a stranger's file may have a view, whose rows have no end. Raises JournalError."""
        query = "SELECT sql FROM sqlite_master WHERE name = 'events' COLLATE NOCASE"
        with suppress(*DAMAGED):  # whoever reads it is told
            if any(sql != _TABLE for (sql,) in connection.execute(query)):
                raise JournalError(f"{path} is not a journal of Barpoint: it has another table; {RESTORE}")

    @staticmethod
    def _versions(connection: sqlite3.Connection) -> tuple[int, int]:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        return version, application

    @classmethod
    def _migrate(cls, connection: sqlite3.Connection) -> None:
        """Migrates to the present version, or changes nothing."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Asked again under the lock: another process may have been first.
            for version in range(cls._versions(connection)[0], SCHEMA):
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except sqlite3.Error:
            connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Closes the file; the journal cannot be used afterwards."""
        if self._head is not None:
            self._head.close()
        self._connection.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, game: str, at: str, body: Json, *, after: Head | None = None) -> Entry:
        """Writes the next entry of ``game`` and returns when it is on the disk. ``after`` is the head that it
        must follow (None: any): where another writer has been there meanwhile, it is refused. Raises
        JournalError, with nothing written."""
        text = canonical(body)
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
            last = "SELECT number, digest FROM events WHERE game = ? ORDER BY number DESC LIMIT 1"
            row = cursor.execute(last, (game,)).fetchone()
            head = Head(row[0], bytes(row[1])) if row else START
            if after not in (None, head):
                cursor.execute("ROLLBACK")
                raise JournalError(self._overtaken(game, after, head))
            number, before = head.number + 1, head.digest
            digest = link(before, game, number, at, text)
            cursor.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (game, number, at, text, digest))
            cursor.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # it fails where the disk is gone; the next BEGIN says so
                    cursor.execute("ROLLBACK")
            raise not_written(self.path, error) from error
        finally:
            cursor.close()
        self._claim(game, number, digest)
        return Entry(game, number, at, body, digest)

    def _claim(self, game: str, number: int, digest: bytes) -> None:
        if self._head is not None:
            self._head.write(Claim(game, number, digest.hex()))

    def sync_head(self) -> None:
        """Returns when what is known of the journal's end is on the disk too. From any thread."""
        if self._head is not None:
            self._head.sync()

    def _overtaken(self, game: str, after: Head | None, found: Head) -> str:
        due = 0 if after is None else after.number + 1
        there = f"entry {due} is there already" if found.number >= due else "its last entries have changed"
        cure = "stop the other program that writes there, and start this one again"
        return f"nothing was written to game {game} in {self.path}, because {there}; {cure}"

    def restore(self, entries: Iterable[Entry]) -> int:
        """Puts the entries of one game back as they were, with their times and digests, and returns how many.
        Raises BrokenChain where they are no chain, JournalError where the game is there already; then nothing
        is written."""
        kept = list(entries)
        if kept:
            check_chain(kept[0].game, kept)
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                rows = [(each.game, each.number, each.at, canonical(each.body), each.digest) for each in kept]
                self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
        except sqlite3.IntegrityError as error:
            raise JournalError(f"game {kept[0].game} is in {self.path} already") from error
        except sqlite3.Error as error:
            raise not_written(self.path, error) from error
        if kept:
            self._claim(kept[-1].game, kept[-1].number, kept[-1].digest)
        return len(kept)

    def fold(self) -> None:
        """Brings what is in the write-ahead log into the file itself, which SQLite would leave undone without
        a word where the disk is full. Raises JournalError."""
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise not_written(self.path, error) from error

    def entries(self, game: str, first: int = 0, most: int = -1) -> list[Entry]:
        """The entries of a game from number ``first`` on, in order, at most ``most`` (-1: all); none for a
        game that is not known."""
        return self._entries("game = ? AND number >= ? ORDER BY number LIMIT ?", game, first, most)

    def games(self) -> list[str]:
        """The ids of all games, by the time of their first entry."""
        return [row[0] for row in self._rows("SELECT game FROM events WHERE number = 0 ORDER BY at, game")]

    def first_entries(self) -> list[Entry]:
        """The first entry of every game, oldest first."""
        return self._entries("number = 0 ORDER BY at, game")

    def last_digests(self) -> dict[str, bytes]:
        """The digest of the last entry of every game, by id, oldest first: it changes whenever anything in
        the game does. Empty for a game whose entries cannot be read: it hides no other."""
        last = "(SELECT digest FROM events WHERE game = first.game ORDER BY number DESC LIMIT 1)"
        query = f"SELECT game, {last} FROM events AS first WHERE number = 0 ORDER BY at, game"
        try:
            return dict(self._rows(query))
        except JournalError:
            return {game: self._digest(game) for game in self._names_left()}

    def _digest(self, game: str) -> bytes:
        try:
            return self.head(game).digest
        except JournalError:
            return b""

    def _names_left(self) -> list[str]:
        """The ids of all games in a damaged file: by its index, or by its table."""
        try:
            return self.games()
        except JournalError:
            return self.names()

    def head(self, game: str) -> Head:
        """Where a game's chain ends; :data:`START` for a game that is not known."""
        query = "SELECT number, digest FROM events WHERE game = ? ORDER BY number DESC LIMIT 1"
        rows = self._rows(query, game)
        return Head(rows[0][0], bytes(rows[0][1])) if rows else START

    def names(self) -> list[str]:
        """The ids of all games, those included whose first entry is gone. Reads the whole table:
        :meth:`games` is the quick one."""
        return [row[0] for row in self._rows("SELECT DISTINCT game FROM events NOT INDEXED ORDER BY game")]

    def verify(self, game: str) -> int:
        """Checks a game's chain and returns its length. Raises BrokenChain."""
        entries = self.entries(game)
        check_chain(game, entries)
        return len(entries)

    def check_texts(self, game: str) -> None:
        """Raises BrokenChain where an entry is not in the one form that is hashed: a key that stands twice in
        it would say one thing to people and another to the program."""
        query = "SELECT number, body FROM events WHERE game = ? ORDER BY number"
        for number, body in self._rows(query, game):
            if as_written(body) is None:
                raise BrokenChain(
                    game, number, phrase("altered: it is not written as this program writes entries")
                )

    def check_file(self) -> None:
        """Raises JournalError where SQLite finds the file itself damaged."""
        try:
            found = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except DAMAGED as error:
            found = str(error)
        if found != "ok":
            raise JournalError(f"{self.path} is damaged: {' '.join(found.split())}; {RESTORE}")

    def backup(self, path: Path) -> None:
        """Copies the journal to ``path`` while others may write to it (SQLite's online backup). The copy is
        complete, or there is none. Raises JournalError."""
        try:
            with replacing(path) as part:
                part.touch()  # it says why it cannot; SQLite does not
                with closing(sqlite3.connect(part)) as copy:
                    self._connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"cannot back up to {path}: {reason(error)}") from error

    def _rows(self, query: str, *values: str | int) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except DAMAGED as error:
            raise not_read(self.path, error) from error

    def _entries(self, which: str, *values: str | int) -> list[Entry]:
        query = f"SELECT game, number, at, body, digest FROM events WHERE {which}"
        try:
            with closing(self._connection.execute(query, values)) as cursor:
                return [
                    Entry(game, number, at, stored(body), bytes(digest))
                    for game, number, at, body, digest in cursor
                ]
        except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:  # also of what was altered
            raise not_read(self.path, error) from error


def _not_opened(path: Path, error: Exception) -> JournalError:
    return JournalError(f"cannot open the journal {path}: {reason(error)}")
