"""The director's desk on the hub's database: what was done is there after a restart, tables get their
matches, and results come back from their journals."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra hub is not installed")

from firmware import parts
from firmware.errors import BadInput
from firmware.hub import replay as replay_module
from firmware.hub import store as store_module
from firmware.hub.live import TableNow
from firmware.hub.messages import LARGEST, Call, Head, Hello, Line, State, Status, Word, topic
from firmware.hub.office import book
from firmware.hub.office import desk as desk_module
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.desk import MOST_ASKED
from firmware.hub.rations import MOST_CONFLICTS, MOST_MESSAGES, MOST_WAITING, SHARE, Conflicts
from firmware.hub.store import Board, NewEntry, StoreError
from firmware.hub.tournament.changes import (
    CorrectResult,
    Enter,
    MakeDraw,
    OpenRound,
    Penalise,
    Rename,
    Report,
    Seat,
    Set,
)
from firmware.hub.tournament.pairings import pairings
from firmware.hub.tournament.trail import Act, Done, Undo
from tests.firmware.hub.club import PIN, Club, now
from tests.firmware.hub.table_match import journal, tell
from tests.firmware.hub_databases import postgres

PATIENCE = 60.0


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def begun(club: Club, *names: str) -> int:
    made = club.call(club.desk.make(Set("Autumn Cup", lengths=(5,)), "Ada"))
    for number, name in enumerate(names, 1):
        club.call(club.desk.do(made.id, Enter(number, name), "Ada", ""))
    club.call(club.desk.do(made.id, MakeDraw("lot", "seed"), "Ada", ""))
    club.call(club.desk.do(made.id, OpenRound(1), "Ada", ""))
    return made.id


def do(club: Club, tournament: int, act: Act, why: str = "") -> KeptTournament:
    return club.call(club.desk.do(tournament, act, "Ada", why))


def event(club: Club, tournament: int) -> Any:
    kept = club.desk.tournament(tournament)
    assert kept is not None
    return kept.event


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with postgres() as made:
        yield made


def test_everything_is_there_after_a_restart_and_can_be_undone(tmp_path: Path, url: str) -> None:
    with Club(tmp_path, url=url) as club:
        made = begun(club, "Ann", "Bob", "Cy")
        before = club.desk.tournament(made)
    with Club(tmp_path, url=url) as club:
        assert club.desk.tournament(made) == before
        assert before is not None
        do(club, made, Undo(len(before.trail)))
        assert event(club, made).opened == 0
        with pytest.raises(BadInput, match="say who you are"):
            club.call(club.desk.do(made, OpenRound(1), " ", ""))
        for why in ("\ud800", "x" * 401):
            with pytest.raises(BadInput, match="say why in at most 400 letters"):
                do(club, made, OpenRound(1), why)
        for name in ("Autumn Cup", "Autumn  Cup "):
            with pytest.raises(BadInput, match=r"there is a tournament 'Autumn +Cup ?' already"):
                club.call(club.desk.make(Set(name), "Ada"))
        with pytest.raises(BadInput, match=r"rules '../x': it must be one of backgammon"):
            club.call(club.desk.make(Set("Other", rules="../x"), "Ada"))


def test_a_table_gets_its_match_with_penalty_points_and_loses_it_again(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Penalise(1, 1, "1.1"), "late")
        do(club, made, Seat((("1.1", "Table 2"),)))
        (pairing,) = pairings(event(club, made))
        until(lambda: now(club.hub, "Table 2").assignment is not None)
        given = now(club.hub, "Table 2").assignment
        assert given is not None
        names = event(club, made).name_of(pairing.first), event(club, made).name_of(pairing.second)
        assert (given.players, given.length, given.competition) == (names, 5, "Autumn Cup")
        assert given.score == ((0, 1) if names[0] == "Ann" else (1, 0))
        assert given.clock is not None
        do(club, made, Seat((("1.1", "Table 3"),)))
        assert now(club.hub, "Table 2").assignment.id == ""
        assert now(club.hub, "Table 3").assignment.players == names


def test_a_match_that_the_database_would_not_take_is_given_a_little_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        keep, failed = club.store.keep_assignment, []

        def fail(board: int, text: str) -> None:
            if not failed:
                failed.append(text)
                raise StoreError("disk I/O error")
            keep(board, text)

        monkeypatch.setattr(desk_module, "AGAIN", 0.05)
        monkeypatch.setattr(club.store, "keep_assignment", fail)
        do(club, made, Seat((("1.1", "Table 1"),)))
        assert failed
        until(lambda: now(club.hub, "Table 1").assignment is not None)
        until(lambda: not club.desk.troubles)


def test_changes_that_belong_together_are_kept_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Club(tmp_path) as club:
        made = club.call(club.desk.make(Set("Autumn Cup"), "Ada")).id
        before = club.desk.tournament(made)
        row, rows = book._row, []

        def fail(tournament: int, done: Done) -> dict[str, object]:
            rows.append(done)
            if len(rows) == 3:
                raise StoreError("disk I/O error")
            return row(tournament, done)

        acts = [Enter(number, f"Player {number}") for number in range(1, 6)]
        monkeypatch.setattr(book, "_row", fail)
        with pytest.raises(StoreError):
            club.call(club.desk.do_all(made, acts, "Ada", ""))
        monkeypatch.undo()
        assert [club.desk.tournament(made)] == book.load(club.store) == [before]
        club.call(club.desk.do_all(made, acts, "Ada", ""))
        assert book.load(club.store) == [club.desk.tournament(made)]


def test_one_table_has_one_match_even_of_two_tournaments(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        first = begun(club, "Ann", "Bob")
        do(club, first, Seat((("1.1", "Table 1"),)))
        other = club.call(club.desk.make(Set("Side event"), "Ada")).id
        for act in (Enter(1, "Cy"), Enter(2, "Di"), MakeDraw("lot", "x"), OpenRound(1)):
            do(club, other, act)
        with pytest.raises(BadInput, match="Table 1 has a match of Autumn Cup"):
            do(club, other, Seat((("1.1", "Table 1"),)))


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("swapped", [True, False])
def test_a_result_comes_back_from_the_tables_journal(tmp_path: Path, signed: bool, swapped: bool) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Seat((("1.1", "Table 1"),)))
        (pairing,) = pairings(event(club, made))
        names = event(club, made).name_of(pairing.first), event(club, made).name_of(pairing.second)
        seats = names[::-1] if swapped else names
        entries = journal("m-1", seats, (5, 2), "Autumn Cup", "match 1.1", 5, signed)
        tell(club, "Table 1", entries, 5, (5, 2))
        until(lambda: "1.1" in event(club, made).results)
        result = event(club, made).results["1.1"]
        assert event(club, made).name_of(result.winner) == seats[0]
        assert result.score == ((2, 5) if swapped else (5, 2))
        assert (result.match, result.digest) == ("m-1", entries[-1].digest.hex())
        assert bool(result.signed) == signed
        kept = club.desk.tournament(made)
        assert kept is not None
        assert kept.trail[-1].who == "table Table 1"
        # Told again, it changes nothing.
        tell_again = club.desk.take_result("Table 1", "m-1")
        club.call(tell_again)
        assert club.desk.tournament(made) == kept
        zipped = httpx.get(f"{club.address}/api/tournaments/{made}/file/matches.zip").content
        with zipfile.ZipFile(io.BytesIO(zipped)) as found:
            (name,) = [each for each in found.namelist() if each.endswith(".mat")]
            assert name.startswith("1.1 ")
            assert "5 point match" in found.read(name).decode()


def test_a_table_that_tells_of_others_or_too_late_is_told_to_the_director(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        tell(club, "Table 1", journal("m-1", ("Ann", "Eve"), (5, 2), "Autumn Cup", "match 1.1", 5), 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        assert "with others than the draw" in next(iter(club.desk.troubles.values()))
        (pairing,) = pairings(event(club, made))
        assert pairing.first
        assert pairing.second
        do(club, made, Report("1.1", pairing.first, pairing.second, pairing.first, (5, 0)))
        assert not club.desk.troubles
        tell(club, "Table 2", journal("m-2", ("Ann", "Bob"), (5, 2), "Autumn Cup", "match 1.1", 5), 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        (told,) = club.desk.troubles.values()
        assert told.startswith("Autumn Cup: match 1.1 has a result; Table 2 has another one, ")
        assert event(club, made).results["1.1"].score == (5, 0)
        sides = pairing.first, pairing.second
        do(club, made, CorrectResult("1.1", *sides, pairing.second, (1, 5)), "as they say")
        assert not club.desk.troubles


def test_a_dispute_is_there_after_a_restart_and_settled_for_good(tmp_path: Path, url: str) -> None:
    def journal_of(match: str, score: tuple[int, int], place: str = "match 1.1") -> Any:
        return journal(match, ("Ann", "Bob"), score, "Autumn Cup", place, 5)

    with Club(tmp_path, url=url) as club:
        made = begun(club, "Ann", "Bob")
        (pairing,) = pairings(event(club, made))
        assert pairing.first
        assert pairing.second
        sides = pairing.first, pairing.second
        do(club, made, Report("1.1", *sides, sides[0], (5, 0)))
        tell(club, "Table 2", journal_of("m-2", (5, 2)), 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        told = dict(club.desk.troubles)
        tell(club, "Table 2", journal_of("m-3", (5, 1), ""), 5, (5, 1))  # another match is there since
    with Club(tmp_path, url=url) as club:
        until(lambda: bool(club.desk.troubles))
        assert club.desk.troubles == told
        do(club, made, CorrectResult("1.1", *sides, sides[0], (5, 1)), "as they say")
        assert not club.desk.troubles
        club.call(club.desk.take_result("Table 2", "m-2"))
        assert not club.desk.troubles
    with Club(tmp_path, url=url) as club:
        club.call(club.desk.take_result("Table 2", "m-2"))
        assert not club.desk.troubles


def test_no_table_says_how_another_tables_match_ended(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Seat((("1.1", "Table 1"),)))
        entries = journal("m-1", ("Ann", "Bob"), (5, 2), "Autumn Cup", "match 1.1", 5)
        tell(club, "Table 2", entries, 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        assert "which is at Table 1" in next(iter(club.desk.troubles.values()))
        assert not event(club, made).results


def test_a_table_that_makes_matches_up_hides_no_other_tables_dispute(tmp_path: Path) -> None:
    def dispute(table: str, match: str, place: str = "match 1.1") -> None:
        entries = journal(match, ("Ann", "Eve"), (5, 2), "Autumn Cup", place, 5)
        tell(club, table, entries, 5, (5, 2))
        club.call(club.desk.take_result(table, match))

    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        dispute("Table 1", "m-1")
        (told,) = club.desk.troubles.items()
        for number in range(60):
            dispute("Table 2", f"x-{number}", "match 1.1" if number % 2 else f"match 9.{number}")
        assert told in club.desk.troubles.items()
        assert len(club.desk.troubles) <= MOST_ASKED + 2
    with Club(tmp_path) as club:
        until(lambda: told in club.desk.troubles.items())
        assert sum(each.table == "Table 2" for each in club.desk._questions.values()) == MOST_ASKED
        assert club.desk.tournament(made)


def test_a_table_that_takes_another_tables_match_id_does_not_keep_its_result_away(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob", "Cy", "Dee")
        do(club, made, Seat((("1.1", "Table 1"), ("1.2", "Table 2"))))
        for count, (number, table) in enumerate(((1, "Table 2"), (0, "Table 1")), 1):
            pairing = pairings(event(club, made))[number]
            names = event(club, made).name_of(pairing.first), event(club, made).name_of(pairing.second)
            entries = journal("m-1", names, (5, 2), "Autumn Cup", f"match {pairing.id}", 5)
            tell(club, table, entries, 5, (5, 2))
            club.call(club.desk.take_result(table, "m-1"))
            assert len(event(club, made).results) == count


def test_a_table_that_tells_matches_without_end_keeps_no_other_tables_result_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def slow(table: str, match: str) -> list[Any]:
        read.append(table)
        return []

    with Club(tmp_path) as club:
        monkeypatch.setattr(club.desk, "_read", slow)

        async def ask() -> None:
            for number in range(100):
                club.desk._ask("Table 1", f"m-{number}")
            club.desk._ask("Table 2", "m")

        club.call(ask())
        until(lambda: len(read) == 101)
        assert "Table 2" in read[:2]


def test_a_journal_that_takes_too_long_or_too_much_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Club(tmp_path) as club:
        begun(club, "Ann", "Bob")
        monkeypatch.setattr(replay_module, "LONGEST", 0.0)
        tell(club, "Table 1", journal("m-1", ("Ann", "Bob"), (5, 2), "Autumn Cup", "match 1.1", 5), 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        assert "it takes more than 0 s" in next(iter(club.desk.troubles.values()))
        path = f"{club.address}/api/tables/Table 1/matches/m-1"
        answer = httpx.get(path)
        assert (answer.status_code, "it takes more than" in answer.text) == (422, True)
        for limit in ("MOST_ENTRIES", "MOST_LETTERS"):
            with monkeypatch.context() as patch:
                patch.setattr(store_module, limit, 3)
                answer = httpx.get(path)
                assert (answer.status_code, "longer than any match" in answer.text) == (422, True)


def test_a_table_that_floods_the_hub_fills_its_own_share_alone(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        for number in range(1000):
            text = Hello(heads=(Head(match=f"m-{number}"),)).text().encode()
            club.call(club.hub._receive(topic("Club evening", "Table 1", Word.HELLO), text))
        club.call(club.hub._receive(topic("Club evening", "Table 2", Word.HELLO), text))
        assert len(club.hub._waiting) == MOST_WAITING + 1
        assert [name for name, _ in club.hub._waiting.take()] == ["Table 1"] * SHARE + ["Table 2"]


def test_who_looks_at_matches_does_not_hold_up_the_database(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Seat((("1.1", "Table 1"),)))
        entries = journal("m-1", ("Ann", "Bob"), (5, 2), "Autumn Cup", "match 1.1", 5)
        tell(club, "Table 1", entries, 5, (5, 2))
        until(lambda: bool(event(club, made).results))
        free = threading.Event()
        busy = threading.Thread(target=lambda: club.call(club.hub.in_store(free.wait, PATIENCE)))
        busy.start()
        try:
            for path in ("heads", "tables/Table 1/matches", "tables/Table 1/matches/m-1"):
                assert httpx.get(f"{club.address}/api/{path}", timeout=PATIENCE).status_code == 200
            zipped = httpx.get(f"{club.address}/api/tournaments/{made}/file/matches.zip", timeout=PATIENCE)
            assert zipped.status_code == 200
        finally:
            free.set()
            busy.join()


def test_an_unreadable_match_that_was_kept_is_told(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        board = club.store.board("Club evening", "Table 1")
        assert board is not None
        for match, body in (("a", "not json"), ("b", "[" * 100_000), ("c", '{"t":NaN}'), ("d", "5")):
            line = Line(number=0, at="", body=body, digest="0" * 64)
            club.store.keep([NewEntry(board.id, match, line)])
            answer = httpx.get(f"{club.address}/api/tables/Table 1/matches/{match}")
            assert (answer.status_code, "cannot be read" in answer.json()["reason"]) == (422, True)
        assert httpx.get(f"{club.address}/api/tables/Table 1/matches/%00").status_code == 404


def test_what_a_table_makes_up_is_bounded(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        hub, said = club.hub, list[str]()
        hub._conflicts = Conflicts(said.append)

        async def flood() -> TableNow:
            for number in range(200):
                hub._conflict("Table 1", f"m-{number}", f"m-{number} does not fit")
                state = State(match=f"m-{number}").text().encode()
                await hub._receive(topic("Club evening", "Table 1", Word.STATE), state)
            return now(hub, "Table 1")  # before a moment has passed, however busy the machine is

        first = club.call(flood())
        assert len(hub._conflicts.words("Table 1")) == MOST_CONFLICTS + 1
        assert len(said) == MOST_CONFLICTS
        assert first.match == "m-0"
        until(lambda: now(hub, "Table 1").match == "m-199")
        assert now(hub, "Table 1").number == first.number + 1


def test_a_wrong_clock_is_told_to_the_director_but_not_by_what_was_left_with_the_broker(
    tmp_path: Path,
) -> None:
    with Club(tmp_path) as club, entered(club) as director:

        def told(hours: float, fresh: bool) -> list[str]:
            at = (datetime.now(UTC) + timedelta(hours=hours, seconds=0.4)).isoformat()
            status, address = Status(online=True, at=at), topic("Club evening", "Table 1", Word.STATUS)
            club.call(club.hub._receive(address, status.text().encode(), fresh))
            return list(director.get("/api/director").json()["troubles"])

        assert told(-2, fresh=False) == []
        assert told(3, fresh=True) == ["Table 1: its clock is fast by 3:00:00 (h:mm:ss)"]
        assert told(-30, fresh=True) == ["Table 1: its clock is slow by 30:00:00 (h:mm:ss)"]
        assert told(0, fresh=True) == []


def test_a_fault_of_the_program_that_is_over_is_told_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "TOLD", 0.5)
    monkeypatch.setattr(parts, "AGAIN", 0.01)
    failed: list[bool] = []

    async def work() -> None:
        if not failed:
            failed.append(True)
            raise ZeroDivisionError("by zero")

    with Club(tmp_path) as club:
        club.call(club.hub.keep_going("converse", work))
        assert "a fault in the program (converse)" in club.hub.troubles[0]
        until(lambda: not club.hub.troubles)


@pytest.mark.parametrize(("size", "count"), [(1, MOST_MESSAGES + 500), (LARGEST, 500)])
def test_a_table_that_goes_on_flooding_is_put_out_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, count: int
) -> None:
    told: list[tuple[str, bool]] = []

    class Door:
        async def bar(self, client: object, board: Board, barred: bool) -> None:
            await asyncio.sleep(0)
            told.append((board.name, barred))

    with Club(tmp_path) as club:
        hub = club.hub
        monkeypatch.setattr(hub._admission, "_access", Door())
        monkeypatch.setattr(hub._admission, "_client", object())

        async def flood() -> None:
            for _ in range(count):
                await hub._receive(topic("Club evening", "Table 1", Word.CALL), b"x" * size)
            await hub._receive(topic("Club evening", "Table 2", Word.CALL), b"x")

        club.call(flood())
        assert told == [("Table 1", True)]
        assert "Table 1 sent more than" in hub.troubles[0]

        async def twice() -> None:  # its time is over just as it joins anew
            await asyncio.gather(hub._admission.unbar("Table 1"), hub._admission.unbar("Table 1"))

        club.call(twice())
        assert (told[1:], hub.troubles) == ([("Table 1", False)] * 2, ())


def test_whoever_connects_to_a_hub_and_asks_for_nothing_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.page.server.PATIENCE", 0.5)
    with Club(tmp_path) as club:
        url = httpx.URL(club.address)
        with socket.create_connection((url.host, url.port), 20) as line:
            assert line.recv(1) == b""


def test_a_journal_that_was_altered_gives_no_result(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        entries = journal("m-1", ("Ann", "Bob"), (5, 2), "Autumn Cup", "match 1.1", 5)
        entries[2].body["score"] = [3, 4]
        tell(club, "Table 1", entries, 5, (5, 2))
        until(lambda: bool(club.desk.troubles))
        assert "not sound" in next(iter(club.desk.troubles.values()))
        assert not event(club, made).results


def test_what_changes_after_a_table_has_begun_is_told_with_the_way_out(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Seat((("1.1", "Table 1"),)))
        whole = journal("m-1", ("Bob", "Ann"), (5, 2), "Autumn Cup", "match 1.1", 5)
        tell(club, "Table 1", whole[:2], 5, (0, 0))
        until(lambda: "Table 1" in club.desk._begun)
        assert not club.desk.troubles

        def told() -> str:
            return " ".join(club.desk.troubles.values())

        penalty = do(club, made, Penalise(1, 1, "1.1"), "late")
        assert "Table 1 had begun match 1.1 before its penalty points were changed" in told()
        assert "set the score at the table" in told()
        do(club, made, Undo(len(penalty.trail)))
        assert not told()
        longer = do(club, made, Set("Autumn Cup", lengths=(7,)))
        assert "Table 1 began match 1.1 to 5 points, and plays on so" in told()
        do(club, made, Undo(len(longer.trail)))
        renamed = do(club, made, Rename(2, "Bert"))
        assert "began match 1.1 with other names" in told()
        do(club, made, Undo(len(renamed.trail)))
        elsewhere = do(club, made, Seat((("1.1", "Table 2"),)))
        assert "Table 1 plays match 1.1, which is at Table 2 now: give it back to Table 1" in told()
        do(club, made, Undo(len(elsewhere.trail)))
        assert not told()
        do(club, made, Penalise(2, 1, "1.1"), "late")
        assert told()
        tell(club, "Table 1", whole[2:3], 5, (4, 2))  # the score is set at the table
        until(lambda: not club.desk.troubles)


def test_a_table_that_plays_with_who_is_not_in_the_match_any_more_is_told_otherwise_than_a_name(
    tmp_path: Path,
) -> None:
    """The result before it was wrong, and is corrected after the next round has begun."""
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob", "Cid", "Dan")
        for each in pairings(event(club, made))[:2]:
            do(club, made, Report(each.id, each.first, each.second, each.first, (5, 0)))
        do(club, made, OpenRound(2))
        do(club, made, Seat((("2.1", "Table 1"),)))
        first, _, last = pairings(event(club, made))
        names = (event(club, made).name_of(last.first), event(club, made).name_of(last.second))
        tell(club, "Table 1", journal("m-1", names, (5, 2), "Autumn Cup", "match 2.1", 5)[:2], 5, (0, 0))
        until(lambda: "Table 1" in club.desk._begun)
        assert not club.desk.troubles
        wrong = CorrectResult("1.1", first.first, first.second, first.second, (0, 5))
        corrected = do(club, made, wrong, "the names were exchanged")
        (told,) = club.desk.troubles.values()
        assert "Table 1 plays match 2.1 with somebody who is not in it any more: end it there" in told
        do(club, made, Undo(len(corrected.trail)))
        assert not club.desk.troubles


def test_a_table_that_plays_on_after_the_result_was_typed_is_not_free(tmp_path: Path) -> None:
    with Club(tmp_path, tables=1) as club:
        made = begun(club, "Ann", "Bob")
        do(club, made, Seat((("1.1", "Table 1"),)))
        club.change("Table 1", online=True)
        whole = journal("m-1", ("Bob", "Ann"), (5, 2), "Autumn Cup", "match 1.1", 5)
        tell(club, "Table 1", whole[:2], 5, (0, 0))
        until(lambda: "Table 1" in club.desk._begun)
        (pairing,) = pairings(event(club, made))
        assert pairing.first
        assert pairing.second
        typed = do(club, made, Report("1.1", pairing.first, pairing.second, pairing.first, (5, 0)))
        (told,) = club.desk.troubles.values()
        assert "Table 1 still plays match 1.1, which has a result: end it there" in told
        assert club.desk.free_tables() == []
        do(club, made, Undo(len(typed.trail)))
        assert not club.desk.troubles
        do(club, made, Undo(len(typed.trail) + 1))
        club.change("Table 1", match="", shows={})
        assert not club.desk.troubles
        assert club.desk.free_tables() == ["Table 1"]


@contextmanager
def entered(club: Club) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=club.address, timeout=60) as client:
        assert client.post("/api/pin", json={"pin": PIN}).status_code == 204
        yield client


def test_free_tables_go_to_matches_whose_players_are_free(tmp_path: Path) -> None:
    with Club(tmp_path) as club, entered(club) as director:
        made = club.call(club.desk.make(Set("League", "round-robin"), "Ada")).id
        for act in (*(Enter(n, f"Player {n}") for n in range(1, 6)), MakeDraw("seeded", "x"), OpenRound(2)):
            do(club, made, act)

        def give(round_number: int) -> Any:
            path = f"/api/director/tournaments/{made}/seat"
            return director.post(path, json={"who": "Ada", "round": round_number}).json()

        def seated() -> dict[str, str]:
            return {each.id: each.table for each in pairings(event(club, made)) if each.table}

        ready = [each for each in pairings(event(club, made)) if each.ready]
        for table in ("Table 1", "Table 3"):  # the others are away
            club.change(table, online=True)
        later = {side for each in ready if each.round == 2 for side in each.sides}
        (first,) = (each.id for each in ready if each.round == 1 and not later.issuperset(each.sides))
        do(club, made, Seat(((first, "Table 1"),)))
        told = give(2)
        ((free, table),) = ((each, table) for each, table in seated().items() if each.startswith("2."))
        assert table == "Table 3"
        assert f"plays match {first} of League at Table 1" in told["note"]
        assert free not in told["note"]
        assert give(2)["reason"] == told["note"]


def test_only_who_has_the_pin_directs_and_no_other_site_does(tmp_path: Path) -> None:
    act = {"who": "Eve", "act": {"act": "Set", "name": "Cup"}}
    with Club(tmp_path) as club, httpx.Client(base_url=club.address, timeout=60) as stranger:
        assert stranger.post("/api/director/tournaments", json=act).status_code == 401
        assert stranger.get("/api/director").status_code == 401
        with entered(club) as director:
            assert director.post("/api/director/tournaments", json=act).status_code == 201
            path = "/api/director/tournaments/1"
            assert stranger.get(f"{path}/trail").status_code == 401
            headers = {"Origin": "http://evil.example"}
            assert director.post(f"{path}/acts", json=act, headers=headers).status_code == 403
            assert director.post(f"{path}/acts", content=json.dumps(act)).status_code == 415
            answer = director.post(f"{path}/acts", json={"who": "Ada", "act": {"act": "Enter"}})
            assert (answer.status_code, answer.json()["reason"]) == (422, "Enter needs 'player'")
            answer = director.post(
                f"{path}/csv", json={"who": "Ada", "what": "players", "text": "name\nA\nA\n"}
            )
            assert answer.status_code == 422
            assert answer.json()["reason"].startswith("line 3: A is entered already")
            for odd in (
                '{"who": "Ada", "act": {"act": ["Enter"]}}',
                f'{{"who": {"9" * 400}}}',
                '{"who": NaN}',
            ):
                answer = director.post(
                    f"{path}/acts", content=odd, headers={"Content-Type": "application/json"}
                )
                assert answer.status_code == 422, odd
            assert stranger.get("/api/tournaments/1").json()["entries"] == []  # none of the two was entered
        for found in (stranger.get("/"), stranger.get("/api/club"), stranger.get("/nothing")):
            assert "default-src 'none'" in found.headers["content-security-policy"]


@pytest.mark.parametrize("made_up", [{"signed": "ABCD"}, {"match": "m-1"}, {"digest": "00"}])
def test_what_is_typed_cannot_pass_for_signed(tmp_path: Path, made_up: dict[str, str]) -> None:
    with Club(tmp_path) as club, entered(club) as director:
        made = begun(club, "Ann", "Bob")
        act = {
            "act": "Report",
            "pairing": "1.1",
            "first": 1,
            "second": 2,
            "winner": 1,
            "score": [5, 0],
        } | made_up
        answer = director.post(f"/api/director/tournaments/{made}/acts", json={"who": "Eve", "act": act})
        assert (answer.status_code, event(club, made).results) == (422, {})


def test_directors_who_enter_players_at_once_get_a_number_for_each(tmp_path: Path) -> None:
    names = [f"Player {n}" for n in range(12)]
    with Club(tmp_path) as club, entered(club) as director, ThreadPoolExecutor(len(names)) as directors:
        made = club.call(club.desk.make(Set("Cup"), "Ada")).id

        def enter(name: str) -> int:
            act = {"who": "Ada", "act": {"act": "Enter", "player": name}}
            return director.post(f"/api/director/tournaments/{made}/acts", json=act).status_code

        assert set(directors.map(enter, names)) == {200}
        assert sorted(each.name for each in event(club, made).entries) == sorted(names)
        assert [each.number for each in event(club, made).entries] == [*range(1, 13)]


def test_players_whose_name_has_a_stroke_have_their_matches(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann/Bob", "Cy")
        do(club, made, Report("1.1", 1, 2, 1, (5, 0)))
        found = httpx.get(f"{club.address}/api/players/Ann%2FBob").json()
        assert [each["opponent"] for each in found["history"]] == ["Cy"]


def test_a_version_of_a_tournament_can_be_kept_for_good_and_is_never_another(tmp_path: Path) -> None:
    with Club(tmp_path) as club:
        made = begun(club, "Ann", "Bob")
        head = httpx.get(f"{club.address}/api/club").json()["tournaments"][0]
        found = httpx.get(f"{club.address}/api/tournaments/{made}/{head['number']}")
        assert "immutable" in found.headers["cache-control"]
        assert found.json() == httpx.get(f"{club.address}/api/tournaments/{made}").json()
        do(club, made, Penalise(1, 1, "1.1"), "late")
        assert httpx.get(f"{club.address}/api/tournaments/{made}/{head['number']}").status_code == 404


@contextmanager
def following(club: Club) -> Iterator[Callable[[str], Any]]:
    """What a spectator is told next of a kind of news."""
    with httpx.stream("GET", f"{club.address}/api/club/events", timeout=60) as stream:
        lines = stream.iter_lines()

        def news(name: str) -> Any:
            while next(lines) != f"event: {name}":
                pass
            return json.loads(next(lines).removeprefix("data: "))

        yield news


def test_a_club_without_a_table_hears_of_its_tournaments(tmp_path: Path) -> None:
    with Club(tmp_path, tables=0) as club, following(club) as news:
        assert news("tournaments") == {}
        made = begun(club, "Ann", "Bob")
        assert news("tournaments") == {str(made): 1}
        with following(club) as later:
            assert later("tournaments")[str(made)] > 1


def test_news_come_to_all_who_look_and_a_call_to_the_director(tmp_path: Path) -> None:
    with Club(tmp_path) as club, following(club) as news:
        assert [each["name"] for each in news("all")] == [f"Table {n}" for n in range(1, 5)]
        club.change("Table 3", call=Call(called=True, why="a question"))
        (table,) = news("tables")
        assert (table["name"], table["call"]) == ("Table 3", "a question")
        made = begun(club, "Ann", "Bob")
        assert news("tournaments") == {str(made): 1}
        with entered(club) as director:
            assert director.get("/api/director").json()["calls"][0]["coming"] is None
            assert (
                director.post("/api/director/calls", json={"who": "Ada", "table": "Table 3"}).status_code
                == 204
            )
            assert director.get("/api/director").json()["calls"][0]["coming"] == "Ada"
            club.change("Table 3", call=None)
            assert director.get("/api/director").json()["calls"] == []


def test_who_comes_is_known_after_a_restart(tmp_path: Path) -> None:
    async def hear(club: Club, called: bool) -> None:
        await club.hub._note_call("Table 3", Call(called=called))

    with Club(tmp_path) as club:
        club.call(hear(club, True))
        club.call(club.hub.come("Table 3", "Dana"))
    with Club(tmp_path) as club, entered(club) as director:
        club.call(hear(club, True))  # a table says it anew
        (call,) = director.get("/api/director").json()["calls"]
        assert call["coming"] == "Dana"
        club.call(hear(club, False))
    with Club(tmp_path) as club:
        assert [each.coming for each in club.hub.live.tables()] == [""] * 4
