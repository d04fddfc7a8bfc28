"""Replacing a file: the old one or the new one, whole."""

from __future__ import annotations

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.files import is_file, replace_file, replacing
from firmware.record.chain import JournalError
from firmware.record.recover import recover


def test_the_new_content_takes_the_place_of_the_old_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    replace_file(path, "nëw")
    assert path.read_text(encoding="utf-8") == "nëw"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_half_way_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            replace_file(path, "new")
    with pytest.raises(KeyError):
        _write_half(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def _write_half(path: Path) -> None:
    with replacing(path) as part:
        part.write_text("half")
        raise KeyError


def test_what_a_power_cut_left_behind_is_no_obstacle(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    for left in (gone.pid, os.getpid()):
        for ending in ("", "-wal", ".part"):
            (tmp_path / f"file.barpoint-{left}-0.part{ending}").write_text("half")
    others = {"file.part", f"file.barpoint-{os.getppid()}-0.part", "barpoint-1-1.part"}
    for name in others:
        (tmp_path / name).write_text("somebody writes it")
    replace_file(tmp_path / "file", b"whole", private=True)
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert {each.name for each in tmp_path.iterdir()} == {"file", *others}


def test_several_who_write_at_once_leave_one_of_their_texts_whole(tmp_path: Path) -> None:
    texts = [letter * 10_000 for letter in "abcd"]
    path = tmp_path / "file"
    path.write_text(texts[0])

    def write(text: str) -> None:
        for _ in range(50):
            replace_file(path, text)

    with ThreadPoolExecutor(len(texts)) as pool:
        writing = [pool.submit(write, each) for each in texts]
        while not all(each.done() for each in writing):
            assert path.read_text() in texts
        for each in writing:
            each.result()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "command",
    [
        ("restore", "{file}"),
        ("import", "{file}"),
        ("verify", "{file}"),
        ("review", "{file}"),
        ("best", "{file}"),
        ("config", "--check", "{file}"),
        ("verify", "last", "--words", "{file}"),
        ("replay", "{folder}"),
    ],
)
def test_a_file_without_an_end_fills_no_memory(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "reel.json"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(SystemExit) as ended:
        main([each.format(file=file, folder=tmp_path) for each in command])
    assert ended.value.code == 2
    assert "it is longer than" in capsys.readouterr().err


def test_a_file_that_must_not_be_read_is_told_where_a_whole_path_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", closed)
        assert not is_file(Path("last"))
        with pytest.raises(PermissionError):
            is_file(tmp_path / "match.json")
        with pytest.raises(JournalError, match="Permission denied; copy it to where this user may read it"):
            recover(tmp_path / "journal.db")
