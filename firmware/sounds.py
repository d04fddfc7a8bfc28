"""What the table's buzzer plays: a tune for what has just happened, as the page's sounds
(``firmware/page/static/sound.js``) have it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from engine.effects import (
    CubeDropped,
    CubeTaken,
    DiceFell,
    Effect,
    Ended,
    Expired,
    Judged,
    MatchEnded,
    Offered,
)
from engine.session import Session
from firmware.errors import describe_fault
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable
from hardware.protocols import Buzzer, DeviceError, Note

TUNES: Mapping[str, tuple[Note, ...]] = {
    "won": ((523, 0.12), (659, 0.12), (784, 0.12), (1047, 0.3)),
    "time": ((988, 0.12), (0, 0.08), (988, 0.12)),
    "foul": ((233, 0.25), (0, 0.03), (220, 0.4)),
    "unsure": ((440, 0.12), (0, 0.06), (554, 0.16)),
    "cube": ((660, 0.1), (880, 0.2)),
    "dice": ((1760, 0.02), (0, 0.05), (2093, 0.02), (0, 0.06), (1568, 0.02), (0, 0.08), (1865, 0.02)),
    "play": ((880, 0.03),),
}
"""By what has happened; where several things have, the first of these is heard."""
MARKS = (5.0, 10.0)
"""Seconds of time left at which the clock is heard."""
STEP = 0.25
"""Seconds between two looks at the clock."""


def name_of(effect: Effect) -> str | None:
    """The tune for this effect; None where it makes no sound."""
    match effect:
        case Ended() | MatchEnded():
            return "won"
        case Expired():
            return "time"
        case Judged(verdict=verdict):
            return {"illegal": "foul", "unsure": "unsure"}.get(verdict, "play")
        case Offered() | CubeTaken() | CubeDropped():
            return "cube"
        case DiceFell():
            return "dice"
        case _:
            return None


def tune_of(effects: Sequence[Effect]) -> str | None:
    """The tune for all of this together."""
    names = {name_of(effect) for effect in effects}
    return next((name for name in TUNES if name in names), None)


class BuzzerWatcher(TableWatcher):
    """Plays on ``buzzer``. What happens while a tune is played replaces what waits: no sound
    comes late."""

    def __init__(self, buzzer: Buzzer) -> None:
        self._buzzer = buzzer
        self._next: str | None = None
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._mark = 0.0

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def __call__(self, news: News) -> None:
        """Has the tune played, if there is one. From the referee's thread."""
        name = None if news.refused is not None else tune_of(news.effects)
        if name is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._want, name)

    def _want(self, name: str) -> None:
        self._next = name
        self._news.set()

    async def run(self) -> None:
        """Plays what is wanted. A tune takes a thread of its own."""
        with ThreadPoolExecutor(1, thread_name_prefix="buzzer") as thread:
            while True:
                # wait_for would swallow a cancellation that comes with what it waits for (Python 3.11).
                try:
                    async with asyncio.timeout(STEP):
                        await self._news.wait()
                except TimeoutError:
                    self._look_at_the_clock()
                self._news.clear()
                name, self._next = self._next, None
                if name is not None:
                    await self._play(thread, name)

    async def _play(self, thread: ThreadPoolExecutor, name: str) -> None:
        try:
            await self._loop.run_in_executor(thread, self._buzzer.play, TUNES[name])
            self._table.report_trouble("buzzer", "")
        except Exception as error:  # a driver may raise anything
            words = str(error) if isinstance(error, DeviceError) else f"buzzer: {describe_fault(error)}"
            self._table.report_trouble("buzzer", words)

    def _look_at_the_clock(self) -> None:
        left = time_left(self._table.session, self._table.now())
        mark = next((mark for mark in MARKS if left is not None and 0 < left <= mark), 0.0)
        if mark and mark != self._mark:
            self._next = "time"
        self._mark = mark


def time_left(session: Session, t: float) -> float | None:
    """Seconds that the side whose clock runs still has at table time ``t``; None where none runs."""
    table = session.table
    running = None if table is None else table.clock.running
    return None if table is None or running is None else table.clock.left(running, t)
