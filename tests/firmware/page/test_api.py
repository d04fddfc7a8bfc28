"""The API is what its own OpenAPI description says: whatever is asked, the answer is one of those listed, and
never a fault of ours."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IllegalEvent
from engine.events import Begin, Event
from engine.session import Session
from firmware.page.access import COOKIE, Keeper
from firmware.page.app import application
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from tests.firmware.page.test_archive import log

ENDLESS = "/api/events"


class Open(Keeper):
    """A keeper who counts nothing, so that every try is heard."""

    def __init__(self) -> None:
        super().__init__("271828", b"key", lambda: 0.0)

    def acts(self, who: str) -> None:
        pass


class Api:
    """Everything that a table serves, a match at it and two in the archive."""

    def __init__(self, directory: Path) -> None:
        log(directory, "a")
        log(directory, "b", events=(Begin(t=0, rules="siege-master"),))
        self.keeper = Open()
        self.session, _ = Session().handle(Begin(t=0, rules="backgammon"))
        hub = Feed()
        hub.publish('{"phase": "x"}')
        self.app = application(TablePage(hub, lambda: b"\xff\xd8", self.keeper, self._act, directory))
        self.description = self.ask("GET", "/openapi.json").json()

    async def _act(self, event: Event, seen: int | None = None) -> str | None:
        try:
            self.session, _ = self.session.handle(event)
        except IllegalEvent as error:
            return str(error)
        return None

    def ask(self, method: str, path: str, content: bytes | None = None, **headers: str) -> httpx.Response:
        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)  # a fault of ours is raised here
            async with httpx.AsyncClient(
                transport=transport, base_url="http://table", headers=headers
            ) as client:
                return await client.request(method, path, content=content)

        return asyncio.run(go())

    def cookie(self) -> str:
        return f"{COOKIE}={self.keeper.enter(self.keeper.invitation, 'here')}"

    def operations(self) -> list[tuple[str, str]]:
        return [
            (method.upper(), path)
            for path, item in self.description["paths"].items()
            for method in item
            if path != ENDLESS
        ]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Api:
    return Api(tmp_path_factory.mktemp("state"))


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
KEYS = [
    "event",
    "button",
    "side",
    "dice",
    "play",
    "position",
    "score",
    "cube",
    "owner",
    "grade",
    "options",
    "opening",
    "pin",
]
WORDS = st.sampled_from(
    [
        "press",
        "roll",
        "choose",
        "condone",
        "correct",
        "next",
        "done",
        "white",
        "black",
        [6, 1],
        {"points": {}},
    ]
)
BODIES = st.binary(max_size=20) | st.dictionaries(st.sampled_from(KEYS), WORDS | JSONS).map(
    lambda data: json.dumps(data).encode()
)
NAMES = st.sampled_from(["a", "b", "mat", "sgf", "json"]) | st.text(
    st.characters(blacklist_characters="/?#\\"), min_size=1, max_size=8
)


@given(st.data())
def test_every_answer_is_one_of_those_described(api: Api, data: st.DataObject) -> None:
    method, template = data.draw(st.sampled_from(api.operations()))
    path = re.sub(
        r"{\w+}", lambda _: quote(data.draw(NAMES).encode("utf-8", "surrogatepass"), safe=""), template
    )
    headers = {
        "content-type": data.draw(st.sampled_from(["application/json", "application/json", "text/plain"]))
    }
    headers |= data.draw(
        st.sampled_from(
            [{}, {"cookie": api.cookie()}, {"origin": "http://evil.example"}, {"host": "evil.example"}]
        )
    )
    got = api.ask(method, path, data.draw(BODIES) if method in ("POST", "PUT") else None, **headers)
    if path.count("/") != template.count("/") or got.status_code == 405:
        return  # a name that means another path
    described = api.description["paths"][template][method.lower()]["responses"]
    assert str(got.status_code) in described, (method, path, got.text)
    if got.status_code >= 400:
        assert isinstance(got.json()["reason"], str)
    elif got.status_code != 204:
        assert got.headers["content-type"].partition(";")[0] in described["200"]["content"]


def test_every_operation_lists_what_it_refuses(api: Api) -> None:
    for method, path in api.operations():
        statuses: dict[str, Any] = api.description["paths"][path][method.lower()]["responses"]
        assert "421" in statuses, (method, path)
        if method != "GET":
            assert "403" in statuses, (method, path)


def test_what_does_not_exist_is_refused_like_everything_else(api: Api) -> None:
    assert api.ask("GET", "/api/nothing").json() == {"reason": "there is nothing here"}
    assert api.ask("PATCH", "/api/state").json() == {"reason": "this cannot be done here"}
    long = api.ask("GET", f"/api/history?player={'x' * 300}")
    assert (long.status_code, long.json()) == (
        422,
        {"reason": "player: String should have at most 200 characters"},
    )
