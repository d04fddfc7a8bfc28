"""A player's figures over months, out of the reviews that are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.commands.history import command
from firmware.engines import Board
from firmware.languages.choice import reading
from firmware.record.history import PHASES, by_phase, phase_of
from firmware.record.ratings import Decision, ratings
from firmware.record.review import review_game
from tests.firmware.record.test_review import MATCH, FakePool, kept_match

REVIEWS = [review_game(MATCH, number, FakePool(MATCH)) for number in range(1, len(MATCH.games) + 1)]


def decision(turn: int, kind: str = "play") -> Decision:
    return Decision(1, turn, "white", kind, "a", "b", 0.1)


def counts(**places: int) -> tuple[int, ...]:
    found = [0] * 26
    for place, count in places.items():
        found[int(place[1:])] = count
    return tuple(found)


@pytest.mark.parametrize(
    ("turn", "board", "phase"),
    [
        (1, (counts(p24=2, p6=13), counts(p24=2, p6=13)), "opening"),
        (6, (counts(p24=2, p6=13), counts(p24=2, p6=13)), "opening"),
        (7, (counts(p24=2, p6=13), counts(p24=2, p6=13)), "middle game"),
        (3, (counts(p25=1, p6=14), counts(p24=2, p6=13)), "containment"),
        (30, (counts(p0=5, p1=10), counts(p24=1, p1=14)), "containment"),
        (30, (counts(p12=15), counts(p12=15)), "race"),
        (30, (counts(p12=15), counts(p13=15)), "middle game"),
    ],
)
def test_the_phase_of_a_play(turn: int, board: Board, phase: str) -> None:
    assert phase_of(decision(turn), board) == phase
    assert phase_of(decision(turn, "cube"), board) == "cube"


def test_the_phases_add_up_to_the_rating() -> None:
    for side, rating in ratings(REVIEWS).items():
        phases = by_phase(MATCH, REVIEWS, side)
        assert list(phases) == list(PHASES)
        assert sum(each.decisions for each in phases.values()) == rating.decisions
        assert sum(each.lost for each in phases.values()) == pytest.approx(rating.lost + rating.cube_lost)
        assert phases["cube"].decisions == rating.cubes
        assert phases["opening"].decisions > 0


def test_the_command_tells_the_matches_that_were_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_match(tmp_path)
    name = MATCH.players[0]
    run = CliRunner().invoke
    none = run(command, [name, "--state", str(tmp_path)])
    assert "no match of" in str(none.exception)
    monkeypatch.setattr("firmware.record.history.best_kept", lambda match, folder: REVIEWS)
    found = run(command, [name.upper(), "--state", str(tmp_path), "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.output)
    assert [each["id"] for each in told["matches"]] == ["g"]
    assert told["matches"][0]["pr"] == round(ratings(REVIEWS)["white"].pr, 2)
    lines = run(command, [name, "--state", str(tmp_path)]).output.splitlines()
    assert lines[0].startswith(MATCH.date[:10])
    assert [line.split("  ")[0].strip() for line in lines[1:]] == list(PHASES)
    with reading("de"):
        lines = run(command, [name, "--state", str(tmp_path)]).output.splitlines()
    assert lines[1].startswith("Eröffnung ")
    rating = f"{ratings(REVIEWS)['white'].pr:.1f}".replace(".", ",")
    assert f"  {rating}  " in lines[0]


def test_a_match_of_two_of_one_name_counts_for_each_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_match(tmp_path, replace(MATCH, players=("Ada", "ada")))
    monkeypatch.setattr("firmware.record.history.best_kept", lambda match, folder: REVIEWS)
    found = CliRunner().invoke(command, ["Ada", "--state", str(tmp_path), "--json"])
    own = ratings(REVIEWS)
    assert [each["pr"] for each in json.loads(found.output)["matches"]] == [
        round(own[side].pr, 2) for side in ("white", "black")
    ]


def test_who_gives_a_part_of_a_name_hears_the_whole_ones(tmp_path: Path) -> None:
    kept_match(tmp_path)
    found = CliRunner().invoke(command, ["ad", "--state", str(tmp_path)])
    assert str(found.exception) == "no player is called 'ad'; give the whole name: Ada"
