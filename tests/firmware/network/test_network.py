"""The table keeps itself in reach: the club's Wi-Fi where it is, else a hotspot of its own."""

import asyncio
import contextlib
import errno
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.errors import BadInput
from firmware.network import service
from firmware.network.mind import FIRST, GRACE, LAST, NetworkSeen, NetworkStep, WifiMind
from firmware.network.nmcli import Nmcli, _cells
from firmware.network.service import NetworkService
from firmware.network.talk import ask
from firmware.network.wifi import CLUB, HOTSPOT, Network

CLUB_NET, SECRET = "Club: 1\\2", " s3cr\\et;pass#1"
FAKE = Path(__file__).with_name("fake_nmcli.py")


class Air:
    """A machine with the Wi-Fi networks of ``air`` (name -> password), and a service that is stepped."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = place
        for name in ("connections", "own", "tools"):
            (place / name).mkdir()
        tool = place / "tools/nmcli"
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {FAKE} {shlex.quote(str(place))} "$@"\n')
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{place}/tools:{os.environ['PATH']}")
        self.said: list[str] = []
        self.t = 0.0
        self.set(device=True, active="", air={CLUB_NET: SECRET, "Open": ""})
        self.service = self.start()

    def start(self) -> NetworkService:
        return NetworkService(
            Nmcli(self.place / "connections"), self.place / "own", self.said.append, lambda: self.t
        )

    def set(self, **state: Any) -> None:
        path = self.place / "state.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(before | state))

    @property
    def active(self) -> str:
        return str(json.loads((self.place / "state.json").read_text())["active"])

    def asked(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.place / "asked").read_text().splitlines()]

    def pass_time(self, seconds: float) -> None:
        """The service looks once, ``seconds`` later."""
        self.t += seconds
        asyncio.run(self.service.turn())

    def do(self, **request: str) -> dict[str, Any]:
        """Asks, does what was asked, and returns how it stands then."""

        async def go() -> None:
            self.service.ask(request)
            await self.service._wishes.get_nowait()()
            await self.service.turn()

        asyncio.run(go())
        return self.service.status()


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Air:
    made = Air(tmp_path, monkeypatch)
    made.pass_time(0)
    return made


def test_without_a_network_the_hotspot_opens_and_the_club_is_joined_from_there(air: Air) -> None:
    assert air.service.status()["mode"] == "searching"
    air.pass_time(GRACE)
    assert air.active == HOTSPOT
    air.pass_time(1)
    status = air.service.status()
    assert (status["mode"], status["hotspot"]["ssid"][:9]) == ("hotspot", "Barpoint ")
    assert [each["ssid"] for each in air.do(do="scan")["networks"]] == [CLUB_NET, "Open"]
    status = air.do(do="join", ssid=CLUB_NET, password=SECRET)
    assert (status["mode"], status["connection"], air.active) == ("wifi", CLUB, CLUB)
    assert status["last"] == {"ssid": CLUB_NET, "result": "joined"}
    air.pass_time(3600)
    assert air.active == CLUB


@pytest.mark.parametrize(
    ("ssid", "password", "result"), [(CLUB_NET, "wrong password", "password"), ("Nowhere", SECRET, "missing")]
)
def test_where_joining_fails_the_hotspot_opens_again_and_nothing_is_kept(
    air: Air, ssid: str, password: str, result: str
) -> None:
    air.pass_time(GRACE)
    status = air.do(do="join", ssid=ssid, password=password)
    assert (status["mode"], status["last"]["result"], air.active) == ("hotspot", result, HOTSPOT)
    assert not (air.place / f"connections/{CLUB}.nmconnection").exists()


def test_a_wrong_password_for_another_network_leaves_the_club_known(air: Air) -> None:
    air.do(do="join", ssid=CLUB_NET, password=SECRET)
    before = (air.place / f"connections/{CLUB}.nmconnection").read_text()
    air.do(do="join", ssid="Open", password="not wanted there")
    assert (air.place / f"connections/{CLUB}.nmconnection").read_text() == before


def test_a_power_cut_while_another_network_is_tried_leaves_the_club_known(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    air.do(do="join", ssid=CLUB_NET, password=SECRET)
    keyfile = air.place / f"connections/{CLUB}.nmconnection"
    before, up = keyfile.read_text(), Nmcli.up

    async def cut(nmcli: Nmcli, name: str) -> str:
        await up(nmcli, name)
        raise asyncio.CancelledError

    monkeypatch.setattr(Nmcli, "up", cut)
    with pytest.raises(asyncio.CancelledError):
        air.do(do="join", ssid=CLUB_NET, password="wrong password")
    monkeypatch.undo()
    assert keyfile.read_text() == before
    monkeypatch.setenv("PATH", f"{air.place}/tools:{os.environ['PATH']}")
    air.service = air.start()

    async def run() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(air.service.run(), 1)

    asyncio.run(run())
    assert list((air.place / "connections").iterdir()) == [keyfile]


def test_a_disk_that_does_not_answer_costs_neither_the_club_nor_the_hotspots_password(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    air.do(do="join", ssid=CLUB_NET, password=SECRET)
    keyfile = air.place / f"connections/{CLUB}.nmconnection"
    hotspot = air.place / "own/hotspot.json"
    before = keyfile.read_text(), hotspot.read_text()
    with monkeypatch.context() as broken:

        def fail(path: Path, **how: Any) -> str:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

        broken.setattr(Path, "read_text", fail)
        air.start()
        asyncio.run(air.service._join(Network(CLUB_NET, "wrong password")))
    assert (keyfile.read_text(), hotspot.read_text()) == before


def test_a_full_disk_costs_nobody_the_hotspot(air: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program ended at its start, again and again."""
    (air.place / "own/hotspot.json").unlink()

    def full(path: Path, data: str, *, private: bool = False) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(service, "replace_file", full)
    assert air.start().status()["hotspot"]["password"]


