"""The routes of ``/setup``. All of them need the table's PIN; what changes something also needs the token of
whoever sets up, so that one person at a time does.

    GET  /api/setup                 how things stand; ?desk=TOKEN keeps one's place
    GET  /api/setup/games           games, kinds of board, what fills the form, calibrations, open matches
    GET  /api/setup/view.jpg        what the camera sees now, its true size in X-Size
    GET  /api/setup/wiring.svg      the pins of this table's wiring; ?gpio=5 points at one
    GET  /api/setup/overlay.jpg     what was learned, drawn over the picture that it was learned from
    POST /api/setup/desk            {"take": false}: begins to set up, and gets a token
    POST /api/setup/{step}          {"desk": TOKEN, …}: does one of :data:`STEPS`

Every refusal is ``{"reason": …}`` in words for people: 409 the table cannot do it now, 422 it makes no sense,
423 somebody else is setting up.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response

from engine import rules as games
from engine.errors import EngineError
from engine.messages import phrase
from engine.names import named
from engine.position import Json
from firmware.errors import BadInput
from firmware.page.access import Keeper
from firmware.page.acting import from_here, knows, read_body, takes, who
from firmware.page.archive_api import Archive, title_of
from firmware.page.ration import Ration
from firmware.page.refusal import JPEG, NOT_STORED, Described, Refused, answer, answers, jpeg_answer, refuses
from firmware.record.chain import JournalAway, JournalError
from firmware.record.journal import Journal
from firmware.record.match_line import first_line
from firmware.setup import maps
from firmware.setup.games import list_games
from firmware.setup.lease import SomebodyElse
from firmware.setup.setup_session import SetupSession
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
SVG: Described = {200: {"description": "a picture", "content": {"image/svg+xml": {}}}}
TOKEN = {"type": "object", "properties": {"desk": {"type": "string"}}, "required": ["desk"]}
TAKE = {"type": "object", "properties": {"take": {"type": "boolean"}}}

Step: TypeAlias = Callable[[SetupSession, dict[str, Any]], Any]
"""Does one step with the request's body. What it returns, or its awaited result, is the answer."""


def read_corners(data: Mapping[str, Any]) -> list[Corner]:
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


