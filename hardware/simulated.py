"""A whole table without a table: the simulated twins of camera, buttons, lights and dice.

They keep the protocols of :mod:`hardware.protocols` exactly, and do what a script or a test says:

    camera = FolderCamera(Path("reel"), ["000.jpg", "001.jpg"], clock, decode)
    buttons = ScriptedButtons(clock)
    strip = MemoryStrip(60)
    dice = ScriptedDice()

    dice.load((5, 2))
    buttons.press("white", Button.ROLL)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.events import Button
from engine.layout import Side
from engine.position import Dice
from hardware.protocols import Agreed, Clock, DeviceError, DeviceLost, Frame, Heard, Note, Pressed
from hardware.strip import OFF, Colour


class FolderCamera:
    """A camera that sees the pictures of a folder, one after another. ``decode`` turns a file's bytes into
    pixels, and raises ValueError for what is no picture."""

    def __init__(
        self, folder: Path, names: Iterable[str], clock: Clock, decode: Callable[[bytes], NDArray[np.uint8]]
    ) -> None:
        self._folder = folder
        self._names = deque(names)
        self._clock = clock
        self._decode = decode

    def read(self) -> Frame:
        """The next picture. Raises DeviceLost after the last one, DeviceError for a damaged file."""
        if not self._names:
            if not self._folder.is_dir():
                raise DeviceLost(f"there is no folder {self._folder}")
            raise DeviceLost(f"the folder {self._folder} has no further pictures")
        name = self._names.popleft()
        try:
            return Frame(self._clock(), name, self._decode((self._folder / name).read_bytes()))
        except OSError as error:
            raise DeviceError(f"{self._folder / name}: {error.strerror or error}") from error
        except ValueError as error:
            raise DeviceError(f"{self._folder / name}: {error}") from error

    def close(self) -> None:
        """Forgets the pictures that are left."""
        self._names.clear()


class ScriptedButtons:
    """Buttons pressed by a program. ``gone`` says what is wrong while they are away."""

    def __init__(self, clock: Clock) -> None:
        self.gone = ""
        self._clock = clock
        self._hear: Callable[[Heard], None] | None = None

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Calls ``hear`` in the very call of :meth:`press`."""
        self._hear = hear

    def press(self, side: Side | None, button: Button) -> None:
        """Presses a button now."""
        if self._hear is not None:
            self._hear(Pressed(self._clock(), side, button))

    def agree(self) -> None:
        """Holds both players' *done* together."""
        if self._hear is not None:
            self._hear(Agreed(self._clock()))

    def check(self) -> tuple[str, ...]:
        """Nothing is ever wrong with them. Raises DeviceLost while they are gone."""
        if self.gone:
            raise DeviceLost(self.gone)
        return ()

    def down(self) -> tuple[str, ...]:
        """They are never down for long."""
        return ()

    def close(self) -> None:
        """Presses are no longer heard."""
        self._hear = None


class MemoryStrip:
    """An LED strip in memory; the page draws it. ``leds`` is what shines now."""

    def __init__(self, count: int) -> None:
        self.leds: tuple[Colour, ...] = (OFF,) * count

    @property
    def count(self) -> int:
        """How many LEDs the strip has."""
        return len(self.leds)

    def show(self, leds: Sequence[Colour]) -> None:
        """Takes the colours. Raises ValueError for another number of LEDs or a value outside 0-255."""
        if len(leds) != self.count:
            raise ValueError(f"the strip has {self.count} LEDs, not {len(leds)}")
        if any(not 0 <= value <= 255 for led in leds for value in led):
            raise ValueError("an LED takes 0-255 for each of red, green and blue")
        self.leds = tuple(leds)

    def close(self) -> None:
        """Darkens the strip."""
        self.leds = (OFF,) * self.count


class MemoryBuzzer:
    """A buzzer in memory: ``played`` is every tune that it was given."""

    def __init__(self) -> None:
        self.played: list[tuple[Note, ...]] = []

    def play(self, notes: Sequence[Note]) -> None:
        """Takes the tune; it is over at once."""
        self.played.append(tuple(notes))

    def close(self) -> None:
        """Nothing: it makes no sound."""


class ScriptedDice:
    """Dice that fall as they were loaded."""

    def __init__(self, rolls: Iterable[Dice] = ()) -> None:
        self._rolls = deque(rolls)

    def load(self, dice: Dice) -> None:
        """Puts a roll behind those that wait."""
        self._rolls.append(dice)

    def roll(self, count: int) -> Dice:
        """The next loaded roll. Raises DeviceLost without one, DeviceError for another number of dice."""
        if not self._rolls:
            raise DeviceLost("no roll was loaded into the scripted dice")
        if len(self._rolls[0]) != count:
            raise DeviceError(f"{count} dice are due, but the script has {self._rolls[0]}")
        return self._rolls.popleft()
