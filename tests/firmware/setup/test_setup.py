"""Setting up without a browser: who may, what is refused and how, and that a calibration is kept whole or not
at all."""

import contextlib
import inspect
import json
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import rules
from engine.errors import EngineError
from engine.events import Begin, Button, Tick
from engine.match_state import State
from engine.messages import Message
from engine.position import Json
from firmware.errors import BadInput
from firmware.lights.strip_job import dim
from firmware.page.access import Keeper
from firmware.page.archive_api import Archive
from firmware.page.assets import STATIC
from firmware.page.setup_api import STEPS, SetupApi
from firmware.record.journal import Journal
from firmware.settings.config import parse
from firmware.settings.lamp_settings import load_lamps
from firmware.setup import learning, maps
from firmware.setup.games import list_games, read_agreement
from firmware.setup.lease import LEASE, Lease, SomebodyElse
from firmware.setup.long_job import LongJob, Tell
from firmware.simulated.board_eyes import BoardEyes, example_map
from firmware.state import JOURNAL
from firmware.table import drivers, learner
from firmware.table.change import MatchChange
from firmware.table.learner import TableLearner
from firmware.table.trial import LASTS, Trial
from hardware.painter import Painter
from hardware.protocols import Frame as Shot
from hardware.protocols import Pressed
from hardware.strip import OFF
from tests.firmware.sitting_browser import PATIENCE, PIN
from tests.firmware.table_browser import SetTable
from vision import boards
from vision.errors import CalibrationError
from vision.picture.frame import Image
from vision.quality import Quality
from vision.reading import BoardReader


class Phone:
    """Somebody's browser, as far as the routes see it."""

    def __init__(self, table: SetTable) -> None:
        self._client = httpx.Client(base_url=table.address, timeout=PATIENCE)
        self.desk = ""

    def close(self) -> None:
        self._client.close()

    def enter(self) -> None:
        assert self._client.post("/api/pin", json={"pin": PIN}).status_code == 204

    def sit(self, take: bool = False) -> httpx.Response:
        answer = self._client.post("/api/setup/desk", json={"take": take})
        if answer.status_code == 200:
            self.desk = answer.json()["desk"]
        return answer

    def get(self, path: str) -> httpx.Response:
        return self._client.get(path)

    def post(self, what: str, /, **data: Any) -> httpx.Response:
        return self._client.post(f"/api/setup/{what}", json={"desk": self.desk, **data})

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self._client.get("/api/setup", params={"desk": self.desk}).json()
        return found

    def raw(self, what: str, content: bytes, **headers: str) -> httpx.Response:
        return self._client.post(f"/api/setup/{what}", content=content, headers=headers)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SetTable]:
    table = SetTable(tmp_path_factory.mktemp("state"))
    yield table
    table.close()


@pytest.fixture(scope="module")
def known(served: SetTable) -> Iterator[Phone]:
    made = Phone(served)
    made.enter()
    yield made
    made.close()


@pytest.fixture
def phone(known: Phone) -> Phone:
    known.sit(take=True)
    return known


@pytest.fixture
def other(served: SetTable) -> Iterator[Phone]:
    made = Phone(served)
    yield made
    made.close()


def reason(answer: httpx.Response) -> str:
    return str(answer.json()["reason"])


def test_setting_up_needs_the_pin_and_comes_from_our_own_page(other: Phone, phone: Phone) -> None:
    stranger = other
    for path in ("/api/setup", "/api/setup/games", "/api/setup/view.jpg", "/api/setup/overlay.jpg"):
        assert stranger.get(path).status_code == 401
    assert stranger.sit().status_code == 401
    assert stranger.post("begin", begin={"rules": "zombie"}).status_code == 401
    body = json.dumps({"desk": phone.desk}).encode()
    evil = {"content-type": "application/json", "origin": "http://evil.example"}
    assert phone.raw("begin", body, **evil).status_code == 403
    assert phone.raw("begin", body, **{"content-type": "text/plain"}).status_code == 415
    assert phone.raw("begin", b" " * 20_000, **{"content-type": "application/json"}).status_code == 413


