"""One push button's contact, as arithmetic: what its level over time means.

A contact bounces: for some milliseconds after it closes, it opens and closes again. So a change counts at
once, and another one only after ``debounce`` seconds; then the level is checked again, so no release gets
lost. A button that is down for ``stuck`` seconds is *stuck* (a coin lies on it, a wire touches ground). One
that is pressed more often than fingers can is *chattering* (a loose wire), and is ignored until it has been
quiet. Times are in seconds and come from the caller.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass

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
    """Follows one contact. It must hear the level at every edge, and from time to time between them."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._down: bool | None = None
        self._changed = 0.0
        self._held = False
        self._presses: deque[float] = deque(maxlen=PRESSES)
        self._chatters = False

    def level(self, t: float, down: bool) -> tuple[Sign, ...]:
        """The contact is closed (``down``) or open at ``t``; returns what that means. A button that is down
        at the first look means nothing until it has been released."""
        if self._down is None:
            self._down, self._changed, self._held = down, t, down
            return ()
        signs: tuple[Sign, ...] = ()
        if down != self._down and t - self._changed >= self._timing.debounce:
            signs = self._change(t, down)
        elif self._down and down and not self._held and t - self._changed >= self._timing.hold:
            self._held = True
            signs = (Sign.HELD,)
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

    def _change(self, t: float, down: bool) -> tuple[Sign, ...]:
        late = not down and not self._held and t - self._changed >= self._timing.hold
        self._down, self._changed = down, t
        if not down:
            held, self._held = self._held, False
            return (Sign.HELD,) if late else () if held else (Sign.TAPPED,)
        self._held = False
        self._chatters = self._chatters and t - self._presses[-1] <= WINDOW
        self._presses.append(t)
        self._chatters |= len(self._presses) == PRESSES and t - self._presses[0] < WINDOW
        return (Sign.DOWN,)
