"""The director's page of the device, in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from engine.events import Begin
from tests.firmware.page.test_accessible import check
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


def follow(table: Sitting, machine: Machine, page: Any) -> None:
    machine.tells(step="available", installed="0.2.0", available="0.4.0", at="1000")
    page.goto(table.address + "device")
    page.fill("#pin", PIN)
    page.press("#pin", "Enter")
    expect(page.locator("#door")).to_be_visible()  # a player's PIN does not do
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
