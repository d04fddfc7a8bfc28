"""The hub as one file, and back: certificate, secret, PIN, and every table of the database as JSON lines.

It does not matter which database it came from: a backup of SQLite goes into PostgreSQL, and the other way.
With the certificate the tables know the hub again on another machine, wherever that is in the network.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import func, insert, select, text

from engine.strict_json import loads_object
from firmware.errors import BadInput
from firmware.files import replace_file, replacing
from firmware.hub.identity import check_own
from firmware.hub.schema import SCHEMA, facts, metadata
from firmware.hub.store import Store, StoreError
from firmware.page.access import FILE as PIN

FORM = "barpoint-hub-1"
"""What the first file in a backup says."""
OWN = ("hub-cert.pem", "hub-key.pem", "hub-secret", PIN)
MAY_LACK = (PIN,)
"""Files that a hub which has never run does not have, nor a backup of an earlier version."""
AT_ONCE = 1000
"""Rows that are written in one go."""
BROKEN = (
    *(OSError, StoreError, tarfile.TarError, KeyError, TypeError, ValueError, EOFError, zlib.error),
    RecursionError,  # of a link that leads to itself
)
"""What is raised of a file that is no backup, or a damaged one."""
PIECE = 1 << 20
"""Bytes that are unpacked at once to see whether a backup is whole."""


def back_up(store: Store, folder: Path, path: Path) -> int:
    """Writes a backup while the hub may run, all of one moment; the number of rows. Raises BadInput."""
    try:
        with replacing(path) as part:
            part.touch(mode=0o600)
            with tarfile.open(part, "w:gz") as archive, store.begin() as connection:
                one_moment = {"postgresql": "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"}
                connection.exec_driver_sql(one_moment.get(connection.dialect.name, "BEGIN"))
                _add(archive, "form", FORM.encode())
                for name in OWN:
                    if name in MAY_LACK and not (folder / name).exists():
                        continue
                    _add(archive, name, (folder / name).read_bytes())
                count = 0
                for table in metadata.sorted_tables:
                    lines = [json.dumps(_row(row._mapping)) for row in connection.execute(select(table))]
                    count += len(lines)
                    _add(archive, f"{table.name}.jsonl", "".join(f"{line}\n" for line in lines).encode())
        return count
    except (OSError, StoreError, tarfile.TarError) as error:
        said = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot back up to {path}: {said}") from error


def restore(store: Store, folder: Path, path: Path) -> int:
    """Puts a backup into an empty database and an empty folder; the number of rows. Raises BadInput, and
    nothing has changed."""
    count = 0
    try:
        _check_whole(path)
        with tarfile.open(path, "r:gz") as archive:
            if _read(archive, "form").decode() != FORM:
                raise BadInput(f"{path} is no backup of a hub that this program knows")
            there = archive.getnames()
            own = {name: _read(archive, name) for name in OWN if name in there or name not in MAY_LACK}
            check_own(*(own[name] for name in OWN if name not in MAY_LACK))
            with store.begin() as connection:
                for table in metadata.sorted_tables:
                    if (
                        table is not facts
                        and connection.execute(select(func.count()).select_from(table)).scalar()
                    ):
                        raise BadInput("there is a hub here already: name an empty --state and database")
                connection.execute(facts.delete())
                for table in metadata.sorted_tables:
                    rows = [_values(line) for line in _lines(archive, f"{table.name}.jsonl")]
                    _check_version(table.name, rows)
                    for begin in range(0, len(rows), AT_ONCE):
                        connection.execute(insert(table), rows[begin : begin + AT_ONCE])
                    count += len(rows)
                _count_on(connection)
                for name, content in own.items():
                    replace_file(folder / name, content, private=name != "hub-cert.pem")
        return count
    except BROKEN as error:
        said = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot restore from {path}: {said}") from error


def _check_whole(path: Path) -> None:
    """Reads a backup to its end, where the checksum of all of it stands: a tar stops before that, and takes
    a damaged heading for its end. Raises OSError, EOFError, zlib.error."""
    with gzip.open(path) as packed:
        while packed.read(PIECE):
            pass


def _check_version(name: str, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if name == facts.name and row["name"] == "schema" and int(row["value"]) > SCHEMA:
            raise BadInput("the backup is of a later version of this program; use that one")


def _count_on(connection: Any) -> None:
    """PostgreSQL goes on counting after the ids that were written."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        if "id" in table.c:
            highest = f"(SELECT COALESCE(MAX(id), 0) + 1 FROM {table.name})"
            sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
            connection.execute(text(f"SELECT setval({sequence}, {highest}, false)"))


def _row(row: Any) -> dict[str, Any]:
    return {
        name: {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in row.items()
    }


def _values(line: bytes) -> dict[str, Any]:
    return {
        name: base64.b64decode(str(value["bytes"])) if isinstance(value, dict) and "bytes" in value else value
        for name, value in loads_object(line.decode()).items()
    }


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    about = tarfile.TarInfo(name)
    about.size, about.mode = len(content), 0o600
    archive.addfile(about, io.BytesIO(content))


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise BadInput(f"the backup has no {name}")
    return file.read()


def _lines(archive: tarfile.TarFile, name: str) -> Iterator[bytes]:
    with suppress(KeyError):  # a table that a later version has brought
        yield from _read(archive, name).splitlines()
