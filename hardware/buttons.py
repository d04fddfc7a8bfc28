"""The button box on a Raspberry Pi's pins, by gpiozero.

Each button connects its GPIO to ground; the Pi's own pull-up keeps it high, so no resistor is needed.

    factory = pin_factory("auto")
    box = GpioButtons([Wire(17, Button.ROLL, "white")], factory, time.monotonic, Timing())
    box.listen(print)

gpiozero's debouncing is off: it differs between factories, and :mod:`hardware.contact` does it the same
everywhere, by the time that an edge itself carries. The pin factory is made here and passed in; gpiozero's
global one is never used.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.events import Button
from engine.layout import Side
from engine.messages import phrase
from hardware.contact import Contact, ContactFault, Sign, Timing
from hardware.patience import Backoff
from hardware.protocols import Agreed, Buttons, Clock, DeviceError, DeviceLost, Heard, Pressed

FACTORIES = {
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory", "apt install python3-lgpio"),
    "rpigpio": (
        "gpiozero.pins.rpigpio",
        "RPiGPIOFactory",
        "apt install python3-rpi-lgpio (Pi 5) or python3-rpi.gpio",
    ),
    "mock": ("gpiozero.pins.mock", "MockFactory", "pip install gpiozero"),
}
"""The pin factories by the name that the configuration uses: module, class, and how to get what it needs."""
AUTO = ("lgpio", "rpigpio")
"""What ``auto`` tries, in this order. lgpio uses the kernel's own interface and works on every Pi."""


HEADER_CHIPS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""What the kernel calls the chip whose pins are on the 40-pin header: on a Pi 5, on a Pi 4, on older ones."""
CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h: name and label of 32 bytes each, and the number of lines."""


def chip_label(path: Path) -> str:
    """The label of the chip at this device file; "" where it does not say."""
    try:
        with path.open("rb", buffering=0) as chip:
            told = fcntl.ioctl(chip, CHIP_INFO, bytes(68))
    except OSError:
        return ""
    return told[32:64].partition(b"\0")[0].decode(errors="replace")


def header_chip(devices: Path = Path("/dev"), label: Callable[[Path], str] = chip_label) -> int | None:
    """The number of the chip with the header's pins; None where none says that it is. A Pi 5 has five chips,
    and which of them is the header's has changed between kernels (4, then 0): gpiozero only guesses."""
    found = {path: int(path.name[8:]) for path in devices.glob("gpiochip*") if path.name[8:].isdecimal()}
    for path, number in sorted(found.items(), key=lambda each: each[1]):
        if label(path) in HEADER_CHIPS:
            return number
    return None


def pin_factory(name: str) -> Any:
    """A gpiozero pin factory. Raises DeviceError, which says how to get one."""
    if name not in FACTORIES and name != "auto":
        raise DeviceError(f"there is no pin factory {name!r}; there are auto, {', '.join(FACTORIES)}")
    names = AUTO if name == "auto" else (name,)
    if "lgpio" in names and not os.access(os.environ.get("LG_WD", "."), os.W_OK):
        # At import lgpio writes a pipe .lgd-nfy* into $LG_WD or the working directory; where it cannot,
        # gpiozero says only that no factory loads.
        raise DeviceError(
            phrase("buttons: lgpio cannot write to the working directory; start from another one")
        )
    reasons = []
    for each in names:
        module, kind, cure = FACTORIES[each]
        try:
            factory = getattr(importlib.import_module(module), kind)
            return factory(chip=header_chip()) if each == "lgpio" else factory()
        except Exception as error:  # off a Pi these libraries raise anything, also errors of their own
            reasons.append(f"{each}: {error} ({cure})")
    raise DeviceError(phrase("buttons: no access to the pins: {reasons}", reasons="; ".join(reasons)))


