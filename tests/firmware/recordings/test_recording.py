"""Recorded sessions: a match is kept with its pictures, judged again the same, and sound whatever happens to
the power or the disk."""

import asyncio
import errno
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.effects import Judged
from engine.event_json import from_json
from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.record import MatchRecord, Played
from engine.session import Session
from firmware.cli import main
from firmware.record.archive import match_record
from firmware.record.journal import Journal
from firmware.recordings import recorder as recorder_module
from firmware.recordings import reel
from firmware.recordings.recorder import BEHIND, CLOSING, SessionRecorder
from firmware.recordings.recording import RecordingWriter
from firmware.recordings.reel import REEL
from firmware.table.news import News
from hardware.painter import Painter
from hardware.protocols import Frame
from tests.firmware import recorded
from tests.firmware.conftest import REPOSITORY
from vision import boards, reading
from vision.geometry.board_measures import start
from vision.reading import BoardReader

Line = tuple[int, str, str, str | None]


@pytest.fixture(scope="session")
def table() -> reading.BoardReader:
    painter = Painter()
    layout = {cell: (look,) for cell, look in start().items() if look}
    return boards.get("checkers").calibrate(painter.paint(layout), painter.corners, painter.geometry)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of seven turns, recorded: its state directory, with the recordings in it."""
    place = tmp_path_factory.mktemp("evening")
    asyncio.run(recorded.play(place, place / "recordings", 7))
    return place


def judged(state: Path) -> list[Line]:
    """What the table said to each done."""
    lines = []
    with Journal.open(state / "journal.db") as journal:
        session = Session()
        for entry in journal.entries(journal.games()[0]):
            session, effects = session.handle(from_json(entry.body))
            lines += [
                (each.turn, each.side, each.verdict, each.move)
                for each in effects
                if isinstance(each, Judged)
            ]
    return lines


def again(name: str, state: Path, capsys: pytest.CaptureFixture[str]) -> list[Line]:
    """What a replay says."""
    with pytest.raises(SystemExit) as stopped:
        main(["replay", name, "--json", "--state", str(state)])
    told = capsys.readouterr()
    assert stopped.value.code == 0, told.err
    lines = [json.loads(line) for line in told.out.splitlines()]
    return [
        (line["turn"], line["side"], line["verdict"], line["move"]) for line in lines if "verdict" in line
    ]


def plays(match: MatchRecord) -> list[str]:
    return [action.text for action in match.games[0].actions if isinstance(action, Played)]


def folder(state: Path) -> Path:
    (found,) = (state / "recordings").iterdir()
    return found


def test_a_recorded_match_is_judged_again_the_same_in_every_turn(
    evening: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    then = judged(evening)
    assert {line[2] for line in then} == {"legal", "illegal"}
    assert again(folder(evening).name, evening, capsys) == then
    with Journal.open(evening / "journal.db") as journal:
        first, second = (match_record(journal.entries(log)) for log in journal.games())
    assert plays(first) == plays(second)


def test_a_disputed_turn_is_shown_with_its_pictures(
    evening: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = evening / "turn.html"
    with pytest.raises(SystemExit) as stopped:
        main(["pictures", "last", "--turn", "4", "-o", str(output), "--json", "--state", str(evening)])
    assert stopped.value.code == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["verdict"] for line in lines] == ["illegal", "legal"]
    assert lines[1]["then"] == f"legal {lines[1]['words']}"
    assert output.read_text(encoding="utf-8").count("data:image/jpeg") >= 4


def test_a_recording_says_what_was_agreed_on_and_keeps_its_rig(evening: Path) -> None:
    found = reel.read(folder(evening))
    assert found.begin is not None
    assert found.begin["rules"] == "backgammon"
    assert found.rig == "table.rig"
    assert boards.load(folder(evening) / "table.rig").board == "checkers"


def named(state: Path) -> int:
    """Pictures that a recording names so far."""
    return sum(path.read_text().count(".jpg") for path in state.glob("recordings/*/reel.json"))


def test_killed_in_the_middle_it_is_sound_up_to_there_and_goes_on_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-m", "tests.firmware.recorded", str(tmp_path), str(tmp_path / "recordings")]
    with subprocess.Popen(command, cwd=REPOSITORY) as running:
        deadline = time.monotonic() + 120
        while named(tmp_path) < 7 and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    reel.read(folder(tmp_path))
    told = again(folder(tmp_path).name, tmp_path, capsys)
    then = judged(tmp_path)
    assert told == then[: len(told)]
    assert len(told) >= 4
    asyncio.run(recorded.play(tmp_path, tmp_path / "recordings", 2))
    told = again(folder(tmp_path).name, tmp_path, capsys)
    then = judged(tmp_path)
    # What was in the journal and not yet on film is told in words; all that was seen is judged again.
    rest = iter(then)
    assert all(line in rest for line in told)
    assert len(then) - len(told) <= 2
    assert told[-2:] == then[-2:]


def test_beyond_its_limit_the_oldest_pictures_go_and_the_rest_is_judged_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(recorded.play(tmp_path, tmp_path / "recordings", 7, limit=900_000))
    kept = folder(tmp_path)
    pictures = sorted(path.name for path in kept.glob("*.jpg"))
    assert pictures == sorted(reel.read(kept).frames)
    assert sum((kept / name).stat().st_size for name in pictures) <= 900_000
    told, then = again(kept.name, tmp_path, capsys), judged(tmp_path)
    assert told == then[-len(told) :]
    assert 3 <= len(told) < len(then)


# -- one recording, by hand


def frame(t: float, moving: bool = False) -> News:
    pixels = np.random.default_rng(int(t * 10)).integers(0, 256, (96, 120, 3)).astype(np.uint8)
    return News(t, Session(), frame=Frame(t, f"f{t}", pixels), moving=moving)


def kinds(place: Path) -> list[tuple[str, float]]:
    return [(type(moment).__name__, moment.t) for moment in reel.read(place).timeline]


def test_what_the_referee_sees_and_hears_is_kept_in_order_and_what_was_refused_is_not(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    watch = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    done = Press(t=3, button=Button.DONE, side="white")
    for news in (
        frame(0),
        News(1, Session(), Roll(t=1, dice=(3, 1), side="white")),
        frame(4, moving=True),
        News(3, Session(), done),  # it waited for the hand to leave
        News(4, Session(), moving=True),
        News(5, Session(), Press(t=5, button=Button.DROP, side="white"), refused="no double was offered"),
        News(6, Session(), Choose(t=6, play="8/5 6/5")),
        News(6, Session(), Press(t=6, button=Button.RESIGN, side="white", grade="gammon")),
    ):
        watch.take(news)
    watch.flush()
    assert kinds(tmp_path) == [
        ("PictureTaken", 0),
        ("DiceRolled", 1),
        ("ButtonPressed", 3),
        ("PictureTaken", 4),
        ("CameraLost", 4),
        ("EventLogged", 6),
        ("EventLogged", 6),
    ]
    assert [
        moment.moving for moment in reel.read(tmp_path).timeline if isinstance(moment, reel.PictureTaken)
    ] == [
        False,
        True,
    ]


def test_without_a_picture_there_is_no_recording(tmp_path: Path, table: BoardReader) -> None:
    watch = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    watch.take(News(1, Session(), Roll(t=1, dice=(3, 1), side="white")))
    watch.flush()
    assert not (tmp_path / "reel.json").exists()


def test_what_the_power_cut_off_is_made_up_for_from_the_journal(tmp_path: Path, table: BoardReader) -> None:
    watch = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    begin = Begin(t=0, rules="backgammon")
    watch.take(News(0, Session(), begin))
    watch.take(frame(1))
    watch.flush()
    (tmp_path / "000009.jpg").write_bytes(b"written, never named")
    (tmp_path / "reel.json.part").write_text("{")
    events: list[Event] = [begin, Roll(t=2, dice=(3, 1), side="white"), Choose(t=3, play="8/5 6/5")]
    for _ in range(2):  # the second time there is nothing new
        again = RecordingWriter(tmp_path, table, "backgammon", 10**9, events)
        again.flush()
        assert kinds(tmp_path) == [("PictureTaken", 1), ("DiceRolled", 2), ("EventLogged", 3)]
    assert not (tmp_path / "000009.jpg").exists()
    assert reel.read(tmp_path).rigs == ("table.rig",)


def test_a_table_calibrated_anew_gets_a_rig_of_its_own_from_there_on(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    watch = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    watch.take(frame(1))
    watch.flush()
    watch = RecordingWriter(tmp_path, again_calibrated(), "backgammon", 10**9)
    watch.take(frame(2))
    watch.flush()
    assert [kind for kind, _ in kinds(tmp_path)] == ["PictureTaken", "RigChanged", "PictureTaken"]
    assert reel.read(tmp_path).rigs == ("table.rig", "table1.rig")


def test_older_recordings_go_before_the_pictures_of_this_one(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    for name in ("one", "two"):
        watch = RecordingWriter(tmp_path / name, table, "backgammon", 10**9)
        watch.take(frame(1))
        watch.flush()
    one = (tmp_path / "one" / "000000.jpg").stat().st_size
    (tmp_path / "one" / "note.txt").write_text("mine")
    watch = RecordingWriter(tmp_path / "three", table, "backgammon", int(one * 2.5))
    watch.take(frame(1))
    watch.flush()
    assert sorted(path.name for path in tmp_path.glob("*/reel.json")) == ["reel.json", "reel.json"]
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["note.txt"]
    assert (tmp_path / "two" / "reel.json").exists()


def test_a_full_disk_stops_the_recording_and_leaves_it_sound(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    room = [10**9]
    watch = RecordingWriter(tmp_path, table, "backgammon", 10**9, free=lambda path: room[0])
    watch.take(frame(1))
    watch.flush()
    room[0] = 0
    with pytest.raises(OSError, match="No space left"):
        watch.take(frame(2))
    assert kinds(tmp_path) == [("PictureTaken", 1)]


@pytest.mark.parametrize("fault", ["the disk does not answer", "it is damaged"])
def test_a_recording_whose_names_cannot_be_read_loses_no_picture(
    tmp_path: Path, table: reading.BoardReader, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    first = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    for number in range(3):
        first.take(frame(number))
    first.flush()
    pictures, named_ = sorted(tmp_path.glob("*.jpg")), (tmp_path / REEL).read_bytes()
    with monkeypatch.context() as patch:
        if fault == "it is damaged":
            (tmp_path / REEL).write_bytes(named_[:-9])
        else:
            patch.setattr(Path, "read_bytes", broken(fault))
        with pytest.raises(OSError, match=fault):
            RecordingWriter(tmp_path, table, "backgammon", 10**9)
    assert sorted(tmp_path.glob("*.jpg")) == pictures
    (tmp_path / REEL).write_bytes(named_)
    again = RecordingWriter(tmp_path, table, "backgammon", 10**9)
    again.take(frame(3))
    again.flush()
    assert len(kinds(tmp_path)) == 4


def broken(fault: str) -> Callable[..., Any]:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, fault)

    return fail


def test_a_recorder_whose_disk_hangs_is_left_alone_until_it_is_done(
    tmp_path: Path, table: reading.BoardReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    free, taken = threading.Event(), RecordingWriter.take
    monkeypatch.setattr(recorder_module, "CLOSING", 0.2)
    monkeypatch.setattr(RecordingWriter, "take", lambda self, news: (free.wait(60), taken(self, news))[1])
    recorder = SessionRecorder(tmp_path, 10**9, lambda: table, told.append)
    recorder.begin("log", "backgammon")
    recorder(frame(1))
    assert not recorder.close()
    recorder.begin("log", "backgammon")  # two would write into one folder
    assert "the disk hangs" in told[-1]
    monkeypatch.setattr(recorder_module, "CLOSING", 60.0)
    free.set()
    assert recorder.close()
    assert kinds(tmp_path / "log") == [("PictureTaken", 1)]
    recorder.begin("log", "backgammon")
    recorder(frame(2))
    assert recorder.close()
    assert len(kinds(tmp_path / "log")) == 2


def test_a_recorder_that_cannot_write_the_last_of_it_ends(
    tmp_path: Path, table: reading.BoardReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(recorder_module, "queue", SimpleNamespace(Queue=NeverEmpty, Full=queue.Full))
    monkeypatch.setattr(RecordingWriter, "flush", broken("no room"))
    recorder = SessionRecorder(tmp_path, 10**9, lambda: table, told.append)
    recorder.begin("log", "backgammon")
    recorder(frame(1))
    begun = time.monotonic()
    assert recorder.close()
    assert time.monotonic() - begun < CLOSING
    assert "no room" in told[-1]


def test_players_are_told_that_a_recording_stopped_and_nobody_waits_for_it(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    told: list[str] = []
    (tmp_path / "in the way").write_text("a file where the folder should be")
    recorder = SessionRecorder(tmp_path / "in the way", 10**9, lambda: table, told.append)
    recorder.begin("log", "backgammon")
    for number in range(100):
        recorder(frame(number))
    recorder.close()
    assert told[0] == ""
    assert "recording has stopped, the game goes on" in told[-1]


class NeverEmpty(queue.Queue[Any]):
    """What waits for a disk that is always behind."""

    def empty(self) -> bool:
        return False


def test_pictures_are_named_in_time_where_the_disk_is_always_behind(
    tmp_path: Path, table: reading.BoardReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "queue", SimpleNamespace(Queue=NeverEmpty, Full=queue.Full))
    recorder = SessionRecorder(tmp_path, 10**9, lambda: table, lambda told: None)
    recorder.begin("log", "backgammon")
    deadline = time.monotonic() + 60
    number = 0
    while not (tmp_path / "log" / "reel.json").exists() and time.monotonic() < deadline:
        number += 1
        recorder(frame(number))
        while not (tmp_path / "log" / f"{number - 1:06d}.jpg").exists() and time.monotonic() < deadline:
            time.sleep(0.005)
    assert BEHIND <= number <= BEHIND + 2  # the last may be on their way
    recorder.close()


def test_a_table_is_recorded_from_when_it_is_calibrated_and_gets_its_new_rig_when_it_is_again(
    tmp_path: Path, table: reading.BoardReader
) -> None:
    told: list[str] = []
    learned: list[BoardReader | None] = [None]
    recorder = SessionRecorder(tmp_path, 10**9, lambda: learned[0], told.append)
    recorder.begin("log", "backgammon")
    begin = Begin(t=0, rules="backgammon")
    recorder(News(0, Session(), begin))
    recorder(frame(1))
    assert told == ["recording begins when the table is calibrated"]
    learned[0] = table
    recorder(frame(2))
    learned[0] = again_calibrated()
    recorder(frame(3))
    recorder.close()
    assert told[-1] == ""
    assert kinds(tmp_path / "log") == [("PictureTaken", 2), ("RigChanged", 2), ("PictureTaken", 3)]
    assert reel.read(tmp_path / "log").begin == begin.to_json()


def again_calibrated() -> reading.BoardReader:
    painter = Painter(seed=4)
    layout = {cell: (look,) for cell, look in start().items() if look}
    return boards.get("checkers").calibrate(painter.paint(layout), painter.corners, painter.geometry)


def test_play_records_too_and_other_games_than_backgammon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(recorded.play(tmp_path, tmp_path / "recordings", 3, "siegegammon"))
    assert again("last", tmp_path, capsys) == judged(tmp_path)
