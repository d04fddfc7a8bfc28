"""Acting on the page: the routes that change something, and who may use them.

    GET    /api/me     whether this browser may act, in which role and seat, and whether there is anything to
                       act on
    POST   /api/seat   {"player": "Anna"}: this browser acts for that player from now on, and no other does
    DELETE /api/seat   it acts for whoever is there again
    POST   /api/pin    {"pin": "123456"}: lets this browser act, by a cookie
    DELETE /api/pin    forgets this browser
    POST   /api/act    an event of :mod:`engine.events` without its time:
                       {"event": "press", "button": "roll", "side": "white"}
                       with "seen", the number of the state shown, it is refused once there is another

Another site cannot act through a visitor's browser: the cookie is ``SameSite=Strict``, a body must be
``application/json`` (which no form can send), and a request that names another origin is refused. Every
refusal is ``{"reason": …}`` in words for people.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from fastapi import FastAPI, Request, Response

from engine import strict_json
from engine.errors import EngineError
from engine.event_json import from_outside
from engine.events import PAGE, Button, Choose, Condone, Correct, Event, Next, Pledge, Press, Roll, Seed
from engine.layout import Side
from engine.messages import phrase
from firmware.levels import level_of
from firmware.page.access import DIRECTOR, LASTS, Keeper
from firmware.page.refusal import ACT_REFUSED, Refused, answer, answers, refuses
from firmware.settings.reach import neighbour


class Act(Protocol):
    """Does an event at the table and says why it was refused, None where it was done. The event's time is 0:
    the table sets it, and gives *done* its newest picture. ``seen`` is the number of the state that the
    player saw, None where it does not matter."""

    def __call__(self, event: Event, seen: int | None = None) -> Awaitable[str | None]:
        """Does it."""


Players: TypeAlias = Callable[[], Mapping[Side, str]]
"""Who plays on which side now."""

PLAYERS_MAY = (Press, Roll, Choose, Condone, Correct, Next, Pledge, Seed)
"""The events that players may cause; pictures, clocks, commitments and secrets are the device's own."""

LARGEST = 16 * 1024
"""Bytes of a request's body: the largest position takes about 3 kB."""
PATIENCE = 10.0
"""Seconds that a body may take to come."""


