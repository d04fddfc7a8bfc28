"""Trying out buttons and lamps: during a trial presses do not count, and the strip shows its LEDs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from engine.position import Json
from firmware.guided.guided_trial import GuidedTrial
from hardware.buttons import Wire
from hardware.protocols import Pressed
from hardware.strip import OFF, Colour

WHITE: Colour = (255, 255, 255)


LASTS = 20.0
"""Seconds after which a trial ends that nobody looks at: a phone that fell asleep must not keep the players'
presses from the game."""


class Trial:
    """One trial of the buttons on ``wires`` and of the strip, for the event loop (but :attr:`over`)."""

    def __init__(self, wires: Sequence[Wire] = (), now: Callable[[], float] = time.monotonic) -> None:
        self._wires = tuple(wires)
        self._now = now
        self._until = now() + LASTS
        self._heard: Counter[str] = Counter()
        self._last = ""
        self._lit: tuple[int, ...] | None = None
        self.guided: GuidedTrial | None = None
        """What asks for one thing after another, where somebody wants to be guided."""

    @property
    def over(self) -> bool:
        """Whether it has ended, since nobody looks at it."""
        return self._now() > self._until

    def watched(self) -> None:
        """Somebody looks at it."""
        self._until = self._now() + LASTS

    def hear(self, pressed: Pressed) -> None:
        """A press came in."""
        for wire in self._wires:
            if wire.side == pressed.side and pressed.button in (wire.button, wire.held):
                self._heard[wire.name] += 1
                self._last = wire.name
                if self.guided is not None:
                    self.guided.hear(wire)

    def light(self, leds: Sequence[int]) -> None:
        """Lets these LEDs shine white and no others."""
        self._lit = tuple(leds)

    def frame(self, count: int) -> list[Colour] | None:
        """What the strip of ``count`` LEDs must show; None before the first :meth:`light`."""
        asked = None if self.guided is None else self.guided.frame(count)
        if asked is not None:
            return asked
        return None if self._lit is None else [WHITE if led in self._lit else OFF for led in range(count)]

    def buttons(self, down: Sequence[str], faults: Sequence[str]) -> list[Json]:
        """Every button: what it is, whether it is down, how often it was heard, and what is wrong with it."""
        return [
            {
                "name": wire.name,
                "side": wire.side,
                "button": wire.button.value,
                "pin": wire.pin,
                "held": wire.held is wire.button,
                "down": wire.name in down,
                "heard": self._heard[wire.name],
                "last": wire.name == self._last,
                "fault": next((words for words in faults if f"button {wire.name} " in words), None),
            }
            for wire in self._wires
        ]
