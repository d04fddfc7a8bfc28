"""Films whose camera is put up anew, turned or zoomed on the way; and one that loses the board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.match import Terms
from firmware.languages.choice import local, reading
from firmware.transcribe.board_finder import find_table
from firmware.transcribe.film import Shot
from firmware.transcribe.job import Job, Where, open_film
from firmware.transcribe.video import Video
from firmware.transcribe.watch import Watch, no_dice
from firmware.transcribe.work_folder import WorkFolder
from hardware.painter import Painter
from tests.firmware.transcribe.filmed import RULES, film, hand_over, played, rests
from vision.geometry.board_measures import Orientation
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader

pytestmark = pytest.mark.long

pytest.importorskip("av")

MOVES = [((3, 1), "8/5 6/5"), ((6, 5), "24/18 13/8"), ((4, 2), "8/4 6/4")]


def turned(image: Image) -> Image:
    return np.asarray(cv2.rotate(image, cv2.ROTATE_180), np.uint8)


def zoomed(image: Image) -> Image:
    high, wide = image.shape[:2]
    way = cv2.getRotationMatrix2D((wide / 2, high / 2), 0, 0.9)
    return np.asarray(cv2.warpAffine(image, way, (wide, high), borderValue=(40, 60, 50)), np.uint8)


@pytest.mark.parametrize(
    ("moved", "said"), [(turned, "it lay the other way round"), (zoomed, "was found in another place")]
)
@pytest.mark.parametrize("rest", [6.0, 1.0])
def test_a_camera_that_is_put_up_anew_is_followed(
    moved: Callable[[Image], Image], said: str, rest: float, tmp_path: Path
) -> None:
    """What was played before it is looked for is seen, too; so it is where the film ends before."""
    scenes = rests(played(MOVES))
    then = [(None if image is None else moved(image), seconds) for image, seconds in scenes[2:]]
    then[0] = (then[0][0], rest)
    path = film(tmp_path / "moved.mp4", [*scenes[:3], *then])
    folder = WorkFolder(tmp_path / "moved.film")
    folder.path.mkdir()
    job = Job(open_film([path]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    assert any(said in note for note in job.notes), job.notes
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]


def test_a_camera_that_is_held_by_hand_is_followed_without_a_word(tmp_path: Path) -> None:
    """Every scene lies some pixels further on: it was told of each that the camera had moved."""

    def aside(image: Image, pixels: int) -> Image:
        return np.asarray(np.pad(image, ((0, 0), (pixels, 0), (0, 0)), "edge")[:, : image.shape[1]], np.uint8)

    scenes = [
        (None if image is None else aside(image, 4 * number), seconds)
        for number, (image, seconds) in enumerate(rests(played(MOVES)))
    ]
    folder = WorkFolder(tmp_path / "held.film")
    folder.path.mkdir()
    job = Job(open_film([film(tmp_path / "held.mp4", scenes)]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]
    assert not [note for note in job.notes if "camera" in note]


def test_after_a_long_break_a_board_is_looked_for_as_its_game_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the longer the break was, the later: nothing of a game was told but its end."""
    scenes = rests(played(MOVES[:1]))
    elsewhere = Frame(np.full((360, 640, 3), 90, np.uint8))
    cut = open_film([film(tmp_path / "long.mp4", scenes)])
    table = find_table(cut, "checkers", None, {}).table
    watch = Watch(cut, table, "checkers", lambda t, image: "")
    sought: list[float] = []

    def in_vain(watch: Watch, t: float, picture: Frame, thoroughly: bool) -> bool:
        if not sought or t > sought[-1]:
            sought.append(t)
        return False

    monkeypatch.setattr(Watch, "_look_elsewhere", in_vain)
    for second in range(3000):
        watch._seek(float(second), elsewhere)
    assert max(np.diff(sought)) <= 121
    assert len(sought) < 40


