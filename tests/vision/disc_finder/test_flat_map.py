from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.disc_finder.flat_map import FIELD, MARGIN, lay_flat
from vision.errors import CalibrationError

CORNERS = [(200.0, 700.0), (1100.0, 720.0), (1000.0, 90.0), (260.0, 100.0)]


def test_the_corners_of_the_surface_land_on_the_corners_of_the_field() -> None:
    flat = lay_flat(np.zeros((800, 1280, 3), np.uint8), CORNERS)
    bottom, right = MARGIN + FIELD[1], MARGIN + FIELD[0]
    back = flat.picture(
        np.array([[MARGIN, bottom], [right, bottom], [right, MARGIN], [MARGIN, MARGIN]], float)
    )
    assert np.abs(back - CORNERS).max() < 0.6


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_dot_in_a_picture_of_any_size_lands_where_it_should(size: int) -> None:
    image = np.zeros((800 * size, 1280 * size, 3), np.uint8)
    where = np.array([640.0, 400.0])
    cv2.circle(image, tuple((where * size).astype(int).tolist()), 12 * size, (255, 255, 255), -1)
    flat = lay_flat(image, [(x * size, y * size) for x, y in CORNERS])
    rows, cols = np.nonzero(flat.image[..., 0] > 127)
    seen = flat.picture(np.array([[cols.mean(), rows.mean()]]))[0] / size
    assert np.abs(seen - where).max() < 2


def test_a_board_turned_in_the_picture_is_laid_flat_in_its_own_order() -> None:
    rng = np.random.default_rng(3)
    image = cv2.resize(
        rng.integers(0, 255, (8, 12, 3), dtype=np.uint8), (1280, 800), interpolation=cv2.INTER_CUBIC
    )
    plain, turned = lay_flat(image, CORNERS).image, lay_flat(image, [*CORNERS[2:], *CORNERS[:2]]).image
    inside = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN]
    assert np.abs(plain[inside].astype(int) - turned[::-1, ::-1][inside]).mean() < 4


def test_corners_that_cross_are_refused() -> None:
    with pytest.raises(CalibrationError):
        lay_flat(np.zeros((800, 1280, 3), np.uint8), [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]])


def test_nothing_seen_is_nowhere() -> None:
    """A picture in which the network sees no disc at all is refused for what it lacks, not by a crash."""
    flat = lay_flat(np.full((480, 640, 3), 90, np.uint8), [(100, 400), (540, 400), (540, 80), (100, 80)])
    assert flat.picture(np.zeros((0, 2))).shape == (0, 2)
