"""The blind reader's closer look: where the camera is, what lies under checkers, and how many lie upon a
row."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.test_blind_parts import drawn_board
from vision.blind import counts
from vision.blind.bare import surface
from vision.blind.board import columns
from vision.blind.counts import Chance
from vision.blind.eye import eye
from vision.blind.light import HALF, lit
from vision.blind.stacks import upon
from vision.blind.tops import Top
from vision.disc_finder.flat_map import FIELD, GRID, HIGH, MARGIN, WIDE, lay
from vision.geometry.camera import Camera, rectangle
from vision.light import colour
from vision.stacks import HEIGHTS

SIZE = (1600, 1200)
NOBODY = np.zeros(GRID, np.float32)


def camera(tilt: float, aside: float) -> Camera:
    """A usual lens over a board of 58 x 50 cm, ``tilt`` radians from upright."""
    turn = np.array([np.pi - tilt, 0.0, 0.0])
    at = np.array([29.0 + aside, 25.0 - 95 * np.sin(tilt), 95 * np.cos(tilt)])
    rotation = cv2.Rodrigues(turn)[0]
    shift = -rotation @ at
    return Camera(SIZE, 1.05 * SIZE[0], 0.0, tuple(map(float, turn)), tuple(map(float, shift)))


@pytest.mark.parametrize(("tilt", "aside"), [(0.0, 0.0), (0.1, 8.0), (0.4, -5.0), (0.7, 0.0)])
def test_the_camera_is_where_its_picture_says(tilt: float, aside: float) -> None:
    seen = camera(tilt, aside)
    corners = [(float(x), float(y)) for x, y in seen.project(rectangle(58.0, 50.0))]
    flat = lay(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), corners)
    stretch = (FIELD[1] / 50) / (FIELD[0] / 58)
    found = eye(flat, SIZE, stretch * 1.03)  # a row whose checkers do not quite touch
    assert found.stretch == pytest.approx(stretch, rel=0.04)
    across = FIELD[0] / 58
    x, y, z = seen.eye()
    assert found.high == pytest.approx(z * across, rel=0.12)
    assert found.x == pytest.approx(MARGIN + x * across, abs=8)
    assert found.y == pytest.approx(MARGIN + FIELD[1] - y * across * stretch, abs=0.1 * z * across)
    # What matters: a checker one higher, anywhere on the board, is where it is said to be.
    places = np.array([(4.0, 4.0), (54.0, 4.0), (54.0, 46.0), (29.0, 25.0)])
    low, high = (
        cv2.perspectiveTransform(
            seen.project(np.hstack([places, np.full((4, 1), z)])).reshape(-1, 1, 2),
            np.linalg.inv(flat.to_picture),
        )
        for z in (1.0, 2.0)
    )
    assert np.abs(found.lean(low.reshape(-1, 2), across, across) - (high - low).reshape(-1, 2)).max() < 0.7


def points(colours: tuple[int, int], true: np.ndarray, pitch: float) -> np.ndarray:
    """A board of bare wood with two colours of points, which point inward."""
    flat = np.full((HIGH, WIDE, 3), (90, 130, 150), np.uint8)
    for lower in (False, True):
        for column, x in enumerate(true):
            foot, tip = (HIGH - MARGIN, HIGH - MARGIN - 120) if lower else (MARGIN, MARGIN + 120)
            corners = np.array([(x - pitch / 2.2, foot), (x + pitch / 2.2, foot), (x, tip)])
            cv2.fillPoly(
                flat,
                [np.int32(np.round(corners * 16))],
                tuple(colours[(column + lower) % 2] * part for part in (1.0, 0.9, 0.8)),
                cv2.LINE_AA,
                4,
            )
    return flat


def test_what_is_under_a_checker_is_seen_two_points_further_on() -> None:
    axis, barred, true = drawn_board(0.8)
    board = columns(axis, barred)
    bare = points((60, 220), true, board.pitch)
    lamp = np.linspace(0.75, 1.15, WIDE)[None, :, None]
    full, tops = (bare * lamp).clip(0, 255).astype(np.uint8), []
    for column, upper in ((2, True), (7, True), (7, False), (11, False)):
        for place in range(5):
            y = MARGIN + 12 + 24 * place if upper else HIGH - MARGIN - 12 - 24 * place
            cv2.circle(full, (round(true[column]), y), 12, (30, 30, 200), -1)
            tops.append(Top(float(true[column]), float(y), 3.0, -5.0, column, upper, column - 1, 0.8))
    seen = lit(full, NOBODY, board, tops)
    empty = surface(seen, board, range(12))
    true_surface = colour.logs(cv2.resize(bare, (WIDE // HALF, HIGH // HALF), interpolation=cv2.INTER_AREA))
    middles = [(int(top.y / HALF), int(top.x / HALF)) for top in tops]
    off = np.array([empty[at] - true_surface[at] for at in middles])
    off -= np.median(
        empty - true_surface, axis=(0, 1)
    )  # how bright the lamp is on the whole, nobody can know
    assert np.median(np.abs(off)) < 0.03
    assert np.abs(off).max() < 0.25  # at the tip of a point, where half a pixel matters


def test_a_board_without_one_bare_place_on_some_points_is_still_guessed() -> None:
    axis, barred, true = drawn_board(0.8)
    board = columns(axis, barred)
    flat = points((60, 220), true, board.pitch)
    tops = [Top(float(x), MARGIN + 12.0, 3.0, -5.0, column, True, 0, 0.8) for column, x in enumerate(true)]
    tops += [
        Top(float(x), HIGH - MARGIN - 12.0, 3.0, -5.0, column, False, 0, 0.8) for column, x in enumerate(true)
    ]
    empty = surface(lit(flat, NOBODY, board, tops), board, range(12))
    assert np.isfinite(empty).all()
    dark, light = (empty[(MARGIN + 14) // HALF, int(true[column] / HALF), 0] for column in (2, 3))
    assert light - dark > 0.5


def told(*heights: int, sure: float = 3.0) -> np.ndarray:
    """What the network says of a row whose places hold so many checkers each."""
    odds = np.zeros((len(heights), HEIGHTS))
    odds[np.arange(len(heights)), heights] = sure
    return np.asarray(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("heights", "extra"),
    [
        ((1, 1, 1, 1, 1), 0),
        ((2, 1, 1, 1, 1), 1),
        ((1, 1, 1, 1, 2), 1),
        ((2, 2, 2, 1, 1), 3),
        ((2, 2, 2, 2, 2), 5),
        ((3, 2, 2, 2, 2), 6),
    ],
)
def test_checkers_upon_a_row_are_counted_wherever_they_lie(heights: tuple[int, ...], extra: int) -> None:
    assert int(np.argmax(upon(told(*heights, sure=6.0)))) == extra


def test_checkers_are_laid_upon_a_row_from_its_rim_inward() -> None:
    doubtful = told(1, 1, 1, 1, 1, sure=1.0)
    at_rim, at_end = doubtful.copy(), doubtful.copy()
    at_rim[0], at_end[4] = told(2, sure=1.5)[0], told(2, sure=1.5)[0]
    assert upon(at_rim)[1] > upon(at_end)[1]


def test_a_row_of_six_has_its_own_count() -> None:
    chances = [Chance(0.99, 0.0, 0.99)] * 6
    row = counts.point(chances, upon(told(2, 1, 1, 1, 1, 1, sure=6.0)), 6)
    assert max(row, key=lambda count: row[count]) == 7


def test_what_lies_upon_a_row_counts_only_where_the_row_is_full() -> None:
    doubtful = [Chance(0.99, 0.0, 1.0)] * 4 + [Chance(0.3, 0.0, 1.0)]
    row = counts.point(doubtful, np.array([0.1, 0.9]), 5)
    assert max(row, key=lambda count: row[count]) == 4
    assert row[6] == pytest.approx(0.9 * 0.3 * 0.99**4, abs=0.01)
