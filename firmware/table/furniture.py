"""What stands on a table, and the table's own time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.events import Begin
from engine.layout import Side
from firmware.table.live import LiveEyes
from hardware.buttons import Wire
from hardware.protocols import Buttons, Camera, Lights
from vision import reading


class TableClock:
    """Seconds of table time: call it. It only ever goes forward, whatever is done to the machine's clock."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._zero = -monotonic()

    def __call__(self) -> float:
        """Now."""
        return self._zero + self._monotonic()

    def go_on_from(self, t: float) -> None:
        """Counts on from ``t``."""
        self._zero = t - self._monotonic()


@dataclass
class Table:
    """What stands on the table. None is something that it does not have."""

    begin: Callable[[float], Begin]
    eyes: LiveEyes
    camera: Camera | None = None
    pause: float = 0.0
    buttons: Buttons | None = None
    strip: Lights | None = None
    leds: Mapping[str, tuple[int, ...]] | None = None
    recordings: Path | None = None
    """Where matches are kept with their pictures, and in how many bytes at most."""
    limit: int = 0
    brightness: float = 1.0
    """The part of its light that the strip shows, 0 to 1."""
    wires: Sequence[Wire] = ()
    """The buttons that there are."""
    sides: tuple[Side, Side] = ("white", "black")
    """Whom the buttons call first and second, whatever is played."""
    learned: Callable[[str], reading.BoardReader | None] | None = None
    """The calibration for a kind of board, None where there is none."""
