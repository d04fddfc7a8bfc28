"""The page's own files, in memory, under addresses that change with their content.

``/static/page.js`` is served as ``/static/<version>/page.js``, and the other files call it so too. So a
browser may keep a file for good, and after an upgrade never mixes old files with new ones. A page that stayed
open hears of the new version in its stream, and loads again. Text is packed once, when it is asked for first,
for browsers that take gzip.

The pages' common beginning is ``head.html``, put where a page says ``@HEAD@``.

A page's script comes in one piece with all that it imports (:mod:`firmware.page.modules`).

Pages come in the reader's language: ``[[words]]`` in them are looked up, and scripts get their words from
``/static/<version>/words.de.js``, of one language alone.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import mimetypes
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request, Response

from engine.messages import phrase, sentence
from firmware.languages.catalogue import ENGLISH, NAMES, catalogue, path_of
from firmware.languages.choice import local, reader
from firmware.page.modules import joined
from firmware.page.refusal import NOT_STORED, Refused

KINDS = {".webmanifest": "application/manifest+json", ".webp": "image/webp"}
"""Media types that not every Python knows."""
PICTURES = (".png", ".webp")
"""Files that are packed already."""
WORDED = (".html", ".webmanifest")
"""Files with words in them."""
MARKED = re.compile(r"\[\[(.+?)\]\]")
"""Words in a page."""
SCRIPT = re.compile(r"words\.(\w+)\.js")
"""The name of a language's words for scripts."""
HEAD = b"@HEAD@\n"
"""Where a page has the common beginning, ``head.html``."""
ENTRY = re.compile(rb'<script type="module" src="/static/([\w-]+\.js)">')
"""The module that a page begins with."""
STATIC = Path(__file__).parent / "static"


class Assets:
    """The files of one or more folders; no two have the same name."""

    def __init__(self, *folders: Path) -> None:
        paths = [path for folder in folders or (STATIC,) for path in sorted(folder.iterdir())]
        raw = {path.name: path.read_bytes() for path in paths if path.is_file()}
        modules = {name: data.decode() for name, data in raw.items() if name.endswith(".js")}
        entries = {entry.decode() for data in raw.values() for entry in ENTRY.findall(data)}
        raw |= {entry: joined(entry, modules).encode() for entry in entries}
        catalogues = {code: path_of(code).read_bytes() for code in NAMES if code != ENGLISH}
        self.version = hashlib.sha256(
            b"\0".join(part for name, data in (raw | catalogues).items() for part in (name.encode(), data))
        ).hexdigest()[:12]
        self._files = {
            name: data.replace(HEAD, raw.get("head.html", HEAD)).replace(
                b"/static/", f"/static/{self.version}/".encode()
            )
            for name, data in raw.items()
        }
        self._packed: dict[str, bytes] = {}

    def file(self, name: str, cache: str, request: Request) -> Response:
        """A file as it is served for this request; ``cache`` says how long it may be kept. Raises Refused
        without it."""
        worded = Path(name).suffix in WORDED
        if worded and name in self._files:
            self._say(name, reader.get())
        words = SCRIPT.fullmatch(name)
        if words and words[1] in NAMES:
            self._script(name, words[1])
        name = f"{reader.get()}/{name}" if worded else name
        data = self._files.get(name)
        if data is None:
            raise Refused(404, phrase("there is no such file"))
        kind = KINDS.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
        headers = {"Cache-Control": cache}
        if Path(name).suffix not in PICTURES:
            headers["Vary"] = "Accept-Encoding, Accept-Language, Cookie" if worded else "Accept-Encoding"
            if "gzip" in request.headers.get("accept-encoding", ""):
                data, headers["Content-Encoding"] = self._pack(name), "gzip"
        return Response(data, media_type=kind, headers=headers)

    def refused(self, reason: str, status: int) -> Response:
        """A page that says why a request was refused, with a link back."""
        return self.filled("refused.html", "REASON", sentence(reason), status)

    def filled(self, name: str, place: str, text: str, status: int = 200) -> Response:
        """A page with this text in its place, which is written ``@PLACE@``."""
        words = html.escape(local(text)).encode("utf-8", "replace")
        data = self._say(name, reader.get()).replace(f"@{place}@".encode(), words)
        return Response(data, status, media_type="text/html", headers=NOT_STORED)

    def table(self, state: str, request: Request) -> Response:
        """The table's page with this state in it, JSON."""
        safe = state.replace("<", r"\u003c").encode()  # no word of it ends the script
        data = self._say("index.html", reader.get()).replace(b"@STATE@", safe)
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding, Accept-Language, Cookie"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            data, headers["Content-Encoding"] = gzip.compress(data, 6, mtime=0), "gzip"
        return Response(data, media_type="text/html", headers=headers)

    def _say(self, name: str, code: str) -> bytes:
        """A page in a language, made when somebody asks for it first."""
        made = f"{code}/{name}"
        if made not in self._files:
            plain, words = self._files[name].decode(), catalogue(code)
            text = MARKED.sub(lambda found: html.escape(words.gettext(found[1])), plain)
            if text != plain:  # a page without words in it is in English alone
                text = text.replace('lang="en"', f'lang="{code}" dir="{words.direction}"', 1)
                script = f'<script defer src="/static/{self.version}/words.{code}.js"></script>'
                text = text.replace("</title>", f"</title>\n  {script}" if code != ENGLISH else "</title>", 1)
            self._files[made] = text.encode()
        return self._files[made]

    def _script(self, name: str, code: str) -> None:
        """The words of a language for the page's scripts."""
        if name not in self._files:
            self._files[name] = catalogue(code).script(self._files).encode()

    def _pack(self, name: str) -> bytes:
        if name not in self._packed:
            self._packed[name] = gzip.compress(self._files[name], 9, mtime=0)
        return self._packed[name]


@cache
def assets_of(*folders: Path) -> Assets:
    """The files of these folders (none: the table's own), read once."""
    return Assets(*folders)


def add(app: FastAPI, assets: Assets, state: Callable[[], str]) -> None:
    """Adds the routes of the page itself and of its files; ``state`` is what spectators see now, JSON."""

    @app.get("/", include_in_schema=False)
    @app.get("/tv", include_in_schema=False)
    async def page(request: Request) -> Response:
        return assets.table(state(), request)

    @app.get("/overlay", include_in_schema=False)
    async def overlay(request: Request) -> Response:
        return assets.table("{}", request)  # it may come later than the table

    @app.get("/worker.js", include_in_schema=False)
    async def worker(request: Request) -> Response:
        return assets.file("worker.js", "no-cache", request)  # its address is what it may look after

    @app.get("/manifest.webmanifest", include_in_schema=False)
    async def manifest(request: Request) -> Response:
        return assets.file("manifest.webmanifest", "no-cache", request)

    @app.get("/setup", include_in_schema=False)
    async def setup_page(request: Request) -> Response:
        return assets.file("setup.html", "no-cache", request)

    @app.get(f"/static/{assets.version}/{{name}}", include_in_schema=False)
    async def static(name: str, request: Request) -> Response:
        return assets.file(name, "public, max-age=31536000, immutable", request)
