"""A match that is over is reviewed by itself, and never one that goes on."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import rules as games
from engine.events import Begin, Button, Press, Roll
from engine.match import Terms
from engine.session import Session
from firmware.engines import NoEngine
from firmware.errors import NotNow
from firmware.table import reviewer
from firmware.table.news import News
from firmware.table.reviewer import MatchReviewer

PATIENCE = 60.0
LOG = "2026-11-22-abc"


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def news(session: Session) -> News:
    return News(0.0, session)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[MatchReviewer, list[str]]:
    """With a ``barpoint review`` that writes its arguments into a file and does what TODO says."""
    said: list[str] = []
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n. {tmp_path}/todo\n')
    script.chmod(0o755)
    (tmp_path / "todo").write_text("exit 0\n")
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(reviewer, "find", lambda: "gnubg")
    found = MatchReviewer(tmp_path, said.append)
    found.begin_match("2026-11-22-abc", games.get("backgammon"), [])
    return found, said


def playing() -> Session:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", terms=Terms(length=1)))
    session, _ = session.handle(Roll(t=1, dice=(3, 1), side=None))
    return session


def ended() -> Session:
    session, _ = playing().handle(Press(t=2, button=Button.RESIGN, side="white"))
    session, _ = session.handle(Press(t=3, button=Button.TAKE, side="black"))
    return session


def test_the_end_of_a_match_begins_one_review(tmp_path: Path, table: tuple[MatchReviewer, list[str]]) -> None:
    watcher, said = table
    watcher(news(playing()))
    assert not (tmp_path / "asked").exists()
    watcher(news(ended()))
    watcher(news(ended()))
    until(lambda: bool(said))
    assert said == ["match 2026-11-22-abc is reviewed: barpoint report 2026-11-22-abc -o match.html"]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [f"-m firmware review 2026-11-22-abc --json --progress --state {tmp_path}"]


def test_a_match_that_goes_on_after_its_end_stops_the_review_and_gets_another(
    tmp_path: Path, table: tuple[MatchReviewer, list[str]]
) -> None:
    watcher, said = table
    (tmp_path / "todo").write_text("exec sleep 600\n")
    watcher(news(playing()))
    watcher(news(ended()))
    until((tmp_path / "asked").exists)
    assert watcher.progress(LOG)["state"] == "working"
    watcher(news(playing()))  # undo
    until(lambda: watcher.progress(LOG)["state"] == "stopped")
    (tmp_path / "todo").write_text("exit 0\n")
    watcher(news(ended()))
    until(lambda: bool(said))
    assert len(said) == 1


def test_a_review_that_fails_is_one_line(tmp_path: Path, table: tuple[MatchReviewer, list[str]]) -> None:
    watcher, said = table
    (tmp_path / "todo").write_text("echo one >&2; echo 'barpoint: game 1: no memory' >&2; exit 1\n")
    watcher(news(playing()))
    watcher(news(ended()))
    until(lambda: bool(said))
    assert said == ["match 2026-11-22-abc is not reviewed: barpoint: game 1: no memory"]


def test_without_an_engine_nothing_is_begun_and_nothing_is_said(
    tmp_path: Path, table: tuple[MatchReviewer, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, said = table

    def none() -> str:
        raise NoEngine("none here")

    monkeypatch.setattr(reviewer, "find", none)
    watcher(news(playing()))
    watcher(news(ended()))
    assert watcher.progress(LOG) == {"state": "idle"}
    assert not said


def test_a_match_that_was_over_when_the_program_came_up_is_left_alone(
    table: tuple[MatchReviewer, list[str]],
) -> None:
    watcher, _ = table
    watcher(news(ended()))
    assert watcher.progress(LOG) == {"state": "idle"}
    watcher.close()


def test_the_page_asks_for_a_review_and_follows_it(
    tmp_path: Path, table: tuple[MatchReviewer, list[str]]
) -> None:
    watcher, said = table
    waiting = tmp_path / "go"
    (tmp_path / "todo").write_text(
        f"""echo '{{"done": 2, "of": 5}}' >&2\nwhile ! [ -e {waiting} ]; do sleep 0.01; done\n"""
    )
    watcher.start("another")
    until(lambda: watcher.progress("another").get("done") == 2)
    assert watcher.progress("another") == {"state": "working", "done": 2, "of": 5, "reason": ""}
    assert watcher.progress(LOG) == {"state": "idle"}
    watcher.start("another")  # it goes on already
    waiting.touch()
    until(lambda: bool(said))
    assert watcher.progress("another")["state"] == "done"
    assert len((tmp_path / "asked").read_text().splitlines()) == 1


def test_no_review_begins_while_people_play(table: tuple[MatchReviewer, list[str]]) -> None:
    watcher, _ = table
    watcher(news(playing()))
    with pytest.raises(NotNow, match="being played"):
        watcher.start("another")


def test_a_review_that_fails_says_why_on_the_page(
    tmp_path: Path, table: tuple[MatchReviewer, list[str]]
) -> None:
    watcher, said = table
    (tmp_path / "todo").write_text("echo 'barpoint: no luck today' >&2\nexit 2\n")
    watcher.start("another")
    until(lambda: bool(said))
    assert watcher.progress("another")["reason"] == "barpoint: no luck today"
    assert watcher.progress("another")["state"] == "failed"
