"""The list of matches, quick at ten thousand of them: a cache beside the journal, ``archive.db``.

A line in it holds for the digest of the match's last entry; where the journal's is another, or the line's own
checksum does not fit, the match is replayed and the line written anew. So the file may be deleted, lost, torn
or altered: it is made again from the journal. Nothing but the list comes from it, and what a player's history
asks of a match (:mod:`firmware.record.outline`), which is told in the same replay; whatever leaves the table
(an export, a download, a report) is made from the journal itself
(:func:`firmware.record.archive.read_match`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from engine.errors import EngineError
from engine.messages import from_data, phrase, to_data
from engine.outside import writable
from engine.record import Action, GameRecord, MatchRecord, Rolled
from firmware.formats import build, jsonform
from firmware.record.archive import checked_record, read_match
from firmware.record.chain import BrokenChain, Entry, JournalError
from firmware.record.journal import Journal
from firmware.record.journal_errors import DAMAGED, is_away
from firmware.record.match_line import (
    HALF,
    UNREADABLE,
    LoggedMatch,
    MatchFilter,
    damaged_line,
    first_line,
    match_line,
    unread_line,
)
from firmware.record.outline import GameOutline, outline_of
from firmware.record.review import FORM as REVIEWS

FILE = "archive.db"
FORM = 9
"""Version of the cache; another one is deleted and made anew."""

_TABLES = (
    """CREATE TABLE matches (log TEXT PRIMARY KEY, head BLOB, date TEXT, rules TEXT, first TEXT, second TEXT,
        score1 INTEGER, score2 INTEGER, games INTEGER, over INTEGER, result TEXT,
        event TEXT, winner TEXT, outcome TEXT, imported INTEGER, checksum BLOB) WITHOUT ROWID""",
    "CREATE TABLE outlines (log TEXT PRIMARY KEY, head BLOB, games TEXT, checksum BLOB) WITHOUT ROWID",
)
_ROW = (
    "log, head, date, rules, first, second, score1, score2, games, over,"
    " result, event, winner, outcome, imported"
)

Progress: TypeAlias = Callable[[float, str], None]
"""Hears how much is done (0 to 1) and what."""
T = TypeVar("T")


class Catalogue:
    """The matches of one journal. ``breathe`` is called between pieces of work: it may rest, or raise."""

    def __init__(self, journal: Journal, breathe: Callable[[], None] = lambda: None) -> None:
        self._journal = journal
        self._breathe = breathe
        self._path = journal.path.with_name(FILE)
        self._connection = _opened(self._path)
        self._made: dict[str, LoggedMatch] = {}
        """The lines that this catalogue has made."""
        self._outlined: dict[str, tuple[GameOutline, ...]] = {}
        """The outlines that it has made."""

    def close(self) -> None:
        """Closes the cache; the journal stays open."""
        self._connection.close()

    def __enter__(self) -> Catalogue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def listing(self, chosen: MatchFilter | None = None, tell: Progress | None = None) -> list[LoggedMatch]:
        """The chosen matches (None: all), oldest first. One that cannot be replayed is listed as damaged.
        ``tell`` hears how many have been looked at, where that takes long."""
        return self._surely(lambda: self._listing(chosen, tell))

    def at_hand(self) -> list[LoggedMatch]:
        """All matches at once, oldest first: those that the cache does not know with what their first entry
        says."""
        return self._surely(self._at_hand)

    def look_at(self, enough: Callable[[], bool]) -> int:
        """Makes the lines that are missing, the newest match's first, until it is ``enough``; how many are
        left."""
        return self._surely(lambda: self._look_at(enough))

    @property
    def lasting(self) -> bool:
        """Whether what it makes outlives it; not where the disk cannot keep it."""
        return bool(self._connection.execute("PRAGMA database_list").fetchone()[2])

    def outline(self, log: str) -> tuple[GameOutline, ...]:
        """What a player's history asks of a match's games; nothing of a match that cannot be replayed."""
        return self._surely(lambda: self._outline(log))

    def _surely(self, ask: Callable[[], T]) -> T:
        """Asks the cache; where it is damaged, a new one; where the disk cannot keep one, a copy of it in
        memory, and at worst an empty one."""
        for another in (_opened, _copied, _empty):
            try:
                return ask()
            except DAMAGED as error:
                self._connection.close()
                if not _may_be_sound(error):
                    _delete(self._path)
                self._connection = another(self._path)
        return ask()

    def _kept(self) -> tuple[list[str], dict[str, LoggedMatch]]:
        """Every match, oldest first, and the lines that hold."""
        heads = self._journal.last_digests()
        lines: dict[str, LoggedMatch] = {}
        for *row, checksum in self._connection.execute(f"SELECT {_ROW}, checksum FROM matches").fetchall():
            self._breathe()
            log, head = row[0], row[1]
            if log in heads and head == heads[log] and checksum == _checksum(row):
                lines[log] = _line(row)
        return list(heads), lines

    def _listing(self, chosen: MatchFilter | None, tell: Progress | None) -> list[LoggedMatch]:
        logs, lines = self._kept()
        missing = [log for log in logs if log not in lines]
        for number, log in enumerate(missing):
            if tell is not None:
                tell(number / len(missing), phrase("looking at {n} matches for the list", n=len(missing)))
            with self._connection:
                lines[log] = self._renew(log)
        return [lines[log] for log in logs if chosen is None or chosen(lines[log])]

    def _at_hand(self) -> list[LoggedMatch]:
        logs, lines = self._kept()
        lines = self._made | lines
        if len(lines) < len(logs):
            first = self._first_entries()
            for log in logs:
                self._breathe()
                if log not in lines:
                    lines[log] = first_line(first[log]) if log in first else unread_line(log)
        return [lines[log] for log in logs]

    def _first_entries(self) -> dict[str, Entry]:
        """By id; none where one of them cannot be read."""
        try:
            return {entry.game: entry for entry in self._journal.first_entries()}
        except JournalError:
            return {}

    def _look_at(self, enough: Callable[[], bool]) -> int:
        logs, lines = self._kept()
        missing = [log for log in logs if log not in lines]
        while missing and not enough():
            with self._connection:
                self._renew(missing.pop())
        return len(missing)

    def _outline(self, log: str) -> tuple[GameOutline, ...]:
        if log not in self._outlined:
            query = "SELECT log, head, games, checksum FROM outlines WHERE log = ?"
            row = self._connection.execute(query, (log,)).fetchone()
            if row and row[3] == _outline_checksum(row[:3]) and row[1] == self._journal.head(log).digest:
                self._outlined[log] = tuple(GameOutline(*each) for each in json.loads(row[2]))
            else:
                with self._connection:
                    self._renew(log)
        return self._outlined[log]

    def _renew(self, log: str) -> LoggedMatch:
        """Writes a match's line and outline anew, and returns the line."""
        entries: list[Entry] = []
        outline: tuple[GameOutline, ...] = ()
        try:
            entries = self._journal.entries(log)
            match = checked_record(log, entries, self._breathe)
            if not writable(jsonform.to_json(match)):
                line = damaged_line(log, entries, HALF)
            else:
                line = match_line(entries[0], match)
            outline = outline_of(match)
        except BrokenChain as error:
            line = damaged_line(log, entries, phrase("damaged: entry {number}", number=error.number))
        except JournalError:
            line = damaged_line(log, entries, UNREADABLE)
        # A log that cannot be read has no head: it is read again each time.
        head = entries[-1].digest if entries else None
        start = (line.log, head, line.date, line.rules, *line.players, *line.score)
        texts = (line.result, line.event, line.winner, json.dumps(to_data(line.outcome)))
        row = [*start, line.games, int(line.over), *texts, int(line.imported)]
        query = f"INSERT OR REPLACE INTO matches ({_ROW}, checksum) VALUES ({', '.join('?' * 16)})"
        self._connection.execute(query, (*row, _checksum(row)))
        row = [log, head, json.dumps([[each.key, each.phases] for each in outline])]
        query = "INSERT OR REPLACE INTO outlines VALUES (?, ?, ?, ?)"
        self._connection.execute(query, (*row, _outline_checksum(row)))
        self._made[log], self._outlined[log] = line, outline
        return line


