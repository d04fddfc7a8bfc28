from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.geometry.bumped_camera import STILL, camera_now, moved_by
from vision.geometry.camera import Floats, rectangle
from vision.geometry.flat import Map


@pytest.fixture(scope="module")
def surface() -> Map:
    return CheckersReader(rig("green-felt")).surface


def moved(surface: Map, matrix: list[list[float]]) -> Map:
    """The same seen by a camera that moves map places so, about the middle."""
    high, wide = surface.shape[:2]
    way = _about_the_middle(surface, matrix)
    return np.asarray(
        cv2.warpPerspective(surface, way, (wide, high), borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def _about_the_middle(surface: Map, matrix: list[list[float]]) -> Floats:
    high, wide = surface.shape[:2]
    middle = np.array([[1, 0, -wide / 2], [0, 1, -high / 2], [0, 0, 1]])
    return np.asarray(np.linalg.inv(middle) @ np.asarray(matrix, float) @ middle)


@pytest.mark.parametrize(
    ("matrix", "far"),
    [
        ([[1, 0, 1.2], [0, 1, 0.5], [0, 0, 1]], 1.3),  # shifted
        ([[1, -0.015, 0], [0.015, 1, 0], [0, 0, 1]], 1.6),  # turned by a degree
        ([[1.015, 0, 0], [0, 1.015, 0], [0, 0, 1]], 1.6),  # come nearer
        ([[1, 0, 0], [0, 1, 0], [0, 0.0002, 1]], 1.5),  # leant
    ],
)
def test_what_a_camera_can_do_is_measured_in_map_pixels(
    surface: Map, matrix: list[list[float]], far: float
) -> None:
    assert moved_by(surface, moved(surface, matrix)) == pytest.approx(far, abs=0.5)


def test_a_tenth_of_that_is_borne(surface: Map) -> None:
    assert moved_by(surface, moved(surface, [[1, -0.002, 0.1], [0.002, 1, 0], [0, 0, 1]])) == 0.0
    assert STILL > 0.5


def test_pieces_and_hands_that_come_are_no_movement() -> None:
    reader = CheckersReader(rig("green-felt"))
    for name in ("start", "03", "05"):
        assert reader.displacement(reader.lay_flat(picture("green-felt", name))) == 0.0


def test_another_board_is_nowhere(surface: Map) -> None:
    noise = np.random.default_rng(1).normal(0, 0.3, surface.shape).astype(np.float32)
    assert moved_by(surface, noise) == math.inf


def test_a_camera_that_moved_a_little_is_followed_whatever_came_to_the_board(surface: Map) -> None:
    """Thirty dark discs have more edges than the board."""
    reader, rng = CheckersReader(rig("green-felt")), np.random.default_rng(2)
    way = [[1.008, 0, 0.5], [0, 1.008, -0.7], [0, 0, 1.0]]
    shown = moved(surface, way)
    high, wide = shown.shape[:2]
    for _ in range(30):
        at = int(rng.uniform(0, wide)), int(rng.uniform(0, high))
        cv2.circle(shown, at, 8, (-3.0, -3.0, -3.0), -1)
    shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), 1.0), np.float32)
    measures = reader.rig.measures
    found = camera_now(reader.flat, (measures.width, measures.height), surface, shown)
    assert found is not None
    corners = rectangle(measures.width, measures.height)
    gone = cv2.perspectiveTransform(
        reader.flat.at(corners[:, :2]).reshape(-1, 1, 2), _about_the_middle(surface, way)
    ).reshape(-1, 2)
    assert np.abs(found.project(corners) - reader.flat.picture(gone)).max() < 3
