"""Where results go: whole files, links, devices, standard output."""

import os
import threading
from pathlib import Path

import pytest

from firmware.commands._output import ordinary_file, save
from firmware.errors import BadInput
from firmware.record.chain import JournalError
from firmware.record.journal import Journal


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "match.mat"
    target.write_text("old")
    save(target, "né\n")
    assert target.read_text(encoding="utf-8") == "né\n"
    assert [path.name for path in tmp_path.iterdir()] == ["match.mat"]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    save(link, "one\n")
    save(link, "two\n")
    assert link.is_symlink()
    assert real.read_text() == "two\n"
    assert ordinary_file(link) == real


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """As root, a file moved onto /dev/null would be the machine's /dev/null from then on."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.append(pipe.read_text()))
    reader.start()
    save(pipe, "through\n")
    reader.join(10)
    assert said == ["through\n"]
    assert pipe.is_fifo()
    with pytest.raises(BadInput, match="not an ordinary file"):
        ordinary_file(pipe)


def test_a_minus_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    save(Path("-"), "here")
    assert capsys.readouterr().out == "here\n"
    assert not Path("-").exists()


@pytest.mark.parametrize("name", ["nowhere/match.mat", "loop", "x" * 300])
def test_what_cannot_be_written_is_said_in_a_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(BadInput, match="cannot write") as refused:
        save(tmp_path / name, "text")
    assert "Errno" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_a_backup_that_fails_is_said_plainly_and_leaves_nothing(tmp_path: Path) -> None:
    with (
        Journal.open(tmp_path / "journal.db") as journal,
        pytest.raises(JournalError, match="cannot back up") as refused,
    ):
        journal.backup(tmp_path / "nowhere" / "copy.db")
    assert "Errno" not in str(refused.value)