def listing(
    journal: Journal, chosen: MatchFilter | None = None, tell: Progress | None = None
) -> list[LoggedMatch]:
    """The chosen matches (None: all) in the journal, oldest first."""
    with Catalogue(journal) as catalogue:
        return catalogue.listing(chosen, tell)


def find_same(journal: Journal, match: MatchRecord, tell: Progress) -> str | None:
    """The id of the match in which the same people have played just the same already, whatever else is told
    of it; None where there is none. ``tell`` as in :meth:`Catalogue.listing`."""
    known = (match.rules, match.players, match.score, len(match.games))
    for line in listing(journal, tell=tell):
        if (line.rules, line.players, line.score, line.games) == known:
            with suppress(JournalError, EngineError):  # a damaged one is no other's equal
                if _played(read_match(journal, line.log)) == _played(match):
                    return line.log
    return None


def _played(match: MatchRecord) -> tuple[int, tuple[GameRecord, ...]]:
    """What every format tells of a match's games. The terms of money play some leave out, whether a match to
    one point is a Crawford game, and in which order two dice are named."""
    games = build.kept(match, remarks=False, time=True).games
    return match.terms.length, tuple(
        replace(game, crawford=False, actions=tuple(map(_sorted, game.actions))) for game in games
    )


def _sorted(action: Action) -> Action:
    if isinstance(action, Rolled) and action.side is not None:
        return replace(action, dice=tuple(sorted(action.dice)))
    return action


