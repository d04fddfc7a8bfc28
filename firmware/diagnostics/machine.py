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

from engine.messages import joined, phrase, phrase_number
from firmware.diagnostics.unit import DROP_IN, UNIT, drop_in
from firmware.errors import Trouble
from firmware.record.journal import Journal
from firmware.settings.config import Config
from firmware.state import JOURNAL

Ask: TypeAlias = Callable[..., str | None]

ROOM = 200_000_000
"""Bytes that should be free: years of logs, and the system's own needs."""
SLOW = 200
"""Milliseconds of a synced write to the disk from which every move feels slow."""
HOT = 80.0
"""Degrees Celsius from which a Pi slows down (documentation, "Frequency management and thermal control")."""
CURES = {
    errno.EROFS: phrase("it is read-only; the card may be worn out: see 'sudo dmesg', and use a new one"),
    errno.ENOSPC: phrase(
        "it is full; delete something: 'sudo du -xh / | sort -h | tail' lists what is large"
    ),
    errno.EACCES: phrase("this user may not write there; run it with sudo"),
}
"""What is wrong with a disk that cannot be written, and how to fix it."""


def asked(*command: str) -> str | None:
    """What a program prints, whatever its exit status; None where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip()


IN_MEMORY = ("boot=overlay", "overlayroot=tmpfs")
"""What raspi-config's *Overlay File System* tells the kernel, before and since bookworm."""


def disk(state: Path, root: Path) -> str:
    """Whether the state directory can be written, quickly and for long, and keeps what is written."""
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
        unknown = phrase("{error}; is the disk full or read-only?", error=error.strerror or error)
        cure = CURES.get(error.errno or 0, unknown)
        raise Trouble(phrase("{folder} cannot be written: {cure}", folder=state, cure=cure)) from error
    if _in_memory(state, root):
        raise Trouble(
            phrase(
                "matches in {folder} are gone after the next start: the card is protected by an overlay;"
                " switch that off in raspi-config (Performance Options), or keep them on another disk"
                " (directory in [state])",
                folder=state,
            )
        )
    if free < ROOM:
        megabytes = free // 1_000_000
        raise Trouble(phrase("only {n} MB are free in {folder}; delete something", n=megabytes, folder=state))
    took = round(1000 * took)
    if took > SLOW:
        raise Trouble(
            phrase(
                "writing to {folder} took {n} ms, too slow for a game; use a better card",
                folder=state,
                n=took,
            )
        )
    return phrase(
        "{folder}: {free} GB free, {n} ms to write", folder=state, free=free // 1_000_000_000, n=took
    )


def journal(state: Path) -> str:
    """Whether the journal opens, and its newest match is undamaged."""
    path = state / JOURNAL
    if not path.exists():
        return phrase("no match has been logged yet")
    with Journal.open_readonly(path) as kept:
        games = kept.games()
        if not games:
            return phrase("no match has been logged yet")
        whole = kept.verify(games[-1])
    return phrase_number(
        "{matches}; the newest is undamaged, {n} entry",
        "{matches}; the newest is undamaged, {n} entries",
        whole,
        matches=phrase_number("{n} match", "{n} matches", len(games)),
    )


def clock(state: Path, root: Path, ask: Ask) -> str:
    """Whether the time of day can be right: logs are dated by it. The match's own time does not need it."""
    now = datetime.now(UTC)
    time_now = f"{now:%Y-%m-%d %H:%M} UTC"
    says = phrase("this clock says {time}", time=time_now)
    path = state / JOURNAL
    if path.exists():
        with Journal.open_readonly(path) as kept:
            last = max((entry.at for entry in kept.first_entries()), default="")
        if last > now.isoformat():
            raise Trouble(
                phrase(
                    "{says}, but a match was logged at {last}; set it, or connect a network",
                    says=says,
                    last=last,
                )
            )
    if now.year < 2025:
        raise Trouble(phrase("{says}; set it, or connect a network", says=says))
    set_by_network = ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if set_by_network == "no":
        if not (root / "dev/rtc0").exists():
            raise Trouble(
                phrase(
                    "{says}, and no network has set it: logs may have wrong dates; connect a network once,"
                    ' or: sudo timedatectl set-ntp false; sudo timedatectl set-time "2026-01-31 20:15"',
                    says=says,
                )
            )
        return phrase("{time}, from the machine's own clock; no network has set it", time=time_now)
    return phrase("{time}, set by the network", time=time_now) if set_by_network == "yes" else time_now


def power(root: Path, ask: Ask) -> str:
    """Whether a Pi has enough voltage and is not too hot."""
    degrees = _degrees(root)
    if degrees is not None and degrees >= HOT:
        raise Trouble(
            phrase(
                "the processor is at {degrees} °C and slows down; give it air, a heat sink or a fan",
                degrees=f"{degrees:.0f}",
            )
        )
    warmth = "" if degrees is None else f", {degrees:.0f} °C"
    bits = _throttled(root, ask)
    if bits is None:
        return joined("", (phrase("not a Raspberry Pi, or it does not tell"), warmth))
    # The low bits say what is now, those from 16 on what has been since the start ("vcgencmd get_throttled").
    if bits & 0x10001:
        low = phrase("the voltage is too low") if bits & 0x1 else phrase("the voltage was too low")
        raise Trouble(
            phrase(
                "{low}; use the Pi's own power supply, a short cable, and another supply for the strip",
                low=low,
            )
        )
    if bits & 0x40004:
        hot = (
            phrase("the processor is too hot and slowed down")
            if bits & 0x4
            else phrase("the processor was too hot and slowed down")
        )
        raise Trouble(phrase("{hot}; give it air, a heat sink or a fan", hot=hot))
    return joined("", (phrase("enough voltage"), warmth))


def service(config: Config, root: Path, ask: Ask) -> str:
    """Whether systemd's unit fits the configuration, and runs."""
    if not (root / UNIT.relative_to("/")).exists():
        return phrase("not installed; ./install does it")
    try:
        written = (root / DROP_IN.relative_to("/")).read_text(encoding="utf-8")
    except OSError:
        written = ""
    if written != drop_in(config):
        raise Trouble(
            phrase(
                "the unit does not allow this configuration's port or directories; run ./install again, or:"
                " barpoint config --check FILE --unit | sudo tee {file}; sudo systemctl daemon-reload; sudo"
                " systemctl restart barpoint",
                file=DROP_IN,
            )
        )
    said = ask("systemctl", "show", "--property=ActiveState,NRestarts", "barpoint.service") or ""
    told = dict(line.partition("=")[::2] for line in said.splitlines())
    state = told.get("ActiveState")
    if state == "failed" or (state == "activating" and told.get("NRestarts", "0") != "0"):
        raise Trouble(
            phrase("the service stops again and again; 'sudo journalctl -u barpoint -n 20' says why")
        )
    if not state:
        return phrase("installed, but systemd does not tell its state")
    return phrase("installed, {state}", state=state)


def _in_memory(state: Path, root: Path) -> bool:
    """Whether the system's disk only seems to be written to, and the state directory lies on it."""
    try:
        told = (root / "proc/cmdline").read_text()
    except OSError:
        return False
    return any(word.startswith(IN_MEMORY) for word in told.split()) and (
        state.stat().st_dev == root.stat().st_dev
    )


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
