"""The doctor names what is wrong, and how to fix it; the dice are put to the test."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from firmware.commands import dice as dice_command
from firmware.commands import doctor as doctor_command
from firmware.diagnostics import doctor
from firmware.diagnostics.doctor import Finding, examine
from firmware.diagnostics.running import resting, running
from firmware.diagnostics.unit import DROP_IN
from firmware.errors import BadInput, Trouble
from firmware.settings.config import Config, parse
from firmware.settings.lamp_settings import LampSettings, configured_lamps
from firmware.table import drivers
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
    result = CliRunner().invoke(
        doctor_command.command, ["--config", str(path), "--state", str(tmp_path / "state"), "--json"]
    )
    found = {line["part"]: line for line in map(json.loads, result.output.splitlines())}
    assert result.exit_code == 1
    machine = {
        "disk",
        "clock",
        "power",
        "service",
    }  # of the machine that runs the tests: it may have a table installed
    assert machine < set(found)
    assert [part for part, line in found.items() if not line["well"] and part not in machine] == [
        "calibration"
    ]
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
    pictures.rmdir()
    (finding,) = [each for each in examine(config, tmp_path) if each.part == "camera"]
    assert f"there is no folder {pictures}" in finding.words


def test_no_camera_is_named_with_what_to_check(tmp_path: Path) -> None:
    (finding,) = [
        each
        for each in examine(parse("[camera]\nkind = 'v4l2'\ndevice = 63\n[page]\nport = 0"), tmp_path)
        if each.part == "camera"
    ]
    assert finding.well is False
    assert "check its cable" in finding.words


def test_a_machine_without_pins_is_named(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="no pins"):
        doctor.buttons(Config(), tmp_path)


def test_a_pin_that_another_program_has_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy(Exception):
        """As lgpio.error: nothing but an Exception."""

    def taken(factory: object, spec: object) -> None:
        raise Busy("GPIO busy")

    monkeypatch.setattr("gpiozero.pins.mock.MockFactory.pin", taken)
    (finding,) = [
        each
        for each in examine(
            parse("[buttons]\nfactory = 'mock'\n[camera]\nkind='none'\n[page]\nport = 0"), tmp_path
        )
        if each.part == "buttons"
    ]
    assert finding.well is False
    assert "white roll (GPIO 5): GPIO busy; does another program use the pin?" in finding.words


@pytest.mark.parametrize(
    ("strip", "boot", "words"),
    [
        ("", "# nothing\n", "add dtparam=spi=on"),
        ("", "dtparam=spi=on\n", "restart the Pi"),
        ("[strip]\nbus = 1", "", "dtoverlay=spi1-3cs"),
    ],
)
def test_a_bus_that_is_off_is_named(tmp_path: Path, strip: str, boot: str, words: str) -> None:
    (tmp_path / "boot/firmware").mkdir(parents=True)
    (tmp_path / "boot/firmware/config.txt").write_text(boot)
    config = parse(strip + "\n[buttons]\nfactory = 'none'")
    with pytest.raises(Trouble, match=words):
        doctor.lights(config, tmp_path / "state", tmp_path)


def test_lamps_that_the_disk_does_not_give_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the doctor's hands try those of the configuration."""
    (tmp_path / "lamps.json").mkdir()
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/spidev0.0").touch()
    with pytest.raises(BadInput, match=r"lamps\.json cannot be read"):
        doctor.lights(parse(""), tmp_path, tmp_path)

    tried: list[LampSettings] = []

    def try_all(config: Config, lamps: LampSettings, person: object) -> list[Finding]:
        tried.append(lamps)
        return []

    config = tmp_path / "b.toml"
    config.write_text(WELL.format(folder=tmp_path))
    monkeypatch.setattr(doctor_command, "try_all", try_all)
    done = CliRunner().invoke(
        doctor_command.command, ["--hands", "--config", str(config), "--state", str(tmp_path)]
    )
    assert (done.exit_code, tried) == (1, [configured_lamps(Config())])
    assert "lamps.json cannot be read" in done.output


