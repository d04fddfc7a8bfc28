"""The review on the page: what it tells, who may begin one, and the pictures beside it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.position import Json
from firmware.engines import NoEngine
from firmware.errors import NotNow
from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.review_api import Reviewing
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record import archive, review
from firmware.record.chain import START
from firmware.record.journal import Journal
from firmware.state import JOURNAL
from tests.firmware.page.test_archive import EVENTS, Shelf, log
from tests.firmware.record.test_mistakes import REVIEWS
from tests.firmware.record.test_review import MATCH


class Desk:
    """A reviewer that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.trouble: Exception | None = None
        self.state = "idle"

    def start(self, log: str) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.asked.append(log)
        self.state = "working"

    def stop(self) -> None:
        self.state = "stopped"

    def progress(self, log: str) -> Json:
        return {"state": self.state}


class Place(Shelf):
    def __init__(self, directory: Path, desk: Any) -> None:
        super().__init__(directory)
        keeper = Keeper("271828", b"key", lambda: 0.0)
        reviewing = Reviewing(desk, directory / "recordings")
        self.app = application(TablePage(Feed(), lambda: None, keeper, None, directory, reviewing=reviewing))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def place(tmp_path: Path, desk: Desk) -> Place:
    with Journal.open(tmp_path / JOURNAL) as journal:
        journal.append("played", "2026-01-02T10:00:00.000Z", archive.imported(MATCH), after=START)
        match = archive.read_match(journal, "played")
    review.keep_foreign(
        match, [each and replace(each, engine="XG") for each in REVIEWS], tmp_path / "analysis"
    )
    return Place(tmp_path, desk)


def test_it_tells_what_was_found(place: Place) -> None:
    told = place.ask("GET", "/api/games/played/review").json()
    assert (told["id"], told["reviewed"], told["engines"]) == ("played", len(REVIEWS), ["XG"])
    assert told["work"] == {"state": "idle"}
    assert told["makes"] is True
    assert told["mistakes"]
    assert place.ask("GET", "/review").status_code == 200
    assert place.ask("GET", "/api/games/none/review").status_code == 404


def test_players_without_a_name_are_called_by_their_colour_in_the_readers_language(
    place: Place, tmp_path: Path
) -> None:
    with Journal.open(tmp_path / JOURNAL) as journal:
        nameless = archive.imported(replace(MATCH, players=("white", "black")))
        journal.append("nameless", "2026-01-02T10:00:00.000Z", nameless, after=START)
    told = place.ask("GET", "/api/games/nameless/review?lang=de").json()
    assert told["called"] == ["Weiß", "Schwarz"]


def test_who_has_the_pin_begins_and_stops_one(place: Place, desk: Desk) -> None:
    path = "/api/games/played/review"
    assert place.ask("POST", path).status_code == 401
    place.enter()
    assert place.ask("POST", path).json() == {"state": "working"}
    assert desk.asked == ["played"]
    assert place.ask("GET", f"{path}/progress").json() == {"state": "working"}
    assert place.ask("DELETE", path).status_code == 204
    assert desk.state == "stopped"
    assert place.ask("POST", "/api/games/none/review").status_code == 404


@pytest.mark.parametrize("trouble", [NotNow("a match is being played"), NoEngine("there is no engine here")])
def test_what_keeps_it_from_beginning_is_told(place: Place, desk: Desk, trouble: Exception) -> None:
    desk.trouble = trouble
    place.enter()
    found = place.ask("POST", "/api/games/played/review")
    assert (found.status_code, found.json()["reason"]) == (409, str(trouble))


def test_a_game_that_no_engine_knows_is_a_clear_no(place: Place, tmp_path: Path) -> None:
    log(tmp_path, "other", events=(EVENTS[0].__class__(t=0, rules="zombie"),))
    found = place.ask("GET", "/api/games/other/review")
    assert found.status_code == 409
    assert "there is no engine for Zombie" in found.json()["reason"]
    listed = {each["id"]: each["reviewable"] for each in place.ask("GET", "/api/games").json()}
    assert listed == {"played": True, "other": False}


def test_the_picture_of_the_board_after_the_play_stands_beside(place: Place, tmp_path: Path) -> None:
    log(tmp_path, "seen")
    folder = tmp_path / "recordings" / "seen"
    folder.mkdir(parents=True)
    (folder / "000007.jpg").write_bytes(b"a picture")
    (folder / "reel.json").write_text(json.dumps({"timeline": [{"t": 1.5, "frame": "000007.jpg"}]}))
    assert place.ask("GET", "/api/games/seen/review").json()["mistakes"] == []
    assert place.ask("GET", "/api/games/seen/picture/000007.jpg").content == b"a picture"
    for name in ("000008.jpg", "reel.json", "%2e%2e%2fsecret"):
        assert place.ask("GET", f"/api/games/seen/picture/{name}").status_code == 404
