"""The parts of a program that runs for days: one that fails is told of for a while, and starts again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from engine.messages import phrase
from firmware.errors import describe_fault

AGAIN = 1.0
"""Seconds until a part that has failed starts again."""
TOLD = 60.0
"""Seconds for which people are told of that, after it has failed last."""


class Parts:
    """Used in a running event loop. ``tell`` hears what is wrong with a part, "" when that is over; an
    ``end`` of a part is no fault: it ends the program."""

    def __init__(self, tell: Callable[[str, str], object], *end: type[Exception]) -> None:
        self._tell, self._end = tell, end
        self._told: dict[str, asyncio.TimerHandle] = {}

    async def keep_going(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a part until it ends by itself. Raises what ends the program."""
        while True:
            try:
                await work()
                return
            except self._end:
                raise
            except Exception as error:
                self.tell_fault(name, error)
                await asyncio.sleep(AGAIN)

    def tell_fault(self, name: str, error: Exception) -> None:
        """A part has failed, and goes on."""
        why = describe_fault(error)
        words = phrase("a fault in the program ({part}), it goes on: {reason}", part=name, reason=why)
        self._tell(name, words)
        if (told := self._told.get(name)) is not None:
            told.cancel()  # of an earlier fault: it would say that the part works again
        self._told[name] = asyncio.get_running_loop().call_later(TOLD, self._tell, name, "")
