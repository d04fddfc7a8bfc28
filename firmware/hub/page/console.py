"""The director's console: what changes a tournament, behind the hub's PIN (:mod:`firmware.page.acting`).

    POST /api/director/tournaments             {"who", "act": {"act": "Set", …}}: a new tournament
    POST /api/director/tournaments/{id}/acts   {"who", "why", "act": {…}}: one change
    POST /api/director/tournaments/{id}/csv    {"who", "what": "players" or "pairings", "text"}: a CSV file
    POST /api/director/tournaments/{id}/seat   {"who", "round"}: gives free tables to the matches of a round
    GET  /api/director/tournaments/{id}/trail  who did what, when and why
    GET  /api/director                         what needs the director, and free tables
    POST /api/director/calls                   {"who", "table"}: the director comes to a table that called

An act is one of :mod:`firmware.hub.tournament.changes`, or ``Undo``; an entry's number in ``Enter`` may be
left out. Every refusal is ``{"reason": …}``, and has changed nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable
from typing import Any, TypeVar

from fastapi import FastAPI, Request, Response

from engine import rules
from engine.messages import joined, phrase
from firmware.errors import BadInput
from firmware.hub.live import describe_skew
from firmware.hub.office import tell
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.desk import Desk
from firmware.hub.office.seating import players, plays_elsewhere, seated
from firmware.hub.store import StoreError
from firmware.hub.tournament import csv_import
from firmware.hub.tournament.changes import AddRound, Report, Seat, Set
from firmware.hub.tournament.pairings import pairing_id, pairings, round_count
from firmware.hub.tournament.trail import Act, from_json
from firmware.page import acting
from firmware.page.access import Keeper
from firmware.page.acting import may
from firmware.page.refusal import Refused, answer, refuses

T = TypeVar("T")
LARGEST = 600 * 1024
"""Bytes of a request: a CSV file with a thousand players takes some 60 kB."""


class Console:
    """The routes of a desk for those whom ``keeper`` knows."""

    def __init__(self, desk: Desk, keeper: Keeper) -> None:
        self._desk = desk
        self._keeper = keeper

    async def _read(self, request: Request) -> tuple[dict[str, Any], str]:
        """The body, and who sends it. Raises Refused."""
        may(request, self._keeper)
        data = await acting.read_body(request, LARGEST)
        who = data.get("who")
        if not isinstance(who, str):
            raise Refused(422, "who: say who you are")
        return data, who

    def _kept(self, tournament: int) -> KeptTournament:
        kept = self._desk.tournament(tournament)
        if kept is None:
            raise Refused(404, f"there is no tournament {tournament}")
        return kept

    async def make(self, request: Request) -> Response:
        """Makes a tournament."""
        data, who = await self._read(request)
        act = _act(data.get("act"))
        if not isinstance(act, Set):
            raise Refused(422, "act: a tournament begins with Set")
        return answer(tell.tournament_json(await _done(self._desk.make(act, who))), 201)

    async def do(self, request: Request, tournament: int) -> Response:
        """Does one change; answers with the tournament after it."""
        data, who = await self._read(request)
        self._kept(tournament)
        given = data.get("act")
        if isinstance(given, dict) and given.get("act") == "Enter":
            given = {"number": 0} | given
        if isinstance(given, dict) and given.get("act") == "MakeDraw" and not given.get("seed"):
            given = given | {"seed": secrets.token_hex(8)}
        why = data.get("why", "")
        if not isinstance(why, str):
            raise Refused(422, "why must be a text")
        return answer(tell.tournament_json(await _done(self._desk.do(tournament, _act(given), who, why))))

    async def take_csv(self, request: Request, tournament: int) -> Response:
        """Takes a file of players, or of the next round's pairings."""
        data, who = await self._read(request)
        kept, text = self._kept(tournament), data.get("text")
        if not isinstance(text, str):
            raise Refused(422, "text: the file's content")
        acts: list[Act] = []
        try:
            if data.get("what") == "players":
                acts += csv_import.players(text, kept.event)
            elif data.get("what") == "pairings":
                pairs, tables = csv_import.pairs(text, kept.event)
                acts.append(AddRound(pairs))
                number = round_count(kept.event) + 1
                seats = ((pairing_id(number, place), table) for place, table in enumerate(tables, 1) if table)
                if any(tables):
                    acts.append(Seat(tuple(seats)))
            else:
                raise Refused(422, "what: players or pairings")
        except BadInput as error:
            raise Refused(422, str(error)) from error
        return answer(
            tell.tournament_json(await _done(self._desk.do_all(tournament, acts, who, tell.CSV_FILE.pattern)))
        )

    async def seat(self, request: Request, tournament: int) -> Response:
        """Gives free tables to the matches of a round that may be played and have none; ``note`` says which
        are left out, since a player of theirs plays elsewhere."""
        data, who = await self._read(request)
        kept = self._kept(tournament)
        waiting = [
            each
            for each in pairings(kept.event)
            if each.ready and not each.table and each.round == data.get("round")
        ]
        busy = players(seated(self._desk.tournaments()))
        left_out = {each.id: words for each in waiting if (words := plays_elsewhere(kept, each, busy))}
        can_begin = [each.id for each in waiting if each.id not in left_out]
        pairs = tuple(zip(can_begin, self._desk.free_tables(), strict=False))
        note = joined(". ", left_out.values())
        if not pairs:
            seated_all = phrase("every match of this round has a table, or is not ready")
            raise Refused(409, phrase("no table is free") if can_begin else note or seated_all)
        changed = await _done(self._desk.do(tournament, Seat(pairs), who, ""))
        return answer(tell.tournament_json(changed) | {"note": note})

    async def trail(self, request: Request, tournament: int) -> Response:
        """Who did what, when and why, the newest first."""
        self._look(request)
        return answer(tell.trail_json(self._kept(tournament)))

    async def overview(self, request: Request) -> Response:
        """What needs the director: calls, results that could not be taken, wrong clocks, free tables; and
        the games."""
        self._look(request)
        hub = self._desk.hub
        clocks = [
            joined(": ", (each.name, words))
            for each in hub.live.tables()
            if each.online and (words := describe_skew(each.skew))
        ]
        return answer(
            {
                "troubles": [*hub.troubles, *self._desk.troubles.values(), *clocks],
                "calls": [
                    {"table": each.name, "why": each.call.why, "coming": each.coming or None}
                    for each in hub.live.tables()
                    if each.call is not None
                ],
                "tables": [each.name for each in hub.live.tables()],
                "free": self._desk.free_tables(),
                "games": [(name, rules.get(name).title) for name in rules.names()],
            }
        )

    async def answer_call(self, request: Request) -> Response:
        """Tells a table that the director comes."""
        data, who = await self._read(request)
        table = self._desk.hub.live.table(str(data.get("table")))
        if table is None or table.call is None:
            raise Refused(409, "this table does not call")
        await self._desk.hub.come(table.name, who[:40])
        return Response(status_code=204)

    def _look(self, request: Request) -> None:
        acting.from_here(request)
        if not acting.knows(self._keeper, request):
            raise Refused(401, phrase("enter the hub's PIN"))


