"""What is said of a die, and how a square of it is looked at."""

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.dice import DiceReader, Die, Lies, reader
from vision.dice.colours import colour_of
from vision.dice.look import SIDE, map_of, smaller, squares
from vision.dice.networks import TEMPER, Spots, chances
from vision.errors import ImageError
from vision.geometry.camera import Camera, Floats, from_corners
from vision.picture.frame import Image

SIZE = (60.0, 48.0)
STEEP = [(160.0, 880.0), (1120.0, 880.0), (1000.0, 160.0), (280.0, 160.0)]
"""A board seen from its lower side."""


@pytest.fixture(scope="module")
def camera() -> Camera:
    return from_corners(STEEP, *SIZE, (1280, 960))[0]


@pytest.mark.parametrize(
    ("bgr", "word"),
    [
        ((235, 240, 240), "light"),
        ((20, 20, 20), "dark"),
        ((110, 110, 112), "grey"),
        ((30, 20, 200), "red"),
        ((60, 160, 40), "green"),
        ((200, 90, 20), "blue"),
        ((150, 40, 140), "purple"),
        ((20, 200, 220), "yellow"),
    ],
)
def test_colours_have_the_words_that_people_use(bgr: tuple[int, int, int], word: str) -> None:
    cut = np.full((SIDE, SIDE, 3), 90, np.uint8)
    cut[12:36, 12:36] = bgr
    cut[22:26, 22:26] = 255 - np.array(bgr)  # a pip says nothing of the body
    assert colour_of(cut) == word


def test_a_die_in_json_says_no_value_that_is_not_sure() -> None:
    die = Die(None, (12.34, 56.78), 0.98, "red", Lies.FLAT)
    assert die.to_json() == {
        "value": None,
        "at": [12.3, 56.8],
        "confidence": 0.98,
        "colour": "red",
        "lies": "flat",
    }


def test_in_a_square_up_is_away_from_the_camera(camera: Camera) -> None:
    image = np.zeros((960, 1280, 3), np.uint8)
    place = np.array([20.0, 30.0])
    away = place - camera.eye()[:2]
    beyond = camera.project([[*(place + 0.6 * away / np.linalg.norm(away)), 0.0]])[0].round().astype(int)
    image[beyond[1] - 2 : beyond[1] + 3, beyond[0] - 2 : beyond[0] + 3] = 255
    bright = squares(image, camera, place, [1.3])[0][..., 0].astype(float)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    assert np.average(rows, weights=bright) == pytest.approx((SIDE - 1) / 2 - 0.6 / 1.3 * SIDE / 2, abs=1.5)
    assert np.average(columns, weights=bright) == pytest.approx((SIDE - 1) / 2, abs=1.5)


def test_a_square_at_the_picture_s_edge_is_still_one(camera: Camera) -> None:
    image = np.full((960, 1280, 3), 128, np.uint8)
    for place in ((-30.0, -30.0), (90.0, 0.0), (30.0, 200.0)):
        assert squares(image, camera, place, [1.3])[0].shape == (SIDE, SIDE, 3)


def test_the_map_s_sides_are_what_the_network_needs_whatever_the_board(camera: Camera) -> None:
    for size in ((60.0, 48.0), (35.0, 30.0), (24.4, 21.1)):
        rows, columns = map_of(camera, size).shape
        assert rows % 8 == columns % 8 == 0
        assert 500 < columns < 620


def test_a_picture_of_another_camera_is_refused_in_words() -> None:
    reader = DiceReader.at_corners(STEEP, (1280, 960), SIZE)
    with pytest.raises(ImageError, match="640x360, the calibration 1280x960"):
        reader.look(np.zeros((360, 640, 3), np.uint8))


def test_dice_are_read_in_a_picture_of_half_the_size() -> None:
    image = picture("green-felt", "03").image
    reader = DiceReader.of_table(CheckersReader(rig("green-felt")))
    small = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    whole, half = reader.look(image).dice, reader.look(small).dice
    assert len(whole) == len(half) > 0
    for die, again in zip(whole, half, strict=True):
        assert np.hypot(*np.subtract(die.place, again.place)) < die.size / 2


def test_bare_pictures_have_no_dice() -> None:
    reader = DiceReader.at_corners(STEEP, (1280, 960), SIZE)
    for grey in (0, 128, 255):
        assert reader.look(np.full((960, 1280, 3), grey, np.uint8)).dice == ()


