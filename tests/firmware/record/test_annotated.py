"""A review as comments in a match file."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.record import Played, Remark
from firmware import formats
from firmware.commands.export import command
from firmware.languages.choice import reading
from firmware.record.annotated import annotated
from tests.firmware.record.test_history import REVIEWS
from tests.firmware.record.test_review import MATCH, kept_match


def test_each_mistake_has_a_remark_behind_it() -> None:
    told = annotated(MATCH, REVIEWS)
    for game, before, review in zip(told.games, MATCH.games, REVIEWS, strict=True):
        own = [each for each in before.actions if isinstance(each, Remark)]
        remarks = [each for each in game.actions if isinstance(each, Remark) and each not in own]
        mistakes = [each for each in review.decisions if each.mark != "ok"]
        assert len(remarks) == len(mistakes) + 1
        costs = sorted(f"costs {each.loss:.3f}; better {each.best}" for each in mistakes)
        assert sorted(each.text.split(" costs ")[-1].split("; wins")[0] for each in remarks[:-1]) == [
            each.removeprefix("costs ") for each in costs
        ]
        assert [each for each in game.actions if isinstance(each, Played)] == [
            each for each in before.actions if isinstance(each, Played)
        ]
    assert annotated(MATCH, [None] * len(MATCH.games)) == MATCH


def test_remarks_are_in_the_readers_language() -> None:
    with reading("de"):
        told = annotated(MATCH, REVIEWS)
    remarks = [each.text for game in told.games for each in game.actions if isinstance(each, Remark)]
    mistakes = [each for review in REVIEWS for each in review.decisions if each.mark != "ok"]
    mark, loss = {"error": "Fehler", "blunder": "Patzer"}[mistakes[0].mark], f"{mistakes[0].loss:.3f}"
    assert any(each.startswith(f"{mark}: ") and loss.replace(".", ",") in each for each in remarks)


def test_the_file_reads_back_as_the_match_that_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_match(tmp_path)
    run, state = CliRunner().invoke, ["--state", str(tmp_path), "--review"]
    assert "has not been reviewed" in str(run(command, ["g", "--format", "sgf", *state]).exception)
    assert "mat has no place for comments" in run(command, ["g", "--format", "mat", *state]).output
    monkeypatch.setattr("firmware.commands.export.best_kept", lambda match, folder: REVIEWS)
    found = run(command, ["g", "--format", "sgf", *state])
    assert found.exit_code == 0, found.output
    assert "performance ratings of this game" in found.output
    played = [each for game in MATCH.games for each in game.actions if isinstance(each, Played)]
    back = formats.read(found.output).record
    assert [each for game in back.games for each in game.actions if isinstance(each, Played)] == played
