"""The hub's database: SQLite by default, PostgreSQL by one URL, both through SQLAlchemy Core.

Its tables stand in :mod:`firmware.hub.schema`. ::

    store = open_store("sqlite:////var/lib/barpoint-hub/hub.db")     # or postgresql+psycopg://hub@/hub
    with store.begin() as connection:                                # one transaction; any SQLAlchemy Core
        connection.execute(insert(players).values(name="Ada"))
    store.entries(board, match)                                      # a match's journal, as on the table

Everything here blocks: in the event loop use ``await hub.in_store(function, …)``, which runs it in the hub's
one database thread. What cannot be done because of the disk or the server raises StoreError.
"""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    and_,
    create_engine,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
    tuple_,
    update,
)
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from engine import strict_json
from engine.position import Json
from firmware.errors import BadInput
from firmware.hub.messages import Line
from firmware.hub.schema import SCHEMA, assignments, boards, comings, entries, facts, metadata, states
from firmware.record.chain import START, BrokenChain, Entry, Head
from firmware.utc import utc_now

MOST_ENTRIES, MOST_LETTERS = 200_000, 64_000_000
"""Of a match that is read; a long one has some thousand entries, with pictures' evidence some million
letters."""
ROOMS = ("firmware.hub.office.book",)
"""Modules that define tables of their own in :data:`firmware.hub.schema.metadata`."""


class StoreError(Exception):
    """The database cannot be read or written now; the message says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Board:
    """A table that may join, or has joined. ``id`` is its key in the database."""

    id: int
    event: str
    name: str
    serial: int
    joined_at: str | None = None
    proof: str | None = None
    removed_at: str | None = None


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that fits, on its way into the database."""

    board: int
    match: str
    line: Line


