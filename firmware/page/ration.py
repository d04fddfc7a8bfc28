"""How often somebody may ask: so many times at once, then steadily."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from engine.messages import phrase_number
from firmware.page.refusal import Refused


class TooOften(Refused):
    """Too many requests. ``wait`` is in seconds."""

    def __init__(self, wait: float) -> None:
        words = phrase_number(
            "too many tries; wait {n} second", "too many tries; wait {n} seconds", round(wait)
        )
        super().__init__(429, words, wait)


@dataclass
class Ration:
    """For each name ``burst`` uses at once, refilled steadily. Remembers at most ``names``."""

    burst: float
    per_second: float
    names: int = 512
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def wait(self, name: str, now: float, patience: float = math.inf, speed: float = 1.0) -> float:
        """The seconds that this use must wait. It is counted, unless that is longer than ``patience``;
        refilled at ``speed`` of the usual."""
        left, since = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + max(0.0, now - since) * self.per_second * speed)
        wait = max(0.0, (1 - left) / (self.per_second * speed))
        self._left[name] = (left - (wait <= patience), now)
        while len(self._left) > self.names:
            del self._left[next(iter(self._left))]
        return wait

    def take(self, name: str, now: float, speed: float = 1.0) -> None:
        """Takes one use; it is refilled at ``speed`` of the usual. Raises TooOften where none is left."""
        wait = self.wait(name, now, 0.0, speed)
        if wait:
            raise TooOften(wait + 0.5)
