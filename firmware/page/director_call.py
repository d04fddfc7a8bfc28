"""A table's players call the director of their club, by its hub.

    GET  /api/director-call    whether the director is called: {"called": true}
    POST /api/director-call    {"called": true, "why": "…"}; false: nobody need come (needs the PIN)

Of a table that has joined no hub, ``called`` is null, and nobody can call.
"""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI, Request, Response

from firmware.page.access import Keeper
from firmware.page.acting import may, read_body, takes
from firmware.page.refusal import Refused, answer, answers, refuses

LONGEST = 200
"""Letters of a reason."""
CALLED = {"type": "object", "properties": {"called": {"type": ["boolean", "null"]}}, "required": ["called"]}
CALL = {
    "type": "object",
    "properties": {"called": {"type": "boolean"}, "why": {"type": "string", "maxLength": LONGEST}},
    "required": ["called"],
}

CallDirector = Callable[[bool, str], None]
"""Tells the hub that the director is called, and why, or is not any more."""


def add(app: FastAPI, keeper: Keeper | None, call: CallDirector | None) -> None:
    """Adds the routes; without ``keeper`` or ``call`` there is nobody to call."""
    called = None if call is None or keeper is None else False

    @app.get("/api/director-call", responses=answers(CALLED, "whether the director is called"))
    async def look() -> Response:
        """Whether the director is called."""
        return answer({"called": called})

    if call is None or keeper is None:
        return

    @app.post(
        "/api/director-call",
        openapi_extra=takes(CALL),
        status_code=204,
        responses=refuses(401, 403, 408, 413, 415, 422, 429),
    )
    async def change(request: Request) -> Response:
        """Calls the director, or says that nobody need come."""
        nonlocal called
        may(request, keeper)
        data = await read_body(request)
        wanted, why = data.get("called"), data.get("why", "")
        if type(wanted) is not bool or not isinstance(why, str) or len(why) > LONGEST:
            raise Refused(422, f"called must be true or false, why at most {LONGEST} letters")
        call(wanted, " ".join(why.split()))
        called = wanted
        return Response(status_code=204)
