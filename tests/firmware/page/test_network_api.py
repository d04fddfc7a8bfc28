"""The director looks after the table's network; the hotspot's code is for him and for the table's screen."""

import asyncio
from typing import Any

import httpx
import pytest

from firmware.errors import BadInput
from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.page.upkeep import Upkeep
from tests.firmware.sitting_browser import PIN

STATUS: dict[str, Any] = {
    "mode": "hotspot",
    "connection": "",
    "networks": [{"ssid": "Club", "signal": 80, "secured": True}],
    "last": {},
    "busy": False,
    "hotspot": {"ssid": "Barpoint 12ab", "password": "abcdefgh23", "code": "WIFI:T:WPA;S:x;P:y;;"},
}
PATH = "/api/network"


class Club:
    """The network's program, as the page asks it."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.refuses = ""
        self.mode = "hotspot"

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        if self.refuses:
            raise BadInput(self.refuses)
        return STATUS | {"mode": self.mode}


@pytest.fixture
def club() -> Club:
    return Club()


def test_the_director_alone_joins_and_nothing_else_is_passed_on(club: Club) -> None:
    keeper = Keeper(PIN, b"key", lambda: 0.0)
    app = application(TablePage(Feed(), lambda: None, keeper, upkeep=Upkeep(lambda: False, network=club.ask)))

    async def go() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as phone:
            join = {"do": "join", "ssid": "Club", "password": "secret word", "more": 1}
            assert (await phone.get(PATH)).status_code == 401
            assert (await phone.get("/hotspot.svg")).status_code == 204
            assert (await phone.post("/api/pin", json={"pin": PIN})).status_code == 204
            assert (await phone.get(PATH)).status_code == 403
            assert (await phone.post(PATH, json=join)).status_code == 403
            assert (await phone.get("/hotspot.svg")).status_code == 204
            assert club.asked == []
            assert "<svg" in (await phone.get(f"/hotspot.svg?screen={keeper.screen}")).text
            assert (await phone.post("/api/pin", json={"pin": keeper.director})).status_code == 204
            assert (await phone.get(PATH)).json()["hotspot"]["ssid"] == "Barpoint 12ab"
            assert (await phone.post(PATH, json=join)).status_code == 200
            assert club.asked[-1] == {"do": "join", "ssid": "Club", "password": "secret word"}
            for wrong in ("status", "reboot", ["scan"], None):
                assert (await phone.post(PATH, json={"do": wrong})).status_code == 422
            assert "<svg" in (await phone.get("/hotspot.svg")).text
            club.mode = "wifi"
            assert (await phone.get("/hotspot.svg")).status_code == 204
            club.refuses = "no NetworkManager here"
            refused = await phone.get(PATH)
            assert (refused.status_code, refused.json()["reason"]) == (409, "no NetworkManager here")
            assert (await phone.get("/hotspot.svg")).status_code == 204

    asyncio.run(go())