async def read_body(request: Request, largest: int = LARGEST) -> dict[str, Any]:
    """The request's JSON object, of at most ``largest`` bytes. Raises Refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "the body must be application/json")
    data = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in request.stream():
                data += piece
                if len(data) > largest:
                    raise Refused(413, f"the body is larger than {largest} bytes")
        found = strict_json.loads(data.decode())
    except TimeoutError as error:
        raise Refused(408, "the body took too long to come") from error
    except UnicodeDecodeError as error:
        raise Refused(422, "the body is not UTF-8") from error
    except strict_json.BadJson as error:
        raise Refused(422, f"the body is not JSON that can be used: {error}") from error
    if not isinstance(found, dict):
        raise Refused(422, "the body must be a JSON object")
    return found


def from_here(request: Request) -> None:
    """Raises Refused where a page of another site asks."""
    origin = request.headers.get("origin")
    ours = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not ours or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, phrase("a page of another site asked for this"))


def who(request: Request) -> str:
    """Whose request this is, for rationing."""
    return neighbour(request.client.host) if request.client is not None else ""


def knows(keeper: Keeper | None, request: Request) -> bool:
    """Whether this browser has shown the PIN."""
    return keeper is not None and keeper.knows(request.cookies.get(keeper.cookie))


def may(request: Request, keeper: Keeper) -> None:
    """Raises Refused unless the browser has shown the PIN, and has not acted too often."""
    from_here(request)
    if not keeper.knows(request.cookies.get(keeper.cookie)):
        raise Refused(401, phrase("to act, enter the table's PIN"))
    keeper.acts(who(request))


TYPES: dict[str, dict[str, Any]] = {
    "int": {"type": "integer"},
    "str": {"type": "string"},
    "Side": {"type": "string"},
    "bool": {"type": "boolean"},
    "Dice": {"type": "array", "items": {"type": "integer"}},
    "Json": {"type": "object"},
    "Mapping[str, Any]": {"type": "object"},
    "tuple[int, int]": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    "Button": {"enum": [each.value for each in Button]},
}
"""JSON Schema for what the fields of events are annotated with."""

UNSAID = ("t", "actor", "evidence", "number", "read", "ended")
"""Fields that the device fills."""


def _schema(kind: type[Event]) -> dict[str, Any]:
    """An event as JSON Schema."""
    properties: dict[str, Any] = {"event": {"const": kind.name}, "seen": {"type": "integer"}}
    required = ["event"]
    for each in dataclasses.fields(kind):
        if each.name in UNSAID:
            continue
        name, _, optional = str(each.type).partition(" | ")
        properties[each.name] = {"anyOf": [TYPES[name], {"type": "null"}]} if optional else TYPES[name]
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            required.append(each.name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def takes(schema: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI description of a JSON body; :func:`read_body` bounds its size."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


PIN = {"type": "object", "properties": {"pin": {"type": "string"}}, "required": ["pin"]}
SEAT = {"type": "object", "properties": {"player": {"type": "string"}}, "required": ["player"]}
ME = {
    "type": "object",
    "properties": {
        "may": {"type": "boolean"},
        "table": {"type": "boolean"},
        "role": {"enum": ["spectator", "player", "director"]},
        "seat": {"type": ["string", "null"]},
    },
    "required": ["may", "table"],
}


def add(
    app: FastAPI,
    keeper: Keeper | None,
    act: Act | None,
    players: Players = dict,
    roller: Callable[[], Side | None] = lambda: None,
) -> None:
    """Adds the routes. Without a keeper nobody may act; without ``act`` there is nothing to act on.
    ``players`` says who sits at the table, ``roller`` whose dice can fall."""

    @app.get(
        "/api/me",
        responses=answers(ME, "whether this browser may act, and whether there is a table to act at"),
    )
    async def me(request: Request) -> Response:
        """Whether this browser may act (``may``), as what (``role``) and for whom alone (``seat``), and
        whether there is a table to act at (``table``)."""
        cookie = None if keeper is None else request.cookies.get(keeper.cookie)
        role = None if keeper is None else keeper.role(cookie)
        seat = keeper.seat(cookie) if keeper is not None and role else None
        table = keeper is not None and act is not None
        return answer({"may": role is not None, "table": table, "role": role or "spectator", "seat": seat})

    if keeper is not None:
        add_door(app, keeper)
    if keeper is not None and act is not None:
        _add_seats(app, keeper, players)
        _add_act(app, keeper, act, players, roller)


def add_door(app: FastAPI, keeper: Keeper) -> None:
    """Adds the routes by which a browser shows the PIN, and is forgotten."""

    @app.post(
        "/api/pin", openapi_extra=takes(PIN), status_code=204, responses=refuses(403, 408, 413, 415, 422, 429)
    )
    async def enter(request: Request) -> Response:
        """Lets whoever knows the PIN, or has an invitation, act."""
        from_here(request)
        pin = (await read_body(request)).get("pin")
        if not isinstance(pin, str):
            raise Refused(422, "pin must be a text of six digits")
        cookie = keeper.enter(pin.strip(), who(request))
        if cookie is None:
            raise Refused(403, phrase("this is not the table's PIN"))
        response = Response(status_code=204)
        secure = request.url.scheme == "https"
        response.set_cookie(
            keeper.cookie, cookie, max_age=int(LASTS), httponly=True, samesite="strict", secure=secure
        )
        return response

    @app.delete("/api/pin", status_code=204, responses=refuses(403, 507))
    async def leave(request: Request) -> Response:
        """Forgets this browser; its cookie counts nowhere any more."""
        from_here(request)
        try:
            keeper.leave(request.cookies.get(keeper.cookie))
        except (OSError, ValueError) as error:
            raise Refused(507, phrase("the device cannot write it to its disk")) from error
        response = Response(status_code=204)
        secure = request.url.scheme == "https"
        response.delete_cookie(keeper.cookie, httponly=True, samesite="strict", secure=secure)
        return response


def _add_seats(app: FastAPI, keeper: Keeper, players: Players) -> None:
    @app.post("/api/seat", openapi_extra=takes(SEAT), status_code=204, responses=ACT_REFUSED)
    async def sit(request: Request) -> Response:
        """This browser acts for one player, and no other browser does."""
        may(request, keeper)
        player = (await read_body(request)).get("player")
        if not isinstance(player, str) or player not in players().values():
            raise Refused(422, "player must be the name of somebody who plays at this table")
        keeper.sit(request.cookies.get(keeper.cookie), player)
        return Response(status_code=204)

    @app.delete("/api/seat", status_code=204, responses=refuses(401, 403, 429))
    async def stand(request: Request) -> Response:
        """This browser acts for whoever is there again."""
        may(request, keeper)
        keeper.stand(request.cookies.get(keeper.cookie))
        return Response(status_code=204)


def _signed(event: Event, request: Request, keeper: Keeper, playing: Mapping[Side, str]) -> Event:
    """The event with who does it. Raises Refused where a phone without a seat acts for a player who has one
    of his own."""
    cookie = request.cookies.get(keeper.cookie)
    if keeper.role(cookie) == DIRECTOR:
        return dataclasses.replace(event, actor=DIRECTOR)
    seat = keeper.seat(cookie)
    own = next((side for side, name in playing.items() if name == seat), None)
    if own is not None:
        if isinstance(event, (Press, Choose)) and event.side is None:
            event = dataclasses.replace(event, side=own)
        helped = playing.get(getattr(event, "side", None) or "", "")
        # Whoever plays against the table moves its pieces too, and presses done for it.
        return dataclasses.replace(event, actor=own if level_of(helped) is None else PAGE)
    side = getattr(event, "side", None)
    taken = [name for name in playing.values() if keeper.seated(name)]
    whose = playing.get(side or "")
    if isinstance(event, Roll) and side is None and len(taken) == len(playing):
        whose = next(iter(taken), None)  # at the opening each throws a die: either's phone tells both
    if whose in taken:
        raise Refused(
            403, phrase("{player}'s own phone does that; sit down, if you are {player}", player=whose)
        )
    if isinstance(event, (Press, Choose)) and side is None and taken:
        raise Refused(403, phrase("say who does that (side): players have phones of their own"))
    return dataclasses.replace(event, actor=PAGE)


def _add_act(
    app: FastAPI, keeper: Keeper, act: Act, players: Players, roller: Callable[[], Side | None]
) -> None:
    events = {"oneOf": [_schema(kind) for kind in PLAYERS_MAY]}

    @app.post("/api/act", openapi_extra=takes(events), status_code=204, responses=ACT_REFUSED)
    async def do(request: Request) -> Response:
        """Does an event at the table; 409 with the reason where the session refuses it."""
        may(request, keeper)
        data = await read_body(request)
        seen = data.pop("seen", None)
        if seen is not None and type(seen) is not int:
            raise Refused(422, "seen must be the number of a state")
        try:
            event = from_outside(data | {"t": 0.0, "actor": ""})
        except EngineError as error:
            raise Refused(422, str(error)) from error
        if not isinstance(event, PLAYERS_MAY) or (isinstance(event, Press) and event.evidence is not None):
            raise Refused(422, f"{event.name}: players cannot do this")
        if isinstance(event, Roll) and event.number is not None:
            raise Refused(422, "roll.number: only the device numbers its dice")
        if isinstance(event, Roll) and event.read is not None:
            raise Refused(422, "roll.read: only the camera says how surely it read dice")
        if isinstance(event, Roll) and event.side is None:
            event = dataclasses.replace(event, side=roller())  # these dice are somebody's, but at the opening
        event = _signed(event, request, keeper, players())
        reason = await (act(event) if seen is None else act(event, seen))
        if reason is not None:
            raise Refused(409, reason)
        return Response(status_code=204)
