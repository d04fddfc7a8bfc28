"""Whatever a forger does to a signed match, ``barpoint verify`` says so in one sentence; with the table's key
from elsewhere, even where the forger has a key too."""

from __future__ import annotations

import copy
import json
import random
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.errors import EngineError
from engine.events import Key, Sign
from firmware import formats
from firmware.formats.source import FormatError
from firmware.record import seal
from firmware.record.archive import match_record
from firmware.record.chain import Entry, JournalError, canonical
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.signature import TITLE, BadSignature, Signature
from firmware.record.signed import check_exported, newest, sign
from firmware.record.table_key import TableKey, code, grouped, read_keys
from firmware.record.verify import check_journal, check_log
from tests.firmware.record.test_tampering import chained, clock, played

OURS = TableKey(Ed25519PrivateKey.from_private_bytes(b"\1" * 32))
THEIRS = TableKey(Ed25519PrivateKey.from_private_bytes(b"\2" * 32))
KNOWN = {OURS.public: "Table 1", "ab" * 32: "Table 2"}
NAMES = {"white": "Jos\u00e9", "black": "Ada"}


def signed(bodies: list[Any], key: TableKey = OURS, recording: str = "") -> list[Entry]:
    """These events under a key, with their signature at the end."""
    under = [bodies[0], Key(t=0, key=key.public).to_json(), *bodies[1:]]
    return closed(under, key, recording)


def closed(bodies: list[Any], key: TableKey, recording: str = "") -> list[Entry]:
    """These events with a signature by this key after them."""
    made = sign("g", chained(bodies, clock), key, recording)
    event = Sign(t=1e6, record=made.record, moves=made.moves, recording=recording, signature=made.signature)
    return chained([*bodies, event.to_json()], clock)


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    found = [event.to_json() for event in played(tmp_path_factory.mktemp("house"))]
    return [{**found[0], "players": NAMES}, *found[1:]]


