"""A table for browser tests: a session behind the page, with what the camera would see laid down by the
test."""

import asyncio
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engine.errors import IllegalEvent
from engine.events import Begin, Button, Event, Press
from engine.evidence import Evidence
from engine.rolls import roller
from engine.session import Session
from firmware.page.access import Keeper
from firmware.page.drawn_strip import draw_strip
from firmware.page.publisher import written
from firmware.page.server import Server, listen
from firmware.page.state import page_state
from firmware.page.stream import Feed
from firmware.page.table_page import Picture, TablePage

PIN = "271828"
CHROMIUM = os.environ.get(
    "BARPOINT_CHROMIUM",
    next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), ""),
)
"""The browser; empty where there is none, or where ``./check`` found that it cannot be driven."""
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
FLAGS += ["--disable-component-update", "--disable-sync"]


PATIENCE = 60.0
"""Seconds that a test waits for what is to come: so many that only a fault lets them pass, however busy the
machine is."""


class Sitting:
    """Serves one match from a thread. ``board`` is what the camera sees at the next *done*."""

    def __init__(
        self, begin: Begin, picture: Picture = lambda: None, host: str = "127.0.0.1", **beside: Any
    ) -> None:
        self.session, _ = Session().handle(begin)
        self.board: Evidence | None = None
        self.now = begin.t
        self.keeper = Keeper(PIN, b"key", time.time)
        self.heard: Callable[[Event], object] = lambda event: None
        self._picture = picture
        self._host = host
        self._beside = beside
        self._older = 0.0
        self._hub = Feed(lambda: time.monotonic() + self._older)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._publish()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        async with Server(
            TablePage(self._hub, self._picture, self.keeper, self._act, **self._beside),
            listen(self._host, 0, 0),
        ) as server:
            self.address = server.address
            self._ready.set()
            await self._over.wait()

    async def _act(self, event: Event, seen: int | None = None) -> str | None:
        self.now += 1
        if isinstance(event, Press) and event.button is Button.DONE:
            event = replace(event, evidence=self.board)
        self.heard(event)
        try:
            self.session, _ = self.session.handle(replace(event, t=self.now))
        except IllegalEvent as error:
            return str(error)
        self._publish()
        return None

    def _publish(self) -> None:
        state = page_state(self.session, self.now, draw_strip(self.session, self.now))
        cells = tuple((state["judgement"] or {}).get("cells", ()))
        self._hub.picture(self._hub.number + 1)
        whose = None if self.session.table is None else roller(self.session.table)
        self._hub.publish(written(state), partial(written, state), cells, state.get("players"), whose)

    def tell(self, event: Event) -> None:
        """What a device would report."""
        assert asyncio.run_coroutine_threadsafe(self._act(event), self._loop).result(timeout=PATIENCE) is None

    @property
    def phase(self) -> str:
        """What a page says that has heard of everything."""
        return str(page_state(self.session, self.now, [])["phase"])

    def age(self, seconds: float) -> None:
        """Lets time go by in which nothing happens."""
        self._older += seconds

    def lay(self, looks: Mapping[str, tuple[str, ...]]) -> None:
        """Changes what the camera sees, from the position that the session knows."""
        assert self.session.position is not None
        self.board = Evidence.certain(dict(self.session.position.looks()) | dict(looks))

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()


def module(page: Any, name: str) -> str:
    """The address of one of the page's modules, which the page itself has in one script with the others."""
    address: str = page.evaluate("document.querySelector('script[type=module]').src")
    return f"{address.rpartition('/')[0]}/{name}"


def enter(page: Any, pin: str = PIN) -> None:
    """Gives the PIN and waits for the answer: the buttons come in above all else, and a press on what they
    push down is lost."""
    before = page.locator("#door").text_content()
    page.click("#door")
    page.fill("#pin", pin)
    page.press("#pin", "Enter")
    page.wait_for_function(
        """(before) => document.getElementById("pin-reason").textContent
          || !document.getElementById("pin-ask").open
          && document.getElementById("door").textContent !== before""",
        arg=before,
        timeout=1000 * PATIENCE,
    )


def expect(locator: Any) -> Any:
    from playwright.sync_api import expect as expected

    expected.set_options(timeout=1000 * PATIENCE)
    return expected(locator)


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Waits for what the page cannot show, and lets the browser go on meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        page.wait_for_timeout(10)


def box_of(locator: Any) -> dict[str, float]:
    """Where something is on the page, in pixels. The page may just be drawing it anew: then it is waited
    for."""
    found: dict[str, float] | None = None

    def there() -> bool:
        nonlocal found
        found = locator.bounding_box()
        return found is not None

    until(locator.page, there)
    assert found is not None
    return found


def drag(page: Any, start: str, end: str) -> None:
    """Drags with the mouse from the middle of the last ``start`` to the middle of ``end`` (CSS selectors)."""
    source, target = box_of(page.locator(start).last), box_of(page.locator(end))
    page.mouse.move(source["x"] + source["width"] / 2, source["y"] + source["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=3)
    page.mouse.up()
