"""Commands about this table mean the installed one, where there is one."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.commands import _config, pin
from firmware.commands._config import table_folder
from firmware.errors import BadInput
from firmware.settings.config import Config


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The installed table's folder, to which ./install has made a link."""
    folder = tmp_path / "installed"
    folder.mkdir()
    (tmp_path / "state").symlink_to(folder)
    monkeypatch.setattr(_config, "INSTALLED", tmp_path / "state")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("BARPOINT_STATE", raising=False)
    return folder


def test_without_a_choice_it_is_the_installed_tables_folder(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table_folder(Config(), None, None) == installed
    assert table_folder(Config(), None, tmp_path) == tmp_path
    assert table_folder(Config(), tmp_path / "b.toml", None) == tmp_path / "own/barpoint"
    monkeypatch.setenv("BARPOINT_STATE", str(tmp_path / "third"))
    assert table_folder(Config(), None, None) == tmp_path / "third"
    monkeypatch.delenv("BARPOINT_STATE")
    (tmp_path / "state").unlink()
    assert table_folder(Config(), None, None) == tmp_path / "own/barpoint"


def test_nobody_is_shown_a_pin_that_opens_nothing(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sudo a PIN was made in a folder of one's own, and shown with the installed table's address."""
    monkeypatch.setattr(os, "access", lambda path, mode: path != installed)
    done = CliRunner().invoke(pin.command)
    assert isinstance(done.exception, BadInput)
    assert "run this with sudo" in str(done.exception)
    assert not (tmp_path / "own").exists()
