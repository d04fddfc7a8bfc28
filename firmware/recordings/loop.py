"""The loop of a replay: brings recorded stimuli to the referee, in order, one at a time, in a thread of its
own. A live table's referee takes from :mod:`firmware.table.table_queue`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor

from firmware.table.referee import Referee, Stimulus


async def run(referee: Referee, stimuli: AsyncIterator[Stimulus]) -> None:
    """Referees until the stimuli end. Cancelling stops it between two of them, never within one."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="referee") as thread:
        async for stimulus in stimuli:
            await loop.run_in_executor(thread, referee.take, stimulus)
        await loop.run_in_executor(thread, referee.settle)


async def paced(stimuli: Iterable[Stimulus], speed: float) -> AsyncIterator[Stimulus]:
    """Plays stimuli ``speed`` times as fast as they were recorded; 0 does not wait at all.

    The next one is fetched when the last has been handled, in a thread: it may come from a disk."""
    loop = asyncio.get_running_loop()
    begin: float | None = None
    zero = 0.0
    source = iter(stimuli)
    while (stimulus := await asyncio.to_thread(next, source, None)) is not None:
        if begin is None:
            begin, zero = loop.time(), stimulus.t
        if speed > 0:
            await asyncio.sleep(max(0.0, begin + (stimulus.t - zero) / speed - loop.time()))
        yield stimulus
