"""The page's own files, in memory, under addresses that change with what is in them.

``/static/page.js`` is served as ``/static/<version>/page.js``, and every mention of it in another file says
so too. So a browser may keep what it has for good, and after an upgrade nothing old is mixed with something
new. A page that was open all along hears another version in its stream and loads itself again.
"""

from __future__ import annotations

import hashlib
import html
import mimetypes
from pathlib import Path

from fastapi import FastAPI, Response

from firmware.page.refusal import Refused

STATIC = Path(__file__).parent / "static"


class Assets:
    """The files of a folder."""

    def __init__(self, folder: Path = STATIC) -> None:
        raw = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
        self.version = hashlib.sha256(
            b"\0".join(part for name, data in raw.items() for part in (name.encode(), data))
        ).hexdigest()[:12]
        self._files = {
            name: data.replace(b"/static/", f"/static/{self.version}/".encode()) for name, data in raw.items()
        }

    def file(self, name: str) -> Response:
        """A file as it is served. Raises Refused where there is none."""
        data = self._files.get(name)
        if data is None:
            raise Refused(404, "there is no such file")
        return Response(data, media_type=mimetypes.guess_type(name)[0])

    def refused(self, reason: str, status: int) -> Response:
        """A page for people that says why not, and leads back."""
        told = html.escape(reason[:1].upper() + reason[1:]).encode("utf-8", "replace")
        data = self._files["refused.html"].replace(b"@REASON@", told)
        return Response(data, status, media_type="text/html", headers={"Cache-Control": "no-store"})


def add(app: FastAPI, assets: Assets) -> None:
    """Adds the routes of the page itself and of its files."""

    @app.get("/", include_in_schema=False)
    @app.get("/tv", include_in_schema=False)
    async def page() -> Response:
        response = assets.file("index.html")
        response.headers["Cache-Control"] = "no-cache"
        return response

    @app.get("/setup", include_in_schema=False)
    async def set_up() -> Response:
        response = assets.file("setup.html")
        response.headers["Cache-Control"] = "no-cache"
        return response

    @app.get(f"/static/{assets.version}/{{name}}", include_in_schema=False)
    async def static(name: str) -> Response:
        response = assets.file(name)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