@pytest.fixture(scope="module")
def entries(bodies: list[Any]) -> list[Entry]:
    return signed(bodies)


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Another match of the same table."""
    return signed([event.to_json() for event in played(tmp_path_factory.mktemp("other"))])


def test_the_match_as_it_was_is_in_order(entries: list[Entry]) -> None:
    assert f"signed by key {OURS.public[:16]}" in " ".join(check_log("g", entries))
    assert "signed by Table 1" in " ".join(check_log("g", entries, KNOWN))


def test_the_wrong_key_is_one_sentence(entries: list[Entry]) -> None:
    with pytest.raises(Fault, match=r"^it is signed by another table: by key .*…, not by key .*…$"):
        check_log("g", entries, {THEIRS.public: ""})
    with pytest.raises(Fault, match=r"not by any of the 2 keys given$"):
        check_log("g", entries, {THEIRS.public: "", "cd" * 32: ""})


# -- the log


def _bodies(entries: list[Entry]) -> list[Any]:
    return [copy.deepcopy(entry.body) for entry in entries]


def _named(old: str, new: str) -> Callable[[list[Any], list[Any]], None]:
    def change(bodies: list[Any], other: list[Any]) -> None:
        assert bodies[0]["players"]["white"] == old != new
        bodies[0]["players"]["white"] = new

    return change


def _swapped(bodies: list[Any], other: list[Any]) -> None:
    bodies[-1] = other[-1]


def _stale(bodies: list[Any], other: list[Any]) -> None:
    """More entries, then the old signature once more."""
    bodies.insert(-1, {"event": "correct", "t": 1e6, "score": [0, 1]})


def _resigned(bodies: list[Any], other: list[Any]) -> None:
    """Another table signs what is kept under our key."""
    changed = [*bodies[:-1]]
    changed[0]["players"]["white"] = "Eve"
    bodies[:] = _bodies(closed(changed, THEIRS))


def _set(field: str, value: Any) -> Callable[[list[Any], list[Any]], None]:
    return lambda bodies, other: bodies[-1].update({field: value})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_swapped, "the signature is wrong"),
        (_stale, "entry|the signature is wrong"),
        (_resigned, "the signature is wrong"),
        (_named("Jos\u00e9", unicodedata.normalize("NFD", "Jos\u00e9")), "the signature is wrong"),
        (_named("Jos\u00e9", "\u0408os\u00e9"), "the signature is wrong"),
        (_named("Jos\u00e9", "Jos\u00e9\u200d"), "the signature is wrong"),
        (_set("signature", "ab" * 64), "the signature is wrong"),
        (_set("record", "ab" * 32), "the signature is wrong"),
        (_set("moves", "ab" * 32), "the signature is wrong"),
        (_set("recording", "ab" * 32), "the signature is wrong"),
        (_set("t", 1e6 + 1), "signed by"),
        (_set("signature", "AB" * 64), "its signature is none"),
        (_set("signature", "ab"), "its signature is none"),
        (_set("signature", ""), "its signature is none"),
        (_set("record", "../../x"), "its record is none"),
        (_set("key", THEIRS.public), "entry .*unknown field 'key'"),
        (_set("match", "h"), "entry .*unknown field 'match'"),
        (lambda bodies, other: bodies.pop() and None, "its signature by key .* is missing"),
        (lambda bodies, other: bodies.append(bodies[-1]), "the match is signed already"),
        (lambda bodies, other: bodies.pop(1) and None, "no key was named"),
        (
            lambda bodies, other: bodies.append({"event": "correct", "t": 1e6, "score": [0, 1]}),
            "1 entry followed that no signature covers|it was signed after",
        ),
        (lambda bodies, other: bodies[1].update(key="ab" * 32), "the signature is wrong"),
        (lambda bodies, other: bodies[1].update(key="x"), "its key is none"),
        (lambda bodies, other: bodies[1].update(key="AB" * 32), "its key is none"),
    ],
)
def test_a_new_chain_does_not_help_who_has_not_the_key(
    change: Callable[[list[Any], list[Any]], None], told: str, entries: list[Entry], another: list[Entry]
) -> None:
    forged = _bodies(entries)
    change(forged, _bodies(another))
    assert forged != _bodies(entries)
    if told == "signed by":  # when it was signed is not part of what is signed, and proves nothing
        assert "signed by Table 1" in " ".join(check_log("g", chained(forged, clock), KNOWN))
        return
    with pytest.raises(Fault, match=told):
        check_log("g", chained(forged, clock), KNOWN)


def _without_either(bodies: list[Any]) -> list[Entry]:
    return chained([bodies[0], *bodies[2:-1]], clock)


def _another_key(bodies: list[Any]) -> list[Entry]:
    """A forger with a key of their own, who changes the log and puts that key into it."""
    bodies[0]["players"]["white"] = "Eve"
    return signed([bodies[0], *bodies[2:-1]], THEIRS)


def _changed_key(bodies: list[Any]) -> list[Entry]:
    """The same, after the true key: as if the table had got a new one during the match."""
    bodies[0]["players"]["white"] = "Eve"
    return closed([*bodies[:-1], Key(t=1e5, key=THEIRS.public).to_json()], THEIRS)


def _cut_short(bodies: list[Any]) -> list[Entry]:
    """The last game is gone: the match goes on."""
    ends = [place for place, body in enumerate(bodies) if body["event"] == "next"]
    return chained(bodies[: ends[-1]], clock)


@pytest.mark.parametrize(
    ("forge", "told", "alone"),
    [
        (_without_either, "it is not signed", "the match is finished"),
        (_another_key, "it is signed by another table", f"signed by key {THEIRS.public[:16]}"),
        (_changed_key, "it is signed by another table", "the table's key changed 1 time during the match"),
        (_cut_short, "it has not ended, so it is not signed yet by", "not signed before its end"),
    ],
)
def test_only_a_key_from_elsewhere_finds_a_whole_forgery(
    forge: Callable[[list[Any]], list[Entry]], told: str, alone: str, entries: list[Entry]
) -> None:
    forged = forge(_bodies(entries))
    assert alone in " ".join(check_log("g", forged))
    with pytest.raises(Fault, match=told):
        check_log("g", forged, KNOWN)


def test_a_log_of_another_id_does_not_have_our_signature(entries: list[Entry]) -> None:
    from firmware.record.chain import GENESIS, link

    renamed, before = [], GENESIS
    for entry in entries:
        digest = link(before, "h", entry.number, entry.at, canonical(entry.body))
        renamed.append(replace(entry, game="h", digest=digest))
        before = digest
    with pytest.raises(Fault, match=r"the signature is wrong|committed to for another match"):
        check_log("h", renamed)


def test_an_entry_with_a_key_twice_is_altered(tmp_path: Path, entries: list[Entry]) -> None:
    """It would say one thing to people and another to the program."""
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.restore(entries)
        text = canonical(entries[0].body)
        twice = text.replace("{", '{"place":"Paris",', 1)
        assert json.loads(text.replace("{", '{"rules":"zombie",', 1)) == json.loads(text)
        journal._connection.execute("DROP TRIGGER events_stay")
        query = "UPDATE events SET body = ? WHERE number = 0"
        journal._connection.execute(query, (text.replace("{", '{"rules":"zombie",', 1),))
        assert "signed by Table 1" in " ".join(check_log("g", journal.entries("g"), KNOWN))
        with pytest.raises(JournalError, match="entry 0: altered: it is not written as this program writes"):
            journal.check_texts("g")
        with pytest.raises(Fault, match="entry 0: altered"):
            check_journal(journal, KNOWN)
        assert twice != text


# -- files


def exported(entries: list[Entry], form: str) -> str:
    return seal.export_file(match_record(entries), newest("g", entries), form).decode()


def checked(text: str, form: str) -> str:
    if form == "json":
        match, _, signature = seal.signed_record(text)
    else:
        match, signature = Signature.of(formats.read(text, form).record)
    return " ".join(check_exported(match, signature, form, KNOWN))


@pytest.mark.parametrize("form", ["json", "text", "mat", "sgf"])
def test_a_file_carries_the_signature(form: str, entries: list[Entry]) -> None:
    assert "signed by Table 1" in checked(exported(entries, form), form)


def test_an_ogxm_file_is_signed_by_the_table_that_signed_the_match(entries: list[Entry]) -> None:
    ogxm = pytest.importorskip("ogxm", reason="the package ogxm has no wheel for this machine")
    match, signature = match_record(entries), newest("g", entries)
    ours = bytes.fromhex(OURS.public)
    assert signature is not None
    assert ogxm.verify_match(seal.export_file(match, signature, "ogxm", OURS), keys={ours})
    altered = replace(match, players=("Eve", "Ada"))
    forged = replace(signature, moves="00" * 32)
    for which, by, key in (
        (match, signature, None),
        (match, signature, THEIRS),
        (altered, signature, OURS),
        (match, forged, OURS),
        (match, None, OURS),
    ):
        assert not ogxm.verify_match(seal.export_file(which, by, "ogxm", key))
    comments = ogxm.binary_to_json(seal.export_file(match, signature, "ogxm"))["annotations"]
    assert TITLE in comments[0]["value"]


def test_an_xgid_of_each_decision_carries_none(entries: list[Entry]) -> None:
    assert TITLE not in exported(entries, "xgid")


def test_a_file_that_cannot_hold_all_of_a_match_claims_no_signature(bodies: list[Any]) -> None:
    begun = {**bodies[0], "players": {"white": "One:  Two", "black": "-"}, "place": "a\nb\n"}
    entries = signed([begun, *bodies[1:]])
    for form in ("mat", "sgf"):
        text = exported(entries, form)
        assert TITLE not in text or "signed by" in checked(text, form)
    assert "signed by" in checked(exported(entries, "json"), "json")


@pytest.mark.parametrize(
    ("form", "change"),
    [
        ("mat", lambda text: text.replace('"Ada"', '"Eve"').replace("Ada", "Eve")),
        ("mat", lambda text: text.replace(" 3 point match", " 5 point match")),
        ("mat", lambda text: text.replace("key: ", "key: 00", 1)),
        ("mat", lambda text: text.replace("entries: ", "entries: 1")),
        ("mat", lambda text: text.replace("; head: ", "; head: x")),
        ("mat", lambda text: text.replace(TITLE, "Barpoint signature 2")),
        ("sgf", lambda text: text.replace("PB[Ada]", "PB[Eve]")),
        ("sgf", lambda text: text.replace("signature: ", "signature: 00")),
        ("text", lambda text: text.replace("Ada", "Eve")),
        ("text", lambda text: text.replace("\\nrecord: ", "\\nmoves: 00\\nrecord: ")),
        ("json", lambda text: text.replace("Ada", "Eve")),
    ],
)
def test_an_altered_file_is_not_what_was_signed(
    form: str, change: Callable[[str], str], entries: list[Entry]
) -> None:
    text = exported(entries, form)
    forged = change(text)
    assert forged != text
    with pytest.raises(BadSignature):
        checked(forged, form)


def _json(entries: list[Entry]) -> Any:
    return json.loads(exported(entries, "json"))


def _refused(data: Any, told: str) -> None:
    with pytest.raises(BadSignature, match=told):
        checked(json.dumps(data), "json")


def test_another_match_does_not_take_a_signature(entries: list[Entry], another: list[Entry]) -> None:
    data = _json(entries) | {"signature": _json(another)["signature"]}
    _refused(data, "the signature is of another match, or this one was altered")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["games"][0]["proof"].pop("secret"),
        lambda data: data["games"].pop(),
        lambda data: data["games"][0]["actions"].pop(2),
        lambda data: data["games"][0]["actions"].insert(1, {"do": "remark", "text": "Ada cheated"}),
        lambda data: data["terms"].update(length=5),
        lambda data: data.update(comment="played at the club"),
        lambda data: data.update(date="2020-01-01"),
    ],
)
def test_json_must_be_all_that_was_signed(change: Callable[[Any], Any], entries: list[Entry]) -> None:
    data = _json(entries)
    change(data)
    _refused(data, "the signature is of another match, or this one was altered")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda signature: signature.update(key=THEIRS.public), "it is signed by another table"),
        (lambda signature: signature.update(entries=1), "the signature is wrong"),
        (lambda signature: signature.update(entries=True), "its entries is none"),
        (lambda signature: signature.update(entries=1.0), "its entries is none"),
        (lambda signature: signature.update(match="h"), "the signature is wrong"),
        (lambda signature: signature.update(match="../x"), "its match is none"),
        (lambda signature: signature.update(head=None), "its head is none"),
        (lambda signature: signature.update(words="x"), "'words' is no field"),
        (lambda signature: signature.pop("record"), "record is missing"),
        (lambda signature: signature.pop("moves"), "the signature is wrong"),
        (lambda signature: signature.update(recording="ab" * 32), "the signature is wrong"),
    ],
)
def test_a_damaged_signature_is_named(change: Callable[[Any], Any], told: str, entries: list[Entry]) -> None:
    data = _json(entries)
    change(data["signature"])
    _refused(data, told)


@pytest.mark.parametrize("signature", [None, [], "x", 5, {}])
def test_a_signature_of_another_kind_is_none(signature: Any, entries: list[Entry]) -> None:
    _refused(_json(entries) | {"signature": signature}, "it is not signed|the signature is damaged")


def test_a_file_with_two_signatures_is_refused(entries: list[Entry]) -> None:
    text = exported(entries, "json")
    with pytest.raises(FormatError, match="'signature' is there twice"):
        checked(text.replace('"signature":', '"signature": {}, "signature":', 1), "json")


@pytest.mark.parametrize("form", ["json", "mat", "sgf", "text"])
def test_a_random_slip_of_the_pen_proves_nothing_and_breaks_nothing(form: str, entries: list[Entry]) -> None:
    """Whatever still counts as signed says the same as before."""
    text, source = exported(entries, form), random.Random(7)
    whole = _said(text, form)
    for _ in range(150):
        letters = list(text)
        for _ in range(source.randint(1, 3)):
            place = source.randrange(len(letters))
            letters[place] = source.choice(("", letters[place] * 2, *'0189aZ \n"{}:;\u202e\ud83d'))
        with suppress(BadSignature, FormatError, EngineError):
            checked("".join(letters), form)
            assert _said("".join(letters), form) == whole


def test_a_resignation_that_was_taken_out_breaks_nothing(entries: list[Entry]) -> None:
    match = match_record(entries)
    resigned = next(game for game in match.games if game.result and game.result.cause == "resigned")
    without = replace(match, games=(replace(resigned, actions=()),))
    assert seal.moves_digest(without) != seal.moves_digest(match)


def _said(text: str, form: str) -> Any:
    if form == "json":
        return seal.record_digest(seal.signed_record(text)[0])
    record, signature = Signature.of(formats.read(text, form).record)
    assert signature is not None
    return (seal.record_digest if form == "text" else seal.moves_digest)(record), signature.statement()


# -- keys


def test_a_key_is_read_however_it_is_written(tmp_path: Path) -> None:
    public = OURS.public
    for text in (public, public.upper(), grouped(public), code(public), f"{code(public)} Table 1"):
        assert list(read_keys([text])) == [public]
    listed = tmp_path / "keys.txt"
    listed.write_text(f"# the club\n\n{grouped(public)} Table 1\n{THEIRS.public}\n")
    assert read_keys([str(listed)]) == {public: "Table 1", THEIRS.public: ""}


def test_openssl_checks_a_signature_too(entries: list[Entry], tmp_path: Path) -> None:
    import shutil
    import subprocess

    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here")
    found = newest("g", entries)
    assert found is not None
    # The ASN.1 head of an Ed25519 public key, RFC 8410.
    (tmp_path / "key.der").write_bytes(bytes.fromhex("302a300506032b6570032100" + found.key))
    (tmp_path / "what").write_bytes(found.statement())
    (tmp_path / "signature").write_bytes(bytes.fromhex(found.signature))
    check = [openssl, "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key.der", "-rawin"]
    check += ["-in", "what", "-sigfile", "signature"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
