"""The doctor: tries every part of a table and says what is wrong with it and how to mend it.

Each check is a function that returns what it found in words, or raises Trouble with what to do. It changes nothing but the lamps for a
moment, and takes no device from a program that is running: one that is taken is told as such.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.position import Json
from firmware import assemble
from firmware.config import Config, Page
from firmware.errors import BadInput
from firmware.journal import Journal, JournalError
from firmware.page.tls import readable, remaining
from firmware.state import JOURNAL
from hardware.protocols import DeviceError
from hardware.strip import current, limit
from vision.errors import VisionError

SOON = 14
"""Days before its end at which a certificate is to be renewed."""
ROOM = 200_000_000
"""Bytes that should be free: years of logs, and the system's own needs."""
SLOW = 0.2
"""Seconds that writing to the disk for good may take before every move feels slow."""
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
"""Where a Raspberry Pi says whether it had too little voltage or was too hot, as hexadecimal bits."""
HEAT = Path("/sys/class/thermal/thermal_zone0/temp")
"""The processor's temperature, in thousandths of a degree Celsius."""


class Trouble(Exception):
    """Something is wrong; the message says what and how to mend it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check."""

    part: str
    well: bool
    words: str

    def to_json(self) -> Json:
        """The line of ``barpoint doctor --json``."""
        return {"part": self.part, "well": self.well, "words": self.words}


def examine(config: Config, state: Path, throttled: Path = THROTTLED, heat: Path = HEAT) -> Iterator[Finding]:
    """Tries everything, one part after another."""
    checks: dict[str, Callable[[], str]] = {
        "disk": lambda: disk(state),
        "journal": lambda: journal(state),
        "clock": lambda: clock(state),
        "power": lambda: power(throttled, heat),
        "calibration": lambda: calibration(config, state),
        "camera": lambda: camera(config),
        "buttons": lambda: buttons(config),
        "lights": lambda: lights(config),
        "page": lambda: page(config),
    }
    for part, check in checks.items():
        try:
            yield Finding(part, True, check())
        except (Trouble, DeviceError, BadInput, JournalError, VisionError) as error:
            yield Finding(part, False, str(error))


def disk(state: Path) -> str:
    """Whether the state directory can be written, safely, quickly and for long."""
    probe = state / ".doctor"
    try:
        state.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        with probe.open("wb") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
        took = time.monotonic() - begun
        probe.unlink()
        free = shutil.disk_usage(state).free
    except OSError as error:
        raise Trouble(f"{state} cannot be written: {error.strerror or error}; see whether the disk is full or read-only") from error
    if free < ROOM:
        raise Trouble(f"only {free // 1_000_000} MB are free in {state}; make room")
    if took > SLOW:
        raise Trouble(f"writing to {state} took {1000 * took:.0f} ms; every event waits so long: take a better card")
    return f"{state}: {free // 1_000_000_000} GB free, {1000 * took:.0f} ms to write"


def journal(state: Path) -> str:
    """Whether the journal opens, and its newest match is whole."""
    path = state / JOURNAL
    if not path.exists():
        return "no match has been logged yet"
    with Journal.open(path, create=False) as kept:
        games = kept.games()
        whole = kept.verify(games[-1]) if games else 0
    return f"{len(games)} matches; the newest is whole, {whole} entries"


def clock(state: Path) -> str:
    """Whether the time of day can be right: logs are dated by it. The match's own time does not depend on it."""
    now = datetime.now(UTC)
    path = state / JOURNAL
    if path.exists():
        with Journal.open(path, create=False) as kept:
            last = max((entry.at for entry in kept.firsts()), default="")
        if last > now.isoformat():
            raise Trouble(f"it is {now:%Y-%m-%d %H:%M} by this clock, but a match was logged at {last}; set it, or give it a network")
    if now.year < 2025:
        raise Trouble(f"it is {now:%Y-%m-%d %H:%M} by this clock; set it, or give it a network")
    return f"{now:%Y-%m-%d %H:%M} UTC"


def power(throttled: Path, heat: Path) -> str:
    """Whether the Pi has enough voltage and is not too hot."""
    try:
        bits = int(throttled.read_text().strip(), 16)
    except (OSError, ValueError):
        return "not a Raspberry Pi, or it does not say"
    if bits & 0x1 or bits & 0x10000:
        raise Trouble("the voltage is, or was, too low; take the Pi's own power supply, and feed the strip from another")
    if bits & 0x4 or bits & 0x40000:
        raise Trouble("the processor is, or was, too hot and slowed down; give it air or a heat sink")
    try:
        return f"enough voltage, {int(heat.read_text()) / 1000:.0f} °C"
    except (OSError, ValueError):
        return "enough voltage"


def calibration(config: Config, state: Path) -> str:
    """Whether the table has been learned."""
    if not assemble.eyes(config, state).calibrated:
        path = assemble.rig_path(config, state)
        raise Trouble(f"there is no {path}: take a photo of the start position and run 'barpoint calibrate PHOTO -o {path}'")
    return f"{assemble.rig_path(config, state)} is in order"


def camera(config: Config) -> str:
    """Whether a picture comes, and can be used."""
    found = assemble.camera(config, time.monotonic)
    if found is None:
        return "none is configured"
    try:
        frame = found.read()
    finally:
        found.close()
    height, width = frame.pixels.shape[:2]
    mean = float(frame.pixels.mean())
    if mean < 25:
        raise Trouble(f"the picture is nearly black (level {mean:.0f} of 255); switch the lamp on, take the lens cap off")
    if mean > 235:
        raise Trouble(f"the picture is nearly white (level {mean:.0f} of 255); dim the lamp, or set a shorter exposure")
    return f"{width} x {height}, mean level {mean:.0f} of 255"


def buttons(config: Config) -> str:
    """Whether the pins can be had, and no button is down."""
    found = assemble.buttons(config, time.monotonic)
    if found is None:
        return "none are configured"
    try:
        pressed = found.down()
    finally:
        found.close()
    if pressed:
        raise Trouble(f"{', '.join(pressed)}: pressed, though nobody does; see whether it is jammed or its wire touches ground")
    return f"{len(assemble.wires(config))} buttons, all up"


def lights(config: Config) -> str:
    """Whether the strip's bus takes a frame; everything shines for a moment, within the budget. Whether it shines, you have to see."""
    found = assemble.strip(config)
    if found is None:
        return "none are configured"
    white = limit([(255, 255, 255)] * found.count, config.strip.budget)
    try:
        found.show(white)
        time.sleep(0.5)
    finally:
        found.close()
    return f"{found.count} LEDs were white for half a second, by the arithmetic {current(white, config.strip.budget):.0f} mA"


def page(config: Config) -> str:
    """Whether the page's port is free, or the table is running already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.page.host, config.page.port))
        except OSError as error:
            raise Trouble(
                f"{config.page.host}:{config.page.port}: {error.strerror or error}; the table is running already, or choose another port"
            ) from error
    return f"port {config.page.port} is free{_secured(config.page)}"


def _secured(page: Page) -> str:
    tls = page.tls()
    if tls is None:
        return ""
    try:
        days = remaining(tls) / 86400
    except BadInput as error:
        raise Trouble(str(error)) from error
    if days < SOON:
        raise Trouble(f"{tls.certificate} {'counts no longer' if days < 0 else f'ends in {days:.0f} days'}; renew it and restart the table")
    if readable(tls):
        raise Trouble(f"everybody on this machine can read {tls.key}: chmod o-r {tls.key}")
    return f", its certificate counts for {days:.0f} days"
