"""drand's public numbers in the dice."""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from engine.events import Beacon, Begin, Button, Commit, Event, Press, Roll
from engine.match_state import State
from engine.session import Session
from firmware.dice import beacon
from firmware.dice.beacon import CHAIN, Drand, NoBeacon, newest, signed, time_of
from firmware.dice.sealed import BEACON, SealedHouse
from firmware.formats import jsonform, textform
from firmware.record.archive import match_record
from firmware.record.chain import Entry
from firmware.record.game_faults import Fault
from firmware.record.verify import check_log, check_record
from hardware.dice import mixed
from tests.firmware.desk import running
from tests.firmware.record.test_tampering import chained


@pytest.fixture(autouse=True)
def usual_recursion_limit() -> Iterator[None]:
    """py_ecc changes it when it is imported; ``signed`` must not, and neither may these tests."""
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


ROUND = 1000
SIGNATURE = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
RANDOMNESS = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
"""Round 1000 of quicknet, as the network published it."""
BEFORE = "2023-08-23T15:59:00.000Z"
"""A minute and more before it came out."""


@pytest.fixture
def server() -> Iterator[Callable[[object], str]]:
    """A server that says what a test wants it to, at every address."""
    servers = []

    def make(said: object) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.path == f"/{CHAIN}/public/{ROUND}"
                self.send_response(200)
                self.end_headers()
                self.wfile.write(said if isinstance(said, bytes) else json.dumps(said).encode())

            def log_message(self, *_: object) -> None: ...

        made = HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(made)
        threading.Thread(target=made.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{made.server_port}"

    yield make
    for each in servers:
        each.shutdown()
        each.server_close()


def test_rounds_come_every_three_seconds_and_a_commitment_names_one_to_come() -> None:
    assert time_of(1) == beacon.GENESIS
    assert [newest(beacon.GENESIS + late) for late in (-1, 0, 2.9, 3)] == [0, 1, 1, 2]
    for late in (0.0, 1.5, 2.99):
        now = beacon.GENESIS + 3000 + late
        drand = Drand(lambda now=now: now)
        assert 3 <= time_of(drand.next_round()) - now <= 6
        assert not drand.due(drand.next_round())


GOOD = {"round": ROUND, "randomness": RANDOMNESS, "signature": SIGNATURE}


def test_a_round_comes_from_the_first_server_that_has_it(server: Callable[[object], str]) -> None:
    bad = [
        server(said) for said in (b"<html>", {}, [], GOOD | {"round": 999}, GOOD | {"signature": "ab" * 48})
    ]
    assert beacon.fetch(ROUND, (*bad, server(GOOD))) == SIGNATURE
    with pytest.raises(NoBeacon, match="this is not round 1000"):
        beacon.fetch(ROUND, tuple(bad))


@pytest.mark.filterwarnings("ignore")
def test_the_networks_signature_is_told_from_another() -> None:
    before = sys.getrecursionlimit()
    if signed(ROUND, SIGNATURE) is None:
        pytest.skip("py_ecc is not installed")
    assert sys.getrecursionlimit() == before
    assert signed(ROUND, SIGNATURE) is True
    assert signed(ROUND + 1, SIGNATURE) is False
    assert signed(ROUND, "zz") is False


@pytest.mark.filterwarnings("ignore")
def test_a_point_beside_the_networks_is_no_signature() -> None:
    """With a point of another order added, the pairing still holds: there were many signatures to choose
    from."""
    pytest.importorskip("py_ecc")
    from py_ecc.bls.point_compression import compress_G1, decompress_G1
    from py_ecc.optimized_bls12_381 import add, curve_order, is_inf, multiply

    for x in range(1, 99):
        try:
            beside = multiply(decompress_G1(2**383 + x), curve_order)
        except ValueError:
            continue
        if not is_inf(beside):
            break
    other = compress_G1(add(decompress_G1(int(SIGNATURE, 16)), beside))
    assert signed(ROUND, f"{other:096x}") is False


def play(folder: Path, known: bool = True) -> list[Event]:
    """A game's first roll, with drand's round in it where that is ``known``."""
    house = SealedHouse(folder, lambda words: None, lambda: "g", next_round=lambda: ROUND)
    session, events = Session(), list[Event]()

    def tell(event: Event) -> None:
        nonlocal session
        due: Event | None = event
        while due is not None:
            session, _ = session.handle(due)
            events.append(due)
            house.note([due])
            due = house.owed(session, event.t)

    tell(Begin(t=0, rules="backgammon"))
    tell(Press(t=1, button=Button.ROLL))
    assert session.state is State.ROLLING
    if known:
        tell(Beacon(t=4, signature=SIGNATURE))
    else:
        assert house.owed(session, BEACON - 0.1) is None
        roll = house.owed(session, BEACON)
        assert isinstance(roll, Roll)
        tell(roll)
    return events


def log(events: list[Event], at: str = BEFORE) -> list[Entry]:
    return chained([event.to_json() for event in events], lambda number: at)


@pytest.mark.parametrize(
    ("found", "told"),
    [(True, "1 public number of drand, signatures checked"), (None, "signatures not checked")],
)
def test_the_number_is_in_the_dice_and_verify_says_what_it_checked(
    found: bool | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.record.beacon_check.signed", lambda *_: found)
    entries = log(play(tmp_path))
    checked = "; ".join(check_log("g", entries))
    assert told in checked
    assert "proved by a public number alone, drand's round 1000" in checked
    assert "if you saw the commitment before 2023-08-23 15:59:24 UTC" in checked
    match = match_record(entries)
    assert match.games[0].proof is not None
    assert f"{ROUND} {SIGNATURE}" in mixed(match.games[0].proof)
    assert jsonform.read(jsonform.write(match)) == match
    assert textform.read(textform.write(match)) == match


def test_a_number_that_is_not_the_networks_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.record.beacon_check.signed", lambda *_: False)
    with pytest.raises(Fault, match="game 1: the number in its dice is not that of drand's round 1000"):
        check_log("g", log(play(tmp_path)))


def test_a_round_that_was_known_before_the_commitment_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="entry 1: drand's round 1000 was known before the commitment"):
        check_log("g", log(play(tmp_path), "2026-01-31T20:15:00.000Z"))


def test_a_round_that_never_came_is_told(tmp_path: Path) -> None:
    checked = "; ".join(check_log("g", log(play(tmp_path, known=False))))
    assert "drand's number never came for the dice of game 1" in checked
    assert "not proved: no player's browser gave words" in checked


def test_an_absurd_round_in_a_file_is_a_fault(tmp_path: Path) -> None:
    data = jsonform.to_json(match_record(log(play(tmp_path))))
    data["games"][0]["proof"]["round"] = 2**60
    with pytest.raises(Fault, match="drand has no round"):
        check_record(jsonform.from_json(data))


def test_a_table_mixes_the_round_in_and_goes_on_without_a_network(tmp_path: Path) -> None:
    def unreachable(number: int) -> str:
        raise NoBeacon("no network")

    async def evening(drand: Drand, folder: Path) -> tuple[list[Event], list[str]]:
        folder.mkdir()
        async with running(folder, drand=drand) as desk:
            desk.buttons.press(None, Button.ROLL)
            await desk.until(lambda: any(isinstance(event, Roll) for event in desk.entries()))
            return desk.entries(), desk.said

    now, since = time_of(ROUND - 2) + 1, time.monotonic()
    fast = Drand(lambda: now + 20 * (time.monotonic() - since), lambda number: SIGNATURE)
    events, said = asyncio.run(evening(fast, tmp_path / "with"))
    assert any(isinstance(event, Beacon) for event in events)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firmware.dice.sealed.BEACON", 1.5)
        ahead = Drand(lambda: now, unreachable)
        patch.setattr(Drand, "due", lambda self, number: True)
        events, said = asyncio.run(evening(ahead, tmp_path / "without"))
    assert not any(isinstance(event, Beacon) for event in events)
    assert any("drand cannot be had, the game goes on without it: no network" in each for each in said)
    assert [event.round for event in events if isinstance(event, Commit)] == [ROUND]
