"""What players accept teaches the table, never the worse, and there is a way back."""

from __future__ import annotations

import errno
import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine import rules as games
from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.evidence import Evidence
from engine.layout import Looks
from engine.match import Terms
from engine.session import Session
from firmware.commands.learned import command
from firmware.simulated.painted import learned
from firmware.table import learner
from firmware.table.learner import EVERY, LEAST, Shot, TableLearner, improved
from firmware.table.live import LiveEyes
from firmware.table.news import News
from hardware.painter import Painter
from hardware.protocols import Frame
from vision import boards
from vision.checkers.reader import CheckersReader
from vision.errors import RigError
from vision.picture.frame import Frame as Picture
from vision.reading import Accepted, BoardReader
from vision.settle import Settler

PAINTER = Painter("checkers", 0)
BEGUN = games.get("backgammon").start({})
START = PAINTER.paint(BEGUN.layout())


@pytest.fixture(scope="module")
def made() -> BoardReader:
    return learned(PAINTER, BEGUN)


@pytest.fixture
def table(made: BoardReader, tmp_path: Path) -> tuple[TableLearner, LiveEyes, list[str]]:
    eyes, said = LiveEyes(Settler(made), "checkers"), list[str]()
    boards.save(made, tmp_path / "table.rig", "backgammon")
    return TableLearner(eyes, lambda board: tmp_path / "table.rig", tmp_path, said.append), eyes, said


def faded(table: BoardReader) -> CheckersReader:
    """The table as it would be known if White's checkers had been much darker."""
    assert isinstance(table, CheckersReader)
    white, black = table.rig.paint.tints
    luma, *chromas = white.colour
    tints = (replace(white, colour=(luma - 0.5, *chromas)), black)
    return CheckersReader(replace(table.rig, paint=replace(table.rig.paint, tints=tints)))


def accepted(many: int) -> list[Shot]:
    return [lambda: Accepted(Picture(START), BEGUN.looks())] * many


class Labels(TableLearner):
    """Keeps what it would learn from."""

    def _hand_over(self, label: tuple[Frame, Looks]) -> None:
        self.heard.append((label[0].name, label[1]))

    heard: list[tuple[str, Looks]]


def played(*events: Event) -> list[tuple[str, Looks]]:
    """What is learned from these events, each after a picture of its own."""
    watcher = Labels(LiveEyes(None), lambda board: Path(), Path(), print)
    watcher.heard = []
    session = Session()
    for number, event in enumerate([Begin(t=0, rules="backgammon", terms=Terms(length=3)), *events]):
        watcher(News(number, session, frame=Frame(number, f"picture {number}", START)))
        session, _ = session.handle(event)
        watcher(News(number, session, event))
    return watcher.heard


def evidence(looks: Looks) -> Evidence:
    return Evidence.nearness(looks)


ROLL = Roll(t=1, dice=(3, 1), side=None)
AFTER = BEGUN.roll((3, 1)).plays()[0].after.looks()
DONE = Press(t=2, button=Button.DONE, side="white", evidence=evidence(AFTER))
NEXT = Roll(t=3, dice=(6, 5), side="black")


def test_a_done_is_a_label_for_its_picture_once_the_other_side_has_rolled() -> None:
    assert played(ROLL, DONE) == []
    assert played(ROLL, DONE, NEXT) == [("picture 2", AFTER)]


def test_a_done_that_waited_for_hands_to_leave_belongs_to_the_picture_that_follows() -> None:
    watcher = Labels(LiveEyes(None), lambda board: Path(), Path(), print)
    watcher.heard = []
    session = Session()
    for event in (Begin(t=0, rules="backgammon", terms=Terms(length=3)), ROLL):
        session, _ = session.handle(event)
    watcher(News(1, session, frame=Frame(1, "before", START)))
    watcher(News(2, session, moving=True))
    session, _ = session.handle(DONE)
    watcher(News(3, session, DONE))
    watcher(News(3, session, frame=Frame(3, "after", START)))
    session, _ = session.handle(NEXT)
    watcher(News(4, session, NEXT))
    assert watcher.heard == [("after", AFTER)]


