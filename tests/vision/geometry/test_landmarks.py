"""Where parts of a surface are now: moved, hidden, or where they were."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.geometry.flat import Map
from vision.geometry.landmarks import Landmarks

ROWS, COLUMNS = 260, 380
AROUND = [(40 + 24 * n, y) for n in range(13) for y in (40, 220)] + [
    (x, 64 + 24 * n) for n in range(6) for x in (40, 328)
]
PLACES: NDArray[np.int64] = np.array([*AROUND, (130, 90), (220, 150), (270, 110)], np.int64)


@pytest.fixture(scope="module")
def surface() -> Map:
    """Paper with lines that repeat, and tokens all around."""
    picture = np.full((ROWS, COLUMNS, 3), 5.0, np.float32)
    for x in range(10, COLUMNS, 24):
        cv2.line(picture, (x, 0), (x, ROWS), (4.7, 5.0, 5.0), 1)
    for x, y in PLACES.tolist():
        cv2.circle(picture, (x, y), 9, (4.0, 5.0, 5.0), -1, cv2.LINE_8)
        cv2.circle(picture, (x, y), 6, (4.3, 5.0, 5.0), -1, cv2.LINE_8)
    return picture


@pytest.fixture(scope="module")
def marks(surface: Map) -> Landmarks:
    return Landmarks(np.ascontiguousarray(surface[..., 0]), PLACES, 11)


def moved(surface: Map, degrees: float, right: float, down: float) -> Map:
    warp = cv2.getRotationMatrix2D((COLUMNS / 2, ROWS / 2), degrees, 1.0)
    warp[:, 2] += (right, down)
    return np.asarray(
        cv2.warpAffine(surface, warp, (COLUMNS, ROWS), borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def hidden(surface: Map, part: float) -> Map:
    covered = surface.copy()
    covered[:, : round(part * COLUMNS)] = 4.4
    return covered


def test_what_did_not_move_is_at_home_however_much_of_it_is_hidden(surface: Map, marks: Landmarks) -> None:
    assert [marks.displacement(hidden(surface, part)) for part in (0.0, 0.3, 0.6)] == pytest.approx(
        [0.0, 0.0, 0.0], abs=0.01
    )
    assert marks.displacement(hidden(surface, 1.0)) == math.inf


@pytest.mark.parametrize("part", [0.0, 0.4])
def test_a_small_movement_is_noticed_beside_a_hand(surface: Map, marks: Landmarks, part: float) -> None:
    assert marks.displacement(hidden(moved(surface, 0.0, 3.0, -3.0), part)) == pytest.approx(
        math.hypot(3, 3), abs=0.7
    )


@pytest.mark.parametrize(
    "way", [(0.0, 4.0, 2.0), (2.0, 20.0, -7.0), (-4.0, -10.0, 12.0), (0.0, 24.0, 0.0), (0.0, 0.0, 24.0)]
)
def test_a_movement_is_found_where_the_pattern_repeats_too(
    surface: Map, marks: Landmarks, way: tuple[float, float, float]
) -> None:
    found = marks.moved(moved(surface, *way))
    assert found is not None
    due = np.vstack([cv2.getRotationMatrix2D((COLUMNS / 2, ROWS / 2), way[0], 1.0), [0, 0, 1]])
    due[:2, 2] += way[1:]
    at = PLACES[:, None].astype(np.float64)
    off = cv2.perspectiveTransform(at, found) - cv2.perspectiveTransform(at, due)
    assert np.abs(off).max() < 1.5


def test_another_surface_is_not_taken_for_this_one(marks: Landmarks) -> None:
    other = np.random.default_rng(3).normal(5, 0.3, (ROWS, COLUMNS, 3)).astype(np.float32)
    assert marks.moved(np.asarray(cv2.GaussianBlur(other, (0, 0), 3), np.float32)) is None


def test_nothing_is_said_without_landmarks(surface: Map) -> None:
    none = Landmarks(np.ascontiguousarray(surface[..., 0]), np.zeros((0, 2), np.int64), 11)
    assert (none.displacement(surface), none.moved(surface), none.at_home(surface)) == (0.0, None, 0.0)
