"""The hub's web application: FastAPI, to which the pages add their routers.

    app = make_app(hub)                    # the API below
    app.include_router(wall_router(hub))   # pages: firmware/hub/page

``GET /api/hub``, ``/api/tables``, ``/api/live`` (server-sent events), ``/api/tables/{name}/matches`` and
``/api/tables/{name}/matches/{match}`` are for everybody, and only tell. What needs the database is read and
replayed beside the hub's own work, one piece at a time (:mod:`firmware.page.work_queue`): nobody who looks on
keeps a table's entries from the disk.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from firmware.formats import jsonform
from firmware.hub.hub import Hub
from firmware.hub.live import TableNow
from firmware.hub.messages import good_name
from firmware.hub.replay import replay
from firmware.hub.store import Board, StoreError
from firmware.page.refusal import Refused
from firmware.page.work_queue import Breath, WorkQueue
from firmware.record.chain import BrokenChain

T = TypeVar("T")
NO_STORE = {"Cache-Control": "no-store"}


def make_app(hub: Hub) -> FastAPI:
    """The application for a hub that runs in the same event loop."""
    app = FastAPI(title="Barpoint hub", docs_url=None, redoc_url=None)

    @app.get("/api/hub")
    async def tell_hub() -> dict[str, Any]:
        """The hub itself."""
        tables = hub.live.tables()
        return {
            "event": hub.event,
            "hub": hub.id,
            "connected": hub.connected.is_set(),
            "tables": len(tables),
            "online": sum(each.online for each in tables),
            "followers": hub.live.followers,
            "received": hub.received,
            "kept": hub.kept,
            "troubles": hub.troubles,
        }

    @app.get("/api/tables")
    async def tell_tables() -> list[dict[str, Any]]:
        """All tables, without their boards."""
        return [table_json(each, board=False) for each in hub.live.tables()]

    @app.get("/api/live")
    async def follow() -> StreamingResponse:
        """All tables, then those that change, as server-sent events: a JSON list each."""
        return StreamingResponse(stream(hub), media_type="text/event-stream", headers=NO_STORE)

    _add_matches(app, hub)
    return app


def _add_matches(app: FastAPI, hub: Hub) -> None:
    """Adds what the tables have played."""
    queue = WorkQueue()

    async def read(request: Request, work: Callable[[Breath], T]) -> T:
        """What ``work`` reads, when it is its turn. Raises Refused."""
        try:
            return await queue.serve(request, request.url.path, work)
        except StoreError as error:
            raise Refused(503, f"the database cannot be read: {error}") from error

    def board_of(name: str) -> Board:
        found = hub.store.board(hub.event, name) if good_name(name) else None
        if found is None:
            raise Refused(404, f"there is no table {name[:80]!r}")
        return found

    @app.get("/api/heads")
    async def tell_heads(request: Request) -> dict[str, Any]:
        """Where each match of each table ends, [number, digest], and how many entries a table has."""
        heads, counts = await read(request, lambda _: hub.store.every_head(hub.event))
        return {"heads": heads, "counts": counts}

    @app.get("/api/tables/{name}/matches")
    async def tell_matches(request: Request, name: str) -> list[str]:
        """The ids of a table's matches, oldest first."""
        return await read(request, lambda _: hub.store.matches(board_of(name).id))

    @app.get("/api/tables/{name}/matches/{match}")
    async def tell_match(request: Request, name: str, match: str) -> Response:
        """What was played in a match, as ``barpoint export --format json`` writes it."""

        def written(breathe: Breath) -> str:
            board = board_of(name)
            entries = hub.store.entries(board.id, match) if match.isprintable() else []
            if not entries:
                raise Refused(404, f"table {board.name!r} has no match {match[:80]!r}")
            return json.dumps(jsonform.to_json(replay(match, entries, breathe)[0]))

        try:
            text = await read(request, written)
        except BrokenChain as error:
            raise Refused(422, f"what table {name!r} sent cannot be replayed: {error}") from error
        return Response(text, media_type="application/json", headers=NO_STORE)


async def stream(hub: Hub) -> AsyncGenerator[str, None]:
    """The tables as server-sent events."""
    async for tables in hub.live.follow():
        yield f"data: {tables_text(tables)}\n\n" if tables else ": still here\n\n"


def tables_text(tables: Iterable[TableNow]) -> str:
    """Tables as a JSON list."""
    return json.dumps([table_json(each) for each in tables], separators=(",", ":"), allow_nan=False)


def table_json(table: TableNow, board: bool = True) -> dict[str, Any]:
    """A table for others: with ``board``, all that it shows."""
    told = {
        "name": table.name,
        "joined": table.joined,
        "online": table.online,
        "match": table.match,
        "entry": table.entry,
        "age": round(table.age(), 2),
        "skew": table.skew,
        "program": table.program,
        "call": table.call.why if table.call is not None else None,
        "assignment": table.assignment.id if table.assignment is not None else None,
        "troubles": list(table.troubles),
        "conflict": table.conflict,
        "number": table.number,
    }
    return told | {"shows": table.shows} if board else told
