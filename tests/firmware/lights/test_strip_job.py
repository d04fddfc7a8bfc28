"""The strip's job: it answers at once, and ends when it is told to."""

import asyncio
from collections.abc import Callable

import pytest

from engine.session import Session
from firmware.lights.strip_job import STEP, StripWatcher
from firmware.settings.lamp_settings import LampSettings
from firmware.table.news import News
from firmware.table.trial import Trial
from hardware.protocols import Clock
from hardware.simulated import MemoryStrip
from tests.firmware.sitting_browser import PATIENCE

NEWS = News(0.0, Session())


class Table:
    """What the job asks of a table."""

    now: Clock = staticmethod(lambda: 0.0)
    trial: Trial | None = None

    def __init__(self, ask: Callable[[], object]) -> None:
        self._ask = ask

    @property
    def session(self) -> Session:
        self._ask()
        return Session()

    def report_trouble(self, what: str, words: str) -> None:
        pass


def attached(ask: Callable[[], object] = lambda: None) -> StripWatcher:
    watcher = StripWatcher(MemoryStrip(4), LampSettings)
    watcher.attach(Table(ask))
    return watcher


@pytest.mark.parametrize("steps", range(6))
def test_the_job_ends_even_where_news_and_the_end_come_together(steps: int) -> None:
    async def run() -> bool:
        watcher = attached()
        task = asyncio.create_task(watcher.run())
        await asyncio.sleep(STEP / 2)  # it has shown the strip, and waits for news
        watcher(NEWS)
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task], timeout=PATIENCE)
        ended = task.done()
        task.cancel()
        return ended

    assert asyncio.run(run())


def test_news_is_shown_before_the_next_step_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.lights.strip_job.STEP", 3600.0)

    async def run() -> None:
        asked = asyncio.Event()
        watcher = attached(asked.set)
        task = asyncio.create_task(watcher.run())
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
            await asyncio.sleep(STEP)
            asked.clear()
            watcher(NEWS)
            await asked.wait()
        task.cancel()

    asyncio.run(run())
