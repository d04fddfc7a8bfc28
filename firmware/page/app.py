"""The page's routes. Everybody may look; what changes the table is in :mod:`firmware.page.acting`.

    GET /                     the page
    GET /tv                   the same for a big screen; /tv?clear has no background, for an overlay
    GET /setup                the page on which the table is set up (firmware.page.setup)
    GET /static/…             its script and style
    GET /api/state            the newest state, JSON
    GET /api/events           the same, as server-sent events, for as long as one listens
    GET /camera.jpg           the newest camera picture with the reading drawn over it
    GET /doubt.jpg            the part of it that an unsure judgement is about, for those who may act
    GET /api/invitation       where the page is found, and how to act, for whom that may be shown to
    GET /invitation.svg       the same as a QR code

Nothing is ever fetched from elsewhere, and the browser is told to hold us to it (Content-Security-Policy).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware.page import acting, assets, invitation, refusal, setup, shelf
from firmware.page.access import Keeper
from firmware.page.acting import Act
from firmware.page.assets import Assets
from firmware.page.crowd import Pace
from firmware.page.reach import Reach, neighbour
from firmware.page.refusal import Described, answer, answers, refuses
from firmware.page.stream import Hub, events
from firmware.setup.desk import Desk

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

Picture = Callable[[], bytes | None]
"""Gives the newest camera picture as a JPEG, or None before the first one. May take a few milliseconds of
computing."""

Closeup = Callable[[Collection[str]], bytes | None]
"""Gives the part of it in which some cells are, None where they are not in it."""

FRESH = 0.2
"""Seconds for which one drawing of the picture does for everybody who asks."""


class Hardened:
    """Adds :data:`HEADERS` to every answer, answers only to the table's names, and lets those wait who ask
    too often. Plain ASGI, so that a stream goes through it piece by piece."""

    def __init__(self, app: ASGIApp, reach: Reach) -> None:
        self._app = app
        self._reach = reach
        self._pace = Pace(600, 100)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, and its answer back with the headers."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif not self._reach.answers_to(Headers(scope=scope).get("host", "")):
            reason = "the page does not answer to this name; [page] names in the configuration lists others"
            await answer({"reason": reason}, 421)(scope, receive, dressed)
        else:
            wait = self._pace.wait(neighbour((scope.get("client") or ("",))[0]), time.monotonic())
            if wait:
                await asyncio.sleep(wait)
            await self._app(scope, receive, dressed)


class Darkroom:
    """The camera's picture, drawn once for all who ask for it at the same time."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._lock = asyncio.Lock()
        self._drawn: bytes | None = None
        self._since = float("-inf")

    async def newest(self) -> bytes | None:
        """The newest picture as a JPEG, None before the first."""
        async with self._lock:
            if self._drawn is None or time.monotonic() - self._since > FRESH:
                self._drawn = await asyncio.to_thread(
                    self._picture
                )  # drawing and encoding do not hold up the loop
                self._since = time.monotonic()
            return self._drawn

    async def part(self, picture: Picture) -> bytes | None:
        """Another picture, in turn."""
        async with self._lock:
            return await asyncio.to_thread(picture)


def application(
    hub: Hub,
    picture: Picture,
    keeper: Keeper | None = None,
    act: Act | None = None,
    archive: Path | None = None,
    reach: Reach | None = None,
    closeup: Closeup | None = None,
    desk: Desk | None = None,
) -> FastAPI:
    """The web application for one table. Whom ``keeper`` knows may ``act``; without these the page only
    shows. ``archive`` is the state directory whose matches may be looked through; ``reach`` says how the page
    is found; ``desk`` is where the table is set up."""
    app = FastAPI(title="Barpoint", docs_url=None, redoc_url=None, responses=refuses(421))
    reach = reach or Reach()
    own = Assets()
    darkroom = Darkroom(picture)

    refusal.add(app, own.refused)
    app.add_middleware(Hardened, reach=reach)
    assets.add(app, own)

    @app.get("/api/state", responses=answers({"type": "object"}, "the newest state of the table"))
    async def state(request: Request) -> Response:
        """The newest state of the table; those who may act get more of it."""
        text = hub.text(acting.knows(keeper, request))
        return Response(text, media_type="application/json", headers={"Cache-Control": "no-store"})

    @app.get(
        "/api/events",
        responses={200: {"description": "a stream without end", "content": {"text/event-stream": {}}}},
    )
    async def stream(request: Request) -> StreamingResponse:
        """The newest state now, and again whenever it changes (server-sent events)."""
        body = events(hub, own.version, acting.knows(keeper, request))
        return StreamingResponse(body, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    jpeg: Described = {
        200: {"description": "the picture", "content": {"image/jpeg": {}}},
        204: {"description": "no picture yet"},
    }

    @app.get("/camera.jpg", responses=jpeg)
    async def camera() -> Response:
        """The newest camera picture with the reading drawn over it."""
        data = await darkroom.newest()
        if data is None:
            return Response(status_code=204)
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @app.get("/doubt.jpg", responses=jpeg | refuses(401, 403, 429))
    async def doubt(request: Request) -> Response:
        """The part of the newest picture that the last judgement is about."""
        if keeper is not None:
            acting.may(request, keeper)
        data = None if closeup is None else await darkroom.part(lambda: closeup(hub.cells))
        if data is None:
            return Response(status_code=204)
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    acting.add(app, keeper, act)
    invitation.add(app, keeper if act is not None else None, reach)
    if archive is not None:
        shelf.add(app, shelf.Shelf(archive), keeper)
    if desk is not None and keeper is not None and archive is not None:
        setup.add(app, desk, keeper, shelf.Shelf(archive))
    return app
