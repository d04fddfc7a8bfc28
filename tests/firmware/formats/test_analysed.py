"""Files of other programs with their analysis: the same match in three formats, and files that are none."""

import gzip
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from click.testing import Result as Done
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.match import Terms
from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Result,
    Rolled,
    Stood,
    Taken,
)
from firmware import formats
from firmware.commands.import_ import command
from firmware.commands.verify import command as verify
from firmware.formats import FormatError, analysed_import, mat
from firmware.record.archive import read_match
from firmware.record.foreign_review import foreign_reviews
from firmware.record.journal import Journal
from firmware.record.ratings import ratings
from firmware.record.review import best_kept
from firmware.state import JOURNAL
from tests.firmware.formats.test_mat import foul
from tests.matches import simulate

gvformat = pytest.importorskip("gvformat")

DATA = Path(__file__).parents[2] / "data" / "foreign"
XG, BGF, MAT = ((DATA / f"match.{kind}").read_bytes() for kind in ("xg", "bgf", "mat"))


def actions(game: GameRecord) -> list[object]:
    """What was done; in which order the two dice of a roll stand is each program's own."""
    return [
        (each.side, sorted(each.dice)) if isinstance(each, Rolled) and each.side else each
        for each in game.actions
        if not (isinstance(each, Rolled) and each.side is None)
    ]


@pytest.mark.parametrize("data", [XG, BGF])
def test_what_was_played_is_the_same_as_in_the_mat_file(data: bytes) -> None:
    found, plain = formats.read(data), formats.read(MAT).record
    assert not found.notes
    assert found.record.players == plain.players == ("Amberdice01", "Jade1")
    assert found.record.terms == plain.terms
    assert found.record.date == "2026-01-11"
    assert [actions(game) for game in found.record.games] == [actions(game) for game in plain.games]
    assert found.record.score == plain.score


def test_the_ratings_are_those_that_eXtreme_Gammon_shows() -> None:
    found = formats.read(XG)
    assert found.analysis is not None
    reviews = [each for each in foreign_reviews(found.record, found.analysis) if each is not None]
    assert [each.engine for each in reviews] == ["XG"] * 3
    white, black = ratings(reviews).values()
    assert (round(white.pr, 2), white.decisions, round(white.luck, 3)) == (5.94, 43, -1.787)
    assert (round(black.pr, 2), black.decisions, round(black.luck, 3)) == (8.78, 51, 1.241)
    for each in (decision for review in reviews for decision in review.decisions if decision.loss > 0):
        assert each.best != each.played
        if each.kind == "play":
            assert each.had is not None
            assert each.missed is not None


def run(state: Path, file: Path, *more: str) -> Done:
    return CliRunner().invoke(command, [str(file), "--state", str(state), *more])


def test_the_analysis_is_kept_in_the_archive(tmp_path: Path) -> None:
    done = run(tmp_path, DATA / "match.bgf")
    assert done.exit_code == 0, done.output
    assert "Amberdice01 - Jade1: 3 games, 3 with the analysis of BGBlitz" in done.output
    with Journal.open_readonly(tmp_path / JOURNAL) as journal:
        kept = best_kept(read_match(journal, done.output.split()[0]), tmp_path / "analysis")
    assert [each and each.engine for each in kept] == ["BGBlitz"] * 3


def test_its_plays_can_be_verified() -> None:
    found = CliRunner().invoke(verify, [str(DATA / "match.xg")])
    assert "all by the rules of backgammon" in found.output


def test_our_own_ogxm_comes_back() -> None:
    pytest.importorskip("ogxm")
    plain = formats.read(MAT).record
    found = formats.read(formats.write(plain, "ogxm"))
    assert [actions(game) for game in found.record.games] == [actions(game) for game in plain.games]
    assert found.analysis is not None
    assert foreign_reviews(found.record, found.analysis) == [None] * 3


DOUBLED = (Rolled(None, (3, 1)), Played("white", "8/5 6/5"), Doubled("black"))
ROLL = (Rolled("black", (4, 6)), Played("black", "24/14"))


@pytest.mark.parametrize(
    ("terms", "game"),
    [
        (Terms(automatic=1), GameRecord((0, 0), (*DOUBLED, Taken("white"), *ROLL), cube=2)),
        (Terms(beavers=1), GameRecord((0, 0), (*DOUBLED, Beavered("white"), Taken("black"), *ROLL))),
        (
            Terms(length=7, score=(2, 6), crawford_over=True),
            GameRecord((2, 6), (*DOUBLED, Dropped("white")), Result("black", "single", 1, "dropped")),
        ),
    ],
    ids=["automatic double", "beaver", "in the middle of a match"],
)
def test_our_own_ogxm_says_what_was_played_for(terms: Terms, game: GameRecord) -> None:
    pytest.importorskip("ogxm")
    record = MatchRecord("backgammon", ("Ann", "Bob"), terms, (game,), place="Leipzig", round="final")
    assert formats.read(formats.write(record, "ogxm")).record == record


