"""``barpoint verify --key`` and ``barpoint key``, as a director types them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.event_json import from_json
from firmware.cli import cli
from firmware.record.journal import Journal
from firmware.record.table_key import FILE, TableKey
from firmware.recordings.recorder import FOLDER
from tests.firmware.record.test_signed import OURS, signed
from tests.firmware.record.test_tampering import played

LOG = "g"


def barpoint(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return [event.to_json() for event in played(tmp_path_factory.mktemp("house"))]


@pytest.fixture
def state(tmp_path: Path, bodies: list[Any]) -> Path:
    """A state directory with a signed match and its recording."""
    folder = tmp_path / FOLDER / LOG
    folder.mkdir(parents=True)
    picture, rig = b"a picture", b"a rig"
    (folder / "000000.jpg").write_bytes(picture)
    (folder / "table.rig").write_bytes(rig)
    moment = {"t": 0, "frame": "000000.jpg", "sha256": hashlib.sha256(picture).hexdigest()}
    reel = {"rig": "table.rig", "sha256": hashlib.sha256(rig).hexdigest(), "timeline": [moment]}
    text = json.dumps(reel)
    (folder / "reel.json").write_text(text)
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.restore(signed(bodies, recording=hashlib.sha256(text.encode()).hexdigest()))
    return tmp_path


def test_a_key_is_made_once_and_private(tmp_path: Path) -> None:
    none = barpoint("key", "--state", tmp_path)
    assert none.exit_code == 1
    assert "no key yet" in none.output
    assert not (tmp_path / FILE).exists()
    made = json.loads(barpoint("key", "--make", "--json", "--state", tmp_path).output)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    shown = barpoint("key", "--make", "--no-qr", "--state", tmp_path).output
    assert shown.replace(" ", "").strip() == made["key"]
    assert made["code"] == f"BARPOINT-KEY:{made['key'].upper()}"
    assert "█" in barpoint("key", "--qr", "--state", tmp_path).output
    assert TableKey.load(tmp_path).public == made["key"]


@pytest.mark.parametrize(
    "data", [b"", b"rubbish", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_named_and_never_replaced(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    done = barpoint("key", "--make", "--state", tmp_path)
    assert done.exit_code != 0
    assert (tmp_path / FILE).read_bytes() == data


def test_it_is_checked_by_keys_and_lists_of_them(state: Path, tmp_path: Path) -> None:
    listed = tmp_path / "tables.txt"
    listed.write_text(f"{'ab' * 32} Table 1\n{OURS.public} Table 2\n")
    for given in (OURS.public, listed):
        done = barpoint("verify", "last", "--state", state, "--key", given)
        assert done.exit_code == 0, done.output
        assert "1 recorded picture, none altered or missing" in done.output
    assert "signed by Table 2" in done.output
    wrong = barpoint("verify", "last", "--state", state, "--key", "ab" * 32)
    assert wrong.exit_code == 1
    assert wrong.output.startswith("last: it is signed by another table")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "neither a key (64 hex digits) nor a file of keys"),
        ("ab" * 31, "neither a key"),
        ("ab" * 33, "neither a key"),
        ("", "neither a key"),
    ],
)
def test_what_is_no_key_is_bad_usage(state: Path, text: str, why: str) -> None:
    done = barpoint("verify", "last", "--state", state, "--key", text)
    assert done.exit_code not in (0, 1) or done.exception is not None
    assert why in str(done.exception)


@pytest.mark.parametrize("name", ["000000.jpg", "table.rig", "reel.json"])
def test_a_changed_or_missing_picture_is_one_sentence(state: Path, name: str) -> None:
    file = state / FOLDER / LOG / name
    file.write_bytes(file.read_bytes().replace(b"a ", b"an "))
    if name != "reel.json":
        done = barpoint("verify", "last", "--state", state)
        assert done.exit_code == 1
        assert f"{name}: altered after the match was signed" in done.output
        file.unlink()
        assert barpoint("verify", "last", "--state", state).exit_code == 1
        return
    file.write_text(file.read_text() + " ")
    assert "reel.json: altered after the match was signed" in barpoint("verify", LOG, "--state", state).output
    file.unlink()  # room was needed: no fault
    gone = barpoint("verify", "last", "--state", state)
    assert gone.exit_code == 0
    assert "its pictures were signed, too, and are not here" in gone.output
    assert barpoint("verify", "last", "--state", state, "--pictures", file.parent).exit_code == 1


def test_another_matchs_pictures_are_not_these(state: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "reel.json").write_text('{"timeline": []}')
    done = barpoint("verify", "last", "--state", state, "--pictures", other)
    assert done.exit_code == 1
    assert "reel.json: altered after the match was signed" in done.output


def test_an_exported_match_can_be_imported_and_is_still_signed(state: Path, tmp_path: Path) -> None:
    files = {form: tmp_path / f"match.{form}" for form in ("json", "mat", "sgf")}
    for form, file in files.items():
        assert barpoint("export", "last", "--format", form, "-o", file, "--state", state).exit_code == 0
        done = barpoint("verify", file, "--key", OURS.public)
        assert done.exit_code == 0, done.output
        assert barpoint("import", file, "--state", tmp_path / form).exit_code == 0
    altered = files["json"].read_text().replace('"dice": [', '"dice": [ 7,', 1)
    files["json"].write_text(altered)
    assert barpoint("verify", files["json"]).exit_code != 0


def test_a_log_that_is_not_signed_says_so(tmp_path: Path, bodies: list[Any]) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        for body in bodies:
            journal.append(LOG, "2026-01-31T20:15:00.000Z", replace(from_json(body)).to_json())
    assert barpoint("verify", "last", "--state", tmp_path).output.rstrip().endswith("; not signed")
    done = barpoint("verify", "last", "--state", tmp_path, "--key", OURS.public)
    assert done.exit_code == 1
    assert "it is not signed, so nothing proves which table it was played at" in done.output
