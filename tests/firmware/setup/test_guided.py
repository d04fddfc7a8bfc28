"""The page goes through buttons and lamps with whoever sets the table up, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.events import Button
from hardware.strip import OFF
from tests.firmware.page.test_accessible import check
from tests.firmware.sitting_browser import CHROMIUM, PIN, expect, until
from tests.firmware.table_browser import SetTable

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SetTable]:
    table = SetTable(tmp_path, "")
    yield table
    table.close()


def test_a_wrong_button_is_told_its_pin_is_shown_and_lamps_in_a_wrong_place_are_corrected(
    table: SetTable, page: Any
) -> None:
    page.goto(table.address + "setup")
    page.fill("#pin", PIN)
    page.press("#pin", "Enter")
    page.click("#steps button[data-step=tools]")
    page.locator("#guide-parts").get_by_role("button", name="Buttons").click()
    asks, found = page.locator("#guide-asks"), page.locator("#guide-found")
    expect(asks).to_contain_text("Press White: Roll. It is wired to pin 29 (GPIO 5)")
    expect(page.locator("#wiring")).to_have_attribute("src", "/api/setup/wiring.svg?gpio=5")
    until(page, lambda: page.locator("#wiring").evaluate("image => image.naturalWidth > 0"))
    table.call(lambda: table.buttons.press("white", Button.TAKE))
    expect(asks).to_contain_text("That was White: Take")
    check(page, "dark, 390")
    table.call(lambda: table.buttons.press("white", Button.ROLL))
    expect(found).to_contain_text("White: Roll: works")
    expect(asks).to_contain_text("Press White: Done")
    page.locator("#guide-choices").get_by_role("button", name="Skip").click()
    expect(found).to_contain_text("White: Done: not heard")

    page.locator("#guide-parts").get_by_role("button", name="Lamps").click()
    expect(asks).to_contain_text("red")
    until(page, lambda: set(table.strip.leds) == {(255, 0, 0)})
    for kind in ("green", "very last", "from Point 1 to Point 6"):
        page.locator("#guide-choices").get_by_role("button", name="Yes").click()
        expect(asks).to_contain_text(kind)
    page.locator("#guide-choices").get_by_role("button", name="No").click()
    expect(asks).to_contain_text("This is Point 1.")
    until(page, lambda: [led for led, colour in enumerate(table.strip.leds) if colour != OFF] == [0])
    page.locator("#guide-choices select").select_option("p2")
    expect(asks).to_contain_text("This is Point 2.")
    page.locator("#guide-choices select").select_option("p1")
    expect(found).to_contain_text("Point 2: its light is at Point 1")
    while "That was all" not in asks.inner_text():
        before = asks.inner_text()
        page.locator("#guide-choices button").first.click()
        expect(asks).not_to_have_text(before)
    page.get_by_role("button", name="Use the corrected places").click()
    expect(page.locator("#places input[data-place=p1]")).to_have_value("1")
    page.click("#lamps-save")
    expect(page.locator("#lamps-save")).to_be_disabled()
    assert table.device.devices.lamps.map["p2"] == (0,)

    page.locator("#guide-parts").get_by_role("button", name="End").click()
    expect(page.locator("#guide-stage")).to_be_hidden()
