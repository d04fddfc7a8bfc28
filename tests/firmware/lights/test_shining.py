"""The strip's job: it answers at once, and ends when it is told to."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from engine.session import Session
from firmware.lights.shining import STEP, shine
from hardware.simulated import MemoryStrip
from tests.firmware.sitting_browser import PATIENCE


@dataclass
class Furnished:
    """What the job asks of a table."""

    leds: dict[str, list[int]]
    brightness: float = 1.0


def job(stirred: asyncio.Event, session: Any = Session) -> Any:
    return shine(
        MemoryStrip(4), Furnished({}), lambda: 0.0, session, lambda: None, lambda what, words: None, stirred
    )


@pytest.mark.parametrize("steps", range(6))
def test_the_job_ends_even_where_news_and_the_end_come_together(steps: int) -> None:
    async def run() -> bool:
        stirred = asyncio.Event()
        task = asyncio.create_task(job(stirred))
        await asyncio.sleep(STEP / 2)  # it has shown the strip, and waits for news
        stirred.set()
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task], timeout=PATIENCE)
        ended = task.done()
        task.cancel()
        return ended

    assert asyncio.run(run())


def test_news_is_shown_before_the_next_step_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.lights.shining.STEP", 3600.0)

    async def run() -> None:
        stirred, asked = asyncio.Event(), asyncio.Event()

        def session() -> Session:
            asked.set()
            return Session()

        task = asyncio.create_task(job(stirred, session))
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
            asked.clear()
            stirred.set()
            await asked.wait()
        task.cancel()

    asyncio.run(run())
