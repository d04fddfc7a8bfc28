"""Replacing a file: the old one or the new one, whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from firmware.files import replace_file, replacing


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
    (tmp_path / "file.part").write_text("half")
    replace_file(tmp_path / "file", b"whole", private=True)
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
