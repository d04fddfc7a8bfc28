"""Reviews: what is asked of an engine, what its answers make of decisions, and that nothing done is lost."""

import json
import os
import shutil
import signal
import sqlite3
import time
import zipfile
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.match import Terms
from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Remark,
    Result,
    Rolled,
    Stood,
    Taken,
    replay,
)
from firmware.cli import main
from firmware.engines import ROLLS, BeforeRoll, Board, Chances, NoEngine, Ranked, Spot, known
from firmware.engines.pool import EnginePool
from firmware.formats import FormatError
from firmware.formats.board import BoardCounts
from firmware.languages.choice import reading
from firmware.record import review
from firmware.record.archive import imported
from firmware.record.flashcards import _answer, write_deck
from firmware.record.journal import Journal
from firmware.record.ratings import GameReview, ratings, worst_first
from firmware.record.review import review_game
from tests.matches import simulate

MATCH = simulate(0)
EVEN = Chances(0.5, 0.1, 0.0, 0.1, 0.0)


class FakePool(EnginePool):
    """Answers at once: any play is worth -0.1 for each that comes before it in our own list; the cube as it
    was told."""

    def __init__(self, match: MatchRecord, cube: tuple[float, float, float] = (0.3, 0.2, 1.0)) -> None:
        self.cube, self.asked = cube, list[Spot]()
        self._plays: dict[Spot, list[Board]] = {}
        for game in match.games:
            for moment in replay(match, game):
                position = moment.before.position
                if isinstance(moment.action, Played):
                    at = ("white", "black").index(position.turn or "")
                    counts = [BoardCounts.of(play.after).own for play in position.plays()]
                    own = BoardCounts.of(position).own
                    boards = [(each[at], each[1 - at]) for each in counts]
                    self._plays[self._key(own[at], own[1 - at], position.dice)] = boards

    def _key(self, own: Any, other: Any, dice: Sequence[int]) -> Spot:
        return Spot(own, other, (max(dice), min(dice)))

    def plays(self, spot: Spot, played: Board | None = None) -> "Future[Sequence[Ranked]]":
        self.asked.append(spot)
        boards = self._plays[Spot(spot.own, spot.other, spot.dice)]
        return done([Ranked(*board, -0.1 * place, EVEN) for place, board in enumerate(boards)])

    def before_roll(self, spot: Spot, rolls: bool = True) -> "Future[BeforeRoll]":
        self.asked.append(spot)
        return done(BeforeRoll(*self.cube, EVEN, {roll: sum(roll) / 100 for roll in ROLLS}))


