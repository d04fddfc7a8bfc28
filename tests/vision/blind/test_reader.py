"""Whole boards, read blind: painted ones, rendered ones, and (where they are at hand) photographs."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.bench.altered import lens
from tests.bench.blind import Case, cases, mistakes, signed
from tests.vision.boards import corners as drawn_corners
from tests.vision.boards import picture as drawn_board
from training.blind.paint import sample
from vision.blind.reader import in_own_order, read_blind
from vision.disc_finder.flat_map import FIELD, MARGIN
from vision.errors import CalibrationError, ImageError
from vision.geometry.board_measures import Geometry
from vision.picture.frame import Image, load
from vision.reading import Reading

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("BARPOINT_DATA", str(ROOT.parent / "shared/data")))
REEL = ROOT / "tests/data/reel"
LOW, HIGH = MARGIN, MARGIN + FIELD[1]
PAINTED = [
    (float(MARGIN), float(HIGH)),
    (float(MARGIN + FIELD[0]), float(HIGH)),
    (float(MARGIN + FIELD[0]), float(LOW)),
    (float(MARGIN), float(LOW)),
]
START = {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}


def counts(reading: Reading) -> dict[int, int]:
    return {n: signed(reading.looks[f"p{n}"]) for n in range(1, 25) if reading.looks.get(f"p{n}")}


@cache
def start() -> tuple[Image, tuple[tuple[float, float], ...]]:
    corners = json.loads((REEL / "reel.json").read_text())["corners_px"]
    return load(REEL / "000.jpg").image, tuple((x, y) for x, y in corners)


@pytest.fixture
def picture() -> tuple[Image, list[tuple[float, float]]]:
    image, corners = start()
    return image.copy(), list(corners)


def test_the_first_frame_of_the_recorded_game_is_the_start_and_nothing_is_said_of_borne_off_checkers(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    reading = read_blind(*picture)
    assert counts(reading) == START
    assert not any(cell.startswith("off") for cell in reading.looks)
    assert reading.looks["bar.white"] == reading.looks["bar.black"] == ()
    assert not reading.hand
    assert min(reading.confidence.values()) > 0.5


@pytest.mark.parametrize(
    ("frame", "stacks"), [("088", {1: 7}), ("102", {1: 6}), ("106", {24: -6}), ("110", {1: 6, 24: -7})]
)
def test_what_lies_upon_full_rows_is_counted(frame: str, stacks: dict[int, int]) -> None:
    """Checkers are being borne off, so that no total tells; on the map a second layer is a crescent of a
    pixel or two."""
    _, corners = start()
    found = counts(read_blind(load(REEL / f"{frame}.jpg").image, list(corners)))
    assert {point: found.get(point) for point in stacks} == stacks


def test_borne_off_checkers_are_those_missing_on_the_board_where_a_tray_is_in_view(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    reading = read_blind(*picture, Geometry(tray="right"))
    assert reading.looks["off.white"] == reading.looks["off.black"] == ()
    assert reading.confidence["off.white"] > 0.9
    image, corners = picture
    beyond = int(max(x for x, _ in corners)) + 4  # the picture ends at the board's right edge
    assert (
        "off.white"
        not in read_blind(np.ascontiguousarray(image[:, :beyond]), corners, Geometry(tray="right")).looks
    )


def mirrored(image: Image, corners: list[tuple[float, float]]) -> tuple[Image, list[tuple[float, float]]]:
    """The same board with its home on the left."""
    bl, br, tr, tl = ((image.shape[1] - 1 - x, y) for x, y in corners)
    return np.ascontiguousarray(image[:, ::-1]), [br, bl, tl, tr]


def test_of_a_board_with_its_home_at_the_left_the_tray_is_looked_for_where_it_is_said_to_be(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    known = Geometry(tray="left", home="left")
    assert read_blind(*mirrored(*picture), known).looks["off.white"] == ()
    image, corners = picture
    beyond = int(max(x for x, _ in corners)) + 4
    assert "off.white" not in read_blind(*mirrored(image[:, :beyond], corners), known).looks


def test_checkers_are_marked_in_the_picture_wherever_the_home_is(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    image, corners = picture
    usual = read_blind(image, corners).marks
    assert sum(map(len, usual.values())) >= 28
    other = read_blind(*mirrored(image, corners), Geometry(home="left")).marks
    last = image.shape[1] - 1
    assert usual.keys() == other.keys()
    for cell, spots in usual.items():
        back = [(last - x, y, radius) for _, x, y, radius in other[cell]]
        assert np.allclose(sorted(back), sorted(spot[1:] for spot in spots), atol=1.5)
    table = json.loads((REEL / "reel.json").read_text())
    low, high = np.min(table["corners_px"], axis=0), np.max(table["corners_px"], axis=0)
    for _, x, y, radius in (spot for spots in usual.values() for spot in spots):
        assert low[0] < x < high[0]
        assert low[1] < y < high[1]
        assert radius == pytest.approx((high[0] - low[0]) / 26, rel=0.25)


def test_a_board_turned_half_round_is_read_from_its_own_corners(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    image, corners = picture
    reading = read_blind(image, [*corners[2:], *corners[:2]])
    assert counts(reading) == {(n + 12 if n <= 12 else n - 12): count for n, count in START.items()}


def test_a_picture_turned_a_quarter_changes_nothing_as_the_corners_turn_with_it(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    image, corners = picture
    turned = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    assert counts(read_blind(turned, [(image.shape[0] - 1 - y, x) for x, y in corners])) == START


def test_corners_told_as_a_turned_picture_has_them_are_put_in_the_boards_order(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    image, corners = picture
    assert in_own_order(image, corners) is corners
    off = in_own_order(image, [*corners[1:], corners[0]])
    assert set(off) == set(corners)
    assert off in (corners, [*corners[2:], *corners[:2]])
    nothing = np.full_like(image, 90)
    assert in_own_order(nothing, corners) is corners


@pytest.mark.parametrize("seed", range(4))
def test_corners_five_pixels_off_change_nothing(
    picture: tuple[Image, list[tuple[float, float]]], seed: int
) -> None:
    image, corners = picture
    off = np.random.default_rng(seed).uniform(-5, 5, (4, 2))
    assert counts(read_blind(image, [(float(x), float(y)) for x, y in np.array(corners) + off])) == START


@pytest.mark.parametrize("change", ["dark", "bright", "warm", "small", "large"])
def test_neither_lamp_nor_camera_changes_what_is_read(
    picture: tuple[Image, list[tuple[float, float]]], change: str
) -> None:
    image, corners = picture
    scale = {"small": 0.5, "large": 2.0}.get(change, 1.0)
    light = {"dark": [0.5] * 3, "bright": [1.3] * 3, "warm": [0.75, 1.0, 1.2]}.get(change, [1.0] * 3)
    changed = np.clip(
        cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) * np.array(light), 0, 255
    ).astype(np.uint8)
    assert counts(read_blind(changed, [(x * scale, y * scale) for x, y in corners])) == START


def test_a_known_bar_width_is_taken(picture: tuple[Image, list[tuple[float, float]]]) -> None:
    known = json.loads((REEL / "reel.json").read_text())["geometry_cm"]
    assert counts(read_blind(*picture, Geometry.from_json(known))) == START


def test_a_hand_is_said_and_the_cells_under_it_are_left_out() -> None:
    truth = json.loads((REEL / "reel.json").read_text())
    corners = [(x, y) for x, y in truth["corners_px"]]
    reading = read_blind(load(REEL / "001.jpg").image, corners)
    assert reading.hand
    assert not set(reading.looks) & reading.occluded


def test_painted_boards_of_every_kind_are_read() -> None:
    """Boards of colours, lamps, cameras and clicks drawn at random, without hands. Which side is called white
    is not asked: the two may be equally light."""
    right, confident, unsaid = [], [], []
    for seed in range(9_000, 9_018):
        image, truth = sample(np.random.default_rng(seed))
        if truth["hand"].max() > 0:
            continue
        reading = read_blind(image, PAINTED)
        true = {n: int(truth["counts"][12 - n if n <= 12 else n - 1] @ [1, -1]) for n in range(1, 25)}
        found = counts(reading)
        same = {n for n in true if found.get(n, 0) == true[n]}
        other = {n for n in true if found.get(n, 0) == -true[n]}
        hits = same if len(same) >= len(other) else other
        hidden = {n for n in true if f"p{n}" in reading.occluded}
        right += [n in hits for n in true if n not in hidden]
        confident += [n not in hits and reading.confidence.get(f"p{n}", 0.0) >= 0.9 for n in true]
        unsaid += [n in hidden for n in true]
    assert len(unsaid) > 200
    assert np.mean(right) >= 0.95
    assert np.mean(unsaid) <= 0.08  # there is no hand in any of them: one is taken for it
    assert np.mean(confident) <= 0.02


def test_what_is_no_board_is_refused() -> None:
    with pytest.raises(ImageError, match="no points"):
        read_blind(
            np.full((480, 640, 3), 128, np.uint8),
            [(50.0, 430.0), (590.0, 430.0), (590.0, 50.0), (50.0, 50.0)],
        )


def test_corners_in_the_wrong_order_are_refused(picture: tuple[Image, list[tuple[float, float]]]) -> None:
    image, corners = picture
    with pytest.raises(CalibrationError):
        read_blind(image, corners[::-1])


def photographs(name: str) -> list[tuple[Case, Reading]]:
    return [(case, read_blind(load(case.path).image, case.corners)) for case in cases(DATA, name)]


@pytest.mark.skipif(
    not (DATA / "photos").is_dir(),
    reason="the photographs are for measuring only and lie outside; set BARPOINT_DATA",
)
@pytest.mark.parametrize(("name", "boards"), [("phone", 4), ("webcam", 18)])
def test_photographs_are_read_as_well_as_promised(name: str, boards: int) -> None:
    readings = photographs(name)
    wrong = [[line for line in mistakes(case, reading) if line.startswith("p")] for case, reading in readings]
    assert sum(map(len, wrong)) <= 0.02 * 24 * len(readings)
    assert sum(not mistakes(case, reading) for case, reading in readings) >= boards
    for (case, reading), lines in zip(readings, wrong, strict=True):
        for line in lines:
            assert reading.confidence[line.split()[0]] < 0.9, f"{case.name}: {line}"


def _blurred(image: Image, corners: list[tuple[float, float]], part: float) -> Image:
    """Blurred with a deviation of this part of a checker, which is about a thirteenth of the board."""
    width = float(np.linalg.norm(np.subtract(corners[1], corners[0])))
    return np.asarray(cv2.GaussianBlur(image, (0, 0), part * width / 13), np.uint8)


def test_a_blurred_picture_is_read_with_doubt_and_a_worse_one_refused(
    picture: tuple[Image, list[tuple[float, float]]],
) -> None:
    """Of points read from such pictures one in ten was wrong, and a third of these sure."""
    image, corners = picture
    sharp = read_blind(image, corners)
    doubted = read_blind(_blurred(image, corners, 0.1), corners)
    assert counts(doubted) == counts(sharp)
    assert np.mean(list(sharp.confidence.values())) > 0.95
    assert np.mean(list(doubted.confidence.values())) < 0.9
    with pytest.raises(ImageError, match="blurred, or far too small; focus the camera"):
        read_blind(_blurred(image, corners, 0.25), corners)


@pytest.mark.parametrize(("bend", "least", "most"), [(-0.2, 0.95, 1.0), (-0.9, 0.0, 0.8)])
def test_a_board_that_a_lens_bends_strongly_is_read_with_doubt(
    bend: float, least: float, most: float
) -> None:
    """Between straight columns that do not fit, checkers are counted on the next point, and were surely."""
    bent, corners = lens(bend)(drawn_board("cork-tan", "02").image, np.array(drawn_corners("cork-tan")))
    sure = read_blind(bent, [(x, y) for x, y in corners.tolist()]).confidence
    assert least <= np.mean(list(sure.values())) <= most


def test_a_grey_picture_is_read_with_doubt(picture: tuple[Image, list[tuple[float, float]]]) -> None:
    image, corners = picture
    grey = np.asarray(cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    almost = np.asarray(
        cv2.addWeighted(grey, 1.0, np.full_like(grey, (3, 0, 0)), 1.0, 0), np.uint8
    )  # a tint that no eye sees
    said, doubted = (read_blind(each, corners).confidence for each in (almost, grey))
    assert np.mean([1 - chance for chance in doubted.values()]) > 2 * np.mean(
        [1 - chance for chance in said.values()]
    )


@pytest.mark.parametrize("seed", range(4))
def test_grain_of_a_small_sensor_changes_nothing(
    picture: tuple[Image, list[tuple[float, float]]], seed: int
) -> None:
    image, corners = picture
    grain = np.random.default_rng(seed).normal(0, 40, image.shape)
    reading = read_blind(np.asarray(np.clip(image + grain, 0, 255), np.uint8), corners)
    assert counts(reading) == START
    assert min(reading.confidence.values()) > 0.8
