"""The doctor: tries every part of a table, and says what is wrong and how to fix it.

Each check returns what it found in words, or raises Trouble with what to do. It changes nothing but the
lamps, for a moment. While the table runs, the doctor takes no device from it, but asks it how it is.
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
from firmware.record.chain import JournalError
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
"""A certificate that ends within so many days must be renewed."""
BOOT = "boot/firmware/config.txt"
"""Where a Pi's firmware reads what to switch on, since bookworm."""
NOT_ALLOWED = "this user may not use {}; run it with sudo, or: sudo usermod -aG {} $USER, then log in again"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; ``well`` is None where the part was not tried."""

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
    """Tries one part after another. ``root`` and ``ask`` as in :mod:`firmware.diagnostics.machine`."""
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
        "buzzer": lambda: buzzer(config),
        "page": lambda: page(config, root),
    }
    for part, check in checks.items():
        if says is not None and part in ("camera", "buttons", "lights", "buzzer"):
            yield Finding(
                part, None, "not tried: the running table uses it; first: sudo systemctl stop barpoint"
            )
        elif says is not None and part == "page":
            words = f"the table is running on port {config.page.port}: {says or 'all works'}"
            yield Finding(part, not says, words)
        else:
            try:
                yield Finding(part, True, check())
            except (Trouble, DeviceError, BadInput, JournalError, VisionError) as error:
                yield Finding(part, False, str(error))


def running(config: Config) -> str | None:
    """The troubles of the table that runs on this machine ("": none); None where no table runs."""
    said = _ask(config, "api/state")
    return str(said.get("refused") or "") if "phase" in said else None


def resting(config: Config) -> bool | None:
    """Whether no match is under way at the table that runs on this machine; None where none runs."""
    said = _ask(config, "api/resting").get("resting")
    return said if isinstance(said, bool) else None


def _ask(config: Config, what: str) -> dict[str, object]:
    """What this machine's table answers; nothing where none does, or somebody else."""
    nameless = ssl.create_default_context()  # its certificate names another address than 127.0.0.1
    nameless.check_hostname = False
    nameless.verify_mode = ssl.CERT_NONE
    here = url("127.0.0.1", config.page.port, config.page.tls() is not None)
    try:
        with urllib.request.urlopen(f"{here}{what}", timeout=2, context=nameless) as answer:
            said = json.load(answer)
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def calibration(config: Config, state: Path) -> str:
    """Whether the table has been learned."""
    if not drivers.make_eyes(config, state).calibrated:
        path = drivers.rig_path(config, state)
        raise Trouble(
            f"there is no {path}: 'Set up' on the page makes it, or 'barpoint calibrate PHOTO -o {path}' with"
            " a photo of the start"
        )
    return f"{drivers.rig_path(config, state)} can be used"


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
        raise Trouble(f"the picture is nearly black ({mean:.0f} of 255); is the lamp on, the lens cap off?")
    if mean > BRIGHT:
        raise Trouble(f"the picture is nearly white ({mean:.0f} of 255); dim the lamp, or shorten exposure")
    return f"{width} x {height}, mean level {mean:.0f} of 255"


def buttons(config: Config, root: Path = Path("/")) -> str:
    """Whether the pins can be had, and no button is down."""
    if config.buttons.factory in ("auto", "lgpio"):
        chips = sorted((root / "dev").glob("gpiochip*"))
        if not chips:
            raise Trouble('no pins (no /dev/gpiochip0); use a Raspberry Pi, or factory = "none" in [buttons]')
        if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
            raise Trouble(NOT_ALLOWED.format("the pins", "gpio"))
    found = drivers.make_buttons(config, time.monotonic)
    if found is None:
        return "none are configured"
    try:
        pressed = found.down()
    finally:
        found.close()
    if pressed:
        words = "down, though nobody presses it; is it jammed, or does its wire touch ground?"
        raise Trouble(f"{', '.join(pressed)}: {words}")
    return f"{len(drivers.button_wires(config))} buttons, all up"


def lights(config: Config, root: Path = Path("/")) -> str:
    """Whether the strip's bus takes a frame: all LEDs should shine for a moment, within the budget."""
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
    drawn = current(white, config.strip.budget)
    return f"{found.count} LEDs were white for half a second (about {drawn:.0f} mA); did you see it?"


def buzzer(config: Config) -> str:
    """Whether the buzzer's pin can be had: two tones should be heard."""
    found = drivers.make_buzzer(config)
    if found is None:
        return "none is configured"
    try:
        found.play(((660, 0.15), (880, 0.25)))
    finally:
        found.close()
    return f"GPIO {config.buzzer.pin} played two tones; did you hear them?"


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
            f"there is no /{node}: the bus is off; add {line} to /{BOOT} (./install does), then: sudo reboot"
        )
    if not os.access(root / node, os.R_OK | os.W_OK):
        raise Trouble(NOT_ALLOWED.format(f"/{node}", "spi"))


def page(config: Config, root: Path = Path("/")) -> str:
    """Whether the page's port is free, and its certificate, if it has one, valid."""
    port = config.page.port
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.page.host, port))
        except PermissionError as error:
            if not (root / DROP_IN.relative_to("/")).exists():
                raise Trouble(
                    f"port {port} is the system's; choose one from {UNPRIVILEGED} on, or ./install the table"
                ) from error
            return f"port {port} is the system's, and the service may use it{_secured(config.page)}"
        except OSError as error:
            words = f"{error.strerror or error}; another program has it: stop that, or choose another port"
            raise Trouble(f"{config.page.host}:{port}: {words}") from error
    return f"port {port} is free{_secured(config.page)}"


def _secured(page: PageSettings) -> str:
    tls = page.tls()
    if tls is None:
        return ""
    try:
        days = remaining(tls) / 86400
    except BadInput as error:
        raise Trouble(str(error)) from error
    if days < SOON:
        ends = "has ended" if days < 0 else f"ends in {days:.0f} days"
        raise Trouble(f"{tls.certificate} {ends}; renew it and restart the table")
    if readable(tls):
        raise Trouble(f"everybody on this machine can read {tls.key}: chmod o-r {tls.key}")
    return f", its certificate is valid for {days:.0f} days"