def test_the_club_that_goes_away_and_comes_back_is_gone_back_to(air: Air) -> None:
    air.do(do="join", ssid=CLUB_NET, password=SECRET)
    air.set(active="", air={})
    air.pass_time(5)
    air.pass_time(GRACE)
    assert air.active == HOTSPOT
    air.pass_time(5)
    air.pass_time(FIRST)
    assert air.active == HOTSPOT  # nothing known is in the air: the hotspot stays open
    air.set(air={CLUB_NET: SECRET})
    air.pass_time(5)
    air.pass_time(FIRST)
    assert air.active == CLUB


def test_the_password_is_in_the_keyfile_and_nowhere_else(
    air: Air, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    air.do(do="join", ssid=CLUB_NET, password=SECRET)
    air.do(do="join", ssid=CLUB_NET, password=SECRET + "x")
    keyfile = air.place / f"connections/{CLUB}.nmconnection"
    assert keyfile.stat().st_mode & 0o777 == 0o600
    everything = json.dumps([air.asked(), air.said, air.service.status()]) + capfd.readouterr().err
    everything += caplog.text + repr(Network(CLUB_NET, SECRET))
    assert "et;pass#1" not in everything
    holding = [
        path
        for path in air.place.rglob("*")
        if path.is_file() and "et;pass#1" in path.read_text(errors="replace")
    ]
    assert set(holding) == {keyfile, air.place / "state.json"}  # the second is the air's own


def test_a_machine_without_wifi_or_with_a_cable_is_left_alone(air: Air) -> None:
    air.set(device=False)
    air.pass_time(10 * GRACE)
    assert air.service.status()["mode"] == "none"
    with pytest.raises(BadInput, match="no Wi-Fi"):
        air.service.ask({"do": "scan"})
    air.set(device=True, wired=True)
    air.pass_time(10 * GRACE)
    assert (air.service.status()["mode"], air.active) == ("wired", "")


def test_a_wifi_that_can_open_no_hotspot_is_not_tried_without_end(air: Air) -> None:
    air.set(no_ap=True)
    for _ in range(12):
        air.pass_time(GRACE)
    assert 2 <= sum("up" in each for each in air.asked()) <= 3
    assert "does not open" in air.said[0]


def test_the_hotspot_is_the_same_at_every_start(air: Air) -> None:
    assert air.start().status()["hotspot"] == air.service.status()["hotspot"]


@pytest.mark.parametrize(
    ("ssid", "password"),
    [
        ("", SECRET),
        ("x" * 33, SECRET),
        ("a\nb", SECRET),
        ("Club", "short"),
        ("Club", "x" * 65),
        ("Club", "pässwort"),
        ("Club", "12345678\n[x]"),
        (7, SECRET),
        ("Club", None),
    ],
)
def test_what_is_no_network_is_refused_without_its_password(air: Air, ssid: Any, password: Any) -> None:
    with pytest.raises(BadInput) as refused:
        air.service.ask({"do": "join", "ssid": ssid, "password": password})
    assert not password or str(password) not in str(refused.value)
    assert not list((air.place / "connections").iterdir())


def test_over_the_socket_there_is_an_answer_to_everything(air: Air, tmp_path: Path) -> None:
    async def go() -> None:
        path = tmp_path / "socket"
        async with await asyncio.start_unix_server(air.service.answer, str(path), limit=1024):
            assert (await ask({"do": "status"}, path))["mode"] == "searching"
            for bad in ({"do": "reboot"}, {}, {"do": "join", "ssid": "x" * 5000, "password": ""}):
                with pytest.raises(BadInput):
                    await ask(bad, path)
            reader, writer = await asyncio.open_unix_connection(str(path))
            writer.write(b"[" * 900 + b"\n")
            assert b"refused" in await reader.readline()
            writer.close()
        path.unlink(missing_ok=True)
        with pytest.raises(BadInput, match="NetworkManager"):
            await ask({"do": "status"}, path)

    asyncio.run(go())


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
PASSWORDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=8, max_size=63)


