"""What keeps the table from starting, as systemd hears of it: 2 is final, after 1 it tries again."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.cli import main
from firmware.commands.run import command
from firmware.settings.config import parse
from firmware.table.devices import TableClock
from firmware.table.drivers import make_devices

TABLE = """
[camera]
kind = "none"
[buttons]
factory = "none"
[strip]
kind = "none"
[page]
host = "127.0.0.1"
"""


def test_a_taken_port_may_be_free_again(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (tmp_path / "b.toml").write_text(f"{TABLE}port = {taken.getsockname()[1]}")
        done = CliRunner().invoke(command, ["--config", str(tmp_path / "b.toml"), "--state", str(tmp_path)])
    assert done.exit_code == 1
    assert "in use" in done.output


def test_a_state_directory_that_cannot_be_had_may_come_back(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(TABLE)
    (tmp_path / "file").touch()
    done = CliRunner().invoke(
        command, ["--config", str(tmp_path / "b.toml"), "--state", str(tmp_path / "file" / "state")]
    )
    assert done.exit_code == 1


def test_a_damaged_calibration_does_not_keep_the_table_from_coming_up(tmp_path: Path) -> None:
    (tmp_path / "table.rig").write_text('{"version": 1, "kind": "checkers", "camera": {"size": [1e999, 1]}}')
    said: list[str] = []
    devices = make_devices(parse(TABLE), tmp_path, TableClock(), said.append)
    assert not devices.eyes.calibrated
    (words,) = said
    assert "table.rig" in words
    assert "calibrate again" in words


def test_lamps_that_the_disk_does_not_give_are_told_and_those_of_the_configuration_shine(
    tmp_path: Path,
) -> None:
    (tmp_path / "lamps.json").mkdir()
    said: list[str] = []
    config = parse(TABLE)
    assert make_devices(config, tmp_path, TableClock(), said.append).lamps.map == config.strip.map
    (words,) = said
    assert "lamps.json cannot be read" in words


def test_a_configuration_that_is_not_in_order_is_final(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.toml").write_text("[page]\nprt = 1")
    with pytest.raises(SystemExit) as ended:
        main(["run", "--config", str(tmp_path / "b.toml")])
    assert ended.value.code == 2
    assert "line 2" in capsys.readouterr().err


def test_the_port_may_be_given_and_outranks_the_configuration(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        (tmp_path / "b.toml").write_text(f"{TABLE}port = 0")
        words = ["--config", str(tmp_path / "b.toml"), "--state", str(tmp_path), "--port", str(port)]
        done = CliRunner().invoke(command, words)
    assert done.exit_code == 1
    assert f":{port}: Address already in use" in done.output


def test_a_configuration_is_checked_with_a_line_for_each_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.toml").write_text("[page]\nprt = 1\n[match]\nlength = -3\n")
    with pytest.raises(SystemExit) as ended:
        main(["config", "--check", str(tmp_path / "b.toml")])
    assert ended.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "line 2: page.prt" in first
    assert "line 4: match.length" in second


@pytest.mark.parametrize(("name", "what"), [("last", "any match"), ("2026-01-02-abc", "a match 2026")])
def test_pictures_of_a_match_that_was_not_recorded_say_how_to_record_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, what: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pictures", name, "-o", str(tmp_path / "x.html"), "--state", str(tmp_path)])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"there is no recording of {what}" in line
    assert "[recording] on = true" in line
