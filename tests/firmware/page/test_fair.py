"""The players' words for the dice, in real browsers."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.match_state import State
from engine.record import MatchRecord
from firmware.record.archive import match_record
from firmware.record.own_words import find_faults, read_words
from firmware.record.verify import check_log
from tests.dice_players import pledged
from tests.firmware.sitting_browser import CHROMIUM, PATIENCE, enter, expect, module, until
from tests.firmware.table_browser import SetTable

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)
CONFIG = '[match]\nfirst = "Ann"\nsecond = "Ben"\nlength = 2\n'


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SetTable]:
    table = SetTable(tmp_path, CONFIG)
    yield table
    table.close()


@pytest.fixture
def other(browser: Any) -> Iterator[Any]:
    """Another player's browser."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def sit_down(table: SetTable, page: Any, name: str) -> None:
    page.goto(table.address)
    enter(page)
    page.locator("#fair-seats").get_by_role("button", name=name).click()


def roll(table: SetTable) -> None:
    while table.session.state in (State.OPENING, State.ROLL):
        table.do("roll" if table.session.due is None else f"{table.session.due} roll")


def record(table: SetTable) -> MatchRecord:
    return match_record(table.device._journal.entries(table.device.log))


def checked(table: SetTable) -> str:
    return "; ".join(check_log(table.device.log, table.device._journal.entries(table.device.log)))


def test_both_browsers_give_words_in_every_game_and_keep_them(
    table: SetTable, page: Any, other: Any, tmp_path: Path
) -> None:
    page.goto(table.address)
    expect(page.locator("#fair-short")).to_contain_text("Commitment ")
    expect(page.locator("#fair-text")).to_have_text("Bound before anybody gave words; no words yet")
    sit_down(table, page, "Ann")
    sit_down(table, other, "Ben")
    for game in (1, 2):
        until(page, lambda: table.session.table is not None and len(table.session.table.told) == 2)
        roll(table)
        for each in (page, other):
            expect(each.locator("#fair.proved #fair-text")).to_contain_text("Proved to Ann and Ben")
        table.do("white resign")
        table.do("black take")
        if game == 1:
            table.do("next")
    expect(page.locator("#fair-text")).to_contain_text("The last game's secret is published")
    assert "the dice of games 1, 2 are proved to Ann and Ben" in checked(table)
    other.locator("#fair summary").click()
    with other.expect_download() as saved:
        other.click("#fair-save")
    saved.value.save_as(tmp_path / "words.json")
    own = read_words((tmp_path / "words.json").read_text())
    assert [(each.game, each.side) for each in own] == [(1, "black"), (2, "black")]
    assert find_faults(record(table), own) == []
    assert all(each.pledges and set(each.pledges) == {"white", "black"} for each in own)


def test_words_of_one_browser_prove_the_dice_to_that_player_alone(table: SetTable, page: Any) -> None:
    sit_down(table, page, "Ben")
    page.locator("#fair summary").click()
    page.fill("#fair-own", "seven come eleven")
    page.press("#fair-own", "Tab")
    until(page, lambda: table.session.table is not None and len(table.session.table.pledges) == 1)
    table.do("roll")  # nobody else pledges, so the table waits, and then rolls
    until(page, lambda: table.session.state is not State.ROLLING)
    roll(table)
    expect(page.locator("#fair-text")).to_contain_text("Proved to Ben alone: Ann gave no words")
    table.do("white resign")
    table.do("black take")
    table.do("next")
    until(page, lambda: table.session.table is not None and len(table.session.table.pledges) == 1)
    table.do("roll")
    until(page, lambda: table.session.state is not State.ROLLING)
    proof = record(table).games[1].proof
    assert proof is not None
    assert proof.given[0].words.endswith(" seven come eleven")


def test_whoever_only_watches_gives_no_words_and_the_dice_are_called_unproved(
    table: SetTable, page: Any
) -> None:
    sit_down(table, page, "I only watch")
    expect(page.locator("#fair-ask")).to_be_hidden()
    table.do("roll")
    until(page, lambda: table.session.state is not State.ROLLING)
    roll(table)
    expect(page.locator("#fair.unproved #fair-text")).to_contain_text(
        "Not proved: no player's browser gave words"
    )
    assert record(table).games[0].proof is not None
    assert "the dice of game 1 are not proved" in checked(table)


def test_the_question_who_one_is_keeps_the_focus_while_the_game_goes_on(table: SetTable, page: Any) -> None:
    page.goto(table.address)
    enter(page)
    nobody = page.locator("#fair-seats button").last
    expect(nobody).to_be_visible()  # who is hidden takes no focus
    nobody.focus()
    table.do("dice 3 1")
    expect(page.locator("#board g.thrown")).to_have_count(2)
    expect(nobody).to_be_focused()
    nobody.press("Enter")
    expect(page.locator("#fair-ask")).to_be_hidden()
    expect(page.locator("#acting")).to_be_focused()


def test_a_player_is_told_of_words_that_somebody_else_gave_for_him(table: SetTable, page: Any) -> None:
    assert table.session.table is not None
    assert table.session.table.commitment is not None
    digest = pledged(table.session.table.commitment, "white", "not Ann's")
    page.goto(table.address)
    enter(page)
    expect(page.locator("#fair-ask")).to_be_visible()
    body = json.dumps({"event": "pledge", "side": "white", "digest": digest})
    sent = page.request.post(
        f"{table.address}api/act", data=body, headers={"Content-Type": "application/json"}
    )
    assert sent.status == 204
    page.locator("#fair-seats").get_by_role("button", name="Ann").click()
    expect(page.locator("#fair-fault")).to_contain_text("somebody else gave words for you")


def test_a_browser_that_is_opened_again_tells_the_words_that_it_pledged(table: SetTable, page: Any) -> None:
    sit_down(table, page, "Ann")
    until(page, lambda: table.session.table is not None and len(table.session.table.pledges) == 1)
    page.reload()
    expect(page.locator("#fair-ask")).to_be_hidden()
    table.do("roll")
    until(page, lambda: table.session.state is not State.ROLLING)
    assert table.session.table is not None
    assert [side for side, _ in table.session.table.told] == ["white"]


def test_where_the_players_roll_nothing_is_said_of_the_tables_dice(tmp_path: Path, page: Any) -> None:
    table = SetTable(tmp_path, f'{CONFIG}dice = "players"\n')
    page.add_init_script(
        "localStorage['barpoint-words'] = JSON.stringify([{commitment: '00', side: 'white'}])"
    )
    page.goto(table.address)
    enter(page)
    expect(page.locator("#tools")).to_be_visible()
    expect(page.locator("#fair")).to_be_hidden()
    table.close()


@pytest.mark.parametrize("text", ["", "abc", "x" * 55, "x" * 56, "x" * 64, "Würfelglück " * 30])
def test_the_pages_own_sha256_is_the_standards(table: SetTable, page: Any, text: str) -> None:
    page.goto(table.address)
    name = module(page, "sha256.js")
    found = page.evaluate("async ([name, text]) => (await import(name)).sha256(text)", [name, text])
    assert found == hashlib.sha256(text.encode()).hexdigest()
