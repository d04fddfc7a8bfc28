"""The hub's pages: their files, and everything behind them, hung on the hub's application.

    GET /             draw, standings, live boards, players: for everybody
    GET /wall         all boards, what needs attention first; /wall?table=NAME one of them, &clear an overlay
    GET /director     the director's console
    GET /static/…     scripts and styles; the boards are drawn by those of a table's own page

The pages fetch nothing from elsewhere; their answers bear the same headers as a table's page.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response

from firmware.hub.app import make_app
from firmware.hub.hub import Hub
from firmware.hub.office.desk import Desk
from firmware.hub.page import console, public
from firmware.hub.page.broadcast import Broadcast
from firmware.hub.page.public import Public
from firmware.page import access, assets, refusal
from firmware.page.access import Keeper
from firmware.page.assets import Assets
from firmware.page.connection_limit import LimitedSocket
from firmware.page.hardened import Hardened
from firmware.settings.reach import Reach, neighbour

STATIC = Path(__file__).parent / "static"
COOKIE = "barpoint-hub"
"""A table's page on the same machine has a cookie of its own."""
ROOM = 20_000
"""Connections to a hub's page at once: its spectators have one each."""
OPENED = 2000
"""Connections that may open in a second: after a break all spectators come back at once; a page that loads
opens six."""
OWN_FILES = 1000
"""Files that the hub itself may have open: the database, the broker, what comes in."""
PAGES = {"/": "club.html", "/wall": "wall.html", "/director": "console.html"}


@asynccontextmanager
async def opened(hub: Hub, folder: Path, reach: Reach, door: LimitedSocket) -> AsyncIterator[FastAPI]:
    """The hub's whole application while the block runs; ``folder`` keeps the PIN, ``door`` is the socket that
    lets people in. Raises BadInput, StoreError."""
    widen(door, reach)
    desk = Desk(hub)
    await desk.open()
    app = make_app(hub)
    broadcast = add(app, hub, desk, access.keeper(folder, time.time), reach, door)
    works = {"results": desk.run, "wall": broadcast.run}
    tasks = [asyncio.create_task(hub.keep_going(name, work)) for name, work in works.items()]
    try:
        yield app
    finally:
        broadcast.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def widen(door: LimitedSocket, reach: Reach) -> None:
    """Makes room for a club's spectators: a table has it for its own alone. A proxy comes with everybody's
    connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ROOM + OWN_FILES if hard == resource.RLIM_INFINITY else min(hard, ROOM + OWN_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    door.limit.room = max(door.limit.room, most - OWN_FILES)
    door.limit.opened = OPENED
    door.limit.trusted = frozenset(neighbour(each) for each in reach.proxies)


def add(
    app: FastAPI,
    hub: Hub,
    desk: Desk,
    keeper: Keeper,
    reach: Reach | None = None,
    door: LimitedSocket | None = None,
) -> Broadcast:
    """Adds the pages; the broadcast that comes back is to be run (:meth:`Broadcast.run`), and so is the desk
    (:meth:`Desk.run`). ``keeper`` knows who may direct; ``reach`` is how the hub is found."""
    keeper.cookie = COOKIE
    own = assets.assets_of(assets.STATIC, STATIC)
    refusal.add(app, own.refused)
    broadcast = Broadcast(hub, desk, own.version)
    app.add_middleware(Hardened, reach=reach or Reach(), keeper=keeper, door=door)
    for path, name in PAGES.items():
        _add_page(app, own, path, name)

    @app.get(f"/static/{own.version}/{{name}}", include_in_schema=False)
    async def static(request: Request, name: str) -> Response:
        return own.file(name, "public, max-age=31536000, immutable", request)

    public.add(app, Public(hub, desk, broadcast, door))
    console.add(app, desk, keeper)
    return broadcast


def _add_page(app: FastAPI, own: Assets, path: str, name: str) -> None:
    @app.get(path, include_in_schema=False)
    async def page(request: Request) -> Response:
        return own.file(name, "no-cache", request)
