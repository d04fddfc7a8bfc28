"""The page's routes. Everybody may look; what changes the table is in :mod:`firmware.page.acting`.

    GET /                     the page
    GET /tv                   the same for a big screen; /tv?clear has no background, for an overlay
    GET /overlay              board, names, score and clock on nothing, for a stream
    GET /setup                the page on which the table is set up (firmware.page.setup_api)
    GET /static/…             its scripts and styles
    GET /look.css             the colours of the table's own board
    GET /api/state            the newest state, JSON
    GET /api/events           every new state, as server-sent events
    GET /camera.jpg           the newest camera picture with the reading drawn over it
    GET /doubt.jpg            the part of it that an unsure judgement is about, for those who may act
    GET /api/invitation       the page's address, and the PIN for those who may see it
    GET /invitation.svg       the same as a QR code
    GET /best, /history, /review    pages of their own (firmware.page.best_api, history_api, review_api)
    GET /key                  the public key that signs the matches; /api/key, /key.svg: the key alone

The page fetches nothing from elsewhere, and its Content-Security-Policy makes the browser refuse to.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from functools import partial
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.messages import phrase
from firmware.languages.catalogue import catalogue
from firmware.languages.choice import of_request, reader
from firmware.page import (
    acting,
    archive_api,
    assets,
    best_api,
    director_call,
    history_api,
    invitation,
    key_page,
    look,
    network_api,
    refusal,
    review_api,
    setup_api,
    update_api,
)
from firmware.page.access import Keeper
from firmware.page.acting import Act
from firmware.page.assets import Assets
from firmware.page.connection_limit import ROOM, LimitedSocket, Pace
from firmware.page.director_call import DirectorCalls
from firmware.page.places import Places
from firmware.page.refusal import JPEG, NOT_STORED, answer, answers, jpeg_answer, refuses
from firmware.page.stream import Hub, events, glance, never
from firmware.page.upkeep import Upkeep
from firmware.settings.reach import Reach, neighbour
from firmware.setup.setup_session import SetupSession
from firmware.table.coach import Coach

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

Picture = Callable[[], bytes | None]
"""Gives the newest camera picture as a JPEG, or None before the first one. Takes some milliseconds."""

Closeup = Callable[[Collection[str]], bytes | None]
"""Gives the part of it that shows some cells, None where it shows none of them."""

FRESH = 0.2
"""Seconds for which everybody gets the same drawing of the picture."""


DEAF = 30.0
"""Seconds in which a client must take what it is sent; then its connection is ended."""
PATIENCE = 10.0
"""Seconds that a request may have to wait for its turn; beyond that it is refused."""
LINE = "barpoint.line"
"""The key, in a request's scope, of the address that its connection comes from."""


class Hardened:
    """Adds :data:`HEADERS` to every answer, answers only to the table's names, lets go of those who do not
    take their answer, and slows down those who ask too often, unless they may act. Plain ASGI, so that a
    stream goes through it piece by piece."""

    def __init__(
        self,
        app: ASGIApp,
        reach: Reach,
        keeper: Keeper | None,
        door: LimitedSocket | None,
        language: str = "",
    ) -> None:
        self._app = app
        self._reach = reach
        self._keeper = keeper
        self._door = door
        self._language = language
        self._pace = Pace(600, 100)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, and its answer back with the headers."""
        line = scope.get("client") or ("", 0)
        if scope["type"] == "http":
            await self._hear(scope)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            if self._door is None:
                await send(message)
                return
            timer = asyncio.get_running_loop().call_later(DEAF, self._door.end, line)
            try:
                await send(message)
            finally:
                timer.cancel()

        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif not self._reach.answers_to(Headers(scope=scope).get("host", "")):
            reason = phrase(
                "the page does not answer to this name; add it to names under [page] in the configuration"
            )
            await answer({"reason": reason}, 421)(scope, receive, dressed)
        else:
            forwarded = Headers(scope=scope).getlist("x-forwarded-for")
            asker = self._reach.asker(line[0], forwarded)
            told = {**scope, "client": (asker, 0), LINE: line}
            wait = 0.0 if self._plays(told) else self._pace.wait(neighbour(asker), time.monotonic(), PATIENCE)
            if wait > PATIENCE:
                busy = answer({"reason": phrase("too many requests from your address; wait a little")}, 429)
                busy.headers["Retry-After"] = f"{PATIENCE:.0f}"
                await busy(scope, receive, dressed)
                return
            if wait:
                await asyncio.sleep(wait)
            await self._app(told, receive, dressed)

    async def _hear(self, scope: Scope) -> None:
        """Which language the reader wants. A page is in the table's own unless another was chosen; programs
        that ask for none get English."""
        headers = Headers(scope=scope)
        usual = self._language if "text/html" in headers.get("accept", "") else ""
        language = of_request(headers, scope.get("query_string", b"").decode("latin-1"), usual)
        await asyncio.to_thread(catalogue, language)  # its file is read for the first who wants it
        reader.set(language)

    def _plays(self, scope: Scope) -> bool:
        """Whether somebody asks who may act; the address counts as a player's then."""
        if self._keeper is None or not acting.knows(self._keeper, Request(scope)):
            return False
        if self._door is not None:
            self._door.limit.vouch(neighbour(scope[LINE][0]), time.monotonic())
        return True


