"""What is best on the real board, on the page: training only, for those who may act.

    GET    /best        its page
    GET    /api/best    how far the question is, and what is known (:meth:`Coach.progress`)
    POST   /api/best    {"rules", "turn", "dice", "cube", "owner", "score", "length", "rollout"}: asks
    DELETE /api/best    ends it

409 where people play a match (the log says who asked in vain), or where the board cannot be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response

from engine.errors import EngineError
from engine.messages import phrase
from firmware.errors import BadInput, NotNow
from firmware.formats import FormatError
from firmware.page.access import Keeper
from firmware.page.acting import may, read_body, takes
from firmware.page.assets import Assets
from firmware.page.refusal import ACT_REFUSED, Refused, answer, answers, refuses
from firmware.record.advice import NoAdvice
from firmware.table.coach import BoardQuestion, Coach
from vision.errors import VisionError

BATCHES = 100
"""Most batches of a rollout."""
SCHEMA = {
    "type": "object",
    "properties": {
        "rules": {"type": "string"},
        "turn": {"type": "string"},
        "dice": {"type": "array", "items": {"type": "integer"}},
        "cube": {"type": "integer"},
        "owner": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "score": {"type": "array", "items": {"type": "integer"}},
        "length": {"type": "integer"},
        "rollout": {"type": "integer"},
    },
    "required": ["turn"],
}


def read_question(data: Mapping[str, Any]) -> BoardQuestion:
    """The question in a body. Raises BadInput."""
    unknown = [key for key in data if key not in SCHEMA["properties"]]
    if unknown:
        raise BadInput(
            f"there is no {unknown[0]!r} in a question; there are {', '.join(SCHEMA['properties'])}"
        )

    def whole(name: str, low: int, high: int, usual: int) -> int:
        value = data.get(name, usual)
        if type(value) is not int or not low <= value <= high:
            raise BadInput(f"{name} is a whole number of {low} to {high}")
        return value

    dice, score, owner = data.get("dice", []), data.get("score", [0, 0]), data.get("owner")
    if not isinstance(dice, list) or len(dice) not in (0, 2) or any(each not in range(1, 7) for each in dice):
        raise BadInput("dice are two numbers of 1 to 6, or none")
    length, cube = whole("length", 0, 99, 0), whole("cube", 1, 1024, 1)
    if not isinstance(score, list) or len(score) != 2 or any(type(each) is not int for each in score):
        raise BadInput("score is two whole numbers")
    if cube & (cube - 1):
        raise BadInput("cube is 1, 2, 4, 8, …")
    if length and not all(0 <= each < length for each in score):
        raise BadInput(
            phrase(
                "nobody is at {score} in a match to {length}", score=f"{score[0]}-{score[1]}", length=length
            )
        )
    if owner not in (None, "white", "black") or data.get("turn") not in ("white", "black"):
        raise BadInput("turn is white or black, and owner too, or nobody")
    rules, batches = str(data.get("rules", "backgammon")), whole("rollout", 0, BATCHES, 0)
    return BoardQuestion(rules, data["turn"], tuple(dice), cube, owner, (score[0], score[1]), length, batches)


def add(app: FastAPI, assets: Assets, coach: Coach, keeper: Keeper) -> None:
    """Adds the routes."""
    known = answers({"type": "object"}, "how far the question is")

    @app.get("/best", include_in_schema=False)
    async def page(request: Request) -> Response:
        return assets.file("best.html", "no-cache", request)

    @app.get("/api/best", responses=known | refuses(401, 403, 429))
    async def progress(request: Request) -> Response:
        """How far the question is, and what is known."""
        may(request, keeper)
        return answer(coach.progress())

    @app.post("/api/best", openapi_extra=takes(SCHEMA), responses=known | ACT_REFUSED)
    async def ask(request: Request) -> Response:
        """Asks what is best on the board now."""
        may(request, keeper)
        try:
            asked = read_question(await read_body(request))
            return answer(await asyncio.to_thread(coach.ask, asked))
        except (BadInput, EngineError) as error:
            raise Refused(422, str(error)) from error
        except (NotNow, NoAdvice, FormatError, VisionError) as error:
            raise Refused(409, str(error)) from error

    @app.delete("/api/best", status_code=204, responses=refuses(401, 403, 429))
    async def stop(request: Request) -> Response:
        """Ends the question."""
        may(request, keeper)
        coach.stop()
        return Response(status_code=204)
