"""Whole transcriptions of small films, as people ask for them."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import pytest
from click.testing import CliRunner, Result

from engine.match import Terms
from engine.messages import phrase
from firmware import formats
from firmware.commands.transcribe import _progress, command
from firmware.errors import BadInput
from firmware.languages.choice import local, reading
from firmware.transcribe import settling_page
from firmware.transcribe.board_finder import FoundTable
from firmware.transcribe.film import Film, FilmError
from firmware.transcribe.job import Job, Where, open_film
from firmware.transcribe.transcript import Transcript
from firmware.transcribe.turns import Answers
from firmware.transcribe.watch import no_dice
from firmware.transcribe.work_folder import WorkFolder
from tests.firmware.transcribe.filmed import RULES, ask, film, played, rests, screen
from vision import boards
from vision.picture.frame import Image
from vision.reading import Quality

pytestmark = pytest.mark.long

pytest.importorskip("av")
MOVES = [((3, 1), "8/5 6/5"), ((6, 5), "24/18 13/8"), ((4, 2), "8/4 6/4")]


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film with a cut to somewhere else, transcribed once: the folder with both."""
    folder = tmp_path_factory.mktemp("film")
    scenes = rests(played(MOVES))
    film(folder / "evening.mp4", [(None, 0.6), *scenes[:3], (None, 0.8), *scenes[2:]])
    result = run(folder / "evening.mp4", "-o", folder / "evening.mat", "--json")
    assert result.exit_code == 0, result.output
    (folder / "lines.jsonl").write_text(result.stdout)
    return folder


def run(*words: object, catch_exceptions: bool = True) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=catch_exceptions)


def test_a_full_disk_is_said_of_the_folder(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WorkFolder, "progress", full)
    with pytest.raises(BadInput, match=r"cannot write .*evening\.film: No space left"):
        run(filmed / "evening.mp4", "-o", tmp_path / "evening.mat", catch_exceptions=False)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_a_film_becomes_a_match(filmed: Path) -> None:
    found = lines((filmed / "lines.jsonl").read_text())
    expected = played(MOVES)
    assert [line["position"] for line in found] == [position.to_json() for position in expected[1:]]
    assert [line["side"] for line in found] == ["white", "black", "white"]
    assert [line["move"] for line in found] == [move for _, move in MOVES]
    for line, (dice, _) in zip(found, MOVES, strict=True):
        if line["sure"]:
            assert sorted(line["dice"]) == sorted(dice)
        else:
            assert sorted(dice) in [sorted(each["dice"]) for each in line["candidates"]]
    match = formats.read((filmed / "evening.mat").read_bytes()).record
    assert len(match.games) == 1
    assert (
        formats.read((filmed / "evening.sgf").read_bytes()).record.games[0].actions == match.games[0].actions
    )
    report = (filmed / "evening.html").read_text()
    assert report.count("<img ") == 3
    assert "8/5 6/5" in report


def test_a_film_is_watched_once(filmed: Path) -> None:
    before = (filmed / "evening.film" / "sightings.jsonl").stat().st_mtime_ns
    result = run(filmed / "evening.mp4", "-o", filmed / "evening.mat", "--json")
    assert lines(result.stdout) == lines((filmed / "lines.jsonl").read_text())
    assert (filmed / "evening.film" / "sightings.jsonl").stat().st_mtime_ns == before


