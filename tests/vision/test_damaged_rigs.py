"""Rig files that were damaged or made to harm: opened, or refused in one line; nothing else happens."""

from __future__ import annotations

import base64
import contextlib
import json
import resource
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision import boards
from vision.errors import RigError

RIGS = Path(__file__).parents[1] / "data/releases/0.1.0/state"
NAMES = ("table.rig", "table-pyramids.rig", "table-hexes.rig")


@cache
def _text(name: str) -> str:
    return (RIGS / name).read_text()


def _opened(path: Path, text: str) -> None:
    path.write_text(text)
    boards.load(path)


def _places(value: Any, ahead: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Of every value; of long lists the first few."""
    keys = (
        list(value) if isinstance(value, dict) else range(min(2, len(value))) if type(value) is list else ()
    )
    return [place for key in keys for place in ((*ahead, key), *_places(value[key], (*ahead, key)))]


def _replaced(name: str, place: tuple[Any, ...], text: str) -> str:
    data = inner = json.loads(_text(name))
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = "HERE"
    return json.dumps(data).replace('"HERE"', text)


def _bomb() -> str:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    pack = zlib.compressobj(9)
    lines = b"".join(pack.compress(bytes(20_001 * 3)) for _ in range(100)) + pack.flush()
    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")
    return base64.b64encode(png).decode()


@pytest.mark.parametrize("name", NAMES)
def test_the_rigs_of_these_tests_open(name: str) -> None:
    boards.load(RIGS / name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "size", ["[1e999, 1]", "[NaN, 1]", "[1e300, 1e300]", "[-1, -1]", "[0.5, 1]", "[" * 3000]
)
def test_a_camera_that_no_table_has_is_refused(name: str, size: str, tmp_path: Path) -> None:
    with pytest.raises(RigError) as refused:
        _opened(tmp_path / "table.rig", _replaced(name, ("camera", "size"), size))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_surface_that_promises_gigabytes_is_not_decoded(name: str, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(RigError, match="20000x20000"):
        _opened(tmp_path / "table.rig", _replaced(name, ("surface_png",), f'"{_bomb()}"'))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_measures_of_a_board_of_a_kilometre_are_refused(tmp_path: Path) -> None:
    data = json.loads(_text("table.rig"))
    data["measures_cm"] |= {"checker": 0.01, "width": 1000.0, "height": 1000.0}
    with pytest.raises(RigError, match="measures"):
        _opened(tmp_path / "table.rig", json.dumps(data))


def test_a_file_longer_than_any_rig_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "table.rig").open("wb") as file:
        file.truncate(10_000_000_000)
    with pytest.raises(RigError, match="longer"):
        boards.load(tmp_path / "table.rig")
    assert boards.kind_in(tmp_path / "table.rig") is None


@pytest.mark.parametrize(
    "text", ["[]", "3", "null", '{"kind": []}', '{"kind": "checkers", "kind": "hexes"}', ""]
)
def test_what_is_no_rig_is_said_to_be_none(text: str, tmp_path: Path) -> None:
    with pytest.raises(RigError, match="rig"):
        _opened(tmp_path / "table.rig", text)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("table.rig", ("paint", "tints", 1, "relief"), "[]"),
        ("table.rig", ("paint", "tints", 0, "relief", 0), "[0]"),
        ("table-hexes.rig", ("model", "sorts", "border", 1, 0), "-1"),
        ("table-hexes.rig", ("model", "sorts", "border", 1, 3), "0"),
        ("table-hexes.rig", ("model", "bare", 0, 0), "1e300"),
        ("table-pyramids.rig", ("eye_cm", 1), "-1e6"),
        ("table-pyramids.rig", ("eye_cm", 2), "4"),
        ("table.rig", ("quality", "wrong"), '"p1"'),
        ("table.rig", ("quality", "uneven"), '["14 white"]'),
    ],
)
def test_what_would_fail_at_the_first_picture_is_refused(
    name: str, place: tuple[Any, ...], value: str, tmp_path: Path
) -> None:
    with pytest.raises(RigError, match="damaged"):
        _opened(tmp_path / "table.rig", _replaced(name, place, value))


HOSTILE = (
    "1e999", "-1e999", "NaN", "1e308", "-1", "0", "9" * 5000, "1e-320", "true", "null", '""', '"x"', "[]",
    "{}", "[[[]]]", "100000000", '"' + "A" * 1000 + '"',
)  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(NAMES), st.randoms(use_true_random=False), st.sampled_from(HOSTILE))
def test_any_value_may_be_damaged(name: str, random: Any, hostile: str) -> None:
    place = random.choice(_places(json.loads(_text(name))))
    path = Path(mkdtemp()) / "table.rig"
    with contextlib.suppress(RigError):
        _opened(path, _replaced(name, place, hostile))
    path.unlink()
    path.parent.rmdir()


def test_a_rig_that_cannot_be_written_leaves_the_one_before_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, path = boards.load(RIGS / NAMES[0]).table, tmp_path / "table.rig"
    boards.save(table, path, "backgammon")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        boards.save(table, path, "zombie")
    assert [each.name for each in tmp_path.iterdir()] == ["table.rig"]
    assert boards.load(path).rules == "backgammon"


def test_two_may_write_a_rig_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, path, both = boards.load(RIGS / NAMES[0]).table, tmp_path / "table.rig", Barrier(2, timeout=10)
    monkeypatch.setattr("os.fsync", lambda handle: both.wait())
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda rules: boards.save(table, path, rules), ("backgammon", "zombie")))
    assert boards.load(path).rules in ("backgammon", "zombie")
