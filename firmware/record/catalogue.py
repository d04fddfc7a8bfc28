"""The list of matches, quick at ten thousand of them: a cache beside the journal, ``archive.db``.

A line in it holds for the digest of the match's last entry; where the journal's is another, the match is
replayed and the line written anew. So the file may be deleted, lost or torn: it is made again from the
journal.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.outside import writable
from engine.position import Json
from engine.record import MatchRecord, Result
from engine.words import scored
from firmware.formats import jsonform
from firmware.record.archive import IMPORT, match_record
from firmware.record.journal import BrokenChain, Entry, Journal, JournalError

FILE = "archive.db"
FORM = 1
"""Version of the cache; another one is deleted and made anew."""

_TABLES = """
CREATE TABLE matches (log TEXT PRIMARY KEY, head BLOB, date TEXT, rules TEXT, first TEXT, second TEXT,
    score1 INTEGER, score2 INTEGER, games INTEGER, over INTEGER, result TEXT,
    event TEXT, winner TEXT) WITHOUT ROWID;
CREATE TABLE records (log TEXT PRIMARY KEY, head BLOB, match TEXT);
"""
HALF = "a text in it has half of a character"
WAY_OUT = "download it on the page, which replaces such text, or put it away there"

_LINE = "log, date, rules, first, second, score1, score2, games, over, result, event, winner"


@dataclass(frozen=True, slots=True)
class LoggedMatch:
    """One line of the list. ``date`` is UTC in ISO 8601, ``score`` in the order of the sides, ``result`` in
    words; ``over``: the last game has ended. ``winner`` names the player who is ahead, "" where nobody is."""

    log: str
    date: str
    rules: str
    players: tuple[str, str]
    score: tuple[int, int]
    games: int
    over: bool
    result: str
    event: str = ""
    winner: str = ""

    def to_json(self) -> Json:
        """The stable line of ``barpoint games --json``."""
        data = asdict(self)
        data.pop("winner")
        return {"id": data.pop("log")} | data | {"players": [*self.players], "score": [*self.score]}


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches: of a player, of an event, with a result or a winner (parts of the names, in upper or
    lower case), from a day and until a day (``2026-03-01``, its beginning, or a time in UTC; both included).
    Empty: any."""

    player: str = ""
    event: str = ""
    result: str = ""
    since: str = ""
    until: str = ""

    def __call__(self, logged: LoggedMatch) -> bool:
        """Whether this match is one of them."""
        return (
            any(self.player.casefold() in name.casefold() for name in logged.players)
            and self.event.casefold() in logged.event.casefold()
            and any(self.result.casefold() in text.casefold() for text in (logged.result, logged.winner))
            and (not self.since or logged.date[: len(self.since)] >= self.since)
            and (not self.until or logged.date[: len(self.until)] <= self.until)
        )


