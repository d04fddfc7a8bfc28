"""Film files, good and bad: what is read of them, and what is said where nothing can be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from operator import mul
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware.transcribe.board_finder import FoundTable, find_table
from firmware.transcribe.film import Chain, FilmError, Shot, beginning
from firmware.transcribe.job import open_film
from firmware.transcribe.picture_folder import PictureFolder, time_in
from firmware.transcribe.rest import Gate, box_around, differs
from firmware.transcribe.sighting import Face, Throw, thrown
from firmware.transcribe.video import Video
from firmware.transcribe.watch import clock
from tests.firmware.transcribe.filmed import SIZE, film, screen
from vision.errors import VisionError
from vision.picture.frame import Image

av = pytest.importorskip("av")


def shot(t: float, image: Image) -> Shot:
    return Shot(float(t), lambda: cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YUV)), lambda: image)


def grey(level: int) -> Image:
    return np.full((960, 1280, 3), level, np.uint8)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds: dark, then light, then dark."""
    path = tmp_path_factory.mktemp("films") / "short.mp4"
    return film(path, [(grey(40), 1.0), (grey(200), 1.0), (grey(40), 1.0)])


def test_a_film_gives_its_pictures_with_their_times(short: Path) -> None:
    video = Video(short)
    assert video.size == SIZE
    assert video.seconds == pytest.approx(3.0, abs=0.1)
    found = [(round(shot.t, 2), int(shot.image()[180, 300].mean())) for shot in video.shots(0.0, 0.5)]
    assert [t for t, _ in found] == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    assert [level > 120 for _, level in found] == [False, False, True, True, False, False]
    assert [round(shot.t, 1) for shot in video.shots(2.0, 0.5)] == [2.0, 2.5]


def test_pictures_that_come_unevenly_have_their_own_times(tmp_path: Path) -> None:
    path = film(tmp_path / "uneven.mkv", [(grey(90), 1.0)], times=lambda number: number * number)
    assert [round(shot.t, 1) for shot in Video(path).shots()] == [
        number * number / 10 for number in range(10)
    ]


@pytest.mark.parametrize("next_one", [20, 200])
def test_a_picture_that_stays_is_at_rest_before_the_next_comes(tmp_path: Path, next_one: int) -> None:
    """Films of a screen have no pictures while nothing changes."""
    path = film(
        tmp_path / "screen.mkv",
        [(grey(40), 0.5), (grey(200), 0.3), (grey(40), 0.2)],
        times=lambda number: number if number < 8 else next_one + number,
    )
    gate, found, passed = Gate(SIZE), [], []
    for shot in Video(path).shots(0.0, 0.2):
        light = bool(shot.image()[180, 300].mean() > 120)
        found.append((shot.t, light))
        passed += [(shot.t, light)] * gate.passes(shot)
    stays = [t for t, light in found if light]
    assert [t for t, _ in found] == sorted(t for t, _ in found)
    assert len(stays) < 10
    assert next_one / 10 < stays[-1] < next_one / 10 + 0.8
    assert any(light and t < next_one / 10 + 0.8 for t, light in passed)


def test_no_picture_is_spared_after_which_none_comes_soon(tmp_path: Path) -> None:
    scenes = [(grey(40 + 16 * number), 0.1) for number in range(10)]
    for name, apart in (("slow.mkv", 10), ("slow.mp4", 10), ("fast.mkv", 1)):
        path = film(tmp_path / name, scenes, times=partial(mul, apart), unreferred=3)
        found = {round(int(shot.image()[180, 300].mean()) / 16) for shot in Video(path).shots(0.0, 0.2)}
        assert (len(found) == 10) == (apart > 1)


