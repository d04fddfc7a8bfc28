"""Inviting people: the page's address, and the PIN for those who may see it, as text and as a QR code.

The code's link has the invitation behind a ``#``: a browser sends that part to nobody, so no log has it. The
page that it opens gives it to the table and removes it from the address.
The device's own screen sees it by its token (:mod:`firmware.page.access`): that a request comes from the
device is not enough, since through a proxy everybody's does.
"""

from __future__ import annotations

import io
from functools import lru_cache

import segno
from fastapi import FastAPI, Request, Response

from firmware.page.access import Keeper
from firmware.page.refusal import NOT_STORED, QR_CODE, answer, answers, refuses
from firmware.page.work_queue import Breath, WorkQueue
from firmware.settings.reach import Reach


def link(address: str, keeper: Keeper | None) -> str:
    """The address, with an invitation where there is a keeper."""
    return address if keeper is None else f"{address}#join={keeper.invitation}"


def code(text: str) -> segno.QRCode:
    """A QR code; level M survives a scratched screen, and can be read from across a room."""
    return segno.make_qr(text, error="m")


@lru_cache(8)
def svg(text: str) -> bytes:
    """A QR code as an SVG picture: dark on white, with the quiet zone that readers need."""
    out = io.BytesIO()
    code(text).save(out, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return out.getvalue()


def terminal(text: str) -> str:
    """A QR code in half blocks."""
    out = io.StringIO()
    code(text).terminal(out, compact=True)
    return out.getvalue()


def add(app: FastAPI, keeper: Keeper | None, reach: Reach) -> None:
    """Adds the routes. Without a keeper there is only the address to show."""

    def shown(screen: str) -> Keeper | None:
        if keeper is None or reach.invite == "never":
            return None
        return keeper if reach.invite == "tv" or keeper.shows(screen) else None

    queue = WorkQueue()
    schema = {
        "type": "object",
        "properties": {"address": {"type": ["string", "null"]}, "pin": {"type": ["string", "null"]}},
    }

    @app.get(
        "/api/invitation",
        responses=answers(schema, "the page's address, and the PIN for those who may see it"),
    )
    async def where(request: Request, screen: str = "") -> Response:
        """The page's address, null where only this machine finds it; ``pin`` is null for whoever has not the
        token of the device's own ``screen``."""
        known = shown(screen)
        address = None if reach.alone else reach.address(request.headers.get("host", ""))
        return answer({"address": address, "pin": known and known.pin})

    @app.get("/invitation.svg", responses=QR_CODE | refuses(408, 429))
    async def drawn(request: Request, screen: str = "") -> Response:
        """The same as a QR code."""
        text = link(reach.address(request.headers.get("host", "")), shown(screen))

        def draw(breathe: Breath) -> bytes:
            breathe()
            made = svg(text)
            breathe()  # whoever asks by ever other names gets a third of a core
            return made

        data = await queue.serve(request, text, draw)
        return Response(data, media_type="image/svg+xml", headers=NOT_STORED)
