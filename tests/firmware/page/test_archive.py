"""The archive on the page: what it lists, shows again, hands out and puts away."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.match import Terms
from firmware.formats import read
from firmware.page import archive_api
from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record.catalogue import Catalogue
from firmware.record.head import Claim, HeadFile
from firmware.record.journal import Journal
from firmware.state import JOURNAL

EVENTS: tuple[Event, ...] = (
    Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "<b>Bob</b>"}, terms=Terms(length=3)),
    Roll(t=1, dice=(6, 1), side="white"),
    Choose(t=2, play="13/7 8/7", side="white"),
)


def log(
    directory: Path, name: str, at: str = "2026-01-02T10:00:00.000Z", events: tuple[Event, ...] = EVENTS
) -> None:
    with Journal.open(directory / JOURNAL) as journal:
        for event in events:
            journal.append(name, at, event.to_json())


class Shelf:
    def __init__(self, directory: Path) -> None:
        self.app = application(
            TablePage(Feed(), lambda: None, Keeper("271828", b"key", lambda: 0.0), None, directory)
        )
        self.cookies = httpx.Cookies()

    def ask(
        self, method: str, path: str, data: Any = None, accept: str = "*/*", language: str = "en"
    ) -> httpx.Response:
        headers = {"Accept": accept, "Accept-Language": language}

        async def go() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self.app), base_url="http://table", cookies=self.cookies
            ) as client:
                response = await client.request(method, path, json=data, headers=headers)
                self.cookies = client.cookies
                return response

        return asyncio.run(go())

    def enter(self) -> None:
        assert self.ask("POST", "/api/pin", {"pin": "271828"}).status_code == 204


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_an_archive_without_a_journal_is_empty_and_makes_none(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf.ask("GET", "/api/games").json() == []
    assert list(tmp_path.iterdir()) == []


def test_the_newest_match_comes_first_with_what_it_can_be_taken_along_as(
    shelf: Shelf, tmp_path: Path
) -> None:
    log(tmp_path, "b", "2026-01-03T10:00:00.000Z")
    log(tmp_path, "a", events=(Begin(t=0, rules="icegammon"),))
    games = shelf.ask("GET", "/api/games").json()
    assert [game["id"] for game in games] == ["b", "a"]
    assert games[0]["players"] == ["Ann", "<b>Bob</b>"]
    assert "mat" in games[0]["formats"]
    assert "mat" not in games[1]["formats"]


def test_players_without_a_name_are_called_by_their_colour_in_the_readers_language(
    shelf: Shelf, tmp_path: Path
) -> None:
    lost = Press(t=3, button=Button.RESIGN, side="white", grade="backgammon")
    taken = Press(t=4, button=Button.TAKE, side="black")
    players = {"white": "Ann", "black": "black"}
    begin = Begin(t=0, rules="backgammon", players=players, terms=Terms(length=1))
    log(tmp_path, "a", events=(begin, *EVENTS[1:], lost, taken))
    (game,) = shelf.ask("GET", "/api/games?lang=de").json()
    assert game["players"] == ["Ann", "Schwarz"]
    assert game["outcome"].startswith("Schwarz")
    assert "<h1>Ann – Schwarz</h1>" in shelf.ask("GET", "/api/games/a/report?lang=de").text


def test_a_replay_shows_every_change_and_ends_as_the_match_did(shelf: Shelf, tmp_path: Path) -> None:
    log(tmp_path, "a")
    states = shelf.ask("GET", "/api/games/a/states").json()
    assert len(states) == 3
    assert states[1]["dice"] == [6, 1]
    assert states[-1]["cells"]["p7"] == [["white", "white"]]
    assert states[-1]["judgement"]["text"] == "13/7 8/7, as the players say"


@pytest.mark.parametrize("form", ["mat", "sgf", "json", "text"])
def test_a_match_is_handed_out_as_a_file_that_reads_back(shelf: Shelf, tmp_path: Path, form: str) -> None:
    log(tmp_path, "a")
    answer = shelf.ask("GET", f"/api/games/a/file/{form}")
    assert answer.headers["content-disposition"].startswith('attachment; filename="a.')
    assert read(answer.content, form).record.players[0] == "Ann"


def test_a_file_that_the_game_has_no_format_for_is_refused_with_a_reason(
    shelf: Shelf, tmp_path: Path
) -> None:
    log(tmp_path, "a", events=(Begin(t=0, rules="icegammon"),))
    answer = shelf.ask("GET", "/api/games/a/file/mat")
    assert answer.status_code == 409
    assert "backgammon, hypergammon, nackgammon only" in answer.json()["reason"]


def test_who_follows_a_link_to_such_a_file_reads_the_reason_on_a_page(shelf: Shelf, tmp_path: Path) -> None:
    log(tmp_path, "a", events=(Begin(t=0, rules="icegammon"),))
    answer = shelf.ask("GET", "/api/games/a/file/mat", accept="text/html,*/*;q=0.8")
    assert (answer.status_code, answer.headers["content-type"]) == (409, "text/html; charset=utf-8")
    assert "backgammon, hypergammon, nackgammon only" in answer.text
    assert 'href="/"' in answer.text


def test_putting_away_needs_the_pin_deletes_nothing_and_has_a_way_back(shelf: Shelf, tmp_path: Path) -> None:
    log(tmp_path, "a")

    def away() -> list[bool]:
        return [game["away"] for game in shelf.ask("GET", "/api/games").json()]

    assert shelf.ask("DELETE", "/api/games/a").status_code == 401
    assert away() == [False]
    shelf.enter()
    assert shelf.ask("DELETE", "/api/games/a").status_code == 204
    assert away() == [True]
    with Journal.open(tmp_path / JOURNAL) as journal:
        assert journal.verify("a") == 3
    assert shelf.ask("POST", "/api/games/a/back").status_code == 204
    assert away() == [False]


@pytest.mark.parametrize("name", ["nothing", "..%2F..%2Fetc", "%ff", "a%00b", "x" * 300, "%ED%A0%80"])
def test_a_match_that_does_not_exist_is_not_found(shelf: Shelf, tmp_path: Path, name: str) -> None:
    log(tmp_path, "a")
    shelf.enter()
    for method, path in (("GET", "/states"), ("GET", "/file/mat"), ("DELETE", ""), ("POST", "/back")):
        assert shelf.ask(method, f"/api/games/{name}{path}").status_code == 404


def test_a_damaged_match_is_listed_and_its_replay_says_where(shelf: Shelf, tmp_path: Path) -> None:
    log(tmp_path, "a", events=(*EVENTS, EVENTS[1]))
    assert shelf.ask("GET", "/api/games").json()[0]["result"] == "damaged: entry 3"
    answer = shelf.ask("GET", "/api/games/a/states")
    assert answer.status_code == 409
    assert "entry 3" in answer.json()["reason"]


def test_leafing_through_the_archive_is_rationed(shelf: Shelf) -> None:
    codes = [shelf.ask("GET", "/api/games").status_code for _ in range(60)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_a_damaged_list_of_what_is_away_hides_nothing(shelf: Shelf, tmp_path: Path) -> None:
    log(tmp_path, "a")
    for text in ("{", "{}", json.dumps([1])):
        (tmp_path / "away.json").write_text(text)
        assert not shelf.ask("GET", "/api/games").json()[0]["away"]


def test_a_list_of_what_is_away_that_the_disk_does_not_give_is_not_written_over(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path, "a")
    shelf.enter()
    (tmp_path / "away.json").write_text('["b"]')
    read_text = Path.read_text

    def hangs(path: Path, *args: Any, **named: Any) -> str:
        if path.name == "away.json":
            raise OSError(5, "Input/output error")
        return read_text(path, *args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", hangs)
        answer = shelf.ask("DELETE", "/api/games/a")
        assert answer.status_code == 507
        assert "Input/output error" in answer.text
        assert len(shelf.ask("GET", "/api/games").json()) == 1
    assert json.loads((tmp_path / "away.json").read_text()) == ["b"]
    assert shelf.ask("DELETE", "/api/games/a").status_code == 204
    assert json.loads((tmp_path / "away.json").read_text()) == ["b", "a"]


def test_who_looks_at_the_archive_changes_nothing_beside_the_journal_that_lost_something(
    shelf: Shelf, tmp_path: Path
) -> None:
    log(tmp_path, "a")
    head = HeadFile(tmp_path / JOURNAL)
    head.write(Claim("a", 9, "ab"))
    head.close()
    for _ in range(2):
        assert len(shelf.ask("GET", "/api/games").json()) == 1
    assert not list(tmp_path.glob("journal-damaged-*"))


def test_a_match_is_handed_out_as_a_report_that_no_browser_takes_for_a_page_of_ours(
    shelf: Shelf, tmp_path: Path
) -> None:
    log(tmp_path, "a")
    report = shelf.ask("GET", "/api/games/a/report")
    assert report.headers["content-disposition"] == 'attachment; filename="a.html"'
    assert "&lt;b&gt;Bob&lt;/b&gt;" in report.text
    assert "<b>Bob" not in report.text


def test_the_list_comes_at_once_and_completes_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        log(tmp_path, f"m{number:02}", at=f"2026-01-{1 + number:02}T10:00:00.000Z")
    # Opening the archive alone takes longer than a list may look at matches.
    monkeypatch.setattr("firmware.page.archive_api.after", lambda seconds: lambda: True)
    app = application(TablePage(Feed(), lambda: None, None, None, tmp_path))

    async def run() -> list[list[dict[str, Any]]]:
        found = []
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            for _ in range(100):
                found.append((await client.get("/api/games")).json())
                if all(each["known"] for each in found[-1]):
                    break
                await asyncio.sleep(0.1)
        return found

    found = asyncio.run(run())
    assert [len(each) for each in found] == [30] * len(found)
    first, last = found[0], found[-1]
    assert not any(each["known"] for each in first)
    assert {each["result"] for each in first} == {"not looked at yet"}
    assert first[0]["players"] == ["Ann", "<b>Bob</b>"]
    assert [each["id"] for each in first] == [each["id"] for each in last]
    assert all(each["known"] and each["result"] == "unfinished" for each in last)


def test_a_match_that_cannot_be_read_is_listed_beside_the_others(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        log(tmp_path, f"m{number}", events=EVENTS[:1])
    with sqlite3.connect(tmp_path / JOURNAL) as connection:
        connection.execute("DROP TRIGGER events_stay")
        connection.execute("UPDATE events SET body = '{' WHERE game = 'm1'")
    with monkeypatch.context() as hurry:
        hurry.setattr("firmware.page.archive_api.LOOKING", 0.0)
        assert len(shelf.ask("GET", "/api/games").json()) == 3
    for _ in range(2):
        lines = {each["id"]: each for each in shelf.ask("GET", "/api/games").json()}
        assert lines["m1"]["result"] == "damaged: unreadable"
        assert lines["m0"]["result"] == lines["m2"]["result"] == "unfinished"


def test_a_players_history_knows_who_played_before_anybody_asks_for_the_list(
    shelf: Shelf, tmp_path: Path
) -> None:
    log(tmp_path, "a")
    log(tmp_path, "b", events=(EVENTS[1],))  # it cannot be read
    for _ in range(2):
        assert shelf.ask("GET", "/api/history").json()["players"] == ["<b>Bob</b>", "Ann"]
        shelf.ask("GET", "/api/games")


def test_a_players_history_says_how_far_the_table_has_looked_and_goes_on_from_there(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        log(tmp_path, f"m{number}")
    monkeypatch.setattr("firmware.page.history_api.after", lambda seconds: iter([False, True]).__next__)
    told = [shelf.ask("GET", "/api/history?player=Ann").json() for _ in range(3)]
    assert [(each["left"], each["all"]) for each in told] == [(2, 3), (1, 3), (0, 3)]
    assert all(each["players"] == ["<b>Bob</b>", "Ann"] for each in told)


def test_where_the_list_cannot_be_kept_a_history_looks_at_all_matches_at_once(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        log(tmp_path, f"m{number}")
    (tmp_path / "archive.db").mkdir()
    monkeypatch.setattr("firmware.page.history_api.after", lambda seconds: iter([False, True]).__next__)
    assert shelf.ask("GET", "/api/history?player=Ann").json()["left"] == 0


def test_how_a_money_game_ended_is_said_in_the_readers_language(shelf: Shelf, tmp_path: Path) -> None:
    money = Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bob"}, terms=Terms())
    lost = Press(t=3, button=Button.RESIGN, side="white", grade="gammon")
    log(tmp_path, "a", events=(money, *EVENTS[1:], lost, Press(t=4, button=Button.TAKE, side="black")))
    for _ in range(2):  # made, and from the list that is kept
        (line,) = shelf.ask("GET", "/api/games", language="de").json()
        assert line["result"] == "black wins, gammon, 2 points", "programs read English"
        assert line["outcome"] == "Bob gewinnt, Gammon, 2 Punkte"


def test_what_would_be_refused_is_not_offered_and_a_won_match_has_its_score(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_api, "LOOKING", 30.0)  # a busy machine may not have looked at both by then
    lost = Press(t=3, button=Button.RESIGN, side="white", grade="backgammon")
    log(tmp_path, "a", events=(*EVENTS, lost, Press(t=4, button=Button.TAKE, side="black")))
    log(tmp_path, "b", "2026-01-03T10:00:00.000Z", events=(EVENTS[0], Press(t=9, button=Button.TAKE)))
    damaged, won = shelf.ask("GET", "/api/games").json()
    assert (damaged["formats"], damaged["replay"]) == ([], False)
    assert (won["replay"], won["outcome"]) == (True, "<b>Bob</b> won 3–0")
    assert "mat" in won["formats"]
    renewed: list[str] = []
    monkeypatch.setattr(Catalogue, "_renew", lambda self, log: renewed.append(log))
    with Journal.open(tmp_path / JOURNAL) as journal, Catalogue(journal) as catalogue:
        assert next(line.outcome for line in catalogue.listing()) == "<b>Bob</b> won 3–0"
    assert renewed == [], "the cache holds what it was given"