@dataclass(frozen=True, slots=True)
class Wire:
    """A button's wiring and meaning. ``held`` is what it means when held: if that is ``button`` itself, a tap
    means nothing; None: it does not matter how long it is pressed."""

    pin: int
    button: Button
    side: Side | None = None
    held: Button | None = None

    @property
    def name(self) -> str:
        """Its name for people."""
        return f"{self.side + ' ' if self.side else ''}{self.button} (GPIO {self.pin})"

    def meaning(self, sign: Sign) -> Button | None:
        """What ``sign`` asks for."""
        if self.held is None:
            return self.button if sign is Sign.DOWN else None
        if sign is Sign.HELD:
            return self.held
        return self.button if sign is Sign.TAPPED and self.held is not self.button else None


OLDEST = 2.0
"""Seconds after which an edge is not told any more; a time before that is another clock's."""
TOGETHER = 0.0002
"""Seconds between two looks at clocks that count as one moment."""
TRIES = 5


class _Line:
    """One button's pin. The factory's thread calls :meth:`changed`, and keeps no line alive."""

    def __init__(self, box: GpioButtons, wire: Wire, contact: Contact, device: Any) -> None:
        self.wire, self.contact, self.device = wire, contact, device
        self._box = box

    def changed(self, ticks: float, state: float) -> None:
        """The pin's level changed at ``ticks`` to ``state``; low is pressed."""
        self._box.edge(self, ticks, not state)


def _when(ticks: float, steady: Clock) -> float:
    """The steady clock's time at ``ticks``. Kernels and factories count them by one of two clocks; where it
    is neither, the edge is new."""
    for clock in (time.monotonic, time.time):
        now, there = _together(steady, clock)
        if -0.001 <= there - ticks <= OLDEST:
            return now - max(there - ticks, 0.0)
    return steady()


def _together(steady: Clock, clock: Clock) -> tuple[float, float]:
    """Both clocks' time at one moment: another thread may run for milliseconds between two looks, and an edge
    that is taken for older than it is would change places with others of its bounce."""
    looks = []
    for _ in range(TRIES):
        before, there, after = steady(), clock(), steady()
        looks.append((after - before, before, there))
        if after - before < TOGETHER:
            break
    _, now, there = min(looks)
    return now, there


