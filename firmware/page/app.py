"""The page's routes. Everybody may look; what changes the table is in :mod:`firmware.page.acting`.

    GET /                the page
    GET /tv              the same for a big screen; /tv?clear has no background, for an overlay
    GET /static/…        its script and style
    GET /api/state       the newest state, JSON
    GET /api/events      the same, as server-sent events, for as long as one listens
    GET /camera.jpg      the newest camera picture with the reading drawn over it

Nothing is ever fetched from elsewhere, and the browser is told to hold us to it (Content-Security-Policy).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware.page import acting, shelf
from firmware.page.access import Keeper
from firmware.page.acting import Act
from firmware.page.stream import Hub, events

STATIC = Path(__file__).parent / "static"

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Picture = Callable[[], bytes | None]
"""Gives the newest camera picture as a JPEG, or None before the first one. May take a few milliseconds of computing."""


class Hardened:
    """Adds :data:`HEADERS` to every answer. Plain ASGI, so that a stream goes through it piece by piece."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, and its answer back with the headers."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, dressed if scope["type"] == "http" else send)


def application(hub: Hub, picture: Picture, keeper: Keeper | None = None, act: Act | None = None, archive: Path | None = None) -> FastAPI:
    """The web application for one table. Whom ``keeper`` knows may ``act``; without these the page only shows.
    ``archive`` is the state directory whose matches may be looked through."""
    app = FastAPI(title="Barpoint", docs_url=None, redoc_url=None)

    app.add_middleware(Hardened)

    @app.get("/", include_in_schema=False)
    @app.get("/tv", include_in_schema=False)
    async def index() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    @app.get("/api/state")
    async def state() -> Response:
        """The newest state of the table."""
        return Response(hub.text, media_type="application/json", headers={"Cache-Control": "no-store"})

    @app.get("/api/events")
    async def stream() -> StreamingResponse:
        """The newest state now, and again whenever it changes (server-sent events)."""

        async def body() -> AsyncIterator[str]:
            async for piece in events(hub):
                yield piece

        return StreamingResponse(body(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    @app.get("/camera.jpg", responses={204: {"description": "no picture yet"}})
    def camera() -> Response:  # plain def: FastAPI runs it in a thread, drawing and encoding do not hold up the loop
        """The newest camera picture with the reading drawn over it."""
        data = picture()
        if data is None:
            return Response(status_code=204)
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    acting.add(app, keeper, act)
    if archive is not None:
        shelf.add(app, shelf.Shelf(archive), keeper)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app