def test_what_is_watched_again_is_not_lost_where_that_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes = rests(played(MOVES))
    then = [(None if image is None else zoomed(image), 0.6) for image, _ in scenes[2:]]
    path = film(tmp_path / "moved.mp4", [*scenes[:3], *then[:-1], (then[-1][0], 6.0)])
    folder = WorkFolder(tmp_path / "moved.film")
    folder.path.mkdir()
    latest = 0.0

    def stop(words: str, t: float) -> None:
        nonlocal latest
        if words == "watching" and t < latest:
            raise KeyboardInterrupt
        latest = t if words == "watching" else 0.0

    monkeypatch.setattr("firmware.transcribe.job.EVERY", 0.2)
    monkeypatch.setattr("firmware.transcribe.watch.SEEK", 5.0)
    with pytest.raises(KeyboardInterrupt):
        Job(open_film([path]), RULES, folder, Where(), progress=stop, eyes=no_dice).watch()
    job = Job(open_film([path]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]


def test_a_film_whose_board_is_elsewhere_from_its_beginning_on_is_seen_from_there_on(tmp_path: Path) -> None:
    scenes = rests(played(MOVES))
    there = [(None if image is None else zoomed(image), 0.6) for image, _ in scenes]
    here, moved = film(tmp_path / "here.mp4", scenes), film(tmp_path / "moved.mp4", there)
    for path, rig in ((here, None), (moved, tmp_path / "here.film" / "rig.json")):
        folder = WorkFolder(path.with_suffix(".film"))
        folder.path.mkdir()
        job = Job(open_film([path]), RULES, folder, Where(rig=rig), eyes=no_dice)
        job.watch()
        (game,) = job.write_up(Terms(), ("White", "Black")).games
        assert [turn.move for turn in game.turns] == [move for _, move in MOVES]


def test_a_film_that_cuts_to_and_fro_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And watched again once: in a film without an index all before the cut is decoded for that."""
    searched = []
    begun = []

    def shots(video: Video, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
        begun.append(since)
        yield from all_shots(video, since, step, keys)

    all_shots = Video.shots
    monkeypatch.setattr(Video, "shots", shots)

    def learned_anew(watch: Watch, picture: Frame, thoroughly: bool) -> Iterator[BoardReader]:
        searched.append(thoroughly)
        yield from anew(watch, picture, thoroughly)

    anew = Watch._learned_anew
    monkeypatch.setattr(Watch, "_learned_anew", learned_anew)
    scenes = rests(played(MOVES))
    there = [None if image is None else zoomed(image) for image, _ in scenes]
    cuts = [*scenes[:3], (there[2], 4.0), *scenes[3:6], (there[6], 1.0)]
    folder = WorkFolder(tmp_path / "cuts.film")
    folder.path.mkdir()
    job = Job(open_film([film(tmp_path / "cuts.mp4", cuts)]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    assert len(begun) == 3, begun  # to find the board, to watch it, and once again
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]
    assert searched == [False]


def test_a_film_that_is_watched_on_knows_that_the_board_lies_the_other_way_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes = rests(played(MOVES))
    then = [(None if image is None else turned(image), seconds) for image, seconds in scenes[2:]]
    path = film(tmp_path / "moved.mp4", [*scenes[:3], *then])
    folder = WorkFolder(tmp_path / "moved.film")
    folder.path.mkdir()

    def stop(words: str, t: float) -> None:
        if words == "watching" and t > 4.5:  # the second play was seen, and the third was not
            raise KeyboardInterrupt

    monkeypatch.setattr("firmware.transcribe.job.EVERY", 0.2)
    with pytest.raises(KeyboardInterrupt):
        Job(open_film([path]), RULES, folder, Where(), progress=stop, eyes=no_dice).watch()
    job = Job(open_film([path]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    assert any("at 0:03" in note for note in job.notes), job.notes  # what was told before it was stopped
    with reading("de"):
        assert any("lag es anders herum" in local(note) for note in job.notes), "kept in no language"
    (game,) = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in game.turns] == [move for _, move in MOVES]


@pytest.mark.parametrize("way", [Orientation(mirrored=True), Orientation(turned=True, mirrored=True)])
def test_players_who_change_the_way_they_move_between_games_are_followed(
    way: Orientation, tmp_path: Path
) -> None:
    painter = Painter("checkers", 3)
    scenes = rests(played(MOVES))
    for number, position in enumerate(played(MOVES[:2])):
        board = position.layout().items()
        lying = {f"p{way.place(int(c[1:]))}" if c[1:].isdigit() else c: stack for c, stack in board}
        painted = painter.paint(lying, 20 + number)
        scenes += [(hand_over(painted), 0.3), (painted, 1.0)]
    path = film(tmp_path / "ways.mp4", scenes)
    folder = WorkFolder(tmp_path / "ways.film")
    folder.path.mkdir()
    job = Job(open_film([path]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    assert any("it lay the other way round" in note for note in job.notes), job.notes
    first, second = job.write_up(Terms(), ("White", "Black")).games
    assert [turn.move for turn in first.turns] == [move for _, move in MOVES]
    assert [turn.move for turn in second.turns] == [move for _, move in MOVES[:2]]


@pytest.mark.parametrize("moving", [False, True])
def test_a_board_that_is_not_seen_is_told(
    moving: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera was knocked away, or shows the players, of whom no picture is at rest; and the board comes
    back as it was, so that it is not read again."""
    monkeypatch.setattr("firmware.transcribe.watch.UNTOLD", 2.0)
    monkeypatch.setattr("firmware.transcribe.watch.LOST", 1.0)
    scenes = rests(played(MOVES[:1]))
    away = np.full_like(scenes[0][0], 90)
    away[:, ::80] = 200
    swayed = np.asarray(np.roll(away, 40, axis=1), np.uint8)
    gone, back = [(away, 0.2), (swayed if moving else away, 0.2)], (scenes[-1][0], 1.6)
    path = film(tmp_path / "gone.mp4", [*scenes, *gone * 6, back, *gone, back, *gone * 10])
    folder = WorkFolder(tmp_path / "gone.film")
    folder.path.mkdir()

    def stop(words: str, t: float) -> None:
        if words == "watching" and t > 12.0:  # the board is gone for three seconds
            raise KeyboardInterrupt

    monkeypatch.setattr("firmware.transcribe.job.EVERY", 0.2)
    with pytest.raises(KeyboardInterrupt):
        Job(open_film([path]), RULES, folder, Where(), progress=stop, eyes=no_dice).watch()
    job = Job(open_film([path]), RULES, folder, Where(), eyes=no_dice)
    job.watch()
    told = [note.partition(": ")[2] for note in job.notes if "the board was not seen whole" in note]
    assert [words[: len("from 0:02")] for words in told] == ["from 0:02", "from 0:08"]
    assert "to 0:05" in told[0]
    assert "on the board" in told[1]
