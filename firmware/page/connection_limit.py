"""How many connections there are at once.

Connections that follow the table's news have a place (:mod:`firmware.page.places`) and keep it. All others
(between two requests, or before the first) share what is left: when all is taken, the address that has most
of them gives up its oldest, and one that opens more than its share is not even let in. So two hundred phones
behind one router are welcome, and neither one hostile address nor many can keep the others out. Players come
first: an address from which somebody has acted lately always gets in. The listening socket counts, so a
connection that never finishes its TLS handshake counts too.
"""

from __future__ import annotations

import contextlib
import math
import resource
import socket
import struct
import time
from collections import Counter
from typing import Any, Protocol

from firmware.settings.reach import neighbour

ROOM = 480
"""Connections at once: 200 phones have one each for as long as they look, and some more for a moment while
they load. Journal and camera need files too, and a process has 1024 of them; a raised limit is no help, since
OpenCV waits for its cameras with ``select``."""
OPENED = 500
"""Connections that all together may open in a second at a table. Beyond that, and while there is no room,
each address may open its share of them: what is let in costs several times as much as what is turned away."""
AT_ONCE = 64
"""Connections that are turned away before the table's own work continues."""
VOUCHED = 3600.0
"""Seconds for which an address from which somebody has acted always gets in."""


class Closable(Protocol):
    """A connection, as far as the limit cares."""

    def end(self) -> None:
        """Ends it."""


class ConnectionLimit:
    """At most ``room`` connections at once, of which ``opened`` may open in a second. ``now`` in seconds."""

    def __init__(self, room: int, opened: int = OPENED) -> None:
        self.room = room
        self.opened = opened
        self.trusted: frozenset[str] = frozenset()
        """Addresses that always get in: of servers that pass on what others ask."""
        self._quiet: dict[str, dict[Closable, None]] = {}
        self._following: dict[Closable, None] = {}
        self._count = 0
        self._opened: Counter[str] = Counter()
        self._all = 0
        self._second = 0
        self._vouched: dict[str, float] = {}

    def admits(self, who: str, now: float) -> bool:
        """Counts that an address opens a connection, and whether it may."""
        if int(now) != self._second:
            self._second = int(now)
            self._opened.clear()
            self._all = 0
        self._opened[who] += 1
        self._all += 1
        calm = self._count < self.room and self._all <= self.opened
        return calm or self._opened[who] <= self.opened // len(self._opened) or self._known(who, now)

    def vouch(self, who: str, now: float) -> None:
        """Somebody there has acted."""
        self._vouched.pop(who, None)
        self._vouched[who] = now
        while len(self._vouched) > self.room:
            del self._vouched[next(iter(self._vouched))]

    def _known(self, who: str, now: float) -> bool:
        return who in self.trusted or now - self._vouched.get(who, -math.inf) < VOUCHED

    def add(self, who: str, connection: Closable, now: float = 0.0) -> None:
        """Lets a connection in; another one may be ended for it: a player's address is spared."""
        self._quiet.setdefault(who, {})[connection] = None
        self._count += 1
        if self._count > self.room:

            def greed(each: str) -> tuple[bool, int]:
                count = len(self._quiet[each])
                return not self._known(each, now) or count > self.room // 3, count

            greediest = max(self._quiet, key=greed)
            oldest = next(iter(self._quiet[greediest]))
            self.remove(greediest, oldest)
            oldest.end()

    def follows(self, who: str, connection: Closable, follows: bool) -> None:
        """A connection follows the table's news from now on, or does not any more."""
        theirs = self._quiet.get(who, {})
        if follows and connection in theirs:
            self._drop(who, connection)
            self._following[connection] = None
        elif not follows and connection in self._following:
            del self._following[connection]
            self._quiet.setdefault(who, {})[connection] = None

    def remove(self, who: str, connection: Closable) -> None:
        """A connection has ended; one that was removed already does not matter."""
        if connection in self._following:
            del self._following[connection]
            self._count -= 1
        elif connection in self._quiet.get(who, {}):
            self._drop(who, connection)
            self._count -= 1

    def _drop(self, who: str, connection: Closable) -> None:
        del self._quiet[who][connection]
        if not self._quiet[who]:
            del self._quiet[who]


GONE = 30.0
"""Seconds for which nothing that is sent need arrive; then the other end is gone, however it went."""
UNHEARD: int | None = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux has it


class CountedSocket(socket.socket):
    """A connection that tells the limit when it is closed."""

    door: LimitedSocket | None = None
    who = ""
    address: tuple[str, int] = ("", 0)

    def end(self) -> None:
        """Ends it; whoever reads or writes it finds that out and closes it."""
        with contextlib.suppress(OSError):  # the other side was quicker
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it."""
        if self.door is not None:
            self.door.closed(self)
        super().close()


class LimitedSocket(socket.socket):
    """A listening socket that limits its connections."""

    def __init__(self, family: int = socket.AF_INET) -> None:
        super().__init__(family)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.limit = ConnectionLimit(ROOM if soft == resource.RLIM_INFINITY else min(ROOM, soft // 2))
        self._open: dict[tuple[str, int], CountedSocket] = {}

    def accept(self) -> tuple[CountedSocket, Any]:
        """The next connection, and where it comes from."""
        for _ in range(AT_ONCE):
            plain, address = super().accept()
            who, now = neighbour(address[0]), time.monotonic()
            if not self.limit.admits(who, now):
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                plain.close()
                continue
            if UNHEARD is not None:
                plain.setsockopt(socket.IPPROTO_TCP, UNHEARD, int(1000 * GONE))
            counted = CountedSocket(self.family, self.type, self.proto, fileno=plain.detach())
            counted.door, counted.who, counted.address = self, who, address[:2]
            self._open[counted.address] = counted
            self.limit.add(who, counted, now)
            return counted, address
        raise BlockingIOError

    def closed(self, connection: CountedSocket) -> None:
        """A connection has ended."""
        self.limit.remove(connection.who, connection)
        if self._open.get(connection.address) is connection:
            del self._open[connection.address]

    def follows(self, address: tuple[str, int], follows: bool) -> None:
        """The connection from there follows the table's news from now on, or does not any more."""
        connection = self._open.get(address)
        if connection is not None:
            self.limit.follows(connection.who, connection, follows)

    def end(self, address: tuple[str, int]) -> None:
        """Ends the connection from there."""
        connection = self._open.get(address)
        if connection is not None:
            connection.end()