def test_a_rotation_flag_turns_the_pictures(short: Path, tmp_path: Path) -> None:
    data = bytearray(short.read_bytes())
    at = data.index(b"tkhd") + 4 + 40  # version 0: the matrix
    quarter = (0, 1 << 16, 0, -(1 << 16) % (1 << 32), 0, 0, 0, 0, 1 << 30)
    data[at : at + 36] = b"".join(number.to_bytes(4, "big") for number in quarter)
    turned = tmp_path / "turned.mp4"
    turned.write_bytes(data)
    video = Video(turned)
    assert video.size == SIZE[::-1]
    shot = next(video.shots())
    assert shot.image().shape[:2] == SIZE
    assert shot.planes()[0].shape == SIZE
    upright = next(Video(short).shots()).image()
    assert np.abs(shot.image().astype(int) - cv2.rotate(upright, cv2.ROTATE_90_CLOCKWISE)).mean() < 3


@pytest.mark.parametrize(
    ("said", "wide"), [(Fraction(4, 3), 4 / 3), (Fraction(8, 9), 8 / 9), (Fraction(99), 1)]
)
def test_pixels_that_are_not_square_are_shown_as_they_are_meant(
    tmp_path: Path, said: Fraction, wide: float
) -> None:
    video = Video(film(tmp_path / "hdv.mp4", [(grey(90), 0.3)], wide=said))
    size = round(wide * SIZE[0]), SIZE[1]
    assert video.size == size
    shot = next(video.shots())
    assert shot.image().shape[1::-1] == size
    assert shot.thumb(None, video.size) is not None


def test_a_file_that_is_no_film_is_told(tmp_path: Path) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("no film")
    empty = tmp_path / "empty.mp4"
    empty.touch()
    for path, words in (
        (text, "no film that can be read"),
        (empty, "empty"),
        (tmp_path / "none.mp4", "no such file"),
    ):
        with pytest.raises(FilmError, match=words):
            Video(path)


def test_an_address_is_no_film() -> None:
    with pytest.raises(FilmError, match="download it first"):
        open_film([Path("https://example.org/final.mp4")])


