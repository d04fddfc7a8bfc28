"""The page in a real browser, following a replayed game."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.page.places import Places
from firmware.page.publisher import PagePublisher
from firmware.page.server import Server, listen
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record.journal import Journal
from firmware.recordings import loop
from firmware.recordings.replay import Replay
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, PATIENCE, expect

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"),
]

AWAY = ("ERR_", "fetching the script")
"""What the browser writes in its console while the table is away."""


class Table:
    """A replay served from a thread, its moments let go one by one by the test."""

    def __init__(self, replay: Replay, folder: Path) -> None:
        self._replay = replay
        self._path = folder / "journal.db"
        self._loop = asyncio.new_event_loop()
        self._hub = Feed()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(None),))
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _serve(self, port: int | None) -> None:
        self._over = asyncio.Event()
        async with Server(
            TablePage(self._hub, self._replay.eyes.drawn), listen("127.0.0.1", port or 0, 0)
        ) as server:
            self.address = server.address
            self._ready.set()
            await self._over.wait()

    def play(self, until: float) -> None:
        """Referees the recording up to this time."""

        async def go() -> None:
            with Journal.open(self._path) as journal:
                referee = self._replay.referee(journal, f"g{until}", [PagePublisher(self._hub, self._loop)])
                part = (stimulus for stimulus in self._replay.stimuli(referee) if stimulus.t <= until)
                await loop.run(referee, loop.paced(part, speed=0))

        asyncio.run_coroutine_threadsafe(go(), self._loop).result(timeout=PATIENCE)

    def restart(self) -> None:
        """The device goes away and comes back at the same address, knowing nothing."""
        port = int(self.address.rsplit(":", 1)[1].rstrip("/"))
        self._stop()
        self._loop.close()
        self._loop = asyncio.new_event_loop()
        self._hub = Feed()
        self._ready.clear()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(port),))
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    def close(self) -> None:
        self._stop()
        self._loop.close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()


@pytest.fixture
def table(knowing: Replay, tmp_path: Path) -> Iterator[Table]:
    made = Table(knowing, tmp_path)
    yield made
    made.close()


@pytest.fixture
def page() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=2000 * PATIENCE)
        opened = browser.new_page(viewport={"width": 390, "height": 844})
        faults: list[str] = []
        opened.on("pageerror", lambda error: faults.append(str(error)))
        opened.on(
            "console",
            lambda message: (
                faults.append(message.text)
                if message.type == "error" and not any(words in message.text for words in AWAY)
                else None
            ),
        )
        yield opened
        browser.close()
    assert faults == []


def test_the_page_follows_a_game_marks_a_foul_and_finds_back_after_a_restart(table: Table, page: Any) -> None:
    page.goto(table.address)
    expect(page.locator("#line")).to_have_text("live")
    table.play(until=3.5)
    expect(page.locator("#moves li:not(.told)")).to_have_count(1)
    expect(page.locator("#judgement")).to_contain_text("Legal: black, 3-1")
    expect(page.locator("#board circle.disc")).to_have_count(30)
    expect(page.locator("#picture")).to_be_visible()

    expect(page.locator("#moving")).to_be_hidden()
    table.play(until=13.5)
    expect(page.locator("#moving")).to_be_visible()
    table.play(until=15.5)
    expect(page.locator("#moving")).to_be_hidden()
    expect(page.locator("#judgement")).to_contain_text("Not legal: black, 2-1")
    expect(page.locator("#judgement")).to_have_class("judgement illegal")
    expect(page.locator("#board rect.wrong").first).to_be_visible()
    expect(page.locator("#board circle.led.blink[data-place^=p]").first).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390

    table.restart()
    table.play(until=1000)
    expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#phase")).to_have_text("White wins: single, 1 point")
    expect(page.locator("#moves li:not(.told)")).to_have_count(54)
    expect(page.locator("#moves li:not(.told)").last).to_contain_text("1/off(3)")


def test_a_page_without_a_place_looks_in_every_few_seconds_and_says_so(
    table: Table, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.page.stream.AGAIN", 300)
    with monkeypatch.context() as crowd:
        crowd.setattr(Places, "enter", lambda *_: None)
        page.goto(table.address)
        expect(page.locator("#line")).to_have_text("many are watching: shown every few seconds")
        table.play(until=3.5)
        expect(page.locator("#judgement")).to_contain_text("Legal: black, 3-1")
        expect(page.locator("#line")).to_have_text("many are watching: shown every few seconds")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    expect(page.locator("#line")).to_have_text("live")
    table.play(until=15.5)
    expect(page.locator("#judgement")).to_contain_text("Not legal: black, 2-1")
