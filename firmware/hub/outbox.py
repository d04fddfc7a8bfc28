"""What a table has to tell: its journal, read by whoever sends it on.

The journal is the outbox. There is no list of what was sent: the hub says what it has, and the table reads
what comes after.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar

from firmware.hub.messages import LONGEST_BODY, MOST_ENTRIES, Line
from firmware.record.archive import IMPORT
from firmware.record.chain import Entry, Head, JournalAway, JournalError, canonical
from firmware.record.journal import Journal

T = TypeVar("T")
MOST_TEXT = 400_000
"""Characters of entries that are sent in one message."""


class Outbox(Protocol):
    """A table's matches, for the one who sends them."""

    async def heads(self) -> dict[str, Head]:
        """Where each match ends that the hub may have. Raises JournalError."""

    async def after(self, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
        """Whether entry ``head`` is the table's own, and what comes after it, as much as goes into one
        message. Raises JournalError."""


class JournalOutbox:
    """A journal on the disk, read through a connection and in a thread of its own. ``hidden`` are the matches
    that are nobody's business: those played before the table joined."""

    def __init__(self, path: Path, hidden: Collection[str] = ()) -> None:
        self._path, self._hidden = path, frozenset(hidden)
        self._journal: Journal | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="outbox")

    async def heads(self) -> dict[str, Head]:
        """As :class:`Outbox`."""
        return await self._read(self._heads)

    async def after(self, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
        """As :class:`Outbox`."""
        return await self._read(lambda journal: self._after(journal, match, head))

    def close(self) -> None:
        """Ends the thread."""
        self._thread.submit(self._forget)
        self._thread.shutdown()

    async def _read(self, question: Callable[[Journal], T]) -> T:
        def ask() -> T:
            if self._journal is None:
                self._journal = Journal.open_readonly(self._path)
            try:
                return question(self._journal)
            except JournalError:
                self._forget()  # a journal that was put in its place is opened the next time
                raise

        return await asyncio.get_running_loop().run_in_executor(self._thread, ask)

    def _forget(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _heads(self, journal: Journal) -> dict[str, Head]:
        found: dict[str, Head] = {}
        for game in journal.games():
            if game in self._hidden:
                continue
            try:
                first = journal.entries(game, most=1)
                if first and first[0].body.get("event") != IMPORT:
                    found[game] = journal.head(game)
            except JournalAway:
                raise
            except JournalError:  # a damaged match hides no other
                continue
        return found

    def _after(self, journal: Journal, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
        if match in self._hidden:
            return True, ()
        found = journal.entries(match, first=max(0, head.number), most=MOST_ENTRIES + 1)
        return fitting(found, head)


def fitting(found: Sequence[Entry], head: Head) -> tuple[bool, Sequence[Line]]:
    """Of entries from ``head`` on: whether the first is that head, and those after it that go into one
    message."""
    if head.number >= 0:
        if not found or found[0].number != head.number or found[0].digest != head.digest:
            return False, ()
        found = found[1:]
    lines: list[Line] = []
    length = 0
    for entry in found[:MOST_ENTRIES]:
        body = canonical(entry.body)
        length += len(body)
        if len(body) > LONGEST_BODY:
            raise JournalError(f"match {entry.game}: entry {entry.number} is too long for the hub")
        if lines and length > MOST_TEXT:
            break
        lines.append(Line(number=entry.number, at=entry.at, body=body, digest=entry.digest.hex()))
    return True, lines
