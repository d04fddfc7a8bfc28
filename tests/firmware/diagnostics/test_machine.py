"""The machine's faults, each laid out under a directory of its own, are named with their cure."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.diagnostics import machine
from firmware.diagnostics.unit import DROP_IN, UNIT, drop_in
from firmware.errors import Trouble
from firmware.record.journal import Journal
from firmware.settings.config import Config, parse


def saying(**answers: str) -> Callable[..., str | None]:
    """A machine whose programs say so; those that are not named are not there."""
    return lambda program, *_: answers.get(program)


def lay(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EROFS, "read-only"),
        (errno.ENOSPC, "full"),
        (errno.EACCES, "sudo"),
        (errno.EIO, "is the disk full"),
    ],
)
def test_a_disk_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Trouble, match=words):
        machine.disk(tmp_path, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_state_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    lay(tmp_path, "file")
    with pytest.raises(Trouble, match="cannot be written"):
        machine.disk(tmp_path / "file" / "below", tmp_path)


def test_little_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.diagnostics.machine.ROOM", 10**18)
    with pytest.raises(Trouble, match="delete something"):
        machine.disk(tmp_path, tmp_path)


@pytest.mark.parametrize("word", ["boot=overlay", "overlayroot=tmpfs:recurse=0"])
def test_a_card_that_forgets_is_named(tmp_path: Path, word: str) -> None:
    lay(tmp_path, "proc/cmdline", f"console=tty1 {word} quiet\n")
    with pytest.raises(Trouble, match="are gone after the next start"):
        machine.disk(tmp_path, tmp_path)


def test_a_slow_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.diagnostics.machine.SLOW", -1)
    with pytest.raises(Trouble, match="better card"):
        machine.disk(tmp_path, tmp_path)


def test_a_clock_behind_the_journal_is_named(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2999-01-01T00:00:00Z", {"event": "begin"})
    with pytest.raises(Trouble, match="2999"):
        machine.clock(tmp_path, tmp_path, saying())


def test_a_clock_that_nobody_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="no network has set"):
        machine.clock(tmp_path, tmp_path, saying(timedatectl="no"))


@pytest.mark.parametrize(
    ("says", "own", "words"),
    [("no", True, "own clock"), ("yes", False, "set by the network"), (None, False, "UTC")],
)
def test_a_clock_that_somebody_keeps_is_well(tmp_path: Path, says: str | None, own: bool, words: str) -> None:
    if own:
        lay(tmp_path, "dev/rtc0")
    assert words in machine.clock(tmp_path, tmp_path, saying(timedatectl=says) if says else saying())


KERNEL = "sys/devices/platform/soc/soc:firmware/get_throttled"
"""Where the kernel of a Pi 4 has the firmware's bits."""
HEAT = "sys/class/thermal/thermal_zone0/temp"


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        ("50000", "voltage was"),
        ("50005", "voltage is"),
        ("4", "processor is too hot"),
        ("40000", "processor was too hot"),
        ("1", "strip"),
    ],
)
def test_low_voltage_and_heat_are_named(tmp_path: Path, bits: str, words: str) -> None:
    with pytest.raises(Trouble, match=words):
        machine.power(tmp_path, saying(vcgencmd=f"throttled=0x{bits}"))
    lay(tmp_path, KERNEL, bits + "\n")
    with pytest.raises(Trouble, match=words):
        machine.power(tmp_path, saying())


def test_a_hot_processor_is_named_before_it_slows_down(tmp_path: Path) -> None:
    lay(tmp_path, HEAT, "81200\n")
    with pytest.raises(Trouble, match="81 °C"):
        machine.power(tmp_path, saying(vcgencmd="throttled=0x0"))


def test_a_cool_pi_with_enough_voltage_is_well(tmp_path: Path) -> None:
    lay(tmp_path, KERNEL, "0")
    lay(tmp_path, HEAT, "48312\n")
    assert machine.power(tmp_path, saying()) == "enough voltage, 48 °C"


def test_a_machine_that_is_no_pi_has_no_voltage_to_tell(tmp_path: Path) -> None:
    assert "not a Raspberry Pi" in machine.power(tmp_path, saying())
    assert "not a Raspberry Pi" in machine.power(tmp_path, saying(vcgencmd="VCHI initialization failed"))


def test_a_program_that_is_not_there_says_nothing() -> None:
    assert machine.asked("barpoint-has-no-such-program") is None
    assert machine.asked("echo", "well") == "well"


def test_a_machine_without_the_service_is_well(tmp_path: Path) -> None:
    assert "./install" in machine.service(Config(), tmp_path, saying())


@pytest.mark.parametrize("written", [None, drop_in(parse("[page]\nport = 9000"))])
def test_a_unit_that_does_not_fit_the_configuration_is_named(tmp_path: Path, written: str | None) -> None:
    lay(tmp_path, str(UNIT)[1:])
    if written is not None:
        lay(tmp_path, str(DROP_IN)[1:], written)
    with pytest.raises(Trouble, match="does not allow"):
        machine.service(Config(), tmp_path, saying(systemctl="active"))


@pytest.mark.parametrize(
    ("state", "restarts", "well"),
    [
        ("active", 0, True),
        ("active", 3, True),
        ("inactive", 0, True),
        ("failed", 0, False),
        ("activating", 0, True),  # a small Pi takes half a minute to start
        ("activating", 1, False),
    ],
)
def test_a_service_that_does_not_stay_up_is_named(
    tmp_path: Path, state: str, restarts: int, well: bool
) -> None:
    says = saying(systemctl=f"NRestarts={restarts}\nActiveState={state}")
    lay(tmp_path, str(UNIT)[1:])
    lay(tmp_path, str(DROP_IN)[1:], drop_in(Config()))
    if well:
        assert state in machine.service(Config(), tmp_path, says)
    else:
        with pytest.raises(Trouble, match="journalctl"):
            machine.service(Config(), tmp_path, says)
