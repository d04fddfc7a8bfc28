"""What every table has: a camera, buttons, lights, something that rolls dice; and a buzzer, where it has one.

The program knows only these protocols. Each has a simulated twin in :mod:`hardware.simulated`; a new driver
is one more class that keeps the protocol. Devices are made with their wiring and passed in: there is no
global factory, and what needs a Raspberry Pi is imported only for a device that does.

Devices have no clock of their own: times come from the caller's ``clock`` (seconds, monotonic, with any
zero).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.events import Button
from engine.layout import Side
from engine.position import Dice
from hardware.strip import Colour

Clock: TypeAlias = Callable[[], float]
"""Seconds on the table's one clock."""


class DeviceError(Exception):
    """A device does not work; the message names it, and says what happened and how to fix it."""


class DeviceLost(DeviceError):
    """A device is gone (unplugged, asleep, out of pictures). It may come back: try again later."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button went down: when (seconds), on whose side (None: a shared one), what it asks for. ``actor`` is
    who pressed it on the page (:attr:`engine.events.Event.actor`), empty for a button of the box."""

    t: float
    side: Side | None
    button: Button
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Agreed:
    """Both players held *done* together, at ``t`` seconds: they agree."""

    t: float


Heard: TypeAlias = Pressed | Agreed
"""What a button box reports."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: when it was taken (seconds), its name, its pixels (uint8, height x width x 3, BGR)."""

    t: float
    name: str
    pixels: NDArray[np.uint8]


class Camera(Protocol):
    """Looks at the table."""

    def read(self) -> Frame:
        """The next picture; waits for it. Raises DeviceLost when none comes now."""

    def close(self) -> None:
        """Lets the device go."""


@runtime_checkable
class Glancing(Protocol):
    """A camera that also gives small, cheap pictures, enough to see whether anything moves."""

    def glance(self) -> Frame | None:
        """The next picture, small, of the whole view; None where the camera has none. Raises DeviceLost."""


@runtime_checkable
class Focusing(Camera, Protocol):
    """A camera whose lens may have a motor. Its focus is locked: it moves only when asked to."""

    @property
    def lens(self) -> float | None:
        """Where the lens stands, in dioptres (0: infinity); None where it has no motor, or is not open."""

    def refocus(self) -> None:
        """Focuses before the next picture, and locks the lens again. From any thread; does not wait."""


class Buttons(Protocol):
    """The button box."""

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Calls ``hear`` for every press from now on, perhaps from a thread of the device's own."""

    def check(self) -> tuple[str, ...]:
        """Says which buttons do not work. Call it ten times a second."""

    def down(self) -> tuple[str, ...]:
        """The names of the buttons that are pressed now."""

    def close(self) -> None:
        """Lets the device go; ``hear`` is not called again."""


class Lights(Protocol):
    """A strip of LEDs, numbered from 0 at its fed end."""

    @property
    def count(self) -> int:
        """How many LEDs the strip has."""

    def show(self, leds: Sequence[Colour]) -> None:
        """Lights all ``count`` LEDs. Raises DeviceLost; ValueError for another number of LEDs."""

    def close(self) -> None:
        """Darkens the strip and lets the device go."""


Note: TypeAlias = tuple[float, float]
"""A tone: hertz (0 is silence) and seconds."""


class Buzzer(Protocol):
    """Something that sounds."""

    def play(self, notes: Sequence[Note]) -> None:
        """Plays them, and comes back when they have been heard. Raises DeviceError."""

    def close(self) -> None:
        """Falls silent and lets the device go."""


@runtime_checkable
class DiceSource(Protocol):
    """Rolls dice."""

    def roll(self, count: int) -> Dice:
        """``count`` faces 1-6. Raises DeviceLost when there are none."""