def test_one_person_at_a_time_sets_up(other: Phone, phone: Phone) -> None:
    other.enter()
    refused = other.sit()
    assert refused.status_code == 423
    assert "has been setting this table up for less than a minute" in reason(refused)
    assert other.sit(take=True).status_code == 200
    assert phone.post("stop").status_code == 423
    assert not phone.state()["mine"]
    assert other.state()["mine"]


def test_whoever_says_nothing_has_gone_away() -> None:
    now, ended = [0.0], list[float]()
    lease = Lease(lambda: now[0], lambda: ended.append(now[0]))
    token = lease.take("here", over=False)
    now[0] += LEASE - 1
    lease.hold(token)
    now[0] += LEASE + 1
    with pytest.raises(SomebodyElse, match="away too long") as gone:
        lease.hold(token)
    token = lease.take("there", over=False)
    with pytest.raises(SomebodyElse, match=r"less than a minute$") as soon:
        lease.take("here", over=False)
    for _ in range(3):
        now[0] += LEASE - 1
        lease.hold(token)
    with pytest.raises(SomebodyElse, match=r"somebody at there .* for 2 minutes$") as late:
        lease.take("here", over=False)
    with pytest.raises(SomebodyElse, match="somebody else") as other:
        lease.hold("?")
    assert all(isinstance(said.value.args[0], Message) for said in (gone, soon, late, other))
    assert ended == [2 * LEASE]


