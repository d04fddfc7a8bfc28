"""Tables, a real broker and a hub: whatever happens between them, every entry arrives, once, unchanged."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import ssl
import subprocess
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiomqtt
import pytest
from sqlalchemy import text

from engine.events import Button, Press
from firmware.errors import BadInput
from firmware.hub.broker import find_mosquitto
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.hub import Hub
from firmware.hub.hub_backup import back_up, restore
from firmware.hub.joining import join
from firmware.hub.link import connect
from firmware.hub.membership import Membership
from firmware.hub.messages import FROM_TABLES, TO_TABLES, Assignment, Call, Line, Word, topic
from firmware.hub.outbox import JournalOutbox
from firmware.hub.service import HubPlace
from firmware.hub.simulate import MemoryOutbox
from firmware.hub.simulated_club import free_ports, simulate
from firmware.hub.store import Board
from firmware.hub.two_hubs import TwoHubs
from firmware.record.chain import Head, canonical
from firmware.record.journal import Journal
from firmware.state import JOURNAL
from tests.firmware.hub.club import now
from tests.firmware.hub_club import SmallClub, count_entries, needs_broker, small_club, until, written
from tests.program import ROOT, Program

pytestmark = [pytest.mark.long, needs_broker]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 280))


def test_entries_arrive_whatever_is_restarted(tmp_path: Path) -> None:
    """One evening: the hub ends and starts, the broker is killed, the table's connection is new each time."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = MemoryOutbox()
            written(outbox, "one", 30)
            table = club.seat(member, outbox)
            await until(lambda: club.kept("Sim 1", "one") == 30)
            assert now(club.hub, "Sim 1").online
            # Without a hub the table goes on, and tells it later.
            await club.end("hub")
            written(outbox, "two", 260, seed=2)
            table.talk.wake("two")
            await until(lambda: table.told.get("hub away"))
            await club.begin_hub()
            await until(lambda: club.kept("Sim 1", "two") == 260)
            # The broker dies and forgets everything: the tables' accounts are there again.
            broker = club.broker.process_id
            assert broker is not None
            _, stranger = await asyncio.open_connection("127.0.0.1", club.port)
            stranger.write(b"this is no TLS\n" * 9)
            await stranger.drain()
            stranger.close()
            os.kill(broker, signal.SIGKILL)
            written(outbox, "three", 20, seed=3)
            table.talk.wake("three")
            await until(lambda: club.kept("Sim 1", "three") == 20)
            assert "the broker has ended (killed by signal 9); it is started again" in club.said
            assert (club.kept("Sim 1", "one"), count_entries(club.store)) == (30, 310)
            await until(lambda: table.talk.settled)

    run(evening())


