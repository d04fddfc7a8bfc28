"""The board on the page: the table's own colours and proportions, themes, and what moves."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx
import pytest

from engine.events import Choose, Roll
from firmware.page.app import application
from firmware.page.look import contrast, style_of
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from tests.firmware.sitting_browser import CHROMIUM, Sitting, expect
from vision.reading import Appearance

browsers = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)
OWN = Appearance("#4c6699", ("#414963", "#dfe4dd"), "#7c756c", ("#ebeee6", "#4665a5"), 1.4, 11.0, 0.93)
FIELD = "() => getComputedStyle(document.querySelector('#board .field')).fill"


def sheet(look: Appearance | None) -> str:
    async def ask() -> httpx.Response:
        app = application(TablePage(Feed(), lambda: None, board=lambda: look))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table") as client:
            return await client.get("/look.css")

    with ThreadPoolExecutor(1) as thread:  # where a browser test ran before, this thread has a running loop
        answer = thread.submit(lambda: asyncio.run(ask())).result()
    assert answer.headers["content-type"].startswith("text/css")
    return answer.text


def test_the_sheet_has_the_calibrations_colours_and_is_empty_without_one() -> None:
    assert sheet(None) == ""
    for given in ("--field: #4c6699;", "--first: #ebeee6;", "--on-second: #fbf7ee;", "--bar-wide: 1.4;"):
        assert given in sheet(OWN)


def test_checkers_that_could_be_taken_for_the_other_sides_are_drawn_as_usual() -> None:
    alike = Appearance("#808080", ("#000000", "#ffffff"), "#404040", ("#707070", "#787878"), 1.0, 10.0, 0.9)
    assert contrast("#707070", "#787878") < 1.6
    assert "--first" not in style_of(alike)
    assert "--field: #808080" in style_of(alike)


@browsers
def test_the_board_has_the_tables_own_colours_and_proportions_or_a_themes(browser: Any) -> None:
    from engine.events import Begin

    table = Sitting(Begin(t=0, rules="backgammon"), board=lambda: OWN)
    try:
        context = browser.new_context(service_workers="block")
        page = context.new_page()
        page.goto(table.address)
        expect(page.locator("#board.drawn")).to_be_visible()
        assert page.evaluate(FIELD) == "rgb(76, 102, 153)"
        assert page.locator("#board rect.bar").get_attribute("width") == "140"
        assert page.locator("#board rect.field").first.get_attribute("height") == "1100"
        page.click("#mine summary")
        page.select_option("#theme", "club")
        assert page.evaluate(FIELD) == "rgb(31, 90, 63)"
        assert page.locator("#board rect.bar").get_attribute("width") == "100"
        page.reload()
        expect(page.locator("#board.drawn")).to_be_visible()
        assert page.evaluate(FIELD) == "rgb(31, 90, 63)", "a browser remembers it"
        context.close()
    finally:
        table.close()


@browsers
def test_a_board_whose_home_is_on_the_left_is_drawn_so_with_the_dice_at_the_throwers_right(
    browser: Any,
) -> None:
    from engine.events import Begin

    table = Sitting(Begin(t=0, rules="backgammon"), board=lambda: replace(OWN, mirrored=True))
    try:
        table.tell(Roll(t=0, dice=(6, 1), side="white"))
        page = browser.new_context(service_workers="block").new_page()
        page.goto(table.address)
        expect(page.locator("#board.drawn")).to_be_visible()
        # All at once: the board may be drawn anew meanwhile.
        places = """() => ["rect.bar", "[data-cell=p1]", "g.thrown"].map((which) =>
            Math.min(...[...document.querySelectorAll(`#board ${which}`)]
                .map((each) => each.getBoundingClientRect().x)))"""
        bar, ace, dice = page.evaluate(places)
        assert ace < bar < dice
        page.click("#mirror")
        bar, ace, _ = page.evaluate(places)
        assert ace > bar
        page.context.close()
    finally:
        table.close()


@browsers
def test_dice_tumble_with_their_true_faces_and_the_hit_one_leaves_after_the_hitter(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(table.address)
    expect(page.locator("#board.drawn")).to_be_visible()
    page.evaluate(
        """() => { window.seen = []; const animate = Element.prototype.animate;
        Element.prototype.animate = function (frames, timing) {
          const group = this.closest('g.piece, g.thrown');
          window.seen.push({ what: group.dataset.cell ?? 'die', pips: group.querySelectorAll('.pip').length,
                             delay: timing.delay ?? 0, lasts: timing.duration });
          return animate.call(this, frames, timing); }; }"""
    )
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    expect(page.locator("#board .die:not(g[data-kind=cube] *)")).to_have_count(2)
    dice = [each for each in page.evaluate("window.seen") if each["what"] == "die"]
    assert {each["pips"] for each in dice} == {3, 1}
    assert all(each["lasts"] == 500 for each in dice)
    for play, dice_after in (("8/5 6/5", (6, 2)), ("24/18 13/11", (6, 5)), ("24/18 13/8", (1, 1))):
        table.tell(Choose(t=0, play=play))
        table.tell(Roll(t=0, dice=dice_after))
    page.evaluate("() => { window.seen = []; }")
    assert table.session.position is not None
    hits = [each.text for each in table.session.position.plays() if "*" in each.text]
    table.tell(Choose(t=0, play=hits[0]))
    expect(page.locator("#board g[data-cell^='bar.']").first).to_be_visible()
    seen = page.evaluate("window.seen")
    came = [each for each in seen if not each["what"].startswith(("bar", "die"))]
    sent = [each for each in seen if each["what"].startswith("bar")]
    assert came
    assert sent
    assert min(each["delay"] for each in sent) > 0 == max(each["delay"] for each in came)
