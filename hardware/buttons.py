"""The button box on a Raspberry Pi's pins, by gpiozero.

Each button connects its GPIO to ground; the Pi's own pull-up keeps it high, so no resistor is needed.

    factory = pin_factory("auto")
    box = GpioButtons([Wire(17, Button.ROLL, "white")], factory, time.monotonic, Timing())
    box.listen(print)

gpiozero's debouncing is off: it differs between factories, and :mod:`hardware.contact` does it the same
everywhere. The pin factory is made here and passed in; gpiozero's global one is never used.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.events import Button
from engine.layout import Side
from hardware.contact import Contact, Sign, Timing
from hardware.protocols import Agreed, Clock, DeviceError, Heard, Pressed

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


def pin_factory(name: str) -> Any:
    """A gpiozero pin factory. Raises DeviceError, which says how to get one."""
    if name not in FACTORIES and name != "auto":
        raise DeviceError(f"there is no pin factory {name!r}; there are auto, {', '.join(FACTORIES)}")
    names = AUTO if name == "auto" else (name,)
    if "lgpio" in names and not os.access(os.environ.get("LG_WD", "."), os.W_OK):
        # At import lgpio writes a pipe .lgd-nfy* into $LG_WD or the working directory; where it cannot,
        # gpiozero says only that no factory loads.
        raise DeviceError("buttons: lgpio cannot write to the working directory; start from another one")
    reasons = []
    for each in names:
        module, kind, cure = FACTORIES[each]
        try:
            return getattr(importlib.import_module(module), kind)()
        except Exception as error:  # off a Pi these libraries raise anything, also errors of their own
            reasons.append(f"{each}: {error} ({cure})")
    raise DeviceError(f"buttons: no access to the pins: {'; '.join(reasons)}")


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


class GpioButtons:
    """Buttons on GPIO pins. Presses come in a thread of the pin factory, or in that of :meth:`check`."""

    def __init__(self, wires: Sequence[Wire], factory: Any, clock: Clock, timing: Timing) -> None:
        """Takes the pins. Raises DeviceError where one is in use or does not exist."""
        from gpiozero import DigitalInputDevice  # not at the top: only a table with a box needs it

        self._clock = clock
        self._lock = threading.RLock()
        self._hear: Callable[[Heard], None] | None = None
        self._devices: list[tuple[Wire, Contact, Any]] = []
        for wire in wires:
            try:
                device = DigitalInputDevice(wire.pin, pull_up=True, pin_factory=factory)
            except Exception as error:  # gpiozero's own, and lgpio.error, which is a plain Exception
                self.close()
                raise DeviceError(
                    f"button {wire.name}: {error}; does another program use the pin?"
                ) from error
            self._devices.append((wire, Contact(timing), device))
        for wire, contact, device in self._devices:
            self._look(wire, contact, bool(device.value))
            device.when_activated = self._edge(wire, contact, True)
            device.when_deactivated = self._edge(wire, contact, False)

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Calls ``hear`` for every press from now on."""
        with self._lock:
            self._hear = hear

    def check(self) -> tuple[str, ...]:
        """Looks at every button: finds held ones, and says which do not work. Call it ten times a second."""
        faults = []
        for wire, contact, device in self._devices:
            self._look(wire, contact, bool(device.value))
            fault = contact.fault(self._clock())
            if fault is not None:
                faults.append(f"the button {wire.name} is {fault}; is it jammed, or its wire loose?")
        return tuple(faults)

    def down(self) -> tuple[str, ...]:
        """The buttons that are pressed now, by name."""
        return tuple(wire.name for wire, _, device in self._devices if device.value)

    def close(self) -> None:
        """Lets the pins go."""
        with self._lock:
            self._hear = None
        for _, _, device in self._devices:
            with suppress(Exception):  # a chip that is gone cannot be closed; the others still can
                device.close()
        self._devices.clear()

    def _edge(self, wire: Wire, contact: Contact, down: bool) -> Callable[[], None]:
        return lambda: self._look(wire, contact, down)

    def _look(self, wire: Wire, contact: Contact, down: bool) -> None:
        with self._lock:
            t = self._clock()
            for sign in contact.level(t, down):
                asked = wire.meaning(sign)
                if self._hear is None:
                    continue
                if asked is not None:
                    self._hear(Pressed(t, wire.side, asked))
                if sign is Sign.HELD and wire.button is Button.DONE and self._both_hold_done():
                    self._hear(Agreed(t))

    def _both_hold_done(self) -> bool:
        done = [(wire, contact) for wire, contact, _ in self._devices if wire.button is Button.DONE]
        return len({wire.side for wire, contact in done if contact.held}) > 1