def test_a_film_without_pictures_is_told(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(FilmError, match="no pictures in it"):
        Video(path)


def test_a_film_that_was_cut_off_before_its_index_is_told(short: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.mp4"
    path.write_bytes(short.read_bytes()[:4000])
    with pytest.raises(FilmError, match="cut off"):
        Video(path)


def test_of_a_film_that_was_cut_off_in_the_middle_the_rest_is_read(short: Path, tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.mkv", [(grey(40 + 20 * number), 1.0) for number in range(8)])
    path = tmp_path / "cut.mkv"
    path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    video = Video(path)
    shots = [shot.t for shot in video.shots()]
    assert 1.0 < shots[-1] < 7.5
    assert any("cut off" in note or "damaged" in note for note in video.notes)


def test_a_film_that_was_joined_has_one_time_and_one_size(tmp_path: Path) -> None:
    """As camcorders' clips are put together; of another size is what another camera took."""
    scenes = [(grey(40 + 20 * number), 1.0) for number in range(4)]
    clips = [film(tmp_path / f"{number}.ts", scenes) for number in range(2)]
    small = [(cv2.resize(image, (320, 240)), seconds) for image, seconds in scenes]
    clips.append(film(tmp_path / "small.ts", small, lambda image, t: image, size=(320, 240)))
    path = tmp_path / "joined.ts"
    path.write_bytes(b"".join(clip.read_bytes() for clip in clips))
    video = Video(path)
    times = [round(shot.t, 1) for shot in video.shots(0.0, 0.5)]
    assert times == [number / 2 for number in range(16)]
    assert [round(shot.t, 1) for shot in video.shots(6.0, 0.5)] == [6.0, 6.5, 7.0, 7.5]
    assert any("another size (320x240)" in note for note in video.notes)


def test_a_film_without_times_is_read_whole_and_entered_anywhere(tmp_path: Path) -> None:
    scenes = [(grey(40 + 20 * number), 1.0) for number in range(8)]
    video = Video(film(tmp_path / "raw.h264", scenes, unreferred=3))
    rate = 80 / (1 + [shot.t for shot in video.shots()][-1] * 25) * 25
    assert len({int(shot.image()[180, 300].mean()) // 20 for shot in video.shots(0.0, 0.1)}) == 8
    assert rate == pytest.approx(25, rel=0.05)
    assert next(shot.t for shot in video.shots(2.0, 0.2)) == pytest.approx(2.0, abs=0.05)


def test_a_folder_whose_pictures_changed_is_another_film(tmp_path: Path) -> None:
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), grey(90))
    before = PictureFolder(tmp_path).digest()
    assert PictureFolder(tmp_path).digest() == before
    mark = PictureFolder(tmp_path).mark()
    cv2.imwrite(str(tmp_path / "3.png"), grey(90))
    assert PictureFolder(tmp_path).digest() != before
    assert PictureFolder(tmp_path).goes_on(mark)  # it has only become longer
    cv2.imwrite(str(tmp_path / "1.png"), grey(91))
    assert not PictureFolder(tmp_path).goes_on(mark)


def test_a_film_goes_on_from_its_beginning_with_whatever_is_joined_to_it(short: Path, tmp_path: Path) -> None:
    longer, other = tmp_path / "longer.mp4", tmp_path / "other.mp4"
    longer.write_bytes(short.read_bytes() + bytes(1000))
    other.write_bytes(bytes(each ^ 1 for each in short.read_bytes()))
    film_, long = Video(short), Video(longer)
    assert long.goes_on(film_.mark())
    assert not film_.goes_on(long.mark())
    assert Chain([film_, long]).goes_on(film_.mark())
    assert Chain([film_, long]).goes_on(Chain([film_, film_]).mark())
    assert not Chain([long, film_]).goes_on(Chain([film_, film_]).mark())
    assert not film_.goes_on(Chain([film_, film_]).mark())
    for mark in ("", "None", "-1 x", f"{short.stat().st_size} {beginning(other, short.stat().st_size)}"):
        assert not film_.goes_on(mark)


def test_two_films_are_parts_of_one(short: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.mp4"
    shutil.copy(short, second)
    chain = Chain([Video(short), Video(second)])
    assert chain.seconds == pytest.approx(6.0, abs=0.2)
    assert [round(shot.t) for shot in chain.shots(0.0, 1.0)] == [0, 1, 2, 3, 4, 5]
    assert [round(shot.t) for shot in chain.shots(4.0, 1.0)] == [4, 5]


def test_parts_whose_length_nobody_knows_have_the_same_times_wherever_they_are_entered(
    short: Path, tmp_path: Path
) -> None:
    """As a recorder leaves a file that was not closed."""
    raw = film(tmp_path / "raw.h264", [(grey(90), 2.0)])
    chain = Chain([Video(raw), Video(short)])
    whole = [round(shot.t, 2) for shot in chain.shots(0.0, 0.5)]
    assert chain.seconds is None
    assert [round(shot.t, 2) for shot in chain.shots(whole[-2], 0.5)] == whole[-2:]


def test_a_cover_is_not_the_film(short: Path, tmp_path: Path) -> None:
    path = tmp_path / "cover.mkv"
    with av.open(str(short)) as source, av.open(str(path), "w") as container:
        cover = container.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 160, 120, "yuvj420p"
        stream = container.add_stream_from_template(source.streams.video[0])
        image = av.VideoFrame.from_ndarray(np.zeros((120, 160, 3), np.uint8), format="bgr24")
        image.pts = 0
        container.mux(cover.encode(image))
        container.mux(cover.encode(None))
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                container.mux(packet)
    assert Video(path).size == SIZE
    assert len(list(Video(path).shots(0.0, 0.5))) == 6


def test_one_picture_is_no_film(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "12.5.jpg"), grey(90))
    with pytest.raises(FilmError, match="give the folder"):
        open_film([tmp_path / "12.5.jpg"])


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("0012.5", 12.5),
        ("frame 7", 7.0),
        ("01-02-03.5", 3723.5),
        ("board", None),
        ("2026-11-22T00-01-05", None),
    ],
)
def test_a_pictures_name_tells_its_time(name: str, seconds: float | None) -> None:
    found = time_in(name)
    if "T" in name:
        assert found is not None
        assert found % 86400 == 65
    else:
        assert found == seconds


@pytest.mark.parametrize(
    ("t", "told"),
    [(123.4, "2:03.4"), (59.97, "1:00.0"), (3599.97, "1:00:00"), (3723.2, "1:02:03"), (3719.6, "1:02:00")],
)
def test_a_time_in_a_film_is_one_that_a_clock_shows(t: float, told: str) -> None:
    """No minute has 60 seconds."""
    assert clock(t) == told


def test_a_folder_of_pictures_is_a_film(tmp_path: Path) -> None:
    for t in (10.0, 10.5, 12.0):
        cv2.imwrite(str(tmp_path / f"{t}.png"), screen(grey(80), t))
    folder = PictureFolder(tmp_path)
    assert folder.size == SIZE
    assert [shot.t for shot in folder.shots()] == [0.0, 0.5, 2.0]
    assert [shot.t for shot in folder.shots(0.4)] == [0.5, 2.0]


def test_a_folder_that_is_no_film_is_told(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match="no pictures"):
        PictureFolder(tmp_path)
    cv2.imwrite(str(tmp_path / "board.png"), grey(80))
    with pytest.raises(FilmError, match="no time in its name"):
        PictureFolder(tmp_path)
    (tmp_path / "reel.json").write_text('{"timeline": [{"t": 0, "frame": "other.png"}]}')
    with pytest.raises(FilmError, match="no picture 'other"):
        PictureFolder(tmp_path)
    for t in ('"inf"', '"nan"', "-1e300"):
        (tmp_path / "reel.json").write_text(f'{{"timeline": [{{"t": {t}, "frame": "board.png"}}]}}')
        with pytest.raises(FilmError, match="it does not say when which picture was taken: no time: "):
            PictureFolder(tmp_path)
    os.truncate(tmp_path / "reel.json", 80_000_000)
    with pytest.raises(FilmError, match="longer than 64 MB"):
        PictureFolder(tmp_path)


def test_the_gate_passes_a_board_at_rest_once_and_disregards_what_is_beside_it(tmp_path: Path) -> None:
    lit = grey(40)
    lit[300:600, 400:700] = 200
    scenes = [(grey(40), 2.0), (lit, 2.0), (grey(40), 0.1), (lit, 1.0)]
    path = film(tmp_path / "rests.mkv", scenes)
    gate = Gate(SIZE, (100, 20, 540, 340))
    passed = [round(shot.t, 1) for shot in Video(path).shots(0.0, 0.2) if gate.passes(shot)]
    assert len(passed) == 2
    assert passed[0] == 0.0
    assert 2.1 <= passed[1] <= 2.8


@pytest.mark.parametrize("begin", [0.0, 0.05, 0.1, 0.15])
def test_a_board_that_is_at_rest_for_half_a_second_is_looked_at(begin: float) -> None:
    """Every second another one, and then a hand."""
    gate, passed = Gate(SIZE), set()
    for t in np.arange(0.0, 10.0, 0.2):
        rests = begin <= t % 1.0 < begin + 0.5
        image = np.roll(screen(None, 0.0), round(40 * (t // 1.0 if rests else t + 9.0)), axis=1)
        if gate.passes(shot(t, image)) and rests:
            passed.add(t // 1.0)
    assert len(passed) == 10


def test_what_moves_beyond_the_boards_rim_is_no_movement() -> None:
    """Streams show the players, and clocks, right beside the board."""
    outline = np.array([[100, 300], [500, 300], [500, 60], [100, 60]], float)
    left, top, right, bottom = box_around(outline, SIZE)
    assert left < 100 < 500 < right < 520
    assert 40 < top < 60 < 300 < bottom < 320


def test_noise_that_is_coded_anew_all_over_is_no_movement() -> None:
    rng = np.random.default_rng(1)
    before = np.full((180, 240, 3), 90, np.float32)
    coded = before + rng.normal(0, 7, before.shape).astype(np.float32)
    die = coded.copy()
    die[100:104, 60:64] += 60
    dark = before.copy()
    dark[60:, ::40], dark[:60] = 200, 10
    assert not differs(before, coded)
    assert not differs(before[..., :1], coded[..., :1])
    for other in (die, dark):
        assert differs(before, other)


def test_dice_are_thrown_where_they_lie_anew() -> None:
    def die(value: int | None, x: float, colour: str = "white") -> Face:
        return Face(value, (x, 10.0), colour)

    old = [die(3, 5.0), die(5, 9.0)]
    fell = thrown(old, [])
    assert fell is not None
    assert fell.values == (3, 5)
    assert thrown(old, [old]) is None
    assert thrown([die(3, 5.2), die(None, 9.0)], [old]) is None  # one is not read now; nothing has moved
    again = thrown([die(3, 5.0), die(6, 20.0)], [old])  # one fell where one had lain
    assert again is not None
    assert again.values == (3, 6)
    mine = [die(6, 30.0, "red"), die(1, 34.0, "red")]
    other = thrown([*old, *mine], [old])
    assert other is not None
    assert other.values == (6, 1)
    assert not other.fits((6, 2))
    assert thrown([die(2, 1.0)], []) is None
    assert Throw(((mine[0],), (die(None, 34.0),))).fits((4, 6))


def test_what_a_die_looks_like_weighs_the_rolls_though_nobody_would_say_it() -> None:
    def die(value: int | None, x: float, *likely: float) -> Face:
        return Face(value, (x, 10.0), "white", likely)

    sure, doubtful = die(5, 5.0), die(None, 9.0, 0.02, 0.03, 0.05, 0.8, 0.05, 0.05)
    throw = Throw(((sure,), (doubtful,)))
    assert throw.against((5, 4)) == 0.0
    assert throw.against((5, 3)) == pytest.approx(0.7 * np.log(0.8 / 0.05), abs=0.001)
    assert throw.against((5, 3)) < 4.6  # one die that is not sure decides nothing (99 to 1)
    assert throw.fits((3, 5))
    again = throw.again([sure, die(None, 9.2, 0.02, 0.03, 0.0, 0.9, 0.02, 0.03)])
    assert again.against((5, 3)) > throw.against((5, 3))  # a better look
    assert again.again([die(6, 30.0)]).looks == again.looks  # another die is no look at this one
    assert throw.again([die(4, 9.0)]).values == (5, 4)


def test_a_board_at_rest_between_the_keyframes_of_a_long_film_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Long(Video):
        size, seconds, name, notes = SIZE, 3600.0, "long.mp4", []

        def __init__(self) -> None:
            pass

        def shots(self, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
            for t in np.arange(since, 3600.0, 100.0 if keys else step):
                shown = np.roll(screen(None, 0.0), 300 if 4.0 < t < 6.0 else round(t * 40), axis=1)
                yield shot(t, shown)

    def look(shot: Shot, *_: object) -> FoundTable:
        looked.append(shot.t)
        raise VisionError("no board")

    looked: list[float] = []
    said: list[str] = []
    monkeypatch.setattr("firmware.transcribe.board_finder._look", look)
    with pytest.raises(FilmError, match="no board is found"):
        find_table(Long(), "checkers", None, {}, lambda words, t: said.append(words))
    assert said[0] == "looking for the board, picture 1 of 16"
    assert said[-1] == "the board is not found yet, picture 16 of 16; --corners says where it is"
    assert [round(t) for t in looked[:3]] == [0, 4, 160]


@pytest.mark.parametrize(
    ("corners", "reason"),
    [
        ([(0, 350), (0, 0), (600, 350), (600, 0)], "the corners cross over"),
        ([(9000, 350), (600, 350), (600, 0), (0, 0)], "corner 1 is far outside the picture of 640x360"),
    ],
)
def test_corners_that_no_board_has_are_refused_before_a_picture_is_looked_at(
    short: Path, corners: list[tuple[float, float]], reason: str
) -> None:
    looked: list[float] = []
    with pytest.raises(FilmError, match=reason):
        find_table(Video(short), "checkers", corners, {}, lambda words, t: looked.append(t))
    assert looked == []
