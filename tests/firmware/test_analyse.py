"""Matches through GNU Backgammon: what it says of them, kept game by game."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from firmware import analyse
from firmware.archive import imported
from firmware.cli import main
from firmware.formats import FormatError
from firmware.journal import Journal
from tests.matches import simulate

MATCH = simulate(0)
installed = pytest.mark.skipif(
    shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games") is None, reason="the Debian package gnubg is not installed"
)


@installed
def test_every_game_is_judged_and_what_is_kept_is_not_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(analyse.analyse(MATCH, 0, tmp_path))
    assert len(found) == len(MATCH.games)
    skills = analyse.total(found)
    assert all(skill.unforced > 0 and skill.rate > 50 for skill in skills.values())  # plays at random are poor ones
    lost = {side: sum(choice.loss for each in found for choice in each.choices if choice.side == side) for side in skills}
    for side, skill in skills.items():
        assert lost[side] == pytest.approx(skill.errors, rel=0.05)
    monkeypatch.setattr(analyse, "program", lambda: pytest.fail("asked gnubg again"))
    assert list(analyse.analyse(MATCH, 0, tmp_path)) == found
    sorted(tmp_path.glob("*.json"))[0].write_text("torn")
    assert analyse.kept(MATCH, 0, tmp_path).count(None) == 1
    assert analyse.kept(MATCH, 1, tmp_path) == [None] * len(MATCH.games)


@installed
def test_the_command_tells_rates_and_better_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(MATCH))
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--plies", "0", "--worst", "3", "--json", "--state", str(tmp_path)])
    assert stopped.value.code == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said["players"]) == {"white", "black"}
    losses = [each["loss"] for each in said["errors"]]
    assert (len(losses), losses) == (3, sorted(losses, reverse=True))


def test_without_gnubg_the_command_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(MATCH))
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--state", str(tmp_path)])
    assert stopped.value.code == 2
    assert "apt install gnubg" in capsys.readouterr().err


def test_a_game_that_gnubg_does_not_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="icegammon"):
        list(analyse.analyse(replace(MATCH, rules="icegammon"), 0, tmp_path))
