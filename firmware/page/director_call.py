"""A table's players call the director of their club, by its hub.

    GET  /api/director-call    is the director called, and who comes: {"called": true, "coming": "Ada"}
    POST /api/director-call    {"called": true, "why": "…"}; false: nobody need come (needs the PIN)

Of a table that has joined no hub, ``called`` is null, and nobody can call.
"""

from __future__ import annotations

from typing import Protocol

from fastapi import FastAPI, Request, Response

from firmware.page.access import Keeper
from firmware.page.acting import may, read_body, takes
from firmware.page.refusal import Refused, answer, answers, refuses

LONGEST = 200
"""Letters of a reason."""
CALLED = {
    "type": "object",
    "properties": {"called": {"type": ["boolean", "null"]}, "coming": {"type": "string"}},
    "required": ["called", "coming"],
}
CALL = {
    "type": "object",
    "properties": {"called": {"type": "boolean"}, "why": {"type": "string", "maxLength": LONGEST}},
    "required": ["called"],
}


class DirectorCalls(Protocol):
    """The way to the club's director."""

    @property
    def called(self) -> bool:
        """Whether the director is called."""

    @property
    def coming(self) -> str:
        """Who has said to come, "" nobody yet."""

    def call_director(self, called: bool, why: str) -> None:
        """The director is called, and why, or is not any more."""


def add(app: FastAPI, keeper: Keeper | None, calls: DirectorCalls | None) -> None:
    """Adds the routes; without ``keeper`` or ``calls`` there is nobody to call."""

    @app.get("/api/director-call", responses=answers(CALLED, "whether the director is called"))
    async def look() -> Response:
        """Whether the director is called, and who comes."""
        if calls is None or keeper is None:
            return answer({"called": None, "coming": ""})
        return answer({"called": calls.called, "coming": calls.coming})

    if calls is None or keeper is None:
        return

    @app.post(
        "/api/director-call",
        openapi_extra=takes(CALL),
        status_code=204,
        responses=refuses(401, 403, 408, 413, 415, 422, 429),
    )
    async def change(request: Request) -> Response:
        """Calls the director, or says that nobody need come."""
        may(request, keeper)
        data = await read_body(request)
        wanted, why = data.get("called"), data.get("why", "")
        if type(wanted) is not bool or not isinstance(why, str) or len(why) > LONGEST:
            raise Refused(422, f"called must be true or false, why at most {LONGEST} letters")
        calls.call_director(wanted, " ".join(why.split()))
        return Response(status_code=204)
