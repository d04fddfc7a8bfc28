from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.geometry.bumped_camera import STILL, moved_by
from vision.geometry.flat import Map


@pytest.fixture(scope="module")
def surface() -> Map:
    return CheckersReader(rig("green-felt")).surface


def moved(surface: Map, matrix: list[list[float]]) -> Map:
    """The same seen by a camera that moves map places so, about the middle."""
    high, wide = surface.shape[:2]
    middle = np.array([[1, 0, -wide / 2], [0, 1, -high / 2], [0, 0, 1]])
    way = np.linalg.inv(middle) @ np.asarray(matrix, float) @ middle
    return np.asarray(
        cv2.warpPerspective(surface, way, (wide, high), borderMode=cv2.BORDER_REPLICATE), np.float32
    )


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
