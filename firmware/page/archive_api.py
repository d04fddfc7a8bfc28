"""The archive on the page: players look through every logged match, replay it, download it, put it away.

    GET    /api/games                        every match, the newest first
    GET    /api/games/{id}/states            the match as the page showed it, a state for each change
    GET    /api/games/{id}/file/{format}     the match in a format of :mod:`firmware.formats`
    GET    /api/games/{id}/report            the match as a report
    DELETE /api/games/{id}                   puts it away (needs the PIN)
    POST   /api/games/{id}/back              brings it back (needs the PIN)

The journal is append-only: a match that is put away is only hidden, and can be brought back at any time.
``away.json`` beside the journal lists the hidden ones. Requests are rationed for each address, and done in
slices (:mod:`firmware.page.work_queue`): nobody who looks through the archive takes the processor from the
table. The list comes at once; where matches in it must still be looked at (``"known": false``), that goes on
by itself when nobody waits for anything else.
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

from engine import rules as games
from engine.errors import EngineError
from engine.event_json import from_json
from engine.events import See, Tick
from engine.messages import phrase, translated
from engine.names import named
from engine.position import Json
from engine.session import Session
from firmware.files import replace_file
from firmware.formats import FORMATS, FormatError
from firmware.languages.catalogue import ENGLISH, catalogue
from firmware.languages.choice import reader, reading
from firmware.page.access import Keeper
from firmware.page.acting import may, who
from firmware.page.ration import Ration
from firmware.page.refusal import NOT_STORED, Described, Refused, answers, refuses
from firmware.page.state import for_spectators, page_state
from firmware.page.work_queue import Breath, WorkQueue
from firmware.record.archive import IMPORT, breathing, checked_record
from firmware.record.catalogue import Catalogue
from firmware.record.chain import BrokenChain, Entry, JournalError
from firmware.record.journal import Journal
from firmware.record.match_id import is_match_id
from firmware.record.match_line import LoggedMatch
from firmware.record.report import report_parts
from firmware.record.review import best_kept
from firmware.record.seal import export_file
from firmware.record.signed import newest
from firmware.record.spots import is_known
from firmware.record.table_key import TableKey
from firmware.record.turn_times import timed_turns
from firmware.state import JOURNAL

AWAY = "away.json"
BINARY = "application/octet-stream"

BUSY = (408, 409, 429, 507)
"""Refusals of every route here."""

T = TypeVar("T")
Format: TypeAlias = Annotated[str, PathParameter(json_schema_extra={"enum": list(FORMATS)})]


LOOKING = 0.25
"""Seconds of looking at matches before a list comes."""
UNSEEN = ("clock", "moves", "leds", "proof")
"""What of a state a replay does not show; where nothing else changes there is no step."""


def nothing() -> None:
    """Breath of work that need not rest."""


def states(entries: Sequence[Entry], breathe: Callable[[], None] = nothing) -> list[Json]:
    """What the page showed after each change, without what only players need. Raises BrokenChain."""
    if entries and entries[0].body.get("event") == IMPORT:
        raise Refused(
            409,
            phrase("this match was played elsewhere: it cannot be replayed, but its files can be downloaded"),
        )
    session = Session()
    shown: list[Json] = []
    for entry in breathing(entries, breathe):
        try:
            event = from_json(entry.body)
            session, _ = session.handle(event)
        except EngineError as error:
            raise BrokenChain(entry.game, entry.number, str(error)) from error
        if isinstance(event, (See, Tick)):
            continue
        state = for_spectators(page_state(session, event.t, [], strip=False))
        state = {name: value for name, value in state.items() if name not in UNSEEN}
        if not shown or state != shown[-1]:
            shown.append(state)
    return shown


class Archive:
    """The matches of one state directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def reviews(self) -> Path:
        """Where reviews are kept."""
        return self._directory / "analysis"

    def read(self, ask: Callable[[Journal], T], default: T) -> T:
        """Asks the journal; ``default`` where nothing has been logged yet. Raises JournalError."""
        path = self._directory / JOURNAL
        if not path.exists():
            return default
        with Journal.open_readonly(path) as journal:
            return ask(journal)

    def away(self) -> list[str]:
        """The matches that were put away. A list that cannot be read hides nothing."""
        try:
            return self._away()
        except OSError:
            return []

    def _away(self) -> list[str]:
        """The same, to be written again. Raises OSError where there is a list that the disk does not give."""
        try:
            found = json.loads((self._directory / AWAY).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return []
        return [str(each) for each in found] if isinstance(found, list) else []

    def put(self, log: str, away: bool) -> None:
        """Puts a match away or brings it back. Raises OSError, Refused where there is no such match."""
        self.entries(log)
        kept = [each for each in self._away() if each != log] + ([log] if away else [])
        replace_file(self._directory / AWAY, json.dumps(kept))

    def matches(self, breathe: Callable[[], None] = nothing) -> list[Json]:
        """Every match, the newest first; ``known`` says whether it was looked at already."""
        away = set(self.away())

        def ask(catalogue: Catalogue) -> list[LoggedMatch]:
            catalogue.look_at(after(LOOKING))
            return catalogue.at_hand()

        logged = self._catalogue(ask, list[LoggedMatch](), breathe)
        played = {each.rules for each in logged}
        formats = {rules: _formats(rules) for rules in played}
        reviewable = {rules for rules in played if is_known(rules)}
        titles = {rules: title_of(rules) for rules in played}
        return [
            each.to_json()
            | {"title": titles[each.rules], "players": [*map(named, each.players)]}
            | {"away": each.log in away, "known": each.known, "outcome": each.outcome}
            | {"replay": each.readable and not each.imported}
            | {"formats": formats[each.rules] if each.readable else []}
            | {"reviewable": each.readable and each.rules in reviewable}
            for each in breathing(reversed(logged), breathe)
        ]

    def look_at(self, enough: Callable[[], bool], breathe: Callable[[], None] = nothing) -> int:
        """Looks at matches that the list does not know yet, until it is ``enough``; how many are left."""
        return self._catalogue(lambda catalogue: catalogue.look_at(enough), 0, breathe)

    def _catalogue(self, ask: Callable[[Catalogue], T], default: T, breathe: Callable[[], None]) -> T:
        def asked(journal: Journal) -> T:
            with Catalogue(journal, breathe) as catalogue:
                return ask(catalogue)

        return self.read(asked, default)

    def entries(self, log: str) -> list[Entry]:
        """A match's log. Raises Refused where there is none."""
        found: list[Entry] = []
        if is_match_id(log):
            found = self.read(lambda journal: journal.entries(log), found)
        if not found:
            raise Refused(404, phrase("there is no such match"))
        return found

    def file(self, log: str, form: str, breathe: Callable[[], None] = nothing) -> bytes:
        """A match in this format, from the journal, signed where it is. Raises as :meth:`entries` does,
        BrokenChain, FormatError and EngineError too."""
        entries = self.entries(log)
        key = TableKey.at_hand(self._directory)
        return export_file(checked_record(log, entries, breathe), newest(log, entries), form, key)

    def report(self, log: str, breathe: Callable[[], None] = nothing, language: str = ENGLISH) -> str:
        """A match as a report in HTML, in this language. Raises as :meth:`entries` does."""
        entries = self.entries(log)
        match = checked_record(log, entries, breathe)
        times = timed_turns(breathing(entries, breathe))
        parts = report_parts(match, times, best_kept(match, self.reviews))
        with reading(language):
            return "".join(breathing(parts, breathe))


def after(seconds: float) -> Callable[[], bool]:
    """Says whether so long has passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def title_of(rules: str) -> str:
    """A game's name for people; a match of a game that is not known here has the one in its log."""
    return games.get(rules).title if rules in games.names() else rules


def _formats(rules: str) -> list[str]:
    known = [name for name, each in FORMATS.items() if each.installed]
    return [name for name in known if (held := FORMATS[name].rules) is None or rules in held]


def _file(name: str, data: bytes, kind: str) -> Response:
    """A file to be downloaded."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **NOT_STORED}
    return Response(data, media_type=kind, headers=headers)


class ArchiveApi:
    """The routes of one archive."""

    def __init__(self, archive: Archive, keeper: Keeper | None) -> None:
        self._archive = archive
        self._keeper = keeper
        self._ration = Ration(40, 2)
        self._quick, self._long = WorkQueue(), WorkQueue()
        self._looking: asyncio.Task[None] | None = None

    async def _do(
        self, request: Request, queue: WorkQueue, work: Callable[[Callable[[], None]], T], key: str = ""
    ) -> T:
        """Does ``work`` in a thread, when it is its turn. Raises Refused."""
        self._ration.take(who(request), time.monotonic())
        try:
            return await queue.serve(request, key or f"{request.url.path} {reader.get()}", work)
        except (JournalError, EngineError, FormatError) as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(
                507, phrase("cannot be written: {reason}", reason=error.strerror or error)
            ) from error

    async def games(self, request: Request) -> Response:
        """Every match, the newest first."""

        words = catalogue(reader.get())

        def listed(breathe: Callable[[], None]) -> tuple[str, bool]:
            found = self._archive.matches(breathe)
            text = ",".join(json.dumps(translated(each, words)) for each in breathing(found, breathe))
            return f"[{text}]", all(each["known"] for each in found)

        text, complete = await self._do(request, self._quick, listed)
        if not complete and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look_at_the_rest())
        return Response(text, media_type="application/json", headers=NOT_STORED)

    async def _look_at_the_rest(self) -> None:
        """Completes the list, a match at a time, while nobody waits for anything else."""
        breath = Breath()

        def others_wait() -> bool:
            while (self._quick.busy or self._long.busy) and not breath.gone:
                time.sleep(0.1)
            return breath.gone

        try:
            await asyncio.to_thread(self._archive.look_at, others_wait, breath)
        except (JournalError, OSError):  # whoever asks for the list is told
            return
        finally:
            breath.gone = True

    async def replay(self, request: Request, log: str) -> Response:
        """The match as the page showed it."""

        words = catalogue(reader.get())

        def shown(breathe: Callable[[], None]) -> str:
            found = states(self._archive.entries(log), breathe)
            return f"[{','.join(json.dumps(translated(each, words)) for each in breathing(found, breathe))}]"

        text = await self._do(request, self._long, shown)
        return Response(text, media_type="application/json", headers=NOT_STORED)

    async def download(self, request: Request, log: str, form: Format) -> Response:
        """The match as a file."""
        known = FORMATS.get(form)
        if known is None:
            raise Refused(404, f"there is no such format; there are {', '.join(FORMATS)}")
        data = await self._do(request, self._long, lambda breathe: self._archive.file(log, form, breathe))
        return _file(f"{log}{known.suffix}", data, BINARY if known.binary else "text/plain; charset=utf-8")

    async def report(self, request: Request, log: str) -> Response:
        """The match as a report, one HTML file."""
        code = reader.get()
        text = await self._do(request, self._long, lambda breathe: self._archive.report(log, breathe, code))
        return _file(f"{log}.html", text.encode(errors="replace"), "text/html; charset=utf-8")

    async def put_away(self, request: Request, log: str) -> Response:
        """Puts a match away."""
        return await self._put(request, log, away=True)

    async def bring_back(self, request: Request, log: str) -> Response:
        """Brings a match back."""
        return await self._put(request, log, away=False)

    async def _put(self, request: Request, log: str, away: bool) -> Response:
        assert self._keeper is not None
        may(request, self._keeper)
        await self._do(request, self._quick, lambda _: self._archive.put(log, away), f"{log} {away}")
        return Response(status_code=204)


def add(app: FastAPI, archive: Archive, keeper: Keeper | None) -> None:
    """Adds the routes; without a keeper nobody may change anything."""
    api = ArchiveApi(archive, keeper)
    some = {"type": "array", "items": {"type": "object"}}
    read = refuses(404, 422, *BUSY)

    def file(description: str, *kinds: str) -> Described:
        content = {kind: {"schema": {"type": "string"}} for kind in kinds}
        return {200: {"description": description, "content": content}} | read

    app.get("/api/games", responses=answers(some, "every match, the newest first") | refuses(*BUSY))(
        api.games
    )
    app.get("/api/games/{log}/states", responses=answers(some, "a state for each change") | read)(api.replay)
    app.get("/api/games/{log}/file/{form}", responses=file("the file", "text/plain", BINARY))(api.download)
    app.get("/api/games/{log}/report", responses=file("the report", "text/html"))(api.report)
    if keeper is not None:
        acting = refuses(401, 403, 404, 422, *BUSY)
        app.delete("/api/games/{log}", status_code=204, responses=acting)(api.put_away)
        app.post("/api/games/{log}/back", status_code=204, responses=acting)(api.bring_back)
