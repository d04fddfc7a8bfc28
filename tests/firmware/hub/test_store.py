"""The hub's database, both kinds; and the hub as one file, from each into the other."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, update

from firmware.errors import BadInput
from firmware.hub.hub_backup import back_up, restore
from firmware.hub.identity import Identity
from firmware.hub.ledger import Ledger
from firmware.hub.messages import Entries, Hello, Line
from firmware.hub.messages import Head as HeadSaid
from firmware.hub.schema import SCHEMA, facts, metadata
from firmware.hub.simulate import MemoryOutbox
from firmware.hub.store import NewEntry, Store, StoreError, open_store
from firmware.page.access import keeper
from firmware.record.chain import GENESIS, START, Head, canonical, link
from tests.firmware.hub_club import count_entries, written
from tests.firmware.hub_databases import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/hub.db"
    found: str = request.getfixturevalue("server")
    emptied = create_engine(found, connect_args={"client_encoding": "utf8"})
    metadata.drop_all(emptied)
    emptied.dispose()
    return found


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def lines(outbox: MemoryOutbox, match: str) -> list[Line]:
    return [
        Line(number=each.number, at=each.at, body=canonical(each.body), digest=each.digest.hex())
        for each in outbox.matches[match]
    ]


def filled(store: Store) -> MemoryOutbox:
    outbox = MemoryOutbox()
    board = store.add_board("club", "Table 1")
    for match, count in (("one", 12), ("two", 3)):
        written(outbox, match, count)
        store.keep([NewEntry(board.id, match, line) for line in lines(outbox, match)])
    return outbox


def test_entries_come_back_as_they_went_in(store: Store) -> None:
    outbox = filled(store)
    assert store.entries(1, "one") == outbox.matches["one"]
    assert store.heads(1, ["one", "two", "none"]) == {
        "one": outbox.head("one"),
        "two": outbox.head("two"),
        "none": START,
    }
    assert store.matches(1) == ["one", "two"]
    found = store.digests(1, [("one", 4), ("two", 0), ("two", 9)])
    assert found == {(m, n): outbox.matches[m][n].digest for m, n in (("one", 4), ("two", 0))}
    heads, counts = store.every_head("club")
    assert heads == {
        "Table 1": {m: (outbox.head(m).number, outbox.head(m).digest.hex()) for m in ("one", "two")}
    }
    assert (counts, count_entries(store)) == ({"Table 1": 15}, 15)


def test_an_entry_is_kept_once_and_a_failure_keeps_nothing(store: Store) -> None:
    outbox = filled(store)
    written(outbox, "three", 2)
    new = [NewEntry(1, "three", line) for line in lines(outbox, "three")]
    again = NewEntry(1, "one", lines(outbox, "one")[3])
    with pytest.raises(StoreError):
        store.keep([*new, again])
    assert (store.matches(1), count_entries(store)) == (["one", "two"], 15)
    assert store.heads(1, ["one"]) == {"one": Head(11, outbox.matches["one"][11].digest)}


def test_an_entry_that_no_journal_has_keeps_no_others_from_the_disk(store: Store) -> None:
    outbox = MemoryOutbox()
    written(outbox, "one", 2)
    boards = {name: store.add_board("club", name).id for name in ("Table 1", "Table 2")}
    ledger = Ledger(store)
    for bad in ('{"x":"\0"}', "not json", "[" * 100_000, '{"t":NaN}', "5", '{"b":1,"a":1}'):
        line = Line(number=0, at="", body=bad, digest=link(GENESIS, "bad", 0, "", bad).hex())
        made_up = Hello(heads=tuple(HeadSaid(match=f"x-{number}") for number in range(500)))
        outcome = ledger.put(
            [
                ("Table 1", Entries(match="bad", entries=(line,))),
                ("Table 1", made_up),
                ("Table 2", Entries(match="one", entries=tuple(lines(outbox, "one")))),
            ],
            boards,
        )
        assert "entry 0 is not taken" in outcome.wrong["Table 1", "bad"]
        assert (outcome.heads["Table 1"]["bad"], outcome.heads["Table 2"]["one"].number) == (START, 1)
    assert (store.matches(1), store.entries(2, "one")) == ([], outbox.matches["one"])
    assert list(ledger._heads) == [(2, "one")]


def test_names_codes_and_keys(store: Store) -> None:
    store.add_board("club", "Table 1")
    with pytest.raises(BadInput, match="there is a table 'Table 1' already"):
        store.add_board("club", "TABLE 1")
    first = store.board("club", "table 1")
    assert first is not None
    joined = store.note_joined(first, "a proof")
    assert joined is not None
    assert (joined.proof, store.note_joined(first, "another")) == ("a proof", None)
    renewed = store.renew_board("club", "Table 1")
    assert (renewed.id, renewed.serial, renewed.joined_at, renewed.proof) == (1, 2, None, None)
    assert store.note_joined(first, "late") is None  # the old code
    store.remove_board("club", "Table 1")
    with pytest.raises(BadInput, match="there is no table"):
        store.remove_board("club", "Table 1")
    again = store.add_board("club", "Table 1")
    assert (again.id, again.serial, again.removed_at) == (1, 3, None)
    assert store.add_board("another", "Table 1").id == 2


def test_states_and_assignments_are_replaced(store: Store) -> None:
    for name in ("Table 1", "Table 2"):
        store.add_board("club", name)
    store.keep_states([(1, '{"v":1}'), (2, "{}")])
    store.keep_states([(1, '{"v":2}')])
    store.keep_assignment(1, "a")
    store.keep_assignment(1, "b")
    assert (store.last_states(), store.assignments()) == ({1: '{"v":2}', 2: "{}"}, {1: "b"})


def test_a_later_database_is_refused(url: str) -> None:
    store = open_store(url)
    with store.begin() as connection:
        connection.execute(update(facts).where(facts.c.name == "schema").values(value=str(SCHEMA + 1)))
    store.close()
    with pytest.raises(BadInput, match="has version 2, this program knows versions up to 1"):
        open_store(url)


def test_a_backup_makes_the_same_hub_in_either_database(store: Store, tmp_path: Path) -> None:
    outbox = filled(store)
    store.keep_states([(1, "{}")])
    own = Identity.load_or_make(tmp_path / "old")
    count = back_up(store, tmp_path / "old", tmp_path / "club.hub")  # nobody has asked for its PIN yet
    pin = keeper(tmp_path / "old", lambda: 0.0).pin
    assert back_up(store, tmp_path / "old", tmp_path / "club.hub") == count
    with pytest.raises(BadInput, match="there is a hub here already"):
        restore(store, tmp_path / "old", tmp_path / "club.hub")
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    (tmp_path / "new").mkdir()
    assert restore(other, tmp_path / "new", tmp_path / "club.hub") == count
    assert (other.fact("hub"), other.boards("club")) == (store.fact("hub"), store.boards("club"))
    assert other.entries(1, "one") == outbox.matches["one"]
    assert Identity.load_or_make(tmp_path / "new").code(other.boards("club")[0]) == own.code(
        store.boards("club")[0]
    )
    assert keeper(tmp_path / "new", lambda: 0.0).pin == pin
    # And back into this kind.
    back_up(other, tmp_path / "new", tmp_path / "again.hub")
    other.close()
    metadata.drop_all(store.engine)
    metadata.create_all(store.engine)
    assert restore(store, tmp_path / "new", tmp_path / "again.hub") == count
    assert store.add_board("club", "Table 2").id == 2
    assert (tmp_path / "club.hub").stat().st_mode & 0o777 == 0o600


def _unpacked(data: bytes | bytearray) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return b""


def test_a_damaged_backup_changes_nothing(store: Store, tmp_path: Path) -> None:
    filled(store)
    Identity.load_or_make(tmp_path / "old")
    back_up(store, tmp_path / "old", tmp_path / "club.hub")
    whole = (tmp_path / "club.hub").read_bytes()
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    (tmp_path / "new").mkdir()
    # Before 100 is the name that it had.
    for at in (*range(100, len(whole) - 8, len(whole) // 40), *range(len(whole) - 8, len(whole))):
        damaged = bytearray(whole)
        damaged[at] ^= 4
        if _unpacked(damaged) == _unpacked(whole):
            continue  # a bit that says nothing: which of two runs of zeros is repeated
        (tmp_path / "club.hub").write_bytes(damaged)
        with pytest.raises(BadInput, match="cannot restore from"):
            restore(other, tmp_path / "new", tmp_path / "club.hub")
    assert other.boards("club") == []
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("boards.jsonl", "3"),
        ("boards.jsonl", "[1]"),
        ("boards.jsonl", '{"id": {"bytes": 3}}'),
        ("boards.jsonl", "[" * 100_000),
        ("boards.jsonl", '{"id": 99999999999999999999}'),
        ("facts.jsonl", '{"name": "schema", "value": null}'),
        ("hub-cert.pem", ""),
        ("hub-key.pem", "-----BEGIN PRIVATE KEY-----"),
        ("hub-secret", "none"),
    ],
)
def test_a_backup_of_which_a_part_was_altered_by_hand_is_refused(
    store: Store, tmp_path: Path, name: str, row: str
) -> None:
    Identity.load_or_make(tmp_path / "old")
    back_up(store, tmp_path / "old", tmp_path / "club.hub")
    with (
        tarfile.open(tmp_path / "club.hub") as given,
        tarfile.open(tmp_path / "odd.hub", "w:gz") as made,
    ):
        for each in given:
            kept = given.extractfile(each)
            assert kept is not None
            content = row.encode() if each.name == name else kept.read()
            each.size = len(content)
            made.addfile(each, io.BytesIO(content))
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    with pytest.raises(BadInput, match="cannot restore from"):
        restore(other, tmp_path / "old", tmp_path / "odd.hub")


@pytest.mark.parametrize(
    "bad", ["hub.db", "nodb://x", "sqlite:////no/such/folder/hub.db", "postgresql+psycopg://x@127.0.0.1:1/x"]
)
def test_what_is_no_database_is_said_in_one_line(bad: str) -> None:
    with pytest.raises(BadInput) as refused:
        open_store(bad)
    assert "\n" not in str(refused.value)
    assert "database" in str(refused.value)
