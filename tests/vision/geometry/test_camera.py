from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.errors import CalibrationError
from vision.geometry.camera import Camera, check, from_corners, rectangle, scaled

ABOVE = Camera((1280, 960), 1300.0, -0.05, (2.95, 0.03, 0.05), (-31.0, 24.0, 105.0))


@given(st.floats(-5, 65), st.floats(-5, 55), st.floats(0, 4))
def test_a_place_is_found_again_from_its_pixel(x: float, y: float, z: float) -> None:
    pixel = ABOVE.project([[x, y, z]])
    assert np.allclose(ABOVE.place(pixel, z), [[x, y]], atol=1e-3)


def test_tops_lean_away_from_the_cameras_foot() -> None:
    foot = ABOVE.eye()[:2]
    for place in ([0.0, 0.0], [60.0, 48.0]):
        before, after = np.linalg.norm(place - foot), np.linalg.norm(ABOVE.lean([place], 2.0)[0] - foot)
        assert after > before


def test_leaning_is_what_the_lens_shows() -> None:
    flat = ABOVE.lean([[50.0, 40.0]], 1.5)[0]
    assert np.allclose(ABOVE.project([[50.0, 40.0, 1.5]]), ABOVE.project([[*flat, 0.0]]), atol=0.05)


def test_corners_give_the_camera_back() -> None:
    seen = ABOVE.project(rectangle(62, 50))
    found, error = from_corners([(float(x), float(y)) for x, y in seen], 62, 50, ABOVE.size, k1=-0.05)
    assert error < 0.5
    assert np.allclose(found.eye()[:2], ABOVE.eye()[:2], atol=2)


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("aside", [0.0, 0.03, 0.3])
def test_a_phone_has_the_same_lens_held_upright(upright: bool, aside: float) -> None:
    size = (1200, 1600) if upright else (1600, 1200)
    phone = Camera(size, 1.05 * 1600, 0.0, (np.pi - aside, 0.0, 0.0), (-31.0, 24.0, 150.0))
    seen = phone.project(rectangle(62, 50))
    found, _ = from_corners([(float(x), float(y)) for x, y in seen], 62, 50, size)
    assert found.focal == pytest.approx(phone.focal, rel=0.1)
    assert found.eye()[2] == pytest.approx(phone.eye()[2], rel=0.1)


@pytest.mark.parametrize(
    ("corners", "word"),
    [
        ([(100, 100), (900, 100), (900, 800), (100, 800)], "clockwise"),
        ([(100, 800), (900, 100), (900, 800), (100, 100)], "cross"),
        ([(100, 800), (110, 800), (110, 790), (100, 790)], "closer"),
        ([(-900, 800), (900, 800), (900, 100), (100, 100)], "outside"),
        ([(float("nan"), 800), (900, 800), (900, 100), (100, 100)], "four corners"),
    ],
)
def test_corners_that_no_board_has_are_refused_with_the_reason(
    corners: list[tuple[float, float]], word: str
) -> None:
    with pytest.raises(CalibrationError, match=word):
        check(corners, (1280, 960))


@pytest.mark.parametrize("corners", [None, [0.0] * 8, [("a", "b")] * 4, [(1, 2, 3)] * 4])
def test_what_are_no_four_corners_is_refused(corners: list[tuple[float, float]]) -> None:
    with pytest.raises(CalibrationError, match="four corners"):
        scaled(corners, 0.5)
