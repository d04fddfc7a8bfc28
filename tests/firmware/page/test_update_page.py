"""The director's page of the device, in a real browser."""

import copy
from pathlib import Path
from typing import Any

import pytest

from engine.events import Begin
from firmware.page.upkeep import Upkeep
from tests.firmware.page.test_accessible import check
from tests.firmware.page.test_network_api import STATUS
from tests.firmware.sitting_browser import CHROMIUM, PIN, Sitting, expect, until
from tests.firmware.updating import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium")
def test_the_page_shows_what_is_new_asks_and_follows(machine: Machine, page: Any) -> None:
    table = Sitting(Begin(t=0, rules="backgammon"), upkeep=machine.upkeep)
    try:
        follow(table, machine, page)
    finally:
        table.close()


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium")
def test_the_page_joins_the_clubs_wifi_and_says_how_it_went(machine: Machine, page: Any) -> None:
    asked: list[dict[str, Any]] = []
    status = copy.deepcopy(STATUS)

    async def ask(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return status

    table = Sitting(Begin(t=0, rules="backgammon"), upkeep=Upkeep(lambda: False, machine.updates, ask))
    try:
        page.goto(table.address + "device")
        page.fill("#pin", table.keeper.director)
        page.press("#pin", "Enter")
        expect(page.locator("#network-text")).to_contain_text("has opened its own hotspot")
        until(page, lambda: page.locator("#hotspot-code").evaluate("image => image.naturalWidth > 0"))
        expect(page.locator("#hotspot-text")).to_contain_text("abcdefgh23")
        expect(page.locator("#ssid-list option")).to_have_text(["Club (80%)", "another …"])
        check(page, "dark, 390")
        page.fill("#wifi-password", "secret word")
        page.click("#join-form .main")
        until(page, lambda: {"do": "join", "ssid": "Club", "password": "secret word"} in asked)
        expect(page.locator("#wifi-password")).to_have_value("")
        status["last"] = {"ssid": "Club", "result": "password"}
        expect(page.locator("#network-last")).to_have_text("Club: the password is wrong.")
        page.select_option("#ssid-list", label="another …")
        page.fill("#ssid", "Hidden")
        page.click("#join-form .main")
        until(page, lambda: any(each.get("ssid") == "Hidden" for each in asked))
    finally:
        table.close()


def follow(table: Sitting, machine: Machine, page: Any) -> None:
    machine.tells(step="available", installed="0.2.0", available="0.4.0", at="1000")
    page.goto(table.address + "device")
    page.fill("#pin", PIN)
    page.press("#pin", "Enter")
    expect(page.locator("#reason")).not_to_be_empty()  # a player's PIN does not do
    expect(page.locator("#door")).to_be_visible()
    page.fill("#pin", table.keeper.director)
    page.press("#pin", "Enter")
    expect(page.locator("#update-text")).to_contain_text("0.4.0 is there; installed is 0.2.0.")
    expect(page.locator("#news li")).to_have_text(["Dice that fly: more.", "<b>Bold</b>."])
    check(page, "light, 390")
    page.get_by_role("button", name="Install now").click()
    until(page, lambda: machine.wish() == "now")
    expect(page.locator("#update-text")).to_have_text("Asked for …")
    (machine.updates.wish or Path()).unlink()
    machine.tells(step="checking", installed="0.4.0", available="0.4.0")
    expect(page.locator("#update-text")).to_contain_text("starts, and is watched")
    expect(page.locator("#update-choices button")).to_have_count(0)
    machine.tells(step="back", installed="0.4.0", available="0.4.0")
    expect(page.locator("#update-text")).to_contain_text("the version before is in use again")
    machine.playing = True
    expect(page.get_by_role("button", name="Install now")).to_have_count(0)