class Catalogue:
    """The matches of one journal, and their records."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._connection = _opened(journal.path.with_name(FILE))

    def close(self) -> None:
        """Closes the cache; the journal stays open."""
        self._connection.close()

    def __enter__(self) -> Catalogue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def listing(self, chosen: MatchFilter | None = None) -> list[LoggedMatch]:
        """The chosen matches (None: all), oldest first. One that cannot be replayed is listed as damaged."""
        heads = self._journal.last_digests()
        known = dict(self._connection.execute("SELECT log, head FROM matches"))
        stale = [log for log, head in heads.items() if known.get(log) != head]
        for log in stale:
            with self._connection:
                self._renew(log)
        lines = {row[0]: _line(row) for row in self._connection.execute(f"SELECT {_LINE} FROM matches")}
        return [lines[log] for log in heads if log in lines and (chosen is None or chosen(lines[log]))]

    def record(self, log: str) -> MatchRecord:
        """What was played in a match. Raises BrokenChain where an entry is damaged or missing."""
        head = self._journal.last_digest(log)
        query = "SELECT match FROM records WHERE log = ? AND head = ?"
        row = self._connection.execute(query, (log, head)).fetchone()
        if row is not None:
            return jsonform.read(row[0])
        with self._connection:
            found = self._renew(log)
        if isinstance(found, JournalError):
            raise found
        return found

    def _renew(self, log: str) -> MatchRecord | JournalError:
        """Writes a match's line anew; returns its record, or why there is none."""
        found: MatchRecord | JournalError
        entries: list[Entry] = []
        try:
            entries = self._journal.entries(log)
            found = match_record(entries)
            if not writable(jsonform.to_json(found)):
                found = BrokenChain(log, 0, f"{HALF}; {WAY_OUT}")
        except JournalError as error:
            found = error
        self._connection.execute("DELETE FROM records WHERE log = ?", (log,))
        if isinstance(found, MatchRecord):
            line = match_line(entries[0], found)
            text = json.dumps(jsonform.to_json(found), ensure_ascii=False, separators=(",", ":"))
            self._connection.execute("INSERT INTO records VALUES (?, ?, ?)", (log, entries[-1].digest, text))
        else:
            line = damaged_line(log, entries, found)
        start = (line.log, line.date, line.rules, *line.players, *line.score)
        values = (*start, line.games, line.over, line.result, line.event, line.winner)
        # A log that cannot be read has no head: it is read again each time.
        head = entries[-1].digest if entries else None
        query = f"INSERT OR REPLACE INTO matches (head, {_LINE}) VALUES ({', '.join('?' * 13)})"
        self._connection.execute(query, (head, *values))
        return found


def listing(journal: Journal, chosen: MatchFilter | None = None) -> list[LoggedMatch]:
    """The chosen matches (None: all) in the journal, oldest first."""
    with Catalogue(journal) as catalogue:
        return catalogue.listing(chosen)


def match_line(first: Entry, match: MatchRecord) -> LoggedMatch:
    """The line of a match whose log begins with this entry."""
    last = match.games[-1].result if match.games else None
    one, two = match.score
    ahead = "" if one == two else match.players[one < two]
    date = match.date if first.body.get("event") == IMPORT and match.date else first.at
    over, games, winner = last is not None, len(match.games), "" if last is None else ahead
    line = (first.game, date, match.rules, match.players, match.score, games, over)
    return LoggedMatch(*line, describe_result(last), match.event, winner)


def damaged_line(log: str, entries: list[Entry], error: JournalError) -> LoggedMatch:
    """The line of a log that cannot be replayed."""
    place = f"entry {error.number}" if isinstance(error, BrokenChain) else "unreadable"
    place += f", {HALF}; {WAY_OUT}" if HALF in str(error) else ""
    date, rules = (entries[0].at, str(entries[0].body.get("rules", "?"))) if entries else ("", "?")
    rules = rules if writable(rules) else "?"
    return LoggedMatch(log, date, rules, ("?", "?"), (0, 0), 0, False, f"damaged: {place}")


def describe_result(result: Result | None) -> str:
    """How a game ended, for people."""
    if result is None:
        return "unfinished"
    if result.winner is None:
        return f"tie, {result.kind}"
    return f"{result.winner} wins, {scored(result.kind, result.points)}"


def _opened(path: Path) -> sqlite3.Connection:
    """The cache at ``path``: an empty one where it has another form or is damaged, one in memory where the
    disk cannot be written."""
    for attempt in range(2):
        try:
            return _prepared(sqlite3.connect(path, timeout=5.0))
        except sqlite3.OperationalError:
            break
        except sqlite3.DatabaseError:
            if attempt == 0:
                path.unlink(missing_ok=True)
    return _prepared(sqlite3.connect(":memory:"))


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA synchronous = OFF")  # what is lost is made again
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
            for table in ("matches", "records"):
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _TABLES.split(";\n")[:-1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORM}")
        connection.commit()
        connection.execute("SELECT count(*) FROM matches").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _line(row: tuple[Any, ...]) -> LoggedMatch:
    log, date, rules, first, second, one, two, games, over, result, event, winner = row
    return LoggedMatch(
        log, date, rules, (first, second), (one, two), games, bool(over), result, event, winner
    )
