"""The loop: brings stimuli to the referee, in order, one at a time.

Reading a picture and writing the journal take milliseconds, for which a web server must not wait; so the
referee works in one thread of its own, and the event loop only hands over. All events pass through that one
thread, so their order is always clear.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from firmware.table.referee import Referee, Stimulus


async def run(
    referee: Referee,
    stimuli: AsyncIterator[Stimulus],
    survive: Callable[[Stimulus, Exception], None] | None = None,
) -> None:
    """Referees until the stimuli end. Cancelling stops it between two of them, never within one. A stimulus
    that fails goes to ``survive`` with its error, and the next one comes; without it, the error is raised."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="referee") as thread:
        async for stimulus in stimuli:
            try:
                await loop.run_in_executor(thread, referee.take, stimulus)
            except Exception as error:
                if survive is None:
                    raise
                survive(stimulus, error)
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