def _may_be_sound(error: Exception) -> bool:
    """Whether this error says nothing against the cache itself."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or is_away(error)


def _delete(path: Path) -> None:
    """Deletes a cache with what belongs to it: an old rollback journal would damage the next one."""
    for ending in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + ending).unlink()


def _opened(path: Path) -> sqlite3.Connection:
    """The cache at ``path``: an empty one where it has another form or is damaged; where the disk cannot be
    written, a copy of it in memory."""
    for _ in range(2):
        if path.exists() and not os.access(path, os.W_OK):
            return _copied(path)
        try:
            return _prepared(sqlite3.connect(path, timeout=5.0))
        except DAMAGED as error:
            if _may_be_sound(error):
                break
            _delete(path)
    return _copied(path)


def _copied(path: Path) -> sqlite3.Connection:
    """The cache in memory, empty where it cannot be read: replaying every match takes minutes."""
    memory = sqlite3.connect(":memory:")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as kept:
            kept.execute("BEGIN")
            kept.execute("PRAGMA user_version").fetchone()  # held now: a backup would wait without end
            kept.backup(memory)
        return _prepared(memory)
    except sqlite3.Error:
        memory.close()
        return _empty(path)


def _empty(_: Path) -> sqlite3.Connection:
    """None is kept: one in memory."""
    return _prepared(sqlite3.connect(":memory:"))


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")  # its checksum does not fit
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = OFF")  # what is lost is made again
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
            for table in ("matches", "outlines", "records"):
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            for table in _TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA user_version = {FORM}")
        connection.commit()
        connection.execute(f"SELECT {_ROW}, checksum FROM matches LIMIT 1").fetchone()
    except DAMAGED:
        connection.close()
        raise
    return connection


def _checksum(row: Sequence[Any]) -> bytes:
    """Of a row's values in the order of :data:`_ROW`. It finds damage, and an edit of one who does not know
    it; against who does, nothing but the list depends on the cache."""
    return hashlib.blake2b(repr(row).encode(), digest_size=8).digest()


def _outline_checksum(row: Sequence[Any]) -> bytes:
    """The same of an outline, which holds only for reviews of the present form."""
    return _checksum([*row, REVIEWS])


def _line(row: Sequence[Any]) -> LoggedMatch:
    log, _, date, rules, first, second, one, two, games, over, *rest, imported = row
    start = (log, date, rules, (first, second), (one, two), games, bool(over))
    result, event, winner, outcome = rest
    words = from_data(json.loads(outcome))
    return LoggedMatch(*start, result, event, winner, outcome=words, imported=bool(imported))
