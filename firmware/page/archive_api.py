"""The archive on the page: players look through every logged match, replay it, download it, put it away.

    GET    /api/games                        every match, the newest first
    GET    /api/games/{id}/states            the match as the page showed it, a state for each change
    GET    /api/games/{id}/file/{format}     the match in a format of :mod:`firmware.formats`
    GET    /api/games/{id}/report            the match as a report
    DELETE /api/games/{id}                   puts it away (needs the PIN)
    POST   /api/games/{id}/back              brings it back (needs the PIN)

The journal is append-only: a match that is put away is only hidden, and can be brought back at any time.
``away.json`` beside the journal lists the hidden ones. The archive does one thing at a time and then rests
for twice as long as that took, and requests are rationed for each address: nobody who looks through the
archive takes the processor from the table.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi import Path as PathParameter

from engine.errors import EngineError
from engine.events import See, Tick, from_json
from engine.position import Json
from engine.record import MatchRecord
from engine.session import Session
from firmware.files import replace_file
from firmware.formats import FORMATS, FormatError
from firmware.page.access import Keeper, Ration
from firmware.page.acting import may, who
from firmware.page.refusal import NOT_STORED, Described, Refused, answer, answers, refuses
from firmware.page.state import for_spectators, page_state
from firmware.record.analyse import best_kept
from firmware.record.archive import IMPORT, checked_record
from firmware.record.catalogue import LoggedMatch, listing
from firmware.record.journal import BrokenChain, Entry, Journal, JournalError
from firmware.record.match_id import is_match_id
from firmware.record.report import report_page, timed_turns
from firmware.record.seal import export_text
from firmware.state import JOURNAL

AWAY = "away.json"

BUSY = (409, 429, 507)
"""Refusals of every route here."""

T = TypeVar("T")
Format: TypeAlias = Annotated[str, PathParameter(json_schema_extra={"enum": list(FORMATS)})]


def states(entries: Sequence[Entry]) -> list[Json]:
    """What the page showed after each change, without what only players need. Raises BrokenChain."""
    if entries and entries[0].body.get("event") == IMPORT:
        raise Refused(
            409, "this match was played elsewhere: it cannot be replayed, but its files can be downloaded"
        )
    session = Session()
    shown: list[Json] = []
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


class Archive:
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
        """Puts a match away or brings it back. Raises OSError, Refused where there is no such match."""
        self.entries(log)
        kept = [each for each in self.away() if each != log] + ([log] if away else [])
        replace_file(self._directory / AWAY, json.dumps(kept))

    def matches(self) -> list[Json]:
        """Every match, the newest first."""
        away = set(self.away())
        logged: list[LoggedMatch] = self.read(listing, [])
        return [
            each.to_json()
            | {"away": each.log in away, "replay": each.readable and not each.imported}
            | {"outcome": each.outcome or each.result}
            | {"formats": _formats(each.rules) if each.readable else []}
            for each in reversed(logged)
        ]

    def entries(self, log: str) -> list[Entry]:
        """A match's log. Raises Refused where there is none."""
        found: list[Entry] = []
        if is_match_id(log):
            found = self.read(lambda journal: journal.entries(log), found)
        if not found:
            raise Refused(404, "there is no such match")
        return found

    def record(self, log: str) -> MatchRecord:
        """What was played in a match, from the journal. Raises as :meth:`entries` does, BrokenChain too."""
        return checked_record(log, self.entries(log))

    def report(self, log: str) -> str:
        """A match as a report in HTML. Raises as :meth:`entries` does."""
        entries = self.entries(log)
        match = checked_record(log, entries)
        return report_page(match, timed_turns(entries), best_kept(match, self._directory / "analysis"))


def _formats(rules: str) -> list[str]:
    return [name for name, each in FORMATS.items() if each.rules is None or rules in each.rules]


def _file(name: str, text: str, kind: str) -> Response:
    """A text to be downloaded. Half a surrogate pair in a player's name does not keep it from being sent."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **NOT_STORED}
    return Response(text.encode("utf-8", "replace"), media_type=f"{kind}; charset=utf-8", headers=headers)


class ArchiveApi:
    """The routes of one archive."""

    def __init__(self, archive: Archive, keeper: Keeper | None, now: Callable[[], float]) -> None:
        self._archive = archive
        self._keeper = keeper
        self._now = now
        self._one_at_a_time = asyncio.Lock()
        self._ration = Ration(40, 2)
        self._rested = now()

    async def _do(self, request: Request, work: Callable[[], T]) -> T:
        """Does ``work`` in a thread, when it is its turn. Raises Refused."""
        now = self._now
        try:
            self._ration.take(who(request), now())
            async with self._one_at_a_time:
                await asyncio.sleep(self._rested - now())
                begun = now()
                try:
                    return await asyncio.to_thread(work)
                finally:
                    self._rested = 3 * now() - 2 * begun
        except (JournalError, EngineError, FormatError) as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(507, f"cannot be written: {error.strerror or error}") from error

    async def games(self, request: Request) -> Response:
        """Every match, the newest first."""
        return answer(await self._do(request, self._archive.matches))

    async def replay(self, request: Request, log: str) -> Response:
        """The match as the page showed it."""
        return answer(await self._do(request, lambda: states(self._archive.entries(log))))

    async def download(self, request: Request, log: str, form: Format) -> Response:
        """The match as a file."""
        known = FORMATS.get(form)
        if known is None:
            raise Refused(404, f"there is no such format; there are {', '.join(FORMATS)}")
        text = await self._do(request, lambda: export_text(self._archive.record(log), form))
        return _file(f"{log}{known.suffix}", text, "text/plain")

    async def report(self, request: Request, log: str) -> Response:
        """The match as a report, one HTML file."""
        text = await self._do(request, lambda: self._archive.report(log))
        return _file(f"{log}.html", text, "text/html")

    async def put_away(self, request: Request, log: str) -> Response:
        """Puts a match away."""
        return await self._put(request, log, away=True)

    async def bring_back(self, request: Request, log: str) -> Response:
        """Brings a match back."""
        return await self._put(request, log, away=False)

    async def _put(self, request: Request, log: str, away: bool) -> Response:
        assert self._keeper is not None
        may(request, self._keeper)
        await self._do(request, lambda: self._archive.put(log, away))
        return Response(status_code=204)


def add(
    app: FastAPI, archive: Archive, keeper: Keeper | None, now: Callable[[], float] = time.monotonic
) -> None:
    """Adds the routes; without a keeper nobody may change anything."""
    api = ArchiveApi(archive, keeper, now)
    some = {"type": "array", "items": {"type": "object"}}
    read = refuses(404, 422, *BUSY)

    def text(kind: str, description: str) -> Described:
        return {200: {"description": description, "content": {kind: {"schema": {"type": "string"}}}}} | read

    app.get("/api/games", responses=answers(some, "every match, the newest first") | refuses(*BUSY))(
        api.games
    )
    app.get("/api/games/{log}/states", responses=answers(some, "a state for each change") | read)(api.replay)
    app.get("/api/games/{log}/file/{form}", responses=text("text/plain", "the file"))(api.download)
    app.get("/api/games/{log}/report", responses=text("text/html", "the report"))(api.report)
    if keeper is not None:
        acting = refuses(401, 403, 404, 422, *BUSY)
        app.delete("/api/games/{log}", status_code=204, responses=acting)(api.put_away)
        app.post("/api/games/{log}/back", status_code=204, responses=acting)(api.bring_back)
