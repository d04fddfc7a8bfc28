"""The doctor names what is wrong, and how to mend it; the dice are put to the test."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from firmware import assemble, doctor
from firmware.commands import dice as dice_command
from firmware.commands import doctor as doctor_command
from firmware.config import Config, parse
from firmware.doctor import Trouble, examine
from firmware.journal import Journal
from hardware.buttons import GpioButtons, pin_factory
from hardware.contact import Timing
from hardware.protocols import Clock

WELL = """
[camera]
kind = "folder"
folder = "{folder}"
[buttons]
factory = "mock"
[strip]
kind = "none"
[page]
host = "127.0.0.1"
port = 0
"""


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    cv2.imwrite(str(folder / "a.png"), np.full((300, 400, 3), 120, np.uint8))
    return folder


def test_a_table_is_examined_part_by_part(tmp_path: Path, pictures: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(WELL.format(folder=pictures))
    result = CliRunner().invoke(doctor_command.command, ["--config", str(path), "--state", str(tmp_path / "state"), "--json"])
    found = {line["part"]: line for line in map(json.loads, result.output.splitlines())}
    assert result.exit_code == 1
    assert [part for part, line in found.items() if not line["well"]] == ["calibration"]
    assert "barpoint calibrate" in found["calibration"]["words"]
    assert "400 x 300" in found["camera"]["words"]


def test_a_dark_picture_and_a_missing_one_are_named(tmp_path: Path, pictures: Path) -> None:
    config = parse(WELL.format(folder=pictures))
    cv2.imwrite(str(pictures / "a.png"), np.zeros((300, 400, 3), np.uint8))
    with pytest.raises(Trouble, match="lamp"):
        doctor.camera(config)
    (pictures / "a.png").unlink()
    (finding,) = [each for each in examine(config, tmp_path) if each.part == "camera"]
    assert not finding.well
    assert "no further pictures" in finding.words


@pytest.mark.parametrize(("bits", "words"), [("50000", "voltage"), ("4", "hot"), ("40000", "hot")])
def test_low_voltage_and_heat_are_named(tmp_path: Path, bits: str, words: str) -> None:
    (tmp_path / "bits").write_text(bits + "\n")
    with pytest.raises(Trouble, match=words):
        doctor.power(tmp_path / "bits", tmp_path / "none")


def test_a_cool_pi_with_enough_voltage_is_well(tmp_path: Path) -> None:
    (tmp_path / "bits").write_text("0")
    (tmp_path / "heat").write_text("48312\n")
    assert doctor.power(tmp_path / "bits", tmp_path / "heat") == "enough voltage, 48 °C"


def test_a_clock_behind_the_journal_is_named(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2999-01-01T00:00:00Z", {"event": "begin"})
    with pytest.raises(Trouble, match="2999"):
        doctor.clock(tmp_path)


def test_a_state_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Trouble, match="cannot be written"):
        doctor.disk(tmp_path / "file" / "below")


def test_a_button_that_is_down_is_named(monkeypatch: pytest.MonkeyPatch, pictures: Path) -> None:
    def pressed(config: Config, clock: Clock) -> GpioButtons:
        factory = pin_factory("mock")
        box = GpioButtons(assemble.wires(config), factory, clock, Timing())
        factory.pin("GPIO5").drive_low()  # after the box is made: taking a mock pin pulls it up
        return box

    monkeypatch.setattr("firmware.assemble.buttons", pressed)
    with pytest.raises(Trouble, match="white roll"):
        doctor.buttons(parse(WELL.format(folder=pictures)))


def test_dice_are_tested_and_drawn(tmp_path: Path) -> None:
    plot = tmp_path / "dice.svg"
    result = CliRunner().invoke(dice_command.command, ["--stats", "6000", "--plot", str(plot), "--json"])
    found = json.loads(result.output)
    assert (found["dice"], [test["name"] for test in found["tests"]]) == (6000, ["faces", "pairs", "serial"])
    bars = [each for each in ET.fromstring(plot.read_text()).iter() if each.tag.endswith("title")]
    assert len(bars) == 6 + 36 + 36


def test_dice_that_are_not_fair_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.dice.roll", lambda secret, words, number, count: (6,) * count)
    assert CliRunner().invoke(dice_command.command, ["--stats", "600"]).exit_code == 1


def test_three_dice_are_rolled_on_demand() -> None:
    rolled = json.loads(CliRunner().invoke(dice_command.command, ["--count", "3", "--json"]).output)["dice"]
    assert len(rolled) == 3
    assert set(rolled) <= set(range(1, 7))
