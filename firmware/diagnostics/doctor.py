"""The doctor: tries every part of a table and says what is wrong with it and how to mend it.

Each check is a function that returns what it found in words, or raises Trouble with what to do. It changes
nothing but the lamps for a moment, and takes no device from a program that is running: where the table runs,
it is asked how it is instead.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.position import Json
from firmware.diagnostics import machine
from firmware.diagnostics.machine import Ask
from firmware.diagnostics.unit import DROP_IN, UNPRIVILEGED
from firmware.errors import BadInput, Trouble
from firmware.record.journal import JournalError
from firmware.settings.config import Config, PageSettings
from firmware.settings.reach import url
from firmware.settings.tls import readable, remaining
from firmware.table import drivers
from hardware.protocols import DeviceError
from hardware.strip import current, limit
from vision.errors import VisionError

DARK, BRIGHT = 25, 235
"""Mean levels of a picture, of 255, outside which nothing can be read in it."""
SOON = 14
"""Days before its end at which a certificate is to be renewed."""
BOOT = "boot/firmware/config.txt"
"""Where a Pi's firmware is told what to switch on, since bookworm."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check; ``well`` is None where the part was not tried."""

    part: str
    well: bool | None
    words: str

    def to_json(self) -> Json:
        """The line of ``barpoint doctor --json``."""
        return {"part": self.part, "well": self.well, "words": self.words}

    def __str__(self) -> str:
        return f"{'–' if self.well is None else '✓' if self.well else '✗'} {self.part:12} {self.words}"


def examine(
    config: Config, state: Path, *, root: Path = Path("/"), ask: Ask = machine.asked
) -> Iterator[Finding]:
    """Tries everything, one part after another. ``root`` and ``ask`` are as in
    :mod:`firmware.diagnostics.machine`."""
    says = running(config)
    checks: dict[str, Callable[[], str]] = {
        "disk": lambda: machine.disk(state),
        "journal": lambda: machine.journal(state),
        "clock": lambda: machine.clock(state, root, ask),
        "power": lambda: machine.power(root, ask),
        "service": lambda: machine.service(config, root, ask),
        "calibration": lambda: calibration(config, state),
        "camera": lambda: camera(config),
        "buttons": lambda: buttons(config, root),
        "lights": lambda: lights(config, root),
        "page": lambda: page(config, root),
    }
    for part, check in checks.items():
        if says is not None and part in ("camera", "buttons", "lights"):
            yield Finding(
                part, None, "not tried, the running table has it; to try it: sudo systemctl stop barpoint"
            )
            continue
        if says is not None and part == "page":
            yield Finding(
                part, not says, f"the table is running on port {config.page.port}: {says or 'all in order'}"
            )
            continue
        try:
            yield Finding(part, True, check())
        except (Trouble, DeviceError, BadInput, JournalError, VisionError) as error:
            yield Finding(part, False, str(error))


def running(config: Config) -> str | None:
    """What the table that runs on this machine complains of ("" where it does not); None where none runs."""
    nameless = (
        ssl.create_default_context()
    )  # its certificate is for another name than this machine's own address
    nameless.check_hostname = False
    nameless.verify_mode = ssl.CERT_NONE
    here = url("127.0.0.1", config.page.port, config.page.tls() is not None)
    try:
        with urllib.request.urlopen(f"{here}api/state", timeout=2, context=nameless) as answer:
            said = json.load(answer)
    except (OSError, ValueError):  # nobody, or somebody else
        return None
    return str(said.get("refused") or "") if isinstance(said, dict) and "phase" in said else None


def calibration(config: Config, state: Path) -> str:
    """Whether the table has been learned."""
    if not drivers.make_eyes(config, state).calibrated:
        path = drivers.rig_path(config, state)
        raise Trouble(
            f"there is no {path}: 'Set up' on the page makes it, or 'barpoint calibrate PHOTO -o {path}' from"
            " a photo of the start"
        )
    return f"{drivers.rig_path(config, state)} is in order"