@given(NAMES, PASSWORDS)
def test_any_name_and_password_come_through_the_keyfile(ssid: str, password: str) -> None:
    lines = Network.checked(ssid, password).keyfile(CLUB).splitlines()
    (name,) = [line[5:] for line in lines if line.startswith("ssid=")]
    assert bytes(int(byte) for byte in name.split(";")[:-1]).decode() == ssid
    (psk,) = [line[4:] for line in lines if line.startswith("psk=")]
    unescaped = psk.replace("\\\\", "\0").replace("\\s", " ").replace("\0", "\\")
    assert unescaped == password


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\r", exclude_categories=("C",)), max_size=9), min_size=1
    )
)
def test_cells_of_nmcli_come_apart_as_they_were(cells: list[str]) -> None:
    line = ":".join(cell.replace("\\", "\\\\").replace(":", "\\:") for cell in cells)
    assert _cells(line) == cells


@given(st.lists(st.tuples(st.floats(1, 600), st.sampled_from(["", "wired", "wifi", "hotspot"])), max_size=60))
def test_the_hotspot_never_opens_over_a_network_nor_before_its_time(story: list[tuple[float, str]]) -> None:
    mind, t, lost = WifiMind(), 0.0, None
    for wait, how in story:
        t += wait
        seen = NetworkSeen("wlan0", how == "wired", "club" if how == "wifi" else "", how == "hotspot")
        lost = None if how else t if lost is None else lost
        step = mind.step(t, seen)
        assert step is not NetworkStep.OPEN or (lost is not None and t - lost >= GRACE)
        assert step is not NetworkStep.SEEK or how == "hotspot"
        if step is NetworkStep.OPEN:
            mind.opened(True)
            lost = None


def test_looks_that_fail_grow_rarer_and_end_at_half_an_hour() -> None:
    mind, t, waits = WifiMind(), 0.0, list[float]()
    for _ in range(8):
        since = t
        while mind.step(t, NetworkSeen("wlan0", hotspot=True)) is not NetworkStep.SEEK:
            t += 1
        waits.append(t - since)
        mind.sought(True)
    assert waits[0] == FIRST
    assert waits == sorted(waits)
    assert waits[-1] == LAST


def test_the_codes_text_is_what_phones_take() -> None:
    assert Network('a;b"c', "p:w\\,x").code == 'WIFI:T:WPA;S:a\\;b\\"c;P:p\\:w\\\\\\,x;;'
    assert Network("Open").code == "WIFI:T:nopass;S:Open;;"