def _act(data: object) -> Act:
    """What a person does. Raises Refused, also where it would pass for what a table has signed."""
    try:
        act = from_json(data)
    except BadInput as error:
        raise Refused(422, str(error)) from error
    if isinstance(act, Report) and (act.match or act.digest or act.signed):
        raise Refused(
            422, "match, digest, signed: only a table's journal says these of a result; leave them out"
        )
    return act


async def _done(work: Awaitable[T]) -> T:
    """Waits for a change. Raises Refused where it cannot be made."""
    try:
        return await work
    except BadInput as error:
        raise Refused(409, str(error)) from error
    except StoreError as error:
        raise Refused(507, phrase("nothing was changed: {error}", error=str(error))) from error


def add(app: FastAPI, desk: Desk, keeper: Keeper) -> None:
    """Adds the routes, and those by which a director's browser shows the PIN."""
    acting.add_door(app, keeper)
    console = Console(desk, keeper)
    changed = refuses(401, 403, 404, 408, 409, 413, 415, 422, 429, 507)

    @app.get("/api/me")
    async def me(request: Request) -> Response:
        """Whether this browser has shown the PIN."""
        return answer({"may": acting.knows(keeper, request), "table": False})

    root = "/api/director"
    app.get(root, responses=refuses(401, 403), response_model=None)(console.overview)
    app.post(f"{root}/calls", responses=changed, response_model=None)(console.answer_call)
    root += "/tournaments"
    app.post(root, responses=changed, response_model=None)(console.make)
    root += "/{tournament}"
    app.post(f"{root}/acts", responses=changed, response_model=None)(console.do)
    app.post(f"{root}/csv", responses=changed, response_model=None)(console.take_csv)
    app.post(f"{root}/seat", responses=changed, response_model=None)(console.seat)
    app.get(f"{root}/trail", responses=refuses(401, 403, 404), response_model=None)(console.trail)
