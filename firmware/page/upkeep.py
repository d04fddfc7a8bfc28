"""What the director does to the device itself, beside the match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from firmware.network import talk
from firmware.updates import Updates


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Whether somebody is ``playing``, how this machine is updated, and who looks after its ``network``."""

    playing: Callable[[], bool]
    updates: Updates = field(default_factory=Updates)
    network: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]] = talk.ask