def done(value: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def one_game(
    *actions: Any, score: tuple[int, int] = (0, 0), crawford: bool = False, **terms: Any
) -> MatchRecord:
    game = GameRecord(score, tuple(actions), crawford=crawford)
    return MatchRecord("backgammon", ("Anna", "Björn"), Terms(**{"length": 7, **terms}), (game,))


def reviewed(match: MatchRecord, cube: tuple[float, float, float] = (0.3, 0.2, 1.0)) -> GameReview:
    return review_game(match, 1, FakePool(match, cube))


OPENING = (Rolled(None, (3, 1)), Played("white", "8/5 6/5"))


def test_a_play_costs_what_lies_between_it_and_the_best() -> None:
    match = one_game(*OPENING)
    position = next(m for m in replay(match, match.games[0]) if isinstance(m.action, Played)).before.position
    plays = position.plays()
    place = next(number for number, play in enumerate(plays) if play.text == "8/5 6/5")
    (found,) = reviewed(match).decisions
    assert (found.kind, found.turn, found.side, found.played) == ("play", 1, "white", "8/5 6/5")
    assert found.best == plays[0].text
    assert found.loss == pytest.approx(0.1 * place)
    assert found.mark == ("blunder" if place else "ok")


@pytest.mark.parametrize(
    ("cube", "done", "best", "loss", "obvious"),
    [
        ((0.3, 0.2, 1.0), "no double", "no double", 0.0, False),
        ((0.3, -0.5, 1.0), "no double", "no double", 0.0, True),  # nobody would double here
        ((0.5, 0.7, 1.0), "no double", "double", 0.2, False),
        ((0.8, 1.3, 1.0), "no double", "double", 0.2, False),  # it is dropped
        ((1.4, 1.5, 1.0), "no double", "no double", 0.0, True),  # too good
        ((1.1, 1.5, 1.0), "double", "no double", 0.1, False),
        ((0.3, 0.2, 1.0), "double", "no double", 0.1, False),
        ((0.5, 0.7, 1.0), "double", "double", 0.0, False),
    ],
)
def test_a_cube_decision_costs_what_doubling_or_not_gives_away(
    cube: tuple[float, float, float], done: str, best: str, loss: float, obvious: bool
) -> None:
    actions = (Doubled("black"), Dropped("white")) if done == "double" else (Rolled("black", (6, 5)),)
    found = next(
        each for each in reviewed(one_game(*OPENING, *actions), cube).decisions if each.kind == "cube"
    )
    assert (found.side, found.turn, found.played, found.best) == ("black", 2, done, best)
    assert found.loss == pytest.approx(loss)
    assert found.obvious is obvious


@pytest.mark.parametrize(
    ("double_take", "reply", "best", "loss"),
    [
        (0.6, Taken("white"), "take", 0.0),
        (0.6, Dropped("white"), "take", 0.4),
        (1.3, Taken("white"), "drop", 0.3),
        (1.3, Dropped("white"), "drop", 0.0),
        (-0.2, Taken("white"), "beaver", 0.2),
        (-0.2, Beavered("white"), "beaver", 0.0),
        (0.4, Beavered("white"), "take", 0.4),
    ],
)
def test_an_answer_costs_what_the_best_answer_gives_more(
    double_take: float, reply: Any, best: str, loss: float
) -> None:
    match = one_game(*OPENING, Doubled("black"), reply, length=0, beavers=1)
    found = reviewed(match, (0.3, double_take, 1.0)).decisions[-1]
    assert (found.side, found.kind, found.best) == ("white", "cube", best)
    assert found.loss == pytest.approx(loss)


def test_no_cube_decision_where_a_double_is_not_allowed_or_changes_nothing() -> None:
    for match in (
        one_game(*OPENING, Rolled("black", (6, 5)), score=(6, 3), crawford=True),
        one_game(*OPENING, Rolled("black", (6, 5)), score=(3, 6)),  # one point is all that Black needs
        one_game(*OPENING, Rolled("black", (6, 5)), cube=False),
        one_game(*OPENING, Doubled("black"), Taken("white"), Rolled("black", (6, 5))),  # the cube is White's
    ):
        kinds = [(each.kind, each.side, each.played) for each in reviewed(match).decisions]
        assert ("cube", "black", "no double") not in kinds


def test_the_engine_is_told_score_cube_and_whose_it_is_as_the_mover_sees_them() -> None:
    match = one_game(
        *OPENING,
        Doubled("black"),
        Taken("white"),
        Rolled("black", (6, 5)),
        Played("black", "24/13"),
        score=(2, 4),
    )
    pool = FakePool(match)
    review_game(match, 1, pool)
    last = pool.asked[-1]
    assert (last.dice, last.cube, last.owner, last.away) == ((6, 5), 2, -1, (3, 5))
    assert last.own[24] == 2
    assert last.other[5] == 2  # White's five point
    assert len([spot for spot in pool.asked if spot.dice is None]) == len(
        {spot for spot in pool.asked if spot.dice is None}
    )  # nothing is asked twice


def test_luck_is_what_a_roll_brings_over_the_mean_and_all_rolls_together_bring_none() -> None:
    mean = sum(sum(roll) / 100 * count for roll, count in ROLLS.items()) / 36
    found = []
    for roll, count in ROLLS.items():
        (_, own) = reviewed(one_game(*OPENING, Rolled("black", roll))).rolls
        assert (own.side, own.luck) == ("black", pytest.approx(sum(roll) / 100 - mean))
        found += [own.luck] * count
    assert sum(found) == pytest.approx(0.0)
    (first, *_) = reviewed(one_game(*OPENING)).rolls
    assert first.luck == pytest.approx(0.04)  # even, who begins is luck too


def test_a_play_that_stood_against_the_rules_is_counted_and_not_judged() -> None:
    match = one_game(*OPENING)
    moment = next(m for m in replay(match, match.games[0]) if isinstance(m.action, Played))
    foul = one_game(OPENING[0], Stood("white", moment.after.position.to_json(), "a foul"))
    found = reviewed(foul)
    assert (found.decisions, found.unjudged) == ((), 1)


def test_ratings_are_500_times_the_loss_of_a_decision_that_was_not_obvious() -> None:
    every = [reviewed(replace(MATCH, games=(game,))) for game in MATCH.games]
    own = [each for found in every for each in found.decisions if each.side == "white"]
    rating = ratings(every)["white"]
    counted = [each for each in own if not each.obvious]
    assert rating.decisions == len(counted)
    assert rating.pr == pytest.approx(500 * sum(each.loss for each in own) / len(counted))
    assert rating.errors == sum(0.02 <= each.loss < 0.08 for each in own)
    assert rating.blunders == sum(each.loss >= 0.08 for each in own)
    losses = [each.loss for each in worst_first(every)]
    assert losses == sorted(losses, reverse=True)
    assert min(losses) >= 0.02


def test_a_game_that_no_engine_knows_is_a_clear_no(tmp_path: Path) -> None:
    for rules, title in (("zombie", "Zombie"), ("icegammon", "IceGammon"), ("hypergammon", "Hypergammon")):
        with pytest.raises(FormatError, match=f"there is no engine for .*{title}"):
            list(review.review(replace(MATCH, rules=rules), "gnubg", 1, tmp_path))
    review.check_known("nackgammon")


def kept_match(state: Path, match: MatchRecord = MATCH) -> None:
    with Journal.open(state / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(match))


COUNT = "BARPOINT_TEST_QUESTIONS"


class Scripted:
    """An engine for the command: a line in a file for each one made; the second one does what DOES says."""

    def __init__(self, plies: int, limit: float | None = None) -> None:
        path = Path(os.environ[COUNT])
        with path.open("a") as file:
            file.write("x")
        self.turn, self.does = path.stat().st_size, os.environ.get("DOES", "")

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        if self.turn == 1 and self.does == "crash":
            os._exit(1)
        if self.turn == 1 and self.does == "fail":
            raise RuntimeError("no such weights")
        if self.turn == 1 and self.does == "ctrl-c":
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(600)  # a second one would hit whatever comes next
        assert played is not None
        return [Ranked(*played, 0.0, EVEN)]

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        return BeforeRoll(0.3, 0.2, 1.0, EVEN, dict.fromkeys(ROLLS, 0.125))


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(known.MAKERS, "gnubg", Scripted)
    monkeypatch.setattr(known, "find_gnubg", lambda: "gnubg")
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setenv(COUNT, str(tmp_path / "count"))
    kept_match(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    return int(stopped.value.code or 0)


def test_the_command_tells_ratings_and_the_stable_form(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("review", "last", "--engine", "gnubg", "--json", "--state", str(scripted)) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["engine"] == "gnubg"
    assert [each["side"] for each in said["players"]] == ["white", "black"]
    assert {"side", "name", "pr", "luck", "decisions", "errors", "blunders"} <= set(said["players"][0])
    for each in said["decisions"]:
        assert {"game", "turn", "side", "kind", "played", "best", "loss", "mark"} <= set(each)
        assert each["kind"] in ("play", "cube")
        assert each["mark"] in ("ok", "error", "blunder")
    before = (scripted / "count").stat().st_size
    assert run("review", "last", "--engine", "gnubg", "--state", str(scripted)) == 0
    assert "performance rating" in capsys.readouterr().out
    run("--language", "de", "review", "last", "--engine", "gnubg", "--worst", "500", "--state", str(scripted))
    lines = capsys.readouterr().out.splitlines()
    assert any("(Patzer)" in line or "(Fehler)" in line for line in lines)
    assert not any(word in line for line in lines for word in ("(error)", "(blunder)", "no double", " white"))
    assert (scripted / "count").stat().st_size == before  # kept, not asked again


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("crash", "game 1: the engine's process ended by itself"),
        ("fail", "game 1: the engine failed: RuntimeError: no such weights"),
    ],
)
def test_an_engine_that_fails_is_named_with_its_game_and_the_next_game_is_tried(
    does: str,
    said: str,
    scripted: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DOES", does)
    assert run("review", "last", "--engine", "gnubg", "--state", str(scripted)) == 1
    out, err = capsys.readouterr()
    assert f"barpoint: {said}" in err
    assert "Traceback" not in err
    assert "performance rating" in out
    assert run("report", "last", "-o", str(scripted / "report.html"), "--state", str(scripted)) == 0
    html = (scripted / "report.html").read_text(encoding="utf-8")
    assert f"{len(MATCH.games) - 1} of {len(MATCH.games)} games" in html
    assert "http" not in html


@pytest.mark.usefixtures("hearing")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(
    scripted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOES", "ctrl-c")
    assert run("review", "last", "--engine", "gnubg", "--state", str(scripted)) == 130
    assert f"of {len(MATCH.games)} games are done" in capsys.readouterr().err
    assert run("review", "last", "--engine", "gnubg", "--state", str(scripted)) == 0


def test_without_an_engine_the_command_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    kept_match(tmp_path)
    for command in (("analyse",), ("review", "--engine", "gnubg")):
        assert run(*command, "last", "--state", str(tmp_path)) == 2
        assert "apt install gnubg" in capsys.readouterr().err


def test_the_older_command_keeps_its_figures(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("analyse", "last", "--plies", "0", "--json", "--state", str(scripted)) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said) == {"id", "plies", "players", "errors"}
    assert set(said["players"]["white"]) == {"unforced", "errors", "cube", "luck", "rate"}


def test_a_review_is_found_again_where_a_foul_is_worded_otherwise(scripted: Path) -> None:
    def told(text: str) -> MatchRecord:
        first, *rest = MATCH.games
        return replace(MATCH, games=(replace(first, actions=(Remark(text), *first.actions)), *rest))

    found = list(review.review(told("White moved 5 pips"), "gnubg", 1, scripted))
    assert review.best_kept(told("White's checkers moved 5 pips"), scripted) == found


def test_a_side_is_chosen_for_flashcards_only(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("review", "last", "--side", "white", "--state", str(scripted)) == 2
    assert "--side goes with --anki" in capsys.readouterr().err


def test_a_review_that_is_torn_is_made_again(scripted: Path) -> None:
    assert run("review", "last", "--engine", "gnubg", "--state", str(scripted)) == 0
    folder = scripted / "analysis"
    sorted(folder.glob("*.json"))[0].write_text("torn")
    assert review.best_kept(MATCH, folder).count(None) == 1


@pytest.mark.skipif(
    not shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games"),
    reason="gnubg is not installed",
)
def test_gnubg_reviews_a_match_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path("tests/data/matches/gnubg-25-from-mat.mat")
    words = ("review", str(file), "--engine", "gnubg", "--plies", "1", "--json", "--state", str(tmp_path))
    assert run(*words) == 0
    said = json.loads(capsys.readouterr().out)
    assert all(each["decisions"] for each in said["players"])
    assert all(each["loss"] >= 0 for each in said["decisions"])


def test_a_result_that_nobody_played_is_no_decision() -> None:
    match = one_game(*OPENING)
    ended = replace(match, games=(replace(match.games[0], result=Result("white", "single", 1, "time")),))
    assert len(reviewed(ended).decisions) == 1


def test_what_the_engine_does_not_know_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    match = one_game(*OPENING)
    pool = FakePool(match)
    unknown = Ranked((0,) * 26, (0,) * 26, 0.0, EVEN)
    monkeypatch.setattr(pool, "plays", lambda spot, played=None: done([unknown]))
    with pytest.raises(NoEngine, match="does not know the play"):
        review_game(match, 1, pool)


def test_mistakes_become_flashcards_from_the_movers_side(tmp_path: Path) -> None:
    pytest.importorskip("genanki")
    actions = (*OPENING, Rolled("black", (6, 5)), Played("black", "24/13"), Doubled("white"), Taken("black"))
    match = one_game(*actions)
    found = [reviewed(match, (0.5, 1.3, 1.0))]
    count = write_deck(match, found, None, tmp_path / "mistakes.apkg")
    assert count == len(worst_first(found)) >= 2
    with zipfile.ZipFile(tmp_path / "mistakes.apkg") as package:
        package.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as cards:
        notes = [row[0] for row in cards.execute("SELECT flds FROM notes")]
    assert len(notes) == count
    assert any("You are doubled to 2. Take?" in note and "<b>drop</b>" in note for note in notes)
    with reading("de"):
        assert any(_answer(each).startswith("<p><b>ablehnen</b>") for each in worst_first(found))
    assert write_deck(match, found, "black", tmp_path / "own.apkg") == sum(
        each.side == "black" for each in worst_first(found)
    )


def test_the_deck_is_written_before_anything_is_printed(
    scripted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``| head`` ends the command where it prints."""
    pytest.importorskip("genanki")
    deck, there = scripted / "all.apkg", []
    monkeypatch.setattr("firmware.commands.review._tell", lambda *_: there.append(deck.exists()))
    words = ("review", "last", "--engine", "gnubg", "--anki", str(deck), "--state", str(scripted))
    assert run(*words) == 0
    assert there == [True]


def test_every_mistake_of_a_match_gets_its_card(tmp_path: Path) -> None:
    pytest.importorskip("genanki")
    found = [review_game(MATCH, number, FakePool(MATCH)) for number in range(1, len(MATCH.games) + 1)]
    write_deck(MATCH, found, None, tmp_path / "all.apkg")
    with zipfile.ZipFile(tmp_path / "all.apkg") as package:
        package.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as cards:
        (count,) = cards.execute("SELECT count(*) FROM notes").fetchone()
    assert count == len(worst_first(found))
