"""The tables of the hub's database, in SQLAlchemy Core.

:data:`metadata` holds all of them; a part of the hub that keeps something of its own (the tournament) defines
its tables in it, in a module that :func:`firmware.hub.store.open_store` imports, so they are made, backed up
and restored with the rest.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint

SCHEMA = 1
"""Version of the tables that this program makes. A database of a later one is refused."""

metadata = MetaData()
"""Every table of the hub's database."""

facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    comment="What is known of the hub itself: schema, hub (its id).",
)
boards = Table(
    "boards",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("event", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, comment="the name in small letters: no two are the same"),
    Column("serial", Integer, nullable=False, comment="counts the codes given; the last one counts"),
    Column("added_at", Text, nullable=False),
    Column("joined_at", Text, comment="when a table took the code; none yet: NULL"),
    Column("proof", Text, comment="what tells its key: 'iterations salt hash', PBKDF2 with SHA-512"),
    Column("removed_at", Text, comment="when its key was taken away; what it sent is kept"),
    UniqueConstraint("event", "folded"),
    comment="The tables that may join.",
)
entries = Table(
    "entries",
    metadata,
    Column("board", ForeignKey("boards.id"), primary_key=True),
    Column("match", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
    Column("kept_at", Text, nullable=False, comment="by the hub's clock"),
    comment="The tables' journals, entry by entry, as on the table.",
)
states = Table(
    "states",
    metadata,
    Column("board", ForeignKey("boards.id"), primary_key=True),
    Column("at", Text, nullable=False),
    Column("state", Text, nullable=False),
    comment="The last state of each table, for a wall after a restart.",
)
assignments = Table(
    "assignments",
    metadata,
    Column("board", ForeignKey("boards.id"), primary_key=True),
    Column("assignment", Text, nullable=False),
    comment="What the director gave to each table (messages.Assignment).",
)
comings = Table(
    "comings",
    metadata,
    Column("board", ForeignKey("boards.id"), primary_key=True),
    Column("who", Text, nullable=False, comment="nobody: an empty text"),
    comment="The director who comes to a table that calls.",
)
