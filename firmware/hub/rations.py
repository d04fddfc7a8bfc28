"""What each table may send and is said of it, so that one that floods the hub takes nothing from the others.

Pure but for the clock: no database, no network."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from firmware.hub.ledger import Post
from firmware.hub.messages import Entries, Hello
from firmware.page.ration import Ration
from firmware.troubles import Troubles

SHARE = 4
"""Messages of one table that are written in one transaction while others wait."""
MOST_AT_ONCE = 100
"""Tables of which messages are written in one transaction."""
MOST_WAITING = 40
"""Messages of one table that may wait for the database: each may have a megabyte."""
BURST, A_SECOND = 300, 100
"""Messages that a table may send at once, and in a second; a large one counts once for each PIECE. A table
that plays sends five, one that comes back one for each match that the hub has not."""
PIECE = 65_536
"""Bytes."""
MOST_MESSAGES = 2000
"""Messages of any kind that a table may send at once, large ones counted in the same way; beyond that, and
A_SECOND, its connection is ended: the messages of all tables come by one connection, in one line."""
MOST_TABLES = 10_000
"""Tables whose rations are remembered."""
MOST_CONFLICTS = 20
"""Matches of a table of which is told that they do not fit."""
MORE = "more matches do not fit"
"""What is told of all others."""
LINES_A_MINUTE = 6
"""What is said of one table in the log."""


class Rations:
    """How much each table has sent lately."""

    def __init__(self) -> None:
        self._work = Ration(BURST, A_SECOND, MOST_TABLES)
        self._all = Ration(MOST_MESSAGES, A_SECOND, MOST_TABLES)

    def floods(self, name: str, payload: bytes) -> bool:
        """Counts a message of any kind. Whether there were so many that the table's connection is to end."""
        return _is_beyond(self._all, name, payload)

    def is_too_much(self, name: str, payload: bytes) -> bool:
        """Counts a message that makes work. Whether the table has sent more than its ration."""
        return _is_beyond(self._work, name, payload)


def _is_beyond(ration: Ration, name: str, payload: bytes) -> bool:
    now = time.monotonic()
    return any(ration.wait(name, now, 0.0) for _ in range(0, len(payload) + 1, PIECE))


class Waiting:
    """What waits for the database, by table."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[Hello | Entries]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._lines)

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def add(self, name: str, message: Hello | Entries) -> None:
        """What a table sends beyond its share is dropped: it is asked for, and comes again."""
        line = self._lines.setdefault(name, deque())
        if len(line) < MOST_WAITING:
            line.append(message)

    def take(self) -> list[Post]:
        """Some of what each table sent: one that sends much goes behind those that send little."""
        posts: list[Post] = []
        for name in list(self._lines)[:MOST_AT_ONCE]:
            line = self._lines.pop(name)
            posts += [(name, line.popleft()) for _ in range(min(SHARE, len(line)))]
            if line:
                self._lines[name] = line
        return posts


class Conflicts:
    """What each table sent that does not fit, by match. ``say`` takes a line for the log."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._of: dict[str, Troubles] = {}
        self._said = Ration(MOST_CONFLICTS, LINES_A_MINUTE / 60, MOST_TABLES)

    def words(self, name: str) -> tuple[str, ...]:
        """What does not fit of a table, the oldest first."""
        return self._of[name].words if name in self._of else ()

    def set(self, name: str, match: str, words: str) -> bool:
        """This is wrong with a match of a table, "" when it fits again. Whether that is news."""

        def say(words: str) -> None:
            if not self._said.wait(name, time.monotonic(), 0.0):
                self._say(f"table {name}: {words}")

        told = self._of.setdefault(name, Troubles(say))
        if words and len(told.words) >= MOST_CONFLICTS and match not in told:
            match = words = MORE
        changed = told.set(match, words, quietly=True)
        if not words and match != MORE and len(told.words) < MOST_CONFLICTS:
            changed = told.set(MORE, "", quietly=True) or changed
        return changed
