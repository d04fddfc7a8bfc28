"""Who may act by the page, what is let through, and what a hostile browser gets."""

import asyncio
import contextlib
import json
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Button, Choose, Correct, Event, Press, Roll
from firmware.cli import cli
from firmware.errors import BadInput
from firmware.page.access import LASTS, Keeper, keeper
from firmware.page.app import application
from firmware.page.ration import Ration, TooOften
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage

PIN = "271828"
JSON = {"content-type": "application/json"}


class Door:
    """A page in front of a table that notes what it is told."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.keeper = Keeper(PIN, b"key", lambda: self.now, steady=lambda: self.now)
        self.done: list[Event] = []
        self.reason: str | None = None
        self.app = application(TablePage(Feed(), lambda: None, self.keeper, self._act))
        self.cookies = httpx.Cookies()

    async def _act(self, event: Event) -> str | None:
        self.done.append(event)
        return self.reason

    def ask(
        self, method: str, path: str, content: bytes | None = None, headers: dict[str, str] = JSON
    ) -> httpx.Response:
        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://table", cookies=self.cookies
            ) as client:
                response = await client.request(method, path, content=content, headers=headers)
                self.cookies = client.cookies
                return response

        return asyncio.run(go())

    def post(self, path: str, data: Any, **headers: str) -> httpx.Response:
        return self.ask("POST", path, json.dumps(data).encode(), JSON | headers)

    def enter(self) -> None:
        assert self.post("/api/pin", {"pin": PIN}).status_code == 204


@pytest.fixture
def door() -> Door:
    return Door()


ROLL = {"event": "press", "button": "roll", "side": "white"}


def test_a_spectator_may_not_act(door: Door) -> None:
    assert door.ask("GET", "/api/me").json() == {
        "may": False,
        "table": True,
        "role": "spectator",
        "seat": None,
    }
    assert door.post("/api/act", ROLL).status_code == 401
    assert door.done == []


def test_the_pin_opens_the_door_and_leaving_closes_it(door: Door) -> None:
    door.enter()
    assert door.ask("GET", "/api/me").json()["may"]
    assert door.post("/api/act", ROLL).status_code == 204
    assert door.done == [Press(t=0, actor="page", button=Button.ROLL, side="white")]
    assert door.ask("DELETE", "/api/pin").status_code == 204
    assert not door.ask("GET", "/api/me").json()["may"]


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(door: Door) -> None:
    cookie = door.post("/api/pin", {"pin": PIN}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_a_wrong_pin_opens_nothing(door: Door) -> None:
    answer = door.post("/api/pin", {"pin": "000000"})
    assert (answer.status_code, len(door.cookies)) == (403, 0)
    assert "not the table's PIN" in answer.json()["reason"]


def test_guessing_is_rationed_and_the_ration_comes_back(door: Door) -> None:
    codes = [door.post("/api/pin", {"pin": "000000"}).status_code for _ in range(8)]
    assert codes == [403] * 5 + [429] * 3
    refused = door.post("/api/pin", {"pin": PIN})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    door.now += 60
    door.enter()


def test_guessing_from_many_addresses_is_rationed_too() -> None:
    door = Door()
    for guess in range(90):
        assert door.keeper.enter("000000", f"10.0.0.{guess // 3}") is None
    with pytest.raises(TooOften):
        door.keeper.enter("000000", "10.0.0.29")


def test_guessers_keep_neither_a_newcomer_out_nor_whoever_has_an_invitation() -> None:
    door = Door()
    for guess in range(1000):
        with contextlib.suppress(TooOften):
            door.keeper.enter("000000", f"10.0.0.{guess % 40}")
    assert door.keeper.enter(PIN, "10.0.1.1")
    for _ in range(20):
        assert door.keeper.enter(f"{PIN}.{'0' * 32}", "10.0.0.1") is None
    assert door.keeper.enter(door.keeper.invitation, "10.0.0.1")


def test_an_invitation_ends_with_its_pin() -> None:
    assert Keeper("314159", b"key", lambda: 0.0).enter(Door().keeper.invitation, "10.0.0.1") is None


def test_a_flood_of_acts_is_rationed(door: Door) -> None:
    door.enter()
    codes = {door.post("/api/act", ROLL).status_code for _ in range(25)}
    assert codes == {204, 429}
    assert len(door.done) == 20


def test_a_ration_forgets_the_idlest_and_never_grows() -> None:
    ration = Ration(1, 1, names=3)
    for name in "abcd":
        ration.take(name, 0)
    ration.take("a", 0)
    with pytest.raises(TooOften):
        ration.take("d", 0.5)
    ration.take("d", 1.5)


def test_a_cookie_ends_in_time_and_cannot_be_made_or_prolonged(door: Door) -> None:
    cookie = door.keeper.enter(PIN, "here")
    assert cookie is not None
    until, signature = cookie.split(".")
    assert door.keeper.knows(cookie)
    for forged in (
        None,
        "",
        ".",
        f"{int(until.partition('-')[0]) + 1}.{signature}",
        f"9{until}.{signature}",
        f"{until}.{'0' * 64}",
        f"{until}.ü",
        f"²{until}.{signature}",
    ):
        assert not door.keeper.knows(forged)
    assert not Keeper("314159", b"key", lambda: door.now).knows(cookie)
    door.now += LASTS + 2
    assert not door.keeper.knows(cookie)


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
@pytest.mark.parametrize("path", ["/api/act", "/api/pin"])
def test_another_sites_page_is_turned_away(door: Door, path: str, headers: dict[str, str]) -> None:
    door.enter()
    assert door.post(path, ROLL, **headers).status_code == 403
    assert door.done == []


def test_our_own_page_is_not_turned_away(door: Door) -> None:
    door.enter()
    headers = {"origin": "http://table", "sec-fetch-site": "same-origin"}
    assert door.post("/api/act", ROLL, **headers).status_code == 204


def test_what_a_form_can_send_is_not_taken(door: Door) -> None:
    door.enter()
    text = json.dumps(ROLL).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert door.ask("POST", "/api/act", text, {"content-type": kind}).status_code == 415
    assert door.done == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b"\xff",
        b"[" * 16_000,
        b'{"event":' + b"1" * 5000 + b"}",
        b'{"event": "press"}',
    ],
)
def test_nonsense_is_told_so(door: Door, content: bytes) -> None:
    door.enter()
    answer = door.ask("POST", "/api/act", content)
    assert answer.status_code == 422
    assert answer.json()["reason"]


def test_a_body_without_end_is_cut_off(door: Door) -> None:
    door.enter()
    assert door.ask("POST", "/api/act", b" " * 20_000).status_code == 413


@pytest.mark.parametrize(
    "event",
    [
        {"event": "tick"},
        {"event": "begin", "rules": "backgammon"},
        {"event": "reveal", "secret": "x"},
        {"event": "commit", "digest": "x"},
        {"event": "see", "evidence": {}},
        {"event": "press", "button": "done", "evidence": {"p1": {"white": 0}}},
        {"event": "roll", "dice": [6, 6], "number": 3},
    ],
)
def test_what_only_the_device_knows_players_cannot_say(door: Door, event: dict[str, Any]) -> None:
    door.enter()
    assert door.post("/api/act", event).status_code == 422
    assert door.done == []


def test_what_players_say_reaches_the_table_as_they_said_it(door: Door) -> None:
    door.enter()
    door.post("/api/act", {"event": "roll", "dice": [6, 1], "t": 99})
    door.post("/api/act", {"event": "choose", "play": "13/7 8/7", "side": "white"})
    door.post("/api/act", {"event": "correct", "cube": 4, "owner": "black"})
    assert door.done == [
        Roll(t=0, actor="page", dice=(6, 1)),
        Choose(t=0, actor="page", play="13/7 8/7", side="white"),
        Correct(t=0, actor="page", cube=4, owner="black"),
    ]


def test_what_the_table_refuses_is_told_with_its_reason(door: Door) -> None:
    door.enter()
    door.reason = "black is to roll \ud800"
    answer = door.post("/api/act", ROLL)
    assert answer.status_code == 409
    assert "black is to roll" in answer.json()["reason"]


def test_the_opening_dice_are_told_by_a_seat_where_both_have_one(door: Door) -> None:
    feed = Feed()
    feed.names = {"white": "Ann", "black": "Bo"}
    door.app = application(TablePage(feed, lambda: None, door.keeper, door._act))
    door.enter()
    opening = {"event": "roll", "dice": [6, 1]}
    door.keeper.sit(door.keeper.enter(PIN, "a"), "Ann")
    assert door.post("/api/act", opening).status_code == 204  # Bo has no phone: somebody helps him
    door.keeper.sit(door.keeper.enter(PIN, "b"), "Bo")
    refused = door.post("/api/act", opening)
    assert (refused.status_code, len(door.done)) == (403, 1)
    assert "Ann's own phone does that" in refused.json()["reason"]
    assert door.post("/api/seat", {"player": "Bo"}).status_code == 409
    door.keeper._seats.clear()
    assert door.post("/api/seat", {"player": "Bo"}).status_code == 204
    door.keeper.sit(door.keeper.enter(PIN, "a"), "Ann")
    assert door.post("/api/act", opening).status_code == 204


def test_a_page_without_a_table_only_shows() -> None:
    door = Door()
    door.app = application(TablePage(Feed(), lambda: None))
    assert door.ask("GET", "/api/me").json() == {
        "may": False,
        "table": False,
        "role": "spectator",
        "seat": None,
    }
    assert door.post("/api/act", ROLL).status_code == 404


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(), max_size=8),
    st.lists,
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["event", "button", "side", "dice", "play", "position", "score", "owner", "grade", "x"]
        ),
        JSONS,
    )
)
def test_no_body_breaks_the_door(fields: dict[str, Any]) -> None:
    door = Door()
    door.enter()
    for event in ("press", "roll", "choose", "condone", "correct", "next"):
        assert door.post("/api/act", {"event": event} | fields).status_code in (204, 422)


def test_the_pin_is_made_once_kept_for_the_owner_only_and_made_anew_on_demand(tmp_path: Path) -> None:
    first = keeper(tmp_path / "state", lambda: 0.0)
    file = tmp_path / "state" / "page.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(first.pin) == 6
    cookie = first.enter(first.pin, "here")
    assert keeper(tmp_path / "state", lambda: 0.0).knows(cookie)
    assert not keeper(tmp_path / "state", lambda: 0.0, renew=True).knows(cookie)


def test_a_new_pin_counts_for_a_table_that_runs(tmp_path: Path) -> None:
    running = keeper(tmp_path, lambda: 0.0)
    cookie, screen = running.enter(running.pin, "here"), running.screen
    renewed = keeper(tmp_path, lambda: 0.0, renew=True)
    assert not running.knows(cookie)
    assert not running.shows(screen)
    assert running.enter(renewed.pin, "here")
    assert running.invitation == renewed.invitation


def test_a_browser_that_logs_out_is_out_and_no_other(tmp_path: Path) -> None:
    running = keeper(tmp_path, lambda: 0.0)
    mine, other = (running.enter(running.pin, "here") for _ in "ab")
    running.leave(mine)
    running.leave(None)
    running.leave("9.forged")
    for each in (running, keeper(tmp_path, lambda: 0.0)):
        assert not each.knows(mine)
        assert each.knows(other)
    assert stat.S_IMODE((tmp_path / "page.json").stat().st_mode) == 0o600


def test_logging_out_on_the_page_ends_a_stolen_cookie(door: Door) -> None:
    door.enter()
    stolen = httpx.Cookies(door.cookies)
    assert door.post("/api/act", ROLL).status_code == 204
    assert door.ask("DELETE", "/api/pin").status_code == 204
    door.cookies = stolen
    assert door.post("/api/act", ROLL).status_code == 401


def test_a_cookie_of_release_0_1_0_still_counts(door: Door) -> None:
    old = f"{door.now + 60:.0f}"
    assert door.keeper.knows(f"{old}.{door.keeper._sign(old)}")


def test_the_screens_token_is_kept_for_the_owner_and_follows_the_pin(tmp_path: Path) -> None:
    first = keeper(tmp_path, lambda: 0.0)
    token = tmp_path / "screen.token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert first.shows(token.read_text())
    assert not first.shows("")
    keeper(tmp_path, lambda: 0.0, renew=True)
    assert first.shows(token.read_text())


def test_a_hundred_thousand_addresses_try_few_pins_and_the_players_are_told(door: Door) -> None:
    said: list[str] = []
    door.keeper.tell = said.append
    tried = 0
    for guess in range(100_000):
        door.now += 24 * 3600 / 100_000
        with contextlib.suppress(TooOften):
            door.keeper.enter("000000", f"10.{guess >> 16}.{guess >> 8 & 255}.{guess & 255}")
            tried += 1
    assert tried < 10_000
    assert "guesses" in said[-1]
    assert door.keeper.enter(door.keeper.invitation, "10.0.0.1")
    door.now += 7 * 24 * 3600
    door.keeper.knows(None)
    assert said[-1] == ""


def test_a_damaged_pin_file_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text("{}")
    with pytest.raises(BadInput, match="barpoint pin --new"):
        keeper(tmp_path, lambda: 0.0)


def test_barpoint_pin_shows_the_pin(tmp_path: Path) -> None:
    from click.testing import CliRunner

    shown = CliRunner().invoke(cli, ["pin", "--state", str(tmp_path)]).output.strip()
    assert shown == keeper(tmp_path, lambda: 0.0).pin
