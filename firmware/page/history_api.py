"""A player's figures over months, on the page.

GET /history                    its page
GET /api/history?player=NAME    the figures (:func:`firmware.record.history.history_json`), and ``players``,
                                everybody who plays in a logged match; ``left``, how many of ``all`` matches
                                must still be looked at: while there are any there are no figures, and who
                                asks again goes on where this left off
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fastapi import FastAPI, Query, Request, Response

from engine.messages import phrase
from firmware.page.acting import who
from firmware.page.archive_api import Archive, after
from firmware.page.assets import Assets
from firmware.page.ration import Ration
from firmware.page.refusal import Refused, answer, answers, refuses
from firmware.page.work_queue import WorkQueue
from firmware.record.catalogue import Catalogue
from firmware.record.chain import JournalError
from firmware.record.history import history_json, player_history
from firmware.record.journal import Journal
from firmware.record.match_line import UNKNOWN

LOOKING = 2.0
"""Seconds of looking at matches before an answer."""
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
                    left = catalogue.look_at(after(LOOKING)) if player else 0
                    if left and not catalogue.lasting:  # each answer would begin anew
                        left = catalogue.look_at(lambda: False)
                    matches = catalogue.at_hand()
                    shown = [each for each in matches if each.log not in away]
                    tells = player and not left
                    own = player_history(catalogue, shown, player, archive.reviews, lambda *_: breathe())
                    figures = history_json(player, list(own) if tells else [])
                names = sorted({name for each in shown for name in each.players} - {UNKNOWN})
                return figures | {"players": names, "left": left, "all": len(matches)}

            away = set(archive.away())
            return archive.read(ask, history_json(player, []) | {"players": [], "left": 0, "all": 0})

        try:
            key = f"history {player.casefold()}"
            return answer(await queue.serve(request, key, found))
        except JournalError as error:
            raise Refused(409, str(error)) from error
        except OSError as error:
            raise Refused(
                507, phrase("cannot be written: {reason}", reason=error.strerror or str(error))
            ) from error
