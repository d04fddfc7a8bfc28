"""How many connections there are at once, and how often each may ask.

Whoever opens connections without end takes them from itself: when all places are taken, the address that has
most of them gives up its oldest. So two hundred phones behind one router are welcome while there is room, and
a hostile one cannot keep the others out. A page that loses its connection comes back by itself. The listening
socket counts, so a connection that never finishes its TLS handshake counts too.
"""

from __future__ import annotations

import contextlib
import math
import resource
import socket
from dataclasses import dataclass, field
from typing import Any, Protocol

from firmware.settings.reach import neighbour

ROOM = 480
"""Connections at once: 200 phones have one each for as long as they look, and some more for a moment while
they load. Journal and camera need files too, and a process has 1024 of them; a raised limit is no help, since
OpenCV waits for its cameras with ``select``."""


class Closable(Protocol):
    """A connection, as far as the limit cares."""

    def end(self) -> None:
        """Ends it."""


class ConnectionLimit:
    """At most ``room`` connections at once."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._of: dict[str, dict[Closable, None]] = {}
        self._count = 0

    def add(self, who: str, connection: Closable) -> None:
        """Lets a connection in; another one may be ended for it."""
        self._of.setdefault(who, {})[connection] = None
        self._count += 1
        if self._count > self._room:
            greediest = max(self._of, key=lambda each: len(self._of[each]))
            oldest = next(iter(self._of[greediest]))
            self.remove(greediest, oldest)
            oldest.end()

    def remove(self, who: str, connection: Closable) -> None:
        """A connection has ended; one that was removed already does not matter."""
        theirs = self._of.get(who, {})
        if connection in theirs:
            del theirs[connection]
            self._count -= 1
            if not theirs:
                del self._of[who]


class CountedSocket(socket.socket):
    """A connection that tells the limit when it is closed."""

    limit: ConnectionLimit | None = None
    who = ""

    def end(self) -> None:
        """Ends it; whoever reads or writes it finds that out and closes it."""
        with contextlib.suppress(OSError):  # the other side was quicker
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it."""
        if self.limit is not None:
            self.limit.remove(self.who, self)
        super().close()


class LimitedSocket(socket.socket):
    """A listening socket that limits its connections."""

    def __init__(self, family: int = socket.AF_INET) -> None:
        super().__init__(family)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._limit = ConnectionLimit(ROOM if soft == resource.RLIM_INFINITY else min(ROOM, soft // 2))

    def accept(self) -> tuple[CountedSocket, Any]:
        """The next connection, and where it comes from."""
        plain, address = super().accept()
        counted = CountedSocket(self.family, self.type, self.proto, fileno=plain.detach())
        counted.limit, counted.who = self._limit, neighbour(address[0])
        self._limit.add(counted.who, counted)
        return counted, address


@dataclass
class Pace:
    """Each name may send ``burst`` requests at once, then ``per_second``. Remembers at most ``names``."""

    burst: float
    per_second: float
    names: int = 512
    _due: dict[str, float] = field(default_factory=dict)

    def wait(self, name: str, now: float) -> float:
        """Counts a request at ``now``; returns the seconds that it must wait."""
        due = max(self._due.pop(name, -math.inf), now - self.burst / self.per_second) + 1 / self.per_second
        self._due[name] = due
        while len(self._due) > self.names:
            del self._due[next(iter(self._due))]
        return max(0.0, due - now)
