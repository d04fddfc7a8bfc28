"""A player's figures over months, out of the reviews that are kept."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.match import Terms
from engine.record import Doubled, GameRecord, MatchRecord, Played, Rolled, Taken
from firmware.commands.history import command
from firmware.engines import Board
from firmware.languages.choice import reading
from firmware.record import archive, catalogue
from firmware.record.archive import imported
from firmware.record.catalogue import Catalogue
from firmware.record.history import by_phase, player_history
from firmware.record.journal import Journal
from firmware.record.match_line import LoggedMatch
from firmware.record.outline import PHASES, GameOutline, outline_of, phase_of_play
from firmware.record.ratings import Decision, ratings
from firmware.record.review import review_game, review_key
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
    assert phase_of_play(turn, board) == phase
    game = GameOutline("", "-" * (turn - 1) + phase[0])
    assert game.phase_of(decision(turn)) == phase
    assert game.phase_of(decision(turn, "cube")) == "cube"


def test_the_phases_add_up_to_the_rating() -> None:
    for side, rating in ratings(REVIEWS).items():
        phases = by_phase(outline_of(MATCH), REVIEWS, side)
        assert list(phases) == list(PHASES)
        assert sum(each.decisions for each in phases.values()) == rating.decisions
        assert sum(each.lost for each in phases.values()) == pytest.approx(rating.lost + rating.cube_lost)
        assert phases["cube"].decisions == rating.cubes
        assert phases["opening"].decisions > 0


def reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each game of MATCH had been reviewed."""
    kept = {review_key(MATCH, number): found for number, found in enumerate(REVIEWS, 1)}
    monkeypatch.setattr("firmware.record.history.best_under", lambda key, folder: kept.get(key))


def test_the_command_tells_the_matches_that_were_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_match(tmp_path)
    name = MATCH.players[0]
    run = CliRunner().invoke
    none = run(command, [name, "--state", str(tmp_path)])
    assert "no match of" in str(none.exception)
    reviewed(monkeypatch)
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
    reviewed(monkeypatch)
    found = CliRunner().invoke(command, ["Ada", "--state", str(tmp_path), "--json"])
    own = ratings(REVIEWS)
    assert [each["pr"] for each in json.loads(found.output)["matches"]] == [
        round(own[side].pr, 2) for side in ("white", "black")
    ]


def test_who_gives_a_part_of_a_name_hears_the_whole_ones(tmp_path: Path) -> None:
    kept_match(tmp_path)
    found = CliRunner().invoke(command, ["ad", "--state", str(tmp_path)])
    assert str(found.exception) == "no player is called 'ad'; give the whole name: Ada"
    found = CliRunner().invoke(command, ["Nobody", "--state", str(tmp_path)])
    assert str(found.exception) == "no player is called 'Nobody'; 'barpoint games' lists who has played"


def kept_matches(state: Path, count: int = 5) -> None:
    with Journal.open(state / "journal.db") as journal:
        for number in range(count):
            journal.append(f"g{number}", f"2026-01-{number + 1:02}T20:15:00Z", imported(MATCH))


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The logs that were replayed."""
    told: list[str] = []
    whole = archive.checked_record

    def count(log: str, *rest: Any) -> MatchRecord:
        told.append(log)
        return whole(log, *rest)

    monkeypatch.setattr(catalogue, "checked_record", count)
    return told


def test_only_what_is_new_is_replayed_for_a_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replayed: list[str]
) -> None:
    reviewed(monkeypatch)
    kept_matches(tmp_path)
    words = [MATCH.players[0], "--state", str(tmp_path), "--json"]
    first = CliRunner().invoke(command, words).output
    assert len(json.loads(first)["matches"]) == len(replayed) == 5
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("new", "2026-02-01T20:15:00Z", imported(MATCH))
    again = json.loads(CliRunner().invoke(command, words).output)
    assert replayed[5:] == ["new"]
    assert again["matches"][:5] == json.loads(first)["matches"]


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE])
def test_a_full_disk_costs_no_line_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replayed: list[str], code: int
) -> None:
    kept_matches(tmp_path)
    with Journal.open(tmp_path / "journal.db") as journal:
        before = catalogue.listing(journal)
        journal.append("new", "2026-02-01T20:15:00Z", imported(MATCH))
        renew = Catalogue._renew

        def full(kept: Catalogue, log: str) -> LoggedMatch:
            if kept.lasting:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = code
                raise error
            return renew(kept, log)

        with monkeypatch.context() as patch:
            patch.setattr(Catalogue, "_renew", full)
            assert catalogue.listing(journal)[:5] == before
        assert replayed[5:] == ["new"]
        assert catalogue.listing(journal)[:5] == before
        assert replayed[6:] == ["new"]


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE outlines SET games = replace(games, 'o', 'r')",
        "UPDATE outlines SET games = NULL",
        "DELETE FROM outlines",
        "DROP TABLE outlines",
    ],
)
def test_an_altered_outline_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str) -> None:
    reviewed(monkeypatch)
    kept_matches(tmp_path)
    words = [MATCH.players[0], "--state", str(tmp_path), "--json"]
    first = CliRunner().invoke(command, words).output
    with closing(sqlite3.connect(tmp_path / "archive.db")) as connection:
        connection.executescript(edit)
    assert CliRunner().invoke(command, words).output == first


def test_what_was_looked_at_before_an_interruption_stays(tmp_path: Path, replayed: list[str]) -> None:
    kept_matches(tmp_path)

    def interrupt(part: float, words: str) -> None:
        if part > 0.5:
            raise KeyboardInterrupt

    with Journal.open(tmp_path / "journal.db") as journal:
        with Catalogue(journal) as first, pytest.raises(KeyboardInterrupt):
            first.listing(tell=interrupt)
        done = list(replayed)
        with Catalogue(journal) as second:
            matches = second.listing()
            told: list[float] = []
            found = player_history(second, matches, "Ada", tmp_path, lambda part, words: told.append(part))
            assert list(found) == []
    assert sorted(replayed) == [f"g{number}" for number in range(5)]
    assert len(done) == 3
    assert told == [number / 5 for number in range(5)]


def test_reviews_are_found_under_the_key_of_every_release() -> None:
    """Where this fails, no review that people have is found again: a record got a new field, for one."""
    actions = (Rolled(None, (6, 1)), Played("white", "13/7 8/7"), Doubled("black"), Taken("white"))
    match = MatchRecord("backgammon", ("Ada", "Ben"), Terms(length=5), (GameRecord((1, 2), actions),))
    assert review_key(match, 1) == "56d9e2b935ba84546db2c7bad81f3e38"