class Stands:
    """Where those stand who follow the table: the players at its side, the others in places of their own."""

    def __init__(self, hub: Hub, version: str, keeper: Keeper | None, door: LimitedSocket | None) -> None:
        room = ROOM if door is None else door.limit.room
        self._hub = hub
        self._version = version
        self._keeper = keeper
        self._door = door
        self._players = Places(max(1, room // 12))
        self._viewers = Places(max(1, room * 2 // 3))

    async def news(self, request: Request) -> AsyncGenerator[str, None]:
        """The stream for this request: all the news for those who have a place, else a glance."""
        line, who = request.scope[LINE], acting.who(request)
        player: Callable[[], bool] = partial(acting.knows, self._keeper, request)
        hub = self._hub
        if hub.overlay is not None and "overlay" in request.query_params:
            hub, player = hub.overlay, never
        end = partial(self._end, line)
        for places in (self._players, self._viewers) if player() else (self._viewers,):
            place = places.enter(who, end)
            if place is not None:
                break
        else:
            async for each in glance(hub, self._version, reader.get()):
                yield each
            return
        try:
            self._follows(line, True)
            async with aclosing(events(hub, self._version, player, reader.get())) as following:
                async for each in following:
                    yield each
        finally:
            places.leave(place)
            self._follows(line, False)

    def _end(self, line: tuple[str, int]) -> None:
        if self._door is not None:
            self._door.end(line)

    def _follows(self, line: tuple[str, int], follows: bool) -> None:
        if self._door is not None:
            self._door.follows(line, follows)


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
                self._drawn = await asyncio.to_thread(self._picture)  # the loop does not wait for it
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
    setup: SetupSession | None = None,
    door: LimitedSocket | None = None,
    coach: Coach | None = None,
    calls: DirectorCalls | None = None,
    board: look.Look | None = None,
    upkeep: Upkeep | None = None,
    reviewing: review_api.Reviewing | None = None,
    language: str = "",
) -> FastAPI:
    """The web application for one table. Whoever the ``keeper`` knows may ``act``; without these the page
    only shows. ``archive`` is the state directory whose matches can be looked through; ``reach`` says how the
    page is found; ``setup`` is where the table is set up; ``coach`` tells what is best; ``door`` is the
    socket that lets people in; ``calls`` tells the director of the club, where the table belongs to one;
    ``board`` says what the board looks like; ``upkeep`` is what the director does to the device itself;
    ``reviewing`` makes reviews, and has the recorded pictures; ``language`` is the table's own, "" for the
    browser's."""
    app = FastAPI(title="Barpoint", docs_url=None, redoc_url=None, responses=refuses(421, 429))
    reach = reach or Reach()
    own = Assets()
    refusal.add(app, own.refused)
    app.add_middleware(Hardened, reach=reach, keeper=keeper, door=door, language=language)
    assets.add(app, own)
    look.add(app, board)
    stands = Stands(hub, own.version, keeper, door)

    @app.get("/api/state", responses=answers({"type": "object"}, "the newest state of the table"))
    async def state(request: Request) -> Response:
        """The newest state of the table; those who may act get more of it."""
        text = hub.text(acting.knows(keeper, request), reader.get())
        return Response(text, media_type="application/json", headers=NOT_STORED)

    @app.get(
        "/api/events",
        responses={200: {"description": "a stream without end", "content": {"text/event-stream": {}}}},
    )
    async def stream(request: Request) -> StreamingResponse:
        """The newest state now, and again whenever it changes (server-sent events)."""
        return StreamingResponse(stands.news(request), media_type="text/event-stream", headers=NOT_STORED)

    _add_pictures(app, hub, Darkroom(picture), keeper, closeup)
    acting.add(app, keeper, act, lambda: hub.names, lambda: hub.turn)
    invitation.add(app, keeper if act is not None else None, reach)
    key_page.add(app, own, archive)
    if archive is not None:
        archive_api.add(app, archive_api.Archive(archive), keeper)
        history_api.add(app, own, archive_api.Archive(archive))
        reviews = reviewing or review_api.Reviewing()
        review_api.add(app, own, archive_api.Archive(archive), keeper, reviews)
    director_call.add(app, keeper, calls)
    if upkeep is not None and keeper is not None:
        update_api.add(app, own, keeper, upkeep.updates, upkeep.playing)
        network_api.add(app, keeper, upkeep.network)
    if coach is not None and keeper is not None:
        best_api.add(app, own, coach, keeper)
    if setup is not None and keeper is not None and archive is not None:
        setup_api.add(app, setup, keeper, archive_api.Archive(archive))
    return app


def _add_pictures(
    app: FastAPI, hub: Hub, darkroom: Darkroom, keeper: Keeper | None, closeup: Closeup | None
) -> None:
    @app.get("/camera.jpg", responses=JPEG)
    async def camera() -> Response:
        """The newest camera picture with the reading drawn over it."""
        return jpeg_answer(await darkroom.newest())

    @app.get("/doubt.jpg", responses=JPEG | refuses(401, 403, 429))
    async def doubt(request: Request) -> Response:
        """The part of the newest picture that the last judgement is about."""
        if keeper is not None:
            acting.may(request, keeper)
        return jpeg_answer(None if closeup is None else await darkroom.part(lambda: closeup(hub.cells)))
