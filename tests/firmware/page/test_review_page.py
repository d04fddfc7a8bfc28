"""The review's page in a browser: figures, graph, boards, mistakes, and a review begun and stopped there."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.events import Begin
from firmware.page.review_api import Reviewing
from firmware.record import archive, review
from firmware.record.chain import START
from firmware.record.journal import Journal
from firmware.record.ratings import ratings, worst_first
from firmware.state import JOURNAL
from tests.firmware.page.test_review_api import Desk
from tests.firmware.record.test_mistakes import REVIEWS
from tests.firmware.record.test_review import MATCH
from tests.firmware.sitting_browser import CHROMIUM, PIN, Sitting, expect

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)

DONE = [each for each in REVIEWS[:-1] if each is not None]
FOUND = worst_first(DONE)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def players() -> tuple[str, str]:
    return MATCH.players


@pytest.fixture
def table(tmp_path: Path, desk: Desk, players: tuple[str, str]) -> Iterator[Sitting]:
    """A table whose archive has a match; an engine has reviewed all its games but the last."""
    with Journal.open(tmp_path / JOURNAL) as journal:
        body = archive.imported(replace(MATCH, players=players))
        journal.append("played", "2026-01-02T10:00:00.000Z", body, after=START)
        match = archive.read_match(journal, "played")
    kept = [*(replace(each, engine="XG") for each in DONE), None]
    review.keep_foreign(match, kept, tmp_path / "analysis")
    made = Sitting(Begin(t=0, rules="backgammon"), archive=tmp_path, reviewing=Reviewing(desk))  # type: ignore[arg-type]
    yield made
    made.close()


def wide(page: Any) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_it_is_read_and_sieved_and_the_rest_is_reviewed(table: Sitting, page: Any, desk: Desk) -> None:
    page.goto(f"{table.address}review#played")
    expect(page.locator("#status")).to_have_text(f"Games reviewed: {len(DONE)} of {len(REVIEWS)}.")
    expect(page.locator("#players tbody tr").first).to_have_text(
        "performance rating" + "".join(f"{each.pr:.1f}" for each in ratings(DONE).values())
    )
    expect(page.locator("#graphs svg")).to_have_count(sum(len(each.rolls) > 1 for each in DONE))
    expect(page.locator("#list > li")).to_have_count(len(FOUND))
    for place, each in enumerate(FOUND[:3]):
        boards = page.locator("#list > li").nth(place).locator("svg")
        expect(boards).to_have_count(3 if each.kind == "play" else 1)
        expect(boards.first.locator("circle.disc")).to_have_count(30)
    assert wide(page) <= 390

    page.select_option("#which", "cube")
    cubes = [each for each in FOUND if each.kind == "cube"]
    expect(page.locator("#list > li")).to_have_count(len(cubes))
    page.select_option("#which", "all")
    slip = page.locator("#graphs a").first
    where = str(slip.get_attribute("href"))
    slip.press("Enter")
    expect(page.locator(f'[id="{where[1:]}"]')).to_be_focused()

    page.click("#start")
    expect(page.locator("#status")).to_contain_text("PIN")
    page.request.post(f"{table.address}api/pin", data={"pin": PIN})
    page.click("#start")
    expect(page.locator("#stop")).to_be_visible()
    assert desk.asked == ["played"]
    page.click("#stop")
    expect(page.locator("#start")).to_be_visible()
    assert desk.state == "stopped"


def test_it_is_read_from_right_to_left_on_a_wide_screen(table: Sitting, page: Any) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.set_extra_http_headers({"Accept-Language": "he"})
    page.goto(f"{table.address}review#played")
    expect(page.locator("#list > li")).to_have_count(len(FOUND))
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert wide(page) <= 1366
    page.goto(f"{table.address}review#none")
    expect(page.locator("#status")).not_to_be_empty()
    expect(page.locator("#mistakes")).to_be_hidden()
    expect(page.locator("#facts")).to_be_empty()


LONG = "Maximiliane von Hohenstauffenbergerin, (late)"


@pytest.mark.parametrize("players", [(LONG, "black")])
def test_a_phone_holds_a_long_name_and_who_has_none_is_called_by_colour(table: Sitting, page: Any) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{table.address}review?lang=he#played")
    expect(page.locator("#whose option")).to_have_count(3)
    assert wide(page) <= 320
    page.goto(f"{table.address}history?lang=he#{LONG}")
    expect(page.locator("#player option")).to_have_text(["בחרו", f"\u2066{LONG}\u2069", "\u2068שחור\u2069"])
    expect(page.locator("#matches tbody td").nth(1)).to_have_text("\u2068שחור\u2069")
    assert wide(page) <= 320
    expect(page.locator("#graph text.mark").last).to_be_empty()  # one match has one day
    page.set_viewport_size({"width": 390, "height": 640})
    page.goto(f"{table.address}history?lang=de#{LONG}")
    expect(page.locator("#phases tbody tr").first).to_be_visible()
    assert page.evaluate("(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(phases)") == 0
    page.goto(f"{table.address}review?lang=de#played")
    day = ".".join(reversed(MATCH.date[:10].split("-")))
    expect(page.locator("#facts")).to_contain_text(day)
