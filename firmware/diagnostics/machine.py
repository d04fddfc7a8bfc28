"""The machine under the table: disk, clock, power and service.

Each check returns what it found in words, or raises Trouble with what to do. ``root`` is where the machine's
files begin, ``ask`` runs a program and returns what it prints (None where it cannot be run): so a test can
make up a machine with any fault.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from firmware.diagnostics.unit import DROP_IN, UNIT, drop_in
from firmware.errors import Trouble
from firmware.record.journal import Journal
from firmware.settings.config import Config
from firmware.state import JOURNAL

Ask: TypeAlias = Callable[..., str | None]

ROOM = 200_000_000
"""Bytes that should be free: years of logs, and the system's own needs."""
SLOW = 0.2
"""Seconds of a synced write to the disk from which every move feels slow."""
HOT = 80.0
"""Degrees Celsius from which a Pi slows down (documentation, "Frequency management and thermal control")."""
COOL = "give it air, a heat sink or a fan"

CURES = {
    errno.EROFS: "it is read-only; the card may be worn out: see 'sudo dmesg', and use a new one",
    errno.ENOSPC: "it is full; delete something: 'sudo du -xh / | sort -h | tail' lists what is large",
    errno.EACCES: "this user may not write there; run it with sudo",
}
"""What is wrong with a disk that cannot be written, and how to fix it."""


def asked(*command: str) -> str | None:
    """What a program prints, whatever its exit status; None where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip()


def disk(state: Path) -> str:
    """Whether the state directory can be written, quickly and for long."""
    probe = state / ".doctor"
    try:
        state.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        try:
            with probe.open("wb") as file:
                file.write(b"x" * 4096)
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)
        took = time.monotonic() - begun
        free = shutil.disk_usage(state).free
    except OSError as error:
        cure = CURES.get(error.errno or 0, f"{error.strerror or error}; is the disk full or read-only?")
        raise Trouble(f"{state} cannot be written: {cure}") from error
    if free < ROOM:
        raise Trouble(f"only {free // 1_000_000} MB are free in {state}; delete something")
    if took > SLOW:
        raise Trouble(f"writing to {state} took {1000 * took:.0f} ms, too slow for a game; use a better card")
    return f"{state}: {free // 1_000_000_000} GB free, {1000 * took:.0f} ms to write"


def journal(state: Path) -> str:
    """Whether the journal opens, and its newest match is undamaged."""
    path = state / JOURNAL
    if not path.exists():
        return "no match has been logged yet"
    with Journal.open(path, create=False) as kept:
        games = kept.games()
        if not games:
            return "no match has been logged yet"
        whole = kept.verify(games[-1])
    matches = f"{len(games)} match{'' if len(games) == 1 else 'es'}"
    return f"{matches}; the newest is undamaged, {whole} entr{'y' if whole == 1 else 'ies'}"


def clock(state: Path, root: Path, ask: Ask) -> str:
    """Whether the time of day can be right: logs are dated by it. The match's own time does not need it."""
    now = datetime.now(UTC)
    says = f"this clock says {now:%Y-%m-%d %H:%M} UTC"
    path = state / JOURNAL
    if path.exists():
        with Journal.open(path, create=False) as kept:
            last = max((entry.at for entry in kept.first_entries()), default="")
        if last > now.isoformat():
            raise Trouble(f"{says}, but a match was logged at {last}; set it, or connect a network")
    if now.year < 2025:
        raise Trouble(f"{says}; set it, or connect a network")
    set_by_network = ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if set_by_network == "no":
        if not (root / "dev/rtc0").exists():
            raise Trouble(
                f"{says}, and no network has set it: logs may have wrong dates; connect a network once, or:"
                ' sudo timedatectl set-ntp false; sudo timedatectl set-time "2026-01-31 20:15"'
            )
        return f"{now:%Y-%m-%d %H:%M} UTC, from the machine's own clock; no network has set it"
    return f"{now:%Y-%m-%d %H:%M} UTC{', set by the network' if set_by_network == 'yes' else ''}"


def power(root: Path, ask: Ask) -> str:
    """Whether a Pi has enough voltage and is not too hot."""
    degrees = _degrees(root)
    if degrees is not None and degrees >= HOT:
        raise Trouble(f"the processor is at {degrees:.0f} °C and slows down; {COOL}")
    warmth = "" if degrees is None else f", {degrees:.0f} °C"
    bits = _throttled(root, ask)
    if bits is None:
        return f"not a Raspberry Pi, or it does not tell{warmth}"
    # The low bits say what is now, those from 16 on what has been since the start ("vcgencmd get_throttled").
    if bits & 0x10001:
        tense = "is" if bits & 0x1 else "was"
        cure = "use the Pi's own power supply, a short cable, and another supply for the strip"
        raise Trouble(f"the voltage {tense} too low; {cure}")
    if bits & 0x40004:
        tense = "is" if bits & 0x4 else "was"
        raise Trouble(f"the processor {tense} too hot and slowed down; {COOL}")
    return f"enough voltage{warmth}"


def service(config: Config, root: Path, ask: Ask) -> str:
    """Whether systemd's unit fits the configuration, and runs."""
    if not (root / UNIT.relative_to("/")).exists():
        return "not installed; ./install does it"
    try:
        written = (root / DROP_IN.relative_to("/")).read_text(encoding="utf-8")
    except OSError:
        written = ""
    if written != drop_in(config):
        raise Trouble(
            "the unit does not allow this configuration's port or directories; run ./install again, or:"
            f" barpoint config --check FILE --unit | sudo tee {DROP_IN}; sudo systemctl daemon-reload; sudo"
            " systemctl restart barpoint"
        )
    state = ask("systemctl", "is-active", "barpoint.service")
    if state in ("failed", "activating"):
        raise Trouble("the service stops again and again; 'sudo journalctl -u barpoint -n 20' says why")
    return f"installed, {state or 'but systemd does not tell its state'}"


def _degrees(root: Path) -> float | None:
    try:
        return int((root / "sys/class/thermal/thermal_zone0/temp").read_text()) / 1000
    except (OSError, ValueError):
        return None


def _throttled(root: Path, ask: Ask) -> int | None:
    """The firmware's bits: from the kernel's file, whose place differs between Pis, or from vcgencmd."""
    files = sorted((root / "sys/devices/platform").glob("soc*/soc*firmware/get_throttled"))
    try:
        said = files[0].read_text() if files else ask("vcgencmd", "get_throttled")
        return None if said is None else int(said.strip().rpartition("=")[2], 16)
    except (OSError, ValueError):
        return None