def read_object(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object in the body. Raises BadInput."""
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise BadInput(f"{name} must be an object")
    return found


def read_leds(data: Mapping[str, Any]) -> list[int]:
    """The numbers of LEDs. Raises BadInput."""
    leds = data.get("leds")
    if not isinstance(leds, list) or not all(type(led) is int for led in leds):
        raise BadInput("leds must be a list of numbers")
    return leds


def fix_map(data: Mapping[str, Any]) -> Json:
    """A map as the players corrected it. Raises BadInput or EngineError."""
    rules = maps.map_rules(data.get("game"))
    return maps.describe_map(rules, maps.read_cells(rules, data.get("cells")))


def _game(data: Mapping[str, Any]) -> str:
    return str(data.get("game"))


STEPS: dict[str, Step] = {
    "leave": lambda setup, data: setup.lease.leave(data["desk"]),
    "outlines": lambda setup, data: boards.get(games.get(_game(data)).board).outlines(
        read_object(data, "measures")
    ),
    "find": lambda setup, data: setup.find(_game(data), read_object(data, "measures")),
    "learn": lambda setup, data: setup.learn(_game(data), read_corners(data), read_object(data, "measures")),
    "focus": lambda setup, data: setup.refocus(),
    "bare": lambda setup, data: setup.bare(data.get("on") is True),
    "stop": lambda setup, data: setup.stop(),
    "exchange": lambda setup, data: setup.exchange(),
    "keep": lambda setup, data: setup.keep(),
    "go-back": lambda setup, data: setup.go_back(_game(data)),
    "arrange": lambda setup, data: setup.arrange(
        _game(data), str(data.get("what")), read_object(data, "measures")
    ),
    "try": lambda setup, data: setup.try_out(data.get("on") is True),
    "light": lambda setup, data: setup.light(read_leds(data)),
    "guide": lambda setup, data: setup.guide(data.get("part")),
    "answer": lambda setup, data: setup.answer(data.get("said")),
    "lamps": lambda setup, data: setup.set_lamps(data),
    "look": lambda setup, data: asyncio.to_thread(setup.differs, _game(data), read_object(data, "options")),
    "map": lambda setup, data: asyncio.to_thread(setup.read_map, _game(data)),
    "fix": lambda setup, data: asyncio.to_thread(fix_map, data),
    "begin": lambda setup, data: setup.begin(data),
    "go-on": lambda setup, data: setup.go_on(str(data.get("log")), data.get("leave") is True),
}
STEPS["mend"] = STEPS["fix"]  # what it was called at first
"""What can be asked for, by name."""


class SetupApi:
    """The routes of one table's setting up."""

    def __init__(self, setup: SetupSession, keeper: Keeper, archive: Archive) -> None:
        self._setup = setup
        self._keeper = keeper
        self._archive = archive
        self._ration = Ration(60, 12)

    def _check(self, request: Request) -> None:
        """Raises Refused where this browser may not set up, or asks too often."""
        from_here(request)
        if not knows(self._keeper, request):
            raise Refused(401, phrase("setting up needs the table's PIN"))
        self._ration.take(who(request), time.monotonic())

    def _open_matches(self, journal: Journal) -> list[Json]:
        found = []
        for log in reversed(self._setup.open_matches()):
            try:
                first = journal.entries(log, most=1)
            except JournalAway:
                raise
            except JournalError:  # a bad match hides no other
                continue
            found += [
                {"title": title_of(line.rules), "players": [*map(named, line.players)]}
                | {"id": log, "date": line.date}
                for line in map(first_line, first)
            ]
        return found

    async def state(self, request: Request) -> Response:
        """How things stand."""
        self._check(request)
        return answer(self._setup.state(request.query_params.get("desk", "")))

    async def choices(self, request: Request) -> Response:
        """What can be chosen, and what fills the form."""
        self._check(request)

        def find() -> Json:
            left = self._archive.read(self._open_matches, list[Json]())
            return {**list_games(), **self._setup.calibrations(), "left": left}

        try:
            found = await asyncio.to_thread(find)
        except JournalError as error:
            raise Refused(409, str(error)) from error
        return answer(found | {"usual": self._setup.usual()})

    async def view(self, request: Request) -> Response:
        """What the camera sees."""
        self._check(request)
        seen = await asyncio.to_thread(self._setup.view)
        if seen is None:
            return jpeg_answer(None)
        data, (width, height) = seen
        response = jpeg_answer(data)
        response.headers["X-Size"] = f"{width} {height}"
        return response

    async def overlay(self, request: Request) -> Response:
        """What was learned."""
        self._check(request)
        learned = self._setup.learned
        return jpeg_answer(None if learned is None else learned.overlay)

    async def wiring(self, request: Request, gpio: int | None = None) -> Response:
        """The header of the Pi, as this table is wired; ``gpio`` is pointed at."""
        self._check(request)
        return Response(self._setup.wiring(gpio), media_type="image/svg+xml", headers=NOT_STORED)

    async def open(self, request: Request) -> Response:
        """Begins to set up."""
        self._check(request)
        try:
            take = (await read_body(request)).get("take") is True
            return answer({"desk": self._setup.lease.take(who(request), take)})
        except SomebodyElse as error:
            raise Refused(423, str(error)) from error

    async def do(self, request: Request, what: str) -> Response:
        """Does one step."""
        self._check(request)
        if what not in STEPS:
            raise Refused(404, f"there is no step {what}; there are {', '.join(STEPS)}")
        data = await read_body(request)
        try:
            self._setup.lease.hold(data.get("desk"))
            found = STEPS[what](self._setup, data)
            if inspect.isawaitable(found):
                found = await found
        except SomebodyElse as error:
            raise Refused(423, str(error)) from error
        except EngineError as error:
            raise Refused(422, str(error)) from error
        except (BadInput, VisionError, JournalError) as error:
            raise Refused(409, str(error)) from error
        return Response(status_code=204) if found is None else answer(found)


def add(app: FastAPI, setup: SetupSession, keeper: Keeper, archive: Archive) -> None:
    """Adds the routes."""
    api, thing, always = SetupApi(setup, keeper, archive), {"type": "object"}, refuses(*ALWAYS)
    app.get("/api/setup", responses=answers(thing, "how things stand") | always)(api.state)
    app.get("/api/setup/games", responses=answers(thing, "what can be chosen") | refuses(*ALWAYS, 409))(
        api.choices
    )
    app.get("/api/setup/view.jpg", responses=JPEG | always)(api.view)
    app.get("/api/setup/wiring.svg", responses=SVG | always)(api.wiring)
    app.get("/api/setup/overlay.jpg", responses=JPEG | always)(api.overlay)
    app.post(
        "/api/setup/desk",
        openapi_extra=takes(TAKE),
        responses=answers(TOKEN, "one's token") | refuses(*ALWAYS, *BODY),
    )(api.open)
    app.post(
        "/api/setup/{what}", openapi_extra=takes(TOKEN), responses=DONE | refuses(*ALWAYS, *BODY, 404, 409)
    )(api.do)
