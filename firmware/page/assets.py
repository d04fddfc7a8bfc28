"""The page's own files, in memory, under addresses that change with their content.

``/static/page.js`` is served as ``/static/<version>/page.js``, and the other files call it so too. So a
browser may keep a file for good, and after an upgrade never mixes old files with new ones. A page that stayed
open hears of the new version in its stream, and loads again.
"""

from __future__ import annotations

import hashlib
import html
import mimetypes
from pathlib import Path

from fastapi import FastAPI, Response

from firmware.page.refusal import NOT_STORED, Refused

STATIC = Path(__file__).parent / "static"


class Assets:
    """The files of one or more folders; no two have the same name."""

    def __init__(self, *folders: Path) -> None:
        paths = [path for folder in folders or (STATIC,) for path in sorted(folder.iterdir())]
        raw = {path.name: path.read_bytes() for path in paths if path.is_file()}
        self.version = hashlib.sha256(
            b"\0".join(part for name, data in raw.items() for part in (name.encode(), data))
        ).hexdigest()[:12]
        self._files = {
            name: data.replace(b"/static/", f"/static/{self.version}/".encode()) for name, data in raw.items()
        }

    def file(self, name: str, cache: str) -> Response:
        """A file as it is served; ``cache`` says how long it may be kept. Raises Refused without it."""
        data = self._files.get(name)
        if data is None:
            raise Refused(404, "there is no such file")
        kind = mimetypes.guess_type(name)[0]
        return Response(data, media_type=kind, headers={"Cache-Control": cache})

    def refused(self, reason: str, status: int) -> Response:
        """A page that says why a request was refused, with a link back."""
        return self.filled("refused.html", "REASON", reason[:1].upper() + reason[1:], status)

    def filled(self, name: str, place: str, text: str, status: int = 200) -> Response:
        """A page with this text in its place, which is written ``@PLACE@``."""
        words = html.escape(text).encode("utf-8", "replace")
        data = self._files[name].replace(f"@{place}@".encode(), words)
        return Response(data, status, media_type="text/html", headers=NOT_STORED)


def add(app: FastAPI, assets: Assets) -> None:
    """Adds the routes of the page itself and of its files."""

    @app.get("/", include_in_schema=False)
    @app.get("/tv", include_in_schema=False)
    async def page() -> Response:
        return assets.file("index.html", "no-cache")

    @app.get("/setup", include_in_schema=False)
    async def setup_page() -> Response:
        return assets.file("setup.html", "no-cache")

    @app.get(f"/static/{assets.version}/{{name}}", include_in_schema=False)
    async def static(name: str) -> Response:
        return assets.file(name, "public, max-age=31536000, immutable")