def test_a_film_that_was_watched_in_part_is_watched_on(filmed: Path, tmp_path: Path) -> None:
    work = filmed / "evening.film"
    folder = WorkFolder(tmp_path / "part.film")
    state = WorkFolder(work).state()
    folder.path.mkdir()
    folder.begin()
    folder.progress(
        {key: value for key, value in state.items() if key != "version"} | {"done": False, "through": 0.0}
    )
    folder.rig.write_bytes((work / "rig.json").read_bytes())
    kept = (work / "sightings.jsonl").read_text().splitlines(keepends=True)
    (folder.path / "sightings.jsonl").write_text("".join(kept[:2]) + kept[2][:40])  # a power cut
    job = Job(open_film([filmed / "evening.mp4"]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    found = job.write_up(Terms(), ("White", "Black"))
    assert [turn.move for turn in found.games[0].turns] == [move for _, move in MOVES]


def test_a_recording_that_went_on_is_watched_on(tmp_path: Path) -> None:
    scenes = rests(played(MOVES), rest=3.0)
    whole = film(tmp_path / "whole.mkv", scenes).read_bytes()
    path, output = tmp_path / "evening.mkv", tmp_path / "evening.mat"
    path.write_bytes(whole[: 3 * len(whole) // 4])
    result = run(path, "-o", output)
    assert "1 game, 2 turns" in result.output
    assert "it is cut off" in result.stderr
    kept = tmp_path / "evening.film" / "sightings.jsonl"
    seen = kept.read_bytes()
    patched = whole.index(b"Lavf")  # in its head, as when a recording is closed
    path.write_bytes(whole[:patched] + b"Lawf" + whole[patched + 4 :])
    result = run(path, "-o", output)
    assert "1 game, 3 turns" in result.output
    assert "it is cut off" not in result.stderr
    assert kept.read_bytes().startswith(seen)
    assert len(kept.read_bytes()) > len(seen)
    assert (
        run(path, film(tmp_path / "more.mkv", scenes[:3]), "-o", output).exit_code == 0
    )  # and one part more
    assert kept.read_bytes().startswith(seen)


@pytest.mark.parametrize("damage", ["in the middle", "too deep", "at the end", "deleted"])
def test_what_is_damaged_of_what_was_seen_is_watched_again(filmed: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(filmed, tmp_path / "copy")
    kept = tmp_path / "copy" / "evening.film" / "sightings.jsonl"
    lines_kept = kept.read_bytes().splitlines(keepends=True)
    if damage == "deleted":
        kept.unlink()
    elif damage == "at the end":
        kept.write_bytes(b"".join(lines_kept[:2]))
    else:
        lines_kept[1] = b"[" * 100_000 + b"\n" if damage == "too deep" else bytes(9) + b"\n"
        kept.write_bytes(b"".join(lines_kept))
    asked = (filmed / "evening.mp4", "-o", tmp_path / "copy" / "evening.mat", "--json")
    result = run(*asked)
    found, before = (lines(text) for text in (result.stdout, (filmed / "lines.jsonl").read_text()))
    assert [{**line, "t": None} for line in found] == [{**line, "t": None} for line in before]
    assert "is watched again" in result.stderr
    assert "is watched again" not in run(*asked).stderr


def test_nothing_is_lost_by_wrong_corners_and_answers_are_kept(filmed: Path, tmp_path: Path) -> None:
    shutil.copytree(filmed, tmp_path / "copy")
    folder = tmp_path / "copy" / "evening.film"
    (folder / "answers.json").write_text('{"results": {"1": ["white", 1]}}')
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    copied = shutil.copy(filmed / "evening.mp4", tmp_path / "another name.mp4")  # the same film
    asked = (copied, "-o", tmp_path / "copy" / "evening.mat")
    assert isinstance(run(*asked, "--corners", "10,10", "20,20", "30,30", "40,40").exception, BadInput)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert run(*asked).exit_code == 0
    assert (folder / "answers.json").is_file()
    result = run(*asked, "--again")
    assert "what was answered before is in" in result.stderr
    assert (folder / "answers-before.json").read_bytes() == before[folder / "answers.json"]
    (folder / "answers.json").write_text('{"results": {"1": ["black", 2]}}')
    assert WorkFolder(folder).begin() == folder / "answers-before-2.json"
    assert (folder / "answers-before.json").read_bytes() == before[folder / "answers.json"]


def test_what_was_said_of_a_film_need_not_be_said_again(filmed: Path, tmp_path: Path) -> None:
    """As who is told to run it again with --settle does."""
    shutil.copytree(filmed, tmp_path / "copy")
    folder, output = WorkFolder(tmp_path / "copy" / "evening.film"), tmp_path / "copy" / "evening.mat"
    asked = (filmed / "evening.mp4", "-o", output)
    state = {key: value for key, value in folder.state().items() if key != "version"}
    folder.progress({**state, "where": "[[1, 2], [3, 4], [5, 6], [7, 8]] {} "})  # with --corners
    kept = (folder.path / "sightings.jsonl").stat().st_mtime_ns
    for words, length, players in (
        (("--length", "3", "--players", "Ada", "Bob"), 3, ("Ada", "Bob")),
        ((), 3, ("Ada", "Bob")),
        (("--length", "0"), 0, ("Ada", "Bob")),
    ):
        assert run(*asked, *words).exit_code == 0
        match = formats.read(output.read_bytes()).record
        assert (match.terms.length, match.players) == (length, players)
    assert (folder.path / "sightings.jsonl").stat().st_mtime_ns == kept


def test_where_the_board_lies_need_not_be_said_again_to_watch_it_anew(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = boards.load(filmed / "evening.film" / "rig.json")
    corners = [(round(x), round(y)) for x, y in found.table.placement()[0]]
    asked = (filmed / "evening.mp4", "-o", tmp_path / "evening.mat")
    where = []

    def find(film_: Film, board: str, corners: Any, *_: Any) -> FoundTable:
        where.append(corners and [tuple(each) for each in corners])
        return FoundTable(found.table, 0.0, Quality())

    monkeypatch.setattr("firmware.transcribe.job.find_table", find)
    assert run(*asked, "--corners", *(f"{x},{y}" for x, y in corners)).exit_code == 0
    assert run(*asked, "--again").exit_code == 0
    assert where == [corners, corners]
    assert run(*asked, "--rig", filmed / "evening.film" / "rig.json").exit_code == 0
    assert run(*asked, "--again").exit_code == 0
    assert len(where) == 2


@pytest.mark.parametrize(
    ("output", "said"), [("", "name the match file"), ("-", "name the match file"), ("/dev/null", "name the")]
)
def test_what_is_no_name_for_several_files_is_refused(filmed: Path, output: str, said: str) -> None:
    result = run(filmed / "evening.mp4", "-o", output)
    assert (result.exit_code, said in result.output) == (2, True)


def test_a_name_with_a_dot_is_a_name_and_what_was_kept_is_no_film(filmed: Path, tmp_path: Path) -> None:
    shutil.copytree(filmed / "evening.film", tmp_path / "final.v2.film")
    result = run(filmed / "evening.mp4", "-o", tmp_path / "final.v2")
    assert "final.v2.mat: 1 game" in result.output
    assert (tmp_path / "final.v2.mat").is_file()
    result = run(tmp_path / "final.v2.film" / "pictures", "-o", tmp_path / "final.v2.mat")
    assert (result.exit_code, "name another match file" in result.output) == (2, True)
    assert len(list((tmp_path / "final.v2.film" / "pictures").iterdir())) >= 4


def test_what_nobody_named_is_not_written_over(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, name in (((), "evening.mat"), (("-o", "final.mat"), "final.sgf")):
        (tmp_path / name).write_text("(;GM[6]C[with notes])")
        (tmp_path / name).with_suffix(".film").mkdir()  # no board was found before
        result = run(filmed / "evening.mp4", *words)
        assert isinstance(result.exception, BadInput)
        assert f"{name} is there already" in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["evening.mat", "final.sgf"]


@pytest.mark.parametrize("link", ["lock", "sightings.jsonl", "pictures/1.jpg", "", ".html"])
def test_no_link_that_comes_with_a_film_leads_to_another_file(
    filmed: Path, tmp_path: Path, link: str
) -> None:
    kept, elsewhere = tmp_path / "evening.film", tmp_path / "elsewhere"
    shutil.copytree(filmed / "evening.film", kept)
    leads = kept.with_suffix(link) if link == ".html" else kept / link
    if leads.is_dir():
        leads.rename(elsewhere)
    else:
        leads.unlink(missing_ok=True)
        elsewhere.write_text("precious")
    leads.symlink_to(elsewhere)
    said = "would be written over" if link == ".html" else "is a link, not a file"
    with pytest.raises(BadInput, match=said):
        run(filmed / "evening.mp4", "-o", tmp_path / "evening.mat", catch_exceptions=False)
    assert elsewhere.is_dir() or elsewhere.read_text() == "precious"


def test_another_film_of_the_same_name_is_not_put_in_its_place(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(filmed, tmp_path / "kept")
    monkeypatch.chdir(tmp_path / "kept")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    other = film(tmp_path / "evening.mp4", rests(played(MOVES[:1])))
    for words in ((), ("--again",), ("-o", "evening.mat")):
        result = run(other, *words)
        assert isinstance(result.exception, BadInput)
        assert "evening.film is of another film" in str(result.exception)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before | {
        Path("evening.film/lock"): b""
    }
    parts = run("evening.mp4", other)  # the same film goes on
    assert "evening.mat: 2 games" in parts.output, parts.exception


def test_a_calibration_is_known_by_what_is_in_it(filmed: Path, tmp_path: Path) -> None:
    rig = tmp_path / "table.rig"
    with pytest.raises(FilmError, match=r"table\.rig: No such file"):
        Where(rig=rig).told()
    before = Where(rig=Path(shutil.copy(filmed / "evening.film" / "rig.json", rig))).told()
    assert Where(rig=rig.rename(tmp_path / "another.rig")).told() == before
    result = run(filmed / "evening.mp4", "--rig", rig, "-o", tmp_path / "evening.mat")
    assert isinstance(result.exception, BadInput)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another.rig"]


@pytest.mark.parametrize("key", ["through", "match", "geometry", "notes", "seen", "lasting"])
def test_what_is_kept_in_another_form_is_not_used(filmed: Path, tmp_path: Path, key: str) -> None:
    kept = json.loads((filmed / "evening.film" / "film.json").read_text())
    for value, good in ((kept[key], True), (None, False), ([1], False)):
        (tmp_path / "film.json").write_text(json.dumps(kept | {key: value}))
        assert bool(WorkFolder(tmp_path).state()) == good


def test_what_is_kept_without_an_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    for name in ("sightings.jsonl", "film.json"):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, 80_000_000)
    tracemalloc.start()
    folder = WorkFolder(tmp_path)
    assert (list(folder.sightings()), folder.mend(), folder.state()) == ([], (0, 0.0, True), {})
    assert tracemalloc.get_traced_memory()[1] < 70_000_000
    tracemalloc.stop()


def test_damaged_answers_say_which_file_it_is(filmed: Path, tmp_path: Path) -> None:
    folder = WorkFolder(tmp_path)
    for text in ("{", "[]", '{"results": {"1": ["red", 3]}}', '{"results": {"1": ["white", 5000]}}'):
        (tmp_path / "answers.json").write_text(text)
        with pytest.raises(FilmError, match=r"answers\.json: it is damaged"):
            folder.answers()


@pytest.mark.parametrize(
    ("quality", "told"),
    [
        (Quality(), []),
        (Quality(either_way=True, uneven=("14 white", "15 black")), []),
        (Quality(lead=2.0), ["name the players in the other order (--players)"]),
        (Quality(weak=("p13", "bar.white"), wrong=("p13",)), ["13, white's bar: badly seen in this film"]),
        (Quality(blur=0.9, separation=1.0), ["small, soft or in poor light"]),
    ],
)
def test_what_is_poor_about_the_board_is_told_to_who_has_nothing_but_the_film(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quality: Quality, told: list[str]
) -> None:
    """Nobody can calibrate again, or press a button of a table's page, who has a film."""
    table = boards.load(filmed / "evening.film" / "rig.json").table
    found = FoundTable(table, 0.0, quality)
    monkeypatch.setattr("firmware.transcribe.job.find_table", lambda *_: found)
    monkeypatch.setattr(Job, "_watched", lambda *_: True)
    job = Job(open_film([filmed / "evening.mp4"]), RULES, WorkFolder(tmp_path))
    job.watch()
    assert len(job.notes) == len(told)
    for note, words in zip(job.notes, told, strict=True):
        assert words in note
        assert not any(word in note for word in ("calibrat", "overlay", "on the page"))


def test_doubts_are_settled_on_a_page(filmed: Path) -> None:
    film_ = open_film([filmed / "evening.mp4"])
    job = Job(film_, RULES, WorkFolder(filmed / "evening.film"), Where(), eyes=no_dice)
    site = settling_page.app(job, lambda: job.write_up(Terms(), ("Ada", "Bob")))
    for _ in range(5):
        doubts = job.write_up(Terms(), ("Ada", "Bob")).doubts
        if not doubts:
            break
        turn = doubts[0][1]
        page = ask(site, "GET", "/").text
        assert "Which was played?" in page
        assert f'<a href="/pictures/{turn.picture}"' in page
        german = ask(site, "GET", "/", headers={"accept-language": "de"}).text
        assert '<html lang="de" dir="ltr">' in german
        assert "Was wurde gespielt?" in german
        assert ask(site, "GET", f"/pictures/{turn.picture}").headers["content-type"] == "image/jpeg"
        wrong = ask(site, "POST", "/", data={"turn": turn.key, "other": "I forgot"}, follow_redirects=True)
        assert "not understood" in wrong.text
        wrong = ask(site, "POST", "/", data={"turn": turn.key, "other": "66: 13/1"}, follow_redirects=True)
        assert "cannot have been played there" in wrong.text
        true = next(f"{dice[0]}-{dice[1]}: {move}" for dice, move in MOVES if move == turn.move)
        ask(site, "POST", "/", data={"turn": turn.key, "play": true})
        assert "Take the last answer back" in ask(site, "GET", "/").text
    assert "How did it end?" in ask(site, "GET", "/").text
    ask(site, "POST", "/", data={"game": "1", "result": "on"})
    found = job.write_up(Terms(), ("Ada", "Bob"))
    assert "All is settled" in ask(site, "GET", "/").text
    assert [sorted(turn.dice) for turn in found.games[0].turns] == [sorted(dice) for dice, _ in MOVES]
    assert ask(site, "GET", "/", headers={"host": "elsewhere.example"}).status_code == 403
    assert ask(site, "POST", "/", headers={"origin": "http://elsewhere.example"}, data={}).status_code == 403
    for path in ("/", f"/pictures/{found.games[0].turns[0].picture}"):  # an image, or a frame, of that page
        assert ask(site, "GET", path, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert ask(site, "GET", "/pictures/..%2Ffilm.json").status_code == 404
    (filmed / "evening.film" / "answers.json").unlink(missing_ok=True)


def test_the_last_answer_is_taken_back(filmed: Path, tmp_path: Path) -> None:
    folder = WorkFolder(tmp_path)
    job = Job(open_film([filmed / "evening.mp4"]), RULES, folder, Where())
    site = settling_page.app(job, lambda: pytest.fail("nothing is followed for an answer"))
    first, second = ({"turn": turn, "play": "3-1: 8/5 6/5"} for turn in ("1.jpg", "2.jpg++"))
    won = {"game": "1", "result": "white 2"}  # the film went on afterwards
    for answer in (won, first, second, first, {"cube": "3.jpg", "answer": "taken"}):
        assert ask(site, "POST", "/", data=answer).status_code == 303
    for plays in ({"1.jpg", "2.jpg++"}, {"2.jpg++"}, set()):
        assert ask(site, "POST", "/", data={"back": "1"}).status_code == 303
        assert (set(folder.answers().plays), folder.answers().cubes) == (plays, {})
        assert folder.answers().results == {1: ("white", 2)}
    for _ in range(2):
        assert ask(site, "POST", "/", data={"back": "1"}).status_code == 303
        assert not folder.answers()


def test_answers_of_a_release_that_kept_no_order_are_taken_back_as_they_are_asked(tmp_path: Path) -> None:
    cubes = {"2.jpg": ["taken", ""]}
    old = {"plays": {"1.jpg": None}, "results": {"1": ["white", 2]}, "cubes": cubes}
    (tmp_path / "answers.json").write_text(json.dumps(old))
    answers = WorkFolder(tmp_path).answers()
    answers.take_back()
    assert (answers.results, len(answers.cubes), len(answers.plays)) == ({}, 1, 1)
    answers.take_back()
    assert (len(answers.cubes), len(answers.plays)) == (0, 1)


def test_the_page_says_that_the_calibration_that_is_kept_is_damaged(filmed: Path, tmp_path: Path) -> None:
    job = Job(open_film([filmed / "evening.mp4"]), RULES, WorkFolder(tmp_path), Where())
    job.folder.progress({"way": [True, False], "before": 1})
    job.folder.rig.write_text("{")
    site = settling_page.app(job, lambda: job.write_up(Terms(), ("Ada", "Bob")))
    shown = ask(site, "GET", "/")
    assert (shown.status_code, "rig.json: it is damaged" in shown.text) == (500, True)


def test_the_page_says_what_keeps_an_answer_from_being_kept(filmed: Path, tmp_path: Path) -> None:
    def full() -> Transcript:
        raise OSError(errno.ENOSPC, "No space left on device")

    job = Job(open_film([filmed / "evening.mp4"]), RULES, WorkFolder(tmp_path), Where())
    site = settling_page.app(job, full)
    shown = ask(site, "GET", "/", headers={"accept-language": "de"})
    assert (shown.status_code, f"{tmp_path} kann nicht geschrieben werden: No space" in shown.text) == (
        500,
        True,
    )
    (tmp_path / "answers.json").write_text("{")
    shown = ask(site, "POST", "/", data={"turn": "1.jpg", "play": "nothing"})
    assert (shown.status_code, "answers.json: it is damaged" in shown.text) == (500, True)


def test_an_answer_that_leaves_no_game_can_be_taken_back(tmp_path: Path) -> None:
    def none() -> Transcript:
        raise FilmError("no game is played in it")

    folder = WorkFolder(tmp_path)
    answers = Answers()
    answers.say("plays", "1.jpg", None)
    folder.save_answers(answers)
    job: Any = SimpleNamespace(folder=folder)
    site = settling_page.app(job, none)
    shown = ask(site, "GET", "/").text
    assert "No game is played in it" in shown
    assert 'name="back"' in shown
    shown = ask(site, "POST", "/", data={"back": "1"}, follow_redirects=True).text
    assert not folder.answers()
    assert 'name="back"' not in shown


def test_who_stops_it_is_told_that_it_can_go_on(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Job, "watch", stopped)
        result = run(filmed / "evening.mp4", "-o", tmp_path / "evening.mat")
    assert "barpoint: stopped; the same command continues" in result.stderr
    assert run(filmed / "evening.mp4", "-o", tmp_path / "evening.mat").exit_code == 0


def test_two_at_once_do_not_write_into_one_folder(
    filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(folder: Path, pattern: str) -> list[Path]:
        return [*all_found(folder, pattern), folder / "film.json.part"]

    all_found = Path.rglob
    folder = WorkFolder(tmp_path / "match.film")
    folder.path.mkdir()
    with folder.alone():
        monkeypatch.setattr(
            Path, "rglob", found
        )  # the other one has written a file since, and it is not there
        result = run(filmed / "evening.mp4", "-o", tmp_path / "match.mat")
        assert isinstance(result.exception, BadInput)
        assert "in use by another 'barpoint transcribe'" in str(result.exception)
        assert [each.name for each in folder.path.iterdir()] == ["lock"]
        folder.rig.touch()
    with folder.alone():  # the lock ended with its holder
        pass


def test_a_film_without_a_board_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = film(tmp_path / "desk.mp4", [(None, 1.0)])
    result = run(path, "-o", tmp_path / "desk.mat")
    assert isinstance(result.exception, BadInput)
    assert "no board is found" in str(result.exception)
    assert "--corners" in str(result.exception)
    assert list(tmp_path.iterdir()) == [path]


def test_a_film_that_is_cut_off_before_a_play_says_so(tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.mkv", rests(played(MOVES[:2])))
    path = tmp_path / "cut.mkv"
    path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 3])
    result = run(path, "--json")
    assert "no game is played in it" in str(result.exception)
    assert "it is cut off" in result.stderr


def test_a_terminal_is_told_the_progress_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    told = phrase("following the games")
    with reading("de"), _progress(SimpleNamespace(seconds=10.0)) as tell:
        tell(told, 5.0)
        german = local(told)
    assert german != told
    assert german in sys.stderr.getvalue()


def test_nothing_is_written_where_nothing_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--json",), ()):
        result = run(tmp_path / "none.mp4", *words)
        assert isinstance(result.exception, BadInput)
    assert list(tmp_path.iterdir()) == []


def strip_over(image: Image) -> Image:
    """A stream's picture with a sponsor's strip over the lower rows' first checkers."""
    image[310:352, 60:560] = (150, 30, 20)
    cv2.putText(image, "ADA LEADS 3-1", (90, 342), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (255, 255, 255), 2)
    return image


def test_plays_go_on_beside_a_strip_that_stands_over_the_board(tmp_path: Path) -> None:
    def shown(inset: Image | None, seconds: float) -> Image:
        image = screen(inset, seconds)
        return strip_over(image) if 2.0 <= seconds < 11.0 else image

    path = film(tmp_path / "strip.mp4", rests(played(MOVES), rest=3.0), shown)
    job = Job(open_film([path]), RULES, WorkFolder(tmp_path / "strip.film"), Where(), eyes=no_dice)
    job.watch()
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]
    assert game.turns[1].t < 11.0
    high, wide = screen(None, 0.0).shape[:2]
    for kept in job.folder.pictures.iterdir():  # the board, not the players beside it
        across, down = cv2.imread(str(kept)).shape[1::-1]
        assert 0.5 * wide < across < 0.95 * wide
        assert down <= high
