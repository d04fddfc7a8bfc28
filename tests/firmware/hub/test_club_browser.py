"""The hub's pages in a real browser: tournaments run to their end by hand, corrections with a trail, the
wall, and axe, which finds nothing wrong. The long one, of 64 players, is in tests/bench/tournament.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra hub is not installed")

from engine.events import Begin
from engine.match import Terms
from engine.session import Session
from firmware.hub.messages import Call
from firmware.hub.tournament.changes import OpenRound, Report, Set
from firmware.hub.tournament.pairings import pairings
from firmware.page.state import for_spectators, page_state
from tests.firmware.hub import director_browser as director
from tests.firmware.hub.club import Club
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, PATIENCE, box_of, expect

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(PATIENCE * 1000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    opened.close()
    assert faults == []


def axe(page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for scheme, width, height in (("light", 390, 844), ("dark", 1920, 1080)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        found = Axe().run(page)
        assert found.violations_count == 0, f"{page.url}, {width}: {found.generate_report()}"


def test_two_tournaments_from_nothing_to_prize_giving(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        page.goto(f"{club.address}/director")
        page.locator("#door").wait_for()
        axe(page)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto("about:blank")
        assert director.run(page, club, tmp_path, "Cup", "elimination", 6, [3, 5], 1) == 5
        axe(page)
        assert director.run(page, club, tmp_path, "League", "round-robin", 4, [3], 2) == 6
        page.goto(f"{club.address}/director")
        page.get_by_text("tournament closed").wait_for()
        axe(page)


def test_a_correction_needs_a_reason_and_stands_in_the_trail(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        director.sign_in(page, club)
        director.make(page, "Cup", "elimination", "3")
        director.enter_all(page, ["Ann", "Bob"], tmp_path)
        director.draw(page, "seeded", "x")
        page.click("#open")
        row = page.locator("#matches li")
        row.locator(".score input").nth(0).fill("2")
        row.locator(".score input").nth(1).fill("1")
        row.locator(".score button.main").click()
        page.get_by_text("the winner needs 3 or more").wait_for()
        row.locator(".score input").nth(0).fill("3")
        row.locator(".score button.main").click()
        row.get_by_role("button", name="Correct").click()
        page.fill("#ask [name=score]", "1-3")
        page.locator("#ask [name=winner]").select_option(index=1)
        page.click("#ask-do")
        page.get_by_text("say why").wait_for()
        page.fill("#ask [name=why]", "the slip was read upside down")
        axe(page)
        page.click("#ask-do")
        page.locator("#trail").get_by_text("the slip was read upside down").wait_for()
        page.locator("#matches li .faint").get_by_text("corrected").wait_for()
        page.locator("#trail li").first.get_by_role("button", name="Undo").click()
        page.fill("#ask [name=why]", "no, it was right")
        page.click("#ask-do")
        page.locator("#matches li").get_by_text("3-1").wait_for()


def test_a_result_that_another_director_has_typed_meanwhile_is_shown(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path, tables=0) as club:
        director.sign_in(page, club)
        director.make(page, "Cup", "elimination", "3")
        director.enter_all(page, ["Ann", "Bob"], tmp_path)
        director.draw(page, "seeded", "x")
        page.click("#open")
        row = page.locator("#matches li")
        row.locator(".score input").nth(0).fill("3")
        row.locator(".score input").nth(1).fill("1")
        match = club.desk.tournaments()[0].event
        first, second = pairings(match)[0].sides
        other = Report("1.1", first, second, second, score=(2, 3))
        club.call(club.desk.do(1, other, "Bea", ""))
        page.locator("#trail").get_by_text("Bea").wait_for()
        row.locator(".score input").nth(1).press("Enter")
        page.get_by_text("has a result; correct it instead").wait_for()
        row.get_by_role("button", name="Correct").wait_for()


def test_what_a_table_says_that_changes_no_tournament_comes_to_the_director(
    page: Any, tmp_path: Path
) -> None:
    with Club(tmp_path, tables=0) as club:
        director.sign_in(page, club)

        async def tell() -> None:
            club.desk.tell("Table 1", "Table 1 still plays match 1.1")

        club.call(tell())
        page.locator("#troubles").get_by_text("Table 1 still plays match 1.1").wait_for()


def test_a_rating_is_taken_as_it_is_shown_and_what_is_none_is_refused(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path, tables=0) as club:
        director.sign_in(page, club)
        director.make(page, "Cup", "elimination", "3")
        page.fill("#player", "Ann")
        page.fill("#rating", "strong")
        page.click("#add button")
        page.locator("#reason").get_by_text("rating: 'strong'").wait_for()
        page.fill("#rating", "1,500")
        page.click("#add button")
        page.locator("#entries").get_by_text("1,500").wait_for()
        assert [each.rating for each in club.desk.tournaments()[0].event.entries] == [1500]


def test_a_file_of_players_may_come_out_of_a_spreadsheet_on_windows(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        director.sign_in(page, club)
        director.make(page, "Cup", "elimination", "3")
        names = []
        for way in ("cp1252", "utf-16", "utf-8-sig"):
            names.append(f"Zoë Müller {way}")
            (tmp_path / "players.csv").write_text(f"Name;Club\n{names[-1]};Köln\n", encoding=way)
            page.set_input_files("#players-csv", tmp_path / "players.csv")
            page.locator("#entries tbody tr").nth(len(names) - 1).wait_for()
        assert page.locator("#entries tbody tr td:nth-child(2)").all_inner_texts() == names
        assert page.locator("#entries tbody tr td:nth-child(3)").all_inner_texts() == ["Köln"] * 3


def test_names_from_right_to_left_long_ones_and_who_rests(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path, tables=0) as club:
        director.sign_in(page, club)
        director.make(page, "League", "round-robin", "5")
        director.enter_all(page, ["משה כהן", "דוד לוי", "Ann " + 60 * "x"], tmp_path)
        director.draw(page, "seeded", "x")
        page.click("#open")
        each = next(one for one in pairings(club.desk.tournaments()[0].event) if {*one.sides} == {1, 2})
        assert each.first
        assert each.second
        page.select_option("#round", str(each.round))
        expect(page.locator("#resting")).to_have_text("No match in this round: Ann " + 60 * "x")
        club.call(club.desk.do(1, OpenRound(3), "Ada", ""))
        club.desk._now = lambda: 0.0
        result = Report(each.id, each.first, each.second, each.first, (5, 3))
        club.call(club.desk.do(1, result, "Ada", ""))
        for words in ("#matches li.over p", "#trail li span"):
            page.wait_for_function(BEHIND, arg=[words, "5-3", ["משה", "דוד"]])
        trail = page.locator("#trail li").first
        expect(trail).to_contain_text("1970")  # what is not of today has its date
        page.goto(club.address)
        page.locator("#draw").get_by_text("No match in this round: Ann").wait_for()
        page.emulate_media(media="print")
        expect(page.locator("#language")).to_be_hidden()
        name = page.locator("#draw .sheet p span:first-child", has_text="xxx").first
        assert name.evaluate("each => each.scrollWidth <= each.clientWidth")


BEHIND = """([selector, last, names]) => {
    const left = (text) => {
        const root = document.querySelector(selector) ?? document, range = document.createRange();
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const at = texts.currentNode.data.indexOf(text);
            if (at < 0) continue;
            range.setStart(texts.currentNode, at);
            range.setEnd(texts.currentNode, at + text.length);
            return range.getBoundingClientRect().left;
        }
        return null;
    };
    return names.every((name) => left(name) !== null && left(name) < left(last));
}"""
"""Whether a text stands to the right of others."""


def shows(first: str, second: str, score: tuple[int, int] = (2, 1)) -> Any:
    """What a table shows at its beginning."""
    begin = Begin(
        t=0,
        rules="backgammon",
        players={"white": first, "black": second},
        terms=Terms(length=5, score=score),
    )
    session, _ = Session().handle(begin)
    return for_spectators(page_state(session, 0, []))


def test_a_table_that_sends_nonsense_spoils_no_other_card(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        for number in range(1, 5):
            club.change(f"Table {number}", joined=True, online=True, shows=shows("Ann", f"Bob {number}"))
        nonsense = {"cells": 5, "sides": 7, "players": None, "clock": {"running": [], "kind": 3}}
        club.change("Table 2", shows=nonsense)
        for path in ("wall", ""):
            page.goto(f"{club.address}/{path}")
            page.get_by_text("what it sends cannot be drawn").wait_for()
            page.get_by_text("Bob 4").wait_for()


def test_a_line_to_the_hub_that_has_fallen_silent_is_dead_and_another_one_is_taken(
    page: Any, tmp_path: Path
) -> None:
    page.add_init_script(
        "window.lines = 0; window.EventSource = class extends EventSource"
        " { constructor(...given) { super(...given); window.lines += 1; } };"
    )
    page.clock.install()
    with Club(tmp_path, tables=1) as club:
        club.change("Table 1", joined=True, online=True, shows=shows("Ann 1", "Bob 1"))
        page.goto(f"{club.address}/wall")
        page.get_by_text("Ann 1").wait_for()
        page.clock.run_for(30_000)
        assert page.evaluate("window.lines") == 1
        page.clock.run_for(20_000)
        assert page.evaluate("window.lines") == 2
        club.change("Table 1", shows=shows("Ann 2", "Bob 1"))
        page.get_by_text("Ann 2").wait_for()


def test_the_wall_shows_first_who_needs_somebody(page: Any, tmp_path: Path) -> None:
    with Club(tmp_path, tables=6) as club:
        for number in range(1, 7):
            club.change(
                f"Table {number}", joined=True, online=True, shows=shows(f"Ann {number}", f"Bob {number}")
            )
        page.goto(f"{club.address}/wall")
        page.get_by_text("Ann 6").wait_for()
        order = page.locator("#boards .card .title span:first-child")
        expect(order).to_have_text([f"Table {n}" for n in range(1, 7)])
        foul = shows("Ann 4", "Bob 4") | {
            "state": "foul",
            "judgement": {
                "verdict": "illegal",
                "title": "",
                "text": "Bob must fix the play",
                "cells": ["p6"],
            },
        }
        club.change("Table 4", shows=foul)
        club.change("Table 5", call=Call(called=True, why="a question"))
        page.get_by_text("Bob must fix the play").wait_for()
        page.get_by_text("calls the director: a question").wait_for()
        page.select_option("#sort", "name")
        page.select_option("#sort", "need")
        for place, table in enumerate(["Table 5", "Table 4"]):
            expect(order.nth(place)).to_have_text(table)
        club.change("Table 6", shows=shows("Ann 6", "Bob 6") | {"state": "asked"})
        # Bronstein's is one sum.
        for kind, seconds, left in (
            ("bronstein", 360.0, "6:12"),
            ("delay", 360.0, "6:00"),
            ("delay", 3723.0, "1:02:03"),
        ):
            reserve = {"white": seconds, "black": 300.0}
            clock = {"kind": kind, "reserve": reserve, "running": "white", "delay": 12.0, "paused": True}
            club.change("Table 1", shows=shows("Ann 1", "Bob 1") | {"clock": clock})
            card = page.locator("#boards .card", has_text="Table 1")
            expect(card.locator(".time").first).to_have_text(left)
        size = box_of(page.locator("#boards .card.unsure svg"))
        assert 1.2 < size["width"] / size["height"] < 1.4
        felt = "getComputedStyle(document.documentElement).getPropertyValue('--field')"
        assert page.evaluate(felt)  # without it the board is black
        axe(page)
        page.locator("#boards .card").nth(1).click()
        page.locator("#large").get_by_text("Bob must fix the play").wait_for()
        page.keyboard.press("Escape")
        play = {"state": "play", "waits": "play", "due": "black"}
        club.change("Table 6", shows=shows("Ann 6", "Bob 6") | play)
        page.goto(f"{club.address}/wall?lang=de")
        page.get_by_text("Bob 6 muss ziehen und Fertig drücken").wait_for()
        closed = {"state": "roll", "waits": "closed out", "due": "black"}
        club.change("Table 6", shows=shows("Ann 6", "Bob 6") | closed)
        page.get_by_text("Bob 6 kann mit keinem Wurf ziehen und muss nicht werfen: Ann 6 darf").wait_for()
        page.goto(f"{club.address}/wall?table=Table%203&clear")
        page.get_by_text("Ann 3").wait_for()
        assert page.locator("#boards .card").count() == 1


def test_a_hub_that_was_begun_anew_is_not_taken_for_the_one_before(page: Any, tmp_path: Path) -> None:
    port = 0
    for name in ("Practice", "Cup"):
        folder = tmp_path / name
        folder.mkdir()
        with Club(folder, port=port) as club:
            port = int(club.address.rpartition(":")[2])
            club.call(club.desk.make(Set(name), "Ada"))
            page.goto(f"{club.address}/")
            page.locator("#title", has_text=name).wait_for(timeout=10_000)
        page.goto("about:blank")
