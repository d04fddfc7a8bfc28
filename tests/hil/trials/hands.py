"""Hands for the simulated table, as root in the guest: fingers on buttons, the strip's wire, what the camera
sees, the page, the journal and systemd.

Times are seconds of the kernel's monotonic clock, unless they are said to be of the wall's.
"""

from __future__ import annotations

import datetime
import http.client
import json
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

PINS_OF = Path("/sys/devices/platform/gpio-sim.0")
SPI = Path("/sys/kernel/debug/spimock")
CAMERA = Path("/run/hilcam")
STATE = Path("/var/lib/barpoint")
CONFIG = Path("/etc/barpoint/barpoint.toml")
REEL = Path("/root/reel")
BOUNCE = "/usr/local/lib/hil/bounce"
UNPLUGGED = CAMERA / "unplugged"
NAMES = ("roll", "done", "double", "take", "drop", "undo")
PINS = {
    **dict(zip((f"first.{name}" for name in NAMES), (5, 6, 12, 13, 16, 19), strict=True)),
    **dict(zip((f"second.{name}" for name in NAMES), range(20, 26), strict=True)),
    "resign": 26,
    "pause": 27,
}
"""The pins of the first configuration, by button."""
MATCH = ("players", "state", "due", "turn", "dice", "cells", "cube", "match", "score", "judgement", "moves")
"""What must be the same after a fault, of what the page shows."""
FINE = ("", "all works")
"""The words of systemctl status when nothing is wrong."""


def shell(command: str) -> str:
    """What a command says on its standard output."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout.strip()


def pull(name: str) -> Path:
    """The file that holds a button's pin up or down."""
    return next(PINS_OF.glob(f"gpiochip*/sim_gpio{PINS[name]}/pull"))


def push(name: str, down: bool = True) -> float:
    """Pushes a button, or lets go of it; returns when."""
    with pull(name).open("wb", buffering=0) as pin:
        t = time.monotonic()
        pin.write(b"pull-down" if down else b"pull-up")
    return t


def press(name: str, seconds: float = 0.12) -> float:
    """Presses a button; returns when it went down."""
    t = push(name)
    time.sleep(seconds)
    push(name, down=False)
    return t


def release_all() -> None:
    """Nobody presses anything: after the chip was away."""
    for each in PINS_OF.glob("gpiochip*/sim_gpio*/pull"):
        each.write_text("pull-up")


def bounce(name: str, *edges: tuple[bool, float]) -> list[float]:
    """Levels (down: True) and for how many milliseconds, with exact edges; returns when each came."""
    words = [f"{int(down)}:{1000 * ms:.0f}" for down, ms in edges]
    done = subprocess.run([BOUNCE, str(pull(name)), *words], capture_output=True, text=True, check=True)
    return [float(t) for t in done.stdout.split()]


def look(picture: Path) -> None:
    """What the camera sees from now on."""
    shutil.copy(picture, CAMERA / "new.jpg")
    (CAMERA / "new.jpg").replace(CAMERA / "frame.jpg")


def forget_spi() -> None:
    """Empties the log of the strip's wire."""
    (SPI / "log").write_text("x")


@dataclass(frozen=True)
class Transfer:
    """What went over the strip's wire: when, at how many hertz."""

    t: float
    hertz: int
    data: bytes

    @property
    def leds(self) -> list[tuple[int, int, int, int]]:
        """Brightness, red, green, blue of each LED, as an APA102 reads them. Raises ValueError where the
        bytes are none of its frames."""
        if self.data[:4] != bytes(4):
            raise ValueError(f"no start frame: {self.data[:4].hex()}")
        found, at = [], 4
        while at + 4 <= len(self.data) and self.data[at] >= 0xE0:
            head, blue, green, red = self.data[at : at + 4]
            found.append((head & 31, red, green, blue))
            at += 4
        if any(self.data[at:]):
            raise ValueError(f"after {len(found)} LEDs: {self.data[at:].hex()}")
        return found


def spi_log() -> list[Transfer]:
    """What went over the wire since :func:`forget_spi`."""
    lines = (line.split() for line in (SPI / "log").read_text().splitlines())
    return [Transfer(int(t) / 1e9, int(hertz), bytes.fromhex(data)) for t, _, hertz, data in lines]


class Page:
    """The table's page, as a browser with the PIN sees it."""

    _cookie: ClassVar[str] = ""
    """One for all trials: the PIN is asked for once."""

    def __init__(self) -> None:
        if Page._cookie:
            return
        found = re.search(r"\b\d{3} ?\d{3}\b", shell("cd / && barpoint pin"))
        assert found is not None, "barpoint pin says no PIN"
        status, said = self.call("POST", "/api/pin", {"pin": found[0].replace(" ", "")})
        assert status == 204, f"the PIN was refused: {said}"

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON of an answer. Raises OSError while there is no page."""
        headers = {"Cookie": Page._cookie} if Page._cookie else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        with closing(http.client.HTTPConnection("127.0.0.1", 8080, timeout=60)) as line:
            line.request(method, path, None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            data, cookie = answer.read(), answer.getheader("Set-Cookie")
        if cookie:
            Page._cookie = cookie.partition(";")[0]
        return answer.status, json.loads(data) if data else None

    def state(self) -> dict[str, Any]:
        """The table as the page shows it."""
        state: dict[str, Any] = self.call("GET", "/api/state")[1]
        return state

    def match(self) -> dict[str, Any] | None:
        """What must survive a fault; None while there is no page."""
        try:
            state = self.state()
        except OSError:
            return None
        return {key: state[key] for key in MATCH} if "title" in state else None

    def act(self, **event: Any) -> Any:
        """Does what a player can do on the page; returns why it was refused, None where it was done."""
        status, said = self.call("POST", "/api/act", event)
        return None if status == 204 else said

    def unpause(self) -> None:
        """Goes on, if it was paused."""
        if self.state()["state"] == "paused":
            press("pause")
            wait(lambda: self.state()["state"] != "paused", 5)


@dataclass(frozen=True)
class Entry:
    """An entry of the match's journal: when it was written (seconds, by the wall's clock), what it says."""

    at: float
    body: dict[str, Any]


def entries() -> list[Entry]:
    """The journal of the match at the table."""
    log = (STATE / "table").read_text().strip()
    with closing(sqlite3.connect(f"file:{STATE}/journal.db?mode=ro", uri=True)) as journal:
        rows = journal.execute(
            "select at, body from events where game = ? order by number", (log,)
        ).fetchall()
    return [Entry(datetime.datetime.fromisoformat(at).timestamp(), json.loads(body)) for at, body in rows]


def wait(what: Callable[[], Any], most: float, step: float = 0.05) -> float | None:
    """Seconds until ``what`` is true; None where that takes more than ``most``."""
    begin = time.monotonic()
    while time.monotonic() - begin < most:
        try:
            if what():
                return time.monotonic() - begin
        except OSError:
            pass  # the page is away
        time.sleep(step)
    return None


def unit(name: str) -> str:
    """A property of the table's unit."""
    return shell(f"systemctl show -P {name} barpoint")


def status() -> str:
    """What systemctl status says of the table in words."""
    return unit("StatusText")


def said(since: float) -> list[str]:
    """What the table wrote into the system's journal since a time by the wall's clock."""
    return shell(f"journalctl -u barpoint -o cat --no-pager --since=@{since:.2f}").splitlines()
