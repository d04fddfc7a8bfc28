"""Answers, and refusals: ``{"reason": …}`` in words for people, each in the OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from engine.messages import phrase
from firmware.languages.choice import for_reader

Described: TypeAlias = dict[int | str, dict[str, Any]]
"""Answers by status, as FastAPI lists them."""

NOT_STORED = {"Cache-Control": "no-store"}
"""The header of what changes: nobody may keep it."""
JPEG: Described = {
    200: {"description": "the picture", "content": {"image/jpeg": {}}},
    204: {"description": "there is none yet"},
}
"""What :func:`jpeg_answer` answers."""
QR_CODE: Described = {200: {"description": "a QR code", "content": {"image/svg+xml": {}}}}

WHY = {
    401: phrase("the table's PIN has not been entered"),
    403: phrase("a page of another site asked for this, or the PIN is wrong"),
    404: phrase("there is nothing here"),
    405: phrase("this cannot be done here"),
    408: "the body took too long to come",
    409: phrase("the table, or the match, does not allow it"),
    413: "the body is too large",
    415: "the body is not application/json",
    421: phrase("this name is not the table's"),
    422: "the body is not what this needs",
    423: phrase("somebody else is setting the table up"),
    429: phrase("too many requests"),
    507: phrase("the device cannot write it to its disk"),
}
"""What each status means."""


class Refused(Exception):
    """A request is refused. ``wait`` is in seconds."""

    def __init__(self, status: int, reason: str, wait: float = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.wait = wait


def answer(data: Any, status: int = 200) -> Response:
    """An answer as JSON, its messages in the language of who asks. In ASCII, so that no text can fail to be
    sent (half a surrogate pair, say)."""
    return Response(json.dumps(for_reader(data)), status, media_type="application/json", headers=NOT_STORED)


def jpeg_answer(data: bytes | None) -> Response:
    """A picture; 204 where there is none."""
    if data is None:
        return Response(status_code=204)
    return Response(data, media_type="image/jpeg", headers=NOT_STORED)


def refuses(*statuses: int) -> Described:
    """The OpenAPI description of these refusals."""
    schema = {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}
    return {
        status: {"description": WHY[status], "content": {"application/json": {"schema": schema}}}
        for status in statuses
    }


ACT_REFUSED = refuses(401, 403, 408, 409, 413, 415, 422, 429)
"""What somebody may hear who asks for something to be done."""


def answers(schema: dict[str, Any], description: str) -> Described:
    """The OpenAPI description of a JSON answer."""
    return {200: {"description": description, "content": {"application/json": {"schema": schema}}}}


def add(app: FastAPI, page: Callable[[str, int], Response]) -> None:
    """Makes every refusal look alike, the framework's own too. A browser that asks for HTML, because somebody
    typed an address or followed a link, gets a ``page``; programs and the page's own scripts get JSON."""

    def refusal(request: Request, reason: str, status: int) -> Response:
        person = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        return page(reason, status) if person else answer({"reason": reason}, status)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        response = refusal(request, str(error), error.status)
        if error.wait:
            response.headers["Retry-After"] = f"{error.wait:.0f}"
        return response

    @app.exception_handler(HTTPException)
    async def framework(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = refusal(request, WHY.get(error.status_code, str(error.detail)), error.status_code)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def asked_wrongly(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        return refusal(request, f"{first['loc'][-1]}: {first['msg']}", 422)
