"""What systemd itself says of the unit and of the files beside it. Each is skipped where its tool is not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.diagnostics.unit import UNIT

SYSTEMD = Path(__file__).parents[1] / "systemd"


def asked(*command: str | Path) -> subprocess.CompletedProcess[str]:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"no {command[0]} here")
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env=os.environ | {"SYSTEMD_LOG_LEVEL": "info"},
    )


@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("barpoint.service", 13),
        ("barpoint-stick@.service", 10),
        ("barpoint-hub.service", 13),
        ("barpoint-network.service", 10),
    ],
)
def test_a_unit_is_exposed_by_so_much_at_most(unit: str, most: int) -> None:
    """In tenths, as systemd counts."""
    done = asked("systemd-analyze", "security", "--offline=true", f"--threshold={most}", SYSTEMD / unit)
    assert done.returncode == 0, done.stdout
    assert re.search(r"Overall exposure level .*: [01]\.\d", done.stdout)


def test_the_sticks_program_can_write_to_the_stick_alone() -> None:
    unit = (SYSTEMD / "barpoint-stick@.service").read_text().splitlines()
    wanted = "User=barpoint ProtectSystem=strict ReadOnlyPaths=/var/lib/barpoint PrivateDevices=yes"
    for line in (*wanted.split(), "CapabilityBoundingSet=", "MemoryMax=256M", "TimeoutStartSec=5min"):
        assert line in unit
    places = [line for line in unit if line.startswith("ReadWritePaths=")]
    assert places == ["ReadWritePaths=-/run/barpoint-sticks/%I"]
    # Nor does it see what is secret, in a state directory of the owner's own, either: state is a link to it.
    for state in ("/var/lib/barpoint", f"{UNIT.parent}/state"):
        assert f"InaccessiblePaths=-{state}/secrets -{state}/key.pem" in unit
    # Only the two steps that never look at what is on the stick are root's.
    steps = [line for line in unit if line.startswith("Exec")]
    assert [("=+" in line, line.split()[-2]) for line in steps] == [
        (True, "mount"),
        (False, "write"),
        (True, "release"),
    ]
    # Each command has its own mounts, also root's: what the next one needs is mounted in the system's.
    assert all("=+/usr/bin/nsenter --mount=/proc/1/ns/mnt " in line for line in steps if "=+" in line)


@pytest.mark.parametrize("name", sorted(each.name for each in SYSTEMD.glob("*.service")))
def test_a_unit_is_sound(name: str, tmp_path: Path) -> None:
    for socket in SYSTEMD.glob("*.socket"):
        shutil.copy(socket, tmp_path)
    unit = tmp_path / name
    unit.write_text(
        re.sub(
            r"^(Exec\w+=\+?)\S+",
            rf"\1{shutil.which('true')}",
            (SYSTEMD / name).read_text(),
            flags=re.MULTILINE,
        )
    )
    done = asked("systemd-analyze", "verify", "--man=no", unit)
    told = [line for line in done.stderr.splitlines() if "barpoint" in line]
    assert (done.returncode, told) == (0, [])


def test_the_table_always_comes_back_after_the_same_short_pause() -> None:
    """systemd never forgets how often it restarted a unit, so a pause that grows stays long."""
    unit = (SYSTEMD / "barpoint.service").read_text()
    assert re.findall("^(?:Restart|StartLimit).*", unit, re.MULTILINE) == [
        "StartLimitIntervalSec=0",
        "Restart=always",
        "RestartSec=2",
        "RestartPreventExitStatus=2",
    ]


def test_a_table_that_the_watchdog_ends_says_what_it_was_doing() -> None:
    unit = (SYSTEMD / "barpoint.service").read_text()
    assert "WatchdogSec=30" in unit.splitlines()
    assert re.search("^Environment=.* PYTHONFAULTHANDLER=1$", unit, re.MULTILINE)


def test_the_table_may_step_back_behind_other_work() -> None:
    """Engines and the learner lower their priority; where that was refused, no engine came up."""
    unit = (SYSTEMD / "barpoint.service").read_text()
    assert re.findall("^SystemCallFilter=(.*)", unit, re.MULTILINE) == [
        "@system-service",
        "~@privileged @resources",
        "setpriority",
    ]


def test_groups_of_devices_are_there_before_systemd_looks_them_up() -> None:
    """A USB camera that was plugged in first after the start was refused, since videodev came with it."""
    unit = (SYSTEMD / "barpoint.service").read_text()
    for relation in ("Wants", "After"):
        (units,) = re.findall(f"^{relation}=(.*)", unit, re.MULTILINE)
        assert {"modprobe@videodev.service", "modprobe@spidev.service"} <= set(units.split())


def test_the_screen_reaches_the_page_wherever_the_table_may_serve_it() -> None:
    """Where the page has one address of the machine alone, the browser was kept from it."""
    table, screen = (
        set(re.findall("^IPAddressAllow=(.*)", (SYSTEMD / name).read_text(), re.MULTILINE)[0].split())
        for name in ("barpoint.service", "barpoint-screen.service")
    )
    assert screen == table - {"multicast"}


def test_user_and_directories_can_be_made(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give directories to another user")
    for folder, name in (("sysusers.d", "barpoint.sysusers"), ("tmpfiles.d", "barpoint.tmpfiles")):
        (tmp_path / "etc" / folder).mkdir(parents=True)
        shutil.copy(SYSTEMD / name, tmp_path / "etc" / folder / "barpoint.conf")
    assert asked("systemd-sysusers", f"--root={tmp_path}", "barpoint.conf").returncode == 0
    entry = next(
        line.split(":")
        for line in (tmp_path / "etc/passwd").read_text().splitlines()
        if line.startswith("barpoint:")
    )
    groups = {
        line.split(":")[0]
        for line in (tmp_path / "etc/group").read_text().splitlines()
        if line.endswith(":barpoint")
    }
    assert groups == {"gpio", "spi", "video"}
    done = asked("systemd-tmpfiles", "--create", f"--root={tmp_path}", "barpoint.conf")
    assert done.returncode == 0, done.stderr
    state = (tmp_path / "var/lib/barpoint").stat()
    assert (state.st_uid, state.st_mode & 0o777) == (int(entry[2]), 0o750)


def test_the_device_rules_can_be_read() -> None:
    if "verify" not in asked("udevadm", "--help").stdout:
        pytest.skip("this udevadm cannot verify rules (systemd 254 and later can)")
    assert asked("udevadm", "verify", SYSTEMD / "60-barpoint.rules").returncode == 0


def test_a_slow_machine_has_time_to_start() -> None:
    """The rig on busy processors took more than a minute, was cut short, and took as long the next time."""
    unit = (SYSTEMD / "barpoint.service").read_text().splitlines()
    assert "TimeoutStartSec=5min" in unit
