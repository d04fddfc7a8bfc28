"""The pictures of setting up in the documentation: ``python -m tests.screenshots.setup [FOLDER]``,
docs/img by default.

Walks through it at a simulated table, as ``tests/firmware/setup/test_setup_flows.py`` does. Look at each
picture before you keep it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from engine.events import Button
from hardware.painter import Painter
from tests.bench.arguments import arguments
from tests.firmware.conftest import REPOSITORY
from tests.firmware.setup.test_setup_flows import choose, drag, enter
from tests.firmware.sitting_browser import CHROMIUM, FLAGS
from tests.firmware.table_browser import SetTable

PHONE, TABLET, WIDE = (390, 844), (820, 1100), (1200, 1000)
QUALITY = 62


def take(page: Any, path: Path) -> None:
    """Stores what is to be seen."""
    page.wait_for_timeout(800)
    image = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    cv2.imwrite(str(path), image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    print(f"{path}: {image.shape[1]} x {image.shape[0]}, {path.stat().st_size / 1000:.0f} kB", flush=True)


@contextmanager
def sitting(
    browser: Any, size: tuple[int, int], scheme: str = "light", config: str = ""
) -> Iterator[tuple[SetTable, Any]]:
    """A table, and a page on which it is being set up."""
    with tempfile.TemporaryDirectory() as folder:
        table = SetTable(Path(folder), config)
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=1.5
        )
        page = context.new_page()
        try:
            enter(page, table)
            yield table, page
        finally:
            context.close()
            table.close()


def main(folder: Path) -> None:
    """Takes all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    corners = Painter("checkers", 1).corners
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with sitting(browser, PHONE, "dark") as (_, page):
            choose(page, "backgammon")
            drag(page, corners)
            handle = page.locator(".handle").nth(2).bounding_box()
            page.mouse.move(handle["x"] + 24, handle["y"] + 24)
            page.mouse.down()
            page.mouse.move(handle["x"] + 25, handle["y"] + 24)
            take(page, folder / "setup-corners.webp")
            page.mouse.up()
            page.click("#learn")
            page.wait_for_selector("#result:not([hidden])")
            page.locator("#result").evaluate("result => result.scrollIntoView({ block: 'end' })")
            take(page, folder / "setup-result.webp")
        with sitting(browser, TABLET) as (table, page):
            page.click("#steps button[data-step=tools]")
            page.wait_for_timeout(1000)
            for side, button in (("white", Button.ROLL), ("white", Button.DONE), ("black", Button.ROLL)):
                table.call(lambda side=side, button=button: table.buttons.press(side, button))
            page.locator("#places button").nth(12).click()
            take(page, folder / "setup-tools.webp")
        with sitting(browser, WIDE, "dark") as (_, page):
            page.locator("#games input[value=backgammon]").check()
            page.click("#steps button[data-step=match]")
            for place, name in enumerate(("Ann", "Bob")):
                page.fill(f"#name-{place}", name)
            page.select_option("#clock", "delay")
            take(page, folder / "setup-match.webp")
        with sitting(browser, PHONE, config='[match]\nrules = "siege-master"') as (_, page):
            page.locator("#games input[value=siege-master]").check()
            page.click("#next")
            page.click("#arrange")
            page.wait_for_timeout(1500)
            drag(page, Painter("hexes", 1, 19, 15).corners)
            page.click("#learn")
            page.wait_for_selector("#result:not([hidden])")
            page.click("#keep")
            page.wait_for_selector("#map-board .hex")
            take(page, folder / "setup-map.webp")
        browser.close()


if __name__ == "__main__":
    main(**arguments(__doc__, folder=REPOSITORY / "docs" / "img"))
