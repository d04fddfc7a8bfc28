"""Acting by the page: the routes that change something, and what is asked of whoever uses them.

    GET    /api/me     whether this browser may act, and whether there is anything to act on
    POST   /api/pin    {"pin": "123456"}: opens the door, by a cookie
    DELETE /api/pin    closes it
    POST   /api/act    an event of :mod:`engine.events` without its time: {"event": "press", "button": "roll", "side": "white"}

Another site cannot act through a visitor's browser: the cookie is ``SameSite=Strict``, bodies have to be ``application/json`` (which no
form can send), and a request that names another origin is turned away. Every refusal is ``{"reason": …}`` in words for people.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response

from engine.errors import EngineError
from engine.events import Choose, Condone, Correct, Event, Next, Press, Roll, from_json
from firmware.page.access import COOKIE, LASTS, Keeper, TooOften

Act: TypeAlias = Callable[[Event], Awaitable[str | None]]
"""Does an event at the table and says why it was refused, None where it was done. The event's time is 0: the table gives it its own, and
to *done* the picture that it has."""

PLAYERS_MAY = (Press, Roll, Choose, Condone, Correct, Next)
"""The events that players may cause; pictures, clocks and the dice's proofs are the device's own."""

LARGEST = 16 * 1024
"""Bytes of a request's body: the largest position takes about 3 kB."""


class Refused(Exception):
    """A request that is not granted."""

    def __init__(self, status: int, reason: str, wait: float = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.wait = wait


def answer(data: Any, status: int = 200) -> Response:
    """An answer as JSON in ASCII, so that no text can fail to be sent (half a surrogate pair, say)."""
    return Response(json.dumps(data), status, media_type="application/json", headers={"Cache-Control": "no-store"})


async def refused(request: Request, error: Exception) -> Response:
    """What a :class:`Refused` looks like."""
    assert isinstance(error, Refused)
    response = answer({"reason": str(error)}, error.status)
    if error.wait:
        response.headers["Retry-After"] = f"{error.wait:.0f}"
    return response


async def body(request: Request) -> dict[str, Any]:
    """The request's JSON object. Raises Refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "the body has to be application/json")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST:
            raise Refused(413, f"the body is larger than {LARGEST} bytes")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refused(422, "the body is not JSON") from error
    if not isinstance(found, dict):
        raise Refused(422, "the body is to be a JSON object")
    return found


def from_here(request: Request) -> None:
    """Raises Refused where another site's page asks."""
    origin = request.headers.get("origin")
    ours = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not ours or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "this was asked by a page of another site")


def who(request: Request) -> str:
    """Whose request this is, for rationing."""
    return request.client.host if request.client is not None else ""


def may(request: Request, keeper: Keeper) -> None:
    """Raises Refused unless the browser has shown the PIN, and has not acted too often."""
    from_here(request)
    if not keeper.knows(request.cookies.get(COOKIE)):
        raise Refused(401, "acting needs the table's PIN")
    try:
        keeper.acts(who(request))
    except TooOften as error:
        raise Refused(429, str(error), error.wait) from error


def _takes(**properties: Any) -> dict[str, Any]:
    """The OpenAPI description of a JSON body; bodies are read by hand to bound their size."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def add(app: FastAPI, keeper: Keeper | None, act: Act | None) -> None:
    """Adds the routes. Without a keeper nobody may act; without ``act`` there is nothing to act on."""
    app.add_exception_handler(Refused, refused)

    @app.get("/api/me")
    async def me(request: Request) -> Response:
        """Whether this browser may act (``may``), and whether acting is possible at all (``table``)."""
        known = keeper is not None and keeper.knows(request.cookies.get(COOKIE))
        return answer({"may": known, "table": keeper is not None and act is not None})

    if keeper is None:
        return

    @app.post("/api/pin", openapi_extra=_takes(pin={"type": "string"}), status_code=204)
    async def enter(request: Request) -> Response:
        """Opens the door to whoever knows the PIN."""
        from_here(request)
        pin = (await body(request)).get("pin")
        if not isinstance(pin, str):
            raise Refused(422, "pin is to be a text of six digits")
        try:
            cookie = keeper.enter(pin.strip(), who(request))
        except TooOften as error:
            raise Refused(429, str(error), error.wait) from error
        if cookie is None:
            raise Refused(403, "this is not the table's PIN")
        response = Response(status_code=204)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, cookie, max_age=int(LASTS), httponly=True, samesite="strict", secure=secure)
        return response

    @app.delete("/api/pin", status_code=204)
    async def leave(request: Request) -> Response:
        """Forgets this browser."""
        from_here(request)
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    if act is None:
        return

    @app.post("/api/act", openapi_extra=_takes(event={"enum": [kind.name for kind in PLAYERS_MAY]}), status_code=204)
    async def do(request: Request) -> Response:
        """Does an event at the table; 409 with the reason where the session refuses it."""
        may(request, keeper)
        data = await body(request)
        try:
            event = from_json(data | {"t": 0.0})
        except EngineError as error:
            raise Refused(422, str(error)) from error
        if not isinstance(event, PLAYERS_MAY) or (isinstance(event, Press) and event.evidence is not None):
            raise Refused(422, f"{event.name}: this is not for players to say")
        if isinstance(event, Roll) and event.number is not None:
            raise Refused(422, "roll.number: only the device numbers its dice")
        reason = await act(event)
        if reason is not None:
            raise Refused(409, reason)
        return Response(status_code=204)
