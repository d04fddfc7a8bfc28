"""What is best on the real board: in training only."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from engine.events import Roll
from firmware.engines import Board, NoEngine, Spot
from firmware.errors import BadInput, NotNow
from firmware.formats.ids import of_xgid
from firmware.page.best_api import read_question
from firmware.table.coach import MATCH_PLAY, BoardQuestion, Coach, is_training
from tests.firmware.desk import backgammon, running
from tests.firmware.record.test_advice import OPENING, Says


def test_while_people_play_a_match_hints_are_refused_and_the_log_says_so(tmp_path: Path) -> None:
    async def sit() -> None:
        async with running(tmp_path) as desk:
            coach = Coach(desk.device, Says)
            assert is_training(desk.session)
            await desk.device.act(Roll(t=0, dice=(3, 1)))
            with pytest.raises(NotNow, match="training only"):
                await asyncio.to_thread(coach.ask, BoardQuestion("backgammon", "white"))
            await desk.until(lambda: any(MATCH_PLAY in words for words in desk.said))
            assert coach.progress() == {"state": "idle"}

    asyncio.run(sit())


def test_against_the_tables_own_player_it_is_training(tmp_path: Path) -> None:
    async def sit() -> None:
        begin = replace(backgammon(0.0), players={"black": "engine"})
        async with running(tmp_path, lambda t: replace(begin, t=t)) as desk:
            await desk.device.act(Roll(t=0, dice=(3, 1)))
            assert is_training(desk.session)
            with pytest.raises(NotNow, match="calibrate"):
                Coach(desk.device, Says).ask(BoardQuestion("backgammon", "white"))

    asyncio.run(sit())


class Rolls(Says):
    """Whose rollout lasts until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.closed = threading.Event(), threading.Event()

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        self.begun.set()
        assert self.closed.wait(20)
        raise NoEngine("closed")

    def close(self) -> None:
        self.closed.set()


def test_a_stop_ends_a_batch_that_has_begun_and_the_next_question_is_answered(tmp_path: Path) -> None:
    async def sit() -> None:
        async with running(tmp_path) as desk:
            engines: list[Rolls] = []

            def think() -> Rolls:
                engines.append(Rolls())
                return engines[-1]

            coach = Coach(desk.device, think)
            situation = of_xgid(OPENING)
            with mock.patch.object(coach, "situation", return_value=situation):
                coach.ask(BoardQuestion("backgammon", "white", (3, 1), batches=2))
                await desk.until(lambda: bool(engines) and engines[0].begun.is_set())
                known = coach.progress()
                coach.stop()
                assert engines[0].closed.is_set()
                assert coach.progress() == {**known, "state": "done"}
                coach.ask(BoardQuestion("backgammon", "white", (3, 1)))
                await desk.until(lambda: coach.progress()["state"] == "done")
                assert len(engines) == 2
                assert "reason" not in coach.progress()

    asyncio.run(sit())


def test_a_fault_in_an_answer_is_told(tmp_path: Path) -> None:
    async def sit() -> None:
        async with running(tmp_path) as desk:
            coach = Coach(desk.device, mock.Mock(side_effect=ZeroDivisionError("by zero")))
            with mock.patch.object(coach, "situation", return_value=of_xgid(OPENING)):
                coach.ask(BoardQuestion("backgammon", "white", (3, 1)))
                await desk.until(lambda: coach.progress()["state"] != "thinking")
            assert coach.progress()["state"] == "failed"
            assert "ZeroDivisionError: by zero" in coach.progress()["reason"]

    asyncio.run(sit())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({}, "turn is"),
        ({"turn": "white", "dice": [7, 1]}, "dice are"),
        ({"turn": "white", "dice": [1]}, "dice are"),
        ({"turn": "white", "cube": 3}, "cube is 1, 2"),
        ({"turn": "white", "cube": True}, "cube is a whole number"),
        ({"turn": "white", "length": 5, "score": [5, 0]}, "nobody is at 5-0"),
        ({"turn": "white", "rollout": 10**9}, "rollout is a whole number"),
        ({"turn": "white", "hint": 1}, "no 'hint'"),
    ],
)
def test_a_question_that_makes_no_sense(data: dict[str, object], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_question(data)