class Store:
    """The open database. From any thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: all of it is kept, or nothing. Raises StoreError."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(describe_error(error)) from error

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()

    def fact(self, name: str) -> str | None:
        """What is known under that name."""
        with self.begin() as connection:
            return connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()

    # -- boards

    def boards(self, event: str) -> list[Board]:
        """All tables of an event, those included that were removed."""
        with self.begin() as connection:
            rows = connection.execute(select(boards).where(boards.c.event == event).order_by(boards.c.id))
            return [_board(row) for row in rows]

    def board(self, event: str, name: str) -> Board | None:
        """The table of that name, whatever the case of its letters."""
        with self.begin() as connection:
            return _find(connection, event, name)

    def add_board(self, event: str, name: str) -> Board:
        """Adds a table, or one again that was removed, which then has a new code. Raises BadInput where there
        is one of that name."""
        with self.begin() as connection:
            found = _find(connection, event, name)
            if found is not None and found.removed_at is None:
                raise BadInput(
                    f"there is a table {found.name!r} already; choose another name, or give that one a new"
                    f" code with 'barpoint hub add-table --again {found.name!r}'"
                )
            if found is None:
                row = {
                    "event": event,
                    "name": name,
                    "folded": name.casefold(),
                    "serial": 1,
                    "added_at": utc_now(),
                }
                connection.execute(insert(boards).values(row))
            else:
                again = {"name": name, "serial": found.serial + 1, **_FRESH}
                _set(connection, found.id, **again)
            return _found(_find(connection, event, name))

    def renew_board(self, event: str, name: str) -> Board:
        """Gives a table a new code: its key is worth nothing any more. Raises BadInput where there is no
        such table."""
        with self.begin() as connection:
            found = _existing(connection, event, name)
            _set(connection, found.id, serial=found.serial + 1, **_FRESH)
            return _found(_find(connection, event, name))

    def remove_board(self, event: str, name: str) -> Board:
        """Takes a table's key away; what it sent is kept. Raises BadInput where there is none."""
        with self.begin() as connection:
            found = _existing(connection, event, name)
            _set(connection, found.id, removed_at=utc_now())
            return found

    def note_joined(self, board: Board, proof: str) -> Board | None:
        """A table has taken this code, and told its key; None where the code was worth nothing any more."""
        with self.begin() as connection:
            chosen = boards.c.id == board.id, boards.c.serial == board.serial, boards.c.joined_at.is_(None)
            done = connection.execute(update(boards).where(*chosen).values(joined_at=utc_now(), proof=proof))
            return _find(connection, board.event, board.name) if done.rowcount else None

    # -- entries

    def keep(self, new: Sequence[NewEntry]) -> None:
        """Writes entries that fit (:func:`firmware.hub.inbox.fit`), all or none; when this returns they are
        on the disk. Raises StoreError."""
        at = utc_now()
        rows = [
            {
                "board": each.board,
                "match": each.match,
                "number": each.line.number,
                "at": each.line.at,
                "body": each.line.body,
                "digest": bytes.fromhex(each.line.digest),
                "kept_at": at,
            }
            for each in new
        ]
        with self.begin() as connection:
            connection.execute(insert(entries), rows)

    def heads(self, board: int, matches: Iterable[str]) -> dict[str, Head]:
        """Where each of these matches of a table ends; :data:`firmware.record.chain.START` for one that is
        not known."""
        found = dict.fromkeys(matches, START)
        query = _ends(entries.c.board == board, entries.c.match.in_(list(found)))
        with self.begin() as connection:
            for _, match, number, digest in connection.execute(query):
                found[match] = Head(number, bytes(digest))
        return found

    def every_head(self, event: str) -> tuple[dict[str, dict[str, tuple[int, str]]], dict[str, int]]:
        """Where each match of each table ends, with its digest in hex; and how many entries of each table
        there are."""
        names = select(boards.c.id, boards.c.name).where(boards.c.event == event)
        count = select(entries.c.board, func.count()).group_by(entries.c.board)
        with self.begin() as connection:
            named = {row.id: row.name for row in connection.execute(names)}
            heads: dict[str, dict[str, tuple[int, str]]] = {name: {} for name in named.values()}
            for board, match, number, digest in connection.execute(_ends()):
                if board in named:
                    heads[named[board]][match] = (number, bytes(digest).hex())
            counts = {named[b]: n for b, n in connection.execute(count) if b in named}
        return heads, counts

    def digests(self, board: int, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], bytes]:
        """The digests of these entries of a table, each a match and a number."""
        one = entries.c.match, entries.c.number
        query = select(*one, entries.c.digest).where(entries.c.board == board, tuple_(*one).in_(places))
        with self.begin() as connection:
            return {(match, number): bytes(found) for match, number, found in connection.execute(query)}

    def matches(self, board: int) -> list[str]:
        """The ids of a table's matches, oldest first."""
        where = entries.c.board == board, entries.c.number == 0
        with self.begin() as connection:
            query = select(entries.c.match).where(*where).order_by(entries.c.at, entries.c.match)
            return [row[0] for row in connection.execute(query)]

    def entries(self, board: int, match: str) -> list[Entry]:
        """A match's journal, as on the table (:func:`firmware.record.archive.match_record` reads it); empty
        where there is none. Raises BrokenChain where it would fill the memory, and where an entry's text is
        none of a journal's: earlier releases took any."""
        where = entries.c.board == board, entries.c.match == match
        columns = entries.c.number, entries.c.at, entries.c.body, entries.c.digest
        size = select(func.count(), func.sum(func.length(entries.c.body))).where(*where)
        with self.begin() as connection:
            count, letters = connection.execute(size).one()
            if count > MOST_ENTRIES or (letters or 0) > MOST_LETTERS:
                raise BrokenChain(match, count - 1, "it is longer than any match, and was not read")
            rows = connection.execute(select(*columns).where(*where).order_by(entries.c.number)).all()
        return [
            Entry(match, number, at, _body(match, number, body), bytes(digest))
            for number, at, body, digest in rows
        ]

    # -- states, assignments, and who comes

    def keep_states(self, newest: Iterable[tuple[int, str]]) -> None:
        """Replaces the last states of boards, given as JSON text."""
        self._replace(states, [{"board": board, "at": utc_now(), "state": text} for board, text in newest])

    def keep_assignment(self, board: int, text: str) -> None:
        """Replaces what the director gave to a board."""
        self._replace(assignments, [{"board": board, "assignment": text}])

    def keep_coming(self, board: int, who: str) -> None:
        """Replaces who comes to a board that calls."""
        self._replace(comings, [{"board": board, "who": who}])

    def last_states(self) -> dict[int, str]:
        """The last state of each board."""
        with self.begin() as connection:
            rows = connection.execute(select(states.c.board, states.c.state))
            return {row.board: row.state for row in rows}

    def assignments(self) -> dict[int, str]:
        """What each board was given."""
        with self.begin() as connection:
            query = select(assignments.c.board, assignments.c.assignment)
            return {row.board: row.assignment for row in connection.execute(query)}

    def comings(self) -> dict[int, str]:
        """Who comes to each board."""
        with self.begin() as connection:
            return {row.board: row.who for row in connection.execute(select(comings))}

    def _replace(self, table: Table, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        with self.begin() as connection:
            connection.execute(table.delete().where(table.c.board.in_([row["board"] for row in rows])))
            connection.execute(insert(table), rows)


def open_store(url: str) -> Store:
    """Opens the database, and makes its tables where they are missing. Raises BadInput where the URL or the
    database cannot be used."""
    for room in ROOMS:
        importlib.import_module(room)
    try:
        # A PostgreSQL that was made without a language keeps bytes, and would give us bytes.
        plain = {"client_encoding": "utf8"} if make_url(url).get_backend_name() == "postgresql" else {}
        engine = create_engine(url, pool_pre_ping=True, connect_args=plain)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        hint = "write sqlite:////PATH or postgresql+psycopg://USER@HOST/NAME"
        raise BadInput(f"{_shown(url)} is no database: {describe_error(error)}; {hint}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    try:
        _prepare(engine)
    except IntegrityError:
        _prepare(engine)  # another program has made the tables just now
    except BadInput:
        engine.dispose()
        raise
    except SQLAlchemyError as error:
        engine.dispose()
        raise BadInput(f"cannot use the database {_shown(url)}: {describe_error(error)}") from error
    return Store(engine)


def _prepare(engine: Engine) -> None:
    with engine.begin() as connection:
        if inspect(connection).has_table("facts"):
            version = connection.execute(select(facts.c.value).where(facts.c.name == "schema")).scalar()
            if version is not None and int(version) > SCHEMA:
                why = f"has version {version}, this program knows versions up to {SCHEMA}"
                raise BadInput(f"the database {_shown(str(engine.url))} {why}; use the one that wrote it")
        metadata.create_all(connection)
        if connection.execute(select(facts.c.value).where(facts.c.name == "schema")).scalar() is None:
            made = [("schema", str(SCHEMA)), ("hub", secrets.token_hex(8))]
            connection.execute(insert(facts), [{"name": name, "value": value} for name, value in made])


def _set_up_sqlite(connection: Any, _: object) -> None:
    """When a transaction ends it is on the disk; readers do not wait for writers."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def describe_error(error: BaseException) -> str:
    """A database's complaint in one line, without the statement."""
    said = str(getattr(error, "orig", None) or error)
    return " ".join(said.split())[:300] or type(error).__name__


def _shown(url: str) -> str:
    """An URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return repr(url[:80])


_FRESH = {"joined_at": None, "proof": None, "removed_at": None}
"""What is written of a table that has a new code."""


def _ends(*which: ColumnElement[bool]) -> Select[Any]:
    """The last entry of each match: board, match, number and digest."""
    one = entries.c.board, entries.c.match
    last = select(*one, func.max(entries.c.number).label("number")).where(*which).group_by(*one).subquery()
    same = and_(*(entries.c[name] == last.c[name] for name in ("board", "match", "number")))
    return select(*one, entries.c.number, entries.c.digest).join(last, same)


def _body(match: str, number: int, text: str) -> Json:
    try:
        return strict_json.loads_object(text)
    except strict_json.BadJson as error:
        raise BrokenChain(match, number, f"it cannot be read: {error}") from error


def _find(connection: Connection, event: str, name: str) -> Board | None:
    where = boards.c.event == event, boards.c.folded == name.casefold()
    row = connection.execute(select(boards).where(*where)).first()
    return None if row is None else _board(row)


def _existing(connection: Connection, event: str, name: str) -> Board:
    found = _find(connection, event, name)
    if found is None or found.removed_at is not None:
        raise BadInput(f"there is no table {name!r}; 'barpoint hub tables' lists them")
    return found


def _found(board: Board | None) -> Board:
    assert board is not None
    return board


def _set(connection: Connection, board: int, **values: Any) -> None:
    connection.execute(update(boards).where(boards.c.id == board).values(**values))


def _board(row: Any) -> Board:
    return Board(row.id, row.event, row.name, row.serial, row.joined_at, row.proof, row.removed_at)
