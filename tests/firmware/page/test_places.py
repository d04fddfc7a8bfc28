"""Places for open streams: whoever has one keeps it, everybody is sure of a few, and nobody is left in the
dark."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial

import httpx
import pytest

from firmware.page import hardened
from firmware.page.access import COOKIE, Keeper
from firmware.page.connection_limit import OPENED, ConnectionLimit
from firmware.page.places import KEPT, OWN, Place, Places
from firmware.page.server import Server, listen
from firmware.page.stream import AGAIN, Feed
from firmware.page.table_page import TablePage
from tests.firmware.page.test_connection_limit import Connection
from tests.firmware.sitting_browser import PATIENCE


class Hall:
    """Places, and how many each address still has."""

    def __init__(self, room: int) -> None:
        self.time = 0.0
        self.places = Places(room, now=lambda: self.time)
        self.held: dict[str, list[Place]] = {}

    def ask(self, who: str, count: int = 1) -> int:
        """How many of so many places it gets."""
        got = 0
        for _ in range(count):
            place = self.places.enter(who, lambda: None)
            if place is not None:
                self.held.setdefault(who, []).append(place)
                place.end = partial(self.held[who].remove, place)
                got += 1
        return got

    def has(self, who: str) -> int:
        return len(self.held.get(who, []))


def test_viewers_behind_one_address_keep_their_places_when_forty_addresses_want_everything() -> None:
    hall = Hall(320)
    assert hall.ask("router", 150) == 150
    for _ in range(20):
        for number in range(40):
            hall.ask(f"greedy {number}", 5)
    assert hall.has("router") > 120
    assert all(hall.has(f"greedy {number}") >= OWN for number in range(40))


def test_whoever_comes_last_is_sure_of_a_few_places() -> None:
    hall = Hall(320)
    for _ in range(20):
        for number in range(40):
            hall.ask(f"greedy {number}", 5)
    assert hall.ask("router", 200) == OWN
    assert hall.ask("somebody", 1) == 1


def test_nobody_keeps_more_than_half_while_others_want_some() -> None:
    hall = Hall(40)
    assert hall.ask("first", 40) == 40
    assert hall.ask("second", 40) == 20
    assert hall.has("first") == 20


def test_a_place_is_kept_for_a_phone_that_sleeps_for_a_minute() -> None:
    hall = Hall(60)
    for who in ("router", "greedy", "other"):
        hall.ask(who, 20)
    hall.places.leave(hall.held["router"].pop())
    assert hall.ask("greedy") == 0
    assert hall.ask("router") == 1
    hall.places.leave(hall.held["router"].pop())
    hall.time += KEPT + 1
    assert hall.ask("greedy") == 1
    assert hall.ask("router") == 0


def test_a_place_that_was_left_twice_is_one() -> None:
    hall = Hall(2)
    hall.ask("a", 2)
    (place, _) = hall.held["a"]
    hall.places.leave(place)
    hall.places.leave(place)
    hall.time += KEPT + 1
    assert hall.ask("b", 3) == 1


def test_followers_keep_their_connections_and_the_rest_share_what_is_left() -> None:
    limit = ConnectionLimit(6)
    followers, silent = [Connection() for _ in range(3)], [Connection() for _ in range(9)]
    for each in followers:
        limit.add("router", each)
        limit.follows("router", each, True)
    for number, each in enumerate(silent):
        limit.add(f"greedy {number % 3}", each)
    assert not any(each.ended for each in followers)
    assert sum(not each.ended for each in silent) == 3
    for each in followers:
        limit.follows("router", each, False)
    limit.add("somebody", Connection())
    assert followers[0].ended  # who does not follow any more counts like all others


def test_who_opens_connections_without_end_is_turned_away_unless_a_player_is_there() -> None:
    limit = ConnectionLimit(1)
    limit.add("a", Connection())
    assert all(limit.admits("a", 5.0) for _ in range(OPENED))
    assert not limit.admits("a", 5.9)
    assert limit.admits("b", 5.9)
    assert limit.admits("a", 6.0)
    limit.vouch("a", 0.0)
    assert all(limit.admits("a", 7.0) for _ in range(2 * OPENED))


def test_connections_from_a_players_address_are_ended_last() -> None:
    limit = ConnectionLimit(12)
    limit.vouch("player", 0.0)
    theirs = [Connection() for _ in range(4)]
    for each in theirs:
        limit.add("player", each, 1.0)
    for number in range(40):
        limit.add(f"greedy {number}", Connection(), 1.0)  # each has fewer
    assert not any(each.ended for each in theirs)
    for _ in range(8):
        theirs.append(Connection())
        limit.add("player", theirs[-1], 1.0)
    assert sum(not each.ended for each in theirs) < 12  # but not without end


@contextlib.asynccontextmanager
async def streaming(server: Server, cookie: str = "") -> AsyncIterator[AsyncIterator[str]]:
    async with (
        httpx.AsyncClient(base_url=server.address, timeout=PATIENCE) as client,
        client.stream("GET", "/api/events", headers={"cookie": cookie} if cookie else {}) as response,
    ):
        yield response.aiter_lines()


async def until(lines: AsyncIterator[str], holds: Callable[[str], bool]) -> list[str]:
    """The lines up to one."""
    found = []
    async for line in lines:
        found.append(line)
        if holds(line):
            return found
    return [*found, "the end"]


def test_whoever_gets_no_place_sees_the_present_state_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware.page.connection_limit.ROOM", 12)  # 8 places for viewers
    keeper = Keeper("271828", b"key", lambda: 0.0)

    async def run() -> tuple[list[str], list[str]]:
        hub = Feed()
        hub.publish('{"n": 1, "actions": {}}', lambda *_: '{"n": 1}')
        async with (
            Server(TablePage(hub, lambda: None, keeper), listen("127.0.0.1", 0, 0)) as server,
            contextlib.AsyncExitStack() as stack,
        ):
            there = [await stack.enter_async_context(streaming(server)) for _ in range(8)]
            for lines in there:
                await until(lines, lambda line: line.startswith('data: {"age"'))
            async with streaming(server) as crowded:
                told = await until(crowded, lambda line: False)
            cookie = f"{COOKIE}={keeper.enter('271828', 'x')}"
            async with streaming(server, cookie) as player:
                return told, await until(player, lambda line: "actions" in line)

    told, player = asyncio.run(run())
    assert f"retry: {AGAIN}" in told
    assert "event: crowded" in told
    assert any('"n": 1' in line for line in told)
    assert told[-1] == "the end"
    assert "actions" in player[-1]


def test_a_stream_whose_pin_is_revoked_shows_the_spectators_view_at_once_and_ends() -> None:
    keeper = Keeper("271828", b"key", lambda: 0.0)

    async def run() -> list[str]:
        hub = Feed()
        hub.publish('{"n": 1, "actions": {}}', lambda *_: '{"n": 1}')
        async with Server(TablePage(hub, lambda: None, keeper), listen("127.0.0.1", 0, 0)) as server:
            cookie = str(keeper.enter("271828", "x"))
            async with streaming(server, f"{COOKIE}={cookie}") as lines:
                await until(lines, lambda line: "actions" in line)
                keeper.leave(cookie)
                return await asyncio.wait_for(until(lines, lambda line: False), 3)

    left = [line for line in asyncio.run(run()) if line.startswith("data")]
    assert len(left) == 1
    assert '"n": 1' in left[0]
    assert "actions" not in left[0]


def test_a_client_that_takes_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardened, "DEAF", 0.5)

    async def run() -> bool:
        hub = Feed()
        async with Server(TablePage(hub, lambda: None), listen("127.0.0.1", 0, 0)) as server:
            port = httpx.URL(server.address).port
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**10)
            writer.write(b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n")
            await reader.readline()
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a read transport too
            try:
                async with asyncio.timeout(PATIENCE):
                    number = 0
                    while hub.followers:
                        number += 1
                        hub.publish(f'{{"n": {number}, "fill": "{"x" * 10**6}"}}')
                        await asyncio.sleep(0.05)
            finally:
                writer.transport.abort()
            return True

    assert asyncio.run(run())
