"""The tournaments in the hub's database: nothing but their trails, which are only ever added to, and what
tables say of results that the director must decide.

Blocks, as all of :mod:`firmware.hub.store` does; raises StoreError where the database cannot be used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import Boolean, Column, Connection, Float, ForeignKey, Integer, Table, Text, insert, select

from firmware.errors import BadInput
from firmware.hub.schema import metadata
from firmware.hub.store import Store, StoreError
from firmware.hub.tournament.model import Tournament
from firmware.hub.tournament.trail import Done, fold, from_json, to_json
from firmware.utc import utc_now

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("event", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    comment="The tournaments of an event; what they are stands in their trails.",
)
trail = Table(
    "trail",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Float, nullable=False, comment="seconds since 1970, by the hub's clock"),
    Column("who", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("act", Text, nullable=False, comment="JSON, firmware.hub.tournament.trail"),
    comment="What was done to a tournament, in order. Never changed: undoing is an entry of its own.",
)
questions = Table(
    "questions",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("pairing", Text, primary_key=True),
    Column("table", Text, primary_key=True),
    Column("match", Text, primary_key=True),
    Column("said", Text, nullable=False, comment="the score; none that counts: an empty text"),
    Column("settled", Boolean, nullable=False, comment="whether the director has decided since"),
    comment="What tables say of results that are not as the director has them.",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A ``table`` says of its ``match`` what cannot be taken for the result of a ``pairing``: the score that
    it ``said``, "" where its journal is not sound. ``settled``: the director has decided since."""

    tournament: int
    pairing: str
    table: str
    match: str
    said: str
    settled: bool = False

    @property
    def where(self) -> tuple[int, str, str, str]:
        """What it is about."""
        return self.tournament, self.pairing, self.table, self.match


@dataclass(frozen=True, slots=True)
class KeptTournament:
    """A tournament with its trail. ``held`` is the hub's event that it belongs to."""

    id: int
    held: str
    trail: tuple[Done, ...]
    event: Tournament


def load(store: Store) -> list[KeptTournament]:
    """Every tournament in the database, of all events, the oldest first."""
    found: dict[int, list[Done]] = {}
    with store.begin() as connection:
        heads = connection.execute(select(tournaments).order_by(tournaments.c.id)).all()
        for row in connection.execute(select(trail).order_by(trail.c.tournament, trail.c.number)):
            try:
                done = Done(row.number, row.at, row.who, row.why, from_json(json.loads(row.act)))
            except (ValueError, BadInput) as error:
                where = f"tournament {row.tournament}, entry {row.number} of its trail"
                raise StoreError(f"{where} cannot be read: {error}") from error
            found.setdefault(row.tournament, []).append(done)
    kept = []
    for head in heads:
        entries = tuple(found.get(head.id, ()))
        try:
            kept.append(KeptTournament(head.id, head.event, entries, fold(entries)))
        except BadInput as error:
            raise StoreError(f"tournament {head.id} cannot be read: {error}") from error
    return kept


def make(store: Store, held: str, first: Done) -> int:
    """Adds a tournament with the first entry of its trail; its id."""
    with store.begin() as connection:
        made = connection.execute(insert(tournaments).values(event=held, made_at=utc_now()))
        (key,) = made.inserted_primary_key or (0,)
        connection.execute(insert(trail).values(_row(int(key), first)))
        return int(key)


def append(store: Store, tournament: int, made: Iterable[Done], settled: Iterable[Question] = ()) -> None:
    """Adds entries to a trail, all or none, by which these are ``settled``. Raises StoreError, too, where
    somebody else has added one of these numbers."""
    with store.begin() as connection:
        for done in made:
            connection.execute(insert(trail).values(_row(tournament, done)))
        for each in settled:
            _put(connection, each)


def load_questions(store: Store) -> list[Question]:
    """All of them."""
    with store.begin() as connection:
        return [Question(**row._mapping) for row in connection.execute(select(questions))]


def keep_question(store: Store, asked: Question, gone: Iterable[Question] = ()) -> None:
    """Keeps it in the place of one about the same, and forgets those that are ``gone``."""
    with store.begin() as connection:
        for each in gone:
            _forget(connection, each)
        _put(connection, asked)


def _put(connection: Connection, asked: Question) -> None:
    _forget(connection, asked)
    connection.execute(insert(questions).values(asdict(asked)))


def _forget(connection: Connection, asked: Question) -> None:
    same = zip(questions.primary_key, asked.where, strict=True)
    connection.execute(questions.delete().where(*(column == value for column, value in same)))


def _row(tournament: int, done: Done) -> dict[str, object]:
    return {
        "tournament": tournament,
        "number": done.number,
        "at": done.at,
        "who": done.who,
        "why": done.why,
        "act": json.dumps(to_json(done.act), separators=(",", ":")),
    }
