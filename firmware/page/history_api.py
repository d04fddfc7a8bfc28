"""A player's figures over months, on the page.

GET /history                    its page
GET /api/history?player=NAME    the figures (:func:`firmware.record.history.history_json`), and ``players``,
                                everybody who plays in a logged match
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fastapi import FastAPI, Query, Request, Response

from engine.messages import phrase
from firmware.page.access import Ration
from firmware.page.acting import who
from firmware.page.archive_api import Archive
from firmware.page.assets import Assets
from firmware.page.refusal import Refused, answer, answers, refuses
from firmware.page.work_queue import WorkQueue, gone
from firmware.record.catalogue import Catalogue
from firmware.record.chain import JournalError
from firmware.record.history import history_json, player_history
from firmware.record.journal import Journal
from firmware.record.match_line import UNKNOWN

LONGEST = 200
"""Letters of the longest name that is looked for."""


def add(app: FastAPI, assets: Assets, archive: Archive) -> None:
    """Adds the routes."""
    queue, ration = WorkQueue(), Ration(20, 1)

    @app.get("/history", include_in_schema=False)
    async def page(request: Request) -> Response:
        return assets.file("history.html", "no-cache", request)

    @app.get(
        "/api/history",
        responses=answers({"type": "object"}, "a player's figures") | refuses(409, 422, 429, 507),
    )
    async def figures(request: Request, player: str = Query("", max_length=LONGEST)) -> Response:
        """A player's rating in each reviewed match, and by phase of the game."""
        ration.take(who(request), time.monotonic())

        def found(breathe: Callable[[], None]) -> dict[str, object]:
            def ask(journal: Journal) -> dict[str, object]:
                with Catalogue(journal, breathe) as catalogue:
                    matches = [each for each in catalogue.at_hand() if each.log not in away]
                names = sorted({name for each in matches for name in each.players} - {UNKNOWN})
                own = (
                    list(player_history(journal, matches, player, archive.reviews, breathe)) if player else []
                )
                return history_json(player, own) | {"players": names}

            away = set(archive.away())
            return archive.read(ask, history_json(player, []) | {"players": []})

        try:
            key = f"history {player.casefold()}"
            return answer(await queue.do(who(request), key, found, lambda: gone(request)))
        except JournalError as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(
                507, phrase("cannot be written: {reason}", reason=error.strerror or str(error))
            ) from error
