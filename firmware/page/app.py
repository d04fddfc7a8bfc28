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
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from firmware.languages.choice import reader
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
from firmware.page.assets import Assets
from firmware.page.connection_limit import ROOM, LimitedSocket
from firmware.page.hardened import LINE, Hardened
from firmware.page.places import Places
from firmware.page.refusal import JPEG, NOT_STORED, answers, jpeg_answer, refuses
from firmware.page.stream import Feed, events, glance, never
from firmware.page.table_page import Picture, TablePage

FRESH = 0.2
"""Seconds for which everybody gets the same drawing of the picture."""


class Stands:
    """Where those stand who follow the table: the players at its side, the others in places of their own."""

    def __init__(self, feed: Feed, version: str, keeper: Keeper | None, door: LimitedSocket | None) -> None:
        room = ROOM if door is None else door.limit.room
        self._feed = feed
        self._version = version
        self._keeper = keeper
        self._door = door
        self._players = Places(max(1, room // 12))
        self._viewers = Places(max(1, room * 2 // 3))

    async def news(self, request: Request) -> AsyncGenerator[str, None]:
        """The stream for this request: all the news for those who have a place, else a glance."""
        line, who = request.scope[LINE], acting.who(request)
        player: Callable[[], bool] = partial(acting.knows, self._keeper, request)
        feed = self._feed
        if feed.overlay is not None and "overlay" in request.query_params:
            feed, player = feed.overlay, never
        end = partial(self._end, line)
        for places in (self._players, self._viewers) if player() else (self._viewers,):
            place = places.enter(who, end)
            if place is not None:
                break
        else:
            async for each in glance(feed, self._version, reader.get()):
                yield each
            return
        try:
            self._follows(line, True)
            async with aclosing(events(feed, self._version, player, reader.get())) as following:
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


def application(page: TablePage, door: LimitedSocket | None = None) -> FastAPI:
    """The web application for one table's page. ``door`` is the socket that lets people in."""
    feed, keeper, archive = page.feed, page.keeper, page.archive
    app = FastAPI(title="Barpoint", docs_url=None, redoc_url=None, responses=refuses(421, 429))
    own = assets.assets_of()
    refusal.add(app, own.refused)
    app.add_middleware(Hardened, reach=page.reach, keeper=keeper, door=door, language=page.language)
    assets.add(app, own, lambda: feed.text(False, reader.get()))
    look.add(app, page.board)
    stands = Stands(feed, own.version, keeper, door)

    @app.get("/api/state", responses=answers({"type": "object"}, "the newest state of the table"))
    async def state(request: Request) -> Response:
        """The newest state of the table; those who may act get more of it."""
        text = feed.text(acting.knows(keeper, request), reader.get())
        return Response(text, media_type="application/json", headers=NOT_STORED)

    @app.get(
        "/api/events",
        responses={200: {"description": "a stream without end", "content": {"text/event-stream": {}}}},
    )
    async def stream(request: Request) -> StreamingResponse:
        """The newest state now, and again whenever it changes (server-sent events)."""
        return StreamingResponse(stands.news(request), media_type="text/event-stream", headers=NOT_STORED)

    _add_pictures(app, page)
    acting.add(app, keeper, page.act, lambda: feed.names, lambda: feed.roller)
    invitation.add(app, keeper if page.act is not None else None, page.reach)
    key_page.add(app, own, archive)
    if archive is not None:
        archive_api.add(app, archive_api.Archive(archive), keeper)
        history_api.add(app, own, archive_api.Archive(archive))
        review_api.add(app, own, archive_api.Archive(archive), keeper, page.reviewing)
    director_call.add(app, keeper, page.calls)
    if keeper is not None:
        _add_keepers(app, own, page, keeper)
    return app


def _add_keepers(app: FastAPI, own: Assets, page: TablePage, keeper: Keeper) -> None:
    """What is only there for those whom the keeper knows."""
    if page.upkeep is not None:
        update_api.add(app, own, keeper, page.upkeep.updates, page.upkeep.playing)
        network_api.add(app, keeper, page.upkeep.network)
    if page.coach is not None:
        best_api.add(app, own, page.coach, keeper)
    if page.setup is not None and page.archive is not None:
        setup_api.add(app, page.setup, keeper, archive_api.Archive(page.archive))


def _add_pictures(app: FastAPI, page: TablePage) -> None:
    darkroom, closeup = Darkroom(page.picture), page.closeup

    @app.get("/camera.jpg", responses=JPEG)
    async def camera() -> Response:
        """The newest camera picture with the reading drawn over it."""
        return jpeg_answer(await darkroom.newest())

    @app.get("/doubt.jpg", responses=JPEG | refuses(401, 403, 429))
    async def doubt(request: Request) -> Response:
        """The part of the newest picture that the last judgement is about."""
        if page.keeper is not None:
            acting.may(request, page.keeper)
        return jpeg_answer(None if closeup is None else await darkroom.part(lambda: closeup(page.feed.cells)))
