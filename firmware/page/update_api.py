"""The director updates the table from its page.

GET  /device         the page for it
GET  /api/resting    {"resting": true}: no match is under way
GET  /api/update     how it stands (:meth:`firmware.updates.Updates.status`); director only
POST /api/update     {"do": "look" | "now" | "night" | "cancel"}; director only, *now* not during a match
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fastapi import FastAPI, Request, Response

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.page.access import DIRECTOR, Keeper
from firmware.page.acting import may, read_body, takes
from firmware.page.assets import Assets
from firmware.page.refusal import ACT_REFUSED, Refused, answer, answers, refuses
from firmware.updates import WORDS, Updates

DO = {"type": "object", "properties": {"do": {"enum": list(WORDS)}}, "required": ["do"]}
RESTING = {"type": "object", "properties": {"resting": {"type": "boolean"}}, "required": ["resting"]}


def directs(request: Request, keeper: Keeper) -> None:
    """Raises Refused unless this browser has shown the director's PIN, and does not ask too often."""
    may(request, keeper)
    if keeper.role(request.cookies.get(keeper.cookie)) != DIRECTOR:
        raise Refused(
            403, phrase("only the director does this; enter the director's PIN (barpoint pin --director)")
        )


def add(app: FastAPI, assets: Assets, keeper: Keeper, updates: Updates, playing: Callable[[], bool]) -> None:
    """Adds the routes. ``playing`` says whether a match is under way."""

    @app.get("/device", include_in_schema=False)
    async def page(request: Request) -> Response:
        return assets.file("device.html", "no-cache", request)

    @app.get("/api/resting", responses=answers(RESTING, "whether no match is under way"))
    async def resting() -> Response:
        """Whether no match is under way; root's updater asks that before it restarts the table."""
        return answer({"resting": not playing()})

    @app.get("/api/update", responses=answers({"type": "object"}, "how it stands") | refuses(401, 403, 429))
    async def look(request: Request) -> Response:
        """How the update stands."""
        directs(request, keeper)
        return answer(await asyncio.to_thread(updates.status) | {"playing": playing()})

    @app.post("/api/update", openapi_extra=takes(DO), status_code=204, responses=ACT_REFUSED)
    async def do(request: Request) -> Response:
        """Looks for a newer version, installs it now or at night, or not."""
        directs(request, keeper)
        word = (await read_body(request)).get("do")
        if word not in WORDS:
            raise Refused(422, f"do must be one of {', '.join(WORDS)}")
        if word == "now" and playing():
            raise Refused(409, phrase("a match is being played; finish it first, or choose the night"))
        try:
            await asyncio.to_thread(updates.ask, str(word))
        except BadInput as error:
            raise Refused(409, str(error)) from error
        return Response(status_code=204)
