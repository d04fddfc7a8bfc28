"""The review of a match on the page: what an engine found in it, and the making of one.

    GET    /review                          its page
    GET    /api/games/{id}/review           what was found so far, and how far the review is that goes on
                                            (``work``, :meth:`firmware.table.reviewer.Review.to_json`)
    GET    /api/games/{id}/review/progress  ``work`` alone
    POST   /api/games/{id}/review           begins a review; DELETE stops it (both need the PIN)
    GET    /api/games/{id}/picture/{name}   a recorded picture of the real board

409 where people play a match, where there is no engine, or none that knows the game.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request, Response

from engine.errors import EngineError
from engine.messages import phrase
from engine.position import Json
from firmware.engines import NoEngine
from firmware.errors import NotNow
from firmware.formats import FormatError
from firmware.page.access import Keeper
from firmware.page.acting import may, who
from firmware.page.archive_api import Archive
from firmware.page.assets import Assets
from firmware.page.ration import Ration
from firmware.page.refusal import JPEG, Refused, answer, answers, jpeg_answer, refuses
from firmware.page.review_view import review_json
from firmware.page.work_queue import WorkQueue
from firmware.record.archive import breathing, checked_record
from firmware.record.chain import JournalError
from firmware.record.match_id import is_match_id, match_file
from firmware.record.review import best_kept
from firmware.record.spots import check_known
from firmware.record.turn_times import timed_turns
from firmware.recordings.stills import Stills, is_still
from firmware.table.reviewer import MatchReviewer

IDLE: Json = {"state": "idle"}


@dataclass(frozen=True, slots=True)
class Reviewing:
    """What makes reviews, None where the page only shows them; and where recorded matches are, None where
    nothing is recorded."""

    reviewer: MatchReviewer | None = None
    recordings: Path | None = None


class ReviewApi:
    """The routes."""

    def __init__(self, archive: Archive, keeper: Keeper | None, reviewing: Reviewing) -> None:
        self._archive, self._keeper = archive, keeper
        self._reviewer, self._recordings = reviewing.reviewer, reviewing.recordings
        self._queue, self._ration = WorkQueue(), Ration(60, 4)

    async def show(self, request: Request, log: str) -> Response:
        """What was found so far."""
        self._ration.take(who(request), time.monotonic())
        found: Json = await self._do(request, f"review {log}", lambda breathe: self._found(log, breathe))
        makes = self._reviewer is not None and self._keeper is not None
        return answer(found | {"id": log, "work": self._work(log), "makes": makes})

    async def progress(self, request: Request, log: str) -> Response:
        """How far the review is."""
        self._ration.take(who(request), time.monotonic())
        return answer(self._work(log))

    async def begin(self, request: Request, log: str) -> Response:
        """Begins a review."""
        assert self._keeper is not None
        may(request, self._keeper)
        if self._reviewer is None:
            raise Refused(409, phrase("no reviews are made here; use 'barpoint review'"))
        await self._do(request, f"known {log}", lambda breathe: self._check(log, breathe))
        try:
            await asyncio.to_thread(self._reviewer.start, log)
        except (NoEngine, NotNow) as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(
                409, phrase("a review cannot be begun: {reason}", reason=error.strerror or str(error))
            ) from error
        return answer(self._work(log))

    async def stop(self, request: Request, log: str) -> Response:
        """Stops it; the games that are done stay."""
        assert self._keeper is not None
        may(request, self._keeper)
        if self._reviewer is not None and self._work(log)["state"] == "working":
            self._reviewer.stop()
        return Response(status_code=204)

    async def picture(self, request: Request, log: str, name: str) -> Response:
        """A recorded picture of the board."""
        self._ration.take(who(request), time.monotonic())
        if self._recordings is None or not is_match_id(log) or not is_still(name):
            raise Refused(404, phrase("there is no such picture"))
        try:
            return jpeg_answer(await asyncio.to_thread((self._recordings / log / name).read_bytes))
        except OSError as error:
            raise Refused(404, phrase("there is no such picture")) from error

    def _work(self, log: str) -> Json:
        return IDLE if self._reviewer is None else self._reviewer.progress(log)

    def _check(self, log: str, breathe: Callable[[], None]) -> Json:
        """Raises Refused where there is no such match, FormatError where no engine knows its game."""
        check_known(checked_record(log, self._archive.entries(log), breathe).rules)
        return {}

    def _found(self, log: str, breathe: Callable[[], None]) -> Json:
        entries = self._archive.entries(log)
        match = checked_record(log, entries, breathe)
        check_known(match.rules)
        reviews = best_kept(match, self._archive.reviews)
        if self._recordings is None:
            return review_json(match, reviews)
        stills = Stills(self._recordings / match_file(log))
        times: dict[int, list[float]] = {}
        for turn in timed_turns(breathing(entries, breathe)):
            times.setdefault(turn.game, []).append(turn.t)

        def picture(game: int, turn: int) -> str | None:
            done = times.get(game, [])
            return stills.at(done[turn - 1]) if 0 < turn <= len(done) else None

        return review_json(match, reviews, picture)

    async def _do(self, request: Request, key: str, work: Callable[[Callable[[], None]], Json]) -> Json:
        try:
            return await self._queue.serve(request, key, work)
        except (JournalError, EngineError, FormatError) as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(
                507, phrase("cannot be read: {reason}", reason=error.strerror or str(error))
            ) from error


def add(app: FastAPI, assets: Assets, archive: Archive, keeper: Keeper | None, reviewing: Reviewing) -> None:
    """Adds the routes; without a keeper nobody may begin a review."""
    api = ReviewApi(archive, keeper, reviewing)

    @app.get("/review", include_in_schema=False)
    async def page(request: Request) -> Response:
        return assets.file("review.html", "no-cache", request)

    known = answers({"type": "object"}, "what was found")
    work = answers({"type": "object"}, "how far it is")
    path = "/api/games/{log}/review"
    app.get(path, responses=known | refuses(404, 408, 409, 422, 429, 507))(api.show)
    app.get(f"{path}/progress", responses=work | refuses(422, 429))(api.progress)
    app.get("/api/games/{log}/picture/{name}", responses=JPEG | refuses(404, 422, 429))(api.picture)
    if keeper is not None:
        refused = refuses(401, 403, 404, 408, 409, 422, 429, 507)
        app.post(path, responses=work | refused)(api.begin)
        app.delete(path, status_code=204, responses=refuses(401, 403, 422, 429))(api.stop)