def test_what_the_hub_shows_is_what_the_table_shows(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = MemoryOutbox()
            written(outbox, "one", 3)
            table = club.seat(member, outbox)
            table.shows |= {"match": "one", "phase": "White rolls"}
            table.talk.call(Call(called=True, why="a dispute"))
            table.talk.wake("one")
            await until(lambda: now(club.hub, "Sim 1").shows.get("phase") == "White rolls")
            await until(lambda: now(club.hub, "Sim 1").entry == 2)
            await until(lambda: now(club.hub, "Sim 1").call)
            assert now(club.hub, "Sim 1").call.why == "a dispute"
            await club.hub.come("Sim 1", "Ada")
            await until(lambda: table.coming == ["Ada"])
            assert now(club.hub, "Sim 1").skew < -86400  # its clock says 2020
            await club.hub.assign("Sim 1", Assignment(id="r1", players=("Ada", "Ben"), length=7))
            await until(lambda: table.given)
            table.talk.call(Call(called=False))
            await until(lambda: table.coming == ["Ada", ""])
            # A hub that has just started shows it, though the table is away, and says again what it gave.
            await asyncio.sleep(5.5)
            await table.end()
            await until(lambda: not now(club.hub, "Sim 1").online)
            await club.end("hub")
            await club.begin_hub()
            assert now(club.hub, "Sim 1").shows["phase"] == "White rolls"
            assert now(club.hub, "Sim 1").assignment.length == 7

    run(evening())


def test_a_table_that_was_away_for_a_day_tells_everything(tmp_path: Path) -> None:
    """Its journal is on the disk, and holds a match that it had before it joined, which is nobody's
    business."""

    async def evening() -> None:
        with Journal.open(tmp_path / "journal.db") as journal:
            for match, count in (("private", 5), ("day", 300)):
                for number in range(count):
                    body = Press(t=float(number), button=Button.DONE).to_json()
                    journal.append(match, f"2020-01-01T00:00:{number % 60:02}Z", body)
            outbox = JournalOutbox(tmp_path / "journal.db", hidden=["private"])
            async with small_club(tmp_path / "hub") as (club, [member]):
                table = club.seat(member, outbox)
                await until(lambda: club.kept("Sim 1", "day") == 300)
                journal.append("day", "2020-01-02T00:00:00Z", {"event": "tick", "t": 1.0})
                table.talk.wake("day")
                await until(lambda: club.kept("Sim 1", "day") == 301)
                assert club.kept("Sim 1", "private") == 0
                board = club.store.board("club", "Sim 1")
                assert board is not None
                assert club.store.entries(board.id, "day") == journal.entries("day")
            outbox.close()

    run(evening())


def test_what_happens_while_the_journal_is_read_is_not_left_until_the_next_event(tmp_path: Path) -> None:
    """A match's last entry, above all: nothing comes after it."""

    class Slow(MemoryOutbox):
        async def after(self, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
            found = await super().after(match, head)
            if not found[1] and self.head(match).number == 9:  # nothing more was there; now it is
                written(self, match, 3, seed=2)
                table.talk.wake(match)
            return found

    async def evening() -> None:
        nonlocal table
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = Slow()
            written(outbox, "one", 10)
            table = club.seat(member, outbox)
            await until(lambda: club.kept("Sim 1", "one") == 13)

    table: Any = None
    run(evening())


def test_a_hub_restored_from_an_old_backup_is_told_what_it_lacks(tmp_path: Path) -> None:
    """Its machine is lost, an hour after the last backup; the tables find it on another one."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub", 2) as (club, members):
            for member in members:
                outbox = MemoryOutbox()
                written(outbox, "one", 10)
                club.seat(member, outbox)
            await until(lambda: all(club.kept(each.table, "one") == 10 for each in members))
            back_up(club.store, tmp_path / "hub", tmp_path / "club.hub")
            for table in club.tables:
                written(table.outbox, "two", 7)
                table.talk.wake("two")
            await until(lambda: all(club.kept(each.table, "two") == 7 for each in members))
            for name in ("hub", "broker"):
                await club.end(name)
            with HubPlace(folder=tmp_path / "other").store() as store:
                restore(store, tmp_path / "other", tmp_path / "club.hub")
            with TemporaryDirectory(prefix="bp-") as sockets:
                other = SmallClub(tmp_path / "other", "", Path(sockets), club.port)
                await other.begin()
                await until(lambda: all(other.kept(each.table, "two") == 7 for each in members))
                assert all(other.kept(each.table, "one") == 10 for each in members)
                for name in ("hub", "broker"):
                    await other.end(name)
                other.store.close()

    run(evening())


def test_another_match_under_the_same_id_changes_nothing(tmp_path: Path) -> None:
    """A card that was copied: both tables have the same key and the same match, but it went on otherwise."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            ours, theirs = MemoryOutbox(), MemoryOutbox()
            written(ours, "one", 12)
            written(theirs, "one", 9, seed=2)
            table = club.seat(member, ours)
            await until(lambda: club.kept("Sim 1", "one") == 12)
            await table.end()
            board = club.store.board("club", "Sim 1")
            assert board is not None
            before = club.store.entries(board.id, "one")
            other = club.seat(member, theirs)
            await until(lambda: other.told.get("hub one"))
            await until(lambda: "is not the one" in now(club.hub, "Sim 1").conflict)
            assert club.store.entries(board.id, "one") == before
            # What is sound still arrives.
            written(theirs, "two", 4)
            other.talk.wake("two")
            await until(lambda: club.kept("Sim 1", "two") == 4)

    run(evening())


def test_a_table_that_lost_entries_is_told(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            whole = MemoryOutbox()
            written(whole, "one", 12)
            table = club.seat(member, whole)
            await until(lambda: club.kept("Sim 1", "one") == 12)
            await table.end()
            less = MemoryOutbox({"one": whole.matches["one"][:7]})
            club.seat(member, less)
            await until(lambda: "has lost entries 7 to 11" in now(club.hub, "Sim 1").conflict)
            assert club.kept("Sim 1", "one") == 12

    run(evening())


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):

            def limit(pages: int) -> None:
                with club.store.begin() as connection:
                    connection.execute(text(f"PRAGMA max_page_count = {pages}"))

            limit(1)  # as many as there are: SQLite says that the disk is full
            outbox = MemoryOutbox()
            written(outbox, "one", 250)
            club.seat(member, outbox)
            await until(lambda: any("full" in words for words in club.hub.troubles))
            assert club.kept("Sim 1", "one") < 250
            limit(100_000)
            await until(lambda: club.kept("Sim 1", "one") == 250)
            await until(lambda: not club.hub.troubles)

    run(evening())


def test_a_second_hub_at_the_same_broker_is_refused(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, _):
            second = Hub(club.store, "club", club.broker.place, club.said.append)
            second.id = "another"
            with pytest.raises(ExceptionGroup) as refused:
                await second.run()
            assert isinstance(refused.value.exceptions[0], TwoHubs)
            assert "another hub" in str(refused.value.exceptions[0])
            second.close()

    run(evening())


async def attempts(club: SmallClub, place: Any, stolen: str, other: str) -> list[str]:
    """What the holder of one table's key gets through: topics that a listener heard."""
    heard: list[str] = []
    async with connect(club.broker.place, "listener") as listener, connect(place, "Sim 2") as thief:
        heard_all = await listener.subscribe("barpoint/club/#", qos=1)
        assert not any(each.is_failure for each in heard_all)
        for address in (
            "#",
            "$CONTROL/dynamic-security/#",
            topic("club", other, Word.KEPT),
            topic("club", other, Word.STATE),
        ):
            assert all(each.is_failure for each in await thief.subscribe(address, qos=1))
        for word in Word:
            for table in (other, "hub", stolen):
                await thief.publish(topic("club", table, word), b"{}", qos=0)
        await thief.publish(
            "$CONTROL/dynamic-security/v1", b'{"commands":[{"command":"listClients"}]}', qos=0
        )
        await thief.publish(topic("club", stolen, Word.CALL), b'{"v":1,"called":true,"why":"end"}', qos=0)
        async for message in listener.messages:
            heard.append(str(message.topic))
            if bytes(message.payload or b"").endswith(b'"end"}'):
                return heard
    return heard


def test_a_hub_and_its_tables_talk_at_a_broker_that_runs_already(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    (tmp_path / "broker.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")

    async def both() -> None:
        broker = await asyncio.create_subprocess_exec(
            find_mosquitto()[0], "-c", str(tmp_path / "broker.conf"), stderr=asyncio.subprocess.DEVNULL
        )
        try:
            place = BrokerPlace("127.0.0.1", port)
            await until(lambda: not place_refuses(port))
            found = await simulate(2, 1.5, 0.1, None, lambda words: None, f"mqtt://{place}")
            assert (found["lost"], found["doubled"]) == (0, 0)
            assert found["kept"] == found["sent"] > 0
        finally:
            broker.terminate()
            await broker.wait()

    run(both())


def test_the_list_of_the_docs_keeps_tables_apart_at_a_broker_that_runs_already(tmp_path: Path) -> None:
    """Those that are written there for Mosquitto."""
    blocks = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8").split("```\n")
    settings, rights = (next(each for each in blocks if each.startswith(word)) for word in ("pass", "user"))
    (tmp_path / "barpoint.acl").write_text(rights)
    (tmp_path / "passwords").touch()
    for name in ("hub", "table-1", "table-2"):
        subprocess.run(["mosquitto_passwd", "-b", str(tmp_path / "passwords"), name, name], check=True)
    (port,) = free_ports(1)
    user = "user root\n" if os.geteuid() == 0 else ""
    own = settings.replace("/etc/mosquitto", str(tmp_path))
    (tmp_path / "broker.conf").write_text(f"{user}listener {port} 127.0.0.1\n{own}")

    def at(name: str) -> BrokerPlace:
        return BrokerPlace("127.0.0.1", port, username=name, password=name)

    async def both() -> None:
        broker = await asyncio.create_subprocess_exec(
            find_mosquitto()[0], "-c", str(tmp_path / "broker.conf"), stderr=asyncio.subprocess.DEVNULL
        )
        try:
            await until(lambda: not place_refuses(port))
            async with (
                connect(at("hub"), "hub") as hub,
                connect(at("table-1"), "x") as thief,
                connect(at("table-2"), "x") as other,  # whose name the other one has taken
            ):
                for client in (hub, thief, other):
                    await client.subscribe("barpoint/#", qos=1)
                for client, name in ((thief, "thief"), (other, "other"), (hub, "hub")):
                    for place in ("table-1", "table-2", "hub"):
                        for word in (*FROM_TABLES, *TO_TABLES):
                            with suppress(aiomqtt.MqttError):  # not allowed
                                await client.publish(topic("club", place, word), name, qos=1)
                from_tables = {topic("club", "table-1", word) for word in FROM_TABLES}
                to_tables = {topic("club", "table-1", word) for word in TO_TABLES}
                heard = {client: await hears(client) for client in (hub, thief)}
            assert {place for place, who in heard[hub] if who == "thief"} == from_tables
            assert heard[thief] == {(place, "hub") for place in {*to_tables, topic("club", "hub", "status")}}
        finally:
            broker.terminate()
            await broker.wait()

    run(both())


async def hears(client: aiomqtt.Client) -> set[tuple[str, str]]:
    """What came to it, and from whom, until the hub says that it is here."""
    heard = set[tuple[str, str]]()
    async for message in client.messages:
        heard.add((str(message.topic), bytes(message.payload or b"").decode()))
        if (topic("club", "hub", Word.STATUS), "hub") in heard:
            break
    return heard


def place_refuses(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) != 0


def test_a_stolen_key_opens_its_own_topics_alone(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub", 2) as (club, [thief, _]):
            heard = await attempts(club, thief.place(), "Sim 1", "Sim 2")
            own = {topic("club", "Sim 1", word) for word in ("status", "hello", "entries", "state", "call")}
            assert set(heard) - {topic("club", "hub", "status")} <= own
            # It cannot end another's connection by taking its name: its name is its account's.
            victim = club.seat(_)
            await until(lambda: victim.talk.connected)
            async with connect(thief.place(), "table-2"):
                await asyncio.sleep(0.5)
            assert victim.talk.connected

    run(evening())


def test_who_has_no_key_cannot_fill_the_brokers_memory(tmp_path: Path) -> None:
    """By a first packet (CONNECT) that says that it is 256 MB long."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub", 0) as (club, _):
            anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
            reader, writer = await asyncio.open_connection("127.0.0.1", club.port, ssl=anybody)
            writer.write(b"\x10\xff\xff\xff\x7f")
            try:
                async with asyncio.timeout(60):  # the broker itself waits for 90 s
                    assert await reader.read() == b""
            finally:
                writer.close()

    run(evening())


def test_a_code_is_good_once_and_a_removed_table_is_out(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub", 0) as (club, _):
            board = club.store.add_board("club", "Table 1")
            code = club.identity.code(board, f"127.0.0.1:{club.port}")
            await until(lambda: club.hub.live.table("Table 1"))
            await asyncio.sleep(0.3)
            member = await join(code, code.where, ["before"])
            assert (member.table, member.event, member.hidden) == ("Table 1", "club", ("before",))
            outbox = MemoryOutbox()
            written(outbox, "one", 5)
            table = club.seat(member, outbox)
            await until(lambda: club.kept("Table 1", "one") == 5)
            # The code is worth nothing any more, once its account has ended.
            await asyncio.sleep(3.0)
            with pytest.raises(BadInput, match="refuses this code"):
                await join(code, code.where, ())
            # The key survives the broker: what proves it is in the database.
            await club.end("broker")
            await club.begin_broker()
            written(outbox, "two", 5)
            table.talk.wake("two")
            await until(lambda: club.kept("Table 1", "two") == 5)
            # Removed: its connection ends, and it does not come in again.
            club.store.remove_board("club", "table 1")
            await until(lambda: not table.talk.connected)
            await until(lambda: "does not take this table's key" in table.told.get("hub", ""))
            assert club.hub.live.table("Table 1") is None

    run(evening())


def test_two_tables_with_one_key_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.hub.admission.COPIED", 0.0)

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            for _ in range(3):  # a table that is started again is one device
                table = club.seat(member)
                await until(lambda table=table: table.talk.connected)
                await until(lambda: now(club.hub, "Sim 1").online)
                await table.end()
            assert not club.said
            copy = club.seat(member)
            club.seat(member)
            await until(lambda: any("two devices come with the key of table Sim 1" in s for s in club.said))
            await copy.end()
            await until(lambda: not club.hub.troubles)

    run(evening())


def test_a_table_that_joins_again_goes_on_telling(tmp_path: Path) -> None:
    """What was played between its old key and its new one is not what was played before it joined."""
    state = tmp_path / "table"

    async def joined(club: SmallClub, board: Board) -> tuple[str, ...]:
        code = str(club.identity.code(board, f"127.0.0.1:{club.port}"))
        words = "hub", "join", code, "--state", state
        while (await asyncio.to_thread(Program().run, *words)).returncode:
            await asyncio.sleep(0.2)  # the broker has not heard of it yet
        member = Membership.load(state)
        assert member is not None
        return member.hidden

    async def evening() -> None:
        async with small_club(tmp_path / "hub", 0) as (club, _):
            state.mkdir()
            with Journal.open(state / JOURNAL) as journal:
                journal.append("one", "2026-03-01T12:00:00.000Z", {})
                assert await joined(club, club.store.add_board("club", "Table 1")) == ("one",)
                journal.append("two", "2026-03-01T12:00:00.000Z", {})
                assert await joined(club, club.store.renew_board("club", "Table 1")) == ("one",)

    run(evening())


def test_many_tables_join_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker's accounts change with each of them, and no change may go by what
    another has made meanwhile: the hub also looks for new tables all the time."""
    monkeypatch.setattr("firmware.hub.hub.LOOK", 0.01)

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, _):
            names = [f"Table {number}" for number in range(20)]
            codes = [club.identity.code(club.store.add_board("club", name)) for name in names]
            await until(lambda: all(club.hub.live.table(name) for name in names))
            await asyncio.sleep(0.2)  # the broker has heard of them too
            agree, inside, most = club.accounts.agree, 0, 0

            async def slowly(*args: Any, **kwargs: Any) -> None:
                nonlocal inside, most
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.02)
                await agree(*args, **kwargs)
                inside -= 1

            monkeypatch.setattr(club.accounts, "agree", slowly)
            joined = await asyncio.gather(*(join(code, f"127.0.0.1:{club.port}", ()) for code in codes))
            assert sorted(each.table for each in joined) == sorted(names)
            assert (most, club.hub.troubles) == (1, ())

    run(evening())


def test_a_hub_that_is_not_the_codes_is_told_nothing(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub", 0) as (club, _):
            board = club.store.add_board("club", "Table 1")
            code = club.identity.code(board)
            other = type(code)(code.secret, "A" * 12)
            with pytest.raises(BadInput, match="not the one that gave this code"):
                await join(other, f"127.0.0.1:{club.port}", ())
        with pytest.raises(BadInput, match="there is no hub at"):
            await join(code, f"127.0.0.1:{club.port}", ())

    run(evening())


def test_nonsense_is_told_and_survived(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = MemoryOutbox()
            written(outbox, "one", 3)
            forged = {
                "match": "two",
                "v": 1,
                "entries": [{"number": 0, "at": "x", "body": "{}", "digest": "0" * 64}],
            }
            async with connect(member.place(), "x") as client:
                for payload in (
                    b"",
                    b"\xff\xff",
                    b"[]",
                    b'{"v": 2, "match": "one"}',
                    json.dumps(forged).encode(),
                ):
                    await client.publish(topic("club", "Sim 1", Word.ENTRIES), payload, qos=1)
                    await client.publish(topic("club", "Sim 1", Word.STATE), payload, qos=1)
            await until(lambda: now(club.hub, "Sim 1").conflict)
            club.seat(member, outbox)
            await until(lambda: club.kept("Sim 1", "one") == 3)
            assert (club.kept("Sim 1", "two"), canonical({})) == (0, "{}")

    run(evening())


def test_how_a_tables_clock_goes_is_told_anew_to_a_hub_that_has_begun_anew(tmp_path: Path) -> None:
    """What was left with the broker was told long ago: by it every clock would be slow."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            club.seat(member)
            await until(lambda: now(club.hub, "Sim 1").skew < -86400)
            await club.end("hub")
            club.clock = lambda: "2100-01-01T00:00:00.000Z"
            await club.begin_hub()
            await until(lambda: now(club.hub, "Sim 1").skew > 86400)

    run(evening())


def test_a_table_that_is_put_out_comes_back_when_it_may(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = MemoryOutbox()
            written(outbox, "one", 3)
            club.seat(member, outbox)
            await until(lambda: club.kept("Sim 1", "one") == 3)
            await club.hub._admission.bar("Sim 1")
            table = club.tables[0].talk
            await until(lambda: not table.connected)
            club.hub._admission._barred["Sim 1"] = 0.0  # the time is over
            await until(lambda: now(club.hub, "Sim 1").online)
            await until(lambda: table.connected)

    run(evening())
