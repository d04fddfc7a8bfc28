"""The archive on the page: every logged match, to be looked through, replayed, downloaded and put away.

    GET    /api/games                        every match, the newest first
    GET    /api/games/{id}/states            the match as the page showed it, a state for each change
    GET    /api/games/{id}/file/{format}     the match in a format of :mod:`firmware.formats`
    GET    /api/games/{id}/report            the match as a report
    DELETE /api/games/{id}                   puts it away (needs the PIN)
    POST   /api/games/{id}/back              brings it back (needs the PIN)

The journal is append-only: a match that is put away is only no longer listed among the others, and can be
brought back at any time. Which are away stands in ``away.json`` beside the journal. Matches are replayed one
at a time, after each the archive rests for twice as long as that took, and requests are rationed for each
address: nobody who leafs through the archive takes the processor from the table.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi import Path as PathParameter

from engine.errors import EngineError
from engine.events import See, Tick, from_json
from engine.position import Json
from engine.record import MatchRecord
from engine.session import Session
from firmware.formats import FORMATS, FormatError
from firmware.page.access import Keeper, Ration, TooOften
from firmware.page.acting import may, who
from firmware.page.refusal import Described, Refused, answer, answers, refuses
from firmware.page.state import for_spectators, page_state
from firmware.record.analyse import Analysis, best_kept
from firmware.record.archive import IMPORT, match_record
from firmware.record.catalogue import LoggedMatch, listing
from firmware.record.journal import BrokenChain, Entry, Journal, JournalError
from firmware.record.report import report_page, timed_turns
from firmware.record.seal import export_text
from firmware.state import JOURNAL

AWAY = "away.json"
NAME = re.compile(r"[A-Za-z0-9._-]{1,80}")

T = TypeVar("T")
Format: TypeAlias = Annotated[str, PathParameter(json_schema_extra={"enum": list(FORMATS)})]


def states(entries: Sequence[Entry]) -> list[Json]:
    """What the page showed after each event that changed something, without what only those at the table
    need. Raises BrokenChain."""
    session = Session()
    shown: list[Json] = []
    if entries and entries[0].body.get("event") == IMPORT:
        raise Refused(
            409,
            "this match was played elsewhere: there is nothing to replay, but its files can be downloaded",
        )
    for entry in entries:
        try:
            event = from_json(entry.body)
            session, _ = session.handle(event)
        except EngineError as error:
            raise BrokenChain(entry.game, entry.number, str(error)) from error
        if isinstance(event, (See, Tick)):
            continue
        state = for_spectators(page_state(session, event.t, []))
        state = {name: value for name, value in state.items() if name not in ("clock", "moves", "leds")}
        if not shown or state != shown[-1]:
            shown.append(state)
    return shown


class Shelf:
    """The matches of one state directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, ask: Callable[[Journal], T], default: T) -> T:
        """Asks the journal; ``default`` where nothing has been logged yet. Raises JournalError."""
        path = self._directory / JOURNAL
        if not path.exists():
            return default
        with Journal.open(path, create=False) as journal:
            return ask(journal)

    def away(self) -> list[str]:
        """The matches that were put away. A list that cannot be read hides nothing."""
        try:
            found = json.loads((self._directory / AWAY).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [str(each) for each in found] if isinstance(found, list) else []

    def put(self, log: str, away: bool) -> None:
        """Puts a match away or brings it back. Raises OSError."""
        kept = [each for each in self.away() if each != log] + ([log] if away else [])
        handle, name = tempfile.mkstemp(dir=self._directory, prefix=AWAY)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        Path(name).replace(self._directory / AWAY)

    def matches(self) -> list[Json]:
        """Every match, the newest first."""
        away = set(self.away())
        logged: list[LoggedMatch] = self.read(listing, [])
        return [
            each.to_json() | {"away": each.log in away, "formats": _formats(each.rules)}
            for each in reversed(logged)
        ]

    def analyses(self, match: MatchRecord) -> list[Analysis | None]:
        """What ``barpoint analyse`` found of a match."""
        return best_kept(match, self._directory / "analysis")

    def entries(self, log: str) -> list[Entry]:
        """A match's log. Raises Refused where there is none."""
        found: list[Entry] = (
            self.read(lambda journal: journal.entries(log), []) if NAME.fullmatch(log) else []
        )
        if not found:
            raise Refused(404, "there is no such match")
        return found


def _formats(rules: str) -> list[str]:
    return [name for name, each in FORMATS.items() if each.rules is None or rules in each.rules]


def add(app: FastAPI, shelf: Shelf, keeper: Keeper | None, now: Callable[[], float] = time.monotonic) -> None:
    """Adds the routes."""
    one_at_a_time = asyncio.Lock()
    ration = Ration(40, 2)

    rested = now()

    async def work(request: Request, do: Callable[[], T]) -> T:
        nonlocal rested
        try:
            ration.take(who(request), now())
            async with one_at_a_time:
                await asyncio.sleep(rested - now())
                begun = now()
                try:
                    return await asyncio.to_thread(do)
                finally:
                    rested = 3 * now() - 2 * begun
        except TooOften as error:
            raise Refused(429, str(error), error.wait) from error
        except (JournalError, EngineError, FormatError) as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(507, f"cannot be written: {error.strerror or error}") from error

    some = {"type": "array", "items": {"type": "object"}}

    @app.get("/api/games", responses=answers(some, "every match, the newest first") | refuses(409, 429, 507))
    async def games(request: Request) -> Response:
        """Every match, the newest first."""
        return answer(await work(request, shelf.matches))

    @app.get(
        "/api/games/{log}/states",
        responses=answers(some, "a state for each change") | refuses(404, 409, 422, 429, 507),
    )
    async def replay(request: Request, log: str) -> Response:
        """The match as the page showed it."""
        return answer(await work(request, lambda: states(shelf.entries(log))))

    file: Described = {
        200: {"description": "the file", "content": {"text/plain": {"schema": {"type": "string"}}}}
    }

    @app.get("/api/games/{log}/file/{form}", responses=file | refuses(404, 409, 422, 429, 507))
    async def download(request: Request, log: str, form: Format) -> Response:
        """The match as a file."""
        known = FORMATS.get(form)
        if known is None:
            raise Refused(404, f"there is no such format; there are {', '.join(FORMATS)}")
        text = await work(request, lambda: export_text(match_record(shelf.entries(log)), form))
        headers = {
            "Content-Disposition": f'attachment; filename="{log}{known.suffix}"',
            "Cache-Control": "no-store",
        }
        return Response(
            text.encode("utf-8", "replace"), media_type="text/plain; charset=utf-8", headers=headers
        )

    html: Described = {
        200: {"description": "the report", "content": {"text/html": {"schema": {"type": "string"}}}}
    }

    @app.get("/api/games/{log}/report", responses=html | refuses(404, 409, 422, 429, 507))
    async def told(request: Request, log: str) -> Response:
        """The match as a report, one HTML file."""

        def write() -> str:
            entries = shelf.entries(log)
            match = match_record(entries)
            return report_page(match, timed_turns(entries), shelf.analyses(match))

        headers = {"Content-Disposition": f'attachment; filename="{log}.html"', "Cache-Control": "no-store"}
        text = await work(request, write)
        return Response(
            text.encode("utf-8", "replace"), media_type="text/html; charset=utf-8", headers=headers
        )

    if keeper is None:
        return

    def put(log: str, away: bool) -> Callable[[], Any]:
        def do() -> None:
            shelf.entries(log)
            shelf.put(log, away)

        return do

    acting = refuses(401, 403, 404, 409, 422, 429, 507)

    @app.delete("/api/games/{log}", status_code=204, responses=acting)
    async def put_away(request: Request, log: str) -> Response:
        """Puts a match away."""
        may(request, keeper)
        await work(request, put(log, True))
        return Response(status_code=204)

    @app.post("/api/games/{log}/back", status_code=204, responses=acting)
    async def bring_back(request: Request, log: str) -> Response:
        """Brings a match back."""
        may(request, keeper)
        await work(request, put(log, False))
        return Response(status_code=204)
