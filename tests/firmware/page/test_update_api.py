"""The director updates the table; nobody else does."""

import asyncio
import os
import time
from pathlib import Path

import httpx
import pytest

from firmware.errors import BadInput
from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.updates import Updates
from tests.firmware.sitting_browser import PIN
from tests.firmware.updating import NEWS, Machine

PATH = "/api/update"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_director_alone_asks_and_never_now_during_a_match(machine: Machine) -> None:
    keeper = Keeper(PIN, b"key", lambda: 0.0)
    app = application(TablePage(Feed(), lambda: None, keeper, upkeep=machine.upkeep))

    async def go() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as phone:
            assert (await phone.get("/api/resting")).json() == {"resting": True}
            assert (await phone.get(PATH)).status_code == 401
            assert (await phone.post("/api/pin", json={"pin": PIN})).status_code == 204
            assert (await phone.get(PATH)).status_code == 403
            assert (await phone.post(PATH, json={"do": "now"})).status_code == 403
            assert machine.wish() is None
            assert (await phone.post("/api/pin", json={"pin": keeper.director})).status_code == 204
            machine.tells(step="available", installed="0.2.0", available="0.4.0", at="1000")
            told = (await phone.get(PATH)).json()
            assert (told["step"], told["available"], told["news"], told["at"]) == (
                "available",
                "0.4.0",
                NEWS,
                1000,
            )
            for wrong in ("NOW", "now ", ["now"], None, "reboot"):
                assert (await phone.post(PATH, json={"do": wrong})).status_code == 422
            machine.playing = True
            assert (await phone.post(PATH, json={"do": "now"})).status_code == 409
            assert machine.wish() is None
            assert (await phone.post(PATH, json={"do": "night"})).status_code == 204
            assert machine.wish() == "night"
            assert (await phone.get("/api/resting")).json() == {"resting": False}

    asyncio.run(go())


def test_a_word_that_nobody_hears_and_a_step_that_goes_on_no_more_are_told(machine: Machine) -> None:
    assert machine.updates.wish is not None
    machine.updates.ask("look")
    status = machine.updates.status()
    assert (status["waits"], status["unheard"]) == (True, False)
    os.utime(machine.updates.wish, (0, 0))
    status = machine.updates.status()
    assert (status["waits"], status["unheard"]) == (False, True)
    for at, busy in ((int(time.time()), True), (1000, False)):
        machine.tells(step="installing", at=str(at))
        assert machine.updates.status()["busy"] is busy


def test_what_cannot_be_read_says_nothing_and_a_checkout_cannot_be_updated_so(
    machine: Machine, tmp_path: Path
) -> None:
    status = machine.updates.told / "status"
    status.write_bytes(os.urandom(500) + b"\nstep=available;x\nat=-1\nnight=<b>\n")
    told = machine.updates.status()
    assert (told["step"], told["at"], told["night"], told["news"]) == ("", None, False, "")
    for none in (Updates(tmp_path, None, tmp_path), Updates(tmp_path, tmp_path / "x", tmp_path / "not here")):
        assert not none.possible
        with pytest.raises(BadInput, match="not installed as a package"):
            none.ask("now")
    with pytest.raises(BadInput, match="must be one of"):
        machine.updates.ask("reboot")
