"""The LED strip on a Raspberry Pi's SPI bus.

Wiring: data on MOSI (SPI0: GPIO 10), for an APA102 the clock on SCLK (GPIO 11); the strip's ground joins the
Pi's, its 5 V comes from a supply of its own. The user needs the group ``spi``, and ``dtparam=spi=on`` in
config.txt.

A strip never answers: the Pi cannot tell whether one is plugged in. So the table shows its lights again and
again, and a strip that is plugged back in shines at once. A bus that goes away is noticed, and opened again
at the next frame.

:mod:`hardware.strip` has encoders of our own, sixty lines tested byte for byte. The packages for it:
rpi_ws281x does not support the Pi 5 and needs root, pi5neo hides errors, the others bring a whole framework.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeAlias

from engine.messages import phrase
from hardware.protocols import DeviceError, DeviceLost
from hardware.strip import OFF, WS2812_HZ, Budget, Colour, apa102, limit, ws2812

BUFFER = Path("/sys/module/spidev/parameters/bufsiz")
"""The kernel's limit of bytes that it sends without a pause."""


class Bus(Protocol):
    """An open SPI device."""

    def writebytes2(self, data: bytes) -> None:
        """Sends the bytes. Raises OSError."""

    def close(self) -> None:
        """Lets the device go."""


OpenBus: TypeAlias = Callable[[], Bus]
"""Opens the bus. Raises OSError where it is not there now, DeviceError where it never will be."""

ENCODERS: dict[str, Callable[[Sequence[Colour]], bytes]] = {"apa102": apa102, "ws2812": ws2812}


def spi(bus: int, device: int, hz: int) -> OpenBus:
    """Opens ``/dev/spidev<bus>.<device>`` by spidev, when called."""

    def open_bus() -> Bus:
        try:
            spidev = importlib.import_module("spidev")
        except ImportError as error:
            raise DeviceError(
                phrase("strip: spidev is missing ({error}); apt install python3-spidev", error=error)
            ) from error
        opened = spidev.SpiDev()
        opened.open(bus, device)
        opened.max_speed_hz = hz
        opened.mode = 0
        bus_: Bus = opened
        return bus_

    return open_bus


class SpiStrip:
    """A strip on a bus; keeps :class:`hardware.protocols.Lights`. No frame ever exceeds the budget."""

    def __init__(
        self, kind: str, count: int, budget: Budget, open_bus: OpenBus, buffer: int | None = None
    ) -> None:
        """The first frame opens the bus. ``buffer``: the bytes that the bus sends without a pause (None: ask
        the kernel). Raises DeviceError for a WS2812 strip too long for one buffer."""
        self.count = count
        self._encode = ENCODERS[kind]
        self._budget = budget
        self._open = open_bus
        self._bus: Bus | None = None
        length = len(self._encode([OFF] * count))
        whole = _buffer() if buffer is None else buffer
        if kind == "ws2812" and length > whole:
            raise DeviceError(
                phrase(
                    "strip: {count} WS2812 LEDs need {length} bytes in one go, the kernel sends {whole}; "
                    "add spidev.bufsiz={length} to cmdline.txt, or use an APA102",
                    count=count,
                    length=length,
                    whole=whole,
                )
            )

    def show(self, leds: Sequence[Colour]) -> None:
        """Keeps the protocol. Raises DeviceLost while the bus is away; the next frame tries it again."""
        if len(leds) != self.count:
            raise ValueError(f"the strip has {self.count} LEDs, not {len(leds)}")
        data = self._encode(limit(leds, self._budget))
        try:
            if self._bus is None:
                self._bus = self._open()
            self._bus.writebytes2(data)
        except OSError as error:
            self._drop()
            raise DeviceLost(
                phrase(
                    "strip: {error}; is SPI switched on (raspi-config), and may you use it?",
                    error=error.strerror or error,
                )
            ) from error

    def close(self) -> None:
        """Darkens the strip and lets the bus go."""
        if self._bus is not None:
            with suppress(OSError):  # the bus is gone
                self._bus.writebytes2(self._encode([OFF] * self.count))
            self._drop()

    def _drop(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            with suppress(OSError):  # it is gone, and is let go all the same
                bus.close()


def spi_strip(kind: str, count: int, budget: Budget, bus: int, device: int, hz: int) -> SpiStrip:
    """A strip on the Pi's own bus; ``hz`` is for APA102, a WS2812 has one rate only."""
    return SpiStrip(kind, count, budget, spi(bus, device, WS2812_HZ if kind == "ws2812" else hz))


def _buffer() -> int:
    try:
        return int(BUFFER.read_text())
    except (OSError, ValueError):
        return 4096