def test_what_was_taken_back_or_found_illegal_is_no_label() -> None:
    undo = Press(t=3, button=Button.UNDO, side="white")
    assert played(ROLL, DONE, undo, replace(DONE, t=4), replace(NEXT, t=5)) == [("picture 4", AFTER)]
    foul = replace(DONE, evidence=evidence({**BEGUN.looks(), "p24": ("white",), "p2": ("white",)}))
    assert played(ROLL, foul) == []


def test_what_somebody_named_is_no_label_since_the_checkers_may_be_moved_later() -> None:
    unseen = replace(DONE, evidence=None)
    asked = Session()
    for event in (Begin(t=0, rules="backgammon", terms=Terms(length=3)), ROLL, unseen):
        asked, _ = asked.handle(event)
    assert asked.table is not None
    assert asked.table.pending is not None
    named = Choose(t=3, side="white", play=asked.table.pending.candidates[0])
    assert played(ROLL, unseen, named, replace(NEXT, t=4)) == []


def test_looks_that_were_known_badly_are_learned_from_play(
    table: tuple[TableLearner, LiveEyes, list[str]], made: BoardReader, tmp_path: Path
) -> None:
    watcher, eyes, said = table
    eyes.learn(faded(made), "checkers")
    for number in range(max(LEAST, EVERY)):
        watcher.take(Frame(number, str(number), START), BEGUN.looks())
    assert isinstance(eyes.table, CheckersReader)
    assert isinstance(made, CheckersReader)
    found, true = (each.rig.paint.tints[0].colour[0] for each in (eyes.table, made))
    assert found == pytest.approx(true, abs=0.1)
    assert said == []
    assert [version.why for version in boards.versions(tmp_path / "table.rig")] == [
        "calibrated",
        f"learned from {LEAST} accepted plays",
    ]
    assert len([*(tmp_path / "accepted/checkers").glob("*.jpg")]) == LEAST