def test_how_a_die_lies(camera: Camera) -> None:
    reader = DiceReader(camera, SIZE)
    assert reader._lies((20, 20), 0.1) is Lies.FLAT
    assert reader._lies((20, 20), 0.9) is Lies.COCKED
    assert reader._lies((63, 20), 0.1) is Lies.OUTSIDE
    assert reader._lies((63, 20), 0.9) is Lies.OUTSIDE  # there it is seen, not read
    assert reader._lies((-0.5, 20), 0.1) is Lies.FLAT  # against the rim, over which it leans


def _answer(chances: Floats) -> Floats:
    """What the eye's network answers where it sees these; hardly cocked."""
    return np.append(TEMPER * np.log(np.maximum(chances, 1e-30)), -2.2)


def test_of_several_looks_one_that_is_sure_outweighs_one_that_is_in_doubt() -> None:
    sure, doubt = (np.array([(1 - p) / 2, 0, 0, 0, p, 0, (1 - p) / 2, *[0] * 6]) for p in (0.9999, 0.9))
    shown, tilt = chances([_answer(sure), _answer(doubt)])
    assert shown.argmax() == 4
    assert shown.sum() == pytest.approx(1)
    assert 0.99 < shown[4] < 0.9999
    assert tilt == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("odds", "die", "told", "value"),
    [
        (2.5, 0.95, True, None),
        (0.4, 0.98, False, None),
        (0.4, 0.995, True, None),
        (0.4, 0.9999, True, 6),
        (3.0, 0.5, False, None),
    ],
)
def test_a_die_is_told_and_its_value_said_where_finder_and_eye_together_are_sure_of_one(
    monkeypatch: pytest.MonkeyPatch,
    camera: Camera,
    odds: float,
    die: float,
    told: bool,
    value: int | None,
) -> None:
    spot = Spots(np.array([[200.0, 150.0]]), np.array([9.0]), np.array([odds]))
    monkeypatch.setattr(reader, "find_spots", lambda *_: spot)
    shown = np.array([1 - die, 0, 0, 0, 0, 0, die, *[0] * 6])
    monkeypatch.setattr(reader, "look_at", lambda *_: _answer(shown))
    dice = DiceReader(camera, SIZE).look(np.zeros((960, 1280, 3), np.uint8)).dice
    assert [one.value for one in dice] == [value] * told


def test_where_a_large_die_lies_is_told_by_the_smaller_map(
    monkeypatch: pytest.MonkeyPatch, camera: Camera
) -> None:
    """There the finder knows better where it is, and how large, than on the usual one."""
    whole = DiceReader(camera, SIZE).flat
    at, aside, small = (200.0, 150.0), (206.0, 150.0), (300.0, 200.0)
    half = np.array(smaller(np.zeros((*whole.shape, 3), np.uint8)).shape[1::-1]) / whole.shape[::-1]

    def found(laid: Image, *_: float) -> Spots:
        if laid.shape[:2] == whole.shape:
            return Spots(np.array([aside, small]), np.array([17.0, 9.0]), np.array([3.0, 2.0]))
        places = (np.array([at, small]) + 0.5) * half - 0.5
        return Spots(places, np.array([20.0, 9.0]) * half[0], np.array([2.5, 4.0]))

    monkeypatch.setattr(reader, "find_spots", found)
    monkeypatch.setattr(reader, "look_at", lambda *_: _answer(np.array([0, 0, 0, 1.0, *[0] * 9])))
    dice = DiceReader(camera, SIZE).look(np.zeros((960, 1280, 3), np.uint8)).dice
    places, sizes = np.array([die.place for die in dice]), [die.size * whole.scale for die in dice]
    assert whole.at(places) == pytest.approx(np.array([at, small]), abs=0.01)
    assert sizes == pytest.approx([20.0, 9.0])


@pytest.mark.parametrize(
    ("odds", "cube", "seen"), [(2.5, 0.95, True), (0.4, 0.98, False), (0.4, 0.995, True), (2.0, 0.8, False)]
)
def test_the_doubling_cube_is_told_where_finder_and_eye_together_are_sure_of_one(
    monkeypatch: pytest.MonkeyPatch, camera: Camera, odds: float, cube: float, seen: bool
) -> None:
    spot = Spots(np.array([[200.0, 150.0]]), np.array([9.0]), np.array([odds]))
    monkeypatch.setattr(reader, "find_spots", lambda *_: spot)
    shown = np.array([1 - cube, *[0] * 6, *[0] * 3, 0.3 * cube, 0.7 * cube, 0])
    monkeypatch.setattr(reader, "look_at", lambda *_: _answer(shown))
    lying = DiceReader(camera, SIZE).look(np.zeros((960, 1280, 3), np.uint8))
    assert lying.dice == ()
    assert (lying.cube is not None) is seen
    assert lying.cube is None or (lying.cube.value, round(lying.cube.confidence, 2)) == (None, 0.7)