@pytest.mark.parametrize(
    ("what", "data", "says"),
    [
        ("learn", {"game": "backgammon", "corners": [[1, 2]]}, "four pairs"),
        ("learn", {"game": "chess", "corners": [[0, 9], [9, 9], [9, 0], [0, 0]]}, "unknown game"),
        ("find", {"game": "chess"}, "unknown game"),
        ("outlines", {"game": "siege-master", "measures": {"cols": 3}}, "whole number from 4"),
        ("outlines", {"game": "backgammon", "measures": {"width": "wide"}}, "a length in centimetres"),
        ("keep", {}, "calibrate first"),
        ("light", {"leds": [1]}, "nothing is being tried"),
        ("light", {"leds": "all"}, "a list of numbers"),
        ("map", {"game": "backgammon"}, "no map to confirm"),
        ("map", {"game": "siege-master"}, "calibrate first"),
        ("mend", {"game": "siege-master", "cells": {"hex.0,0": ["queen"]}}, "border, fortress.neutral"),
        ("mend", {"game": "siege-master", "cells": {"hex.one": []}}, "is not a hex"),
        ("begin", {}, "begin and words must be objects"),
        ("begin", {"begin": {"rules": "backgammon", "position": {}}}, "players cannot set 'position'"),
        ("begin", {"begin": {"rules": "backgammon", "terms": {"length": 5, "jacoby": True}}}, "money play"),
        (
            "begin",
            {"begin": {"rules": "backgammon", "players": {"white": "Ann", "black": " Ann "}}},
            "same name",
        ),
        ("begin", {"begin": {"rules": "backgammon", "players": {"white": "A" * 41}}}, "may have 40 letters"),
        ("begin", {"begin": {"rules": "siege-master"}}, "the players set up"),
        ("begin", {"begin": {"rules": "zombie", "options": {"last_roll": 3}}}, "last_roll"),
        ("go-on", {"log": "2020-01-01-abc"}, "no such match"),
        ("lamps", {"brightness": 2, "map": {}}, "brightness must be a number"),
        ("lamps", {"brightness": 1, "map": {"p1": [99999]}}, "no 99999"),
        ("lamps", {"brightness": 1, "map": {"roof": [1]}}, "'roof' is no place"),
        ("juggle", {}, "no step juggle"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(
    phone: Phone, what: str, data: dict[str, Any], says: str
) -> None:
    answer = phone.post(what, **data)
    assert answer.status_code in (404, 409, 422)
    assert says in reason(answer)
    assert "\n" not in reason(answer)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda few: st.lists(few, max_size=4),
    max_leaves=6,
)
FIELDS = ["game", "measures", "corners", "leds", "cells", "options", "map", "brightness", "log"]
OBJECTS = st.dictionaries(
    st.sampled_from(["rules", "options", "players", "terms", "clock", "moves", "cols", "rows", "border"]),
    JSONS,
)


@given(data=st.fixed_dictionaries({"begin": OBJECTS | JSONS, "words": OBJECTS | JSONS, "leave": JSONS}))
def test_no_agreement_breaks_the_form(data: dict[str, Any]) -> None:
    begin = {"rules": "zombie", **data["begin"]} if isinstance(data["begin"], dict) else data["begin"]
    with contextlib.suppress(BadInput, EngineError):
        assert read_agreement({**data, "begin": begin}).refusal() is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    what=st.sampled_from(
        ["outlines", "learn", "light", "look", "mend", "lamps", "arrange", "go-on", "keep", "stop"]
    ),
    data=st.dictionaries(st.sampled_from(FIELDS), JSONS | OBJECTS),
)
def test_no_body_breaks_a_step(served: SetTable, what: str, data: dict[str, Any]) -> None:
    does = STEPS[what]

    async def go() -> None:
        with contextlib.suppress(BadInput, EngineError, CalibrationError):
            found = does(served.setup, {"desk": "", "game": "backgammon", **data})
            if inspect.isawaitable(found):
                await found

    served.run(go())


def test_names_are_plain_lines() -> None:
    begin = {"rules": "backgammon", "players": {"white": "<b>Ann</b>\n\u0007 Lee "}}
    change = read_agreement({"begin": begin, "words": {"white": " a\tb ", "red": "no"}})
    assert change.begin is not None
    assert change.begin.players == {"white": "<b>Ann</b> Lee"}
    assert change.words == {"white": "a b"}


def test_every_game_is_offered_with_what_it_begins_with() -> None:
    found = {game["name"]: game for game in list_games()["games"]}
    assert found.keys() == set(rules.names())
    assert [option["choices"] for option in found["zombie"]["options"]] == [[False, True]]
    assert [option["choices"] for option in found["icegammon"]["options"]] == [[None, "white", "black"]]
    assert found["siege-master"]["map"]
    assert not any(layers for cell, layers in found["siegegammon"]["start"].items() if cell.startswith("p"))


def test_a_map_is_told_with_what_is_wrong_with_it() -> None:
    rules = maps.map_rules("siege-master")
    good = maps.describe_map(rules, example_map(12, 10))
    assert (good["reason"], good["pieces"], good["dice"]) == (None, ["border", "fortress.neutral"], False)
    bare = maps.describe_map(rules, dict.fromkeys(example_map(12, 10), ()))
    assert bare["reason"]


def test_a_simulated_table_is_only_set_up_with_measures_that_make_sense(phone: Phone) -> None:
    answer = phone.post("arrange", game="siege-master", what="sample", measures={"cols": 10**9, "rows": 10})
    assert "whole number from 4 to 60" in reason(answer)


def eyes() -> tuple[BoardEyes, Painter]:
    made = BoardEyes()
    made.arrange(boards.get("checkers").set_out, "checkers", {})
    return made, Painter("checkers", 1)


@pytest.fixture(scope="module")
def learned() -> learning.LearnedBoard:
    board, painter = eyes()
    image = board.still()
    assert image is not None
    return learning.learn(
        image, "checkers", "backgammon", painter.corners, painter.geometry, lambda part, words: None
    )


def test_what_was_learned_is_told_and_kept_with_the_one_before(
    tmp_path: Path, learned: learning.LearnedBoard
) -> None:
    told = learned.to_json()
    assert told["grade"] in ("good", "fair")
    assert learned.overlay[:2] == b"\xff\xd8"
    path = tmp_path / "table.rig"
    rules = ("backgammon", "nackgammon", "hypergammon")
    for name in rules:
        learning.keep(learned.table, learned.board, name, path)
        assert boards.load(path).rules == name
    assert [(each.why, bool(each.at)) for each in boards.versions(path)] == [("calibrated", True)] * 3
    assert boards.go_back(path).rules == rules[1]
    assert boards.go_back(path).rules == rules[0]
    assert [each.name for each in tmp_path.iterdir()] == ["table.rig"]


def test_calibrations_are_kept_rather_than_what_was_learned_since(
    tmp_path: Path, learned: learning.LearnedBoard
) -> None:
    path = tmp_path / "table.rig"
    for _ in range(2):
        learning.keep(learned.table, learned.board, learned.rules, path)
        for number in range(boards.MOST_VERSIONS):
            boards.save_version(learned.table, path, boards.Version("", f"learned {number}"))
    whys = [each.why for each in boards.versions(path)]
    assert whys == ["calibrated", "calibrated", *(f"learned {n}" for n in range(1, boards.MOST_VERSIONS))]


def test_a_file_that_is_no_calibration_of_such_a_board_stays_beside_it(
    tmp_path: Path, learned: learning.LearnedBoard
) -> None:
    path = tmp_path / "table.rig"
    for there in (b"{", b'{"kind": "hexes"}'):
        path.write_bytes(there)
        learning.keep(learned.table, learned.board, learned.rules, path)
        assert len(boards.versions(path)) == 1
        assert (tmp_path / "table.rig.old").read_bytes() == there


def test_sides_that_were_taken_for_each_other_are_exchanged_before_it_is_kept(
    served: SetTable, phone: Phone, learned: learning.LearnedBoard
) -> None:
    assert phone.post("exchange").status_code == 409
    served.setup.work = LongJob("learn", lambda tell: learned)
    served.setup.work.start()
    served.setup.work.join()
    before = phone.state()["work"]["result"]
    assert phone.post("exchange").status_code == 204
    after = phone.state()["work"]["result"]
    assert after["lead"] == pytest.approx(-before["lead"])
    assert served.setup.learned is not None
    assert served.setup.learned.overlay != learned.overlay
    assert (
        served.setup.learned.table.read(learned.frame).looks["p1"] == ("black",) * 2
    )  # it is the start still
    assert learned.table.read(learned.frame).looks["p1"] == ("black",) * 2
    assert phone.post("exchange").status_code == 204
    assert phone.state()["work"]["result"]["lead"] == pytest.approx(before["lead"])
    phone.post("stop")


def test_what_is_asked_while_sides_are_exchanged_is_done_after_it(
    served: SetTable, phone: Phone, learned: learning.LearnedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.setup.work = LongJob("learn", lambda tell: learned)
    served.setup.work.start()
    served.setup.work.join()
    before = phone.state()["work"]["result"]["lead"]
    exchanged, begun = learning.exchanged, threading.Event()

    def slow(found: learning.LearnedBoard) -> learning.LearnedBoard:
        begun.set()
        time.sleep(0.2)  # the other request comes meanwhile
        return exchanged(found)

    monkeypatch.setattr(learning, "exchanged", slow)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(phone.post, "exchange")
        assert begun.wait(10)
        assert phone.post("exchange").status_code == 204
        assert first.result().status_code == 204
    assert phone.state()["work"]["result"]["lead"] == pytest.approx(before)
    phone.post("stop")


def test_what_is_learned_from_play_meanwhile_takes_the_place_of_no_calibration(
    served: SetTable,
    phone: Phone,
    learned: learning.LearnedBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig, eyes = served.setup._state / "table.rig", served.setup._device.devices.eyes
    learning.keep(learned.table, learned.board, learned.rules, rig)
    eyes.learn(learned.table, "checkers")
    served.setup.work = LongJob("learn", lambda tell: replace(learned, table=learned.table.exchanged()))
    served.setup.work.start()
    served.setup.work.join()
    save, begun = boards.save_version, threading.Event()

    def slow(table: BoardReader, path: Path, version: boards.Version, rules: str | None = None) -> None:
        if version.why != boards.CALIBRATED:
            begun.set()
            time.sleep(0.5)  # somebody touches "keep" meanwhile
        save(table, path, version, rules)

    monkeypatch.setattr(boards, "save_version", slow)
    monkeypatch.setattr(learner, "LEAST", 1)
    monkeypatch.setattr(learner, "EVERY", 1)
    monkeypatch.setattr(learner, "improved", lambda table, shots: learned.table.exchanged())
    teacher = TableLearner(eyes, lambda board: rig, tmp_path, pytest.fail)
    with ThreadPoolExecutor() as pool:
        taught = pool.submit(teacher.take, Shot(0.0, "", learned.frame.image), boards.get("checkers").set_out)
        assert begun.wait(10), taught.exception(1)
        assert phone.post("keep").status_code == 204
        taught.result()
    assert [each.why for each in boards.versions(rig)][-2:] == ["learned from 1 accepted plays", "calibrated"]
    eyes.learn(None, "")
    rig.unlink()


def test_one_touch_takes_back_what_was_learned_from_play(
    served: SetTable, phone: Phone, learned: learning.LearnedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    monkeypatch.setattr(served.setup._device, "learn", lambda table, board: used.append(board))

    def since() -> list[dict[str, str]]:
        return phone.get("/api/setup/games").json()["learned"]["checkers"]

    assert phone.post("go-back", game="backgammon").status_code == 409
    rig = served.setup._state / "table.rig"
    learning.keep(learned.table, learned.board, learned.rules, rig)
    calibrated = phone.get("/api/setup/games").json()["known"]["checkers"]
    assert calibrated == pytest.approx(time.time(), abs=120.0)
    assert since() == []
    assert "no earlier version" in reason(phone.post("go-back", game="backgammon"))
    boards.save_version(learned.table, rig, boards.Version("2026-11-22T20:00Z", "learned"))
    assert since() == [{"at": "2026-11-22T20:00Z", "why": "learned"}]
    found = phone.get("/api/setup/games").json()
    assert found["known"]["checkers"] == calibrated
    assert found["before"]["checkers"]["why"] == "calibrated"
    assert phone.post("go-back", game="backgammon").status_code == 204
    assert since() == []
    assert phone.get("/api/setup/games").json()["before"] == dict.fromkeys(boards.BOARDS)
    assert used == ["checkers"]
    rig.unlink()


def test_the_button_that_the_report_names_is_on_the_page() -> None:
    words = (STATIC / "setup-words.js").read_text()
    assert 'exchange: "Exchange sides"' in words
    assert 'data-word="exchange"' in (STATIC / "setup.html").read_text()
    assert "on the page: Exchange sides" in Quality(lead=0.0).words()[0]


def test_a_power_cut_while_it_is_kept_leaves_a_whole_calibration(
    tmp_path: Path, learned: learning.LearnedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.rig"
    learning.keep(learned.table, learned.board, learned.rules, path)
    before = path.read_bytes()
    steps = [0]

    def cut(place: Path) -> None:
        steps[0] -= 1
        if steps[0] < 0:
            raise OSError(5, "the power went")

    monkeypatch.setattr("firmware.files.sync", cut)
    for survived in range(2):  # before it has its name, and after that
        steps[0] = survived
        with pytest.raises(OSError, match="the power went"):
            learning.keep(learned.table, learned.board, learned.rules, path)
        assert (path.read_bytes() == before) == (survived == 0)
        assert boards.load(path).board == "checkers"


def test_a_picture_of_the_empty_board_is_learned_from_too() -> None:
    board, painter = eyes()
    image = board.still()
    board.arrange(dict.fromkeys(boards.get("checkers").set_out, ()), "checkers", {})
    bare = board.still()
    assert image is not None
    assert bare is not None

    def learn(empty: Image) -> learning.LearnedBoard:
        return learning.learn(
            image,
            "checkers",
            "backgammon",
            painter.corners,
            painter.geometry,
            lambda part, words: None,
            empty,
        )

    assert learn(bare).quality.wrong == ()
    with pytest.raises(CalibrationError, match="another size"):
        learn(bare[:480])


def test_a_second_kind_of_board_has_a_calibration_of_its_own(
    tmp_path: Path, learned: learning.LearnedBoard
) -> None:
    config = parse("")
    assert drivers.rig_path(config, tmp_path, "hexes").name == "table.rig"
    learning.keep(learned.table, learned.board, learned.rules, drivers.rig_path(config, tmp_path, "checkers"))
    assert drivers.rig_path(config, tmp_path, "checkers").name == "table.rig"
    assert drivers.rig_path(config, tmp_path, "hexes").name == "table-hexes.rig"
    assert drivers.load_rig(config, tmp_path, "hexes") is None


def test_work_is_stopped_at_its_next_word_and_finds_nothing() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def does(tell: Tell) -> str:
        tell(0.1, "first")
        begun.set()
        assert go_on.wait(PATIENCE)
        tell(0.5, "second")
        return "found"

    work = LongJob("learn", does)
    work.start()
    assert begun.wait(PATIENCE)
    work.stop()
    go_on.set()
    work.join()
    assert (work.over, work.result, work.refused) == (True, None, None)
    assert work.to_json()["words"] == "first"


def test_work_that_is_refused_says_why() -> None:
    def does(tell: Tell) -> None:
        raise CalibrationError("the board is too dark")

    work = LongJob("learn", does)
    work.start()
    work.join()
    assert work.to_json() == {
        "name": "learn",
        "part": 0.0,
        "words": "",
        "over": True,
        "refused": "the board is too dark",
    }


def test_lamps_that_do_not_fit_the_strip_any_more_count_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "lamps.json").write_text(json.dumps({"brightness": 0.5, "map": {"p1": [60]}}))
    assert load_lamps(parse(""), tmp_path).map == {"p1": (60,)}
    assert load_lamps(parse("[strip]\ncount = 54"), tmp_path).brightness == 1.0
    (tmp_path / "lamps.json").write_text("half a fi")
    assert load_lamps(parse(""), tmp_path).brightness == 1.0


def test_the_empty_board_is_remembered_until_it_is_forgotten_or_one_gets_up(phone: Phone) -> None:
    for on in (True, False, True):
        assert phone.post("bare", on=on).status_code == 204
        assert phone.state()["bare"] is on
    assert phone.post("leave").status_code == 204
    phone.sit()
    assert not phone.state()["bare"]


def test_a_match_begins_by_the_page(served: SetTable, phone: Phone) -> None:
    begin = {
        "rules": "zombie",
        "options": {"last_roll": True},
        "players": {"white": "Ann"},
        "terms": {"length": 0, "beavers": 1},
    }
    assert phone.post("begin", begin=begin, words={"black": "mine"}).status_code == 204
    table = served.session.table
    assert table is not None
    assert (table.rules.name, table.begin.players, table.match.terms.beavers) == (
        "zombie",
        {"white": "Ann"},
        1,
    )
    assert table.seeds == (("black", "mine"),)
    assert phone.get("/api/setup/games").json()["usual"]["options"] == {"last_roll": True}
    assert served.session.state is State.OPENING


def test_a_change_says_beforehand_why_it_cannot_be() -> None:
    assert MatchChange(Begin(t=0, rules="backgammon")).refusal() is None
    assert "cannot begin" in str(MatchChange(Begin(t=0, rules="siege-master")).refusal())


def test_a_damaged_match_hides_no_other_that_can_be_continued(tmp_path: Path) -> None:
    begins = (Begin(t=0, rules="backgammon", players={"white": "Ann"}), Tick(t=1))
    with Journal.open(tmp_path / JOURNAL) as journal:
        for log in ("worse", "bad", "good"):
            for event in begins:
                journal.append(log, "2026-01-02T10:00:00.000Z", event.to_json())
    with contextlib.closing(sqlite3.connect(tmp_path / JOURNAL)) as file:
        file.execute("DROP TRIGGER events_stay")
        file.execute("UPDATE events SET body = '{' WHERE game = 'worse' OR game = 'bad' AND number = 1")
        file.commit()
    setup: Any = SimpleNamespace(open_matches=lambda: ["good", "bad", "worse"])
    api = SetupApi(setup, Keeper(PIN, b"", lambda: 0.0), Archive(tmp_path))
    found = api._archive.read(api._open_matches, list[Json]())
    assert [(each["id"], each["title"], each["players"]) for each in found] == [
        ("bad", "Backgammon", ["Ann", "black"]),
        ("good", "Backgammon", ["Ann", "black"]),
    ]


def test_a_trial_that_nobody_looks_at_ends_by_itself() -> None:
    now = [0.0]
    trial = Trial(drivers.button_wires(parse("")), lambda: now[0])
    trial.hear(Pressed(0, "black", Button.ROLL))
    assert [
        each["heard"]
        for each in trial.buttons((), ())
        if each["side"] == "black" and each["button"] == "roll"
    ] == [1]
    stuck = "the button black done (GPIO 21) is stuck; is it jammed"
    assert [each["fault"] for each in trial.buttons((), (stuck,)) if each["pin"] in (20, 21)] == [None, stuck]
    now[0] += LASTS - 1
    trial.watched()
    now[0] += LASTS - 1
    assert not trial.over
    now[0] += 2
    assert trial.over


def test_a_dimmed_lamp_still_shines() -> None:
    assert dim([(255, 100, 0), OFF], 0.5) == [(128, 50, 0), OFF]
    assert dim([(9, 0, 0)], 0.05) == [(1, 0, 0)]


def test_every_word_of_the_page_stands_in_one_file() -> None:
    html, words = (STATIC / "setup.html").read_text(), (STATIC / "setup-words.js").read_text()
    body = re.sub(r"<noscript>.*?</noscript>", "", html[html.index("<body>") :])
    said = {text.strip() for text in re.sub(r"<[^>]+>", "\n", body).split("\n")} - {""}
    assert said == {"Barpoint", "barpoint pin", "1", "2"}
    assert not re.search(r'(aria-label|title|placeholder|alt)="[^"]', body)
    keys = re.findall(r'data-(?:word|label)="(\w+)"', body)
    assert [key for key in keys if not re.search(rf"\b{key}: ", words)] == []


@pytest.mark.parametrize("field", ["competition", "place", "players"])
def test_half_a_character_is_refused_at_set_up_and_odd_lines_become_plain(field: str) -> None:
    value: Any = {"white": "\ud800"} if field == "players" else "\ud800"
    with pytest.raises(BadInput, match="half of a character"):
        read_agreement({"begin": {"rules": "backgammon", field: value}})
    odd: Any = {"white": "\u202ea\x1bb"} if field == "players" else "\u202ea\x1bb"
    begin = read_agreement({"begin": {"rules": "backgammon", field: odd}}).begin
    assert begin is not None
    assert getattr(begin, field) in ("a b", {"white": "a b"})


def test_no_huge_clock_or_length_is_agreed_on() -> None:
    for odd in ({"terms": {"length": 10**8}}, {"clock": {"reserve": 1e300}}, {"options": {"x": 1e400}}):
        with pytest.raises((BadInput, EngineError)):
            read_agreement({"begin": {"rules": "backgammon", **odd}})


def test_the_guide_refuses_what_it_does_not_know(phone: Phone) -> None:
    phone.post("try", on=False)
    assert phone.post("guide", part="lamps").status_code == 409
    phone.post("try", on=True)
    try:
        assert (
            reason(phone.post("guide", part="dice")) == "part must be one of buttons, lamps, camera, or null"
        )
        assert reason(phone.post("answer", said="yes")) == "nothing was asked"
        assert phone.post("guide", part="lamps").status_code == 204
        assert reason(phone.post("answer", said=["yes"])) == "answer yes or no"
        assert phone.state()["guide"]["asked"]["kind"] == "red"
        assert phone.post("guide", part="camera").status_code == 204
        assert phone.state()["guide"]["seen"] == []
        picture = phone.get("/api/setup/wiring.svg?gpio=5").text
        assert picture.count('class="asked"') == 1
        assert phone.get("/api/setup/wiring.svg?gpio=<b>").status_code in (400, 422)
    finally:
        phone.post("try", on=False)


class Motor:
    """A camera whose lens moves when it is asked to."""

    def __init__(self) -> None:
        self.lens: float | None = 2.0
        self.asked = 0

    def refocus(self) -> None:
        self.asked += 1

    def read(self) -> Any:
        raise AssertionError("the camera's own thread reads it")

    close = read


def test_a_lens_with_a_motor_is_focused_again_when_asked(phone: Phone, served: SetTable) -> None:
    assert phone.state()["lens"] is None
    assert "no motor" in reason(phone.post("focus"))
    served.device.devices.camera = motor = Motor()  # no more of a camera is asked
    try:
        assert phone.state()["lens"] == 2.0
        assert phone.post("focus").status_code == 204
        assert motor.asked == 1
    finally:
        served.device.devices.camera = None
