"""The demo: a recorded game before everybody's eyes."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.record.catalogue import listing
from firmware.record.journal import Journal
from firmware.recordings.replay import Replay
from tests.firmware.conftest import REPOSITORY


def test_once_referees_the_whole_game_prints_a_line_per_judgement_and_ends(
    knowing: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Replay, "prepare", lambda *_: knowing)
    with pytest.raises(SystemExit) as stopped:
        main(["demo", "--once", "--port", "0", "--state", str(tmp_path)])
    out = capsys.readouterr().out
    assert stopped.value.code == 0
    assert re.search(r"open http://127\.0\.0\.1:\d+/", out)
    assert len(re.findall(r"^[✓✗?] ", out, re.MULTILINE)) == 59
    assert "59 judgements: 54 legal, 5 illegal, 0 unsure" in out
    with Journal.open(tmp_path / "journal.db") as journal:
        assert [line.over for line in listing(journal)] == [True]


@pytest.mark.parametrize("deaf", [False, True], ids=["in front", "in the background"])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_page_while_it_plays_and_stops_quietly_when_told_to(
    stop: signal.Signals, deaf: bool, tmp_path: Path
) -> None:
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"] if deaf else []
    process = subprocess.Popen(
        [*ignoring, sys.executable, "-m", "firmware", "demo", "--port", "0"],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    address = re.search(r"http://\S+", process.stdout.readline())
    assert address is not None
    with urllib.request.urlopen(address[0], timeout=120) as answer:
        assert b"<title>Barpoint</title>" in answer.read()
    process.send_signal(stop)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err.strip()) == (130, "")
    assert list(tmp_path.iterdir()) == []
