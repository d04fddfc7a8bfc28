"""How all tables stand now: the hub writes it, and any number of pages follow it. For the event loop only.

A page that follows gets whole tables, and only the newest state of each: nothing queues up for one who reads
slowly. ::

    async for tables in live.follow():     # first all of them, then those that have changed
        for table in tables:               # a TableNow each
            ...
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.messages import phrase
from firmware.hub.messages import Assignment, Call

PAUSE = 0.2
"""Seconds between two helpings for one who follows: what changes meanwhile comes together."""
WRONG = 5.0
"""Seconds by which a table's clock may be wrong before anybody hears of it."""


@dataclass(frozen=True, slots=True)
class TableNow:
    """One table as it stands. ``shows`` is what its page shows to spectators (:mod:`firmware.page.state`),
    without ``moves``, ``story``, ``leds``; empty where it has told nothing yet. ``made`` is when that was
    made, in seconds of this machine's ``time.monotonic``. ``skew`` is by how many seconds the table's clock
    is ahead of the hub's. ``number`` counts the changes, to tell an old copy from a newer one."""

    name: str
    joined: bool = False
    online: bool = False
    match: str = ""
    entry: int = -1
    shows: Mapping[str, Any] = field(default_factory=dict)
    made: float = 0.0
    skew: float = 0.0
    program: str = ""
    call: Call | None = None
    coming: str = ""
    """The director who comes to the table that calls."""
    assignment: Assignment | None = None
    troubles: tuple[str, ...] = ()
    """What the table tells its players."""
    conflict: str = ""
    """Why the hub does not take what the table sends."""
    number: int = 0

    def age(self) -> float:
        """Seconds since ``shows`` was made: clocks in it have run on for so long."""
        return max(0.0, time.monotonic() - self.made) if self.shows else 0.0


def describe_skew(seconds: float) -> str:
    """How wrong a clock is, for people; "" where it is right, or nearly so."""
    if abs(seconds) < WRONG:
        return ""
    minutes, rest = divmod(round(abs(seconds)), 60)
    time = f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    if seconds > 0:
        return phrase("its clock is fast by {time} (h:mm:ss)", time=time)
    return phrase("its clock is slow by {time} (h:mm:ss)", time=time)


class Live:
    """All tables of the hub."""

    def __init__(self) -> None:
        self._tables: dict[str, TableNow] = {}
        self._following: set[_Follower] = set()
        self._open = True
        self.listeners: list[Callable[[TableNow, TableNow], None]] = []
        """Called in the event loop at every change, with the table before and after. Must be quick."""

    def tables(self) -> tuple[TableNow, ...]:
        """All of them, by name."""
        return tuple(self._tables[name] for name in sorted(self._tables, key=by_name))

    def table(self, name: str) -> TableNow | None:
        """The table of that name; None where there is none."""
        return self._tables.get(name)

    @property
    def followers(self) -> int:
        """How many follow."""
        return len(self._following)

    def change(self, name: str, **what: Any) -> None:
        """Changes some fields of a table; one that was unknown is added."""
        before = self._tables.get(name) or TableNow(name)
        after = replace(before, **what, number=before.number + 1)
        self._tables[name] = after
        for listener in self.listeners:
            listener(before, after)
        for follower in self._following:
            follower.note(name)

    def remove(self, name: str) -> None:
        """The table does not belong to the hub any more; followers get it once more, as not joined."""
        if name in self._tables:
            self.change(name, joined=False, online=False)
            del self._tables[name]

    def close(self) -> None:
        """Ends all who follow."""
        self._open = False
        for follower in self._following:
            follower.wake.set()

    async def follow(self, pause: float = PAUSE) -> AsyncGenerator[tuple[TableNow, ...], None]:
        """All tables, then again and again those that have changed; nothing () every 15 s without news."""
        follower = _Follower()
        self._following.add(follower)
        try:
            yield self.tables()
            while self._open:
                try:
                    async with asyncio.timeout(15.0):
                        await follower.wake.wait()
                except TimeoutError:
                    yield ()
                    continue
                names, follower.names = follower.names, set()
                follower.wake.clear()
                gone = [TableNow(name) for name in names if name not in self._tables]
                yield (*(self._tables[name] for name in names if name in self._tables), *gone)
                await asyncio.sleep(pause)
        finally:
            self._following.discard(follower)


class _Follower:
    def __init__(self) -> None:
        self.names: set[str] = set()
        self.wake = asyncio.Event()

    def note(self, name: str) -> None:
        self.names.add(name)
        self.wake.set()


def by_name(name: str) -> tuple[Any, ...]:
    """The order of names in which *Table 10* comes after *Table 9*."""
    parts: list[Any] = []
    digits = ""
    for letter in name.casefold() + " ":
        if letter.isdecimal():
            digits += letter
            continue
        if digits:
            parts.append((0, int(digits), ""))
            digits = ""
        parts.append((1, 0, letter))
    return tuple(parts)
