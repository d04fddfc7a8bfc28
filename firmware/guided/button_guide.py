"""Asks for one button after another, and finds out what is wrong with it.

A button is judged :data:`SETTLE` seconds after its press: one press that counts twice bounces for longer than
the configured time. Another button that answers may be a slip of the hand, so the guide waits for the right
one; who presses the right one and is heard as another goes on by :meth:`ButtonGuide.skip`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hardware.buttons import Wire

SETTLE = 0.6
"""Seconds after a press in which no finger presses again, when it was asked for one press."""
STUCK = 8.0
"""Seconds after which a button that was pressed once, and is still down, counts as stuck."""


class How(enum.StrEnum):
    """What became of a button."""

    WELL = "well"
    SKIPPED = "skipped"
    OTHER = "other"
    """Another button answered in its place."""
    BOUNCES = "bounces"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class ButtonOutcome:
    """What became of the button ``wire``; ``other`` answered in its place."""

    wire: Wire
    how: How
    other: Wire | None = None


class ButtonGuide:
    """One round over the buttons on ``wires``. Times are in seconds, and only go forward."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self._wires = {wire.name: wire for wire in wires}
        self._left = list(wires)
        self._outcomes: list[ButtonOutcome] = []
        self._looked = False
        self._pressed: float | None = None
        self._presses = 0
        self._other: Wire | None = None
        self._chatters = False

    @property
    def asked(self) -> Wire | None:
        """The button that must be pressed now; None after the last one."""
        return self._left[0] if self._left else None

    @property
    def other(self) -> Wire | None:
        """The button that answered last in place of the one that is asked for."""
        return self._other

    @property
    def pressed(self) -> bool:
        """Whether the press that is asked for was heard, and the button must be let go."""
        return self._pressed is not None

    @property
    def outcomes(self) -> tuple[ButtonOutcome, ...]:
        """What was found so far, in the order in which it was."""
        return tuple(self._outcomes)

    def hear(self, t: float, wire: Wire) -> None:
        """A press came in at ``t``."""
        if self.asked is None:
            return
        if wire.name != self.asked.name:
            if self._pressed is None:
                self._other = wire
            return
        self._presses += 1
        if self._pressed is None:
            self._pressed = t

    def look(self, t: float, down: Iterable[str], faults: Iterable[str] = ()) -> None:
        """How the buttons are at ``t``: the names of those that are ``down``, and what is wrong in words.
        Call it ten times a second."""
        held = set(down)
        if not self._looked:
            self._looked = True
            for name in held & self._wires.keys():
                self._end(self._wires[name], How.STUCK)
        asked = self.asked
        if asked is None:
            return
        self._chatters |= any(f"button {asked.name} is chattering" in words for words in faults)
        if self._pressed is None or t - self._pressed < SETTLE:
            return
        if asked.name not in held:
            self._end(asked, How.BOUNCES if self._presses > 1 or self._chatters else How.WELL)
        elif t - self._pressed >= STUCK:
            self._end(asked, How.STUCK)

    def skip(self) -> None:
        """Goes on to the next button."""
        if self.asked is not None:
            other = self._other if self._pressed is None else None
            how = How.OTHER if other else How.BOUNCES if self._chatters else How.SKIPPED
            self._end(self.asked, how, other)

    def _end(self, wire: Wire, how: How, other: Wire | None = None) -> None:
        self._outcomes.append(ButtonOutcome(wire, how, other))
        self._left.remove(wire)
        self._pressed, self._presses, self._other, self._chatters = None, 0, None, False


def exchanged(outcomes: Iterable[ButtonOutcome]) -> list[tuple[Wire, Wire]]:
    """The pairs of buttons of which each answered for the other: their wires are exchanged."""
    answered = {each.wire.name: each for each in outcomes if each.other is not None}
    pairs = []
    for each in answered.values():
        other = answered.get(each.other.name) if each.other else None
        mutual = other is not None and other.other is not None and other.other.name == each.wire.name
        if other is not None and mutual and each.wire.pin < other.wire.pin:
            pairs.append((each.wire, other.wire))
    return pairs
