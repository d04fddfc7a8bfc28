"""The public key that the table signs its matches with, for whoever wants to keep it: a page with a QR code.

It is no secret. The private half is read once, to work the public one out, and never leaves the table.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.page.assets import Assets
from firmware.page.invitation import svg
from firmware.page.refusal import NOT_STORED, QR_CODE, Refused, answer, answers, refuses
from firmware.record.table_key import TableKey, code, grouped


def add(app: FastAPI, assets: Assets, state: Path | None) -> None:
    """Adds the routes. ``state`` is the state directory, None for a table that keeps nothing."""
    known: list[str] = []

    def public() -> str:
        if not known and state is not None:
            try:
                known.append(TableKey.load(state).public)
            except BadInput as error:
                raise Refused(404, phrase("this table has no key, so it signs no matches")) from error
        if not known:
            raise Refused(404, phrase("this table has no key, so it signs no matches"))
        return known[0]

    schema = {"type": "object", "properties": {"key": {"type": "string"}, "code": {"type": "string"}}}

    @app.get("/key", include_in_schema=False)
    async def page() -> Response:
        return assets.filled("key.html", "KEY", grouped(public()))

    @app.get("/api/key", responses=answers(schema, "the table's public key") | refuses(404))
    async def key() -> Response:
        """The table's public key, 64 hex digits, and what its QR code says."""
        return answer({"key": public(), "code": code(public())})

    @app.get("/key.svg", responses=QR_CODE | refuses(404))
    async def drawn() -> Response:
        """The same as a QR code."""
        return Response(svg(code(public())), media_type="image/svg+xml", headers=NOT_STORED)
