"""A recorded game, refereed from end to end."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from engine.effects import Ended, Judged
from engine.events import Button
from engine.rules import get
from firmware.cli import main
from firmware.formats import write
from firmware.record.archive import find, match_record
from firmware.record.catalogue import listing
from firmware.record.journal import Journal
from firmware.record.verify import check_log
from firmware.recordings import loop
from firmware.recordings.reel import ButtonPressed, PictureTaken
from firmware.recordings.replay import Replay
from firmware.table.news import News
from firmware.table.referee import Referee, restore
from tests.firmware.conftest import REEL, REPOSITORY

pytestmark = pytest.mark.long


def compare(told: list[dict[str, Any]], truth: list[dict[str, Any]]) -> tuple[list[str], int]:
    """What a replay's lines got wrong, and how often they say unsure."""
    wrong, unsure = [], 0
    assert len(told) == len(truth)
    for line, due in zip(told, truth, strict=True):
        name = f"turn {due['turn']} ({due['side']}, {due['dice']})"
        assert (line["turn"], line["side"], line["dice"]) == (due["turn"], due["side"], due["dice"])
        if line["verdict"] == "unsure":
            unsure += 1
        elif line["verdict"] != due["verdict"]:
            wrong.append(f"{name}: {line['verdict']}, not {due['verdict']}: {line['words']}")
        elif (
            due["verdict"] == "legal" and {key: line["position"][key] for key in due["after"]} != due["after"]
        ):
            wrong.append(f"{name}: {line['move']} leads to {line['position']}")
        elif due["verdict"] == "illegal" and not line["cells"]:
            wrong.append(f"{name}: a foul, and no point is lit")
    return wrong, unsure


def test_the_bundled_game_is_refereed_right_from_its_pictures(tmp_path: Path, truth: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "firmware", "replay", str(REEL), "--json", "--state", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    wrong, unsure = compare([line for line in lines if "verdict" in line], truth["verdicts"])
    assert not wrong
    assert unsure <= 2
    (end,) = [line for line in lines if "outcome" in line]
    assert end["outcome"]["winner"] == "white"


def refereed(replay: Replay, path: Path) -> tuple[Journal, Referee, list[News]]:
    news: list[News] = []
    journal = Journal.open(path)
    referee = replay.referee(journal, "2026-01-31-abc", [news.append])
    asyncio.run(loop.run(referee, loop.paced(replay.stimuli(referee), speed=0)))
    return journal, referee, news


def test_with_perfect_eyes_every_verdict_is_right_and_none_unsure(
    knowing: Replay, tmp_path: Path, truth: dict[str, Any]
) -> None:
    _, _, news = refereed(knowing, tmp_path / "j.db")
    told = [effect.to_json() for each in news for effect in each.effects if isinstance(effect, Judged)]
    assert compare(told, truth["verdicts"]) == ([], 0)
    assert [
        effect.outcome.winner for each in news for effect in each.effects if isinstance(effect, Ended)
    ] == ["white"]


def test_the_log_of_a_replay_verifies_exports_and_restores(knowing: Replay, tmp_path: Path) -> None:
    journal, referee, _ = refereed(knowing, tmp_path / "j.db")
    entries = journal.entries(find(journal, "last"))
    assert restore("2026-01-31-abc", entries) == referee.session
    assert "54 plays in 1 game, all by the rules" in " ".join(check_log("2026-01-31-abc", entries))
    (line,) = listing(journal)
    assert (line.rules, line.over, line.score) == ("backgammon", True, (1, 0))
    match = match_record(entries)
    assert write(match, "mat").count("\n") > 27
    assert json.loads(write(match, "json"))["rules"] == "backgammon"


def test_a_later_first_half_gives_the_same_state_as_stopping_there(knowing: Replay, tmp_path: Path) -> None:
    """Stopped after any number of moments, the journal leads to the session as it was: nothing is lost and
    nothing doubled."""
    with Journal.open(tmp_path / "j.db") as journal:
        referee = knowing.referee(journal, "g")
        for number, stimulus in enumerate(knowing.stimuli(referee)):
            referee.take(stimulus)
            if number % 17 == 0:
                assert restore("g", journal.entries("g")) == referee.session


@pytest.mark.parametrize("turns", [[2], [1, 2], [1, 2, 3]])
def test_turns_that_were_not_seen_do_not_spoil_the_rest_of_the_game(
    knowing: Replay, tmp_path: Path, truth: dict[str, Any], turns: list[int]
) -> None:
    """Where the referee saw nothing and the players rolled on, how they went on tells what they agreed on."""
    dark = {f"{2 * turn + 1 + more:03}.jpg" for turn in turns for more in (0, 1)}
    sight, glance = knowing.eyes.look, knowing.eyes.glance
    eyes = {
        "look": lambda frame: None if frame.name in dark else sight(frame),
        "glance": lambda frame: None if frame.name in dark else glance(frame),
    }
    with mock.patch.multiple(knowing.eyes, **eyes):
        _, _, news = refereed(knowing, tmp_path / "j.db")
    told = [
        effect.to_json()
        for each in news
        for effect in each.effects
        if isinstance(effect, Judged) and effect.by == "camera"
    ]
    wrong, unsure = compare(told, truth["verdicts"])
    assert (wrong, unsure) == ([], len(turns))
    assert all(told[turn]["verdict"] == "unsure" for turn in turns)


def test_a_second_game_in_a_recording_is_begun_when_its_dice_fall(knowing: Replay, tmp_path: Path) -> None:
    """Resigned at once, accepted, and rolled again: the match has two games."""
    first, roll = knowing.reel.timeline[:2]
    assert isinstance(first, PictureTaken)
    ended = (
        ButtonPressed(t=2, side="white", button=Button.RESIGN),
        ButtonPressed(t=3, side="black", button=Button.TAKE),
    )
    knowing.reel = knowing.reel.model_copy(
        update={"timeline": (first, roll, *ended, roll.model_copy(update={"t": 4.0}))}
    )
    journal, _, _ = refereed(knowing, tmp_path / "j.db")
    match = match_record(journal.entries("2026-01-31-abc"))
    assert [game.result is not None for game in match.games] == [True, False]
    assert match.games[0].result is not None
    assert match.games[0].result.winner == "black"


@pytest.mark.parametrize("name", ["siege-master"])
def test_a_game_whose_board_the_players_set_up_says_that_it_must_be_known(name: str) -> None:
    from firmware.recordings import reel
    from firmware.recordings.reel import BadReel

    with pytest.raises(BadReel, match="set up"):
        Replay.prepare(REEL, reel.read(REEL), get(name))


def test_a_replay_that_cannot_be_logged_says_so_in_one_line_and_leaves_no_half_game(
    short_reel: Callable[[Callable[[dict[str, Any]], object]], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A disk that fills up meanwhile: the journal's file may not grow beyond a few pages."""
    state = tmp_path / "state"
    command = ["replay", str(short_reel(lambda data: None)), "--json", "--state", str(state)]
    whole = Journal._prepare

    def small(connection: sqlite3.Connection, path: Path) -> None:
        whole(connection, path)
        if path.parent == state:
            connection.execute("PRAGMA max_page_count = 1")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "_prepare", staticmethod(small))
        with pytest.raises(SystemExit) as exit_:
            main(command)
    assert exit_.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "full" in line
    with Journal.open(state / "journal.db") as journal:
        assert journal.games() == []
    with pytest.raises(SystemExit) as exit_:
        main(command)
    assert exit_.value.code == 0
