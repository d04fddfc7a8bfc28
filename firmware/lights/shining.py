"""The strip's job: it shows what the session lights, at once where that changes, and some twenty times a
second for the patterns."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from engine.session import Session
from firmware.lights.lampmap import LampMap
from firmware.lights.trying import Trial, dimmed
from firmware.table.furniture import Table
from hardware.protocols import Clock, DeviceError, Lights

STEP = 0.05
"""Seconds between two looks at the lamps: a blink of half a second has ten of them."""
RESHOW = 1.0
"""Seconds after which the strip is shown the same again: one that was plugged back in shines then."""


async def shine(
    strip: Lights,
    table: Table,
    now: Clock,
    session: Callable[[], Session],
    trial: Callable[[], Trial | None],
    trouble: Callable[[str, str], None],
    stirred: asyncio.Event,
) -> None:
    """Shows the lamps until it is cancelled; while they are tried out, those of the trial. Whoever changes
    the session sets ``stirred``. Sending takes a thread of its own; what is wrong with the strip is told with
    ``trouble``, and it is tried again every second."""
    shown: object = None
    since = began = 0.0
    blinking: frozenset[str] = frozenset()
    with ThreadPoolExecutor(1, thread_name_prefix="lamps") as thread:
        while True:
            match, t, tried = session(), now(), trial()
            sides = match.table.rules.sides if match.table is not None else ("white", "black")
            before, blinking = blinking, LampMap.blinking(match, t)
            if blinking - before:
                began = t
            lamps = None if tried is None else tried.frame(strip.count)
            frame = dimmed(
                lamps or LampMap.of(table.leds or {}, strip.count, sides).frame(match, t, began),
                table.brightness,
            )
            if frame != shown or time.monotonic() - since > RESHOW:
                try:
                    await asyncio.get_running_loop().run_in_executor(thread, strip.show, frame)
                    shown, since = frame, time.monotonic()
                    trouble("strip", "")
                except DeviceError as error:
                    trouble("strip", str(error))
                    await asyncio.sleep(RESHOW)
            # wait_for would swallow a cancellation that comes with what it waits for (Python 3.11).
            with suppress(TimeoutError):
                async with asyncio.timeout(STEP):
                    await stirred.wait()
            stirred.clear()
