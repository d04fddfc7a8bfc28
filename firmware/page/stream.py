"""The hub: one table's present state, for any number of onlookers.

The table publishes whole states, and an onlooker always gets the newest one: whoever comes late, reads slowly or was away for a
while sees the truth at once, and nothing queues up for anybody. The table never waits here: publishing replaces a
reference and wakes those who sleep.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator


class Hub:
    """The newest state, as text ready to send. All methods belong to the event loop's thread."""

    def __init__(self) -> None:
        self._text = "{}"
        self._number = 0
        self._wake = asyncio.Event()
        self._open = True

    @property
    def number(self) -> int:
        """How many states were published."""
        return self._number

    @property
    def text(self) -> str:
        """The newest state."""
        return self._text

    def publish(self, text: str) -> None:
        """Makes ``text`` the newest state and wakes every follower."""
        self._text = text
        self._number += 1
        self._rouse()

    def close(self) -> None:
        """Ends every follower after what it is sending."""
        self._open = False
        self._rouse()

    def _rouse(self) -> None:
        wake, self._wake = self._wake, asyncio.Event()
        wake.set()

    async def follow(self, seen: int = 0, beat: float = 15.0) -> AsyncIterator[tuple[int, str] | None]:
        """Yields (number, state) whenever there is one newer than ``seen``, and None after ``beat`` seconds without."""
        while self._open:
            if self._number != seen:
                seen = self._number
                yield seen, self._text
                continue
            wake = self._wake
            try:
                await asyncio.wait_for(wake.wait(), beat)
            except TimeoutError:
                yield None


async def events(hub: Hub) -> AsyncIterator[str]:
    """The hub as server-sent events; a comment keeps the line alive when nothing happens."""
    yield "retry: 1000\n\n"
    async for news in hub.follow():
        yield f"id: {news[0]}\ndata: {news[1]}\n\n" if news else ": still here\n\n"
