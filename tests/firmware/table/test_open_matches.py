"""Which matches are open, on a disk that does not answer."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from firmware.record.chain import JournalAway
from firmware.table.open_matches import OpenMatches


def test_a_disk_that_does_not_answer_forgets_no_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> str:
        raise OSError(errno.EIO, "Input/output error")

    found = OpenMatches(tmp_path)
    assert (found.current(), found.unfinished()) == ("", [])
    for log in ("a", "b", "c"):
        found.leave(log)
    found.make_current("d")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", gone)
        for ask in (found.current, found.unfinished, lambda: found.leave("d")):
            with pytest.raises(JournalAway, match="Input/output error"):
                ask()
    assert (found.current(), found.unfinished()) == ("d", ["a", "b", "c"])
