"""Spectators, players with a phone of their own, and a director."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.events import Begin, Button, Correct, Event, Intend, Press, Roll
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from firmware.page.access import AWAY, DIRECTOR, PLAYER, Keeper, keeper
from firmware.page.refusal import Refused
from firmware.page.state import page_state
from firmware.page.stream import Feed
from firmware.recordings.recording import _moment
from tests.firmware.page.test_correcting import more, open_more
from tests.firmware.sitting_browser import CHROMIUM, PATIENCE, Sitting, drag, enter, expect, until

browsers = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)
NAMES = {"white": "Ann", "black": "Bo"}


def test_the_directors_pin_follows_from_key_and_pin(tmp_path: Path) -> None:
    door = keeper(tmp_path, lambda: 0.0)
    assert len(door.director) == 8
    assert keeper(tmp_path, lambda: 0.0).director == door.director
    old, new = door.director, keeper(tmp_path, lambda: 0.0, renew=True).director
    assert old != new
    assert door.enter(old, "a") is None
    assert door.role(door.enter(new, "a")) == DIRECTOR


def test_roles_cannot_be_made_up() -> None:
    door = Keeper("271828", b"key", lambda: 0.0)
    cookie = door.enter("271828", "a")
    assert cookie is not None
    assert door.role(cookie) == PLAYER
    named, _, signature = cookie.partition(".")
    assert door.role(f"{named}-{DIRECTOR}.{signature}") is None
    assert door.role(None) is None
    assert door.enter("27182800", "a") is None


def test_a_clock_that_is_set_moves_nobody_from_a_seat_and_keeps_none_for_who_is_away() -> None:
    time, steady = [10_000.0], [0.0]
    door = Keeper("271828", b"key", lambda: time[0], steady=lambda: steady[0])
    ann = door.enter("271828", "a")
    door.sit(ann, "Ann")
    time[0] += 3600  # the time comes from the network
    assert door.seated("Ann")
    time[0] -= 2 * 3600
    assert door.knows(ann)
    steady[0] += AWAY + 1
    assert not door.seated("Ann")


def test_a_seat_is_one_browsers_until_it_leaves_or_is_away() -> None:
    time = [0.0]
    door = Keeper("271828", b"key", lambda: 0.0, steady=lambda: time[0])
    ann, other = door.enter("271828", "a"), door.enter("271828", "b")
    door.sit(ann, "Ann")
    with pytest.raises(Refused, match="another phone acts for Ann"):
        door.sit(other, "Ann")
    time[0] = AWAY + 1
    assert not door.seated("Ann")
    door.sit(other, "Ann")
    assert (door.seat(other), door.seat(ann)) == ("Ann", None)
    door.leave(other)
    assert not door.seated("Ann")
    door.sit(ann, "Ann")
    door.sit(ann, "Bo")
    assert not door.seated("Ann")


def test_a_new_pin_ends_open_streams_and_frees_the_seats_at_once(tmp_path: Path) -> None:
    door, hub = keeper(tmp_path, lambda: 0.0), Feed()
    ann = door.enter(door.pin, "a")
    door.sit(ann, "Ann")

    async def followed() -> list[str]:
        hub.publish('{"n": 1, "actions": {}}', lambda *_: '{"n": 1}')
        stream = hub.follow(lambda: door.knows(ann), look=0.01)
        told = [await anext(stream)]
        keeper(tmp_path, lambda: 0.0, renew=True)
        hub.publish('{"n": 2, "actions": {}}', lambda *_: '{"n": 2}')
        async with asyncio.timeout(PATIENCE):
            return told + [news async for news in stream]

    with ThreadPoolExecutor(1) as thread:  # where a browser test ran before, this thread has a running loop
        first, last = thread.submit(lambda: asyncio.run(followed())).result()
    assert "actions" in first
    assert '"n": 2' in last
    assert "actions" not in last
    assert not door.seated("Ann")
    door.sit(door.enter(door.pin, "b"), "Ann")


@pytest.fixture
def phone(browser: Any) -> Iterator[Any]:
    """A second phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def sit_down(table: Sitting, page: Any, name: str) -> None:
    page.goto(table.address)
    enter(page)
    more(page, "Whose phone is this?")
    page.locator("#fair-seats").get_by_role("button", name=name, exact=True).click()
    expect(page.locator("#role")).to_have_text(f"Acts for {name}")


