"""The demo: a recorded game before everybody's eyes."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from engine.record import Action, Doubled, Dropped, MatchRecord, Played, Result, Rolled, Taken
from firmware.cli import main
from firmware.commands.demo import REEL
from firmware.formats import mat_import
from firmware.record.archive import find, match_record
from firmware.record.catalogue import listing
from firmware.record.journal import Journal
from firmware.recordings.replay import Replay
from tests.firmware.conftest import REPOSITORY

pytestmark = pytest.mark.long

GNUBG = REPOSITORY / "training" / "demo" / "match.mat"


def played(match: MatchRecord) -> list[list[tuple[object, ...]]]:
    """What was done in each game, without what tells more about it."""

    def plain(action: Action) -> tuple[object, ...] | None:
        match action:
            case Rolled(side=side, dice=dice):
                return side, dice
            case Played(side=side, text=text):
                return side, text
            case Doubled() | Taken() | Dropped():
                return type(action).__name__, action.side
        return None

    games = ([plain(action) for action in game.actions] for game in match.games)
    return [[each for each in game if each is not None] for game in games]


def test_its_match_is_read_from_its_pictures_as_gnubg_played_it_and_every_foul_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(REEL), "--json", "--state", str(tmp_path)])
    assert stopped.value.code == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [line for line in lines if "verdict" in line]
    fouls = [(line["side"], line["dice"]) for line in told if line["verdict"] == "illegal"]
    assert fouls == [("white", [6, 3]), ("black", [5, 2]), ("black", [5, 3])]
    assert {line["verdict"] for line in told} == {"legal", "illegal"}
    with Journal.open(tmp_path / "journal.db") as journal:
        match = match_record(journal.entries(find(journal, "last")))
    assert match.players == ("Anna", "Björn")
    first, second = played(match)
    known = played(mat_import.read(GNUBG.read_text()).record)
    assert (first, second) == (known[0], known[1][: len(second)])
    assert (match.games[1].result, match.score) == (Result("white", "single", 1, "resigned"), (3, 0))


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
    with urllib.request.urlopen(address[0].rstrip("/") + "/api/games", timeout=120) as answer:
        assert all(game["players"] == ["Anna", "Björn"] for game in json.load(answer)), "its own match"
    process.send_signal(stop)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err.strip()) == (130, "")
    assert list(tmp_path.iterdir()) == []
