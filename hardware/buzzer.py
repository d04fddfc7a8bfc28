"""A buzzer on one of a Raspberry Pi's pins, by gpiozero.

Wiring: a passive piezo disc or buzzer (one without an oscillator of its own) with 220 ohms in series, between
the pin and ground. It draws a few milliamps, which the pin gives.

    buzzer = GpioBuzzer(18, lambda: pin_factory("auto"))
    buzzer.play([(880, 0.1), (0, 0.05), (880, 0.1)])

The pin factory comes from the caller, as for :mod:`hardware.buttons`, anew for each time that the pin is
opened.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from engine.messages import phrase
from hardware.protocols import DeviceError, Note

LOWEST, MIDDLE, OCTAVES = 220.0, 880.0, 2
"""Hertz and octaves up and down: what a small piezo is heard with."""


class GpioBuzzer:
    """A buzzer on a pin; keeps :class:`hardware.protocols.Buzzer`. A pin that was lost is opened again for
    the next tune: gpiozero closes it together with the button box, when the chip goes away."""

    def __init__(
        self, pin: int, make_factory: Callable[[], Any], sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Opens the pin (BCM number). Raises DeviceError where it cannot be had."""
        self._pin, self._make_factory, self._sleep = pin, make_factory, sleep
        self._buzzer: Any = self._open()

    def _open(self) -> Any:
        try:
            gpiozero, tones = (importlib.import_module(name) for name in ("gpiozero", "gpiozero.tones"))
            self._tone = tones.Tone
            middle = tones.Tone.from_frequency(MIDDLE)
            return gpiozero.TonalBuzzer(
                self._pin, mid_tone=middle, octaves=OCTAVES, pin_factory=self._make_factory()
            )
        except Exception as error:  # off a Pi these libraries raise anything, also errors of their own
            raise DeviceError(
                phrase("buzzer: GPIO {pin} cannot be had: {error}", pin=self._pin, error=error)
            ) from error

    def play(self, notes: Sequence[Note]) -> None:
        """Keeps the protocol. Raises DeviceError where the pin is gone."""
        if self._buzzer is None:
            self._buzzer = self._open()
        try:
            for pitch, long in notes:
                if pitch:
                    self._buzzer.play(self._tone.from_frequency(max(pitch, LOWEST)))
                else:
                    self._buzzer.stop()
                self._sleep(long)
            self._buzzer.stop()
        except Exception as error:  # as above
            self.close()
            raise DeviceError(phrase("buzzer: {error}", error=error)) from error

    def close(self) -> None:
        """Keeps the protocol."""
        buzzer, self._buzzer = self._buzzer, None
        with suppress(Exception):  # the pin is gone
            buzzer.close()
