"""Connections, kept within bounds: how many there are, and how often one may ask.

Whoever opens connections without end takes them from itself: when the room is full, the address that has most
of them gives up its oldest. So two hundred phones behind one router are welcome while there is room, and a
hostile one cannot keep the others out. A page that loses its connection comes back by itself. It is the
listening socket that counts, so what never finishes a TLS handshake counts too.
"""

from __future__ import annotations

import contextlib
import math
import resource
import socket
from dataclasses import dataclass, field
from typing import Any, Protocol

from firmware.page.reach import neighbour

ROOM = 480
"""Connections at once: 200 phones have one each for as long as they look, and some more for a moment while
they load. Journal and camera need files too, and a process has 1024 of them: raised limits are no help,
OpenCV's cameras are waited for with ``select``."""


class Leaves(Protocol):
    """A connection, as far as the crowd cares."""

    def leave(self) -> None:
        """Ends it."""


class Crowd:
    """Who is connected, at most ``room`` at once."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._of: dict[str, dict[Leaves, None]] = {}
        self._count = 0

    def come(self, who: str, guest: Leaves) -> None:
        """Lets a connection in, for which another may have to go."""
        self._of.setdefault(who, {})[guest] = None
        self._count += 1
        if self._count > self._room:
            greediest = max(self._of, key=lambda each: len(self._of[each]))
            oldest = next(iter(self._of[greediest]))
            self.go(greediest, oldest)
            oldest.leave()

    def go(self, who: str, guest: Leaves) -> None:
        """A connection has ended; one that had to go is no matter."""
        theirs = self._of.get(who, {})
        if guest in theirs:
            del theirs[guest]
            self._count -= 1
            if not theirs:
                del self._of[who]


class Guest(socket.socket):
    """A connection that tells the crowd when it is closed."""

    crowd: Crowd | None = None
    who = ""

    def leave(self) -> None:
        """Ends it; whoever reads or writes it finds that out and closes it."""
        with contextlib.suppress(OSError):  # the other side was quicker
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it."""
        if self.crowd is not None:
            self.crowd.go(self.who, self)
        super().close()


class Door(socket.socket):
    """A listening socket that lets a crowd in."""

    def __init__(self, family: int = socket.AF_INET) -> None:
        super().__init__(family)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._crowd = Crowd(ROOM if soft == resource.RLIM_INFINITY else min(ROOM, soft // 2))

    def accept(self) -> tuple[Guest, Any]:
        """The next connection, and where it comes from."""
        plain, address = super().accept()
        guest = Guest(self.family, self.type, self.proto, fileno=plain.detach())
        guest.crowd, guest.who = self._crowd, neighbour(address[0])
        self._crowd.come(guest.who, guest)
        return guest, address


@dataclass
class Pace:
    """So many requests at once for each name, then so many a second: who asks more often waits. At most
    ``names`` are remembered."""

    burst: float
    per_second: float
    names: int = 512
    _due: dict[str, float] = field(default_factory=dict)

    def wait(self, name: str, now: float) -> float:
        """Counts a request at ``now``; the seconds that it has to wait."""
        due = max(self._due.pop(name, -math.inf), now - self.burst / self.per_second) + 1 / self.per_second
        self._due[name] = due
        while len(self._due) > self.names:
            del self._due[next(iter(self._due))]
        return max(0.0, due - now)
