"""The doctor: tries every part of a table, and says what is wrong and how to fix it.

Each check returns what it found in words, or raises Trouble with what to do. It changes nothing but the
lamps, for a moment. While the table runs, the doctor takes no device from it, but asks it how it is.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.messages import joined, phrase, phrase_number
from engine.position import Json
from firmware.diagnostics import machine
from firmware.diagnostics.machine import Ask
from firmware.diagnostics.running import running
from firmware.diagnostics.unit import DROP_IN, UNPRIVILEGED
from firmware.errors import BadInput, Trouble
from firmware.languages.choice import local
from firmware.record.chain import JournalError
from firmware.settings.config import Config, PageSettings
from firmware.settings.lamp_settings import load_lamps
from firmware.settings.reach import family, is_elsewhere
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
        return f"{'–' if self.well is None else '✓' if self.well else '✗'} {self.part:12} {local(self.words)}"


def examine(
    config: Config, state: Path, *, root: Path = Path("/"), ask: Ask = machine.asked
) -> Iterator[Finding]:
    """Tries one part after another. ``root`` and ``ask`` as in :mod:`firmware.diagnostics.machine`."""
    says = running(config)
    checks: dict[str, Callable[[], str]] = {
        "disk": lambda: machine.disk(state, root),
        "journal": lambda: machine.journal(state),
        "clock": lambda: machine.clock(state, root, ask),
        "power": lambda: machine.power(root, ask),
        "service": lambda: machine.service(config, root, ask),
        "calibration": lambda: calibration(config, state),
        "camera": lambda: camera(config, root),
        "buttons": lambda: buttons(config, root),
        "lights": lambda: lights(config, state, root),
        "buzzer": lambda: buzzer(config),
        "page": lambda: page(config, root),
    }
    for part, check in checks.items():
        if says is not None and part in ("camera", "buttons", "lights", "buzzer"):
            yield Finding(
                part,
                None,
                phrase("not tried: the running table uses it; first: sudo systemctl stop barpoint"),
            )
        elif says is not None and part == "page":
            words = phrase(
                "the table is running on port {port}: {words}",
                port=config.page.port,
                words=says or phrase("all works"),
            )
            yield Finding(part, not says, words)
        else:
            try:
                yield Finding(part, True, check())
            except (Trouble, DeviceError, BadInput, JournalError, VisionError) as error:
                yield Finding(part, False, str(error))
            except PermissionError as error:
                yield Finding(
                    part,
                    False,
                    phrase("this user may not read {file}; run it with sudo", file=error.filename),
                )


def _not_allowed(device: str, group: str) -> str:
    return phrase(
        "this user may not use {device}; run it with sudo, or: sudo usermod -aG {group} $USER, then log in"
        " again",
        device=device,
        group=group,
    )


def calibration(config: Config, state: Path) -> str:
    """Whether the table has been learned."""
    if not drivers.make_eyes(config, state).calibrated:
        path = drivers.rig_path(config, state)
        raise Trouble(
            phrase(
                "there is no {path}: 'Set up' on the page makes it, or 'barpoint calibrate PHOTO -o {path}'"
                " with a photo of the start",
                path=path,
            )
        )
    return phrase("{path} can be used", path=drivers.rig_path(config, state))


def camera(config: Config, root: Path = Path("/")) -> str:
    """Whether a picture comes, and can be used."""
    device = root / f"dev/video{config.camera.device}"
    if config.camera.kind == "v4l2" and device.exists() and not os.access(device, os.R_OK | os.W_OK):
        raise Trouble(_not_allowed(f"/{device.relative_to(root)}", "video"))
    found = drivers.make_camera(config, time.monotonic)
    if found is None:
        return phrase("none is configured")
    try:
        frame = found.read()
    finally:
        found.close()
    height, width = frame.pixels.shape[:2]
    mean = float(frame.pixels.mean())
    if mean < DARK:
        raise Trouble(
            phrase(
                "the picture is nearly black ({mean} of 255); is the lamp on, the lens cap off?",
                mean=f"{mean:.0f}",
            )
        )
    if mean > BRIGHT:
        raise Trouble(
            phrase(
                "the picture is nearly white ({mean} of 255); dim the lamp, or shorten exposure",
                mean=f"{mean:.0f}",
            )
        )
    size, asked = f"{width} x {height}", f"{config.camera.width} x {config.camera.height}"
    if config.camera.kind == "v4l2" and size != asked:
        size = phrase(
            "{size}, not the {asked} of [camera], which it does not offer ('v4l2-ctl --list-formats-ext'"
            " lists what it does)",
            size=size,
            asked=asked,
        )
    return phrase("{size}, mean level {mean} of 255", size=size, mean=f"{mean:.0f}")


def buttons(config: Config, root: Path = Path("/")) -> str:
    """Whether the pins can be had, and no button is down."""
    if config.buttons.factory in ("auto", "lgpio"):
        chips = sorted((root / "dev").glob("gpiochip*"))
        if not chips:
            raise Trouble(
                phrase('no pins (no /dev/gpiochip0); use a Raspberry Pi, or factory = "none" in [buttons]')
            )
        if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
            raise Trouble(_not_allowed("/dev/gpiochip*", "gpio"))
    found = drivers.make_buttons(config, time.monotonic)
    if found is None:
        return phrase("none are configured")
    try:
        pressed = found.down()
    finally:
        found.close()
    if pressed:
        raise Trouble(
            phrase(
                "{buttons}: down, though nobody presses it; is it jammed, or does its wire touch ground?",
                buttons=", ".join(pressed),
            )
        )
    return phrase_number("{n} button, up", "{n} buttons, all up", len(drivers.button_wires(config)))


def lights(config: Config, state: Path, root: Path = Path("/")) -> str:
    """Whether the strip's bus takes a frame, and how it must shine can be read: all LEDs should shine for a
    moment, within the budget."""
    found = drivers.make_strip(config)
    if found is None:
        return phrase("none are configured")
    _bus(config, root)
    load_lamps(config, state)
    white = limit([(255, 255, 255)] * found.count, config.strip.budget)
    try:
        found.show(white)
        time.sleep(0.5)
    finally:
        found.close()
    drawn = current(white, config.strip.budget)
    return phrase(
        "{n} LEDs were white for half a second (about {current} mA); did you see it?",
        n=found.count,
        current=f"{drawn:.0f}",
    )


def buzzer(config: Config) -> str:
    """Whether the buzzer's pin can be had: two tones should be heard."""
    found = drivers.make_buzzer(config)
    if found is None:
        return phrase("none is configured")
    try:
        found.play(((660, 0.15), (880, 0.25)))
    finally:
        found.close()
    return phrase("GPIO {pin} played two tones; did you hear them?", pin=config.buzzer.pin)


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
            raise Trouble(
                phrase(
                    "there is no /{node}, though /{file} switches it on; restart the Pi: sudo reboot",
                    node=node,
                    file=BOOT,
                )
            )
        raise Trouble(
            phrase(
                "there is no /{node}: the bus is off; add {line} to /{file} (./install does), then: sudo"
                " reboot",
                node=node,
                line=line,
                file=BOOT,
            )
        )
    if not os.access(root / node, os.R_OK | os.W_OK):
        raise Trouble(_not_allowed(f"/{node}", "spi"))


