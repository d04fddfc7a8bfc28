"""What the director does to the device itself, beside the match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from firmware.updates import Updates


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Whether somebody is ``playing``, and how this machine is updated."""

    playing: Callable[[], bool]
    updates: Updates = field(default_factory=Updates)