def test_a_seat_without_a_name_is_called_by_its_colour_in_the_readers_language(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(f"{table.address}?lang=de")
    enter(page)
    open_more(page)
    page.get_by_role("button", name="Wessen Telefon ist das?").click()
    page.locator("#fair-seats button").first.click()
    expect(page.locator("#role")).to_have_text("Handelt für Weiß")


def post(table: Sitting, page: Any, data: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json"}
    return page.request.post(f"{table.address}api/act", data=json.dumps(data), headers=headers)


@browsers
def test_two_phones_a_correction_and_who_agrees_to_it(
    sit: Callable[..., Sitting], page: Any, phone: Any
) -> None:
    table = sit(players=NAMES, terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    sit_down(table, page, "Ann")
    sit_down(table, phone, "Bo")
    expect(phone.locator("#buttons")).not_to_contain_text("Done")  # it is Ann's play
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell=p6]", "#board .zone[data-cell=p11]")
    more(phone, "Score, cube, turn")
    page.click("#save")
    expect(phone.locator("#director")).to_be_hidden()  # what waits for an answer is answered first
    for each in (page, phone):
        expect(each.locator("#judgement")).to_have_text("Ann asks to set the position; Bo must agree")
        expect(each.locator("svg.proposed g[data-cell=p11]")).to_have_count(1)
        expect(each.get_by_role("img", name="point 11: 1 white; ")).to_have_count(1)  # for who listens
    expect(page.locator("#buttons button")).to_have_text(["Cancel"])
    assert table.session.state is State.PROPOSED
    refused = post(table, page, {"event": "press", "button": "take", "side": "black"})
    assert refused.status == 409
    phone.get_by_role("button", name="Agree").click()
    expect(page.locator("#board g[data-cell=p11]")).to_have_count(1)
    expect(page.locator("#moves li.told")).to_have_text(
        ["Ann asks to set the position; Bo must agree", "Bo agrees", "Set by hand: the position"]
    )


@browsers
def test_nobody_acts_for_a_player_who_has_a_phone_and_a_director_may(
    sit: Callable[..., Sitting], page: Any, phone: Any
) -> None:
    table = sit(players=NAMES, terms=Terms(length=5))
    events: list[Event] = []
    table.heard = events.append
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    sit_down(table, page, "Ann")
    phone.goto(table.address)
    enter(phone)
    expect(phone.locator("#tools")).to_be_visible()
    for side in ("white", None):
        answer = post(table, phone, {"event": "press", "button": "done", "side": side})
        assert answer.status == 403, side
    assert post(table, phone, {"event": "press", "button": "done", "actor": "white"}).status == 403
    assert post(table, phone, {"event": "roll", "dice": [6, 5]}).status == 403
    assert post(table, phone, {"event": "choose", "play": "13/7 8/7", "side": "black"}).status == 409
    phone.click("#door")
    expect(phone.locator("#door")).to_have_text("Enter the PIN to act")
    enter(phone, table.keeper.director)
    expect(phone.locator("#role")).to_have_text("The director")
    more(phone, "Score, cube, turn")
    phone.get_by_label("Ann", exact=True).fill("3")
    phone.get_by_role("button", name="Set").click()
    expect(page.locator("#judgement")).to_have_text("Set by the director: the score, 3–0")
    until(page, lambda: any(isinstance(each, Correct) for each in events))
    assert [each.actor for each in events if isinstance(each, Correct)] == [DIRECTOR]


@browsers
def test_who_plays_against_the_table_presses_done_for_it(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players={"white": "engine club", "black": "Bo"}, terms=Terms(length=3))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.tell(Intend(t=0, play="13/7 8/7", side="white"))
    assert table.session.position is not None
    table.board = Evidence.certain(dict(table.session.position.find("13/7 8/7").after.looks()))
    sit_down(table, page, "Bo")
    expect(page.locator("#fair-seats button")).to_have_text(["Bo", "I only watch, or this is for both of us"])
    expect(page.locator("#tools")).not_to_contain_text("engine club: Resign")
    page.locator("#buttons").get_by_role("button", name="Done").click()
    until(page, lambda: table.session.due == "black")


FOLLOW_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


@browsers
def test_an_open_page_takes_its_seat_back_from_a_table_that_was_started_anew(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players=NAMES, terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    sit_down(table, page, "Bo")
    claims: list[Any] = []
    page.route("**/api/seat", lambda claim: claims.append(claim))
    for _ in range(2):
        table.keeper._seats.clear()
        page.evaluate(FOLLOW_AGAIN)
        until(page, lambda: len(claims) == 1)
        expect(page.locator("#role")).to_have_text("")
        expect(page.locator("#buttons")).to_have_text("It is for Ann to act now.")
        claims.pop().continue_()
        expect(page.locator("#role")).to_have_text("Acts for Bo")
        assert table.keeper.seated("Bo")
    page.unroute("**/api/seat")
    table.keeper._seats.clear()
    table.keeper.sit(table.keeper.enter(table.keeper.pin, "another phone"), "Bo")
    page.evaluate(FOLLOW_AGAIN)
    expect(page.locator("#fair-fault")).to_contain_text("another phone acts for Bo")
    expect(page.locator("#buttons")).to_have_text("It is for Ann to act now.")


@browsers
def test_a_seat_of_the_last_match_is_nobodys_in_the_next(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players=NAMES)
    sit_down(table, page, "Ann")
    table.session = Session()
    table.tell(Begin(t=0, rules="backgammon", players={"white": "Yan", "black": "Zoë"}))
    expect(page.locator("#role")).to_have_text("")
    page.reload()
    expect(page.locator("#tools")).to_be_visible()
    expect(page.locator("#role")).to_have_text("")
    more(page, "Whose phone is this?")


def test_a_proposal_shows_the_board_as_it_would_be_only_where_that_changes() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", players=NAMES))
    asked, _ = session.handle(Correct(t=1, actor="white", score=(1, 0)))
    state = page_state(asked, 1, [])
    assert state["proposal"] == {"waits": ["black"], "words": "the score, 1–0", "cells": None}
    assert session.position is not None
    points = session.position.to_json()["points"]
    asked, _ = session.handle(Correct(t=1, actor="white", position={"points": {**points, "24": 1, "23": 1}}))
    assert page_state(asked, 1, [])["proposal"]["cells"]["p23"] == [["white"]]


def test_who_must_agree_is_said_after_a_games_end_too() -> None:
    begin = Begin(t=0, rules="backgammon", players=NAMES, terms=Terms(length=3))
    resigns = Press(t=1, button=Button.RESIGN, side="white", grade="single")
    session = Session()
    for event in (begin, resigns, Press(t=2, button=Button.TAKE), Correct(t=3, actor="white", score=(0, 2))):
        session, _ = session.handle(event)
    assert page_state(session, 3, [])["phase"] == "Bo must agree (take) or refuse (drop): the score, 0–2"


def test_a_recording_keeps_who_answered_since_a_director_answers_for_both() -> None:
    take = Press(t=1, button=Button.TAKE, side="black", actor=DIRECTOR)
    assert _moment(take) == {"t": 1, "event": take.to_json()}
    plain = Press(t=1, button=Button.TAKE, side="black")
    assert _moment(plain) == {"t": 1, "button": "take", "side": "black"}
