"""The page: what it serves, to whom, and that never can hold it up."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import httpx
import numpy as np
import pytest

from engine.clock import Control, Penalty, Timing
from engine.events import Begin, Button, Choose, DiceFrom, Press, Roll, Tick
from engine.evidence import Evidence
from engine.match import Terms
from engine.rules import get
from engine.session import Session
from engine.words import scored
from firmware.errors import BadInput
from firmware.page.app import application
from firmware.page.assets import PICTURES, STATIC, assets_of
from firmware.page.publisher import PagePublisher
from firmware.page.server import Server, listen
from firmware.page.state import page_state
from firmware.page.stream import HERE, Feed, events, never
from firmware.page.table_page import Picture, TablePage
from firmware.table.news import News
from hardware.protocols import Frame
from tests.firmware.sitting_browser import PATIENCE

FILES = f"/static/{assets_of().version}/"


@pytest.fixture
def hub() -> Feed:
    return Feed(now=lambda: 0.0)


class Client:
    """Asks the application without a network."""

    def __init__(self, hub: Feed, picture: Picture = lambda: None) -> None:
        self._app = application(TablePage(hub, picture))

    def ask(self, method: str, path: str) -> httpx.Response:
        async def go() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self._app), base_url="http://table"
            ) as client:
                return await client.request(method, path)

        return asyncio.run(go())

    def get(self, path: str) -> httpx.Response:
        return self.ask("GET", path)


@pytest.fixture
def client(hub: Feed) -> Client:
    return Client(hub)


class Now:
    """A loop that does at once what it is asked to do."""

    def call_soon_threadsafe(self, does: Callable[..., object], *told: object) -> None:
        does(*told)


def test_the_state_says_whether_the_board_is_at_rest(hub: Feed) -> None:
    publisher = PagePublisher(hub, cast(asyncio.AbstractEventLoop, Now()))
    session, _ = Session().handle(Begin(t=0, rules="backgammon"))
    number = iter(range(9))

    def shows(**what: bool) -> bool:
        frame = Frame(next(number), "f", np.zeros((1, 1, 3), np.uint8))
        publisher(News(frame.t, session, frame=frame, **what))
        return bool(json.loads(hub.text())["moving"])

    assert [shows(), shows(moving=True), shows(moving=True), shows()] == [False, True, True, False]
    assert shows(moving=True)
    publisher(News(9, session, Tick(t=9)))
    assert json.loads(hub.text())["moving"], "what happens at the table meanwhile says nothing of the board"
    publisher.begin_match("", get("backgammon"), [])
    publisher(News(10, session, Tick(t=10)))
    assert not json.loads(hub.text())["moving"]


def test_every_answer_forbids_whatever_is_not_ours(client: Client) -> None:
    for path in ("/", FILES + "page.js", "/api/state", "/camera.jpg", "/nothing"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_the_page_asks_never_else_for_anything() -> None:
    for file in STATIC.iterdir():
        if file.suffix in PICTURES:
            continue
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http" not in text, file
        assert "//" not in text.replace("// ", "").replace("//\n", ""), file


@pytest.mark.parametrize("page", ["/", "/setup"])
def test_a_page_and_all_it_loads_stay_small(client: Client, page: str) -> None:
    names = re.findall(rf'(?:src|rel="stylesheet" href)="({re.escape(FILES)}[\w.-]+)"', client.get(page).text)
    assert any(name.endswith(".js") for name in names)
    packed = sum(int(client.get(name).headers["content-length"]) for name in {page, *names})
    assert packed < 60_000, "as browsers ask for it"


def test_the_newest_state_is_there_for_whoever_asks(client: Client, hub: Feed) -> None:
    hub.publish('{"phase": "one"}')
    hub.publish('{"phase": "two"}')
    assert client.get("/api/state").json() == {"age": 0, "phase": "two"}


def test_there_is_no_picture_before_the_first_and_a_jpeg_after(hub: Feed) -> None:
    pictures: list[bytes | None] = [None, b"\xff\xd8picture"]
    client = Client(hub, lambda: pictures.pop(0))
    assert client.get("/camera.jpg").status_code == 204
    assert client.get("/camera.jpg").content == b"\xff\xd8picture"


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", FILES + "%2e%2e/app.py", FILES + "..%2fapp.py", FILES + "/etc/passwd", FILES],
)
def test_files_outside_the_static_folder_are_not_served(client: Client, path: str) -> None:
    assert client.get(path).status_code in (404, 405)


def test_looking_on_changes_nothing(client: Client) -> None:
    for path in ("/", "/api/state", "/api/events", "/camera.jpg"):
        assert client.ask("POST", path).status_code == 405


def test_those_at_the_table_hear_of_a_judgement_before_all_who_look_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware.page.stream.HEAD_START", 3600.0)

    async def run() -> None:
        hub = Feed()
        player, spectator = hub.follow(), hub.follow(never)
        hub.publish('{"n": 1}')
        await asyncio.gather(anext(player), anext(spectator))
        later = asyncio.create_task(collect(spectator, 1))
        sooner = asyncio.create_task(collect(player, 1))
        await asyncio.sleep(0.01)  # both wait for news
        hub.publish('{"n": 2}')
        (told,) = await sooner
        assert '"n": 2' in told
        await asyncio.sleep(0.01)
        assert not later.done()
        later.cancel()

    asyncio.run(run())


async def collect(source: AsyncIterator[str], count: int) -> list[str]:
    return [await asyncio.wait_for(anext(source), PATIENCE) for _ in range(count)]


def test_a_late_joiner_gets_the_present_state_at_once_and_how_old_it_is() -> None:
    now = 100.0
    hub = Feed(now=lambda: now)

    async def run() -> list[str]:
        nonlocal now
        hub.publish('{"n": 1}')
        hub.publish('{"n": 2}')
        now += 61.5
        return await collect(events(hub, "v1"), 2)

    assert asyncio.run(run()) == [
        "retry: 1000\nevent: version\ndata: v1\n\n",
        'id: 2\ndata: {"age": 61.50, "n": 2}\n\n',
    ]


def test_spectators_get_what_they_need_and_a_new_picture_does_not_send_the_state_again(hub: Feed) -> None:
    async def run() -> tuple[list[str], list[str]]:
        hub.publish('{"n": 1, "actions": {}}', lambda *_: '{"n": 1}')
        player, spectator = hub.follow(), hub.follow(never)
        seen = await collect(player, 1), await collect(spectator, 1)
        hub.picture(7)
        return seen[0] + await collect(player, 1), seen[1] + await collect(spectator, 1)

    player, spectator = asyncio.run(run())
    assert player == ['id: 1\ndata: {"age": 0.00, "n": 1, "actions": {}}\n\n', "event: picture\ndata: 7\n\n"]
    assert spectator == ['id: 1\ndata: {"age": 0.00, "n": 1}\n\n', "event: picture\ndata: 7\n\n"]


def test_a_slow_reader_skips_to_the_newest_state_and_nothing_queues_up(hub: Feed) -> None:
    async def run() -> list[str]:
        stream = hub.follow()
        hub.publish('{"n": 1}')
        got = await collect(stream, 1)
        for number in range(2, 1000):
            hub.publish(json.dumps({"n": number}))
        return got + await collect(stream, 1)

    assert [json.loads(line.split("data: ")[1])["n"] for line in asyncio.run(run())] == [1, 999]


def test_a_quiet_line_is_kept_alive(hub: Feed) -> None:
    async def run() -> list[str]:
        return await collect(hub.follow(beat=0.01), 1)

    assert asyncio.run(run()) == [HERE]


def test_closing_the_hub_ends_every_stream(hub: Feed) -> None:
    async def run() -> list[str]:
        async def all_of() -> list[str]:
            return [news async for news in hub.follow()]

        follower = asyncio.create_task(all_of())
        await asyncio.sleep(0)
        hub.publish('{"n": 1}')
        hub.close()
        return await asyncio.wait_for(follower, PATIENCE)

    assert len(asyncio.run(run())) <= 1


def test_a_client_that_never_reads_holds_up_neither_the_others_nor_the_end(hub: Feed) -> None:
    async def run() -> list[str]:
        big = json.dumps({"filler": "x" * 200_000})
        async with Server(TablePage(hub, lambda: None), listen("127.0.0.1", 0, 0)) as server:
            port = httpx.URL(server.address).port
            assert port is not None
            _, deaf = await asyncio.open_connection("127.0.0.1", port)
            deaf.write(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
            await deaf.drain()
            async with (
                httpx.AsyncClient(base_url=server.address) as client,
                client.stream("GET", "/api/events") as stream,
            ):
                lines = stream.aiter_lines()
                seen = []
                for number in range(50):
                    hub.publish(big if number % 2 else json.dumps({"n": number}))
                    while not (line := await asyncio.wait_for(anext(lines), PATIENCE)).startswith("id: "):
                        pass
                    seen.append(line)
            deaf.close()
        return seen

    assert asyncio.run(run())[-1] == "id: 50"


def test_a_port_that_is_taken_is_said_so_and_the_usual_one_gives_way() -> None:
    with listen("127.0.0.1", 0, 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match="choose another --port"):
            listen("127.0.0.1", port, 0)
        with listen("127.0.0.1", None, port) as other:
            assert other.getsockname()[1] != port
    with pytest.raises(BadInput, match=r"192\.0\.2\.9:8080: .*; set host to 0\.0\.0\.0, or"):
        listen("192.0.2.9", 8080, 8080)


def test_the_state_names_every_cell_and_says_whose_turn_it_is() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", players={"white": "<b>Ann</b>"}))
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side="white"))
    state = page_state(session, 1, [])
    assert set(state["cells"]) == set(get("backgammon").start({}).looks())
    assert (state["turn"], state["dice"], state["players"]["white"]) == ("white", [6, 1], "<b>Ann</b>")
    assert state["phase"] == "<b>Ann</b> must play and press done"
    assert json.loads(json.dumps(state)) == state


def test_a_foul_is_told_with_its_cells_and_its_reason() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon"))
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side="white"))
    assert session.position is not None
    seen = Evidence.certain(dict(session.position.looks()) | {"p24": ("white",), "p23": ("white",)})
    session, _ = session.handle(Press(t=2, button=Button.DONE, side="white", evidence=seen))
    told = page_state(session, 2, [])["judgement"]
    assert (told["verdict"], told["title"]) == ("illegal", "Not legal: white, 6-1")
    assert told["cells"]
    assert "legal" in told["text"]


def test_a_loss_without_a_play_is_told_with_its_reason() -> None:
    rows = ([3, 3], [3, 3], [3, 2], [2, 2], [2, 2], [1, 1, 1, 1, 1])
    hand = {"white": [size for size in (1, 2, 3) for _ in range(5)], "black": []}
    blocked = {
        "turn": "white",
        "points": {str(19 + n): [["black", sizes]] for n, sizes in enumerate(rows)},
        "hand": hand,
    }
    session, _ = Session().handle(
        Begin(t=0, rules="icegammon", players={"black": "Bob"}, position={"rules": "icegammon", **blocked})
    )
    session, _ = session.handle(Roll(t=1, dice=(1, 2, 3)))
    assert re.fullmatch(
        r"Bob wins: [a-z ]+, \d points; white has lost: no choice of the dice.*",
        page_state(session, 1, [])["phase"],
    )


def test_a_match_that_is_won_by_points_for_time_is_told_as_won() -> None:
    clock = Control(kind=Timing.DELAY, reserve=60.0, penalty=Penalty.POINTS)
    begin = Begin(t=0, rules="backgammon", players={"black": "Bob"}, terms=Terms(length=1), clock=clock)
    session, _ = Session().handle(begin)
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side="white"))
    session, _ = session.handle(Tick(t=999))
    assert page_state(session, 999, [])["phase"] == "Bob wins the match 1–0"


def test_where_the_dice_are_picked_up_nobody_is_told_to_press_done() -> None:
    begin = Begin(t=0, rules="backgammon", players={"white": "Ann"}, dice=DiceFrom.INFERRED)
    session, _ = Session().handle(begin)
    session, _ = session.handle(Roll(t=1, dice=(4, 2)))
    told = page_state(session, 1, [], hands_free=True)
    assert (told["phase"], told["waits"]) == ("Ann must play and pick the dice up", "play by dice")
    told = page_state(session, 1, [])
    assert (told["phase"], told["waits"]) == ("Ann must play and press done", "play")
    stuck = {"turn": "white", "points": {"21": -2, "23": -2, "24": 1}}
    session, _ = Session().handle(replace(begin, position={"rules": "backgammon", **stuck}))
    session, _ = session.handle(Roll(t=1, dice=(3, 1)))
    told = page_state(session, 1, [], hands_free=True)
    assert (told["phase"], told["waits"]) == ("Ann cannot move, and must pick the dice up", "stuck by dice")


def test_dice_that_nobody_saw_are_not_shown_and_who_is_closed_out_is_told() -> None:
    held = {"turn": "black", "points": {**dict.fromkeys("123456", 2), "8": 3, "19": -14}, "bar": [0, 1]}
    position = {"rules": "backgammon", **held, "off": [0, 0]}
    begin = Begin(t=0, rules="backgammon", position=position, dice=DiceFrom.INFERRED)
    session, _ = Session().handle(begin)
    assert page_state(session, 1, [])["waits"] == "closed out"
    session, _ = session.handle(Press(t=1, button=Button.DOUBLE, side="white"))
    told = page_state(session, 1, [])
    assert (told["moves"][0]["dice"], told["moves"][0]["text"]) == ([], "cannot move")
    assert (told["judgement"]["title"], told["judgement"]["dice"]) == ("Legal: black", [])


def test_a_play_that_fits_other_dice_than_the_camera_read_is_shown_with_its_board() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", dice=DiceFrom.INFERRED))
    session, _ = session.handle(Roll(t=1, dice=(6, 3), side="white", read=0.995))
    assert session.table is not None
    assert session.table.unrolled is not None
    after = session.table.unrolled.position.roll((6, 4)).find("24/18 13/9").after
    done = Press(t=2, button=Button.DONE, side="white", evidence=Evidence.certain(after.looks()))
    session, _ = session.handle(done)
    [asked] = page_state(session, 2, [])["candidates"]
    assert (asked["play"], asked["cells"]["p9"]) == ("64: 24/18 13/9", [["white"]])


def test_plays_that_nobody_named_dice_for_are_shown_with_their_boards() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", dice=DiceFrom.INFERRED))
    session, _ = session.handle(Choose(t=1, play="31: 8/5 6/5", side="white"))
    assert session.position is not None
    little = Evidence.certain({"p5": session.position.looks()["p5"]})
    session, _ = session.handle(Press(t=2, button=Button.DONE, side="black", evidence=little))
    asked = page_state(session, 2, [])["candidates"]
    assert len(asked) == 8
    assert all(each["play"][2:4] == ": " and "p5" in each["cells"] for each in asked)


def test_a_play_that_the_players_said_keeps_its_letters() -> None:
    session, _ = Session().handle(Begin(t=0, rules="icegammon", options={"first": "white"}))
    session, _ = session.handle(Roll(t=1, dice=(4, 2, 1)))
    session, _ = session.handle(Choose(t=2, play="handS/21 handS/23"))
    told = page_state(session, 2, [])["judgement"]
    assert told["text"] == "handS/21 handS/23, as the players say"


def test_a_win_of_a_game_without_grades_is_told_by_its_points() -> None:
    assert scored("win", 1) == "1 point"
    assert scored("gammon", 2) == "gammon, 2 points"


def test_a_table_without_a_match_has_a_state_too() -> None:
    assert page_state(Session(), 0, []) == {"phase": "No match has begun"}


USING = (".html", ".js", ".webmanifest")
"""Files that name others."""


def test_the_static_files_are_all_used() -> None:
    text = "".join(file.read_text() for file in STATIC.iterdir() if file.suffix in USING)
    for file in STATIC.iterdir():
        assert file.name in text or file.suffix == ".html"


def test_the_icon_and_the_styles_are_where_the_page_looks_for_them(client: Client) -> None:
    for file in Path(STATIC).iterdir():
        assert client.get(f"{FILES}{file.name}").status_code == 200


def test_who_types_an_address_that_there_is_not_gets_a_page_with_the_way_back(hub: Feed) -> None:
    app = application(TablePage(hub, lambda: None))

    async def ask(method: str, accept: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table") as client:
            return await client.request(method, "/setpu", headers={"Accept": accept})

    person = asyncio.run(ask("GET", "text/html,application/xhtml+xml,*/*;q=0.8"))
    assert person.status_code == 404
    assert person.headers["content-type"].startswith("text/html")
    assert 'href="/"' in person.text
    assert "/static/style.css" not in person.text, "files are named with their version"
    for method, accept in (("GET", "*/*"), ("GET", "application/json"), ("POST", "text/html")):
        program = asyncio.run(ask(method, accept))
        assert (program.status_code, program.headers["content-type"]) == (404, "application/json"), (
            method,
            accept,
        )


def fouled(side: str = "black") -> Session:
    """Black has played 8/3 with 6-1 at the opening."""
    players = {"white": "Anna", "black": "Björn"}
    session, _ = Session().handle(Begin(t=0, rules="backgammon", players=players))
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side=side, opening=True))
    assert session.position is not None
    seen = {**session.position.looks(), "p17": ("black",) * 2, "p22": ("black",)}
    session, _ = session.handle(Press(t=2, button=Button.DONE, side=side, evidence=Evidence.certain(seen)))
    return session


def test_points_have_the_movers_numbers_and_a_foul_is_shown_as_it_was_and_as_it_is() -> None:
    state = page_state(fouled(), 2, [])
    assert state["judgement"]["title"] == "Not legal: Björn, 6-1"
    assert state["judgement"]["text"].startswith("Björn left 8, came to 3.")
    labels = state["labels"][state["counts"]]
    assert state["counts"] == "black"
    assert [labels[int(cell[1:]) - 1] for cell in ("p17", "p22", "p24", "p1")] == ["8", "3", "1", "24"]
    assert state["cells"]["p17"] == [["black"] * 3], "the board is as it was"
    assert state["ghosts"] == {"p17": ["black"] * 2, "p22": ["black"]}


def test_a_judgement_leaves_with_the_next_dice_and_so_do_its_numbers() -> None:
    session, _ = fouled().handle(Choose(t=3, play="13/7 8/7", side="black"))
    state = page_state(session, 3, [])
    assert (state["counts"], state["judgement"]["verdict"], state["ghosts"]) == ("black", "legal", {})
    assert set(state["touched"]) == {"p12", "p17", "p18"}
    session, _ = session.handle(Roll(t=4, dice=(5, 2)))
    state = page_state(session, 4, [])
    assert (state["counts"], state["judgement"]) == ("white", None)
    assert state["news"] == [{"kind": "roll", "words": "Anna rolls 5-2"}]


def test_an_offered_cube_has_its_new_number_and_who_must_answer() -> None:
    session, _ = fouled().handle(Choose(t=3, play="13/7 8/7", side="black"))
    session, _ = session.handle(Press(t=4, button=Button.DOUBLE))
    state = page_state(session, 4, [])
    assert state["cube"] == {"value": 1, "owner": None, "offer": {"to": "black", "value": 2}}
    assert state["phase"] == "Björn must take or drop"
    assert state["story"] == [{"kind": "double", "side": "white", "words": "Anna doubles to 2", "after": 1}]


def test_a_won_match_is_told_with_its_score() -> None:
    session, _ = Session().handle(
        Begin(t=0, rules="backgammon", players={"black": "Björn"}, terms=Terms(length=2))
    )
    session, _ = session.handle(Press(t=1, button=Button.RESIGN, side="white", grade="gammon"))
    session, _ = session.handle(Press(t=2, button=Button.TAKE, side="black"))
    assert page_state(session, 2, [])["phase"] == "Björn wins the match 2–0"
