"""When the table opens its hotspot, and when it looks for the club's Wi-Fi again. No device, no clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass

GRACE = 60.0
"""Seconds without any network after which the hotspot opens: NetworkManager's own tries come first."""
FIRST, LAST = 120.0, 1800.0
"""Seconds between two looks for the club's Wi-Fi while the hotspot is open: at first, and at most after
failures, for each costs those who are on the hotspot their connection."""


@dataclass(frozen=True, slots=True)
class NetworkSeen:
    """How the machine's network is: the Wi-Fi ``device`` ("": none), whether a cable is connected, the
    Wi-Fi connection in use ("": none), whether that is our hotspot."""

    device: str = ""
    wired: bool = False
    wifi: str = ""
    hotspot: bool = False

    @property
    def mode(self) -> str:
        """One word for people."""
        if self.hotspot:
            return "hotspot"
        return "wifi" if self.wifi else "wired" if self.wired else "searching" if self.device else "none"


class NetworkStep(enum.Enum):
    """What must be done now."""

    NOTHING = enum.auto()
    OPEN = enum.auto()
    """Open the hotspot."""
    SEEK = enum.auto()
    """Look whether a network is there that is known, and go to it."""


class WifiMind:
    """Decides. Times are in seconds, and only go forward."""

    def __init__(self) -> None:
        self._lost: float | None = None
        self._next: float | None = None
        self._wait = FIRST
        self._opens = GRACE

    def step(self, t: float, seen: NetworkSeen) -> NetworkStep:
        """What must be done at ``t``."""
        if seen.hotspot:
            self._lost = None
            if self._next is None:
                self._next = t + self._wait
            return NetworkStep.SEEK if t >= self._next else NetworkStep.NOTHING
        self._next = None
        if not seen.device or seen.wired or seen.wifi:
            self._lost = None
            if seen.wifi:
                self._wait, self._opens = FIRST, GRACE
            return NetworkStep.NOTHING
        if self._lost is None:
            self._lost = t
        return NetworkStep.OPEN if t - self._lost >= self._opens else NetworkStep.NOTHING

    def sought(self, tried: bool) -> None:
        """It was looked for. ``tried``: a known network was there, and could not be joined."""
        self._next = None
        self._wait = min(2 * self._wait, LAST) if tried else FIRST

    def opened(self, done: bool) -> None:
        """The hotspot was opened, or could not be."""
        self._opens = GRACE if done else min(2 * self._opens, LAST)
        self._lost = None
