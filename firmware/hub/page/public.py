"""What everybody may ask of the club: draws, standings, boards, players, files.

    GET /api/club                              the event, its tournaments, how many look on
    GET /api/club/events                       all of it as it changes, as server-sent events
    GET /api/tournaments/{id}                  a tournament as it stands
    GET /api/tournaments/{id}/{number}         the same after so many changes: never another answer, so that
                                               browsers and a proxy may keep it
    GET /api/tournaments/{id}/file/{name}      results.csv, standings.csv, report.trf, matches.zip
    GET /api/players, /api/players/{name}      ratings, and a player's matches

The answers for many are made once for each change, and kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from firmware.hub.hub import Hub
from firmware.hub.office import history, tell
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.desk import Desk
from firmware.hub.office.zipped import archive
from firmware.hub.page.broadcast import Broadcast
from firmware.hub.store import StoreError
from firmware.hub.tournament.exports import results_csv, standings_csv, trf
from firmware.hub.tournament.ratings import RatingStep
from firmware.page.connection_limit import LimitedSocket
from firmware.page.hardened import LINE
from firmware.page.refusal import NOT_STORED, Refused, answer, refuses
from firmware.page.work_queue import Breath, WorkQueue
from firmware.record.chain import Entry

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
A_SECOND = {"Cache-Control": "public, max-age=1"}
"""What changes may be a second old: so a proxy asks once for all its spectators."""
TEXTS: dict[str, tuple[str, Callable[[KeptTournament], str]]] = {
    "results.csv": ("text/csv", lambda kept: results_csv(kept.event)),
    "standings.csv": ("text/csv", lambda kept: standings_csv(kept.event)),
    "report.trf": ("text/plain", lambda kept: trf(kept.event, _day(kept))),
}
"""Files that are texts: kind, and who writes them."""
ZIP = "matches.zip"

Names: TypeAlias = dict[str, list[RatingStep]]


class Public:
    """The answers for everybody."""

    def __init__(self, hub: Hub, desk: Desk, broadcast: Broadcast, door: LimitedSocket | None) -> None:
        """``door`` is the socket that lets people in, if it is to be told who follows."""
        self._door = door
        self._hub = hub
        self._desk = desk
        self._broadcast = broadcast
        self._told: dict[int, tuple[int, bytes]] = {}
        self._zips: dict[int, tuple[int, bytes]] = {}
        self._queue = WorkQueue()
        self._players: tuple[int, Names] | None = None

    async def club(self) -> Response:
        """The event and its tournaments, and which pages' files are served."""
        heads = [tell.head_json(each) for each in self._desk.tournaments()]
        tables = self._hub.live.tables()
        data = {
            "event": self._hub.event,
            "tournaments": heads,
            "tables": len(tables),
            "online": sum(each.online for each in tables),
            "spectators": self._broadcast.followers,
        }
        return Response(json.dumps(data), media_type="application/json", headers=A_SECOND)

    async def events(self, request: Request) -> StreamingResponse:
        """Everything, then what changes, as server-sent events."""
        packed = "gzip" in request.headers.get("accept-encoding", "")
        return StreamingResponse(
            self._follow(request.scope.get(LINE, ("", 0)), packed),
            media_type="text/event-stream",
            headers=NOT_STORED | UNBUFFERED | (PACKED if packed else {}),
        )

    async def _follow(self, line: tuple[str, int], packed: bool) -> AsyncGenerator[bytes, None]:
        """The stream, for as long as which the connection keeps its place."""
        if self._door is not None:
            self._door.follows(line, True)
        try:
            async with aclosing(self._broadcast.follow(packed)) as following:
                async for news in following:
                    yield news
        finally:
            if self._door is not None:
                self._door.follows(line, False)

    def _existing(self, number: int) -> KeptTournament:
        kept = self._desk.tournament(number)
        if kept is None:
            raise Refused(404, f"there is no tournament {number}")
        return kept

    def _text(self, kept: KeptTournament) -> bytes:
        number = len(kept.trail)
        made = self._told.get(kept.id)
        if made is None or made[0] != number:
            made = (number, json.dumps(tell.tournament_json(kept), separators=(",", ":")).encode())
            self._told[kept.id] = made
        return made[1]

    async def tournament(self, tournament: int) -> Response:
        """A tournament as it stands now."""
        text = self._text(self._existing(tournament))
        return Response(text, media_type="application/json", headers=A_SECOND)

    async def version(self, tournament: int, number: int) -> Response:
        """A tournament after ``number`` changes; 404 where that is not how it stands now."""
        kept = self._existing(tournament)
        if len(kept.trail) != number:
            raise Refused(404, f"tournament {tournament} has changed {len(kept.trail)} times, not {number}")
        return Response(self._text(kept), media_type="application/json", headers=FOREVER)

    async def file(self, request: Request, tournament: int, name: str) -> Response:
        """A file for other programs."""
        kept = self._existing(tournament)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'} | A_SECOND
        if name == ZIP:
            return Response(await self._zip(request, kept), media_type="application/zip", headers=headers)
        if name not in TEXTS:
            raise Refused(404, f"there is no such file; there are {', '.join((*TEXTS, ZIP))}")
        kind, write = TEXTS[name]
        return Response(write(kept), media_type=f"{kind}; charset=utf-8", headers=headers)

    async def _zip(self, request: Request, kept: KeptTournament) -> bytes:
        """The archive; made once for each change, beside the hub's own work."""
        number = len(kept.trail)
        made = self._zips.get(kept.id)
        if made is None or made[0] != number:

            def zipped(breathe: Breath) -> bytes:
                return archive(kept, self._entries, breathe)

            try:
                data = await self._queue.serve(request, f"{kept.id} {number}", zipped)
            except StoreError as error:
                raise Refused(503, f"the database cannot be read: {error}") from error
            made = (number, data)
            self._zips = {kept.id: made}
        return made[1]

    def _entries(self, table: str, match: str) -> Sequence[Entry]:
        boards = self._hub.store.boards(self._hub.event)
        for board in sorted(boards, key=lambda each: each.name != table):
            entries = self._hub.store.entries(board.id, match)
            if entries:
                return entries
        return ()

    def _ratings(self) -> Names:
        kept = self._desk.everything()
        number = sum(len(each.trail) for each in kept)
        if self._players is None or self._players[0] != number:
            self._players = (number, history.players(kept))
        return self._players[1]

    async def players(self) -> Response:
        """The list of ratings."""
        text = json.dumps(history.list_json(self._ratings()))
        return Response(text, media_type="application/json", headers=A_SECOND)

    async def player(self, name: str) -> Response:
        """A player's rated matches, the newest first."""
        found = self._ratings()
        spelt = next((each for each in found if each.casefold() == name.casefold()), None)
        if spelt is None:
            raise Refused(404, f"no rated match of {name[:80]!r} is known")
        return answer(history.player_json(spelt, found[spelt]))


UNBUFFERED = {"X-Accel-Buffering": "no"}
"""Tells nginx to pass a stream on as it comes."""
PACKED = {"Content-Encoding": "gzip"}


def _day(kept: KeptTournament) -> str:
    return time.strftime("%Y/%m/%d", time.gmtime(kept.trail[0].at)) if kept.trail else ""


def add(app: FastAPI, public: Public) -> None:
    """Adds the routes."""
    routes: dict[str, Any] = {
        "/api/club": public.club,
        "/api/club/events": public.events,
        "/api/tournaments/{tournament}": public.tournament,
        "/api/tournaments/{tournament}/{number}": public.version,
        "/api/tournaments/{tournament}/file/{name}": public.file,
        "/api/players": public.players,
        "/api/players/{name:path}": public.player,
    }
    for path, does in routes.items():
        app.get(path, responses=refuses(404, 422), response_model=None)(does)
