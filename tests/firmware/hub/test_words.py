"""Messages, chains, codes and names, without a broker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import zlib
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zeroconf.asyncio import AsyncServiceInfo

from engine.clock import Control, Timing
from engine.errors import EngineError
from engine.events import Begin
from firmware.errors import BadInput
from firmware.hub import discovery as discovery_module
from firmware.hub import messages as m
from firmware.hub.asyncapi import text
from firmware.hub.broker_place import PUBLIC, BrokerPlace
from firmware.hub.discovery import SERVICE, Finder, first_open, own_addresses
from firmware.hub.home_assistant import discovery
from firmware.hub.identity import Identity, prove
from firmware.hub.identity_code import Code
from firmware.hub.inbox import fit
from firmware.hub.live import by_name
from firmware.hub.membership import Membership, read_where
from firmware.hub.messages import (
    Assignment,
    BadMessage,
    Entries,
    Hello,
    Line,
    Word,
    good_name,
    read_topic,
    topic,
)
from firmware.hub.outbox import JournalOutbox
from firmware.hub.page.broadcast import GZIP, Piece
from firmware.hub.simulate import MemoryOutbox
from firmware.hub.store import Board
from firmware.hub.table_link import assigned_match
from firmware.record.chain import START, Head, canonical
from firmware.record.journal import Journal
from firmware.settings.config import Config
from tests.firmware.hub_club import written

DOCS = Path(__file__).parents[3] / "docs"


def lines(count: int, seed: int = 1) -> list[Line]:
    outbox = MemoryOutbox()
    written(outbox, "one", count, seed)
    return [
        Line(number=each.number, at=each.at, body=canonical(each.body), digest=each.digest.hex())
        for each in outbox.matches["one"]
    ]


def test_the_hub_hears_of_the_others_where_the_beginning_of_a_match_is_damaged(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        for match in ("bad", "good"):
            journal.append(match, "2026-03-01T18:00:00.000Z", {"event": "begin"})
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.db")) as file:
        file.execute("DROP TRIGGER events_stay")
        file.execute("UPDATE events SET body = '{' WHERE game = 'bad'")
        file.commit()
    outbox = JournalOutbox(tmp_path / "journal.db")
    assert list(asyncio.run(outbox.heads())) == ["good"]
    outbox.close()


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("mqtt://host", BrokerPlace("host", 1883)),
        ("mqtts://[::1]:99", BrokerPlace("::1", 99, trust=PUBLIC)),
        ("mqtt://a%40b:c%3Ad@host:5/", BrokerPlace("host", 5, None, "a@b", "c:d")),
    ],
)
def test_the_address_of_a_broker_is_read(url: str, place: BrokerPlace) -> None:
    assert BrokerPlace.of_url(url) == place


@pytest.mark.parametrize("url", ["", "host:1", "http://host", "mqtt://", "mqtt://host:x", "mqtt://host/a?b"])
def test_what_is_no_address_of_a_broker_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="write it as mqtt://HOST:1883"):
        BrokerPlace.of_url(url)


def test_a_password_that_spoils_an_address_is_not_told() -> None:
    with pytest.raises(BadInput) as refused:
        BrokerPlace.of_url("mqtts://hub:se/cret@host:8883")
    assert "cret" not in str(refused.value)
    assert "write / as %2F" in str(refused.value)


@given(st.lists(st.tuples(st.binary(max_size=300), st.booleans())))
def test_a_packed_stream_is_the_plain_one_whatever_was_missed(
    told: list[tuple[bytes, bool]],
) -> None:
    pieces = [Piece(plain) for plain, mine in told if mine]
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
    plain = unpack.decompress(GZIP + b"".join(each.packed for each in pieces))
    assert plain == b"".join(each.plain for each in pieces)  # all of it, though the stream has not ended


def test_entries_fit_once_in_order_whatever_order_they_come_in() -> None:
    every = lines(9)
    head = START
    for begin, end, new in ((4, 9, 0), (0, 4, 4), (2, 6, 2), (0, 9, 3), (5, 9, 0)):
        fitted = fit("one", head, every[begin:end])
        assert (len(fitted.new), fitted.trouble) == (new, "")
        head = fitted.head
    assert head == Head(8, bytes.fromhex(every[8].digest))


@pytest.mark.parametrize("key", ["body", "at", "digest", "match"])
def test_an_entry_that_was_changed_is_not_taken(key: str) -> None:
    every = lines(5)
    changed = {"body": every[3].body.replace('"t":3', '"t":4'), "at": "2030", "digest": "0" * 64}
    match = "two" if key == "match" else "one"
    if key != "match":
        every[3] = every[3].model_copy(update={key: changed[key]})
    fitted = fit(match, START, every)
    assert len(fitted.new) == (0 if key == "match" else 3)
    assert "is not the one that the hub has, or was changed" in fitted.trouble
    again = fit("one", fit("one", START, lines(5)).head, lines(5, seed=2))
    assert (again.new, "entry 4" in again.trouble) == ((), True)


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"", "Invalid JSON"),
        (b"[]", "entries: Input should be an object"),
        (b'{"v":2,"match":"x","entries":[]}', "another version of the protocol; this program speaks 1"),
        (
            b'{"match":"x","entries":[]}',
            "entries.*at least 1 item",
        ),
        (b'{"match":"a b","entries":[]}', "match"),
        (b'{"match":"x","entries":[{"number":0,"at":"\\u0000","body":"{}","digest":""}]}', "entries.0.at: "),
        (b"x" * (m.LARGEST + 1), "bytes; at most"),
    ],
)
def test_nonsense_is_refused_in_words(payload: bytes, words: str) -> None:
    with pytest.raises(BadMessage, match=words):
        Entries.read(payload)


@pytest.mark.parametrize("kind", [m.Status, m.Hello, m.Call, m.Join])
def test_only_what_may_be_long_is_read_where_it_is(kind: type[m.Message]) -> None:
    with pytest.raises(BadMessage, match=f"{m.SMALL + 1} bytes; at most {m.SMALL}"):
        kind.read(b" " * (m.SMALL + 1))


@pytest.mark.parametrize("number", ["NaN", "1e999", "[-Infinity]"])
def test_a_state_that_no_browser_could_read_is_no_state(number: str) -> None:
    with pytest.raises(BadMessage, match="JSON compliant"):
        m.State.read(f'{{"v":1,"shows":{{"score":{number}}}}}')


def test_what_a_later_program_adds_is_ignored() -> None:
    head = {"match": "x", "number": 3, "digest": "0" * 64, "new": 1}
    assert Hello.read(json.dumps({"v": 1, "heads": [head], "more": True})).heads[0].number == 3


def test_topics_and_names() -> None:
    assert read_topic(topic("club", "Table 1", Word.STATE)) == ("Table 1", Word.STATE)
    for bad in ("barpoint/club/x", "other/club/x/state", "barpoint/club/x/noword"):
        with pytest.raises(BadMessage):
            read_topic(bad)
    assert all(map(good_name, ("Table 1", "Ä", "Tisch-2.b", "x" * 40)))
    assert not any(
        map(good_name, ("", " ", "a/b", "+", "#", "a\n", "hub", "HUB", "join", "x" * 41, "-a", "a "))
    )
    assert sorted(["Table 10", "table 9", "Table"], key=by_name) == ["Table", "table 9", "Table 10"]


def test_the_asyncapi_file_is_that_of_the_classes() -> None:
    assert (DOCS / "hub-asyncapi.json").read_text() == text(), "python -m firmware.hub.asyncapi makes it anew"
    told = json.loads(text())
    for channel in told["channels"].values():
        (message,) = channel["messages"].values()
        assert message["payload"]["$ref"].rpartition("/")[2] in told["components"]["schemas"]
    for found in re.findall(r'"#/components/schemas/(\w+)"', text()):
        assert found in told["components"]["schemas"]


def test_codes_as_people_type_them(tmp_path: Path) -> None:
    identity = Identity.load_or_make(tmp_path)
    board = Board(1, "club", "Table 1", 1)
    code = identity.code(board, "192.168.1.5:1234")
    assert Code.read(str(code)) == code
    typed = f"  {str(code).partition('@')[0].lower().replace('-', ' ').replace('o', '0').replace('i', '1')} "
    assert Code.read(typed) == Code(code.secret, code.digest)
    assert identity.code(Board(1, "club", "Table 1", 2)).secret != code.secret
    assert identity.code(Board(2, "club", "Table 1", 1)).account != code.account
    assert Identity.load_or_make(tmp_path).code(board) == identity.code(board)
    for name in ("hub-key.pem", "hub-secret"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert prove("key") != prove("key")
    for bad in ("", "ABCD", "A" * 23, "A" * 25, "ABCD-1234-9999-ABCD-ABCD-ABCD"):
        with pytest.raises(BadInput, match="is no code"):
            Code.read(bad)


def test_addresses() -> None:
    assert read_where("hub.local") == ("hub.local", 8883)
    assert read_where("192.168.1.5:99") == ("192.168.1.5", 99)
    assert read_where("[fe80::1]:99") == ("fe80::1", 99)
    assert read_where("fe80::1") == ("fe80::1", 8883)
    for bad in ("", "x:", "x:0", "x:70000", "x:y"):
        with pytest.raises(BadInput, match="is no address"):
            read_where(bad)
    assert own_addresses()


def test_of_a_hubs_addresses_the_one_is_taken_that_answers() -> None:
    async def look() -> None:
        server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            assert await first_open(["127.0.0.2", "127.0.0.1"], port) == "127.0.0.1"
        assert await first_open(["127.0.0.2", "127.0.0.1"], port) == "127.0.0.2"  # none answers any more

    asyncio.run(look())


def test_what_somebody_in_the_network_tells_in_no_letters_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = AsyncServiceInfo(
        SERVICE,
        f"x.{SERVICE}",
        port=9,
        properties={b"\xff": None, b"hub": b"h1", b"event": b"\xff"},
        parsed_addresses=["192.0.2.1"],
    )
    monkeypatch.setattr(odd, "async_request", AsyncMock(return_value=True))
    monkeypatch.setattr(discovery_module, "AsyncServiceInfo", lambda *_: odd)
    monkeypatch.setattr(discovery_module, "first_open", AsyncMock(return_value="192.0.2.1"))
    finder = Finder("h1")
    asyncio.run(finder._ask(MagicMock(), odd.name))
    assert finder.found == ("192.0.2.1", 9)
    assert finder.every[odd.name].event == "\ufffd"


def test_a_membership_is_private_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    assert Membership.load(tmp_path) is None
    member = Membership(
        event="club",
        table="Table 1",
        hub="h",
        host="x",
        port=1,
        account="table-1",
        key="k",
        trust="",
        hidden=("m",),
    )
    member.save(tmp_path)
    assert Membership.load(tmp_path) == member
    assert (tmp_path / "hub.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "hub.json").write_text("{")
    with pytest.raises(BadInput, match="'barpoint hub join CODE' writes it anew"):
        Membership.load(tmp_path)


def test_the_directors_match_is_the_tables_own_but_for_what_he_says() -> None:
    usual = Config().begin(3.0)
    given = Assignment(
        id="r1-t4",
        players=("Ada", "Ben"),
        length=9,
        clock=Control(Timing.DELAY, reserve=600.0).to_json(),
        competition="Open",
        place="round 1, table 4",
    )
    wanted = assigned_match(usual, given)
    assert (dict(wanted.players), wanted.terms.length) == ({"white": "Ada", "black": "Ben"}, 9)
    assert (wanted.clock.reserve, wanted.competition, wanted.place) == (600.0, "Open", "round 1, table 4")
    assert (wanted.moves, wanted.dice, wanted.t) == (usual.moves, usual.dice, 3.0)
    assert isinstance(assigned_match(usual, Assignment(id="x")), Begin)
    with pytest.raises(EngineError):
        assigned_match(usual, Assignment(id="x", rules="chess"))


def test_home_assistant_finds_each_table() -> None:
    told = discovery("h1", "club", "Table 1")
    assert [address.split("/")[1] for address in told] == ["binary_sensor", "sensor"]
    there, shown = (json.loads(each) for each in told.values())
    assert there["state_topic"] == "barpoint/club/Table 1/status"
    assert there["unique_id"] != shown["unique_id"]
    assert there["device"] == shown["device"]