def test_what_reads_the_other_pictures_worse_is_not_taken_over(
    made: BoardReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert improved(faded(made), accepted(4)) is not None
    monkeypatch.setattr(CheckersReader, "relearn", lambda self, accepted: faded(self))
    assert improved(made, accepted(4)) is None


def test_pictures_outlive_a_restart_and_a_moved_camera_makes_them_worthless(
    table: tuple[TableLearner, LiveEyes, list[str]], made: BoardReader, tmp_path: Path
) -> None:
    watcher, eyes, said = table
    for number in range(3):
        watcher.take(Frame(number, str(number), START), BEGUN.looks())
    again = TableLearner(eyes, lambda board: tmp_path / "table.rig", tmp_path, said.append)
    again.take(Frame(3, "3", START), BEGUN.looks())
    index = tmp_path / "accepted/checkers" / learner.INDEX
    assert len(json.loads(index.read_text())) == 4
    assert isinstance(made, CheckersReader)
    eyes.learn(CheckersReader(made.rig), "checkers")
    again.take(Frame(4, "4", START), BEGUN.looks())
    assert len(json.loads(index.read_text())) == 1
    again.take(Frame(4, "4", START), BEGUN.looks())
    assert len(json.loads(index.read_text())) == 2
    elsewhere = Painter("checkers", 3)  # the table is started again, and calibrated anew before anybody plays
    eyes.learn(learned(elsewhere, BEGUN), "checkers")
    third = TableLearner(eyes, lambda board: tmp_path / "table.rig", tmp_path, said.append)
    third.take(Frame(5, "5", elsewhere.paint(BEGUN.layout())), BEGUN.looks())
    assert len(json.loads(index.read_text())) == 1
    index.write_text("[1, {}]")
    TableLearner(eyes, lambda board: tmp_path / "table.rig", tmp_path, said.append).take(
        Frame(5, "5", START), BEGUN.looks()
    )
    assert len(json.loads(index.read_text())) == 1


@pytest.mark.parametrize(
    "index",
    [
        "[" * 3000,
        '[{"picture": "000001.jpg", "looks": {"p1": 5}}]',
        f'[{{"picture": "{"9" * 5000}.jpg", "looks": {{}}}}]',
        '[{"picture": "../000001.jpg", "looks": {}}]',
    ],
)
def test_a_damaged_list_of_accepted_pictures_is_begun_anew(
    table: tuple[TableLearner, LiveEyes, list[str]], tmp_path: Path, index: str
) -> None:
    teacher, _, _ = table
    folder = tmp_path / "accepted" / "checkers"
    folder.mkdir(parents=True)
    (folder / "accepted.json").write_text(index)
    shot = accepted(1)[0]()
    teacher.take(Frame(0.0, "", shot.frame.image), shot.looks)
    kept = json.loads((folder / "accepted.json").read_text())
    assert kept[-1]["looks"].keys() == shot.looks.keys()


def test_a_list_that_the_disk_does_not_give_costs_no_picture(
    table: tuple[TableLearner, LiveEyes, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, eyes, said = table
    watcher.take(Frame(0, "0", START), BEGUN.looks())
    again = TableLearner(eyes, lambda board: tmp_path / "table.rig", tmp_path, said.append)
    with monkeypatch.context() as broken:

        def fail(path: Path, **how: object) -> str:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

        broken.setattr(Path, "read_text", fail)
        for _ in range(2):
            with pytest.raises(OSError, match="Input/output error"):
                again.take(Frame(1, "1", START), BEGUN.looks())
    again.take(Frame(2, "2", START), BEGUN.looks())
    assert len(list((tmp_path / "accepted/checkers").glob("*.jpg"))) == 2


def test_a_full_disk_is_told_and_the_thread_goes_on(
    table: tuple[TableLearner, LiveEyes, list[str]], tmp_path: Path
) -> None:
    watcher, _, said = table
    (tmp_path / "accepted").write_text("no folder")
    told = threading.Event()
    watcher._say = lambda words: (said.append(words), told.set())
    watcher._hand_over((Frame(0, "0", START), BEGUN.looks()))
    assert told.wait(60)
    watcher.close()
    assert "nothing was learned from the last play" in said[0]


def test_one_goes_back_to_the_version_before(made: BoardReader, tmp_path: Path) -> None:
    rig = tmp_path / "table.rig"
    boards.save(made, rig, "backgammon")
    for number in range(boards.MOST_VERSIONS + 2):
        boards.save_version(faded(made), rig, boards.Version("", f"learned {number}"))
    whys = [version.why for version in boards.versions(rig)]
    assert whys == ["calibrated", *(f"learned {number}" for number in range(2, boards.MOST_VERSIONS + 2))]
    result = CliRunner().invoke(command, [str(rig), "--back", "--json"])
    assert result.exit_code == 0
    assert [each["why"] for each in json.loads(result.stdout)["versions"]] == whys[:-1]
    for _ in whys[2:]:
        stored = boards.go_back(rig)
    assert stored.rules == "backgammon"
    assert isinstance(stored.table, CheckersReader)
    assert isinstance(made, CheckersReader)
    assert stored.table.rig.paint == made.rig.paint
    with pytest.raises(RigError, match="no earlier version"):
        boards.go_back(rig)


def test_a_version_that_cannot_be_read_does_not_take_the_place_of_one_that_can(
    made: BoardReader, tmp_path: Path
) -> None:
    rig = tmp_path / "table.rig"
    boards.save(made, rig, "backgammon")
    boards.save_version(made, rig, boards.Version("", "learned"))
    data = json.loads(rig.read_text())
    data["earlier"][0]["paint"] = None
    rig.write_text(json.dumps(data))
    with pytest.raises(RigError, match=r"table\.rig: the rig is damaged"):
        boards.go_back(rig)
    assert [version.why for version in boards.versions(rig)] == ["calibrated", "learned"]
    assert [path.name for path in tmp_path.iterdir()] == ["table.rig"]