def page(config: Config, root: Path = Path("/")) -> str:
    """Whether the page's port is free, and its certificate, if it has one, valid."""
    port = config.page.port
    with socket.socket(family(config.page.host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.page.host, port))
        except PermissionError as error:
            if not (root / DROP_IN.relative_to("/")).exists():
                raise Trouble(
                    phrase(
                        "port {port} is the system's; choose one from {first} on, or ./install the table",
                        port=port,
                        first=UNPRIVILEGED,
                    )
                ) from error
            free = phrase("port {port} is the system's, and the service may use it", port=port)
            return joined("", (free, _secured(config.page)))
        except OSError as error:
            if is_elsewhere(error):
                raise Trouble(
                    phrase(
                        "{host} is no address of this machine ({error}); set host in [page] to 0.0.0.0, or to"
                        " an address of this machine",
                        host=config.page.host,
                        error=error.strerror or error,
                    )
                ) from error
            raise Trouble(
                phrase(
                    "{address}: {error}; another program has it: stop that, or choose another port",
                    address=f"{config.page.host}:{port}",
                    error=error.strerror or error,
                )
            ) from error
    return joined("", (phrase("port {port} is free", port=port), _secured(config.page)))


def _secured(page: PageSettings) -> str:
    tls = page.tls()
    if tls is None:
        return ""
    try:
        days = remaining(tls) / 86400
    except BadInput as error:
        raise Trouble(str(error)) from error
    if days < SOON:
        if days < 0:
            raise Trouble(phrase("{file} has ended; renew it and restart the table", file=tls.certificate))
        raise Trouble(
            phrase_number(
                "{file} ends in {n} day; renew it and restart the table",
                "{file} ends in {n} days; renew it and restart the table",
                round(days),
                file=tls.certificate,
            )
        )
    if readable(tls):
        raise Trouble(phrase("everybody on this machine can read {file}: chmod o-r {file}", file=tls.key))
    return phrase_number(
        ", its certificate is valid for {n} day", ", its certificate is valid for {n} days", round(days)
    )