@pytest.fixture
def answering() -> Iterator[Callable[..., int]]:
    """A page that answers with what it is given, on the port that is returned."""
    servers: list[HTTPServer] = []

    def serve(body: bytes, host: str = "127.0.0.1") -> int:
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        servers.append(HTTPServer((host, 0), Answer))
        Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return servers[-1].server_port

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("refused", "well"), [(None, True), ("camera: away", False)])
def test_a_table_that_runs_is_asked_and_keeps_its_devices(
    tmp_path: Path, answering: Callable[[bytes], int], refused: str | None, well: bool
) -> None:
    port = answering(json.dumps({"phase": "white rolls", "refused": refused}).encode())
    found = {
        each.part: each
        for each in examine(parse(f"[page]\nport = {port}"), tmp_path, root=tmp_path, ask=lambda *_: None)
    }
    assert [found[part].well for part in ("camera", "buttons", "lights")] == [None] * 3
    assert (found["page"].well, (refused or "all works") in found["page"].words) == (well, True)


def test_a_state_directory_that_is_closed_to_this_user_ends_no_examination(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", closed)
    found = {
        each.part: each
        for each in examine(parse("[page]\nport = 0"), tmp_path, root=tmp_path, ask=lambda *_: None)
    }
    assert (found["journal"].well, len(found)) == (False, 11)
    assert found["journal"].words == f"this user may not read {tmp_path}/journal.db; run it with sudo"


def test_a_camera_that_this_user_may_not_use_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "video2").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(Trouble, match=r"this user may not use /dev/video2; .* usermod -aG video"):
        doctor.camera(parse("[camera]\nkind = 'v4l2'\ndevice = 2"), tmp_path)


def test_a_camera_that_gives_another_size_than_was_asked_for_is_told(
    tmp_path: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, shown = drivers.make_camera, parse(WELL.format(folder=pictures))
    monkeypatch.setattr("firmware.table.drivers.make_camera", lambda _, clock: make(shown, clock))
    asked = "[camera]\nkind = 'v4l2'\nwidth = {}\nheight = {}"
    assert doctor.camera(parse(asked.format(3840, 2160)), tmp_path).startswith(
        "400 x 300, not the 3840 x 2160 of [camera]"
    )
    assert doctor.camera(parse(asked.format(400, 300)), tmp_path).startswith("400 x 300, mean level")


def test_a_port_that_another_program_has_is_named(answering: Callable[[bytes], int]) -> None:
    config = parse(f"[page]\nhost = '127.0.0.1'\nport = {answering(b'[]')}")
    assert running(config) is None
    with pytest.raises(Trouble, match="another program has it"):
        doctor.page(config)


def test_a_table_at_one_address_alone_is_asked_there(answering: Callable[..., int]) -> None:
    port = answering(b'{"phase": "play", "resting": false}', "127.0.0.2")
    config = parse(f"[page]\nhost = '127.0.0.2'\nport = {port}")
    assert (running(config), resting(config)) == ("", False)


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    answering: Callable[[bytes], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    port = answering(b'{"phase": "play", "refused": "camera: no picture"}')
    assert running(parse(f"[page]\nhost = '127.0.0.1'\nport = {port}")) == "camera: no picture"


@pytest.mark.parametrize("host", ["192.0.2.9", "table.invalid"])
def test_an_address_of_another_machine_is_no_matter_of_the_port(host: str) -> None:
    with pytest.raises(Trouble, match=f"{host} is no address of this machine"):
        doctor.page(parse(f"[page]\nhost = '{host}'\nport = 0"))


def test_a_page_by_the_newer_protocol_is_tried_by_it() -> None:
    if not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    assert doctor.page(parse("[page]\nhost = '::1'\nport = 0"))


@pytest.mark.parametrize("installed", [False, True])
def test_a_port_of_the_system_needs_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    def forbid(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.socket.bind", forbid)
    config = parse("[page]\nport = 80")
    if installed:
        (tmp_path / DROP_IN.relative_to("/")).parent.mkdir(parents=True)
        (tmp_path / DROP_IN.relative_to("/")).touch()
        assert "service may use it" in doctor.page(config, tmp_path)
    else:
        with pytest.raises(Trouble, match="from 1024 on"):
            doctor.page(config, tmp_path)


def test_a_button_that_is_down_is_named(monkeypatch: pytest.MonkeyPatch, pictures: Path) -> None:
    def pressed(config: Config, clock: Clock) -> GpioButtons:
        factory = pin_factory("mock")
        box = GpioButtons(drivers.button_wires(config), factory, clock, Timing())
        factory.pin("GPIO5").drive_low()  # after the box is made: taking a mock pin pulls it up
        return box

    monkeypatch.setattr("firmware.table.drivers.make_buttons", pressed)
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