def camera(config: Config) -> str:
    """Whether a picture comes, and can be used."""
    found = drivers.make_camera(config, time.monotonic)
    if found is None:
        return "none is configured"
    try:
        frame = found.read()
    finally:
        found.close()
    height, width = frame.pixels.shape[:2]
    mean = float(frame.pixels.mean())
    if mean < DARK:
        raise Trouble(
            f"the picture is nearly black (level {mean:.0f} of 255); switch the lamp on, take the lens"
            " cap off"
        )
    if mean > BRIGHT:
        raise Trouble(
            f"the picture is nearly white (level {mean:.0f} of 255); dim the lamp, or set a shorter exposure"
        )
    return f"{width} x {height}, mean level {mean:.0f} of 255"


def buttons(config: Config, root: Path = Path("/")) -> str:
    """Whether the pins can be had, and no button is down."""
    if config.buttons.factory in ("auto", "lgpio"):
        chips = sorted((root / "dev").glob("gpiochip*"))
        if not chips:
            raise Trouble(
                'this machine has no pins (no /dev/gpiochip0); set factory = "none" in [buttons], or use a'
                " Raspberry Pi"
            )
        if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
            raise Trouble(
                "this user may not use the pins; run it with sudo, or: sudo usermod -aG gpio $USER, then log"
                " in again"
            )
    found = drivers.make_buttons(config, time.monotonic)
    if found is None:
        return "none are configured"
    try:
        pressed = found.down()
    finally:
        found.close()
    if pressed:
        raise Trouble(
            f"{', '.join(pressed)}: pressed, though nobody does; see whether it is jammed or its wire touches"
            " ground"
        )
    return f"{len(drivers.button_wires(config))} buttons, all up"


def lights(config: Config, root: Path = Path("/")) -> str:
    """Whether the strip's bus takes a frame; everything shines for a moment, within the budget. Whether it
    shines, you have to see."""
    found = drivers.make_strip(config)
    if found is None:
        return "none are configured"
    _bus(config, root)
    white = limit([(255, 255, 255)] * found.count, config.strip.budget)
    try:
        found.show(white)
        time.sleep(0.5)
    finally:
        found.close()
    return (
        f"{found.count} LEDs were white for half a second, by the arithmetic"
        f" {current(white, config.strip.budget):.0f} mA"
    )


def _bus(config: Config, root: Path) -> None:
    """Whether the strip's bus is there and may be used. Raises Trouble."""
    node = f"dev/spidev{config.strip.bus}.{config.strip.device}"
    if not (root / node).exists():
        line = "dtparam=spi=on" if config.strip.bus == 0 else "dtoverlay=spi1-3cs"
        try:
            written = line in (root / BOOT).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            written = False
        if written:
            raise Trouble(f"there is no /{node}, though /{BOOT} switches it on; restart the Pi: sudo reboot")
        raise Trouble(
            f"there is no /{node}: the bus is off; add the line {line} to /{BOOT} (./install does) and"
            " restart the Pi"
        )
    if not os.access(root / node, os.R_OK | os.W_OK):
        raise Trouble(
            f"this user may not use /{node}; run it with sudo, or: sudo usermod -aG spi $USER, then log in"
            " again"
        )


def page(config: Config, root: Path = Path("/")) -> str:
    """Whether the page's port is free, and its certificate, if it has one, in order."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.page.host, config.page.port))
        except PermissionError as error:
            if not (root / DROP_IN.relative_to("/")).exists():
                raise Trouble(
                    f"port {config.page.port} is the system's; choose one from {UNPRIVILEGED} on, or"
                    " ./install the table"
                ) from error
            return (
                f"port {config.page.port} is the system's, and the service has the right to"
                f" it{_secured(config.page)}"
            )
        except OSError as error:
            where = f"{config.page.host}:{config.page.port}"
            raise Trouble(
                f"{where}: {error.strerror or error}; another program has it: stop that, or choose another"
                " port"
            ) from error
    return f"port {config.page.port} is free{_secured(config.page)}"


def _secured(page: PageSettings) -> str:
    tls = page.tls()
    if tls is None:
        return ""
    try:
        days = remaining(tls) / 86400
    except BadInput as error:
        raise Trouble(str(error)) from error
    if days < SOON:
        raise Trouble(
            f"{tls.certificate} {'counts no longer' if days < 0 else f'ends in {days:.0f} days'}; renew it"
            " and restart the table"
        )
    if readable(tls):
        raise Trouble(f"everybody on this machine can read {tls.key}: chmod o-r {tls.key}")
    return f", its certificate counts for {days:.0f} days"
