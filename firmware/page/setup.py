"""Setting up by the page: the routes of ``/setup``. All of them need the table's PIN; what changes something
needs the desk's token too, so that one person at a time sets up.

    GET  /setup                     the page for it GET  /api/setup                 how things stand;
    ?desk=TOKEN keeps one's place GET  /api/setup/games           games, kinds of board, what the form is
    filled with, calibrations, matches that were left GET  /api/setup/view.jpg        what the camera sees
    now, its true size in X-Size GET  /api/setup/overlay.jpg     what was learned, drawn over the picture that
    it was learned from POST /api/setup/desk            {"take": false}: sits down, and gets a token POST
    /api/setup/{what}          with {"desk": TOKEN, …}: leave, outlines, find, learn, bare, stop, exchange,
    keep, arrange, try, light,
                                    lamps, look, map, mend, begin, go-on

Every refusal is ``{"reason": …}`` in words for people: 409 what the table cannot do now, 422 what makes no
sense, 423 somebody else is at it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response

from engine import rules as games
from engine.errors import EngineError
from firmware.errors import BadInput
from firmware.page.access import Keeper, Ration, TooOften
from firmware.page.acting import body, from_here, knows, takes, who
from firmware.page.refusal import Described, Refused, answer, answers, refuses
from firmware.page.shelf import Shelf
from firmware.record.journal import Journal, JournalError
from firmware.setup import maps
from firmware.setup.desk import Desk, Taken
from firmware.setup.games import listing
from vision import boards
from vision.errors import VisionError
from vision.geometry.camera import Corner

ALWAYS = (401, 403, 429)
"""Refusals of every route here."""
BODY = (408, 413, 415, 422, 423)
"""Those of routes that read a body."""
DONE: Described = {
    200: {"description": "what was asked for", "content": {"application/json": {}}},
    204: {"description": "done"},
}
STEP = {"type": "object", "properties": {"desk": {"type": "string"}}, "required": ["desk"]}
SEAT = {"type": "object", "properties": {"take": {"type": "boolean"}}}
JPEG: Described = {
    200: {"description": "the picture", "content": {"image/jpeg": {}}},
    204: {"description": "there is none yet"},
}

Does = Callable[[dict[str, Any]], Awaitable[Any]]


def corners_in(data: dict[str, Any]) -> list[Corner]:
    """The four corners. Raises BadInput."""
    given = data.get("corners")
    try:
        assert isinstance(given, list)
        places = [(float(x), float(y)) for x, y in given]
    except (AssertionError, TypeError, ValueError):
        places = []
    if len(places) != 4 or not all(
        math.isfinite(value) and abs(value) < 1e6 for place in places for value in place
    ):
        raise BadInput("corners are four pairs of pixels: bottom-left, bottom-right, top-right, top-left")
    return places


def part(data: dict[str, Any], name: str) -> dict[str, Any]:
    """An object in the body. Raises BadInput."""
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise BadInput(f"{name} is to be an object")
    return found


def acts(desk: Desk) -> dict[str, Does]:
    """What can be asked for, by name."""

    async def leave(data: dict[str, Any]) -> None:
        desk.leave(data["desk"])

    async def outlines(data: dict[str, Any]) -> Any:
        return boards.get(games.get(str(data.get("game"))).board).outlines(part(data, "measures"))

    async def find(data: dict[str, Any]) -> None:
        desk.find(str(data.get("game")), part(data, "measures"))

    async def learn(data: dict[str, Any]) -> None:
        desk.learn(str(data.get("game")), corners_in(data), part(data, "measures"))

    async def bare(data: dict[str, Any]) -> None:
        desk.bare(data.get("on") is True)

    async def stop(data: dict[str, Any]) -> None:
        desk.stop()

    async def exchange(data: dict[str, Any]) -> None:
        await desk.exchange()

    async def keep(data: dict[str, Any]) -> None:
        await desk.keep()

    async def arrange(data: dict[str, Any]) -> None:
        desk.arrange(str(data.get("game")), str(data.get("what")), part(data, "measures"))

    async def try_out(data: dict[str, Any]) -> None:
        desk.try_out(data.get("on") is True)

    async def light(data: dict[str, Any]) -> None:
        leds = data.get("leds")
        if not isinstance(leds, list) or not all(type(led) is int for led in leds):
            raise BadInput("leds is to be a list of numbers")
        desk.light(leds)

    async def lamps(data: dict[str, Any]) -> None:
        await desk.shine(data)

    async def look(data: dict[str, Any]) -> Any:
        return await asyncio.to_thread(desk.differs, str(data.get("game")), part(data, "options"))

    async def read_map(data: dict[str, Any]) -> Any:
        return await asyncio.to_thread(desk.map, str(data.get("game")))

    async def mend(data: dict[str, Any]) -> Any:
        rules = maps.known(data.get("game"))
        return await asyncio.to_thread(lambda: maps.told(rules, maps.corrected(rules, data.get("cells"))))

    async def begin(data: dict[str, Any]) -> None:
        await desk.begin(data)

    async def go_on(data: dict[str, Any]) -> None:
        await desk.go_on(str(data.get("log")), data.get("leave") is True)

    named = (
        leave,
        outlines,
        find,
        learn,
        bare,
        stop,
        exchange,
        keep,
        arrange,
        light,
        lamps,
        look,
        mend,
        begin,
    )
    return {each.__name__: each for each in named} | {"try": try_out, "map": read_map, "go-on": go_on}


def add(
    app: FastAPI, desk: Desk, keeper: Keeper, shelf: Shelf, now: Callable[[], float] = time.monotonic
) -> None:
    """Adds the routes."""
    does = acts(desk)
    ration = Ration(60, 12)

    def may(request: Request) -> None:
        from_here(request)
        if not knows(keeper, request):
            raise Refused(401, "setting up needs the table's PIN")
        try:
            ration.take(who(request), now())
        except TooOften as error:
            raise Refused(429, str(error), error.wait) from error

    def left(journal: Journal) -> list[dict[str, Any]]:
        found = []
        for log in reversed(desk.left()):
            entries = journal.entries(log)
            if entries:
                body = entries[0].body
                rules = games.get(str(body["rules"]))
                players = [body.get("players", {}).get(side, side) for side in rules.sides]
                found.append({"id": log, "title": rules.title, "players": players, "date": entries[0].at})
        return found

    @app.get("/api/setup", responses=answers({"type": "object"}, "how things stand") | refuses(*ALWAYS))
    async def state(request: Request) -> Response:
        """How things stand."""
        may(request)
        return answer(desk.state(request.query_params.get("desk", "")))

    @app.get(
        "/api/setup/games",
        responses=answers({"type": "object"}, "what can be chosen") | refuses(*ALWAYS, 409),
    )
    async def choices(request: Request) -> Response:
        """What can be chosen, and what the form is filled with."""
        may(request)
        try:
            found = await asyncio.to_thread(
                lambda: {**listing(), "known": desk.known(), "left": shelf.read(left, list[dict[str, Any]]())}
            )
        except JournalError as error:
            raise Refused(409, str(error)) from error
        return answer(found | {"usual": desk.usual()})

    @app.get("/api/setup/view.jpg", responses=JPEG | refuses(*ALWAYS))
    async def view(request: Request) -> Response:
        """What the camera sees."""
        may(request)
        seen = await asyncio.to_thread(desk.view)
        if seen is None:
            return Response(status_code=204)
        data, (width, height) = seen
        return Response(
            data,
            media_type="image/jpeg",
            headers={"Cache-Control": "no-store", "X-Size": f"{width} {height}"},
        )

    @app.get("/api/setup/overlay.jpg", responses=JPEG | refuses(*ALWAYS))
    async def overlay(request: Request) -> Response:
        """What was learned."""
        may(request)
        learned = desk.learned
        if learned is None:
            return Response(status_code=204)
        return Response(learned.overlay, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    @app.post(
        "/api/setup/desk",
        openapi_extra=takes(SEAT),
        responses=answers(STEP, "one's token") | refuses(*ALWAYS, *BODY),
    )
    async def sit(request: Request) -> Response:
        """Sits down at the desk."""
        may(request)
        try:
            return answer({"desk": desk.open(who(request), (await body(request)).get("take") is True)})
        except Taken as error:
            raise Refused(423, str(error)) from error

    @app.post(
        "/api/setup/{what}", openapi_extra=takes(STEP), responses=DONE | refuses(*ALWAYS, *BODY, 404, 409)
    )
    async def do(request: Request, what: str) -> Response:
        """Does one step."""
        may(request)
        if what not in does:
            raise Refused(404, f"there is no step {what}; there are {', '.join(does)}")
        data = await body(request)
        try:
            desk.hold(data.get("desk"))
            found = await does[what](data)
        except Taken as error:
            raise Refused(423, str(error)) from error
        except EngineError as error:
            raise Refused(422, str(error)) from error
        except (BadInput, VisionError, JournalError) as error:
            raise Refused(409, str(error)) from error
        return Response(status_code=204) if found is None else answer(found)