class GpioButtons:
    """Buttons on GPIO pins. Presses come in a thread of the pin factory, or in that of :meth:`check`."""

    def __init__(
        self,
        wires: Sequence[Wire],
        factory: Any,
        clock: Clock,
        timing: Timing,
        steady: Clock = time.monotonic,
    ) -> None:
        """Takes the pins. ``clock`` gives the presses their time; ``steady`` measures them, and never jumps.
        Raises DeviceError where a pin is in use or does not exist."""
        from gpiozero import InputDevice  # not at the top: only a table with a box needs it

        self._clock = clock
        self._steady = steady
        self._factory = factory
        self._lock = threading.RLock()
        self._hear: Callable[[Heard], None] | None = None
        self._lines: list[_Line] = []
        for wire in wires:
            try:
                device = InputDevice(wire.pin, pull_up=True, pin_factory=factory)
                line = _Line(self, wire, Contact(timing), device)
                self._lines.append(line)
                device.pin.edges = "both"
                device.pin.when_changed = line.changed
                self._look(line)
            except Exception as error:  # gpiozero's own, and lgpio.error, which is a plain Exception
                self.close()
                raise DeviceError(
                    phrase(
                        "button {button}: {error}; does another program use the pin?",
                        button=wire.name,
                        error=error,
                    )
                ) from error

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Calls ``hear`` for every press from now on."""
        with self._lock:
            self._hear = hear

    def check(self) -> tuple[str, ...]:
        """Looks at every button: finds held ones, and says which do not work. Call it ten times a second.
        Raises DeviceLost where the pins are gone."""
        faults = []
        for line in tuple(self._lines):
            self._look(line)
            fault = line.contact.fault(self._steady())
            if fault is not None:
                faults.append(_wrong(line.wire.name, fault))
        return tuple(faults)

    def down(self) -> tuple[str, ...]:
        """The buttons that are pressed now, by name. Raises DeviceLost where the pins are gone."""
        return tuple(line.wire.name for line in tuple(self._lines) if _level(line))

    def close(self) -> None:
        """Lets the pins go, and their chip."""
        with self._lock:
            self._hear = None
            lines, self._lines = self._lines, []
        for line in lines:
            # A chip that is gone cannot be closed; the others still can. Its callbacks must go first: one
            # left in lgpio's only thread ends it at the next press, and no button would be heard any more.
            with suppress(Exception):
                line.device.pin.when_changed = None
            with suppress(Exception):
                line.device.close()
        try:
            self._factory.close()
        except Exception:  # so its pins are forgotten: else all later factories would find these dead ones
            with suppress(Exception):
                self._factory.pins.clear()
                self._factory.close()

    def edge(self, line: _Line, ticks: float, down: bool) -> None:
        """A pin changed, at the factory's ``ticks``; this is called in the factory's thread, perhaps late."""
        with self._lock:
            at = _when(ticks, self._steady)
            self._tell(line, line.contact.edge(self._steady(), at, down))

    def _look(self, line: _Line) -> None:
        with self._lock:
            down = _level(line)
            self._tell(line, line.contact.look(self._steady(), down))

    def _tell(self, line: _Line, signs: tuple[Sign, ...]) -> None:
        wire = line.wire
        for sign in signs:
            t, asked = self._clock(), wire.meaning(sign)
            if self._hear is None:
                continue
            if asked is not None:
                self._hear(Pressed(t, wire.side, asked))
            if sign is Sign.HELD and wire.button is Button.DONE and self._both_hold_done():
                self._hear(Agreed(t))

    def _both_hold_done(self) -> bool:
        done = [line for line in self._lines if line.wire.button is Button.DONE]
        return len({line.wire.side for line in done if line.contact.held}) > 1


def _wrong(button: str, fault: ContactFault) -> str:
    if fault is ContactFault.STUCK:
        return phrase("the button {button} is stuck; is it jammed, or its wire loose?", button=button)
    return phrase("the button {button} is chattering; is it jammed, or its wire loose?", button=button)


def _level(line: _Line) -> bool:
    """Whether the button is pressed now. Raises DeviceLost where its pin cannot be read."""
    try:
        return bool(line.device.value)
    except Exception as error:  # lgpio.error is a plain Exception
        raise DeviceLost(
            phrase("the buttons' pins are gone ({error}); they are looked for again", error=error)
        ) from error


class RevivedButtons:
    """A button box that is opened again after its pins were lost, at a later :meth:`check`."""

    def __init__(self, open_buttons: Callable[[], Buttons], clock: Clock = time.monotonic) -> None:
        """Opens it. Raises DeviceError where it cannot be opened at the start."""
        self._open = open_buttons
        self._clock = clock
        self._hear: Callable[[Heard], None] | None = None
        self._words = ""
        self._again = 0.0
        self._backoff = Backoff()
        self._box: Buttons | None = open_buttons()

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Keeps :class:`hardware.protocols.Buttons`."""
        self._hear = hear
        if self._box is not None:
            self._box.listen(hear)

    def check(self) -> tuple[str, ...]:
        """Keeps :class:`hardware.protocols.Buttons`. While the pins are away, that is what is wrong, in the
        same words until they are back."""
        if self._box is None and self._clock() < self._again:
            return (self._words,)
        try:
            if self._box is None:
                self._box = self._open()
                if self._hear is not None:
                    self._box.listen(self._hear)
            faults = self._box.check()
        except DeviceError as error:
            self._lose(error)
            return (self._words,)
        self._words = ""
        self._backoff.reset()
        return faults

    def down(self) -> tuple[str, ...]:
        """Keeps :class:`hardware.protocols.Buttons`; none while the pins are away."""
        with suppress(DeviceLost):
            return () if self._box is None else self._box.down()
        return ()

    def close(self) -> None:
        """Lets the pins go."""
        self._hear = None
        box, self._box = self._box, None
        self._again = float("inf")
        if box is not None:
            box.close()

    def _lose(self, error: DeviceError) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()
        self._words = self._words or str(error)
        self._again = self._clock() + self._backoff.next()
