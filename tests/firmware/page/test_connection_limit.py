"""Crowds, greedy and hostile clients: the table answers, and nobody keeps the others out."""

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest

from firmware.page import server as serving
from firmware.page.connection_limit import OPENED, UNHEARD, ConnectionLimit
from firmware.page.ration import Ration
from firmware.page.server import Server, listen
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from tests.firmware.page.test_reach import TLS
from tests.firmware.sitting_browser import PATIENCE


class Connection:
    def __init__(self) -> None:
        self.ended = False

    def end(self) -> None:
        self.ended = True


def test_when_the_room_is_full_the_greediest_gives_up_its_oldest() -> None:
    limit = ConnectionLimit(4)
    modest, greedy = Connection(), [Connection() for _ in range(6)]
    limit.add("modest", modest)
    for each in greedy:
        limit.add("greedy", each)
    assert not modest.ended
    assert [each.ended for each in greedy] == [True] * 3 + [False] * 3


def test_whoever_goes_makes_room() -> None:
    limit = ConnectionLimit(2)
    guests = [Connection() for _ in range(20)]
    for each in guests:
        limit.add("a", each)
        limit.remove("a", each)
        limit.remove("a", each)  # told twice
    assert not any(each.ended for each in guests)


def test_in_a_flood_each_address_opens_its_share_though_there_is_room() -> None:
    limit = ConnectionLimit(4)
    limit.vouch("player", 0.0)
    calm = sum(limit.admits("crowd", 1.0) for _ in range(OPENED))
    flood = sum(limit.admits(f"greedy {number % 40}", 2.0) for number in range(20 * OPENED))
    assert (calm, flood <= 2 * OPENED) == (OPENED, True)
    assert limit.admits("modest", 2.0)
    assert limit.admits("player", 2.0)


@pytest.mark.skipif(UNHEARD is None, reason="only Linux tells when what is sent does not arrive")
def test_a_phone_that_is_gone_without_a_word_keeps_no_connection() -> None:
    with listen("127.0.0.1", 0, 0) as door:
        door.setblocking(True)
        with socket.create_connection(door.getsockname()), door.accept()[0] as accepted:
            assert UNHEARD is not None
            assert accepted.getsockopt(socket.IPPROTO_TCP, UNHEARD) == 30_000


def test_who_asks_too_often_waits_and_the_others_do_not() -> None:
    pace = Ration(burst=3, per_second=10)
    assert [pace.wait("a", 0.0) for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    assert pace.wait("b", 0.0) == 0
    assert pace.wait("a", 10.0) == 0


def test_a_pace_forgets_the_idlest_and_never_grows() -> None:
    pace = Ration(burst=1, per_second=1, names=2)
    for name in "abc":
        pace.wait(name, 0.0)
    assert [pace.wait(name, 0.0) > 0 for name in "bca"] == [True, True, False]


Attack = Callable[[int], Awaitable[bytes]]


def served(attack: Attack) -> tuple[bytes, dict[str, int]]:
    """What an attack gets for an answer, and what the page says to others while it goes on and after."""

    async def run() -> tuple[bytes, dict[str, int]]:
        hub = Feed()
        hub.publish(json.dumps({"n": 1}))
        async with Server(TablePage(hub, lambda: None), listen("127.0.0.1", 0, 0)) as server:
            port = httpx.URL(server.address).port
            assert port is not None
            attacked = asyncio.create_task(attack(port))
            states = []
            for _ in range(2):
                async with httpx.AsyncClient(base_url=server.address) as client:
                    states.append((await client.get("/api/state")).json())
                got = await asyncio.wait_for(attacked, PATIENCE)
            assert states[0]["n"] == 1
            return got, states[1]

    return asyncio.run(run())


@contextlib.asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


def sends(data: bytes) -> Attack:
    async def attack(port: int) -> bytes:
        async with connected(port) as (reader, writer):
            with contextlib.suppress(ConnectionError):
                writer.write(data)
                await writer.drain()
            try:
                return await reader.read(1000)
            except ConnectionError:
                return b""

    return attack


HEAD = b"GET /api/state HTTP/1.1\r\nHost: table\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\x16\x03\x01" * 50 + b"\r\n\r\n",
        b"\r\n" * 5000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: table\r\n\r\n",
        b"G\xffT / HTTP/1.1\r\nHost: table\r\n\r\n",
        HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
        HEAD + b"".join(b"X%d: y\r\n" % n for n in range(5000)) + b"\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_garbage_breaks_nothing_and_the_page_goes_on(data: bytes) -> None:
    got, state = served(sends(data))
    assert got == b"" or got.startswith((b"HTTP/1.1 2", b"HTTP/1.1 4"))
    assert state["n"] == 1


@pytest.mark.parametrize(
    "path",
    [
        b"/%00",
        b"/static/%00",
        b"/api/games/%00/states",
        b"/%ff%fe",
        b"/..//..//etc/passwd",
        b"/" + b"a" * 8000,
    ],
)
def test_strange_paths_are_not_found(path: bytes) -> None:
    got, _ = served(sends(b"GET " + path + b" HTTP/1.1\r\nHost: table\r\nConnection: close\r\n\r\n"))
    assert got.startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize("data", [b"", b"GET / HT", HEAD, HEAD + b"Connection: keep-alive\r\n\r\nGET / H"])
def test_whoever_does_not_come_to_an_end_with_asking_is_let_go(
    monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(serving, "PATIENCE", 1.0)

    async def attack(port: int) -> bytes:
        async with connected(port) as (reader, writer):
            writer.write(data)
            with contextlib.suppress(ConnectionError):
                while not writer.is_closing():
                    if not await asyncio.wait_for(reader.read(1000), PATIENCE):
                        break
            return b"let go"

    assert served(attack)[0] == b"let go"


def test_whoever_never_finishes_a_tls_handshake_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.page.connection_limit.ROOM", 6)

    async def run() -> int:
        client = ssl.create_default_context(cafile=str(TLS.certificate))
        async with Server(TablePage(Feed(), lambda: None), listen("127.0.0.1", 0, 0), tls=TLS) as server:
            held = [
                await asyncio.open_connection("127.0.0.1", httpx.URL(server.address).port) for _ in range(30)
            ]
            async with httpx.AsyncClient(base_url=server.address, verify=client) as asking:
                status = (await asking.get("/api/state")).status_code
            for _, writer in held:
                writer.close()
            return status

    assert asyncio.run(run()) == 200


def test_a_thousand_connections_of_one_address_leave_room_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware.page.connection_limit.ROOM", 20)

    async def attack(port: int) -> bytes:
        held = []
        for _ in range(60):
            held.append(await asyncio.open_connection("127.0.0.1", port))
            held[-1][1].write(HEAD)
        gone = 0
        for reader, _ in held[:30]:
            with contextlib.suppress(ConnectionError):
                gone += await asyncio.wait_for(reader.read(1), PATIENCE) == b""
        for _, writer in held:
            writer.close()
        return b"%d" % gone

    got, state = served(attack)
    assert int(got) >= 20  # others may have ended with a reset, which counts as gone too
    assert state["n"] == 1
