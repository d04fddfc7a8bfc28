"""What every request to a page goes through, whatever it asks for: whose page it is asked of, how often, in
which language, and how long its answer may wait to be taken."""

from __future__ import annotations

import asyncio
import time

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.messages import phrase
from firmware.languages.catalogue import catalogue
from firmware.languages.choice import of_request, reader
from firmware.page import acting
from firmware.page.access import Keeper
from firmware.page.connection_limit import LimitedSocket
from firmware.page.ration import Ration
from firmware.page.refusal import answer
from firmware.settings.reach import Reach, neighbour

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
        self._ration = Ration(600, 100)

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
            wait = (
                0.0 if self._plays(told) else self._ration.wait(neighbour(asker), time.monotonic(), PATIENCE)
            )
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
