"""Who may follow the table's news: places for open streams, shared among addresses.

Whoever comes gets a place while there is one, and keeps it. Every address is sure of a few: where all are
taken, the address with most of them gives one up for it; and nobody keeps more than half of them while
others want some. Whoever gets none is not left in the dark: that browser is shown the present state and
asked to come again in some seconds. So two hundred viewers behind one router keep nearly all that they have
when forty other addresses want everything, and the other way round nobody waits for a place to see the
board. A browser that was away for a minute finds its address's place kept.

Players have places of their own.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

OWN = 4
"""Places of which each address is sure."""
KEPT = 60.0
"""Seconds for which an address keeps a place that it has left: phones fall asleep and wake."""


@dataclass(eq=False)
class Place:
    """A place. ``end`` is called when it must be given up."""

    who: str
    end: Callable[[], None]


@dataclass
class Places:
    """``room`` places. ``now`` is in seconds, never set back."""

    room: int
    own: int = OWN
    now: Callable[[], float] = time.monotonic
    _taken: dict[str, dict[Place, None]] = field(default_factory=dict)
    _kept: deque[tuple[float, str]] = field(default_factory=deque)
    _count: int = 0

    def enter(self, who: str, end: Callable[[], None]) -> Place | None:
        """A place for this address, None where there is none. Somebody else may be asked to ``end``."""
        self._forget()
        mine = len(self._taken.get(who, ()))
        if (kept := next((each for each in self._kept if each[1] == who), None)) is not None:
            self._kept.remove(kept)
        elif self._count + len(self._kept) >= self.room and not self._make_room(
            who, self.own if mine < self.own else self.room // 2
        ):
            return None
        place = Place(who, end)
        self._taken.setdefault(who, {})[place] = None
        self._count += 1
        return place

    def leave(self, place: Place) -> None:
        """It is kept for a while. One that was given up already does not matter."""
        if self._remove(place):
            self._kept.append((self.now() + KEPT, place.who))

    def _forget(self) -> None:
        while self._kept and self._kept[0][0] < self.now():
            self._kept.popleft()

    def _make_room(self, who: str, fair: int) -> bool:
        """Frees a place for ``who``: of the address that has most, where that has more than what is
        ``fair``."""
        held = Counter({who: len(places) for who, places in self._taken.items()})
        held.update(who for _, who in self._kept)
        greediest, count = held.most_common(1)[0]
        if greediest == who or count <= fair:
            return False
        kept = next((each for each in self._kept if each[1] == greediest), None)
        if kept is not None:
            self._kept.remove(kept)
        else:
            newest = next(reversed(self._taken[greediest]))
            self._remove(newest)
            newest.end()
        return True

    def _remove(self, place: Place) -> bool:
        theirs = self._taken.get(place.who, {})
        if place not in theirs:
            return False
        del theirs[place]
        self._count -= 1
        if not theirs:
            del self._taken[place.who]
        return True