@pytest.mark.parametrize("rules", ["nackgammon", "hypergammon"])
def test_our_own_ogxm_says_which_game_it_is(rules: str) -> None:
    pytest.importorskip("ogxm")
    record = simulate(0, rules=rules)
    found = formats.read(formats.write(record, "ogxm"))
    assert found.notes == ()
    assert found.record.rules == rules
    assert [actions(game) for game in found.record.games] == [actions(game) for game in record.games]


@pytest.mark.parametrize("rules", ["backgammon", "nackgammon", "hypergammon"])
@pytest.mark.parametrize("seed", [0, 1, 2, 6])
def test_our_own_ogxm_goes_on_after_a_foul_that_stood(seed: int, rules: str) -> None:
    pytest.importorskip("ogxm")
    record = mat.kept(simulate(seed, fouls=0.05, rules=rules))
    found = formats.read(formats.write(record, "ogxm"))
    assert found.notes == ()
    assert any(isinstance(action, Stood) for game in record.games for action in game.actions)
    for game, there in zip(record.games, found.record.games, strict=True):
        bare = [replace(act, text="") if isinstance(act, Stood) else act for act in game.actions]
        assert actions(there) == actions(replace(game, actions=tuple(bare)))


def test_a_foul_that_stood_is_not_judged_and_what_follows_is() -> None:
    pytest.importorskip("ogxm")
    found = formats.read(formats.write(foul()[0], "ogxm"))
    assert found.analysis is not None
    found.analysis["games"][0]["plies"][-1]["analysis"] = {"luck": 0.1, "eval": {"win": 0.5}}
    (review,) = foreign_reviews(found.record, found.analysis)
    assert review is not None
    assert (review.unjudged, [luck.turn for luck in review.rolls]) == (1, [2])


@pytest.mark.parametrize("data", [XG[:9000], BGF[:900], b"RGMH", b"OGXM", XG[:8000] + b"\xff" * 40])
def test_a_file_that_is_cut_off_is_one_clear_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match=r"no (XG|BGBlitz|OGXM) match, or a damaged one"):
        formats.read(data)
    (tmp_path / "cut").write_bytes(data)
    assert run(tmp_path / "state", tmp_path / "cut").exit_code != 0
    assert not (tmp_path / "state" / JOURNAL).exists()


def test_a_file_that_unpacks_to_too_much_is_not_unpacked() -> None:
    head, packed = 8232 + int.from_bytes(XG[20:24], "little"), BGF.index(b"\n") + 1
    many = gzip.compress(b":)") + gzip.compress(bytes(400_000_000), 1)
    for data in (XG[:head] + zlib.compress(bytes(400_000_000), 1), BGF[:packed] + many):
        with pytest.raises(FormatError, match="larger than"):
            formats.read(data)


def test_a_number_of_a_billion_digits_is_not_written_out() -> None:
    document = gvformat.convert_xg(XG)
    document["games"][0]["auto_doubles"] = 1 << 33
    tracemalloc.start()
    with pytest.raises(FormatError, match="no OGXM match, or a damaged one"):
        formats.read(gvformat.write_gvab(document))
    assert tracemalloc.get_traced_memory()[1] < 2 * analysed_import.MOST
    tracemalloc.stop()


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([XG, BGF]), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8))
def test_whatever_a_damaged_file_holds_it_is_read_or_refused(
    data: bytes, changes: list[tuple[float, int]]
) -> None:
    packed = data.index(b"\n") + 1 if data is BGF else 8232 + int.from_bytes(XG[20:24], "little")
    inside = bytearray(zlib.decompress(data[packed:], zlib.MAX_WBITS | 32))
    for place, value in changes:
        inside[int(place * (len(inside) - 1))] = value
    try:
        found = formats.read(
            data[:packed] + gzip.compress(bytes(inside), 1)
            if data is BGF
            else data[:packed] + zlib.compress(bytes(inside), 1)
        )
    except FormatError:
        return
    assert found.analysis is not None
    assert len(foreign_reviews(found.record, found.analysis)) == len(found.record.games)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(analysed_import.importlib, "import_module", missing)
    with pytest.raises(FormatError, match="pip install gammonview"):
        formats.read(XG)
