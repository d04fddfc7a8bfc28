"""One push button's contact, as arithmetic: what its edges and its level over time mean.

A contact bounces: for some milliseconds after it closes, it opens and closes again. So a press counts at
once, and a release only when the contact has stayed open for ``debounce`` seconds. An edge counts for the
time at which it happened; it may be told up to :data:`LATE` seconds later, after others that came later, and
some may never be told. So nothing is told twice: what happened is sure after :data:`LATE`, and only a first
press, before which the contact was surely open, is told at once.

A button that is down for ``stuck`` seconds is *stuck* (a coin lies on it, a wire touches ground). One that
is pressed more often than fingers can is *chattering* (a loose wire), and is ignored until it has been
quiet. Times are in seconds and come from the caller.
"""

from __future__ import annotations

import enum
from bisect import insort
from collections import deque
from dataclasses import dataclass

LATE = 0.25
"""Seconds by which an edge may be told late, on a machine that is busy."""
LATEST = 1.0
"""The same for :data:`WINDOW` after an edge that came later than that."""
PRESSES = 8
"""So many presses within :data:`WINDOW` cannot come from a finger."""
WINDOW = 2.0
"""Seconds over which presses are counted, and for which a chattering button must be quiet."""


class Sign(enum.Enum):
    """What a contact tells."""

    DOWN = enum.auto()
    TAPPED = enum.auto()
    """Up again, before it counted as held."""
    HELD = enum.auto()


class ContactFault(enum.StrEnum):
    """What is wrong with a contact."""

    STUCK = "stuck"
    CHATTERING = "chattering"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: how long a contact bounces, and when a button counts as held and as stuck."""

    debounce: float = 0.02
    hold: float = 1.5
    stuck: float = 20.0


class Contact:
    """Follows one contact. It must hear every edge, and the level from time to time."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._edges: list[tuple[float, bool]] = []
        """Edges that are not sure yet, by their time: another one may have come before them."""
        self._sure = float("-inf")
        """All edges until then are known."""
        self._slow = float("-inf")
        """Until when edges may be told later than :data:`LATE`."""
        self._down: bool | None = None
        self._changed = 0.0
        self._open: float | None = None
        """Since when a contact that is down has been open; perhaps it bounces."""
        self._told = False
        """Whether the next press was told before it was sure."""
        self._odd: float | None = None
        """Since when the level has not been what the edges say."""
        self._held = False
        self._presses: deque[float] = deque(maxlen=PRESSES)
        self._chatters = False

    def edge(self, now: float, t: float, down: bool) -> tuple[Sign, ...]:
        """The contact closed (``down``) or opened at ``t``, and this is told ``now``; returns what that
        means."""
        if self._down is None:
            return self.look(now, down)
        if now - t > LATE:  # others of the same moment are on their way
            self._slow = now + WINDOW
        insort(self._edges, (min(max(t, self._sure), now), down), key=lambda edge: edge[0])
        self._odd = None
        return self._advance(now)

    def look(self, now: float, down: bool) -> tuple[Sign, ...]:
        """The contact is closed (``down``) or open ``now``; returns what that means. A button that is down at
        the first look means nothing until it has been released."""
        if self._down is None:
            self._down, self._changed, self._held, self._sure = down, now, down, now
            return ()
        known = self._edges[-1][1] if self._edges else self._down and self._open is None
        if down == known:
            self._odd = None
        elif self._odd is None:
            self._odd = now
        elif now - self._odd >= LATE:  # an edge that was never told
            insort(self._edges, (max(self._odd, self._sure), down), key=lambda edge: edge[0])
            self._odd = None
        signs = self._advance(now)
        holding = self._down and self._open is None and not self._edges and down and not self._held
        if holding and now - self._changed >= self._timing.hold:
            self._held = True
            signs = (*signs, Sign.HELD)
        return () if self._chatters else signs

    @property
    def held(self) -> bool:
        """Whether it is down, long enough to count as held."""
        return bool(self._down) and self._held

    def fault(self, t: float) -> ContactFault | None:
        """What is wrong with the contact at ``t``."""
        if self._chatters and self._presses and t - self._presses[-1] > WINDOW:
            self._chatters = False
        if self._down and t - self._changed >= self._timing.stuck:
            return ContactFault.STUCK
        return ContactFault.CHATTERING if self._chatters else None

    def _advance(self, now: float) -> tuple[Sign, ...]:
        """Takes the edges that are sure ``now``, and the first press that is not."""
        self._sure = max(self._sure, now - (LATEST if now < self._slow else LATE))
        signs: list[Sign] = []
        while self._edges and self._edges[0][0] <= self._sure:
            t, down = self._edges[0]
            signs += self._release(t)
            new = down and not self._down and not self._told
            if new and self._sure - t < self._timing.debounce:
                break  # it may prove to be too short for a finger
            del self._edges[0]
            if new and self._brief(t):
                continue
            if down and not self._down:
                if new:
                    signs += self._press(t)
                self._down, self._changed, self._held, self._told = True, t, False, False
            elif down:
                self._open = None
            elif self._down and self._open is None:
                self._open = t
        signs += self._release(self._sure)
        unsure = () if self._down or self._told else tuple(self._edges)
        pressed = next((t for t, down in unsure if down and t > self._sure and not self._brief(t)), None)
        if pressed is not None:
            self._told = True
            signs += self._press(pressed)
        return () if self._chatters else tuple(signs)

    def _brief(self, t: float) -> bool:
        """Whether the contact that closed at ``t`` is open again after the time for which one bounces."""
        levels = [down for at, down in self._edges if at <= t + self._timing.debounce]
        return bool(levels) and not levels[-1]

    def _release(self, t: float) -> tuple[Sign, ...]:
        """The release, if the contact has been open until ``t`` for long enough."""
        if self._open is None or t - self._open < self._timing.debounce:
            return ()
        late = not self._held and self._open - self._changed >= self._timing.hold
        held, self._held = self._held, False
        self._down, self._changed, self._open = False, self._open, None
        return (Sign.HELD,) if late else () if held else (Sign.TAPPED,)

    def _press(self, t: float) -> tuple[Sign, ...]:
        self._chatters = self._chatters and t - self._presses[-1] <= WINDOW
        self._presses.append(t)
        self._chatters |= len(self._presses) == PRESSES and t - self._presses[0] < WINDOW
        return () if self._chatters else (Sign.DOWN,)
