"""The table's network, for the director.

GET  /api/network    how it stands (:meth:`firmware.network.service.NetworkService.status`); director only
POST /api/network    {"do": "scan" | "back"} or {"do": "join", "ssid": …, "password": …}; director only
GET  /hotspot.svg    while the hotspot is open: the QR code that lets a phone into it, for the director
                     and for the device's own screen (?screen=TOKEN)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response

from firmware.errors import BadInput
from firmware.page.access import DIRECTOR, Keeper
from firmware.page.acting import read_body, takes
from firmware.page.invitation import svg
from firmware.page.refusal import ACT_REFUSED, NOT_STORED, QR_CODE, Refused, answer, answers, refuses
from firmware.page.update_api import directs

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""Asks the network's program. Raises BadInput."""
MAY = ("scan", "back", "join")
DO: dict[str, Any] = {
    "type": "object",
    "properties": {
        "do": {"enum": list(MAY)},
        "ssid": {"type": "string"},
        "password": {"type": "string"},
    },
    "required": ["do"],
}
THING = {"type": "object"}
CODE = QR_CODE | {204: {"description": "the hotspot is not open"}}


def add(app: FastAPI, keeper: Keeper, ask: Ask) -> None:
    """Adds the routes."""

    async def asked(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return await ask(request)
        except BadInput as error:
            raise Refused(409, str(error)) from error

    @app.get("/api/network", responses=answers(THING, "how it stands") | refuses(401, 403, 409, 429))
    async def look(request: Request) -> Response:
        """How the table is connected."""
        directs(request, keeper)
        return answer(await asked({"do": "status"}))

    @app.post(
        "/api/network", openapi_extra=takes(DO), responses=answers(THING, "how it stands") | ACT_REFUSED
    )
    async def do(request: Request) -> Response:
        """Looks for networks, goes back to a known one, or joins another; the answer comes before it is
        done."""
        directs(request, keeper)
        data = await read_body(request)
        if data.get("do") not in MAY:
            raise Refused(422, "do must be scan, back or join")
        wanted: dict[str, Any] = {name: data[name] for name in DO["properties"] if name in data}
        return answer(await asked(wanted))

    @app.get("/hotspot.svg", responses=CODE)
    async def code(request: Request, screen: str = "") -> Response:
        """The QR code that lets a phone into the hotspot; nothing where it is not open, or for others."""
        director = keeper.role(request.cookies.get(keeper.cookie)) == DIRECTOR
        if not director and not keeper.shows(screen):
            return Response(status_code=204, headers=NOT_STORED)
        try:
            found = await ask({"do": "status"})
        except BadInput:
            found = {}
        if found.get("mode") != "hotspot":
            return Response(status_code=204, headers=NOT_STORED)
        return Response(svg(str(found["hotspot"]["code"])), media_type="image/svg+xml", headers=NOT_STORED)
