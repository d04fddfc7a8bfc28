"""The strip shows what the session lights: at once after news, and twenty times a second while some of it
blinks."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache

from engine.lamp_signals import Light, Pattern, signals
from engine.layout import Side
from engine.position import Dice
from engine.session import Session
from firmware.errors import describe_fault
from firmware.lights.led_map import LedMap, blinking, tumbling
from firmware.settings.lamp_settings import LampSettings
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable
from hardware.protocols import DeviceError, Lights
from hardware.strip import Colour

STEP = 0.05
"""Seconds between two looks at lamps that blink: half a second has ten of them."""
STILL = 0.25
"""The same where none blinks, tumbles or is tried: only time that runs out changes them then."""
RESHOW = 1.0
"""Seconds after which the strip is shown the same again: one that was plugged back in shines then."""


class StripWatcher(TableWatcher):
    """Keeps ``strip`` lit as ``lamps`` says; while lamps are tried out, as the trial says. A strip that
    fails is reported, and tried again every second."""

    def __init__(self, strip: Lights, lamps: Callable[[], LampSettings]) -> None:
        self._strip = strip
        self._lamps = lamps
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._mapped: tuple[Mapping[str, Sequence[int]], Sequence[Side], LedMap] | None = None

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def __call__(self, news: News) -> None:
        """Looks at the lamps now."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._news.set)

    async def run(self) -> None:
        """Shows the lamps. Sending takes a thread of its own."""
        shown: object = None
        since = began = 0.0
        rolled, roll = -math.inf, _roll(self._table.session)
        blinks: frozenset[str] = frozenset()
        with ThreadPoolExecutor(1, thread_name_prefix="lamps") as thread:
            while True:
                session, t = self._table.session, self._table.now()
                before_roll, roll = roll, _roll(session)
                if roll != before_roll and roll is not None:
                    rolled = t
                tumbles = tumbling(session, t - rolled)
                lit = signals(session, t, tumbles)
                before, blinks = blinks, blinking(lit)
                moves = bool(tumbles) or self._table.trial is not None or _moves(lit)
                if blinks - before:
                    began = t
                frame = self._frame(session, lit, t - began)
                if frame != shown or time.monotonic() - since > RESHOW:
                    try:
                        await self._loop.run_in_executor(thread, self._strip.show, frame)
                        shown, since = frame, time.monotonic()
                        self._table.report_trouble("strip", "")
                    except Exception as error:  # a driver may raise anything
                        words = (
                            str(error)
                            if isinstance(error, DeviceError)
                            else f"strip: {describe_fault(error)}"
                        )
                        self._table.report_trouble("strip", words)
                        await asyncio.sleep(RESHOW)
                # wait_for would swallow a cancellation that comes with what it waits for (Python 3.11).
                with suppress(TimeoutError):
                    async with asyncio.timeout(STEP if moves else STILL):
                        await self._news.wait()
                self._news.clear()

    def _frame(self, session: Session, lit: Mapping[str, Light], since: float) -> list[Colour]:
        lamps, trial = self._lamps(), self._table.trial
        tried = None if trial is None else trial.frame(self._strip.count)
        if tried is not None:
            return dim(tried, lamps.brightness)
        sides = session.table.rules.sides if session.table is not None else ("white", "black")
        if self._mapped is None or self._mapped[:2] != (lamps.map, sides):
            self._mapped = lamps.map, sides, LedMap.of(lamps.map, self._strip.count, sides)
        return dim(self._mapped[2].frame(lit, since), lamps.brightness)


def _moves(lit: Mapping[str, Light]) -> bool:
    """Whether a lamp is not the same all the time."""
    return any(light.pattern is not Pattern.STEADY for light in lit.values())


def _roll(session: Session) -> tuple[str | None, Dice] | None:
    """Whose dice lie there, and what they show; None where none do."""
    table = session.table
    return None if table is None or not table.dice else (table.position.turn, table.dice)


def dim(frame: Sequence[Colour], brightness: float) -> list[Colour]:
    """The frame at a part of its brightness, 0 to 1; every lit LED stays lit."""
    dimmed = _dimmed(brightness)
    return [(dimmed[red], dimmed[green], dimmed[blue]) for red, green, blue in frame]


@lru_cache(maxsize=4)
def _dimmed(brightness: float) -> tuple[int, ...]:
    return tuple(max(min(level, 1), round(level * brightness)) for level in range(256))
